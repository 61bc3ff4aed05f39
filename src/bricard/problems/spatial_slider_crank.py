"""Spatial slider-crank: a crank whose axis is along the slider's path but beside it, and a rod with a ball and a universal joint.

One degree of freedom, no redundancy. Second example of the lecture in spec 003, section 5.1, where rotations are Euler
parameters: `build(rotation="quaternion")`, and the mass matrix is singular. The lecture gives no data, these are ours.
"""

from math import cos, sin, sqrt

from ..model import Box, Model, Rod
from .base import Mechanism, energy_drift, joint, joint_velocity

PIVOT, CRANK, ROD = (0.0, 0.1, 0.12), 0.08, 0.3  # m


def spatial_slider_crank(angle: float = 0.0, speed: float = 6.0) -> Model:
    """Crank 0.08 m, rod 0.3 m, slider along x; the crank starts `angle` (rad) from upright, with `speed` (rad/s)."""
    model = Model("spatial slider-crank", gravity=(0, 0, -9.81))
    tip = (PIVOT[0], PIVOT[1] - CRANK * sin(angle), PIVOT[2] + CRANK * cos(angle))
    slider = (sqrt(ROD**2 - tip[1] ** 2 - tip[2] ** 2), 0.0, 0.0)
    model.body("crank", Rod(PIVOT, tip, mass=0.12, radius=0.01))
    model.body("rod", Rod(tip, slider, mass=0.5, radius=0.01))
    model.body("slider", Box((0.06, 0.04, 0.04), mass=2.0, position=slider))
    model.revolute("A", model.ground, "crank", PIVOT, (1, 0, 0))
    model.spherical("B", "crank", "rod", tip)
    across = (0.0, tip[2], -tip[1])  # a diameter of the rod, across the path of the slider
    model.universal("C", "slider", "rod", slider, (0, tip[1], tip[2]), across)
    model.prismatic("P", model.ground, "slider", slider, (1, 0, 0))
    model.start(joint="A", velocity=speed)
    return model


SPATIAL_SLIDER_CRANK = Mechanism(
    name="spatial-slider-crank",
    title="Spatial slider-crank",
    model=spatial_slider_crank,
    span=5.0,
    provenance="ours; the lecture of spec 003 names the mechanism, not the data",
    citations=("Pennestri and Valentini 2010",),
    build={"rotation": "quaternion"},
    outputs=(joint("A"), joint_velocity("A")),
    measures=(energy_drift(1e-3, "ours"),),
)
