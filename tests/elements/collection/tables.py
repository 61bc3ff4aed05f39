"""Tables: measured curves by numpy, by hand, by polynomials."""

from bisect import bisect

import numpy as np

STROKE = (-0.10, -0.05, 0.0, 0.04, 0.10)
FORCE = (-1500.0, -500.0, 0.0, 600.0, 2500.0)
SPEEDS = np.array([-2.0, -0.5, -0.1, 0.0, 0.1, 0.5, 2.0])
DAMPING = np.array([-900.0, -420.0, -150.0, 0.0, 250.0, 700.0, 1500.0])
COEFFICIENTS = (2.0e4, 0.0, 3.1e6, -5.0e4)


def shock_absorber(t, x, v):
    return -np.interp(v, SPEEDS, DAMPING)


def measured_spring(t, x, v):
    """Lines between points, by hand."""
    if x <= STROKE[0]:
        return -FORCE[0]
    for i in range(len(STROKE) - 1):
        if x <= STROKE[i + 1]:
            s = (x - STROKE[i]) / (STROKE[i + 1] - STROKE[i])
            return -(FORCE[i] + s * (FORCE[i + 1] - FORCE[i]))
    return -FORCE[-1]


def horner(t, x, v):
    y = 0
    for c in reversed(COEFFICIENTS):
        y = y * x + c
    return -y * x


def power_sum(t, x, v):
    return -sum(c * x**k for k, c in enumerate(COEFFICIENTS))


def looked_up(t, x, v):
    i = int(np.searchsorted(SPEEDS, v))
    i = min(max(i, 1), len(SPEEDS) - 1)
    s = (v - SPEEDS[i - 1]) / (SPEEDS[i] - SPEEDS[i - 1])
    return -((1 - s) * DAMPING[i - 1] + s * DAMPING[i])


def bisected(t, x, v):
    i = min(max(bisect(STROKE, x), 1), len(STROKE) - 1)
    s = (x - STROKE[i - 1]) / (STROKE[i] - STROKE[i - 1])
    return -(FORCE[i - 1] + s * (FORCE[i] - FORCE[i - 1]))


def polyval(t, x, v):
    return -np.polyval(np.array([4.0e5, 0.0, 1.5e3, 0.0]), x)


def stages(t, x, v):
    return -np.select([x < -0.1, x < 0.2], [2e3 * x, 1e3 * x], 4e3 * x - 600.0)


LAWS = (stages, shock_absorber, measured_spring, horner, power_sum, looked_up, bisected, polyval)
