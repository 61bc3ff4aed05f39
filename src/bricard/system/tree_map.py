"""Relative and absolute coordinates of a system, from one to the other."""

import numpy as np

from ..compiled.handles import pack
from ..kernels.tree_map import to_absolute
from ..linalg.kkt import evaluate


def in_absolute(system, q, v):
    """Samples q (n, n_q) and v (n, n_v) of a system in relative coordinates as those of its base."""
    base, n = system.base, len(q)
    out_q, out_v = np.zeros((n, base.n_q)), np.zeros((n, base.n_v))
    to_absolute(q, v, system.compiled, pack(system.work()), base.compiled, out_q, out_v)
    return out_q, out_v


def from_absolute(system, q, v, near=None):
    """q (n_q,) and v (n_v,) of a system in relative coordinates, from those of its base; near : (n_q,), to count turns from."""
    tree, out_q = system.record.tree, np.zeros(system.n_q)
    bodies = places(system.base, q, v)
    steps = []
    for i, node in enumerate(system.tree):
        (x_p, R_p, v_p, w_p), (x, R, velocity, w) = bodies[node.parent], bodies[node.body]
        (p_a, A), (p_b, B) = node.motion.frame_a, node.motion.frame_b
        R_a, lever = R_p @ A, R @ p_b
        out = x + lever - x_p - R_p @ p_a
        part = slice(int(tree.q_first[i]), int(tree.q_first[i + 1]))
        known = None if near is None else near[part]
        out_q[part] = node.motion.coordinates(R_a.T @ out, R_a.T @ R @ B, known)
        speed = velocity + _cross(w, lever) - v_p - _cross(w_p, R_p @ p_a + out)
        steps.append(np.concatenate([R_a.T @ speed, R_a.T @ (w - w_p)]))
    return out_q, _velocities(system, out_q, steps)


def _velocities(system, q, steps):
    """Joint velocities (n_v,) of relative motions, by least squares."""
    tree, out = system.record.tree, np.zeros(system.n_v)
    if not any(step.any() for step in steps):
        return out
    work = system.work()
    evaluate(0.0, q, out, 0, system.compiled, pack(work))
    for i, step in enumerate(steps):
        part = slice(int(tree.v_first[i]), int(tree.v_first[i + 1]))
        S = work.branch.s[part]
        out[part] = np.linalg.solve(S @ S.T, S @ step)
    return out


def places(base, q, v):
    """Body -> centre of mass, rotation, velocity, angular velocity in world axes."""
    from .channels import rotation_matrices

    r, found = base.record, {}
    for b, body in enumerate(base.model.bodies.values()):
        o, u = int(r.q_start[b]), int(r.column[b, 0])
        if body.planar:
            c, s = np.cos(q[o + 2]), np.sin(q[o + 2])
            R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            found[body] = np.append(q[o : o + 2], 0.0), R, np.append(v[u : u + 2], 0.0), np.array([0, 0, v[u + 2]])
        else:
            R = rotation_matrices(q[o + 3 : o + 7])
            found[body] = q[o : o + 3], R, v[u : u + 3], R @ v[u + 3 : u + 6]
    found[base.model.ground] = np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)
    return found


def _cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def counted(measures, turn, others):
    """Counted values of measures, of which `turn` holds those of `others`; 0 for those that are not there."""
    known = dict(zip(others, np.asarray(turn).T, strict=True)) if len(others) else {}
    zero = np.zeros(np.shape(turn)[:-1])
    return np.array([known.get(measure, zero) for measure in measures]).T.reshape(*zero.shape, len(measures))
