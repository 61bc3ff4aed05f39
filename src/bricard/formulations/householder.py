"""Independent coordinates by an updated QR factorisation: tangent directions that change continuously when they are renewed.

    Q_old^T G^T = H [R; 0],   Q = Q_old H = [Q1 Q2],   z = Q2^T xi,   w = Q2^T xi'          (scaled rows and columns)

As qr, but the factorisation is made in the axes of the one before. Householder reflections that annihilate what little G has
along the old directions turn these by just as little, so w does not jump at a renewal as it does with an arbitrary new basis of
the same space. Q is a growing product of reflections; it is made orthonormal again when round-off shows.
When to use it: as qr, where w itself is looked at. Redundant rows, drivers and nonholonomic rows are allowed. How it works:
tangent_coordinates.py.
Reference: Kim and Vanderploeg, J. Mech. Trans. Autom. 108 (1986) 183-188; spec 004, section 1.5.
"""

from ..linalg.null_space import householder
from .base import ODE, Formulation
from .tangent_coordinates import LOST, Directions, problem


def ode(system, correction="none", tau=LOST):
    """The Ode form: y = [z, w]."""
    return problem(system, Directions(householder), directions=True, tau=tau)


HOUSEHOLDER = Formulation(
    name="householder",
    title="Independent coordinates: continuous tangent directions by Householder reflections",
    index=1,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Kim and Vanderploeg 1986", "Amirouche, Jia and Ider 1988"),
    options={"tau": LOST},
    ranges={"tau": (1e-6, 0.5)},
    correction="none",
    corrections=("none",),
    cost="four evaluations, two sparse factorisations, two products with N; a QR factorisation when directions are chosen anew",
)
