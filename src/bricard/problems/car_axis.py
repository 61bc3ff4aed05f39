"""Car axis (test set for initial value problems): an axle on two springs; one wheel runs over a bumpy road.

Coordinates (xl, yl, xr, yr) of the axle's ends; the left wheel stays in the origin, the right one follows
(xb, yb) = (sqrt(L^2 - yb^2), r sin(w t)). Two rheonomic constraints: the left spring is perpendicular to the ground between the
wheels, the axle has constant length. The test set asks for the values at t = 3 s.
"""

from functools import lru_cache

import numpy as np

from ..system.system import System
from .base import Mechanism, Output, energy_balance

EPS2, MASS, L, L0, BUMP, ROAD = 1e-4, 10.0, 1.0, 0.5, 0.1, 10.0  # epsilon^2, M, L, L0, r, omega of the test set
INERTIA = EPS2 * MASS / 2
NAMES = ("xl", "yl", "xr", "yr")


def phi(t, q):
    """The two constraints."""
    yb = BUMP * np.sin(ROAD * t)
    xb = np.sqrt(L * L - yb * yb)
    return np.array([q[0] * xb + q[1] * yb, (q[0] - q[2]) ** 2 + (q[1] - q[3]) ** 2 - L * L])


def force(t, q, v):
    """Springs and weight."""
    yb = BUMP * np.sin(ROAD * t)
    dx, dy = q[2] - np.sqrt(L * L - yb * yb), q[3] - yb
    left = L0 / np.sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0
    right = L0 / np.sqrt(dx * dx + dy * dy) - 1.0
    return np.array([left * q[0], left * q[1] - INERTIA, right * dx, right * dy - INERTIA])


@lru_cache(maxsize=1)
def car_axis() -> System:
    """The start of the test set: xl = 0, yl = yr = 1/2, xr = 1, both ends move with -1/2 along x."""
    return System.from_functions(
        np.diag([INERTIA] * 4), force, phi, q0=[0.0, 0.5, 1.0, 0.5], v0=[-0.5, 0.0, -0.5, 0.0], name="car axis"
    )


def column(k: int, velocity: bool = False):
    """Coordinate k of the samples, or its rate."""
    return lambda solution: (solution.v if velocity else solution.q)[:, k]


CAR_AXIS = Mechanism(
    name="car-axis",
    title="Car axis of the test set",
    model=car_axis,
    span=3.0,
    provenance="test set for initial value problem solvers (Bari)",
    citations=("Mazzia and Magherini 2008, Test Set for Initial Value Problem Solvers", "Schneider 1994"),
    outputs=(
        *(Output(name, "m", column(k)) for k, name in enumerate(NAMES)),
        *(Output(f"{name}'", "m/s", column(k, True)) for k, name in enumerate(NAMES)),
    ),
    measures=(energy_balance(1e-6, "ours"),),
)
