"""What two runs cannot find out by agreeing: whether the model that they share is sound along the motion.

Each check looks at the samples of one run, by means that its formulation and its integrator have not used:

* closure: residuals of all joints alone, on the poses of the bodies; of users' joints by their own function in plain Python;
* derivatives: G, Gv + Phi_t and gamma of each row against differences of the residuals, poses against velocities;
* energy: the balance of the run's ledger, the kinetic energy by hand, and that joints which nothing drives take no power.

A wrong derivative gives two runs the same wrong motion. Differences are taken with several steps, and the best one counts: one
step may straddle a corner of a function or drown in round-off, a wrong derivative is wrong with all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..balance import Course
from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import largest
from ..linalg.kkt import evaluate
from ..solution.motion import known_coordinates, of_bodies, twists, users_coordinates
from ..solution.solution import Solution
from ..system.channels import poses
from ..system.user_joint import coordinates_of, relative_pose
from ..system.user_joint_check import axial
from ..system.user_start import Start
from .courses import ENERGY, FORCE, SPIN, TIME
from .courses import VELOCITY as SPEED

PLACES = 12  # samples at which derivatives are compared
STEPS = (1e-2, 1e-3, 1e-4, 1e-5)  # of differences, in natural sizes
WAYS = 4  # directions at each of them, besides that of the motion
NO_FINER = 1e-8  # differences of fourth order are no better than this, where a function bends strongly


class Check(NamedTuple):
    """What was looked at, whether it holds, a sentence, and by how much it is off, in natural sizes."""

    name: str
    ok: bool
    sentence: str
    share: float


class Found(NamedTuple):
    """The largest share of what is allowed to be wrong, where, and in words."""

    share: float
    words: str


def checks(solution: Solution, sizes: dict[str, float], accuracy: float) -> tuple[Check, ...]:
    """All checks of one run; sizes : as of courses.natural()."""
    has_bodies = solution.system.model is not None
    found = [Found(0.0, ""), *_closure(solution, sizes)]
    found += _by_own_function(solution) if has_bodies else []
    closed = _judged("closure", found, accuracy, "All residuals vanish along the motion")
    found = [Found(0.0, ""), *_derivatives(solution, sizes)]
    found += _velocities(solution, sizes) if has_bodies and solution.system.tree else []
    sloped = _judged("derivatives", found, max(accuracy, NO_FINER), "Derivatives are those of the functions")
    found = [_balance(solution, sizes)]
    found += [_kinetic(solution, sizes), *_powers(solution, sizes)] if has_bodies else []
    return closed, sloped, _judged("energy", found, accuracy, "The energy balances")


def _judged(name, found, allowed, fine):
    worst = found[largest([entry.share for entry in found])]
    if worst.share <= allowed:
        return Check(name, True, f"{fine}, to {worst.share:.1e}.", worst.share)
    return Check(name, False, f"{worst.words}.", worst.share)


# closure


def _closure(solution, sizes):
    """Residuals of position and velocity of all rows, on the poses of the bodies."""
    seen = of_bodies(solution)
    look = Look(seen)
    if not seen.system.n_rows:
        return
    every = [look.at(k)(seen.t[k], seen.q[k], seen.v[k]) for k in range(seen.t.size)]
    time = sizes[TIME]
    for level, unit in ((0, 1.0), (1, time)):
        values = np.array([rows[level] for rows in every]) * unit
        k, row = np.unravel_index(largest(values), values.shape)
        what = "is open" if level == 0 else "slips"
        share = float(abs(values[k, row]))
        words = f"{seen.system.row_name(row)} {what} by {share:.2g} natural sizes at t = {seen.t[k]:.6g} s"
        yield Found(share if np.isfinite(share) else np.inf, words)


def _by_own_function(solution):
    """Users' joints: the pose that their function gives in plain Python, against that of the bodies."""
    for joint, near in users_coordinates(solution).items():
        start = Start(joint)
        placed = [_centred(solution, frame.body) for frame in (joint.frame_a, joint.frame_b)]
        d, C = relative_pose(joint, *placed)
        for k in _some(solution):
            s = coordinates_of(joint, d[k : k + 1], C[k : k + 1], near[k])[0][0]
            share = _gap(start, d[k], C[k], s)
            words = (
                f'The function of joint "{joint.name}", called in plain Python at t = {solution.t[k]:.6g} s, is off by '
            )
            yield Found(share, f"{words}{share:.2g} lengths or radians from the pose of the bodies")


