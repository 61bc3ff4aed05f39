"""Coordinate partitioning: some of the coordinates themselves are integrated, the others follow from the constraints.

    G = [G_u G_v],   z = v-coordinates,   Phi(t, u, z) = 0 by Newton's method,   u' = -G_u^-1 (G_v w + Phi_t)

LU factorisation with full pivoting splits the coordinates: columns with a pivot are dependent (u), the others independent. It is
made in scaled rows and columns, so the split does not depend on units (for systems given by functions it does: they are taken
as they are). Coordinates are those of the velocities: displacements and turns of bodies from a base, or q of functions.
They are kept as long as the influence matrix G_u^-1 G_v does not grow by more than a factor 3. `independent=` names the ones to
begin with, by their places in v (in q for functions); with `repartition=False` the run ends where these fail. Constraints hold
to round-off.
When to use it: where the integrated coordinates should be physical ones, for control and for reading results. Singular positions
are passed where coordinates chosen beside them lead over; where none do, the run ends there and says so. Tangent directions (qr,
svd) need fewer iterations and pass more surely. Redundant rows, drivers and nonholonomic rows are allowed.
Reference: Wehage and Haug, J. Mech. Design 104 (1982) 247-255; spec 000, section 2.1.
"""

import numpy as np

from ..errors import ModelError
from ..linalg.full_pivot_lu import eliminate
from .base import ODE, Formulation, picked
from .tangent_coordinates import GROWTH, problem

SINGULAR, POOR = 1e-12, 0.01  # smallest pivots: of the first one; of the best ones, to be used at all
KEPT = 2.0  # times the influence of the best ones, up to which those in use are kept


class Partition:
    """The choice of independent coordinates by full pivoting; `chosen` are those in use."""

    def __init__(self, repartition):
        self.repartition, self.chosen, self.asked = repartition, None, False

    def __call__(self, a, holonomic, root, basis):
        """Write basis.free; the smallest share of a motion that the coordinates see, see tangent_coordinates.Coordinates."""
        m, n = a.shape
        lu, columns = a.copy(), np.arange(n)
        if eliminate(lu, np.arange(m), columns, 0, holonomic, SINGULAR) < holonomic:
            return 0.0
        if eliminate(lu, np.arange(m), columns, holonomic, m, SINGULAR) < m:
            return 0.0
        free = np.concatenate([np.sort(columns[m:]), columns[holonomic:m]])
        if self.chosen is not None and holonomic == m:
            best = np.abs(np.diag(lu)).min(initial=np.inf)
            usable = weakest_pivot(a, self.chosen) >= POOR * best
            if self.asked or not self.repartition:
                if not usable:
                    return 0.0  # what the user asked for must do at the start at least
                free = self.chosen
            elif usable and influence(a, self.chosen) <= KEPT * influence(a, free):
                free = self.chosen
        self.chosen, self.asked = free, False
        basis.free[:] = 0
        basis.free[free] = 1 + np.arange(free.size)
        return 1.0 / influence(a, free[: n - m])


def influence(a, independent):
    """1 + the sum of squares of the influence matrix G_u^-1 G_v."""
    dependent = np.delete(a, independent, axis=1)
    return 1.0 + np.sum(np.linalg.solve(dependent, a[:, independent]) ** 2)


def weakest_pivot(a, independent):
    """The smallest pivot of the dependent columns of a that belong to independent ones; 0 if they are singular."""
    dependent = np.delete(a, independent, axis=1)
    m = dependent.shape[0]
    if eliminate(dependent, np.arange(m), np.arange(m), 0, m, SINGULAR) < m:
        return 0.0
    return np.abs(np.diag(dependent)).min(initial=np.inf)


def ode(system, correction="none", independent=None, repartition=True):
    """The Ode form: y = [z, w]."""
    if not isinstance(repartition, bool):
        raise ModelError(f"repartition is {repartition!r}; it must be True or False.")
    partition = Partition(repartition)
    found = problem(system, partition, directions=False, tau=1.0 - 1.0 / GROWTH**2)
    if independent is not None:
        if system.record.velocity_level.any():
            raise ModelError("independent= and nonholonomic rows: positions and velocities differ in number.")
        partition.chosen, partition.asked = picked(independent, found.scale.size // 2, system), True
    return found


COORDINATE_PARTITIONING = Formulation(
    name="coordinate-partitioning",
    title="Independent coordinates: partitioning by full pivoting",
    index=1,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Wehage and Haug 1982, doi:10.1115/1.3256318",),
    options={"independent": None, "repartition": True},
    correction="none",
    corrections=("none",),
    aliases=("gcp", "lu"),
    cost="four evaluations, two sparse factorisations; a dense LU when coordinates are chosen anew",
)
