"""Independent coordinates by singular value decomposition: tangent directions, frozen until they lose the motion.

    G = U [S 0] [V1 V2]^T,   z = V2^T xi,   w = V2^T xi'          (scaled rows and columns)

The k right singular vectors without a singular value span the tangent space of the constraints. They stay until more than the
share `tau` of the motion lies outside of them. Positions and velocities hold to round-off.
When to use it: closed chains of moderate size in long runs; it costs more than QR, for the same space. Redundant rows, drivers
and nonholonomic rows are allowed. How it works: tangent_coordinates.py.
Reference: Mani, Haug and Atkinson, J. Mech. Trans. Autom. 107 (1985) 82-87; spec 000, section 2.4.
"""

from ..linalg.null_space import svd
from .base import ODE, Formulation
from .tangent_coordinates import LOST, Directions, problem


def ode(system, correction="none", tau=LOST):
    """The Ode form: y = [z, w]."""
    return problem(system, Directions(svd), directions=True, tau=tau)


SVD = Formulation(
    name="svd",
    title="Independent coordinates: tangent directions by singular values",
    index=1,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Mani, Haug and Atkinson 1985", "Singh and Likins 1985"),
    options={"tau": LOST},
    ranges={"tau": (1e-6, 0.5)},
    correction="none",
    corrections=("none",),
    cost="four evaluations, two sparse factorisations, two products with N; an SVD when directions are chosen anew",
)
