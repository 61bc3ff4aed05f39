"""Poses, velocities and coordinates of the samples, integrals over time, and interpolation between samples."""

from dataclasses import replace

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import ModelError, UncountedTurns, warn
from ..linalg.kkt import evaluate
from ..system.assembler import complete
from ..system.channels import measure_speed, measure_value
from ..system.plane_angles import places_in_plane
from ..system.rotation import in_group
from ..system.state import State
from ..system.tree_map import counted
from ..system.turns import in_plane, kept_joints, known_places, tell_coordinates, tree_places
from ..system.user_joint import user_values


def integral(t, values):
    """Integral from the first sample on, by a cubic spline through the samples: error O(interval^4)."""
    if t.size < 2 or not np.any(values):
        return np.zeros(t.size)
    if t.size < 4:
        return np.concatenate([[0.0], np.cumsum(0.5 * np.diff(t) * (values[1:] + values[:-1]))])
    from scipy.interpolate import CubicSpline

    return CubicSpline(t, values).antiderivative()(t)


def twists(system, q, v, poses):
    """Body name -> (velocity (n, 3) of the reference frame, angular velocity (n, 3)), world axes; ground included."""
    system, _, v = in_group(system, q, v)
    r, found, n = system.record, {}, len(v)
    for b, body in enumerate(system.model.bodies.values()):
        u, R = int(r.column[b, 0]), poses[body.name][1]
        if body.planar:
            zero = np.zeros(n)
            velocity, spin = np.column_stack([v[:, u], v[:, u + 1], zero]), np.column_stack([zero, zero, v[:, u + 2]])
        else:
            velocity, spin = v[:, u : u + 3], np.einsum("nij,nj->ni", R, v[:, u + 3 : u + 6])
        found[body.name] = (velocity - np.cross(spin, R @ body.com), spin)
    found[system.model.ground.name] = (np.zeros((n, 3)), np.zeros((n, 3)))
    return found


def _centred(solution, body):
    """Pose and twist of the centre of mass."""
    x, R = solution.poses[body.name]
    v, w = solution._twists[body.name]
    lever = R @ body.com
    return (x + lever, R), (v + np.cross(w, lever), w)


def coordinate(solution, measure):
    """Values (n,) of a measure. Turns of an angle are known from coordinates, or from what the run has counted; a warning says
    where its steps were too large for that."""
    if measure.kind == "user":
        return _of_users_joint(solution, measure)[0]
    (pose_a, _), (pose_b, _) = (_centred(solution, body) for body in measure.bodies)
    values = measure_value(measure, pose_a, pose_b)
    if measure.kind != "angle" or values.size == 0:
        return values
    near = _turned(solution, measure)
    return _unwrapped(solution, measure, values) if near is None else values + _full_turns(near - values)


def _full_turns(angles):
    """The multiples of 2 pi nearest to angles."""
    return 2 * np.pi * np.round(angles / (2 * np.pi))


def _turned(solution, measure):
    """An angle (n,) with its turns, to less than half a turn; None where nothing has counted them."""
    system = solution.system
    if in_plane(system, measure):
        return _turned_in_plane(solution, measure)
    place = tree_places(system).get(measure)
    if place is not None:
        return solution.q[:, place]
    if measure not in system.angles or not len(solution.totals):
        counted = measure in system.measures and len(solution.turns)  # by a force or driver on it
        return solution.turns[:, system.measures.index(measure)] if counted else None
    number = system.angles.index(measure)
    told = [
        event for event in solution.events if event.kind == "turns" and system.model.coordinate(event.name) == measure
    ]
    if told:
        _warn(
            f"{told[0].text} Turns cannot be counted reliably, the angle is only sure up to multiples of 2 pi. "
            "Take smaller steps."
        )
    return solution.totals[:, number]


def _warn(text):
    warn(text, UncountedTurns)


