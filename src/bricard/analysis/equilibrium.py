"""equilibrium(): the position, near a given one, in which the mechanism stays at rest, its loads and its stiffness.

    G^T lam = f(t, q, 0),   Phi(t, q) = 0

Newton's method on the constraint surface: in the directions N that the constraints leave, the force N^T f has the derivative
-N^T K N, where K holds springs, weight, and the geometric stiffness of preloaded springs and of the multipliers. Steps that do
not bring the force down are damped (Levenberg-Marquardt). Directions without force and without stiffness stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import AssemblyError, ModelError, suggest
from ..model import Model
from ..model.forces import CoordinateForce
from ..solution.solution import Solution
from ..system.assembler import assemble, complete, settle
from ..system.inputs import motor, with_forces
from ..system.rotation import in_group
from ..system.state import State, check_state
from ..system.system import System
from .instant import Instant, directions
from .outputs import Coordinate
from .snapshots import snapshots

LARGEST_STEP, ITERATIONS = 0.3, 100  # in characteristic lengths or radians
DAMPING = (0.0, 1e-6, 1e-4, 1e-2, 1.0, 1e2)  # relative to the largest stiffness, squared
TIGHT, ENOUGH, NEUTRAL = 1e-14, 1e-9, 1e-11  # of the largest force; of the largest stiffness


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A mechanism at rest. state : the State. directions : (n_v, k), small motions that the constraints leave, orthonormal when
    turns are multiplied by the characteristic length. stiffness : (k, k), N/m, of these motions: springs, weight, preload.

    at : the position as a Solution of one sample, with poses, reactions and joint coordinates.
    """

    state: State
    directions: np.ndarray
    stiffness: np.ndarray
    at: Solution = field(repr=False)

    @property
    def stable(self) -> bool:
        """Whether every small motion is pushed back."""
        return bool((np.linalg.eigvalsh(0.5 * (self.stiffness + self.stiffness.T)) > 0.0).all())

    def joint(self, coordinate: str) -> float:
        """Value of a joint coordinate, m or rad."""
        return float(self.at.joint(coordinate)[0])

    def force(self, name: str) -> float:
        """What a spring or motor pushes with, N or N m, towards larger values of its coordinate."""
        model = self.at.system.model
        force = model.forces.get(name)
        if not isinstance(force, CoordinateForce):
            known = [each for each, found in model.forces.items() if isinstance(found, CoordinateForce)]
            raise ModelError(f'There is no spring or motor "{name}".{suggest(name, known)}')
        return float(force.law(self.state.t, float(self._measured(force.measure)), 0.0))

    def stiffness_of(self, coordinate: str) -> float:
        """Force (N or N m) per unit of a joint coordinate that moves it slowly from here, all other freedoms following freely."""
        model = self.at.system.model
        measure = model.coordinate(coordinate)
        system, _ = with_forces(model, [motor(measure, "measure")])
        instant = Instant(system, self.state.t, np.zeros(system.n_measures))
        ways = np.vstack([np.zeros(len(self.directions)), self.directions.T])
        _, q, ways = in_group(self.at.system, np.tile(self.state.q, (len(ways), 1)), ways)  # the motions of the bodies
        row = Coordinate(coordinate, measure, True).rows(instant, q[0], ways[0])[1] @ ways[1:].T
        softness = float((row @ np.linalg.pinv(self.stiffness) @ row.T)[0, 0])
        loose = row - row @ np.linalg.pinv(self.stiffness) @ self.stiffness
        if np.abs(loose).max(initial=0.0) > 1e-9 * np.abs(row).max(initial=0.0):
            return 0.0
        return 1.0 / softness if softness else np.inf

    def _measured(self, measure):
        from ..solution.motion import coordinate

        return coordinate(self.at, measure)[0]


def equilibrium(what: Any, state: State | None = None) -> Equilibrium:
    """The position of rest of a Model or System near a state (the assembled start if not given), see Equilibrium.

    >>> import bricard as br
    >>> model = br.Model("weight", gravity=(0, 0, -10))
    >>> _ = model.body("block", br.Box((0.1, 0.1, 0.1), mass=2.0))
    >>> _ = model.prismatic("slide", model.ground, "block", (0, 0, 0), (0, 0, 1))
    >>> _ = model.spring("spring", model.ground, "block", (0, 0, 1), (0, 0, 0), stiffness=1000.0, length=0.5)
    >>> found = br.equilibrium(model)
    >>> round(found.joint("slide"), 6), round(found.stiffness_of("slide"), 3), round(found.force("spring"), 3)
    (0.48, 1000.0, -20.0)
    """
    if not isinstance(what, (Model, System)):
        raise ModelError(f"equilibrium() takes a Model or a System, not {what!r}.")
    system = what if isinstance(what, System) else what.build()
    if state is not None:
        check_state(system, state, "equilibrium()")
    state = position_of_rest(system, assemble(system) if state is None else state)
    still, turn = np.zeros(system.n_v), state.turn
    here = Statics(system, state.t, state.q, turn)
    stiffness = here.all.N.T @ here.instant.look(state.q, still, still, here.lam).K @ here.holonomic.N
    at = snapshots(system, [state.t], [(state.q, still, turn)], "equilibrium")
    return Equilibrium(state, here.holonomic.N, stiffness, at)


def position_of_rest(system, state):
    """The State of rest nearest to `state` in the sense of Newton's method."""
    q, turn = state.q, state.turn
    here = Statics(system, state.t, q, turn)
    moving = np.abs(here.instant.work.phi_t * system.record.row_scale)
    if moving.max(initial=0.0) > 1e-12:
        row = system.row_name(int(np.argmax(moving)))
        raise ModelError(f"There is no equilibrium at t = {state.t:g} s: {row} is driven and moves then.")
    scale = here.natural()
    for _ in range(ITERATIONS):
        scale = max(scale, here.scale)
        if here.size <= TIGHT * scale:
            break
        better = next((trial for trial in here.trials() if trial.size < (1 - 1e-4) * here.size), None)
        if better is None:
            break
        here = better
    if not here.size <= ENOUGH * scale:
        worst = system.unknown_name(int(np.argmax(np.abs(here.left))))
        raise AssemblyError(
            f"No equilibrium was found from this start at t = {state.t:g} s: a force of {here.size:.3g} N of {scale:.3g} N "
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

    def natural(self):
        """The size of forces (N) that are in play, also where they balance: weights, and springs at a characteristic length."""
        system, v = self.system, np.zeros(self.system.n_v)
        r, metric = system.record, np.sqrt(system.record.metric[: system.n_v])
        K = self.instant.look(self.q, v, v, self.lam).K
        weight = np.abs(r.mass).max(initial=0.0) * np.linalg.norm(r.gravity)
        return max(float(weight), float(np.abs(metric[:, None] * K * metric).max(initial=0.0)) * system.length)

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


__all__ = ["Equilibrium", "equilibrium"]
