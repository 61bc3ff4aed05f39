"""Physical pendulum: a uniform rod of 1 m and 1 kg that starts horizontally at rest; its motion is known in elliptic functions.

The reference problem of spec 003, section 6. As a system given by its functions it has the source's coordinates (x, y of the
centre of mass, angle from the downward vertical) and rows, so that multipliers can be compared.
"""

from functools import lru_cache
from math import sqrt

import numpy as np

from ..model import Model, Rod
from ..system.system import System
from .base import Mechanism, energy_drift, joint, joint_velocity

S, J, GRAVITY = 0.5, 1 / 12, 9.81  # from the pivot to the centre of mass (m), moment of inertia (kg m^2), m/s^2


def physical_pendulum(planar: bool = True) -> Model:
    """The rod along x, hinged at the origin about z."""
    model = Model("physical pendulum", gravity=(0, -GRAVITY, 0), planar=planar)
    rod = model.body("rod", Rod((0, 0, 0), (2 * S, 0, 0), mass=1.0))
    model.revolute("A", model.ground, rod, (0, 0, 0), (0, 0, 1))
    return model


def force(t, q, v):
    """Weight."""
    zero = 0.0 * q[0]
    return np.array([zero, zero - GRAVITY, zero])


def phi(t, q):
    """The pivot stays where it is."""
    return np.array([q[0] - S * np.sin(q[2]), q[1] + S * np.cos(q[2])])


@lru_cache(maxsize=32)
def physical_pendulum_functions(t: float = 0.0, m: float = 0.5) -> System:
    """The system of functions, to start (at its time 0) from the exact state of time t (s)."""
    q, v, _ = exact(t, m)
    return System.from_functions(np.diag([1.0, 1.0, J]), force, phi, q0=q, v0=v, name="physical pendulum")


def angle(t, m=0.5):
    """Angle and its derivative of the exact motion, rad and rad/s; m = sin(amplitude / 2)^2."""
    from scipy.special import ellipj

    w = sqrt(GRAVITY * S / (J + S * S))
    sn, cn, dn, _ = ellipj(w * np.asarray(t, float), m)
    x = np.sqrt(m) * cn / dn
    return 2 * np.arcsin(x), -2 * np.sqrt(m) * w * (1 - m) * sn / dn**2 / np.sqrt(1 - x * x)


def exact(t, m=0.5):
    """q (3,), v (3,), lam (2,) at a time (s); m = sin(amplitude / 2)^2."""
    a, w = angle(t, m)
    s, c, turn = np.sin(a), np.cos(a), -GRAVITY * S * np.sin(a) / (J + S * S)
    q, v = np.array([S * s, -S * c, a]), np.array([S * c * w, S * s * w, w])
    return q, v, np.array([-(S * c * turn - S * s * w * w), -GRAVITY - (S * s * turn + S * c * w * w)])


PHYSICAL_PENDULUM = Mechanism(
    name="physical-pendulum",
    title="Physical pendulum with its exact motion",
    model=physical_pendulum,
    span=10.0,
    provenance="spec 003, section 6; data of that text",
    outputs=(joint("A"), joint_velocity("A")),
    measures=(energy_drift(1e-3, "ours"),),
)
