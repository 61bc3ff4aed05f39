"""Slider-crank whose coupler is made of two rigid halves with a torsional spring between them.

The halves stand for the flexible coupler of the third example of the lecture in spec 003, section 5.1. A planar motion of
bodies in space, with Euler parameters as there: `build(rotation="quaternion")`. In space its hinges are redundant. The
lecture gives no data, these are ours.
"""

from ..model import Box, Model, Rod
from .base import Mechanism, energy_balance, joint, joint_velocity

AXIS = (0, 0, 1)


def halved_slider_crank(planar: bool = False) -> Model:
    """Crank 0.15 m, halves of 0.25 m with 200 N m/rad and 0.2 N m s/rad between them; 15 rad/s at the start."""
    model = Model("halved slider-crank", gravity=(0, -9.81, 0), planar=planar)
    a, b, c, d = (0.0, 0.0, 0.0), (0.0, 0.15, 0.0), (0.2384848, 0.075, 0.0), (0.4769696, 0.0, 0.0)
    model.body("crank", Rod(a, b, mass=0.4, radius=0.01))
    model.body("half 1", Rod(b, c, mass=0.3, radius=0.01))
    model.body("half 2", Rod(c, d, mass=0.3, radius=0.01))
    model.body("slider", Box((0.05, 0.05, 0.05), mass=0.5, position=d))
    model.revolute("A", model.ground, "crank", a, AXIS)
    model.revolute("B", "crank", "half 1", b, AXIS)
    model.revolute("K", "half 1", "half 2", c, AXIS)
    model.revolute("C", "half 2", "slider", d, AXIS)
    model.prismatic("P", model.ground, "slider", d, (1, 0, 0))
    model.torsion("bending", "K", stiffness=200.0, damping=0.2)
    model.start(joint="A", velocity=-15.0)
    model.start(joint="K", velocity=0.0)
    return model


HALVED_SLIDER_CRANK = Mechanism(
    name="halved-slider-crank",
    title="Slider-crank with a coupler of two halves and a torsional spring",
    model=halved_slider_crank,
    span=2.0,
    provenance="ours; the lecture of spec 003 has a flexible coupler and no data",
    citations=("Pennestri and Valentini 2010",),
    build={"rotation": "quaternion"},
    outputs=(joint("A"), joint_velocity("A")),
    measures=(energy_balance(1e-3, "ours"),),
)
