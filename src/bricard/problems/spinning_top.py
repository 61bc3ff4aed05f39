"""Spinning top on a fixed tip at 5000 turns a minute (Urkullu; spec 004, section 8.2.3).

Upright at the start, it would spin there for ever: a pulse of force pushes it aside (pulse=True). Without the pulse, leaning, it
nods and precesses, and keeps its energy, its spin and its angular momentum about the vertical.
"""

import numpy as np

from ..model import FunctionProfile, Model
from .base import Mechanism, point

MASS, LENGTH = 1.7355017e-2, 0.03993  # kg; m from the tip to the centre of mass
ACROSS, ALONG, SPIN = 3.256544e-6, 1.99486e-6, 523.6  # kg m^2 about the centre of mass; rad/s


def push(t):
    """Force along x on the centre of mass (N): a bell of 0.01 N at t = 0.6 s."""
    return 0.01 * np.exp(-((t - 0.6) ** 2) / (2 * 0.1**2))


def spinning_top(lean: float = 0.0, pulse: bool = True) -> Model:
    """Leaning by `lean` (rad) towards x, released with its spin alone."""
    axis = np.array([np.sin(lean), 0.0, np.cos(lean)])
    turn = (np.cos(0.5 * lean), 0.0, np.sin(0.5 * lean), 0.0)
    model = Model("spinning top", gravity=(0, 0, -9.81))
    model.body("top", mass=MASS, inertia=(ACROSS, ACROSS, ALONG), position=LENGTH * axis, rotation=turn)
    model.spherical("tip", model.ground, "top", (0, 0, 0))
    if pulse:
        model.force("pulse", "top", force=(FunctionProfile(push), 0.0, 0.0))
    model.start(body="top", angular_velocity=SPIN * axis)
    return model


SPINNING_TOP = Mechanism(
    name="spinning-top",
    title="Spinning top, 523.6 rad/s, with a pulse of force",
    model=spinning_top,
    span=1.0,
    provenance="Uriarte 2023, section 8.2.3 (data of Urkullu); the duration is ours",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU",),
    outputs=point("centre", "top", (0.0, 0.0, 0.0)),
)
