"""Index 3: the constraints at position level, the equations integrated in their second-order form.

    M v' + G^T lam = f,   Phi(t, q) = 0,   q' = T(q) v

For integrators that take the MechanicalDae form (Newmark and its relatives). Positions hold to the tolerance of Newton's
method; velocity and acceleration constraints are violated at the order of the method, without drift. Nonholonomic rows are
imposed at velocity level.
Reference: Arnold and Bruels, Multibody System Dynamics 18 (2007) 185-202; spec 004, section 2.
"""

import numpy as np

from ..compiled.interfaces import (
    AFTER_STEP,
    MECHANICAL_FACTORISE,
    MECHANICAL_RESIDUAL,
    MECHANICAL_SOLVE,
    REBASE,
    VELOCITY,
)
from ..compiled.pointers import compiled
from ..compiled.status import PROJECTION_FAILED, REBASED, RUNNING
from ..kernels.vectors import cross, nine, triple
from ..linalg.factor import factorise, failure, solve
from ..linalg.kkt import add_reaction, evaluate, multiply_mass, position_error, select_rows
from .base import MECHANICAL_DAE, Formulation, Problem, position_scale, velocity_scale

# position errors that are looked into, and that refuse a step, in characteristic lengths or radians
NOTICED, TORN = 1e-7, 1e-4


@MECHANICAL_RESIDUAL
def residual(t, y, u, r, flags, system, work):
    """y = [q, v, ...], u = [v', 0, lam] -> r = [M v' + G^T lam - f, 0, Phi (or A v + a in nonholonomic rows)]."""
    n_q, n_v, lam = system.n_q, system.n_v, work.lam
    for i in range(n_v):
        work.u[i] = u[i]  # the tangent of systems with a variable M needs v'
    for i in range(system.n_rows):
        lam[i] = u[n_v + 1 + i]
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], flags, system, work)
    multiply_mass(system, work, u, r)
    add_reaction(system, work, u, n_v + 1, r)
    f, phi, phi_dot, velocity_level = work.f, work.phi, work.phi_dot, system.velocity_level
    for i in range(n_v):
        r[i] -= f[i]
    r[n_v] = 0.0
    for i in range(system.n_rows):
        r[n_v + 1 + i] = phi_dot[i] if velocity_level[i] else phi[i]
    return RUNNING


@compiled
def unroll(turn, a):
    """T(turn)^-1 a = a + turn x a / 2 + turn x (turn x a) / 12 + ...: from a turn at the end to one of the increment."""
    b = cross(turn, a)
    c = cross(turn, b)
    return a[0] + 0.5 * b[0] + c[0] / 12, a[1] + 0.5 * b[1] + c[1] / 12, a[2] + 0.5 * b[2] + c[2] / 12


@MECHANICAL_FACTORISE
def newton_matrix(c_v, c_q, softness, increment, system, work):
    """Factors of [(M + c_v D) T^-1 + c_q K, G^T; G, -softness diag(G M^-1 G^T)], the unknowns being turns at the end of the step.

    `increment` (n_v) is the step's own; its rotations enter by the tangent operator of the exponential map in the blocks of
    the bodies. (In dampers that couple bodies they are left out: Newton's method converges as well.)
    """
    matrix, n_v = work.kkt, system.n_v
    a, m, g, k, d = matrix.a, work.m, work.g, work.k, work.d
    m_slot, g_slot, gt_slot, k_slot, d_slot = system.m_slot, system.g_slot, system.gt_slot, system.k_slot, system.d_slot
    diagonal, added, row_diagonal = system.diagonal_slot, system.added_mass, system.row_diagonal
    for i in range(a.size):
        a[i] = 0.0
    for e in range(m.size):
        a[m_slot[e]] += m[e]
    for e in range(k.size):
        a[k_slot[e]] += c_q * k[e]
    for e in range(d.size):
        a[d_slot[e]] += c_v * d[e]
    for e in range(g.size):
        a[g_slot[e]] += g[e]
        a[gt_slot[e]] += g[e]
    for i in range(n_v):
        a[diagonal[i]] += added[i]
    for i in range(system.n_rows):
        left_out = work.epsilon[i] > row_diagonal[i]
        a[diagonal[n_v + 1 + i]] = -work.epsilon[i] if left_out else -softness * row_diagonal[i]
    planar, column, inertia = system.planar, system.column, system.inertia
    slots, gyroscopic = system.rotation_slot, system.gyroscopic
    for b in range(system.n_bodies):
        if not planar[b]:
            w = triple(increment, column[b, 0] + 3)
            if w[0] * w[0] + w[1] * w[1] + w[2] * w[2] > 1e-4:
                J, W = nine(inertia[b], 0), nine(d, gyroscopic[b])
                for i in range(3):
                    row = (J[i][0] + c_v * W[i][0], J[i][1] + c_v * W[i][1], J[i][2] + c_v * W[i][2])
                    rolled = unroll((-w[0], -w[1], -w[2]), row)  # row T^-1 = (T^-T row)^T
                    for c in range(3):
                        a[slots[b, 3 * i + c]] += rolled[c] - row[c]
    return RUNNING if factorise(matrix) else failure(matrix)


@MECHANICAL_SOLVE
def newton_correction(increment, r, system, work):
    """r -> the correction of u: turns at the end of the step become changes of the increment, T^-1 of them."""
    solve(work.kkt, r, r)
    planar, column = system.planar, system.column
    for b in range(system.n_bodies):
        if not planar[b]:
            o = column[b, 0] + 3
            w = triple(increment, o)
            if w[0] * w[0] + w[1] * w[1] + w[2] * w[2] > 1e-4:
                r[o], r[o + 1], r[o + 2] = unroll(w, triple(r, o))
    return RUNNING


@AFTER_STEP
def holding(t, y, purpose, system, work):
    """Refuses a step after which the constraints do not hold.

    Corrections of Newton's method become small too where a mechanism locks: then only Phi tells that it is torn.
    """
    if position_error(system, work) <= NOTICED:  # at the last iterate
        return RUNNING
    n_q, n_v = system.n_q, system.n_v
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    return RUNNING if position_error(system, work) <= TORN else PROJECTION_FAILED


@REBASE
def choose_rows(t, y, system, work):
    """Independent rows anew when a pivot of the Newton matrix has become weak, or a row that is left out begins to gape."""
    if work.kkt.report[0] == 0 and position_error(system, work) <= NOTICED:
        return RUNNING
    n_q, n_v = system.n_q, system.n_v
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    if work.kkt.report[0] == 0 and position_error(system, work) <= NOTICED:
        return RUNNING
    select_rows(system, work)
    return REBASED


def mechanical(system):
    """The MechanicalDae form: y = [q, v, u] with u = [v', 0, lam]."""
    n_v, start = system.n_v, system.n_q + system.n_v
    unjudged = np.full(n_v + 1 + system.n_rows, np.inf)
    return Problem(
        form=MECHANICAL_DAE,
        system=system,
        functions=(residual, newton_matrix, newton_correction),
        after_step=holding,
        rebase=choose_rows,
        initial=lambda state, work: np.concatenate([state.q, state.v, state.a, [0.0], state.lam]),
        scale=np.concatenate([position_scale(system), velocity_scale(system), unjudged]),
        keep_a=start,
        keep_lam=start + n_v + 1,
    )


INDEX3 = Formulation(
    name="index3",
    title="Index 3: position constraints",
    index=3,
    forms={MECHANICAL_DAE: mechanical},
    keeps=("position",),
    drifts=(),
    references=("Arnold and Bruels 2007, doi:10.1007/s11044-007-9084-0",),
)
