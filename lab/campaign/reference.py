"""The oracle's motions of a mechanism from the start that the package has assembled, and how they compare with a run.

Errors are measured in the norm of the step control: root mean square over all components, each in units of its natural size
(the package's characteristic length, a radian, per second) plus its largest value in the run. `growth` says by how much an error
of the start has grown up to each sample, found by a run from a start that is a little off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .mechanism import Mechanism
from .oracle.geometry import matrices, quaternion_of
from .oracle.motion import moved, projected, reference_at, simulate
from .oracle.system import State, System

SAMPLES = 9
TIGHT, LOOSE, OFF = 1e-11, 1e-7, 1e-4
BETTER = 1e-2  # how much better the tight run is than its distance from the loose one, at least
SAME = 1e-11  # starts that are as near as this are one
PARTED = 1e-3  # distance of the oracle's two runs beyond which nothing is compared
WISHED = 1e-5  # largest deviation from a wish that can be met, as a share of the fastest motion
CLOSES = 1e-8  # largest error of the package's start, in radians or lengths of the mechanism


class Seen(NamedTuple):
    """What a run shows at the samples: places (n, bodies, 3), axes, velocities, angular velocities, joint coordinates (n, k)."""

    X: np.ndarray
    R: np.ndarray
    V: np.ndarray
    W: np.ndarray
    joints: np.ndarray


class Weights(NamedTuple):
    """Natural sizes of places, turns, velocities, angular velocities, and of each joint coordinate (k,)."""

    X: float
    R: float
    V: float
    W: float
    joints: np.ndarray


def distances(one: Seen, other: Seen, weights: Weights) -> np.ndarray:
    """Return the distance of two runs at the samples that both have (n,)."""
    n = min(len(one.X), len(other.X))
    relative = np.swapaxes(one.R[:n], -1, -2) @ other.R[:n]
    skew = np.stack([relative[..., i, j] - relative[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)
    away = 1.0 - np.clip(
        (np.trace(relative, axis1=-2, axis2=-1) - 1.0) / 2.0, -1.0, 1.0
    )  # half a turn has no skew part
    turns = np.abs(0.5 * skew) + (away[..., None] > 1e-4) * np.sqrt(2.0 * away)[..., None]
    parts = [(one.X[:n] - other.X[:n]) / weights.X, turns / weights.R]
    parts += [(one.V[:n] - other.V[:n]) / weights.V, (one.W[:n] - other.W[:n]) / weights.W]
    parts.append((one.joints[:n] - other.joints[:n]) / weights.joints)
    flat = np.concatenate([part.reshape(n, -1) for part in parts], axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt((flat**2).mean(axis=1))


class Reference:
    """The oracle's runs of a mechanism; those of a start are kept."""

    def __init__(self, mechanism: Mechanism, names: list[tuple[str, str]], length: float):
        self.mechanism, self.names, self.length = mechanism, names, length
        self.system = System(mechanism)
        self.times = np.linspace(0.0, mechanism.duration, SAMPLES)
        self.places = [self.system.m.place(self.system.coordinate(name)) for name, _ in names]
        self.kept: list[tuple[State, Oracle]] = []

    def seen(self, solution) -> Seen:
        """Return what a Solution shows, by its public names."""
        n, bodies = len(solution.t), self.mechanism.bodies
        X, V, W = (np.zeros((n, len(bodies), 3)) for _ in range(3))
        R = np.zeros((n, len(bodies), 3, 3))
        for i, body in enumerate(bodies):
            position, R[:, i] = solution.poses[body["name"]]
            X[:, i] = position + R[:, i] @ np.array(body["com"])
            V[:, i], W[:, i] = solution.velocity(body["name"], body["com"]), solution.angular_velocity(body["name"])
        joints = np.array([solution.joint(name) for name, _ in self.names]).reshape(-1, n).T
        return Seen(X, R, V, W, joints)

    def of_motion(self, motion) -> Seen:
        """Return what a motion of the oracle shows."""
        X, V, W = (np.array([getattr(s, key)[:-1] for s in motion.states]) for key in "XVW")
        R = np.array([matrices(s.Q)[:-1] for s in motion.states])
        return Seen(X, R, V, W, motion.measures[:, self.places])

    def state(self, seen: Seen, sample: int = 0) -> State:
        """Return the oracle's State of a sample, the first one if none is said."""
        drawn = self.system.start()
        X, Q, V, W = (part.copy() for part in drawn)
        X[:-1], V[:-1], W[:-1] = seen.X[sample], seen.V[sample], seen.W[sample]
        Q[:-1] = [quaternion_of(R) for R in seen.R[sample]]
        return State(X, Q, V, W)

    def worth(self, seen: Seen, weights: Weights) -> float:
        """Return the work (J) that the loads of a sample would do along the size of the places they act at, the largest."""
        largest, near = 0.0, None
        for sample, t in enumerate(self.times[: len(seen.X)]):
            state = self.state(seen, sample)
            near = reference_at(self.system, state, near)
            *_, measured, R = self.system.constraints(t, state, near)
            load = np.abs(self.system.applied(t, state, measured, R)[:-1])
            largest = max(largest, float(load[:, :3].sum() * weights.X + load[:, 3:].sum() * weights.R))
        return largest

    def start_errors(self, state: State) -> tuple[float, float]:
        """Return how far a start is from the constraints of position and of velocity, in radians or lengths (per time)."""
        phi, G, phi_dot, *_ = self.system.constraints(0.0, state, reference_at(self.system, state))
        if not len(phi):
            return 0.0, 0.0
        columns = np.where(self.system.columns % 6 < 3, self.length, 1.0)
        size = np.linalg.norm(G * columns, axis=1)
        size = np.where(size > 1e-9 * size.max(), size, np.inf)
        fastest = np.abs(state.V).max() / self.length + np.abs(state.W).max() + 1.0 / self.mechanism.duration
        return float(np.abs(phi / size).max()), float(np.abs(phi_dot / size).max() / fastest)

    def wrong_start(self, state: State) -> str | None:
        """Say what is wrong with a start: it violates constraints, is not as drawn, or not as wished."""
        gap, slip = self.start_errors(state)
        if not max(gap, slip) <= CLOSES:
            return f"the start violates the constraints by {gap:.1g} and {slip:.1g}"
        starts, system = self.mechanism.starts, self.system
        if not any("position" in start for start in starts):
            shift = float(np.abs(state.X - system.drawn_x).max() / self.length)
            if shift > CLOSES:
                return f"the start is {shift:.1g} lengths away from the pose as drawn, which is closed"
        near = reference_at(system, state)
        value, _, speed, _ = system.m.evaluate(state.X, matrices(state.Q), state.V, state.W, near)
        fastest = np.abs(state.V).max() + self.length * (np.abs(state.W).max() + 1.0 / self.mechanism.duration)
        for start in starts:
            if "joint" in start:
                place = system.m.place(system.coordinate(start["joint"]))
                unit = self.length if dict(self.names)[start["joint"]] == "length" else 1.0
                gap = max(
                    abs(start.get("position", value[place]) - value[place]) / unit,
                    abs(start.get("velocity", speed[place]) - speed[place]) / unit * self.length / fastest,
                )
            else:
                i = system.index[start["body"]]
                gap = np.abs(state.W[i] - start["angular_velocity"]).max() * self.length / fastest
            if gap > WISHED:
                return f"the start of {start.get('joint') or start.get('body')} is {gap:.1g} away from what was wished"
        return None

    def of(self, state: State) -> Oracle:
        """Return the oracle's runs from a start."""
        for known, oracle in self.kept:
            if all(np.allclose(a, b, rtol=SAME, atol=SAME * self.length) for a, b in zip(known, state, strict=True)):
                return oracle
        self.kept.append((state, Oracle(self, state)))
        return self.kept[-1][1]


