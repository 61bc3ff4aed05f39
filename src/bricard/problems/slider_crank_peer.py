"""Slider-crank of the comparison with other packages: crank 0.5 m, rod 1 m, slider, 1 kg each; the crank starts with -8 rad/s.

It turns about eight times in 5 s and stays away from singular positions. One degree of freedom: the reference is the equation
of its crank angle. Data are ours.
"""

from math import sqrt

from ..model import Box, Model, Rod
from .base import Mechanism, energy_drift, point

CRANK, ROD, SPEED = 0.5, 1.0, -8.0  # m, m, rad/s


def slider_crank_peer(planar: bool = True) -> Model:
    """Crank upright at the start, slider along x."""
    model = Model("slider-crank", gravity=(0, -9.81, 0), planar=planar)
    pin, end, axis = (0, CRANK, 0), (sqrt(ROD**2 - CRANK**2), 0, 0), (0, 0, 1)
    model.body("crank", Rod((0, 0, 0), pin, mass=1.0))
    model.body("rod", Rod(pin, end, mass=1.0))
    model.body("slider", Box((0.1, 0.1, 0.1), mass=1.0, position=end))
    model.revolute("A", model.ground, "crank", (0, 0, 0), axis)
    model.revolute("B", "crank", "rod", pin, axis)
    model.revolute("C", "rod", "slider", end, axis)
    model.prismatic("P", model.ground, "slider", end, (1, 0, 0))
    model.start(joint="A", velocity=SPEED)
    return model


SLIDER_CRANK_PEER = Mechanism(
    name="slider-crank-peer",
    title="Slider-crank, 0.5 m and 1 m, of the comparison with other packages",
    model=slider_crank_peer,
    span=5.0,
    provenance="ours",
    outputs=point("B", "crank", (0.5 * CRANK, 0.0, 0.0), "xy"),
    measures=(energy_drift(1e-3, "ours"),),
)
