"""Users' own joints in a system: their numbers for compiled code, their coordinates, and the end of their range of motion."""

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..kernels.user_elimination import SIZE, read_coordinates, read_motion
from ..kernels.user_joint import user_tree_joint
from ..kernels.user_layout import CLEAR, KEPT, LEFT, SIZES, START, S
from .user_start import Start, prepared

MEMORY = SIZE
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


def user_values(measure, pose_a, pose_b, twist_a=None, twist_b=None):
    """Value and rate of a coordinate of a user's joint for poses and twists of its bodies, as in channels.py."""
    joint, k = measure.joint, int(measure.parameters[0])
    shape = np.shape(pose_a[0])[:-1]
    poses = [(np.reshape(x, (-1, 3)), np.reshape(R, (-1, 3, 3))) for x, R in (pose_a, pose_b)]
    d, C = relative_pose(joint, *poses)
    speed = None
    if twist_a is not None and twist_b is not None:
        (x_a, R_a), (x_b, R_b) = poses
        (v_a, w_a), (v_b, w_b) = ([np.reshape(part, (-1, 3)) for part in twist] for twist in (twist_a, twist_b))
        lever, far = R_b @ joint.frame_b.point, x_b + R_b @ joint.frame_b.point - x_a
        shift = v_b + np.cross(w_b, lever) - v_a - np.cross(w_a, far)
        A, B = R_a @ joint.frame_a.rotation, R_b @ joint.frame_b.rotation
        parts = np.einsum("nji,nj->ni", A, shift), np.einsum("nji,nj->ni", B, w_b - w_a)
        speed = np.concatenate(parts, axis=1)
    values, rates = coordinates_of(joint, d, C, speed=speed)
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


def range_end(system, q, v):
    """What to say of an implicit joint of the tree that comes to the end of its range with q (n_q,) and v (n_v,), or None."""
    for joint, s, ways in _on_the_way(system, q, v):
        for way in ways if joint.what.kind == "implicit" else ():
            pose, beyond = _nearest(joint, Start(joint).advanced(s, way))
            if beyond:
                limit, left = _limit(joint, *pose), ""
                if joint.what.freedom == 1:
                    left = f" but for {abs(limit[0] - s[0]):.2g} {'m' if joint.units[0] == 'length' else 'rad'}"
                return f'joint "{joint.name}" has come to {_shown(joint, limit)}{left}'
    return None


def obstacle(system, q, v):
    """A sentence on what a joint of the tree with a function of its coordinates meets with q (n_q,) and v (n_v,), or nothing."""
    for joint, s, ways in _on_the_way(system, q, v):
        if joint.what.kind == "implicit":
            continue
        start = Start(joint)
        here, shown = _motion(start, s), _shown(joint, s)
        for way in ways:
            there = _motion(start, start.advanced(s, way))
            if not np.isfinite(there).all():
                return (
                    f' Joint "{joint.name}" stands at {shown}, where its own function ends: beyond, it gives no numbers. Stay '
                    "inside of its range, or continue the function."
                )
            if np.linalg.det(here @ there.T) <= 0.0:
                return (
                    f' Joint "{joint.name}" comes to a singular transmission at {shown}: its pose does not follow its '
                    "coordinates there, which are without mass. Take coordinates that move it everywhere, or stay away."
                )
    return ""


def _on_the_way(system, q, v):
    """Users' joints of the tree, their coordinates at q, and ways (n_v,) ahead of them; to both sides of those at rest."""
    if not np.isfinite(q).all():
        return
    for i, node in enumerate(system.tree):
        joint, tree = node.joint, system.record.tree
        if joint is None or joint.kind != "user":
            continue
        s, u = (x[int(first[i]) : int(first[i + 1])] for x, first in ((q, tree.q_first), (v, tree.v_first)))
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
    """Pose and coordinates (d, C, s) nearest to s that a joint reaches on the way from its start, and whether s lies beyond."""
    numbers, mem, n = np.array(prepared(joint).numbers), np.zeros(MEMORY), joint.what.freedom
    d, C = np.zeros(3), np.zeros(9)
    found = read_motion(numbers, mem, np.asarray(s, float), np.zeros(n), d, C, np.zeros(6 * n), np.zeros(6))
    return (d, C.reshape(3, 3), mem[S : S + len(s)].copy()), not found or abs(mem[LEFT]) <= CLEAR


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
