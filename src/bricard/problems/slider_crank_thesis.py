"""Slider-crank with two equal rods of 1 m and a slider without mass (spec 004, sections 8.2.7 and 9.1.4.2).

Equal lengths: where both rods are upright, the slider stands on the crank's pivot and the mechanism could go on as a plain
pendulum. The motion passes that singular position at speed. The slider is the end of the rod, kept on a line.
"""

from math import cos, pi, sin, sqrt

from ..model import Box, Model
from .base import Mechanism, energy_drift, point

AXIS = (0, 0, 1)


def slider_crank_thesis(planar: bool = True, speed: float = 4.0) -> Model:
    """Rods of 1 kg, 0.1 m square, crank at 45 degrees; the slider starts with `speed` (m/s) towards the pivot."""
    model = Model("slider-crank", gravity=(0, -9.81, 0), planar=planar)
    side = sqrt(0.5)
    rods = {"crank": ((side / 2, side / 2, 0.0), pi / 4), "rod": ((1.5 * side, side / 2, 0.0), -pi / 4)}
    for name, (centre, angle) in rods.items():
        turn = (cos(angle / 2), 0.0, 0.0, sin(angle / 2))
        model.body(name, Box((1.0, 0.1, 0.1), mass=1.0, position=centre, rotation=turn))
    model.revolute("A", model.ground, "crank", (0, 0, 0), AXIS)
    model.revolute("B", "crank", "rod", (side, side, 0), AXIS)
    model.point_on_line("slider", model.ground, "rod", (2 * side, 0, 0), (1, 0, 0))
    model.start(joint="A", velocity=speed / (2 * side))  # the slider moves with -2 sin(45 deg) times the crank's speed
    return model


OUTPUTS = point("B", "crank", (0.5, 0.0, 0.0), "xy")

SLIDER_CRANK_THESIS = Mechanism(
    name="slider-crank-thesis",
    title="Slider-crank with equal rods",
    model=slider_crank_thesis,
    span=10.0,
    provenance="Uriarte 2023, sections 8.2.7 and 9.1.4.2",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU",),
    singular="both rods upright, the slider on the crank's pivot",
    outputs=OUTPUTS,
    measures=(energy_drift(1e-3, "Uriarte 2023, section 8.2.7"),),
)
