"""A user's functions: one joint (with and without derivatives), one nonlinear nonholonomic row, one force, laws."""

import numpy as np

from bricard import vectors


def screw(t, a, b, p):
    """Two rows: height of b over the x-y plane of a follows a sine; the points keep the distance p[1]."""
    dx, dy, dz = b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]
    height = a.R[0][2] * dx + a.R[1][2] * dy + a.R[2][2] * dz
    return height - p[0] * np.sin(2.0 * t), dx * dx + dy * dy + dz * dz - p[1] * p[1]


def screw_jacobian(t, a, b, p):
    """The same with its rows in the points and world turns of a and b."""
    n, d = (a.R[0][2], a.R[1][2], a.R[2][2]), (b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2])
    height = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
    turn = (n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0])
    values = (height - p[0] * np.sin(2.0 * t), d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - p[1] * p[1])
    first = (-n[0], -n[1], -n[2], turn[0], turn[1], turn[2], n[0], n[1], n[2], 0.0, 0.0, 0.0)
    second = (-2 * d[0], -2 * d[1], -2 * d[2], 0.0, 0.0, 0.0, 2 * d[0], 2 * d[1], 2 * d[2], 0.0, 0.0, 0.0)
    return values, (first, second)


def constant_speed(t, a, b, p):
    """Nonlinear in the velocity: the relative speed is p[0] + 0.1 sin t, and depends on where b stands."""
    u, v, w = b.v[0] - a.v[0], b.v[1] - a.v[1], b.v[2] - a.v[2]
    return (u * u + v * v + w * w + 0.3 * b.x[0] * b.w[2] - (p[0] + 0.1 * np.sin(t)) ** 2,)


def drag(t, a, b, p):
    """Quadratic drag on b, a spring in x, and a moment about z that depends on time and spin."""
    u, v, w = b.v[0] - a.v[0], b.v[1] - a.v[1], b.v[2] - a.v[2]
    size = np.sqrt(u * u + v * v + w * w + 0.01)
    pull = p[1] * (b.x[0] - a.x[0])
    return -p[0] * size * u - pull, -p[0] * size * v, -p[0] * size * w, 0.0, 0.1 * b.w[2], np.cos(t) * b.R[2][2]


def hardening(t, x, rate):
    return -3.0 * x - 2.0 * x * x * x - 0.1 * rate * rate * rate


def hardening_energy(x):
    return 1.5 * x**2 + 0.5 * x**4


def magnets(a, b, p):
    """Two dipoles along the third axes of a and b, and a field of the world."""
    d = vectors.subtract(b.x, a.x)
    square = vectors.dot(d, d) + p[1] * p[1]
    m, n = vectors.rotate(a.R, (0.0, 0.0, 1.0)), vectors.rotate(b.R, (0.0, 0.0, 1.0))
    dipoles = vectors.dot(m, n) - 3.0 * vectors.dot(m, d) * vectors.dot(n, d) / square
    return p[0] * dipoles / square**1.5 + p[2] * np.exp(b.x[0] * a.x[2])


def rubber(t, a, b, p):
    """A point of b pulled to one of a, harder the farther, with a damper, and two axes that want to be parallel."""
    d, slip = vectors.subtract(b.x, a.x), vectors.subtract(b.v, a.v)
    force = vectors.scale(-p[0] - p[1] * vectors.dot(d, d), d)
    force = vectors.subtract(force, vectors.scale(p[2], slip))
    m, n = vectors.rotate(a.R, (0.0, 0.6, 0.8)), vectors.rotate(b.R, (1.0, 0.0, 0.0))
    return (*force, *vectors.scale(-p[3], vectors.cross(m, n)))


def rubber_energy(a, b, p):
    """What it stores."""
    d = vectors.subtract(b.x, a.x)
    square = vectors.dot(d, d)
    m, n = vectors.rotate(a.R, (0.0, 0.6, 0.8)), vectors.rotate(b.R, (1.0, 0.0, 0.0))
    return 0.5 * p[0] * square + 0.25 * p[1] * square * square - p[3] * vectors.dot(m, n)


def swing(t):
    return 0.3 * np.sin(1.7 * t) * np.exp(-0.1 * t)


def lead(s, p):
    """A screw about z with the lead p[0] per radian."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def closed_lead(d, C, s, p):
    """The same screw by what it closes."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return d[0], d[1], d[2] - p[0] * s[0], C[1][2], C[0][2], C[1][0] * c - C[0][0] * z


def lead_routine(s, u, p):
    """The same screw by the contract of routines."""
    c, z = np.cos(s[0]), np.sin(s[0])
    rotation = ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))
    place, way = (0.0, 0.0, p[0] * s[0]), ((0.0,), (0.0,), (p[0],))
    nothing = (0.0, 0.0, 0.0)
    return place, (0.0, 0.0, p[0] * u[0]), way, nothing, rotation, (0.0, 0.0, u[0]), ((0.0,), (0.0,), (1.0,)), nothing
