"""Functions of users that are wrong somewhere along the motion, and right where they are looked at first."""

import math

import numpy as np


def ring(t, a, b, p):
    """A bead on a ring in the x-z plane."""
    x, y, z = b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]
    return x * x + z * z - p[0] * p[0], y


def ring_rows(t, a, b, p):
    """The residual with its derivatives, off by p[1] where x < 0.3 m."""
    x, z = b.x[0] - a.x[0], b.x[2] - a.x[2]
    slope = 2.0 * z if x > 0.3 else 2.0 * z * (1.0 - p[1])
    first = (-2.0 * x, 0.0, -slope, 0.0, 0.0, 0.0, 2.0 * x, 0.0, slope, 0.0, 0.0, 0.0)
    return ring(t, a, b, p), (first, (0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0))


def arm(s, p):
    """A hinge with the arm p[0]; behind -0.5 rad C is no rotation, by p[1]."""
    c, n = math.cos(s[0]), math.sin(s[0])
    wide = 1.0 if s[0] > -0.5 else 1.0 + p[1] * (s[0] + 0.5) * (s[0] + 0.5)
    return (p[0] * c, p[0] * n, 0.0), ((wide * c, -n, 0.0), (wide * n, c, 0.0), (0.0, 0.0, 1.0))


def arm_motion(s, p):
    """Its motion, off by p[1] behind -0.5 rad."""
    length = p[0] if s[0] > -0.5 else (1.0 - p[1]) * p[0]
    return ((-length * math.sin(s[0]), length * math.cos(s[0]), 0.0, 0.0, 0.0, 1.0),)


def circle(t, q):
    return np.array([q[0] * q[0] + q[1] * q[1] - 1.0])


def weight(t, q, v):
    return np.array([0.0 * q[0], -9.81 + 0.0 * q[0]])


def height(q):
    return 9.81 * q[1]


def wrong_gamma(t, q, v):
    """Right at the start, at q = (1, 0)."""
    return np.array([-2.0 * (v[0] * v[0] + v[1] * v[1]) + 0.01 * q[1] * q[1] * q[1]])
