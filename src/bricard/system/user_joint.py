"""Users' own joints in a system: their numbers for compiled code, their coordinates, and the end of their range of motion."""

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..kernels.user_elimination import SIZE, read_coordinates, read_motion
from ..kernels.user_joint import user_tree_joint
from ..kernels.user_layout import CLEAR, KEPT, LEFT, SIZES, START, STEPPING, S
from .user_start import Start, prepared

MEMORY = SIZE
INSIDE, LIMIT, NOWHERE = range(3)  # of the range; at or beyond its end; where the function gives no numbers
NEAR_LIMIT = 1e-2  # distance to the end of the range, in natural sizes, that tells it from the end of the function
AHEAD = (0.0, *np.geomspace(2e-14, 2e-2, 13))  # how far to look for what has ended a run, in natural sizes


def element_numbers(joint):
    """Numbers of an element: the two frames, then those of the joint."""
    frames = [np.concatenate([frame.point, frame.rotation.ravel()]) for frame in (joint.frame_a, joint.frame_b)]
    return (*frames[0].tolist(), *frames[1].tolist(), *prepared(joint).numbers)


def relative_pose(joint, pose_a, pose_b):
    """d (n, 3) and C (n, 3, 3) of frame b against frame a, from poses of the centres of mass."""
    (x_a, R_a), (x_b, R_b) = pose_a, pose_b
    A, B = joint.frame_a.rotation, joint.frame_b.rotation
    turned = np.swapaxes(R_a @ A, -1, -2)
    gap = x_b + R_b @ joint.frame_b.point - x_a - R_a @ joint.frame_a.point
    return np.einsum("...ij,...j->...i", turned, gap), turned @ (R_b @ B)


def relative_speed(joint, pose_a, pose_b, twist_a, twist_b):
    """Velocities (n, 6) of frame b against frame a: shifts in the axes of A, turns in those of B."""
    (x_a, R_a), (x_b, R_b), (v_a, w_a), (v_b, w_b) = pose_a, pose_b, twist_a, twist_b
    lever, far = R_b @ joint.frame_b.point, x_b + R_b @ joint.frame_b.point - x_a
    shift = v_b + np.cross(w_b, lever) - v_a - np.cross(w_a, far)
    A, B = R_a @ joint.frame_a.rotation, R_b @ joint.frame_b.rotation
    parts = np.einsum("nji,nj->ni", A, shift), np.einsum("nji,nj->ni", B, w_b - w_a)
    return np.concatenate(parts, axis=1)


def coordinates_of(joint, d, C, near=None, speed=None):
    """Coordinates (n, n_q) of poses (n, 3), (n, 3, 3), and their rates (n, n_v) for speeds (n, 6)."""
    found = prepared(joint)
    numbers, n = np.array(found.numbers), len(d)
    mem = np.zeros(MEMORY)
    if near is not None:
        numbers[START : START + len(near)] = near
    pose = np.ascontiguousarray(np.concatenate([d, C.reshape(n, 9)], axis=1), float)
    n_q, n_v = joint.what.numbers, joint.what.freedom
    speed = np.zeros((0, 6)) if speed is None else np.ascontiguousarray(speed, float)
    out, rates = np.zeros((n, n_q)), np.zeros((n, n_v))
    read_coordinates(numbers, mem, pose, speed, out, rates)
    return out, rates


def user_values(measure, pose_a, pose_b, twist_a=None, twist_b=None, near=None):
    """Value and rate of a coordinate of a user's joint for poses and twists of its bodies, as in channels.py; near : (n, n_q)
    where to look for the coordinates of each, the last ones if None."""
    joint, k = measure.joint, int(measure.parameters[0])
    shape = np.shape(pose_a[0])[:-1]
    poses = [(np.reshape(x, (-1, 3)), np.reshape(R, (-1, 3, 3))) for x, R in (pose_a, pose_b)]
    d, C = relative_pose(joint, *poses)
    speed = None
    if twist_a is not None and twist_b is not None:
        twists = [[np.reshape(part, (-1, 3)) for part in twist] for twist in (twist_a, twist_b)]
        speed = relative_speed(joint, *poses, *twists)
    if near is None or speed is None:
        values, rates = coordinates_of(joint, d, C, speed=speed)
    else:
        each = [coordinates_of(joint, d[i : i + 1], C[i : i + 1], near[i], speed[i : i + 1]) for i in range(len(d))]
        values, rates = (np.concatenate(parts) for parts in zip(*each, strict=True))
    return values[:, k].reshape(shape), rates[:, k].reshape(shape)


