"""Independent coordinates by the real Schur form: tangent directions, frozen until they lose the motion.

    G^T G = K S K^T,   S_ii = 0 for K2,   z = K2^T xi,   w = K2^T xi'          (scaled rows and columns)

The Schur vectors of G^T G that belong to zeros on the diagonal of S span the tangent space of the constraints. As G^T G is
symmetric, S is diagonal and they are eigenvectors; the general algorithm costs several times as much. They stay until more than
the share `tau` of the motion lies outside of them. Positions and velocities hold to round-off.
When to use it: to compare. Redundant rows, drivers and nonholonomic rows are allowed. How it works: tangent_coordinates.py.
Reference: Pennestri and Valentini, Coordinate reduction strategies in multibody dynamics: a review (2007); spec 003, section 4.
"""

from ..linalg.null_space import schur
from .base import ODE, Formulation
from .tangent_coordinates import LOST, Directions, problem


def ode(system, correction="none", tau=LOST):
    """The Ode form: y = [z, w]."""
    return problem(system, Directions(schur), directions=True, tau=tau)


SCHUR = Formulation(
    name="schur",
    title="Independent coordinates: tangent directions by the Schur form",
    index=1,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Pennestri and Valentini 2007",),
    options={"tau": LOST},
    ranges={"tau": (1e-6, 0.5)},
    correction="none",
    corrections=("none",),
    cost="four evaluations, two sparse factorisations, two products with N; a Schur form when directions are chosen anew",
)
