"""Whether redundant rows fit each other along the motion, or only where the mechanism is drawn.

Rows that are redundant by geometry (parallel hinges, Bennett's and Bricard's linkages) agree everywhere only if lengths and
directions agree to round-off. Data typed with some digits do not: strictly, such a mechanism is a rigid frame with a little play.
"""

import numpy as np

from ..linalg.rank import RELATIVE, rank

DENSE = 1200  # up to so many rows ranks are decided by singular values, beyond by the pivots of the sparse factors
ALONG, ROUNDS = 0.3, 30  # rad or characteristic lengths of motion over which rows must fit; iterations to close them
FITS, CLOSED = 1e-13, 1e-3  # gaps between which redundant rows fit nearly, but not to round-off


def scaled_jacobian(system, q, v):
    """G (n_rows, n_v) with dimensionless rows and columns, dense."""
    columns = np.where(system.translations, system.length, 1.0)
    return system.jacobian(0.0, q, v).toarray() * system.record.row_scale[:, None] * columns


def misfit(system, t, q):
    """A sentence if redundant rows fit each other at q, but no more a little way along its motions; else an empty text."""
    if not system.record.redundant or system.n_rows > DENSE or not np.isfinite(q).all():
        return ""
    scale, columns, still = (
        system.record.row_scale,
        np.where(system.translations, system.length, 1.0),
        np.zeros(system.n_v),
    )
    _, values, vectors = np.linalg.svd(scaled_jacobian(system, q, still))
    free = vectors[rank(values) :].T
    if rank(values) == system.n_rows or not free.shape[1]:
        return ""
    direction = free @ np.random.default_rng(4).normal(size=free.shape[1])
    near, step = system.retract(q, ALONG * direction / np.abs(direction).max() * columns), still
    for _ in range(ROUNDS):
        step = -np.linalg.pinv(scaled_jacobian(system, near, still), rcond=RELATIVE) @ (
            system.constraint(t, near) * scale
        )
        near = system.retract(near, step * columns)
        if not np.abs(step).max() > FITS:
            break
    gap = np.abs(system.constraint(t, near) * scale)
    worst = int(np.argmax(gap))
    if not (np.abs(step).max() <= FITS < gap[worst] < CLOSED):
        return ""
    return (
        f"The redundant rows fit at the start only: a little way along the motion {system.row_name(worst)} cannot be closed "
        f"better than {gap[worst]:.1g} characteristic lengths or rad. Give points and axes with all digits, computed and not "
        "typed; methods may stop where the gap grows."
    )