def _unwrapped(solution, measure, values):
    """An angle (n,) of samples that no run has counted: from sample to sample, with the help of its speed."""
    speed = coordinate_speed(solution, measure)
    expected = 0.5 * np.diff(solution.t) * (speed[1:] + speed[:-1])
    widest = float(np.max(np.diff(solution.t) * np.maximum(np.abs(speed[1:]), np.abs(speed[:-1])), initial=0.0))
    if widest > 2.0:
        _warn(
            f"The joint may turn by {widest:.3g} rad between two samples: turns cannot be counted reliably, the angle is only "
            "sure up to multiples of 2 pi. Ask for more samples."
        )
    return values - np.concatenate([[0.0], np.cumsum(_full_turns(np.diff(values) - expected))])


def _turned_in_plane(solution, measure):
    """An angle (n,) between planar bodies with its turns, as their own coordinates count them."""
    first, sign, *places = places_in_plane(solution.system, measure)
    a, b = (np.zeros(len(solution.q)) if place is None else solution.q[:, place] for place in places)
    return first + sign * (b - a)


def coordinate_speed(solution, measure):
    """Time derivative (n,) of a measure."""
    if measure.kind == "user":
        return _of_users_joint(solution, measure)[1]
    (pose_a, twist_a), (pose_b, twist_b) = (_centred(solution, body) for body in measure.bodies)
    return measure_speed(measure, pose_a, twist_a, pose_b, twist_b)


def _of_users_joint(solution, measure):
    """Values and rates (n,) of a coordinate of a user's joint: the system's own, else nearest to what the run has kept."""
    joint, k = measure.joint, int(measure.parameters[0])
    for i, node in enumerate(solution.system.tree):
        if node.joint is joint:
            tree = solution.system.record.tree
            return solution.q[:, int(tree.q_first[i]) + k], solution.v[:, int(tree.v_first[i]) + k]
    (pose_a, twist_a), (pose_b, twist_b) = (_centred(solution, body) for body in measure.bodies)
    near = users_coordinates(solution).get(joint)
    return user_values(measure, pose_a, pose_b, twist_a, twist_b, near)


def users_coordinates(solution):
    """User's joint -> its coordinates (n, numbers): those of the tree, and those near which the run has kept it."""
    system, found = solution.system, {}
    for i, node in enumerate(system.tree):
        if node.joint is not None and node.joint.kind == "user":
            found[node.joint] = solution.q[:, int(system.record.tree.q_first[i]) :][:, : node.joint.what.numbers]
    first = len(system.angles)
    for joint in kept_joints(system) if len(solution.totals) else ():
        found[joint] = solution.totals[:, first : first + joint.what.numbers]
        first += joint.what.numbers
    return found


def known_coordinates(solution, work):
    """Places (m,) in Work.memory where elements of users' joints look for coordinates, and what a run has kept (n, m)."""
    places, which = known_places(solution.system)
    if not places or not len(solution.totals):
        return np.zeros(0, np.int64), np.zeros((solution.t.size, 0))
    kept = solution.totals[:, len(solution.system.angles) : -1]
    tell_coordinates(solution.system, work, solution.totals[0])
    return np.array(places, np.int64), np.ascontiguousarray(kept[:, which])


def absolute_totals(solution):
    """Totals (n, n_angles + n_kept + 1) of the base of a system in relative coordinates, of which only the coordinates of users'
    joints are known; none where some is not."""
    base, found = solution.system.base, users_coordinates(solution)
    joints, n = kept_joints(base), solution.t.size
    if any(joint not in found for joint in joints):
        return np.zeros((0, 0))
    kept = [found[joint] for joint in joints]
    return np.concatenate([np.zeros((n, len(base.angles))), *kept, np.zeros((n, 1))], axis=1)


def of_bodies(solution):
    """The same samples in absolute coordinates with unit quaternions, without multipliers of a method."""
    system, q, v = in_group(solution.system, solution.q, solution.v)
    if system is solution.system:
        return solution
    turns, totals = solution.turns, solution.totals
    if solution.system.tree:
        turns, totals = counted(system.measures, turns, solution.system.measures), absolute_totals(solution)
    return replace(solution, system=system, q=q, v=v, own_a=None, own_lam=None, turns=turns, totals=totals)


