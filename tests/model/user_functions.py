"""Functions that the test models name by `module:function`."""

import math

import numpy as np


def swing(t):
    return 0.1 * math.sin(t)


def residual(t, a, b, p):
    return (b.x[0] - a.x[0] - p[0], b.x[1] - a.x[1])


def screw(s, p):
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def no_side_slip(t, a, b, p):
    return (b.v[1],)


def load(t, a, b, p):
    return (-p[0] * b.v[0], 0.0, 0.0, 0.0, 0.0, 0.0)


def law(t, x, xdot):
    return -(x**3)


NOT_CALLABLE = 3.0
