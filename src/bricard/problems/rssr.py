"""Spatial four-bar RSSR: a crank about x and a rocker about y, coupled by a rod with two balls.

Two degrees of freedom: the crank, and the spin of the coupler about its own axis, which nothing drives and nothing stops. Data
are ours.
"""

from math import acos, atan2, cos, hypot, sin

import numpy as np

from ..model import Model, Rod
from .base import Mechanism, energy_drift, joint, joint_velocity

CRANK, COUPLER, ROCKER = 0.3, 1.2, 0.8  # m, and kg
SPEED = 5.0  # rad/s, of the crank
PIVOT = (1.0, 0.4, 0.0)  # of the rocker


def rocker_angle() -> float:
    """Where the rocker stands (rad from x towards z) with the crank upright: |pivot + rocker - crank| = coupler."""
    x, y, z = PIVOT[0], PIVOT[1], PIVOT[2] - CRANK
    rest = (COUPLER**2 - x * x - y * y - z * z - ROCKER**2) / (2 * ROCKER)
    return atan2(z, x) + acos(rest / hypot(x, z))


def coupler_rate(top, end):
    """Angular velocity (3,) of the coupler that does not spin about its axis, from the velocities of its ends."""
    rod, arm = np.subtract(end, top), np.cross((0.0, 1.0, 0.0), np.subtract(end, PIVOT))
    at_top = np.cross((SPEED, 0.0, 0.0), top)
    at_end = arm * (rod @ at_top) / (rod @ arm)  # the rod keeps its length
    return np.cross(rod, at_end - at_top) / (rod @ rod)


def rssr() -> Model:
    """The crank starts upright with 5 rad/s, the coupler without spin."""
    model = Model("RSSR")
    angle, top = rocker_angle(), (0.0, 0.0, CRANK)
    end = (PIVOT[0] + ROCKER * cos(angle), PIVOT[1], PIVOT[2] + ROCKER * sin(angle))
    model.body("crank", Rod((0, 0, 0), top, mass=CRANK, radius=0.02))
    model.body("coupler", Rod(top, end, mass=COUPLER, radius=0.02))
    model.body("rocker", Rod(end, PIVOT, mass=ROCKER, radius=0.02))
    model.revolute("A", model.ground, "crank", (0, 0, 0), (1, 0, 0))
    model.spherical("B", "crank", "coupler", top)
    model.spherical("C", "coupler", "rocker", end)
    model.revolute("D", "rocker", model.ground, PIVOT, (0, 1, 0))
    model.start(joint="A", velocity=SPEED)
    model.start(body="coupler", angular_velocity=coupler_rate(top, end))
    return model


RSSR = Mechanism(
    name="rssr",
    title="Spatial four-bar RSSR",
    model=rssr,
    span=2.0,
    provenance="ours",
    outputs=(joint("A"), joint("D"), joint_velocity("A")),
    measures=(energy_drift(1e-3, "ours"),),
)