class Contract(NamedTuple):
    """What the classical routine of spec 001 gives: d (3,), C (3, 3), SDQ and CDQ (3, n), SDTT and CDTT (3,)."""

    SD: np.ndarray
    CD: np.ndarray
    SDQ: np.ndarray
    CDQ: np.ndarray
    SDTT: np.ndarray
    CDTT: np.ndarray


def contract(joint, s, u=None) -> Contract:
    """Pose, velocity coefficients and acceleration rest of a user's joint, as compiled code has them; reached from its start."""
    numbers, mem, n = np.array(prepared(joint).numbers), np.zeros(MEMORY), joint.what.freedom
    d, C, motion, bias = np.zeros(3), np.zeros(9), np.zeros(6 * n), np.zeros(6)
    s, u = np.atleast_1d(np.asarray(s, float)), np.zeros(n) if u is None else np.atleast_1d(np.asarray(u, float))
    if not read_motion(numbers, mem, s, u, d, C, motion, bias):
        limit = _shown(joint, _limit(joint, *_nearest(joint, s)[0]))
        raise ModelError(
            f'Joint "{joint.name}" has no pose at {_shown(joint, s)}: its range of motion ends at {limit} '
            "(a little before, the pose follows its coordinate no more). Stay inside; absolute coordinates pass such limits."
        )
    rows = motion.reshape(n, 6)
    return Contract(d, C.reshape(3, 3), rows[:, :3].T, rows[:, 3:].T, bias[:3], bias[3:])


def watch_steps(system, work, on):
    """While a run takes steps, users' joints of the tree look out for those that leap across the end of their range."""
    for i, node in enumerate(system.tree):
        if node.joint is not None and node.joint.kind == "user":
            work.branch.memory[int(system.record.tree.memory[i]) + STEPPING] = float(on)


def range_end(system, q, v):
    """What to say of an implicit joint of the tree that comes to the end of its range with q (n_q,) and v (n_v,), or None."""
    for joint, s, ways in _ahead(_of_the_tree(system, q, v)):
        for way in ways if joint.what.kind == "implicit" else ():
            pose, place = _nearest(joint, Start(joint).advanced(s, way))
            if place == LIMIT:
                limit, left = _limit(joint, *pose), ""
                if joint.what.freedom == 1:
                    left = f" but for {abs(limit[0] - s[0]):.2g} {'m' if joint.units[0] == 'length' else 'rad'}"
                return f'joint "{joint.name}" has come to {_shown(joint, limit)}{left}'
    return None


def obstacle(system, q, v):
    """A sentence on what the function of a user's joint meets with q (n_q,) and v (n_v,), or nothing."""
    for joint, s, ways in _ahead([*_of_the_tree(system, q, v), *_between_bodies(system, q, v)]):
        start = Start(joint)
        for way in ways:
            ends, turns = _ends(start, s, start.advanced(s, way))
            if ends:
                return (
                    f' Joint "{joint.name}" stands at {_shown(joint, s)}, where its own function ends: beyond, it gives no '
                    "numbers. Stay inside of its range, or continue the function."
                )
            if turns:
                return (
                    f' Joint "{joint.name}" comes to a singular transmission at {_shown(joint, s)}: its pose does not follow its '
                    "coordinates there. Take coordinates that move it everywhere, or stay away."
                )
    return ""


def _ends(start, s, ahead):
    """Whether a function gives no numbers at the coordinates `ahead` of s, and whether its motion turns over on the way."""
    if start.kind == "implicit":
        return _nearest(start.joint, ahead)[1] == NOWHERE, False
    here, there = _motion(start, s), _motion(start, ahead)
    if not (np.isfinite(here).all() and np.isfinite(there).all()):
        return True, False
    return False, np.linalg.det(here @ there.T) <= 0.0


def _of_the_tree(system, q, v):
    """Users' joints that carry coordinates of a system, with their s and u at q and v."""
    for i, node in enumerate(system.tree):
        joint, tree = node.joint, system.record.tree
        if joint is not None and joint.kind == "user":
            s, u = (x[int(first[i]) : int(first[i + 1])] for x, first in ((q, tree.q_first), (v, tree.v_first)))
            yield joint, s, u


