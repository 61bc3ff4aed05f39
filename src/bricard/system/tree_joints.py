"""Which joints can hang a body on its parent in relative coordinates, and with which coordinates.

How to add one: write a kernel with the signature TREE_JOINT (kernels/tree_joints.py, docs/signatures.md) and a function of a
joint that makes its `TreeJoint`; add it to TREE_JOINTS under the joint's kind. Joints that are not there are cut: their rows are
imposed on the coordinates of the others.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..compiled.pointers import Pointer
from ..kernels import tree_joints as kernels
from .user_joint import tree_motion

UP, FLAT = np.array([0.0, 0.0, 1.0]), 1e-9
LENGTH, ANGLE = "length", "angle"
Placing = tuple[np.ndarray, np.ndarray]  # point, axes as columns


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """How frame B of a body stands to frame A of its parent, by joint coordinates.

    kernel : with the signature TREE_JOINT. frame_a, frame_b : point (3,) from the centre of mass and axes (3, 3) as columns, in
    body axes. motion : (n_v, 6), S where it is constant, at the start otherwise: rows (d', w) in the axes of A for each
    velocity. labels, units : one per velocity; "length" or "angle". quaternion : the last three velocities are an angular
    velocity in the axes of B, and the last four coordinates its unit quaternion; all others have q' = v.
    coordinates(d, C, near) : q (n_q,) of a pose, nearest to `near` (n_q,) where turns or branches leave a choice; near is None
    at the start. parameters : numbers for the kernel. memory : how many numbers of its own it keeps from one call to the next.
    """

    kernel: Pointer
    frame_a: Placing
    frame_b: Placing
    motion: np.ndarray
    labels: tuple[str, ...]
    units: tuple[str, ...]
    coordinates: Callable[[np.ndarray, np.ndarray, np.ndarray | None], np.ndarray]
    quaternion: bool = False
    parameters: tuple[float, ...] = ()
    memory: int = 0

    @property
    def n_v(self) -> int:
        """Number of velocities."""
        return len(self.labels)

    @property
    def n_q(self) -> int:
        """Number of coordinates."""
        return len(self.labels) + int(self.quaternion)


def tree_joint(joint, reverse, planar):
    """The TreeJoint of a joint, or None if it cannot be one.

    reverse : its second body is the parent. planar : both bodies move in the plane only.
    """
    make = TREE_JOINTS.get(joint.kind)
    return None if make is None else make(joint, reverse, planar)


def free_joint(body):
    """The TreeJoint of a body that hangs on nothing: as in absolute coordinates."""
    here = np.zeros(3), np.eye(3)
    return gliding(here, here) if body.planar else floating(here, here)


def _frames(joint, reverse) -> tuple[Placing, Placing]:
    """Frames of parent and body."""
    first, second = (joint.frame_b, joint.frame_a) if reverse else (joint.frame_a, joint.frame_b)
    return _placing(first), _placing(second)


def _placing(frame):
    return np.asarray(frame.point), np.column_stack([frame.x, frame.y, frame.z])


def _upright(frames):
    """The frames with z out of the plane, and -1 where that turns them over; None where they are tilted."""
    found, side = [], 0.0
    for point, axes in frames:
        way = axes[2, 2]
        if abs(abs(way) - 1.0) > FLAT or side not in (0.0, np.sign(way)):
            return None
        side = np.sign(way)
        found.append((point, axes * np.array([1.0, side, side])))
    return found[0], found[1], side


def _nearest(angle, near):
    """The angle plus full turns nearest to another one."""
    return angle if near is None else angle + 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi))


def _covered(quaternion, near):
    """The quaternion on the side of the sphere nearest to another one."""
    return quaternion if near is None or quaternion @ near >= 0.0 else -quaternion


def revolute(joint, reverse, planar):
    """One angle about z."""
    frames, way = _frames(joint, reverse), -1.0 if reverse else 1.0
    if planar:
        upright = _upright(frames)
        if upright is None:
            return None
        frames, way = upright[:2], way * upright[2]

    def coordinates(d, C, near):
        return np.array([_nearest(way * np.arctan2(C[1, 0], C[0, 0]), None if near is None else near[0])])

    motion = np.array([[0, 0, 0, 0, 0, way]], float)
    return TreeJoint(kernels.turning, *frames, motion, ("angle",), (ANGLE,), coordinates)


def prismatic(joint, reverse, planar):
    """One displacement along z of frame a."""
    (point_a, A), (point_b, B) = _frames(joint, reverse)
    direction = -UP if reverse else UP
    if planar:
        if abs(A[2, 2]) > FLAT:
            return None
        direction, A, B = A @ direction, np.eye(3), B @ A.T  # axes of the bodies, with z out of the plane
        if abs(B[2, 2] - 1.0) > FLAT:
            return None

    def coordinates(d, C, near):
        return np.array([d @ direction])

    motion = np.concatenate([direction, np.zeros(3)])[None, :]
    labels = ("displacement",)
    return TreeJoint(kernels.sliding, (point_a, A), (point_b, B), motion, labels, (LENGTH,), coordinates)


def cylindrical(joint, reverse, planar):
    """A displacement along z and an angle about it."""
    if planar:
        return None
    way = -1.0 if reverse else 1.0

    def coordinates(d, C, near):
        angle = way * np.arctan2(C[1, 0], C[0, 0])
        return np.array([way * d[2], _nearest(angle, None if near is None else near[1])])

    motion = way * np.array([[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]], float)
    labels, units = ("displacement", "angle"), (LENGTH, ANGLE)
    return TreeJoint(kernels.turning_and_sliding, *_frames(joint, reverse), motion, labels, units, coordinates)


def universal(joint, reverse, planar):
    """Two angles: of the cross against the parent, of the body against the cross; backwards if the parent is the second body."""
    if planar:
        return None
    way = -1.0 if reverse else 1.0

    def coordinates(d, C, near):
        angles = way * np.arctan2(C[1, 2], C[0, 2]), way * np.arctan2(-C[2, 1], C[2, 0])
        return np.array([_nearest(angle, None if near is None else near[i]) for i, angle in enumerate(angles)])

    motion = way * np.array([[0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0]], float)
    labels = ("angle_b", "angle_a") if reverse else ("angle_a", "angle_b")
    return TreeJoint(kernels.crossing, *_frames(joint, reverse), motion, labels, (ANGLE,) * 2, coordinates)


def spherical(joint, reverse, planar):
    """A unit quaternion; in the plane one angle."""
    frames = _frames(joint, reverse)
    if planar:
        frames = (frames[0][0], np.eye(3)), (frames[1][0], np.eye(3))

        def turn(d, C, near):
            return np.array([_nearest(np.arctan2(C[1, 0], C[0, 0]), None if near is None else near[0])])

        return TreeJoint(kernels.turning, *frames, np.eye(6)[5:], ("turn",), (ANGLE,), turn)

    def coordinates(d, C, near):
        return _covered(_quaternion(C), near)

    motion, labels = np.eye(6)[3:], ("wx", "wy", "wz")
    return TreeJoint(kernels.rolling_ball, *frames, motion, labels, (ANGLE,) * 3, coordinates, quaternion=True)


def gliding(frame_a, frame_b, reverse=False):
    """x, y and an angle; reverse : the angle is that of the parent against the body, as its joint counts it."""
    way, shifts = (-1.0, ("x of the first body", "y of the first body")) if reverse else (1.0, ("x", "y"))

    def coordinates(d, C, near):
        angle = way * np.arctan2(C[1, 0], C[0, 0])
        return np.array([d[0], d[1], _nearest(angle, None if near is None else near[2])])

    motion, labels = np.diag([1, 1, 0, 0, 0, way])[[0, 1, 5]], (*shifts, "angle")
    return TreeJoint(kernels.gliding, frame_a, frame_b, motion, labels, (LENGTH, LENGTH, ANGLE), coordinates)


def floating(frame_a, frame_b):
    """x, y, z and a unit quaternion."""

    def coordinates(d, C, near):
        return np.concatenate([d, _covered(_quaternion(C), None if near is None else near[3:])])

    labels, units = ("x", "y", "z", "wx", "wy", "wz"), (LENGTH,) * 3 + (ANGLE,) * 3
    return TreeJoint(kernels.floating, frame_a, frame_b, np.eye(6), labels, units, coordinates, quaternion=True)


def planar_joint(joint, reverse, planar):
    """Two displacements in the plane of the parent's frame and an angle."""
    frames = _frames(joint, reverse)
    if planar:
        upright = _upright(frames)
        return None if upright is None or upright[2] < 0.0 else gliding(*upright[:2], reverse)
    return gliding(*frames, reverse)


def free(joint, reverse, planar):
    """All relative motion."""
    return planar_joint(joint, reverse, planar) if planar else floating(*_frames(joint, reverse))


def fixed(joint, reverse, planar):
    """None."""
    frames = _frames(joint, reverse)
    if planar:
        turn = frames[1][1] @ frames[0][1].T
        frames = (frames[0][0], np.eye(3)), (frames[1][0], turn)
        if abs(turn[2, 2] - 1.0) > FLAT:
            return None
    return TreeJoint(kernels.welded, *frames, np.zeros((0, 6)), (), (), lambda d, C, near: np.zeros(0))


def _quaternion(C):
    from ..model.frames import quaternion

    return np.array(quaternion(C))


TREE_JOINTS = {
    "user": tree_motion,
    "revolute": revolute,
    "pin": revolute,
    "prismatic": prismatic,
    "slider": prismatic,
    "cylindrical": cylindrical,
    "universal": universal,
    "spherical": spherical,
    "planar": planar_joint,
    "free": free,
    "fixed": fixed,
}
