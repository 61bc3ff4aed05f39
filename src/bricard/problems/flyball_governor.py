"""Flyball governor (IFToMM A05): two rods with balls on a spinning shaft, and a slider that they carry by stiff spring-dampers.

The springs (8e5 N/m, 4e4 N s/m) take the place of coupler rods: with 0.3 kg of rod and 3 kg of slider the dampers relax within
0.1 ms while the governor swings within a second. The equations are stiff: explicit methods need small steps.
"""

from math import cos, pi, sin

import numpy as np

from ..errors import ModelError
from ..model import Box, Model
from ..system.channels import poses
from .base import Measure, Mechanism, Output

DENSITY, BALL = 3000.0, 5.0  # kg/m^3, kg
ALPHA, SPIN, REACH = pi / 6, 2 * pi, 0.05  # rad below the horizontal, rad/s, m from the axis to a hinge
STIFFNESS, DAMPING, FREE = 8e5, 4e4, 0.5  # N/m, N s/m, m
ROD, BAR = 1.0, 0.01  # m, length and side of shaft and rods
BOUND = 1e-3  # m


def flyball_governor() -> Model:
    """Shaft upright on the ground, rods 30 degrees below the horizontal, slider at half its height; all turn with 2 pi rad/s."""
    model = Model("flyball governor", gravity=(0, 0, -9.81))
    model.body("shaft", Box((BAR, BAR, ROD), density=DENSITY, position=(0, 0, 0.5 * ROD)))
    model.body("slider", Box((0.1, 0.1, 0.1), density=DENSITY, position=(0, 0, 0.5)))
    model.revolute("A", model.ground, "shaft", (0, 0, 0), (0, 0, 1))
    model.prismatic("S", "shaft", "slider", (0, 0, 0.5), (0, 0, 1))
    mass = DENSITY * ROD * BAR * BAR
    shift = 0.5 * ROD * BALL / (mass + BALL)  # of the centre of mass, from the middle of the rod towards the ball
    along = mass * BAR * BAR / 6.0
    across = mass * (ROD**2 + BAR**2) / 12.0 + mass * shift**2 + BALL * (0.5 * ROD - shift) ** 2
    for name, side in (("1", 1.0), ("2", -1.0)):
        hinge, way = np.array([side * REACH, 0, ROD]), np.array([side * cos(ALPHA), 0, -sin(ALPHA)])
        middle = hinge + 0.5 * ROD * way
        axes = np.column_stack([way, (0, 1, 0), np.cross(way, (0, 1, 0))])  # x of the body along the rod
        model.body(
            f"rod {name}",
            mass=mass + BALL,
            inertia=(along, across, across),
            com=(shift, 0, 0),
            position=middle,
            rotation=axes,
        )
        model.revolute(f"H{name}", "shaft", f"rod {name}", hinge, (0, 1, 0))
        model.spring(
            f"coupler {name}",
            "slider",
            f"rod {name}",
            (side * REACH, 0, 0.5),
            middle,
            stiffness=STIFFNESS,
            damping=DAMPING,
            length=FREE,
        )
    model.start(joint="A", velocity=SPIN)
    for joint in ("S", "H1", "H2"):
        model.start(joint=joint, velocity=0.0)
    return model


def height(solution) -> np.ndarray:
    """s (samples,): height of the slider above the ground, m."""
    return solution.point("slider")[:, 2]


def path_error(solution) -> float:
    """max |s - s_ref| over the times of the reference that the solution reaches, m."""
    errors = []
    for reference in FLYBALL_GOVERNOR.references:
        if reference.time <= solution.t[-1]:
            place, _ = poses(solution.system, solution.at(reference.time).q[None])["slider"]
            errors.append(abs(float(place[0, 2]) - reference["s"]))
    if not errors:
        first = min(reference.time for reference in FLYBALL_GOVERNOR.references)
        raise ModelError(f"flyball-governor: the path is compared from t = {first:g} s on; this solution ends before.")
    return max(errors)


FLYBALL_GOVERNOR = Mechanism(
    name="flyball-governor",
    title="Flyball governor, IFToMM A05",
    model=flyball_governor,
    span=10.0,
    provenance="IFToMM library of computational benchmarks, A05, as read in MBS-BOS (2015); the bound is ours",
    citations=(
        "Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0",
        "Tagliapietra, Vivian, Ceseracciu and Reggiani 2015, MBS-BOS, github.com/RehabEngGroup/MBSbenchmarksInOpenSim",
    ),
    outputs=(Output("s", "m", height),),
    measures=(
        Measure(
            "path of the slider",
            "m",
            path_error,
            BOUND,
            "ours: published solutions of A05 are curves s(t), drawn over half a metre, that can be read to 1 mm",
        ),
    ),
)