def _between_bodies(system, q, v):
    """Users' joints that are constraints of a system, with their s and u at q and v."""
    from .rotation import in_group
    from .tree_map import places

    carried = {node.joint.name for node in system.tree if node.joint is not None}
    joints = {} if system.model is None else system.model.joints
    joints = [joint for name, joint in joints.items() if joint.kind == "user" and name not in carried]
    if not joints or not (np.isfinite(q).all() and np.isfinite(v).all()):
        return
    base, positions, velocities = in_group(system, q[None], v[None])
    found = places(base, positions[0], velocities[0])
    for joint in joints:
        sides = [[part[None] for part in found[frame.body]] for frame in (joint.frame_a, joint.frame_b)]
        bodies = [side[:2] for side in sides]
        speed = relative_speed(joint, *bodies, *(side[2:] for side in sides))
        s, u = coordinates_of(joint, *relative_pose(joint, *bodies), speed=speed)
        yield joint, s[0], u[0]


def _ahead(joints):
    """With the ways (n_v,) ahead of joints, to both sides of those at rest; only those with numbers."""
    for joint, s, u in joints:
        if not np.isfinite(s).all():
            continue
        sizes = np.array(prepared(joint).numbers[SIZES : SIZES + len(u)])
        speed = np.abs(u / sizes).max(initial=0.0)
        moving = np.isfinite(speed) and speed > 0.0
        along = [u / speed] if moving else [side * row * sizes for row in np.eye(len(u)) for side in (1.0, -1.0)]
        yield joint, s, [way * one for way in AHEAD for one in along]


def _motion(start, s):
    """Rows (n_v, 6) of the motion of a function of the coordinates, in lengths; no numbers where it has none."""
    try:
        with np.errstate(all="ignore"):
            d, C = start.pose(s)
            whole = np.isreal(d).all() and np.isreal(C).all() and np.isfinite(d).all() and np.isfinite(C).all()
            return start.motion(s) * np.repeat([1.0, start.length], 3) if whole else np.full((start.n_v, 6), np.nan)
    except (ArithmeticError, ValueError):
        return np.full((start.n_v, 6), np.nan)


def _nearest(joint, s):
    """Pose and coordinates (d, C, s) nearest to s that an implicit joint reaches from its start, and where s lies."""
    numbers, mem, n = np.array(prepared(joint).numbers), np.zeros(MEMORY), joint.what.freedom
    d, C, rest = np.zeros(3), np.zeros(9), (np.zeros(6 * n), np.zeros(6))
    found = read_motion(numbers, mem, np.asarray(s, float), np.zeros(n), d, C, *rest)
    pose = d.copy(), C.reshape(3, 3).copy(), mem[S : S + len(s)].copy()
    if found:
        return pose, LIMIT if abs(mem[LEFT]) <= CLEAR else INSIDE if np.isfinite(mem[LEFT]) else NOWHERE
    known = read_motion(numbers, mem, pose[2], np.zeros(n), d, C, *rest)
    return pose, LIMIT if known and abs(mem[LEFT]) < NEAR_LIMIT else NOWHERE


def _limit(joint, d, C, s):
    """Coordinates at the end of the range of motion near a pose: exactly where one coordinate turns back, h_x phi = 0."""
    if joint.what.freedom == 1:
        start = Start(joint)
        start.d, start.C, start.s = d, C, s.copy()
        start.turn_back()
        s = start.s
    return s


def _shown(joint, s):
    return ", ".join(f"{name} = {x:.10g}" for name, x in zip(joint.what.coordinates, s, strict=False))


def tree_motion(joint, reverse, planar):
    """The TreeJoint of a user's joint; none where its second body is the parent."""
    from .tree_joints import TreeJoint

    if reverse or planar:
        return None

    def coordinates(d, C, near):
        return coordinates_of(joint, d[None], C[None], near)[0][0]

    frames = [(np.asarray(f.point), np.asarray(f.rotation)) for f in (joint.frame_a, joint.frame_b)]
    return TreeJoint(
        user_tree_joint,
        frames[0],
        frames[1],
        np.zeros((joint.what.freedom, 6)),
        joint.labels,
        joint.units,
        coordinates,
        joint.what.ball,
        prepared(joint).numbers,
        KEPT,
    )
