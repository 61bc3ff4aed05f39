"""Statics: the position, near a given one, in which the mechanism stays at rest.

    G^T lam = f(t, q, 0),   Phi(t, q) = 0

Newton's method on the constraint surface: in the directions N that the constraints leave, the force N^T f has the derivative
-N^T K N, where K holds the geometric stiffness of the multipliers. Steps that do not bring the force down are damped
(Levenberg-Marquardt). Directions without force and without stiffness stay as they are.
"""

import numpy as np

from ..errors import AssemblyError, ModelError
from ..system.assembler import complete, settle
from .instant import Instant, directions

LARGEST_STEP, ITERATIONS = 0.3, 100  # in characteristic lengths or radians
DAMPING = (0.0, 1e-6, 1e-4, 1e-2, 1.0, 1e2)  # relative to the largest stiffness, squared
TIGHT, ENOUGH, NEUTRAL = 1e-14, 1e-9, 1e-11  # of the largest force; of the largest stiffness


def equilibrium(system, state):
    """The State of rest nearest to `state` in the sense of Newton's method."""
    q, turn = state.q, state.turn
    here = Statics(system, state.t, q, turn)
    moving = np.abs(here.instant.work.phi_t * system.record.row_scale)
    if moving.max(initial=0.0) > 1e-12:
        row = system.row_name(int(np.argmax(moving)))
        raise ModelError(f"There is no equilibrium at t = {state.t:g} s: {row} is driven and moves then.")
    for _ in range(ITERATIONS):
        if here.size <= TIGHT * here.scale:
            break
        better = next((trial for trial in here.trials() if trial.size < (1 - 1e-4) * here.size), None)
        if better is None:
            break
        here = better
    if not here.size <= ENOUGH * here.scale:
        worst = system.unknown_name(int(np.argmax(np.abs(here.left))))
        raise AssemblyError(
            f"No equilibrium was found from this start at t = {state.t:g} s: a force of {here.size:.3g} N of {here.scale:.3g} N "
            f"is left over, most in {worst}. Start nearer to it (model.start), or hold or spring what falls freely."
        )
    return complete(system, state.t, here.q, np.zeros(system.n_v), here.instant.work.value.copy())


class Statics:
    """The forces at a position that the constraints do not carry."""

    def __init__(self, system, t, q, turn):
        self.system, self.q, self.turn, self.instant = system, q, turn, Instant(system, t, turn)
        r, v = system.record, np.zeros(system.n_v)
        now = self.instant.look(q, v)
        metric, G, f = r.metric[: r.n_v], now.G, now.f
        self.all = directions(G, r.row_scale, metric)
        holonomic = r.velocity_level == 0
        self.holonomic = self.all if holonomic.all() else directions(G[holonomic], r.row_scale[holonomic], metric)
        self.lam = self.all.lift.T @ f
        self.left = self.all.B.T @ (self.all.N.T @ f) * np.sqrt(metric)  # per velocity, in units of force
        self.scale = float(np.abs(np.sqrt(metric) * f).max(initial=0.0))
        self.size = float(np.linalg.norm(self.all.N.T @ f))

    def trials(self):
        """Positions after a step of Newton's method, more and more damped."""
        system, v = self.system, np.zeros(self.system.n_v)
        now = self.instant.look(self.q, v, v, self.lam)
        f, turn = now.f, now.work.value.copy()
        U, s, Vt = np.linalg.svd(self.all.N.T @ now.K @ self.holonomic.N)
        s, keep = s[: min(U.shape[0], Vt.shape[0])], min(U.shape[0], Vt.shape[0])
        stiff = s > NEUTRAL * s.max(initial=0.0)
        scale = np.where(system.record.metric[: system.n_v] == 1.0, system.length, 1.0)
        for damping in DAMPING:
            inverse = np.where(stiff, s / np.where(stiff, s * s + damping * s.max(initial=0.0) ** 2, 1.0), 0.0)
            step = self.holonomic.N @ (Vt[:keep].T @ (inverse * (U[:, :keep].T @ (self.all.N.T @ f))))
            step *= min(1.0, LARGEST_STEP / max(float(np.abs(step / scale).max(initial=0.0)), 1e-300))
            try:
                q, _ = settle(system, self.instant.t, system.retract(self.q, step), v, turn)
            except AssemblyError:
                continue
            yield Statics(system, self.instant.t, q, turn)
