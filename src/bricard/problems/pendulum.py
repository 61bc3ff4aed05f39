"""Simple pendulum (IFToMM A01): a point of 1 kg on a rod of 1 m without mass, let go from the horizontal.

The bob has no inertia of its own: the mass matrix is singular, the equations of motion are not.
"""

from ..model import Model
from .base import Mechanism, energy_drift, joint, joint_velocity


def pendulum(planar: bool = False) -> Model:
    """The bob starts at x = -1 m, at rest."""
    model = Model("pendulum", gravity=(0, -9.81, 0), planar=planar)
    model.body("bob", mass=1.0, inertia=(0, 0, 0), position=(-1, 0, 0))
    model.revolute("A", model.ground, "bob", (0, 0, 0), (0, 0, 1))
    return model


PENDULUM = Mechanism(
    name="pendulum",
    title="Simple pendulum, IFToMM A01",
    model=pendulum,
    span=10.0,
    provenance="IFToMM library of computational benchmarks, A01",
    citations=("Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0",),
    outputs=(joint("A"), joint_velocity("A")),
    measures=(energy_drift(5e-5, "IFToMM library, A01"),),
)
