"""Gyroscope in gimbals: a fast rotor in an inner ring in an outer ring, three hinges whose axes meet in one point.

Free of weight in its centre, with a small mass on the inner ring that makes it precess; near 90 degrees of the inner ring the
axes of rotor and outer ring fall together (gimbal lock), which the motion avoids. Data are ours.
"""

from math import cos, pi, sin

from ..model import Cylinder, Model, Rod, Sphere
from .base import Mechanism, energy_drift, joint

SPIN = 100.0  # rad/s
WEIGHT, ARM = 0.05, 0.15  # kg and m of the mass on the inner ring, on the rotor's axis


def gyroscope() -> Model:
    """Rotor about x in the inner ring, which turns about y in the outer ring, which turns about z on the ground."""
    model = Model("gyroscope")
    model.body("outer", mass=0.6, inertia=(3.2e-3, 3.2e-3, 6.0e-3), position=(0, 0, 0))
    inner = 1.5e-3  # of the ring about x and y, half of that about its axis z; the mass is added
    mass = 0.3 + WEIGHT
    shift = WEIGHT * ARM / mass
    across = WEIGHT * (ARM - shift) ** 2 + 0.3 * shift**2
    moments = (inner, inner + across, 2 * inner + across)
    model.body("inner", mass=mass, inertia=moments, com=(shift, 0, 0), position=(0, 0, 0))
    model.body("rotor", Cylinder((-0.02, 0, 0), (0.02, 0, 0), 0.06, mass=1.5))
    model.revolute("Z", model.ground, "outer", (0, 0, 0), (0, 0, 1))
    model.revolute("Y", "outer", "inner", (0, 0, 0), (0, 1, 0))
    model.revolute("X", "inner", "rotor", (0, 0, 0), (1, 0, 0))
    _draw(model)
    model.start(joint="X", velocity=SPIN)
    model.start(joint="Y", velocity=0.0)
    model.start(joint="Z", velocity=0.0)
    return model


def _draw(model: Model) -> None:
    """Rings of short bars, their pins, and the stand."""
    for body, radius, upright in (("inner", 0.1, False), ("outer", 0.13, True)):
        sides = 36
        for k in range(sides):
            ends = [
                (radius * cos(angle), radius * sin(angle)) for angle in (2 * pi * k / sides, 2 * pi * (k + 1) / sides)
            ]
            start, end = [(0.0, x, y) if upright else (x, y, 0.0) for x, y in ends]
            model.draw(body, Rod(start, end, mass=0.0, radius=0.006))
    for side in (-1, 1):
        model.draw("rotor", Rod((0, 0, 0), (side * 0.1, 0, 0), mass=0.0, radius=0.005))
        model.draw("inner", Rod((0, side * 0.1, 0), (0, side * 0.13, 0), mass=0.0, radius=0.005))
        model.draw("ground", Rod((0, 0, side * 0.13), (0, 0, side * 0.16), mass=0.0, radius=0.005))
    model.draw("inner", Rod((0.1, 0, 0), (ARM, 0, 0), mass=0.0, radius=0.004))
    model.draw("inner", Sphere((ARM, 0, 0), 0.012, mass=0.0))


GYROSCOPE = Mechanism(
    name="gyroscope",
    title="Gyroscope in gimbals",
    model=gyroscope,
    span=2.0,
    provenance="ours",
    outputs=(joint("Z"), joint("Y"), joint("X")),
    measures=(energy_drift(1e-4, "ours"),),
)
