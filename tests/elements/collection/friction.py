"""Friction laws as people write them: five kinds, and what is hung on them."""

import math

import numpy as np

VISCOUS = 0.4


def coulomb(t, x, v):
    return -12.0 * np.sign(v)


def coulomb_smooth(t, x, v):
    return -12.0 * math.tanh(v / 1e-3) - VISCOUS * v


def stribeck(t, x, v, static=9.0, kinetic=6.0, speed=0.05):
    force = kinetic + (static - kinetic) * math.exp(-((abs(v) / speed) ** 1.5))
    return -force * math.tanh(200 * v) - VISCOUS * v


def stick_zone(t, x, v):
    """Karnopp's zone: a stiff damper below a small speed."""
    if abs(v) < 0.01:
        return -600.0 * v
    return -math.copysign(6.0, v) - VISCOUS * (v - math.copysign(0.01, v))


def bristle(t, x, v):
    """LuGre in its steady state."""
    g = 4.0 + (6.0 - 4.0) * np.exp(-((v / 0.02) ** 2))
    z = g * np.sign(v) / 1e5
    return -(1e5 * z + 0.3 * v)


def capstan(t, x, v):
    wrap = max(0.0, x) % (2 * math.pi)
    return -5.0 * (math.exp(0.2 * wrap) - 1) * math.atan(50 * v) * 2 / math.pi


def ground_friction(t, a, b, p):
    """A wheel that slides on the ground: friction with the normal force of a soft contact."""
    depth = -b.x[2]
    if depth <= 0:
        return 0, 0, 0, 0, 0, 0
    normal = p[0] * depth**1.5 * (1 + p[1] * -b.v[2])
    slip = math.sqrt(b.v[0] ** 2 + b.v[1] ** 2 + 1e-8)
    mu = p[2] * slip / (slip + 0.01)
    return -mu * normal * b.v[0] / slip, -mu * normal * b.v[1] / slip, normal, 0, 0, 0


LAWS = (coulomb, coulomb_smooth, stribeck, stick_zone, bristle, capstan)
LOADS = ((ground_friction, (2e4, 0.3, 0.8)),)
