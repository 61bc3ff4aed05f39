"""Multiplier elimination: accelerations out of the equations first, then a smaller system for the multipliers.

    (G M^-1 G^T) lam = G M^-1 f - gamma,   v' = M^-1 (f - G^T lam),   q' = T(q) v

The same accelerations as index 1, and its right-hand side: only the order in which the KKT matrix is eliminated is another,
all velocities first (in absolute coordinates M is block diagonal, which costs nothing), then the rows, by minimum degree. So
M^-1 is never formed, and G M^-1 G^T stays sparse. It needs an invertible M. When to use it: for chains and loops it costs as
much as index1 or a little less; where many joints meet at one body, G M^-1 G^T fills up and index1, whose order mixes bodies and
joints, has less to do. Position and velocity constraints drift unless corrected.
Reference: Wang and Huston, Computers and Structures 33 (1989) 1091-1096; spec 003, sections 3 and 5 (M1, M6).
"""

from ..system.reorder import reordered, velocities_first
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .corrections import full_state
from .index1 import index1


def ode(system, correction="mass"):
    """The Ode form."""
    return full_state(reordered(system, velocities_first(system)), index1, correction)


MULTIPLIER_ELIMINATION = Formulation(
    name="multiplier-elimination",
    title="Multiplier elimination: (G M^-1 G^T) lam = G M^-1 f - gamma",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=("acceleration",),
    drifts=("position", "velocity"),
    references=("Wang and Huston 1989",),
    singular_mass=False,
    cost="one sparse factorisation of G M^-1 G^T",
)
