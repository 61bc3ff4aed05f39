"""Gas springs, muscles, motors, wind."""

import math

import numpy as np

P0, AREA, LENGTH, KAPPA = 8e6, 1.5e-4, 0.2, 1.3


def gas_spring(t, x, v):
    return P0 * AREA * (LENGTH / (LENGTH - x)) ** KAPPA - 101325 * AREA


def air_bellows(t, x, v):
    volume = max(1e-3 - 5e-3 * x, 1e-5)
    return 6e5 * pow(1e-3 / volume, 1.4) * 5e-3


def hill_muscle(t, x, v):
    """Hill's muscle: activation, force by length, force by speed, passive part."""
    activation = 0.5 * (1.0 + math.sin(6.0 * t))
    length = 1.0 + x / 0.3
    speed = v / 3.0
    by_length = math.exp(-(((length - 1.0) / 0.45) ** 2))
    if speed <= 0:
        by_speed = (1 + speed) / (1 - speed / 0.25) if speed > -1 else 0.0
    else:
        by_speed = 1.4 - 0.4 * (1 - speed) / (1 + 7.56 * speed) if speed < 1 else 1.4
    passive = (math.exp(5.0 * (length - 1) / 0.6) - 1) / (math.exp(5.0) - 1) if length > 1 else 0.0
    return -1000.0 * (activation * by_length * by_speed + passive)


def dc_motor(t, x, v):
    volts = 24.0 if (t % 2.0) < 1.2 else -24.0
    current = (volts - 0.05 * v) / 0.8
    return 0.05 * np.clip(current, -20, 20)


def wind_drag(t, a, b, p):
    """Drag in a gust that rises with the height."""
    height = max(b.x[2], 0.1)
    wind = p[0] * (height / 10.0) ** 0.16 * (1.0 + 0.3 * math.sin(2 * t))
    u = (wind - b.v[0], -b.v[1], -b.v[2])
    speed = math.sqrt(sum(c * c for c in u))
    k = 0.5 * 1.2 * p[1] * speed
    return k * u[0], k * u[1], k * u[2], 0, 0, 0


def gust(t, x, v):
    """One minus cosine, once."""
    if not 1.0 < t < 3.0:
        return -0.2 * v * abs(v)
    w = 0.5 * 8.0 * (1 - math.cos(2 * math.pi * (t - 1.0) / 2.0))
    return 0.2 * (w - v) * abs(w - v)


def magnet(t, a, b, p):
    d = tuple(q - r for q, r in zip(b.x, a.x))  # noqa: B905
    r2 = sum(map(lambda c: c * c, d))  # noqa: C417
    f = p[0] / (r2 + 1e-4) ** 2.5
    return tuple(-f * c for c in d) + (0.0, 0.0, 0.0)


LAWS = (gas_spring, air_bellows, hill_muscle, dc_motor, gust)
LOADS = ((wind_drag, (12.0, 0.7)), (magnet, (0.3,)))
