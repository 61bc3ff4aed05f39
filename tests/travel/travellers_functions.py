"""Functions of a user, in a module that other processes find only by the folder it lies in."""

import numpy as np


def law(t, x, xdot):
    return -3.0 * x - 0.1 * xdot + 0.2 * np.sin(5.0 * t)


def screw(s, p):
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def weight(t, q, v):
    return np.array([0.0 * q[0], -9.81 + 0.0 * q[0]])


def circle(t, q):
    return np.array([0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0)])


def height(q):
    return 9.81 * q[1]


def below(t, q, v):
    return q[0] + 0.1


def halved(t, q, v):
    return 0.5 * v


def swing(t):
    return 0.1 * np.sin(t)


def load(t, a, b, p):
    return (-p[0] * b.v[0], 0.0, 0.0, 0.0, 0.0, 0.0)


def apart(t, a, b, p):
    return (a.x[0] - b.x[0],)


def slip(t, a, b, p):
    return (a.v[0] - b.v[0],)
