"""Users' own joints in a system: their numbers for compiled code, their coordinates, and the end of their range of motion."""

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..kernels.user_elimination import SIZE, read_coordinates, read_motion
from ..kernels.user_joint import user_tree_joint
from ..kernels.user_layout import KEPT, START, S
from .user_start import Start, prepared

MEMORY = SIZE
NEAR_END = 0.1  # share of the distance at the start, below which a run has ended because a range of motion did


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


def user_values(measure, pose_a, pose_b, twist_a=None, twist_b=None, near=None):
    """Value and rate of a coordinate of a user's joint for poses and twists of its bodies, as in channels.py; near : (n, n_q)
    where to look for the coordinates of each, the last ones if None."""
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
        asked = ", ".join(f"{name} = {x:.9g}" for name, x in zip(joint.what.coordinates, s, strict=False))
        raise ModelError(
            f'Joint "{joint.name}" has no pose at {asked}: its range of motion ends at {_limit(joint, *_nearest(joint, s)[0])} '
            "(a little before, the pose follows its coordinate no more). Stay inside; absolute coordinates pass such limits."
        )
    rows = motion.reshape(n, 6)
    return Contract(d, C.reshape(3, 3), rows[:, :3].T, rows[:, 3:].T, bias[:3], bias[3:])


def range_end(system, q):
    """What to say of a joint of the tree that stands at the end of its range of motion at q (n_q,), or None."""
    for i, node in enumerate(system.tree):
        joint = node.joint
        if joint is None or joint.kind != "user" or joint.what.kind != "implicit" or not np.isfinite(q).all():
            continue
        s = q[int(system.record.tree.q_first[i]) : int(system.record.tree.q_first[i + 1])]
        start, (d, C, there), beyond = Start(joint), *_nearest(joint, s)
        start.close()
        if beyond or _distance(start.slopes(d, C, there)[0]) < NEAR_END * _distance(
            start.slopes(start.d, start.C, start.s)[0]
        ):
            return f'joint "{joint.name}" has come to {_limit(joint, d, C, there)}'
    return None


def _nearest(joint, s):
    """Pose and coordinates (d, C, s) nearest to s that a joint reaches on the way from its start, and whether s lies beyond."""
    numbers, mem, n = np.array(prepared(joint).numbers), np.zeros(MEMORY), joint.what.freedom
    d, C = np.zeros(3), np.zeros(9)
    found = read_motion(numbers, mem, np.asarray(s, float), np.zeros(n), d, C, np.zeros(6 * n), np.zeros(6))
    return (d, C.reshape(3, 3), mem[S : S + len(s)].copy()), not found


def _limit(joint, d, C, s):
    """The end of the range of motion near a pose, in words: exactly where one coordinate turns back, h_x phi = 0."""
    names = joint.what.coordinates
    if joint.what.freedom == 1:
        start = Start(joint)
        start.d, start.C, start.s = d, C, s.copy()
        start.turn_back()
        s = start.s
    return ", ".join(f"{name} = {x:.10g}" for name, x in zip(names, s, strict=False))


def _distance(hx):
    """Smallest singular value of rows of equal size: how far the pose is from not following the coordinates."""
    return np.linalg.svd(hx / np.linalg.norm(hx, axis=1)[:, None], compute_uv=False)[-1]


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
