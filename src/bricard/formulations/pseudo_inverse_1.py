"""Pseudo-inverse, variant I: Udwadia and Kalaba's equations with the pseudo-inverse of C = G M^-1 G^T.

    lam = C^+ (G M^-1 f - gamma),   v' = M^-1 (f - G^T lam),   q' = T(q) v

C^+ by the eigenvalues of C in scaled rows (LAPACK). Redundant rows need no choice: the multipliers are the smallest ones in
scaled rows. Which eigenvalues count as zero: as many of the smallest as rows are redundant everywhere (known from the start),
and those that consist of round-off. A tolerance would not do: off the constraints, inside a step, redundant rows are no longer
exactly dependent, while near a singular position a further eigenvalue becomes small that must not be given up, or the mechanism
would be torn. Dense, n_rows^3; needs an invertible M (sparse). Position and velocity constraints drift unless corrected.
When to use it: many redundant rows and few rows in all, where the smallest reactions are asked for; else index1 is faster.
Reference: Udwadia and Kalaba 1992; Udwadia and Phohomsiri 2006; spec 003, section 5, with its correction [C8].
"""

import numpy as np

from ..compiled.interfaces import KINEMATICS, RHS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import NOT_FINITE, RUNNING
from ..linalg.dense import discard, finite, pseudo_solve
from ..linalg.factor import factorise_symmetric, failure, solve_symmetric
from ..linalg.kkt import assemble_kkt, evaluate
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .corrections import full_state

call_kinematics = KINEMATICS.call
NO_ROWS = 1e30  # epsilon, in natural sizes, with which no row takes part: the KKT matrix then solves with M alone
ROUND_OFF = 1e-14  # of the largest eigenvalue
WEAK = 1e-4  # an eigenvalue below this share of the natural size is close to a singular position


@compiled
def factorise_mass(system, work):
    """Factors of M, in the KKT matrix, by leaving all rows out; False if it is singular."""
    assemble_kkt(system, work)
    a, n_v, diagonal, natural = work.kkt.a, system.n_v, system.diagonal_slot, system.row_diagonal
    for i in range(system.n_rows):
        a[diagonal[n_v + 1 + i]] = -NO_ROWS * natural[i]
    return factorise_symmetric(work.kkt)


@RHS
def pseudo_inverse_1(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']."""
    n_q, n_v, n_rows = system.n_q, system.n_v, system.n_rows
    q, v, u, b, e, report = y[:n_q], y[n_q : n_q + n_v], work.u, work.b, work.e, work.kkt.report
    evaluate(t, q, v, VELOCITY, system, work)
    if not factorise_mass(system, work):
        return failure(work.kkt)
    f, gamma, scale = work.f, work.gamma, system.row_scale
    g, g_row, g_column = work.g, system.g_row, system.g_column
    # X = M^-1 G^T S, and C = S G X
    x, c, right, lam = np.zeros((n_v, n_rows)), np.zeros((n_rows, n_rows)), np.zeros(n_rows), np.zeros(n_rows)
    for k in range(g.size):
        if g_column[k] < n_v:
            x[g_column[k], g_row[k]] += scale[g_row[k]] * g[k]
    for i in range(b.size):
        b[i] = 0.0
    for i in range(n_rows):
        for j in range(n_v):
            b[j] = x[j, i]
        solve_symmetric(work.kkt, b, e)
        for j in range(n_v):
            x[j, i] = e[j]
    for j in range(n_v):
        b[j] = f[j]
    solve_symmetric(work.kkt, b, u)
    for i in range(n_rows):
        right[i] = -scale[i] * gamma[i]
    for k in range(g.size):
        row, column = g_row[k], g_column[k]
        if column < n_v:
            weight = scale[row] * g[k]
            right[row] += weight * u[column]
            for i in range(n_rows):
                c[row, i] += weight * x[column, i]
    if not finite(c):
        return NOT_FINITE
    if n_rows > 0:
        values, vectors = np.linalg.eigh(c)
        discard(values, work.left_out[0], ROUND_OFF)
        pseudo_solve(values, vectors, right, lam)
        natural = WEAK * system.row_diagonal[0] * scale[0] * scale[0]
        weak = 0
        for i in range(n_rows):
            weak += 1 if values[i] < natural else 0
        report[0], report[1] = max(0, weak - work.left_out[0]), -1
    for j in range(n_v):
        for i in range(n_rows):
            u[j] -= x[j, i] * lam[i]
    for i in range(n_rows):
        u[n_v + 1 + i] = scale[i] * lam[i]
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    for i in range(n_v):
        y_dot[n_q + i] = u[i]
    return RUNNING


def ode(system, correction="mass"):
    """The Ode form."""
    return full_state(system, pseudo_inverse_1, correction)


PSEUDO_INVERSE_1 = Formulation(
    name="pseudo-inverse-1",
    title="Pseudo-inverse of G M^-1 G^T (Udwadia-Kalaba)",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=("acceleration",),
    drifts=("position", "velocity"),
    references=("Udwadia and Kalaba 1992, doi:10.1098/rspa.1992.0158",),
    singular_mass=False,
    cost="dense: eigenvalues of an n_rows x n_rows matrix",
)
