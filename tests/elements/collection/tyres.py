"""Tyres."""

import math

import numpy as np

B, C, D, E = 10.0, 1.9, 1.0, 0.97
LOADS_TABLE = np.array([1000.0, 2000.0, 4000.0, 6000.0])
GRIP_TABLE = np.array([1.1, 1.05, 0.95, 0.85])


def magic(slip, load):
    """Pacejka's formula."""
    return load * D * math.sin(C * math.atan(B * slip - E * (B * slip - math.atan(B * slip))))


def magic_lateral(t, a, b, p):
    forward = b.R[0][0] * b.v[0] + b.R[1][0] * b.v[1]
    side = b.R[0][1] * b.v[0] + b.R[1][1] * b.v[1]
    alpha = math.atan2(side, abs(forward) + 0.1)
    force = -magic(alpha, p[0])
    return force * b.R[0][1], force * b.R[1][1], 0.0, 0.0, 0.0, 0.0


def brush(t, a, b, p):
    """The brush model: a parabola up to full sliding."""
    stiffness, mu, load = p
    sigma = math.hypot(b.v[0], b.v[1]) / max(abs(b.w[1]) * 0.3, 0.1)
    theta = stiffness / (3 * mu * load)
    if theta * sigma < 1:
        force = mu * load * (3 * theta * sigma - 3 * (theta * sigma) ** 2 + (theta * sigma) ** 3)
    else:
        force = mu * load
    speed = math.hypot(b.v[0], b.v[1]) + 1e-6
    return (-force * b.v[0] / speed, -force * b.v[1] / speed, 0, 0, 0, -0.01 * force * np.sign(b.w[2]))


def load_sensitive(t, a, b, p):
    fz = np.clip(p[0] * (p[1] - b.x[2]), 0.0, 8000.0)
    mu = np.interp(fz, LOADS_TABLE, GRIP_TABLE)
    kappa = (b.w[1] * p[1] - b.v[0]) / max(abs(b.v[0]), 0.5)
    fx = mu * fz * np.tanh(12 * kappa)
    return [fx, 0.0, fz, 0.0, -fx * p[1], 0.0]


def rolling_resistance(t, x, v):
    return -0.015 * 4000.0 * np.tanh(v / 0.05) * (1 + (v / 40.0) ** 4)


LAWS = (rolling_resistance,)
LOADS = ((magic_lateral, (3500.0,)), (brush, (60000.0, 0.9, 3000.0)), (load_sensitive, (2e5, 0.32)))
