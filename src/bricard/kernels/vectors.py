"""3-vectors and 3x3 matrices as tuples: no allocation, kept in registers. Of numbers of any kind: users' functions
call them, too (`from bricard import vectors`).

A matrix is a tuple of its rows. `rotate(R, a)` is R a, `rotate_back(R, a)` is R^T a.
"""

import math

import numpy as np

from ..compiled.cache import fingerprint
from ..compiled.pointers import compiled


@compiled
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def subtract(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def scale(s, a):
    return s * a[0], s * a[1], s * a[2]


@compiled
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def norm(a):
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@compiled
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def rotate(R, a):
    return dot(R[0], a), dot(R[1], a), dot(R[2], a)


@compiled
def rotate_back(R, a):
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


@compiled
def triple(values, start):
    """Three neighbouring numbers of a flat array."""
    return values[start], values[start + 1], values[start + 2]


@compiled
def put_three(values, start, a):
    """Write three neighbouring numbers of a flat array. A loop over a tuple would be compiled to branches, one for each entry."""
    values[start], values[start + 1], values[start + 2] = a[0], a[1], a[2]


@compiled
def turning_columns(g_dot, rate, g, start, w):
    """dG/dt of a body's three turning columns: rate + g x w.

    `rate` holds the derivatives of G v along the columns' directions, dG/dt those of the columns along the motion. Turns in
    body axes do not commute: the difference is G along w x (direction).
    """
    change = cross(triple(g, start), w)
    for i in range(3):
        g_dot[start + i] = rate[start + i] + change[i]


@compiled
def nine(values, start):
    """A 3x3 matrix from nine neighbouring numbers of a flat array."""
    return triple(values, start), triple(values, start + 3), triple(values, start + 6)


@compiled
def position_of(x, body):
    """The first three numbers of a row."""
    return x[body, 0], x[body, 1], x[body, 2]


@compiled
def spin_of(velocity, body):
    """Angular velocity of a body, in its own axes."""
    return velocity[body, 3], velocity[body, 4], velocity[body, 5]


@compiled
def rotation_of(rotation, body):
    """Rotation matrix of a body, stored as nine numbers."""
    r = rotation
    return (
        (r[body, 0], r[body, 1], r[body, 2]),
        (r[body, 3], r[body, 4], r[body, 5]),
        (r[body, 6], r[body, 7], r[body, 8]),
    )


@compiled
def product_entry(A, B, i, j):
    """Entry (i, j) of A^T B."""
    return A[0][i] * B[0][j] + A[1][i] * B[1][j] + A[2][i] * B[2][j]


@compiled
def quaternion_step(w, x, y, z, turn):
    """Unit quaternion times exp(turn / 2), the rotation vector `turn` being given in the body."""
    square = dot(turn, turn)
    if square < 1e-6:
        s, c = 0.5 - square / 48 + square * square / 3840, 1 - square / 8 + square * square / 384
    else:
        angle = math.sqrt(square)
        s, c = math.sin(0.5 * angle) / angle, math.cos(0.5 * angle)
    a, b, d = s * turn[0], s * turn[1], s * turn[2]
    return (
        w * c - x * a - y * b - z * d,
        w * a + x * c + y * d - z * b,
        w * b + y * c + z * a - x * d,
        w * d + z * c + x * b - y * a,
    )


# users' functions may name this module; what is compiled with it changes with any of its functions
__fingerprint__ = str([fingerprint(value) for value in list(vars().values()) if hasattr(value, "py_func")])
