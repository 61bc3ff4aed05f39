"""The physical pendulum of spec 003, section 6, as a system of functions, and its exact motion."""

from functools import cache

import numpy as np
from scipy.special import ellipj

import bricard as br

S, J, GRAVITY = 0.5, 1 / 12, 9.81  # from the pivot to the centre of mass (m), moment of inertia (kg m^2), m/s^2


def angle(t):
    """phi and phi' of the exact motion from rest at phi = pi/2."""
    w, m = np.sqrt(GRAVITY * S / (J + S * S)), 0.5
    sn, cn, dn, _ = ellipj(w * np.asarray(t, float), m)
    x = np.sqrt(m) * cn / dn
    return 2 * np.arcsin(x), -2 * np.sqrt(m) * w * (1 - m) * sn / dn**2 / np.sqrt(1 - x * x)


def exact(t):
    """q, v, lam at a time."""
    phi, w = angle(t)
    s, c, a = np.sin(phi), np.cos(phi), -GRAVITY * S * np.sin(phi) / (J + S * S)
    q, v = np.array([S * s, -S * c, phi]), np.array([S * c * w, S * s * w, w])
    return q, v, np.array([-(S * c * a - S * s * w * w), -GRAVITY - (S * s * a + S * c * w * w)])


@cache
def system(t=0.0):
    q, v, _ = exact(t)
    return br.System.from_functions(
        np.diag([1.0, 1.0, J]),
        lambda t, q, v: np.array([0 * q[0], 0 * q[0] - GRAVITY, 0 * q[0]]),
        lambda t, q: np.array([q[0] - S * np.sin(q[2]), q[1] + S * np.cos(q[2])]),
        q0=q,
        v0=v,
    )


def errors(solution, t):
    """Largest errors of q, v and lam at the end of a Solution that ends at time t."""
    q, v, lam = exact(t)
    return [np.abs(a[-1] - b).max() for a, b in ((solution.q, q), (solution.v, v), (solution.lam, lam))]
