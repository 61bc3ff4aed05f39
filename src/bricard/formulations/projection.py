"""Projection onto the directions that the constraints leave free, in all coordinates.

    [D^T M; G] v' = [D^T f; gamma],   G D = 0,   q' = T(q) v

The equations of motion along the columns of D, and the constraints at acceleration level: n_v equations without multipliers. D is
taken anew at every position, from an orthogonal factorisation of G^T in scaled rows and columns (LAPACK), so it is orthonormal
and never goes bad; all coordinates and velocities are integrated, so its choice does not matter and nothing has to be chosen
anew. M may be singular. Redundant rows are left out as in index1; at an exactly singular position the equations are
singular, and the step is halved. Dense, n_v^3. Position and velocity constraints drift unless corrected.
When to use it: small mechanisms whose mass matrix is singular, or as a check of other methods without multipliers.
Reference: Kim and Vanderploeg, J. Mech. Trans. Autom. Des. 108 (1986) 183-188; spec 003, section 3 (M3).
"""

import math

import numpy as np

from ..compiled.interfaces import KINEMATICS, RHS, VELOCITY
from ..compiled.status import NOT_FINITE, RUNNING, SINGULAR
from ..linalg.dense import finite, mean_mass, scaled_rows
from ..linalg.kkt import evaluate
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .corrections import full_state

call_kinematics = KINEMATICS.call
WEAK, VANISHED = 1e-2, 1e-13  # what is left of a row behind the rows before it: near a singular position, at one


@RHS
def projection(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']."""
    n_q, n_v, n_rows = system.n_q, system.n_v, system.n_rows
    q, v, u, report = y[:n_q], y[n_q : n_q + n_v], work.u, work.kkt.report
    evaluate(t, q, v, VELOCITY, system, work)
    f, gamma, scale, metric = work.f, work.gamma, system.row_scale, system.metric
    m, m_row, m_column, epsilon, natural = work.m, system.m_row, system.m_column, work.epsilon, system.row_diagonal
    rows, matrix, right, count = scaled_rows(system, work), np.zeros((n_v, n_v)), np.zeros(n_v), 0
    # G^T, of independent rows, filled up with zero columns: all of Q is made, its last columns are D
    for i in range(n_rows):
        if epsilon[i] <= natural[i] and count < n_v:
            for j in range(n_v):
                matrix[j, count] = rows[i, j]
            right[count] = scale[i] * gamma[i]
            count += 1
    if not finite(matrix):
        return NOT_FINITE
    if n_v == 0:
        return RUNNING
    basis, triangle = np.linalg.qr(matrix)
    report[0], report[1] = 0, -1
    for k in range(count):
        size = 0.0
        for j in range(k + 1):
            size += triangle[j, k] * triangle[j, k]
        left = abs(triangle[k, k])
        if not left > VANISHED * math.sqrt(size):
            return SINGULAR
        report[0] += 1 if left < WEAK * math.sqrt(size) else 0
    equations = np.zeros((n_v, n_v))
    for k in range(count):
        for j in range(n_v):
            equations[k, j] = matrix[j, k]
    inertia = mean_mass(system, work)
    for k in range(count, n_v):
        for i in range(n_v):
            right[k] += basis[i, k] * math.sqrt(metric[i]) * f[i] / inertia
        for e in range(m.size):
            weight = math.sqrt(metric[m_row[e]] * metric[m_column[e]]) / inertia
            equations[k, m_column[e]] += basis[m_row[e], k] * weight * m[e]
    if not (finite(equations) and finite(right.reshape((1, n_v)))):
        return NOT_FINITE
    x = np.linalg.solve(equations, right)
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    for i in range(n_v):
        u[i] = math.sqrt(metric[i]) * x[i]
        y_dot[n_q + i] = u[i]
    return RUNNING


def ode(system, correction="mass"):
    """The Ode form."""
    return full_state(system, projection, correction)


PROJECTION = Formulation(
    name="projection",
    title="Projection: equations of motion along free directions, constraints below",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=("acceleration",),
    drifts=("position", "velocity"),
    references=("Kim and Vanderploeg 1986",),
    cost="dense: orthogonal factorisation and solution of n_v equations",
)
