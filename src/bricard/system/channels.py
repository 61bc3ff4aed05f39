"""Measures and poses in NumPy, for output and reports; the compiled twin is kernels/measures.py."""

import numpy as np

from .rotation import in_group
from .user_joint import user_values


def rotation_matrices(quaternions):
    """(..., 4) unit quaternions, scalar first -> (..., 3, 3)."""
    p = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(p, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def measure_value(measure, pose_a, pose_b):
    """Value of a measure for poses (x (..., 3), R (..., 3, 3)) of its bodies; angles in (-pi, pi]."""
    if measure.kind == "user":
        return user_values(measure, pose_a, pose_b)[0]
    (x_a, R_a), (x_b, R_b) = pose_a, pose_b
    p = np.array(measure.parameters)
    if measure.kind == "angle":
        side = R_b @ p[6:9]
        return np.arctan2(np.sum(side * (R_a @ p[3:6]), -1), np.sum(side * (R_a @ p[:3]), -1))
    if measure.kind == "displacement":
        return np.sum((x_b + R_b @ p[3:6] - x_a) * (R_a @ p[:3]), -1) - p[6]
    return np.linalg.norm(x_b + R_b @ p[3:6] - x_a - R_a @ p[:3], axis=-1)


def measure_speed(measure, pose_a, twist_a, pose_b, twist_b):
    """Time derivative of a measure; twists are (v (..., 3) of the centre of mass, w (..., 3)) in world axes."""
    if measure.kind == "user":
        return user_values(measure, pose_a, pose_b, twist_a, twist_b)[1]
    (x_a, R_a), (x_b, R_b) = pose_a, pose_b
    (v_a, w_a), (v_b, w_b) = twist_a, twist_b
    p = np.array(measure.parameters)
    if measure.kind == "angle":
        side, x, y = R_b @ p[6:9], R_a @ p[:3], R_a @ p[3:6]
        spin = np.cross(w_b - w_a, side)
        s, c = np.sum(side * y, -1), np.sum(side * x, -1)
        return (c * np.sum(spin * y, -1) - s * np.sum(spin * x, -1)) / (s * s + c * c)
    if measure.kind == "displacement":
        n, lever = R_a @ p[:3], R_b @ p[3:6]
        gap, rate = x_b + lever - x_a, v_b + np.cross(w_b, lever) - v_a
        return np.sum(rate * n, -1) + np.sum(gap * np.cross(w_a, n), -1)
    lever_a, lever_b = R_a @ p[:3], R_b @ p[3:6]
    gap = x_b + lever_b - x_a - lever_a
    rate = v_b + np.cross(w_b, lever_b) - v_a - np.cross(w_a, lever_a)
    length = np.linalg.norm(gap, axis=-1)
    apart = length > 0.0  # from where points meet they go apart as fast as they move
    return np.where(apart, np.sum(gap * rate, -1) / np.where(apart, length, 1.0), np.linalg.norm(rate, axis=-1))


def poses(system, q):
    """Body name -> (positions (n, 3) of the reference frame, rotation matrices (n, 3, 3)); ground included."""
    system, q, _ = in_group(system, q)
    r, found = system.record, {}
    for b, body in enumerate(system.model.bodies.values()):
        o = int(r.q_start[b])
        if body.planar:
            x = np.column_stack([q[:, o], q[:, o + 1], np.zeros(len(q))])
            c, s, zero, one = np.cos(q[:, o + 2]), np.sin(q[:, o + 2]), np.zeros(len(q)), np.ones(len(q))
            R = np.stack([np.stack([c, -s, zero], -1), np.stack([s, c, zero], -1), np.stack([zero, zero, one], -1)], -2)
        else:
            x, R = q[:, o : o + 3], rotation_matrices(q[:, o + 3 : o + 7])
        found[body.name] = (x - R @ body.com, R)
    n = len(q)
    found[system.model.ground.name] = (np.zeros((n, 3)), np.broadcast_to(np.eye(3), (n, 3, 3)))
    return found
