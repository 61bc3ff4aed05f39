"""The motion of a mechanism: DOP853, a projection onto the constraints after each step; steps end at the samples.

The error of dense output is not controlled: in a long step it was 1000 times that at the ends.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from scipy.integrate import DOP853

from .geometry import product, rates
from .system import State, System, nearest

MOST_EVALUATIONS, MOST_SECONDS = 4000, 12.0  # of one motion; CPU time
ROUNDS = 3


class TooLong(Exception):
    """The motion takes more evaluations than a campaign has time for."""


class Motion(NamedTuple):
    """Samples: states (n), and the joint coordinates (n, measures) by place in `system.m`."""

    states: list[State]
    measures: np.ndarray
    evaluations: int


def pack(s):
    """One vector of a State, without the ground."""
    return np.concatenate([s.X[:-1].ravel(), s.Q[:-1].ravel(), s.V[:-1].ravel(), s.W[:-1].ravel()])


def unpack(y, n):
    """The State of a vector."""
    X, Q = np.zeros((n + 1, 3)), np.zeros((n + 1, 4))
    V, W = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
    X[:-1], Q[:-1] = y[: 3 * n].reshape(-1, 3), y[3 * n : 7 * n].reshape(-1, 4)
    V[:-1], W[:-1] = y[7 * n : 10 * n].reshape(-1, 3), y[10 * n :].reshape(-1, 3)
    Q[-1, 0] = 1.0
    return State(X, Q, V, W)


def moved(system: System, s: State, change):
    """A State whose bodies are displaced by a vector of all columns: shifts, and small turns in world axes."""
    shift, spin = system.spread(change)
    Q = s.Q.copy()
    for i in range(system.count):
        size = np.linalg.norm(spin[i])
        if size > 0.0:
            Q[i] = product(np.array([np.cos(size / 2), *(np.sin(size / 2) * spin[i] / size)]), Q[i])
            Q[i] /= np.linalg.norm(Q[i])
    return State(s.X + shift, Q, s.V, s.W)


def projected(system, t, s, reference, rounds=ROUNDS, most=None):
    """The State moved onto the constraints of position and velocity by the smallest changes in the metric of the masses.

    most : number of independent rows, see nearest.
    """
    flags = system.speed_level()
    for _ in range(rounds):
        phi, G, _, _, _, R = system.constraints(t, s, reference)
        T = system.metric(R)
        change = T @ nearest(np.where(flags[:, None], 0.0, G) @ T, -phi, most)
        s = moved(system, s, change)
        if np.abs(change).max(initial=0.0) <= 1e-13 * (1.0 + np.abs(s.X).max()):
            break
    for _ in range(rounds if flags.any() else 1):
        _, G, phi_dot, _, _, R = system.constraints(t, s, reference)
        T = system.metric(R)
        shift, spin = system.spread(T @ nearest(G @ T, -phi_dot, most))
        s = State(s.X, s.Q, s.V + shift, s.W + spin)
    return s


def simulate(system: System, start: State, duration: float, times, tolerance: float, scale) -> Motion:
    """The motion from a consistent start, with samples at `times`.

    scale : (length, time) natural sizes, for absolute tolerances.
    """
    n, times = system.count, np.asarray(times, dtype=float)
    length, second = scale
    weights = np.repeat([length, 1.0, length / second, 1.0 / second], [3 * n, 4 * n, 3 * n, 3 * n])
    reference, evaluations = reference_at(system, start), 0
    deadline = time.process_time() + MOST_SECONDS
    most = system.rank(0.0, start, reference)

    def slope(t, y):
        nonlocal evaluations
        evaluations += 1
        if evaluations > MOST_EVALUATIONS or time.process_time() > deadline:
            raise TooLong("the oracle takes too long")
        s = unpack(y, n)
        with np.errstate(all="ignore"):
            a, alpha = system.accelerations(t, s, reference, most)
        if not (np.isfinite(a).all() and np.isfinite(alpha).all()):
            raise TooLong("the accelerations are not finite")
        return pack(State(s.V, rates(s.Q, s.W), a, alpha))

    stops = sorted({float(t) for t in (*system.breaks, *times) if 0.0 < t < duration}) + [duration]
    t, y, done, states, measures, step = 0.0, pack(start), 0, [], [], None

    def store(state, near):
        states.append(state)
        value = system.m.evaluate(state.X, _matrices(state), state.V, state.W, near)[0]
        measures.append(value)

    for stop in stops:
        first = None if step is None else min(step, stop - t)
        solver = DOP853(slope, t, y, stop, rtol=tolerance, atol=tolerance * weights, first_step=first)
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed":
                raise TooLong(message)
            while done < len(times) and times[done] <= 0.0:
                store(start, reference)
                done += 1
            s = projected(system, solver.t, unpack(solver.y, n), reference, 1, most)
            s.Q[:-1] /= np.linalg.norm(s.Q[:-1], axis=1)[:, None]
            solver.y = pack(s)
            reference = reference_at(system, s, reference)
            most = system.rank(solver.t, s, reference)
            if done < len(times) and times[done] <= solver.t * (1.0 + 1e-14):
                store(s, reference)
                done += 1
            if solver.status == "running":
                solver.f = slope(solver.t, solver.y)
        t, y, step = solver.t, solver.y, solver.h_abs
    return Motion(states, np.array(measures), evaluations)


def _matrices(s):
    from .geometry import matrices

    return matrices(s.Q)


def reference_at(system, s, near=None):
    """Values (angles,) of all counted angles at a State, near those before."""
    if not system.m.angles:
        return np.zeros(0)
    near = np.zeros(len(system.m.angles)) if near is None else near
    value = system.m.evaluate(s.X, _matrices(s), s.V, s.W, near)[0]
    return value[system.m.start["angle"] : system.m.start["angle"] + len(system.m.angles)]