def _gap(start, d, C, s):
    """How far a pose is from what the function of a user's joint says, in lengths and radians."""
    try:
        if start.kind == "implicit":
            return float(np.abs(start.closure(d, C, s)).max() / start.length)
        d_s, C_s = start.pose(s)
    except (ArithmeticError, ValueError):
        return np.inf
    turned = np.abs(C_s.T @ C_s - np.eye(3)).max()
    gap = max(np.abs(d - d_s).max() / start.length, np.abs(C - C_s).max(), turned)
    return float(gap) if np.isfinite(gap) else np.inf


def _centred(solution, body):
    x, R = solution.poses[body.name]
    return x + R @ body.com, R


# derivatives


class Look:
    """Scaled residuals of position and velocity of a Solution's system, near its samples."""

    def __init__(self, solution: Solution):
        self.solution, self.system = solution, solution.system
        self.work, self.turn = self.system.work(), np.zeros(self.system.n_measures)
        self.packed, self.known = pack(self.work), np.zeros(0)
        self.places, self.coordinates = known_coordinates(solution, self.work)

    def at(self, k: int) -> Look:
        """Count turns, and look for coordinates of users' joints, as at a sample."""
        if len(self.solution.turns):
            self.turn = self.solution.turns[k]
        self.known = self.coordinates[k]
        return self

    def __call__(self, t, q, v):
        """Phi and its rate, (n_rows,) each; that of a nonholonomic row has no position."""
        work, scale = self.work, self.system.record.row_scale
        work.turn[:] = self.turn
        work.memory[self.places] = self.known
        q, v = (np.array(x, float, order="C") for x in (q, v))
        evaluate(float(t), q, v, VELOCITY, self.system.compiled, self.packed)
        return work.phi * scale, work.phi_dot * scale

    @property
    def gamma(self):
        """Scaled gamma (n_rows,) where it was called last."""
        return self.work.gamma * self.system.record.row_scale

    def along(self, way):
        """Scaled G w (n_rows,) where it was called last, for w (n_v,)."""
        r, out = self.system.record, np.zeros(self.system.n_rows)
        inside = r.g_column < r.n_v
        np.add.at(out, r.g_row[inside].astype(int), self.work.g[inside] * way[r.g_column[inside].astype(int)])
        return out * r.row_scale


def _derivatives(solution, sizes):
    """G along some directions, the rate of the residuals, and gamma, against differences of the residuals."""
    look, system = Look(solution), solution.system
    if not system.n_rows or not solution.t.size:
        return
    rng, time = np.random.default_rng(11), sizes[TIME]
    natural = np.where(system.translations, system.length, 1.0)
    held = system.record.velocity_level == 0
    for k in _some(solution):
        t, q, v = solution.t[k], solution.q[k], solution.v[k]
        look.at(k)(t, q, v)
        rate, gamma = look.work.phi_dot * system.record.row_scale * time, look.gamma * time**2
        ways = [natural * way / np.linalg.norm(way) for way in rng.normal(size=(WAYS, system.n_v))]
        slopes = [look.along(way) for way in ways]

        def moved(s, way, level, t=t, q=q, v=v):
            if level == 0:
                return look(t, system.retract(q, s * way), v)[0]
            return look(t, q, v + s / time * way)[1] * time  # nonholonomic rows: by velocities

        def path(s, level, t=t, q=q, v=v):
            return look(t + s * time, system.retract(q, s * time * v), v)[level] * time**level

        pairs = [("the derivative", s, lambda s, w=w: moved(s, w, 0), held) for w, s in zip(ways, slopes, strict=True)]
        pairs += [("G", s, lambda s, w=w: moved(s, w, 1), ~held) for w, s in zip(ways, slopes, strict=True)]
        pairs += [
            ("the velocity", rate, lambda s: path(s, 0), held),
            ("-gamma", -gamma, lambda s: path(s, 1), np.ones_like(held)),
        ]
        for words, given, function, rows in pairs:
            yield _row_found(solution, k, words, given, function, rows)


def _row_found(solution, k, words, given, function, rows):
    off, best = _differences(given, function)
    off = np.where(rows, off, 0.0)
    row = largest(off)
    share = float(off[row])
    name = solution.system.row_name(row)
    return Found(
        share,
        f"At t = {solution.t[k]:.6g} s {words} of {name} is {given[row]:.8g} (scaled), but {best[row]:.8g} by differences of "
        "its residual",
    )