class Oracle:
    """The oracle's motion from one start: what is seen of it, and the weights of errors.

    part, growth (n,), until : after `doubt()` how far its runs with two tolerances are apart, by how much errors have grown, and
    how many samples can be compared; it costs two more runs, which only a run that is off needs.
    """

    def __init__(self, reference: Reference, state: State):
        self.reference, self.state, self.doubted = reference, state, False
        n, L = len(reference.times), reference.length
        self.seen = self._run(state, TIGHT)
        sizes = np.array([L if unit == "length" else 1.0 for _, unit in reference.names])
        largest = [np.abs(part).max(initial=0.0) for part in (self.seen.X, self.seen.V, self.seen.W)]
        most = np.abs(self.seen.joints).max(axis=0, initial=0.0)
        self.weights = Weights(L + largest[0], 3.0, L + largest[1], 1.0 + largest[2], sizes + most)
        self.part, self.growth, self.until = np.zeros(n), np.ones(n), n

    def _run(self, state, tolerance):
        r = self.reference
        motion = simulate(r.system, state, r.mechanism.duration, r.times, tolerance, (r.length, r.mechanism.duration))
        return r.of_motion(motion)

    def doubt(self) -> bool:
        """Find out how far the oracle itself is to be trusted; False if that is known already."""
        if self.doubted:
            return False
        self.doubted = True
        rough = self._run(self.state, LOOSE)
        part = np.maximum.accumulate(distances(self.seen, rough, self.weights))
        parted = np.nonzero(~(part < PARTED))[0]
        self.part, self.until = BETTER * part, int(parted[0]) if len(parted) else len(part)
        if len(self.reference.system.columns):
            away = distances(self._run(self._off(), LOOSE), rough, self.weights)
            if away[0] > 1e-3 * OFF:
                self.growth = np.maximum.accumulate(np.maximum(away / away[0], 1.0))
        return True

    def _off(self):
        """A consistent start a little off."""
        system, state, w = self.reference.system, self.state, self.weights
        rng, near = np.random.default_rng(7), reference_at(system, state)
        unit = np.where(system.columns % 6 < 3, w.X, 0.5 * w.R)
        state = moved(system, state, OFF * unit * rng.normal(size=len(unit)))
        shift, spin = system.spread(OFF * np.where(system.columns % 6 < 3, w.V, w.W) * rng.normal(size=len(unit)))
        return projected(system, 0.0, State(state.X, state.Q, state.V + shift, state.W + spin), near, 5)
