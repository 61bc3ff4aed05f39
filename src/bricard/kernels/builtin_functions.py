"""Elements of our own that are given by a function (functions.py), as a user would write them.

Parameters are flat arrays; the order of the numbers stands in each docstring.
"""

import numpy as np

from ..compiled.pointers import compiled
from .vectors import add, cross, dot, nine, rotate, rotate_back, scale, subtract, triple


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
def bushing(t, a, b, p):
    """Six springs and dampers in axes of a. p: stiffness (6), damping (6), axes in a (9), the same axes in b (9).

    The turn is the rotation vector of the relative rotation to first order in its skew part, sin(angle) axis.
    """
    axes_a, axes_b = nine(p, 12), nine(p, 21)
    gap = rotate_back(axes_a, rotate_back(a.R, subtract(b.x, a.x)))
    slip = rotate_back(axes_a, rotate_back(a.R, subtract(subtract(b.v, a.v), cross(a.w, subtract(b.x, a.x)))))
    whirl = rotate_back(axes_a, rotate_back(a.R, subtract(b.w, a.w)))
    e = (
        rotate_back(axes_a, rotate_back(a.R, rotate(b.R, (axes_b[0][0], axes_b[1][0], axes_b[2][0])))),
        rotate_back(axes_a, rotate_back(a.R, rotate(b.R, (axes_b[0][1], axes_b[1][1], axes_b[2][1])))),
        rotate_back(axes_a, rotate_back(a.R, rotate(b.R, (axes_b[0][2], axes_b[1][2], axes_b[2][2])))),
    )
    turn = (0.5 * (e[1][2] - e[2][1]), 0.5 * (e[2][0] - e[0][2]), 0.5 * (e[0][1] - e[1][0]))
    force = (
        -p[0] * gap[0] - p[6] * slip[0],
        -p[1] * gap[1] - p[7] * slip[1],
        -p[2] * gap[2] - p[8] * slip[2],
    )
    moment = (
        -p[3] * turn[0] - p[9] * whirl[0],
        -p[4] * turn[1] - p[10] * whirl[1],
        -p[5] * turn[2] - p[11] * whirl[2],
    )
    force, moment = rotate(a.R, rotate(axes_a, force)), rotate(a.R, rotate(axes_a, moment))
    return force[0], force[1], force[2], moment[0], moment[1], moment[2]


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
    "wished_velocity": wished_velocity,
    "wished_spin": wished_spin,
}
