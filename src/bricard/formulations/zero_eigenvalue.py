"""Independent coordinates by the zero eigenvalue theorem: tangent directions, frozen until they lose the motion.

    G^T G = T diag(lambda) T^T,   lambda_i = 0 for T2,   z = T2^T xi,   w = T2^T xi'          (scaled rows and columns)

The eigenvectors of G^T G to its k zero eigenvalues span the tangent space of the constraints. They stay until more than the
share `tau` of the motion lies outside of them. Positions and velocities hold to round-off all the same: the directions only say
which combinations of coordinates are integrated. The product squares the condition number of G, so near singular positions
these directions are the first to be lost.
When to use it: to compare; QR and SVD give the same space more accurately. Redundant rows, drivers and nonholonomic rows are
allowed. How it works: tangent_coordinates.py.
Reference: Walton and Steeves, NASA TR R-326 (1969); Kamman and Huston, J. Appl. Mech. 51 (1984) 899-903; spec 003, section 4.
"""

from ..linalg.null_space import zero_eigenvalue
from .base import ODE, Formulation
from .tangent_coordinates import LOST, Directions, problem


def ode(system, correction="none", tau=LOST):
    """The Ode form: y = [z, w]."""
    return problem(system, Directions(zero_eigenvalue), directions=True, tau=tau)


ZERO_EIGENVALUE = Formulation(
    name="zero-eigenvalue",
    title="Independent coordinates: tangent directions by zero eigenvalues",
    index=1,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Walton and Steeves 1969", "Kamman and Huston 1984"),
    options={"tau": LOST},
    ranges={"tau": (1e-6, 0.5)},
    correction="none",
    corrections=("none",),
    cost="four evaluations, two sparse factorisations, two products with N; eigenvectors when directions are chosen anew",
)
