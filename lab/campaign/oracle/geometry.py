"""Rotations and frames: quaternions scalar first, rotation matrices with the axes of the turned frame as columns."""

import numpy as np


def cross(a, b):
    """Cross products of two arrays of vectors (..., 3); np.cross takes several times as long."""
    c = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=np.result_type(a, b))
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    c[..., 0], c[..., 1], c[..., 2] = y * w - z * v, z * u - x * w, x * v - y * u
    return c


def dot(a, b):
    """Scalar products (n,) of two arrays of vectors (n, 3)."""
    return (a * b).sum(axis=-1)


def matrices(q):
    """Rotation matrices (n, 3, 3) of quaternions (n, 4) of any length."""
    w, x, y, z = q.T
    s = 2.0 / (q * q).sum(axis=1)
    R = np.empty((len(q), 3, 3))
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)
    return R


def product(p, q):
    """Product of two quaternions (4,)."""
    v = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *v])


def quaternion_of(R):
    """Unit quaternion (4,) of a rotation matrix, by its eigenvector."""
    K = np.array(
        [
            [np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    return np.linalg.eigh(np.triu(K) + np.triu(K, 1).T)[1][:, -1]


def rates(q, w):
    """q' (n, 4) of quaternions turning with angular velocities w (n, 3) in world axes: q' = (0, w) q / 2."""
    scalar = -dot(w, q[:, 1:])
    vector = q[:, :1] * w + cross(w, q[:, 1:])
    return 0.5 * np.column_stack([scalar, vector])


def turn(w, tau):
    """Rotation (3, 3) after turning with the angular velocity w (3,) for a time tau, which may be complex."""
    size = np.sqrt(w @ w)
    if size == 0.0:
        return np.eye(3, dtype=complex if isinstance(tau, complex) else float)
    k = w / size
    K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    return np.eye(3) + np.sin(size * tau) * K + (1.0 - np.cos(size * tau)) * (K @ K)


def unit(a):
    """A vector (3,) of length 1."""
    a = np.asarray(a, dtype=float)
    return a / np.linalg.norm(a)


def axes_about(z, x=None):
    """Axes (3, 3) whose z stands along `z` and whose x lies nearest to `x`.

    Without `x`: the world's x, or the world's y where z is within about 26 degrees of x, as the manual of the package says.
    """
    z = unit(z)
    if x is None:
        x = (1.0, 0.0, 0.0) if abs(z[0]) < 0.9 else (0.0, 1.0, 0.0)
    x = unit(np.asarray(x) - (np.asarray(x) @ z) * z)
    return np.column_stack([x, np.cross(z, x), z])
