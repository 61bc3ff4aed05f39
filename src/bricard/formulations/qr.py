"""Independent coordinates by QR factorisation: tangent directions, frozen until they lose the motion.

    G^T = [Q1 Q2] [R; 0],   z = Q2^T xi,   w = Q2^T xi'          (scaled rows and columns)

The last k columns of Q span the tangent space of the constraints. They stay until more than the share `tau` of the motion lies
outside of them. Positions and velocities hold to round-off.
When to use it: the cheapest of the methods with tangent directions, and as well conditioned as any. Redundant rows, drivers and
nonholonomic rows are allowed. How it works: tangent_coordinates.py.
Reference: Kim and Vanderploeg, J. Mech. Trans. Autom. 108 (1986) 183-188; spec 003, section 4.
"""

from ..linalg.null_space import qr
from .base import ODE, Formulation
from .tangent_coordinates import LOST, Directions, problem


def ode(system, correction="none", tau=LOST):
    """The Ode form: y = [z, w]."""
    return problem(system, Directions(qr), directions=True, tau=tau)


QR = Formulation(
    name="qr",
    title="Independent coordinates: tangent directions by QR",
    index=1,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Kim and Vanderploeg 1986",),
    options={"tau": LOST},
    ranges={"tau": (1e-6, 0.5)},
    correction="none",
    corrections=("none",),
    cost="four evaluations, two sparse factorisations, two products with N; a QR factorisation when directions are chosen anew",
)
