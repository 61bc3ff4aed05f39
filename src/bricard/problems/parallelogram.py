"""Planar parallelogram linkage: two equal cranks that hang from the ground and a coupler between them.

It swings like a pendulum and stays away from its singular position (cranks and coupler in line). First of the three examples of
the lecture in spec 003, section 5.1; the lecture gives no data, these are ours.
"""

from math import cos, sin

from ..model import Model, Rod
from .base import Mechanism, energy_drift, joint, joint_velocity

CRANK, COUPLER = 1.0, 2.0  # m
LEAN = 1.0  # rad from the vertical at the start


def parallelogram(planar: bool = True) -> Model:
    """Cranks of 1 m and 1 kg, coupler of 2 m and 2 kg, released at rest 1 rad from the vertical."""
    model = Model("parallelogram", gravity=(0, -9.81, 0), planar=planar)
    x, y = CRANK * sin(LEAN), -CRANK * cos(LEAN)
    left, right = (0.0, 0.0, 0.0), (COUPLER, 0.0, 0.0)
    a, b = (x, y, 0.0), (COUPLER + x, y, 0.0)
    model.body("left crank", Rod(left, a, mass=1.0, radius=0.02))
    model.body("right crank", Rod(right, b, mass=1.0, radius=0.02))
    model.body("coupler", Rod(a, b, mass=2.0, radius=0.02))
    axis = (0, 0, 1)
    model.revolute("A", model.ground, "left crank", left, axis)
    model.revolute("B", "left crank", "coupler", a, axis)
    model.revolute("C", "coupler", "right crank", b, axis)
    model.revolute("D", "right crank", model.ground, right, axis)
    return model


PARALLELOGRAM = Mechanism(
    name="parallelogram",
    title="Planar parallelogram linkage",
    model=parallelogram,
    span=5.0,
    provenance="ours; the lecture of spec 003 names the mechanism, not the data",
    citations=("Pennestri and Valentini 2010",),
    outputs=(joint("A"), joint_velocity("A")),
    measures=(energy_drift(1e-3, "ours"),),
)
