"""Driven pendulum (spec 004, sections 6 and 8.2.1.1): a point of 1 kg on a rod of 1 m, driven slowly by a small torque.

The load is thirty times slower than the pendulum's own swing: stiff in the sense of structural dynamics. In its angle it is an
oscillator with omega = sqrt(9.8) rad/s; methods for constraints are judged by whether they keep its limits of stability.
"""

from math import pi

import numpy as np

from ..model import Model, PointMass, Sine
from .base import Mechanism, Output, energy_balance

TORQUE, LOAD = 0.1, 0.1  # N m, rad/s


def driven_pendulum(torque: float = TORQUE) -> Model:
    """Hanging at rest; the angle of the joint A is driven by torque sin(0.1 t)."""
    model = Model("driven pendulum", gravity=(0, -9.8, 0), planar=True)
    model.body("bob", PointMass((0, -1, 0), mass=1.0))
    model.pin("A", model.ground, "bob", (0, 0, 0))
    model.motor("M", "A", Sine(torque, LOAD / (2 * pi)))
    return model


def angle(solution) -> np.ndarray:
    """Angle of the bob (samples,), rad."""
    return solution.joint("A")


DRIVEN_PENDULUM = Mechanism(
    name="driven-pendulum",
    title="Driven (stiff) pendulum",
    model=driven_pendulum,
    span=60.0,
    provenance="Uriarte 2023, sections 6 and 8.2.1.1; the duration is ours",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU",),
    outputs=(Output("A", "rad", angle),),
    measures=(energy_balance(1e-6, "ours"),),
)