def _differences(given, function):
    """How far given slopes (n,) are from differences of a function (n,) at 0, as a share of 1 + their size; the best of these."""
    off, best = np.full(given.shape, np.inf), np.full(given.shape, np.nan)
    for h in STEPS:
        with np.errstate(all="ignore"):
            far, near = function(2.0 * h) - function(-2.0 * h), function(h) - function(-h)
            slope = (8.0 * near - far) / (12.0 * h)
            gap = np.abs(slope - given) / (1.0 + np.maximum(np.abs(given), np.abs(slope)))
        better = gap < off
        off, best = np.where(better, gap, off), np.where(better, slope, best)
    return off, best


def _velocities(solution, sizes):
    """In relative coordinates: velocities of the bodies against differences of their poses along the motion."""
    system, time = solution.system, sizes[TIME]
    for k in _some(solution):
        q, v = solution.q[k], solution.v[k]
        here = poses(system, q[None])
        twist = twists(system, q[None], v[None], here)
        names = list(system.model.bodies)
        given = np.concatenate(
            [np.concatenate([twist[n][0][0] / sizes[SPEED], twist[n][1][0] / sizes[SPIN]]) for n in names]
        )

        def placed(s, q=q, v=v, here=here, names=names):
            there = poses(system, system.retract(q, s * time * v)[None])
            turned = [axial(there[n][1][0] @ here[n][1][0].T) for n in names]
            parts = zip(names, turned, strict=True)
            return (
                np.concatenate([np.concatenate([there[n][0][0] / sizes[SPEED], w / sizes[SPIN]]) for n, w in parts])
                / time
            )

        off, best = _differences(given, placed)
        worst = largest(off)
        words = f'At t = {solution.t[k]:.6g} s the velocity of body "{names[worst // 6]}" is {given[worst]:.8g} of the largest, '
        yield Found(float(off[worst]), f"{words}but {best[worst]:.8g} by differences of its pose")


def _some(solution):
    """Samples to be looked at, spread over the motion; not its very ends, where a function of time may have one side only."""
    last = solution.t.size - 1
    return np.unique(np.linspace(min(1, last), max(last - 1, 0), PLACES).astype(int))


# energy


def _balance(solution, sizes):
    course = Course.of(solution)
    with np.errstate(all="ignore"):
        off = np.abs(course.moved) / sizes[ENERGY]
    k = largest(off)
    share = float(off[k]) if np.isfinite(off[k]) else np.inf
    words = f"Up to t = {course.t[k]:.6g} s {course.moved[k]:.2g} J of {sizes[ENERGY]:.3g} J appear that no force accounts for"
    return Found(share, words)


def _kinetic(solution, sizes):
    """Kinetic energy from velocities of the bodies, by hand."""
    total = np.zeros(solution.t.size)
    for name, body in solution.system.model.bodies.items():
        R, w = solution.poses[name][1], solution.angular_velocity(name)
        speed, spin = solution.velocity(name, body.com), np.einsum("nji,nj->ni", R, w)
        total += 0.5 * (body.mass * (speed**2).sum(axis=1) + np.einsum("ni,ij,nj->n", spin, body.inertia, spin))
    off = np.abs(total - solution.energy.kinetic) / sizes[ENERGY]
    share = float(off.max(initial=0.0))
    return Found(share, f"The kinetic energy of the bodies, by hand, is off by {share:.2g} of the energy in motion")


def _powers(solution, sizes):
    """Power that the reactions of joints take on both bodies together, where nothing drives them."""
    seen, powers = of_bodies(solution), {}
    look = Look(seen)
    driven = set()
    for k in _some(solution):
        look.at(k)(seen.t[k], seen.q[k], seen.v[k])
        driven |= {seen.system.rows[row].joint for row in np.flatnonzero(look.work.phi_t)}
    with_rows = {row.joint for row in seen.system.rows} - driven
    for name in sorted(with_rows & set(solution.system.model.joints)):
        joint = solution.system.model.joints[name]
        power = sum(_power(solution, joint, body) for body in dict.fromkeys(joint.bodies))
        powers[name] = np.abs(power) / (sizes[FORCE] * sizes[SPEED])
    for name, power in powers.items():
        k = largest(power)
        share = float(power[k]) if np.isfinite(power[k]) else np.inf
        words = f'The reactions of joint "{name}", which nothing drives, have a power at t = {solution.t[k]:.6g} s, '
        yield Found(share, f"{words}{share:.2g} of the largest force times the largest speed")


def _power(solution, joint, body):
    load = solution.reaction(joint, body)
    if body.is_ground:
        return np.zeros(solution.t.size)
    x, _ = solution.poses[body.name]
    spin = solution.angular_velocity(body)
    speed = solution.velocity(body) + np.cross(spin, load.point - x)
    return (load.force * speed).sum(axis=1) + (load.moment * spin).sum(axis=1)
