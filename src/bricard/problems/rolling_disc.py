"""A thin disc that rolls on a table without slipping, and rocks: one row of contact and two nonholonomic rows.

Leaning by a constant angle it can roll steadily, its centre on a circle, if its turn W about the vertical and its rate n about
its own axis fit together (moments about the centre; A, C across and along the axis):

    (C + m r^2) W n cos(lean) - A W^2 sin(lean) cos(lean) + m g r sin(lean) = 0

Data are ours.
"""

import numpy as np

from ..model import Model
from .base import Mechanism, energy_drift, point

MASS, RADIUS, GRAVITY = 1.0, 0.5, 9.81
ACROSS, ALONG = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2
LEAN, TURN = 0.3, 1.0  # rad towards the centre of the circle; rad/s
RATE = (ACROSS * TURN**2 * np.cos(LEAN) - MASS * GRAVITY * RADIUS) * np.tan(LEAN) / ((ALONG + MASS * RADIUS**2) * TURN)
CIRCLE = -RADIUS * RATE / TURN  # radius of the path of the centre (m)


def rolling_disc(push: float = 0.5) -> Model:
    """In steady rolling about the origin; `push` (rad/s) rocks it out of that motion."""
    model = Model("rolling disc", gravity=(0, 0, -GRAVITY))
    axis, up = np.array([np.cos(LEAN), 0.0, np.sin(LEAN)]), np.array([-np.sin(LEAN), 0.0, np.cos(LEAN)])
    half = 0.5 * (0.5 * np.pi - LEAN)
    model.body(
        "disc",
        mass=MASS,
        inertia=(ACROSS, ACROSS, ALONG),
        position=(CIRCLE, 0, RADIUS * np.cos(LEAN)),
        rotation=(np.cos(half), 0, np.sin(half), 0),  # z of the body along the axis
    )
    model.rolling_disc("rolling", "disc", RADIUS, axis=axis)
    model.start(body="disc", angular_velocity=TURN * np.cos(LEAN) * up + RATE * axis + np.array([0.0, push, 0.0]))
    return model


ROLLING_DISC = Mechanism(
    name="rolling-disc",
    title="Rolling disc",
    model=rolling_disc,
    span=5.0,
    provenance="ours",
    outputs=point("disc", "disc", (0.0, 0.0, 0.0)),
    measures=(energy_drift(1e-4, "ours"),),
)
