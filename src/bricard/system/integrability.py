"""Whether velocities u = B(q) v are rates of coordinates, or quasi-velocities that belong to none.

u_i dt is the differential of a function of q where its exterior derivative vanishes. Along the directions X_j = T e_j of v,

    (d u_i)(X_j, X_k) = X_j B_ik - X_k B_ij - B_i [X_j, X_k],   [X_j, X_k] = T+ (dX_k/dq X_j - dX_j/dq X_k)

With q' = T v and T regular this says that the rows of B T^-1 have symmetric derivatives in q (spec 000, eq. A1).
"""

import numpy as np

from ..compiled.handles import pack
from .maps import kinematic_map

STEP = 1e-5  # of the differences of a B that depends on q, in characteristic lengths or radians
ROUND_OFF = 1e-8  # below it an exterior derivative vanishes, relative to B


def integrable(system, q, B=None):
    """For each u_i = B_i v whether it is the rate of a coordinate, (k,) of bool, at the configuration q.

    B : (k, n_v), or a function of q that returns it; without it u = v. A quasi-velocity may pass the test at single
    configurations: try several.
    """
    q = np.array(q, float, order="C")
    # a unit of v, in characteristic lengths or radians per second
    unit = 1.0 / (np.sqrt(system.record.metric[:-1]) * system.length)

    def rows(at):
        return np.atleast_2d(np.asarray(B(at) if callable(B) else np.eye(system.n_v) if B is None else B, float))

    b = rows(q)
    change = np.zeros((system.n_v, *b.shape))  # X_j B_ik
    if callable(B):
        for j, e in enumerate(np.eye(system.n_v)):
            h = STEP / unit[j]
            change[j] = (rows(system.retract(q, h * e)) - rows(system.retract(q, -h * e))) / (2.0 * h)
    curl = change.transpose(1, 0, 2) - change.transpose(1, 2, 0) - np.einsum("il,jkl->ijk", b, brackets(system, q))
    return np.abs(curl / (unit[:, None] * unit)).max(axis=(1, 2)) <= ROUND_OFF * np.abs(b / unit).max(axis=1)


def brackets(system, q):
    """[X_j, X_k] in components of v, (n_v, n_v, n_v)."""
    r, work = system.record, system.work()
    packed, rows, columns = pack(work), r.t_row.astype(int), r.t_column.astype(int)
    slopes = np.zeros((r.n_v, r.n_q, r.n_q))  # dX_j/dq
    for j, e in enumerate(np.eye(r.n_v)):
        kinematic_map(q, e, system.compiled, packed)
        np.add.at(slopes[j], (r.tq_row.astype(int), r.tq_column.astype(int)), work.tq)
    basis, inverse = np.zeros((2, r.n_q, r.n_v))
    np.add.at(basis, (rows, columns), work.t)
    np.add.at(inverse, (rows, columns), work.t_inverse)
    along = np.einsum("kab,bj->jka", slopes, basis)  # dX_k/dq X_j
    return (along - along.transpose(1, 0, 2)) @ inverse
