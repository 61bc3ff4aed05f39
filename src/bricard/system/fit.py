"""Whether redundant rows fit each other along the motion, or only where the mechanism is drawn.

Rows that are redundant by geometry (parallel hinges, Bennett's and Bricard's linkages) agree everywhere only if lengths and
directions agree to round-off. Data typed with some digits do not: strictly, such a mechanism is a rigid frame with a little play.
It is taken for what it was meant to be: a set of independent rows is kept exactly, and the others, which are left out, may gape
by the misfit of the data, up to MEANT.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..linalg.kkt import LEFT_OUT, evaluate, factorise_kkt, project_position, project_velocity, select_rows
from ..linalg.rank import RELATIVE

DENSE = 1200  # up to so many rows ranks are decided by singular values, beyond by the pivots of the sparse factors
ALONG, ROUNDS = (
    0.3,
    20,
)  # rad or characteristic lengths of motion over which rows must fit; iterations to close those kept
CLOSED, FITS = 1e-12, 1e-11  # gap with which rows are closed; up to which redundant rows fit
MEANT = (
    RELATIVE  # misfit up to which rows are meant to be redundant, characteristic lengths or rad: that of rank decisions
)


class Misfit(NamedTuple):
    """By what redundant rows cannot be closed a little way along the motion: 0 where they fit, and where nothing can be said.

    largest : in characteristic lengths or rad. length, angle : in m and rad. rows : names of the rows that gape.
    """

    largest: float = 0.0
    length: float = 0.0
    angle: float = 0.0
    rows: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.largest:
            return ""
        return (
            f"The redundant rows fit at the start only: a little way along the motion {', '.join(self.rows)} gape by "
            f"{self.length:.1g} m and {self.angle:.1g} rad, as of points and axes typed with some digits. "
            + (
                "They are taken as redundant: independent rows are kept, the others may gape. Data with all digits do not."
                if self.meant
                else f"Up to {MEANT:.0e} characteristic lengths or rad they would be taken as redundant. Give points and axes "
                "with all digits, computed and not typed."
            )
        )

    @property
    def meant(self) -> bool:
        """Whether such rows are taken as redundant all the same."""
        return 0.0 < self.largest <= MEANT


def scaled_jacobian(system, q, v):
    """G (n_rows, n_v) with dimensionless rows and columns, dense."""
    columns = np.where(system.translations, system.length, 1.0)
    return system.jacobian(0.0, q, v).toarray() * system.record.row_scale[:, None] * columns


def misfit(system, t, q):
    """The Misfit of the redundant rows of a system at q, where they are closed."""
    if not system.record.redundant or not np.isfinite(q).all():
        return Misfit()
    work = kept_rows(system, t, q)
    packed, direction = pack(work), np.random.default_rng(4).normal(size=system.n_v)
    evaluate(float(t), q, direction, VELOCITY, system.compiled, packed)
    factorise_kkt(system.compiled, packed)
    work.phi_dot[:] -= work.phi_t
    project_velocity(system.compiled, packed, direction)
    way = np.abs(direction / np.where(system.translations, system.length, 1.0)).max(initial=0.0)
    if not 0.0 < way < np.inf:
        return Misfit()
    near = system.retract(q, ALONG / way * direction)
    gap, kept = closed(system, t, near, work)
    largest = float((gap * system.record.row_scale).max(initial=0.0))
    if not (kept <= CLOSED and FITS < largest < ALONG * 0.01):
        return Misfit()
    lengths = np.array([row.unit == "length" for row in system.rows])
    rows = np.flatnonzero(gap * system.record.row_scale > 0.1 * largest)
    return Misfit(
        largest,
        float(gap[lengths].max(initial=0.0)),
        float(gap[~lengths].max(initial=0.0)),
        tuple(system.row_name(int(i)) for i in rows),
    )


def kept_rows(system, t, q, soft=None):
    """Work in which independent rows are selected at q; soft : softness of rows (n_rows,), those above 0 take no part."""
    work = system.work()
    work.play[0] = np.inf  # rows that are left out are not judged
    packed = pack(work)
    evaluate(float(t), q, np.zeros(system.n_v), VELOCITY, system.compiled, packed)
    select_rows(system.compiled, packed)
    if soft is not None:
        work.epsilon[soft > 0.0] = LEFT_OUT * system.record.row_diagonal[soft > 0.0]
    return work


def closed(system, t, q, work):
    """Moves q onto the rows that are kept. |Phi| of all holonomic rows there; the largest scaled one of those kept."""
    kept = project_position(float(t), q, np.zeros(system.n_v), 0.1 * CLOSED, ROUNDS, system.compiled, pack(work))
    return np.where(system.record.velocity_level == 1, 0.0, np.abs(work.phi)), kept
