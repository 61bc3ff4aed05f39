"""Bricard's orthogonal six-bar (IFToMM A04): five rods of 1 m and 1 kg, six hinges, each axis across the rods that it joins.

Counting says that it cannot move, but it has one degree of freedom: one of its thirty rows is redundant everywhere.
"""

from itertools import pairwise

from ..model import Box, Model
from .base import Mechanism, energy_drift, joint, joint_velocity

POINTS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))  # m
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
THICKNESS = 0.1  # m


def bricard() -> Model:
    """The rods are edges of a cube at the start, at rest; weight along -y."""
    model = Model("Bricard six-bar", gravity=(0, -9.81, 0))
    chain = [model.ground]
    for k, (a, b) in enumerate(pairwise(POINTS)):
        size = tuple(1.0 if x != y else THICKNESS for x, y in zip(a, b, strict=True))
        middle = tuple(0.5 * (x + y) for x, y in zip(a, b, strict=True))
        chain.append(model.body(f"rod {k + 1}", Box(size, mass=1.0, position=middle)))
    chain.append(model.ground)
    for k, (point, axis) in enumerate(zip(POINTS, AXES, strict=True)):
        model.revolute(f"P{k}", chain[k], chain[k + 1], point, axis)
    return model


BRICARD = Mechanism(
    name="bricard",
    title="Bricard's six-bar, IFToMM A04",
    model=bricard,
    span=10.0,
    provenance="IFToMM library of computational benchmarks, A04; Uriarte 2023, table 8.1",
    citations=(
        "Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0",
        "Uriarte 2023, PhD thesis",
    ),
    outputs=(joint("P0"), joint_velocity("P0")),
    measures=(energy_drift(1e-3, "IFToMM library, A04"),),
)
