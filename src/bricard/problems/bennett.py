"""Bennett's linkage: four bars in space with four hinges that are neither parallel nor meet, and yet it moves.

Opposite bars are equal, and sin(twist) / length is the same for all. Counting says that it is immobile by two: three of its
twenty rows are redundant, but only as long as lengths and twists fit exactly. They are computed here, not typed: with data of
6 to 10 digits the loop is, strictly, a rigid frame, and moves within a misfit of those digits. Data are ours.
"""

from math import asin, atan, pi, sin, tan

import numpy as np

from ..model import Model, Rod
from .base import Mechanism, energy_drift, joint, joint_velocity

SHORT, LONG, TWIST = 0.6, 1.0, pi / 6  # m, m, rad: bar a, bar b, twist of a
OTHER = asin(LONG * sin(TWIST) / SHORT)  # twist of b
START = 2.0  # rad, angle of the first hinge between the bars


def hinges() -> tuple[np.ndarray, np.ndarray]:
    """Points (4, 3) and axes (4, 3) of the hinges, the first in the origin about z, the last bar along the ground.

    Denavit and Hartenberg: turn by an angle about z, go along x by the length, twist about x. The second angle follows from
    tan(theta1 / 2) tan(theta2 / 2) = sin((B + A) / 2) / sin((B - A) / 2), the others are the negatives of both.
    """
    ratio = sin(0.5 * (OTHER + TWIST)) / sin(0.5 * (OTHER - TWIST))
    second = 2 * atan(ratio / tan(0.5 * START))
    bars = ((START, SHORT, TWIST), (second, LONG, OTHER), (-START, SHORT, TWIST), (-second, LONG, OTHER))
    frame, place, points, axes = np.eye(3), np.zeros(3), [], []
    for angle, length, twist in bars:
        points.append(place)
        axes.append(frame[:, 2])
        c, s, k, r = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        place = place + frame @ turn @ np.array([length, 0, 0])
        frame = frame @ turn @ np.array([[1, 0, 0], [0, k, -r], [0, r, k]])
    return np.array(points), np.array(axes)


def bennett() -> Model:
    """Three round bars of 1 kg per metre; the fourth is the ground. The first hinge starts with 3 rad/s."""
    model = Model("Bennett linkage")
    points, axes = hinges()
    bodies = [model.ground]
    for k, length in enumerate((SHORT, LONG, SHORT)):
        bodies.append(model.body(f"bar {k + 1}", Rod(points[k], points[k + 1], mass=length, radius=0.02)))
    for k in range(4):
        model.revolute(f"H{k + 1}", bodies[k], bodies[(k + 1) % 4], points[k], axes[k])
    model.start(joint="H1", velocity=3.0)
    return model


BENNETT = Mechanism(
    name="bennett",
    title="Bennett's linkage",
    model=bennett,
    span=5.0,
    provenance="ours",
    citations=("Bennett 1903, Engineering 76, 777-778",),
    outputs=(joint("H1"), joint_velocity("H1")),
    measures=(energy_drift(1e-3, "ours"),),
)
