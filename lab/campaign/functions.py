"""Functions of a user, at the top level of a module so that the package finds and keeps them. They do not depend on units of
length where their numbers p say the scale; the oracle evaluates them with its own derivatives."""

import numpy as np


def swing(t):
    """A profile of time."""
    return 0.3 * np.sin(1.7 * t) * np.exp(-0.1 * t)


def hardening(t, x, rate):
    """A law: a spring that gets stiffer, with cubic damping."""
    return -3.0 * x - 2.0 * x * x * x - 0.1 * rate * rate * rate


def hardening_energy(x):
    """The potential of what hardening is at rest."""
    return 1.5 * x * x + 0.5 * x**4


def stiffening(t, x, rate):
    """hardening without damping: the force of that potential."""
    return -3.0 * x - 2.0 * x * x * x


def ellipsoid(t, a, b, p):
    """One row: the point of b stays on an ellipsoid that is fixed to a; p: half axes, centre (in axes of a), level."""
    d = (b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2])
    total = -p[6] + 0.0 * d[0]
    for i in range(3):
        s = (a.R[0][i] * d[0] + a.R[1][i] * d[1] + a.R[2][i] * d[2] - p[3 + i]) / p[i]
        total = total + s * s
    return (total,)


def geared_speed(t, a, b, p):
    """One velocity row: the speed of the point of b along the first axis of a is p[0] times the spin about it."""
    n = (a.R[0][0], a.R[1][0], a.R[2][0])
    speed = n[0] * (b.v[0] - a.v[0]) + n[1] * (b.v[1] - a.v[1]) + n[2] * (b.v[2] - a.v[2])
    spin = n[0] * (b.w[0] - a.w[0]) + n[1] * (b.w[1] - a.w[1]) + n[2] * (b.w[2] - a.w[2])
    return (speed - p[0] * spin,)


def drag(t, a, b, p):
    """Quadratic drag of the point of b against that of a, a pull towards it, and a moment along the third axis of b."""
    u, v, w = b.v[0] - a.v[0], b.v[1] - a.v[1], b.v[2] - a.v[2]
    size = p[0] * np.sqrt(u * u + v * v + w * w + p[2] * p[2])
    x, y, z = p[1] * (b.x[0] - a.x[0]), p[1] * (b.x[1] - a.x[1]), p[1] * (b.x[2] - a.x[2])
    m = p[3] * np.cos(p[4] * t)
    return -size * u - x, -size * v - y, -size * w - z, m * b.R[0][2], m * b.R[1][2], m * b.R[2][2]


def tether_energy(a, b, p):
    """A potential: a spring that gets stiffer between two points, and third axes of a and b that want to be parallel.

    p: stiffness, square of the length at which it is twice as stiff, moment, damping (of the load)."""
    x, y, z = b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]
    square = x * x + y * y + z * z
    parallel = a.R[0][2] * b.R[0][2] + a.R[1][2] * b.R[1][2] + a.R[2][2] * b.R[2][2]
    return 0.5 * p[0] * square * (1.0 + 0.5 * square / p[1]) - p[2] * parallel


def tether(t, a, b, p):
    """The load of that potential, by hand, with a damper between the points as a sees them."""
    d = (b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2])
    k = p[0] * (1.0 + (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / p[1])
    u = b.v[0] - a.v[0] - a.w[1] * d[2] + a.w[2] * d[1]
    v = b.v[1] - a.v[1] - a.w[2] * d[0] + a.w[0] * d[2]
    w = b.v[2] - a.v[2] - a.w[0] * d[1] + a.w[1] * d[0]
    m, n = (a.R[0][2], a.R[1][2], a.R[2][2]), (b.R[0][2], b.R[1][2], b.R[2][2])
    turn = (n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0])
    force = -k * d[0] - p[3] * u, -k * d[1] - p[3] * v, -k * d[2] - p[3] * w
    return (*force, p[2] * turn[0], p[2] * turn[1], p[2] * turn[2])


LOADS = {"tether_energy": tether}  # of potentials, and the force of those of laws, by hand
LAWS = {"hardening_energy": stiffening}


def screw(s, p):
    """An explicit joint: a turn about z with the lead p[0] per radian."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def screw_closure(d, C, s, p):
    """The same as an implicit joint: zero where it closes."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return d[0], d[1], d[2] - p[0] * s[0], C[0][2], C[1][2], C[1][0] * c - C[0][0] * z


def screw_routine(s, u, p):
    """The same by the contract of a routine: d, d', its columns, its bias; C, w, its columns, its bias."""
    c, z, lead = np.cos(s[0]), np.sin(s[0]), p[0]
    return (
        (0.0, 0.0, lead * s[0]),
        (0.0, 0.0, lead * u[0]),
        ((0.0,), (0.0,), (lead,)),
        (0.0, 0.0, 0.0),
        ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0)),
        (0.0, 0.0, u[0]),
        ((0.0,), (0.0,), (1.0,)),
        (0.0, 0.0, 0.0),
    )


SCREWS = {"explicit": screw, "implicit": screw_closure, "routine": screw_routine}
