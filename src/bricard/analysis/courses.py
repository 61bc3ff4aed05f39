"""Everything that a certificate compares: named courses of a Solution, their differences, and natural sizes to judge these by.

Sizes do not depend on units or on where the world's origin is: the characteristic length L plus the largest shift, a radian, the
fastest motion V (a length or L radians per second), the largest force of a joint, the energy that goes to and fro.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ..balance import Course, rest
from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY as WITH_VELOCITY
from ..errors import ModelError, UncountedTurns
from ..linalg.kkt import COUNT, evaluate, select_rows
from ..solution.motion import known_coordinates, of_bodies
from ..solution.reactions import ambiguous_joints
from ..solution.solution import Solution
from ..system.assembler import assemble
from ..system.names import position_names, velocity_names
from ..system.redundancy import redundancy

POSITION, ROTATION, VELOCITY, SPIN = "position", "rotation", "velocity", "angular velocity"
DISPLACEMENT, ANGLE, RATE, TURNING = "displacement", "joint angle", "displacement rate", "joint angle rate"
FORCE, MOMENT, ENERGY = "force", "moment", "energy"
UNITS = {POSITION: "m", ROTATION: "rad", VELOCITY: "m/s", SPIN: "rad/s", FORCE: "N", MOMENT: "N m", ENERGY: "J"}
UNITS |= {DISPLACEMENT: "m", ANGLE: "rad", RATE: "m/s", TURNING: "rad/s"}
COORDINATE, SPEED = "coordinate", "speed"  # of a system given by its functions, in its own units
UNITS |= {COORDINATE: "", SPEED: "/s"}
TIME = "time"  # to move by a natural size
REACTIONS = (FORCE, MOMENT)
SLOW = 1e-3  # characteristic lengths in a run: what moves less is at rest, and its velocities are judged by this
FIRST_WEAK = 1  # of KKT reports: the first independent row that is weak, -1 if there is none


class Channel(NamedTuple):
    """A course: its kind, and values (n, ...), those of a rotation as matrices."""

    kind: str
    values: np.ndarray

    def away(self, other: Channel) -> np.ndarray:
        """Distance (k,) of two courses at the samples that both have; of rotations the angle between them."""
        k = min(len(self.values), len(other.values))
        difference = (self.values[:k] - other.values[:k]).reshape(k, -1)
        gap = np.linalg.norm(difference, axis=1)
        if self.kind != ROTATION:
            return gap
        return 2.0 * np.arcsin(np.clip(gap / np.sqrt(8.0), 0.0, 1.0))


def courses(solution: Solution) -> dict[str, Channel]:
    """All channels of a Solution by name: what bodies do, joint coordinates, reactions that are unique, energies."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", UncountedTurns)
        found = _of_functions(solution) if solution.system.model is None else _of_model(solution)
        return found | _energies(solution)


def left_out(solution: Solution) -> tuple[str, ...]:
    """Names of the joints whose reactions are not unique."""
    if solution.system.model is None:
        return ()
    return tuple(sorted(ambiguous_joints(solution.system.base or solution.system)))


def near_singular(solution: Solution) -> np.ndarray:
    """Whether each sample (n,) is close to a singular position, where a row depends on others: loads are not determined there."""
    seen = of_bodies(solution)
    system, n = seen.system, seen.t.size
    work, found = system.work(), np.zeros(n, bool)
    if not system.n_rows:
        return found
    work.left_out[COUNT] = redundancy(system, assemble(system))
    packed, (t, q, v) = pack(work), (np.array(x, float, order="C") for x in (seen.t, seen.q, seen.v))
    places, known = known_coordinates(seen, work)
    for k in range(n):
        work.turn[:] = seen.turns[k] if len(seen.turns) else 0.0
        work.memory[places] = known[k]
        evaluate(t[k], q[k], v[k], WITH_VELOCITY, system.compiled, packed)
        select_rows(system.compiled, packed)
        found[k] = work.kkt.report[FIRST_WEAK] >= 0
    return found


def natural(solution: Solution, found: dict[str, Channel], weak: np.ndarray) -> dict[str, float]:
    """Natural size by kind, from the channels of a Solution; weak : as of near_singular(), whose loads do not count."""
    system, span = solution.system, float(solution.t[-1] - solution.t[0]) if solution.t.size else 0.0
    L = float(system.length)

    firm = ~np.concatenate([weak, np.zeros(solution.t.size - weak.size, bool)]) | weak.all()

    def largest(*kinds):
        return max(
            (_size(c.values[firm] if c.kind in REACTIONS else c.values) for c in found.values() if c.kind in kinds),
            default=0.0,
        )

    def farthest(*kinds):
        return max((_size(c.values - c.values[:1]) for c in found.values() if c.kind in kinds), default=0.0)

    slow = SLOW * L / max(span, 1e-300)
    V, U = max(largest(VELOCITY, RATE), L * largest(SPIN, TURNING), slow), max(largest(SPEED), slow)
    idle = rest(system)
    F = max(largest(FORCE), largest(MOMENT) / L, idle / L) or 1.0
    return {
        POSITION: L + farthest(POSITION),
        DISPLACEMENT: L + farthest(DISPLACEMENT),
        ROTATION: 1.0,
        ANGLE: 1.0,
        VELOCITY: V,
        RATE: V,
        SPIN: V / L,
        TURNING: V / L,
        FORCE: F,
        MOMENT: F * L,
        ENERGY: float(Course.of(solution).traffic[-1] + idle) or 1.0,
        COORDINATE: L + farthest(COORDINATE),
        SPEED: U,
        TIME: min(L / (U if system.model is None else V), span),
    }


def _size(values):
    flat = values.reshape(len(values), -1)
    sizes = np.linalg.norm(flat, axis=1)
    return float(sizes[np.isfinite(sizes)].max(initial=0.0))


def _of_functions(solution):
    system = solution.system
    found = {name: Channel(COORDINATE, solution.q[:, i]) for i, name in enumerate(position_names(system))}
    return found | {name: Channel(SPEED, solution.v[:, i]) for i, name in enumerate(velocity_names(system))}


def _of_model(solution):
    found, model = {}, solution.system.model
    for body in model.bodies:
        x, R = solution.poses[body]
        found[f"{body}: position"], found[f"{body}: rotation"] = Channel(POSITION, x), Channel(ROTATION, R)
        found[f"{body}: velocity"] = Channel(VELOCITY, solution.velocity(body))
        found[f"{body}: angular velocity"] = Channel(SPIN, solution.angular_velocity(body))
    for name in solution.channels:
        turning = model.coordinate(name).unit == "angle"
        found[name] = Channel(ANGLE if turning else DISPLACEMENT, solution.joint(name))
        found[f"{name}'"] = Channel(TURNING if turning else RATE, solution.joint_velocity(name))
    return found | _reactions(solution)


def _reactions(solution):
    found, several = {}, left_out(solution)
    for joint in solution.system.model.joints.values():
        if joint.name in several:
            continue
        try:
            load = solution.reaction(joint)
        except ModelError:  # it has no rows of its own: a free joint, a linkage
            continue
        found[f"{joint.name}: force"] = Channel(FORCE, load.force)
        found[f"{joint.name}: moment"] = Channel(MOMENT, load.moment)
    return found


def _energies(solution):
    energy = solution.energy
    parts = {"kinetic energy": energy.kinetic, "potential energy": energy.potential, "work": energy.work}
    return {name: Channel(ENERGY, values) for name, values in parts.items()}
