"""Stewart platform: a plate on six legs with cylinders, each with a universal joint below and a ball above; 13 bodies.

Six degrees of freedom, five closed loops, no redundancy. The legs are springs and dampers under load; one of them is pumped.
Data are ours.
"""

from math import cos, pi, sin

import numpy as np

from ..model import Cylinder, Model, Rod, Sine
from .base import Mechanism, energy_balance, point

BASE, PLATE, HEIGHT = 0.6, 0.35, 0.8  # m: radii of the joints below and above, height of the plate
LOWER, UPPER = 0.2, 0.15  # rad: half the angle between the two joints of a pair
MASS, LEG, ROD = 40.0, 3.0, 2.0  # kg: plate, cylinder, piston
STIFFNESS, DAMPING = 2e4, 400.0  # N/m, N s/m of a leg
LOAD, PUMP = MASS * 9.81 / 6, 150.0  # N: force of a leg at the start, amplitude of the pumped leg


def stewart_platform() -> Model:
    """Level and at rest at the start."""
    model = Model("Stewart platform")
    model.body("plate", Cylinder((0, 0, HEIGHT), (0, 0, HEIGHT + 0.03), 1.1 * PLATE, mass=MASS))
    for k in range(6):
        pair, side = divmod(k, 2)
        sign = 1.0 if side else -1.0
        low, high = pair * 2 * pi / 3 + sign * LOWER, pair * 2 * pi / 3 + sign * (pi / 3 - UPPER)
        foot = np.array([BASE * cos(low), BASE * sin(low), 0.0])
        head = np.array([PLATE * cos(high), PLATE * sin(high), HEIGHT])
        way = (head - foot) / np.linalg.norm(head - foot)
        out = np.array([cos(low), sin(low), 0.0])
        across = np.cross(way, out) / np.linalg.norm(np.cross(way, out))
        first = np.cross(
            across, way
        )  # axis of the universal joint on the ground: across the leg, and across the second axis
        model.body(f"cylinder {k + 1}", Rod(foot, foot + 0.5 * way, mass=LEG, radius=0.03))
        model.body(f"piston {k + 1}", Rod(head - 0.5 * way, head, mass=ROD, radius=0.015))
        model.universal(f"U{k + 1}", model.ground, f"cylinder {k + 1}", foot, first, across)
        model.prismatic(f"P{k + 1}", f"cylinder {k + 1}", f"piston {k + 1}", foot, way)
        model.spherical(f"S{k + 1}", f"piston {k + 1}", "plate", head)
        model.torsion(f"leg {k + 1}", f"P{k + 1}", stiffness=STIFFNESS, damping=DAMPING, angle=LOAD / STIFFNESS)
    model.motor("pump", "P1", Sine(PUMP, 2.0))
    return model


STEWART_PLATFORM = Mechanism(
    name="stewart-platform",
    title="Stewart platform on six springy legs",
    model=stewart_platform,
    span=2.0,
    provenance="ours",
    citations=("Stewart 1965, Proc. Inst. Mech. Eng. 180, doi:10.1243/PIME_PROC_1965_180_029_02",),
    outputs=point("plate", "plate", (0.0, 0.0, 0.0)),
    measures=(energy_balance(1e-3, "ours"),),
)
