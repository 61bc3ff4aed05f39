"""Stops, contacts, backlash, preload."""

import numpy as np


def end_stops(t, x, v):
    if x > 0.1:
        return -1e5 * (x - 0.1) - 50 * v
    elif x < -0.1:
        return -1e5 * (x + 0.1) - 50 * v
    else:
        return 0.0


def hunt_crossley(t, x, v):
    depth = max(x - 0.2, 0.0)
    return -1e6 * depth**1.5 * (1 + 0.6 * v)


def backlash(t, x, v):
    gap = 0.02
    return -4e3 * (x - min(max(x, -gap), gap)) - 3.0 * v


def backlash_where(t, x, v):
    return -4e3 * np.where(np.abs(x) > 0.02, x - 0.02 * np.sign(x), 0.0)


def preload(t, x, v):
    """A coupling whose two springs are preloaded."""
    return -(30.0 * np.sign(x) + 800.0 * x) if abs(x) > 1e-4 else -3.008e5 * x


def unilateral(t, x, v):
    contact = np.heaviside(x, 0.5)
    return -contact * (3e4 * x + 20.0 * v)


def rubber(t, x, v):
    """A bump stop that gets hard: a power by parts."""
    s = max(0.0, x - 0.05) / 0.03
    return -np.sign(s) * 900.0 * s ** (2.0 + s)


def staircase(t, x, v):
    """Detents: a spring to the nearest notch."""
    pitch = 0.05
    return -300.0 * (x - pitch * round(x / pitch))


def barrier(t, x, v):
    gap = 0.5 - x
    return -1e-3 / gap**2 if gap > 0.01 else -1e-3 / 0.01**2


def floor_contact(t, a, b, p):
    force = [0.0, 0.0, 0.0]
    penetration = p[1] - b.x[2]
    if penetration > 0:
        force[2] = p[0] * penetration - p[2] * b.v[2]
        if force[2] < 0:
            force[2] = 0.0
    return force[0], force[1], force[2], 0.0, 0.0, 0.0


LAWS = (end_stops, hunt_crossley, backlash, backlash_where, preload, unilateral, rubber, staircase, barrier)
LOADS = ((floor_contact, (1e4, 0.1, 30.0)),)
