"""Planar double pendulum of spec 000: two rods of 0.5 m and 1 kg; cases A (small swing), B (pushed), C (large, chaotic).

As bodies and joints, and as a system given by its functions with the constraint rows of the source: coordinates
(phi1, x1, y1, phi2, x2, y2), y downwards, angles from the vertical. The source gives the length only; masses are ours.
"""

from functools import lru_cache
from math import cos, pi, sin

import numpy as np

from ..errors import ModelError
from ..model import Model, Rod
from ..system.system import System
from .base import Mechanism, Output, energy_drift

L, MASS, INERTIA, GRAVITY = 0.5, 1.0, 1.0 * 0.5**2 / 12, 9.81
# case -> angles (rad) and angular velocities (rad/s) at the start
CASES = {"A": ((pi / 3, pi / 6), (0.0, 0.0)), "B": ((0.0, 0.0), (1.0, 1.0)), "C": ((2.0, 2.5), (0.0, 0.0))}
AXIS = (0, 0, 1)


def double_pendulum(case: str = "A") -> Model:
    """Two planar rods; joint angles are zero in the drawn position, which is that of the case."""
    (a, b), (p, r) = _start(case)
    model = Model(f"double pendulum {case}", gravity=(0, -GRAVITY, 0), planar=True)
    knee = (L * sin(a), -L * cos(a), 0.0)
    middles = {
        "rod 1": (0.5 * knee[0], 0.5 * knee[1], 0.0),
        "rod 2": (knee[0] + L / 2 * sin(b), knee[1] - L / 2 * cos(b), 0.0),
    }
    for (name, middle), angle in zip(middles.items(), (a, b), strict=True):
        turn = (cos(angle / 2), 0.0, 0.0, sin(angle / 2))
        model.body(name, mass=MASS, inertia=(INERTIA, INERTIA, INERTIA), position=middle, rotation=turn)
        model.draw(name, Rod((0, L / 2, 0), (0, -L / 2, 0), mass=0.0, radius=0.02 * L))
    model.pin("O", model.ground, "rod 1", (0, 0, 0))
    model.pin("K", "rod 1", "rod 2", knee)
    model.start(joint="O", velocity=p)
    model.start(joint="K", velocity=r - p)
    return model


def _start(case):
    if case not in CASES:
        raise ModelError(f"double-pendulum: there is no case {case!r}. Known: {', '.join(CASES)}.")
    return CASES[case]


def phi(t, q):
    """The source's four rows; q = (phi1, x1, y1, phi2, x2, y2), y downwards."""
    return np.array(
        [
            q[1] - 0.5 * L * np.sin(q[0]),
            q[2] - 0.5 * L * np.cos(q[0]),
            L * np.sin(q[0]) - q[4] + 0.5 * L * np.sin(q[3]),
            L * np.cos(q[0]) - q[5] + 0.5 * L * np.cos(q[3]),
        ]
    )


def jacobian(t, q):
    """G = dPhi/dq (4, 6)."""
    s1, c1, s2, c2 = np.sin(q[0]), np.cos(q[0]), np.sin(q[3]), np.cos(q[3])
    one, zero = 1.0 + 0.0 * s1, 0.0 * s1
    return np.array(
        [
            [-0.5 * L * c1, one, zero, zero, zero, zero],
            [0.5 * L * s1, zero, one, zero, zero, zero],
            [L * c1, zero, zero, 0.5 * L * c2, -one, zero],
            [-L * s1, zero, zero, -0.5 * L * s2, zero, -one],
        ]
    )


def force(t, q, v):
    """Weight, along +y."""
    weight = MASS * GRAVITY + 0.0 * q[0] + 0.0 * v[0] + 0.0 * t
    zero = 0.0 * weight
    return np.array([zero, zero, weight, zero, zero, weight])


def potential(q):
    """Potential energy, J."""
    return -MASS * GRAVITY * (q[2] + q[5])


@lru_cache(maxsize=4)
def double_pendulum_functions(case: str = "A") -> System:
    """The same as a system given by its functions."""
    (a, b), (p, r) = _start(case)
    q0 = [a, L / 2 * sin(a), L / 2 * cos(a), b]
    q0 += [L * sin(a) + L / 2 * sin(b), L * cos(a) + L / 2 * cos(b)]
    v0 = [p, L / 2 * cos(a) * p, -L / 2 * sin(a) * p, r]
    v0 += [L * cos(a) * p + L / 2 * cos(b) * r, -L * sin(a) * p - L / 2 * sin(b) * r]
    masses = np.diag([INERTIA, MASS, MASS, INERTIA, MASS, MASS])
    return System.from_functions(
        masses, force, phi, G=jacobian, q0=q0, v0=v0, potential=potential, name="double pendulum"
    )


def angle(body: str, *joints: str):
    """Angle of a rod from the vertical (samples,), rad, counted through full turns from that of the case."""

    def value(solution) -> np.ndarray:
        drawn = solution.system.model.bodies[body].rotation
        return np.arctan2(drawn[1, 0], drawn[0, 0]) + sum(solution.joint(name) for name in joints)

    return value


DOUBLE_PENDULUM = Mechanism(
    name="double-pendulum",
    title="Planar double pendulum, cases A, B, C",
    model=double_pendulum,
    span=5.0,
    provenance="spec 000, sections 3.2 and 9; masses ours",
    outputs=(Output("phi1", "rad", angle("rod 1", "O")), Output("phi2", "rad", angle("rod 2", "O", "K"))),
    measures=(energy_drift(1e-3, "ours"),),
)