def hermite(s, h, y0, d0, y1, d1):
    """Cubic through values and slopes at both ends of an interval of length h; value and slope at the fraction s."""
    value = (
        (1 + 2 * s) * (1 - s) ** 2 * y0
        + s * (1 - s) ** 2 * h * d0
        + s * s * (3 - 2 * s) * y1
        - s * s * (1 - s) * h * d1
    )
    slope = 6 * s * (1 - s) * (y1 - y0) / h + (1 - s) * (1 - 3 * s) * d0 + s * (3 * s - 2) * d1
    return value, slope


def state_at(solution, t):
    """The State between two samples."""
    times, system = solution.t, solution.system
    if times.size == 0 or not times[0] - 1e-12 <= t <= times[-1] + 1e-12:
        span = f"from {times[0]:g} to {times[-1]:g} s" if times.size else "nowhere"
        raise ModelError(f"t = {t:g} s lies outside the solution, which reaches {span}.")
    k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, max(times.size - 2, 0)))
    left, right = _sample(solution, k), _sample(solution, min(k + 1, times.size - 1))
    for event in (event for event in solution.events if event.q is not None):
        if left.t <= event.t <= t:
            left = _at_event(system, event, left, after=True)
        elif t < event.t <= right.t:
            right = _at_event(system, event, right, after=False)
            break
    if t == left.t or right.t <= left.t:
        return left
    h = right.t - left.t
    s = (t - left.t) / h
    v, _ = hermite(s, h, left.v, left.a, right.v, right.a)
    T0, T1 = system.kinematic_map(left.q), system.kinematic_map(right.q)
    sign = _same_cover(system, left.q, right.q)
    q, _ = hermite(s, h, left.q, T0 @ left.v, sign * right.q, sign * (T1 @ right.v))
    a, lam = (1 - s) * left.a + s * right.a, (1 - s) * left.lam + s * right.lam
    q = _normalised(system, q)
    return State(t, q, v, a, lam, _turns_between(system, left, right, s, t, q, v))


def _turns_between(system, left, right, s, t, q, v):
    """Counted measures of a state at the share s of the way between two others."""
    if left.turn.size == 0 or right.turn.size == 0:
        return np.zeros(system.n_measures)
    work = system.work()
    packed = pack(work)

    def values(t, q, v, near):
        work.turn[:] = near
        evaluate(float(t), q, v, VELOCITY, system.compiled, packed)
        return work.value.copy()

    ends = [values(end.t, end.q, end.v, end.turn) for end in (left, right)]
    return values(t, q, v, (1 - s) * ends[0] + s * ends[1])


def _sample(solution, k):
    """The State of a sample."""
    turn, totals = (x[k].copy() if len(x) else np.zeros(0) for x in (solution.turns, solution.totals))
    q, v, a, lam = (values[k].copy() for values in (solution.q, solution.v, solution.a, solution.lam))
    return State(float(solution.t[k]), q, v, a, lam, turn, totals=totals)


def _at_event(system, event, near, after):
    """The State at an event of a trigger, before or after a reset; turns of angles as in the State `near`."""
    q, v = (event.q_after, event.v_after) if after and event.q_after is not None else (event.q, event.v)
    return complete(system, event.t, q, v, near.turn if near.turn.size else None)


def _same_cover(system, q0, q1):
    """+1 or -1 per coordinate so that both quaternions of a rotation lie on the same side of the sphere."""
    sign = np.ones(system.n_q)
    for o in system.record.turn_q.astype(int):
        part = slice(o, o + 4)
        sign[part] = 1.0 if q0[part] @ q1[part] >= 0.0 else -1.0
    return sign


def _normalised(system, q):
    for o in system.record.turn_q.astype(int):
        q[o : o + 4] /= np.linalg.norm(q[o : o + 4])
    return q
