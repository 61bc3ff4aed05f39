"""Pseudo-inverse, variant II: of the whole KKT matrix.

    [v'; lam] = [M G^T; G 0]^+ [f; gamma],   q' = T(q) v

By the eigenvalues of the symmetric matrix in scaled rows and columns (LAPACK), also brought to the same size by the mean mass
and the mean length of the rows. M may be singular as long as M and G together hold every direction: v' is unique then, lam the
smallest one in scaled rows. Eigenvalues that count as zero are chosen as in variant I: as many as rows are redundant, and
round-off. The most general of the methods in dependent coordinates, and the most costly: dense, (n_v + n_rows)^3. Position and
velocity constraints drift unless corrected.
When to use it: small systems with redundant rows and a singular mass matrix at the same time, or to check another method.
Reference: Udwadia and Kalaba 1992; Udwadia and Phohomsiri 2006; spec 003, section 5.
"""

import math

import numpy as np

from ..compiled.interfaces import KINEMATICS, RHS, VELOCITY
from ..compiled.status import NOT_FINITE, RUNNING
from ..linalg.dense import discard, finite, mean_mass, pseudo_solve, scaled_rows
from ..linalg.kkt import evaluate
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .corrections import full_state

call_kinematics = KINEMATICS.call
ROUND_OFF = 1e-14  # of the largest eigenvalue
FAINT = 1e-12  # of the square of their natural size: rows below are rounding, not to be scaled up
WEAK = 1e-4  # an eigenvalue below this share of the largest is close to a singular position


@RHS
def pseudo_inverse_2(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']."""
    n_q, n_v, n_rows = system.n_q, system.n_v, system.n_rows
    q, v, u, report = y[:n_q], y[n_q : n_q + n_v], work.u, work.kkt.report
    evaluate(t, q, v, VELOCITY, system, work)
    f, gamma, scale, metric = work.f, work.gamma, system.row_scale, system.metric
    m, m_row, m_column = work.m, system.m_row, system.m_column
    rows, inertia, total = scaled_rows(system, work), mean_mass(system, work), 0.0
    for i in range(n_rows):
        for j in range(n_v):
            total += rows[i, j] * rows[i, j]
    natural = inertia * system.row_diagonal[0] * scale[0] * scale[0] if n_rows > 0 else 1.0
    size = math.sqrt(max(total / max(n_rows, 1), FAINT * natural))
    # x = [sqrt(W)^-1 v', lam size / (scale inertia)]: a dimensionless symmetric matrix with entries of size one
    matrix, right, x = np.zeros((n_v + n_rows, n_v + n_rows)), np.zeros(n_v + n_rows), np.zeros(n_v + n_rows)
    for i in range(n_v):
        right[i] = math.sqrt(metric[i]) * f[i] / inertia
    for e in range(m.size):
        matrix[m_row[e], m_column[e]] += m[e] * math.sqrt(metric[m_row[e]] * metric[m_column[e]]) / inertia
    for i in range(n_rows):
        right[n_v + i] = scale[i] * gamma[i] / size
        for j in range(n_v):
            matrix[n_v + i, j] = rows[i, j] / size
            matrix[j, n_v + i] = rows[i, j] / size
    if not finite(matrix):
        return NOT_FINITE
    values, vectors = np.linalg.eigh(matrix)
    report[0], report[1] = 0, -1
    for k in range(values.size):
        report[0] += 1 if abs(values[k]) < WEAK else 0
    report[0] = max(0, report[0] - work.left_out[0])
    discard(values, work.left_out[0], ROUND_OFF)
    pseudo_solve(values, vectors, right, x)
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    for i in range(n_v):
        u[i] = math.sqrt(metric[i]) * x[i]
        y_dot[n_q + i] = u[i]
    u[n_v] = 0.0
    for i in range(n_rows):
        u[n_v + 1 + i] = scale[i] * inertia / size * x[n_v + i]
    return RUNNING


def ode(system, correction="mass"):
    """The Ode form."""
    return full_state(system, pseudo_inverse_2, correction)


PSEUDO_INVERSE_2 = Formulation(
    name="pseudo-inverse-2",
    title="Pseudo-inverse of the KKT matrix",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=("acceleration",),
    drifts=("position", "velocity"),
    references=("Udwadia and Kalaba 1992, doi:10.1098/rspa.1992.0158",),
    cost="dense: eigenvalues of a matrix of n_v + n_rows",
)
