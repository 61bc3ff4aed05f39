"""Elements of our own that are given by a function (functions.py), as a user would write them.

Parameters are flat arrays; the order of the numbers stands in each docstring.
"""

import numpy as np

from ..compiled.pointers import compiled
from .vectors import add, cross, dot, nine, rotate, rotate_back, scale, subtract, triple

SERIES = 1e-3  # sin^2(angle) below which the series of the angle have all digits


@compiled
def knife_edge(t, a, b, p):
    """The velocity of the point of b along a direction of b vanishes, seen from a. p: direction (3), body axes of b."""
    across = rotate(b.R, triple(p, 0))
    return (dot(across, subtract(b.v, a.v)),)


@compiled
def rolling_contact(t, a, b, p):
    """A disc of b stands on a plane fixed in the world. p: axis in b (3), normal (3), tangents (6), radius, offset."""
    across = cross(rotate(b.R, triple(p, 0)), triple(p, 3))  # its size is the sine, with all digits near flat, too
    return (dot(b.x, triple(p, 3)) - p[13] - p[12] * np.sqrt(dot(across, across)),)


@compiled
def rolling_slip(t, a, b, p):
    """The lowest point of the disc does not slip: two rows along the tangents of the plane. p as rolling_contact."""
    axis, normal = rotate(b.R, triple(p, 0)), triple(p, 3)
    across = cross(axis, normal)
    down = scale(-p[12] / np.sqrt(dot(across, across)), cross(across, axis))
    slip = add(b.v, cross(b.w, down))
    return dot(slip, triple(p, 6)), dot(slip, triple(p, 9))


@compiled
def rotation_vector(s, c):
    """Rotation vector phi and [1 - (angle/2) cot(angle/2)] / angle^2, from s = sin(angle) axis and c = cos(angle)."""
    z = dot(s, s)
    if z < SERIES and c > 0.0:
        by_sine = 1.0 + z * (1 / 6 + z * (3 / 40 + z * (5 / 112 + z * (35 / 1152 + z * (63 / 2816)))))
        square = by_sine * by_sine * z
        return scale(by_sine, s), 1 / 12 + square * (1 / 720 + square * (1 / 30240 + square * (1 / 1209600)))
    sine = np.sqrt(z)
    angle = np.arctan2(sine, c)
    by_sine = angle / sine
    return scale(by_sine, s), (1.0 - 0.5 * by_sine * (1.0 + c)) / (angle * angle)


@compiled
def columns(R, axes):
    """The columns of R times a matrix, in the world, as rows."""
    return (
        rotate(R, (axes[0][0], axes[1][0], axes[2][0])),
        rotate(R, (axes[0][1], axes[1][1], axes[2][1])),
        rotate(R, (axes[0][2], axes[1][2], axes[2][2])),
    )


@compiled
def bushing(t, a, b, p):
    """Six springs and dampers in axes of a. p: stiffness (6), damping (6), axes in a (9), the same axes in b (9).

    With the shift u and the rotation vector phi of the axes in b against those in a, both in axes of a,

        U = 1/2 u^T K_t u + 1/2 phi^T K_r phi,   F = -K_t u,   M = -J^-T K_r phi = -(m + phi x m / 2 + c phi x (phi x m))

    on b, for m = K_r phi and the angular velocity J phi' of b against a. Returned: load, then U and the power of the dampers.
    """
    A, B = columns(a.R, nine(p, 12)), columns(b.R, nine(p, 21))
    apart = subtract(b.x, a.x)
    gap, whirl = rotate(A, apart), rotate(A, subtract(b.w, a.w))
    slip = rotate(A, subtract(subtract(b.v, a.v), cross(a.w, apart)))
    e = rotate(A, B[0]), rotate(A, B[1]), rotate(A, B[2])
    skew = (0.5 * (e[1][2] - e[2][1]), 0.5 * (e[2][0] - e[0][2]), 0.5 * (e[0][1] - e[1][0]))
    phi, c = rotation_vector(skew, 0.5 * (e[0][0] + e[1][1] + e[2][2] - 1.0))
    pull, brake = (p[0] * gap[0], p[1] * gap[1], p[2] * gap[2]), (p[6] * slip[0], p[7] * slip[1], p[8] * slip[2])
    twist, drag = (p[3] * phi[0], p[4] * phi[1], p[5] * phi[2]), (p[9] * whirl[0], p[10] * whirl[1], p[11] * whirl[2])
    across = cross(phi, twist)
    torque = add(add(twist, scale(0.5, across)), scale(c, cross(phi, across)))
    force, moment = rotate_back(A, scale(-1.0, add(pull, brake))), rotate_back(A, scale(-1.0, add(torque, drag)))
    potential, power = 0.5 * (dot(gap, pull) + dot(phi, twist)), -(dot(slip, brake) + dot(whirl, drag))
    return force[0], force[1], force[2], moment[0], moment[1], moment[2], potential, power


@compiled
def point_spring(t, a, b, p):
    """A spring without length between two points, -k d, and a damper along it; where the points meet, along their motion.

    p: stiffness, damping. Returned: load, then potential and the power of the damper.
    """
    d, slip = subtract(b.x, a.x), subtract(b.v, a.v)
    square, along = dot(d, d), dot(d, slip)
    brake = scale(p[1], slip)
    if square > 0.0:
        brake = scale(p[1] * along / square, d)
    force = scale(-1.0, add(scale(p[0], d), brake))
    return force[0], force[1], force[2], 0.0, 0.0, 0.0, 0.5 * p[0] * square, -dot(slip, brake)


@compiled
def wished_velocity(t, a, b, p):
    """The velocity of the point of b is p (3), world axes."""
    return b.v[0] - p[0], b.v[1] - p[1], b.v[2] - p[2]


@compiled
def wished_spin(t, a, b, p):
    """The angular velocity of b is p (3), world axes."""
    return b.w[0] - p[0], b.w[1] - p[1], b.w[2] - p[2]


FUNCTIONS = {
    "knife_edge": knife_edge,
    "rolling_contact": rolling_contact,
    "rolling_slip": rolling_slip,
    "bushing": bushing,
    "point_spring": point_spring,
    "wished_velocity": wished_velocity,
    "wished_spin": wished_spin,
}
