"""Moving physical pendulum (spec 002, section 6): its pivot slides along a horizontal line.

The source's coordinates are (x1, x2) of the centre of mass and x3, the angle from the horizontal, with x2 = rho sin x3. Case A
falls freely, case B is driven and damped. The slider at the pivot has no mass.
"""

from math import cos, pi, sin

import numpy as np

from ..errors import ModelError
from ..model import Box, Model, Rod, Sine
from .base import Mechanism, Output, energy_balance

MASS, J, RHO, GRAVITY = 2.0, 0.06, 0.4, 9.81  # kg, kg m^2, m, m/s^2
START, SPEED, RATE = 0.3, 0.5, -1.2  # rad; m/s of the centre along the line, rad/s


def moving_pendulum(case: str = "A") -> Model:
    """The centre of mass over the origin, 0.3 rad above the horizontal through the pivot."""
    if case not in ("A", "B"):
        raise ModelError(f"moving-pendulum: there is no case {case!r}. Known: A, B.")
    model = Model(f"moving pendulum {case}", gravity=(0, -GRAVITY, 0), planar=True)
    pivot = (-RHO * cos(START), 0.0, 0.0)
    model.body("slider", mass=0.0, inertia=0.0, position=pivot)
    turn = (cos(START / 2), 0.0, 0.0, sin(START / 2))
    model.body("body", mass=MASS, inertia=J, position=(0, RHO * sin(START), 0), rotation=turn)
    model.draw("body", Rod((-RHO, 0, 0), (0, 0, 0), mass=0.0, radius=0.02))
    model.draw("body", Box((0.5 * RHO, 0.4 * RHO, 0.1), mass=0.0))
    model.prismatic("P", model.ground, "slider", pivot, (1, 0, 0))
    model.pin("A", "slider", "body", pivot)
    if case == "B":
        model.force("load", "body", force=(Sine(1.5, 1.5 / pi, phase=pi / 2), 0, 0), torque=(0, 0, Sine(0.05, 1 / pi)))
        model.torsion("damper", "A", damping=0.02)
    model.start(joint="A", velocity=RATE)
    model.start(joint="P", velocity=SPEED + RATE * RHO * sin(START))
    return model


def centre(axis: int):
    """A coordinate of the centre of mass (samples,), m."""
    return lambda solution: solution.point("body")[:, axis]


def angle(solution) -> np.ndarray:
    """x3 (samples,), rad."""
    return START + solution.joint("A")


MOVING_PENDULUM = Mechanism(
    name="moving-pendulum",
    title="Moving physical pendulum, cases A and B",
    model=moving_pendulum,
    span=3.0,
    provenance="spec 002, section 6; data of that text",
    citations=("Blajer, Schiehlen and Schirm 1994",),
    outputs=(Output("x1", "m", centre(0)), Output("x2", "m", centre(1)), Output("x3", "rad", angle)),
    measures=(energy_balance(1e-4, "ours"),),
)
