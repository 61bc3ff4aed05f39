"""The MechanicalDae form of index 3 and index 2: for integrators of the second-order form (Newmark and its relatives).

    M v' + G^T lam = f,   rows = 0,   y = [q, v, u] with u = [v', 0, lam]

The rows are Phi (level 0) or G v + Phi_t (level 1), nonholonomic rows always A v + a. A change dv' of v' changes the velocity
by c_v dv' and the position by c_q dv', so that the rows change by c_q G dv' or (c_v G + c_q rate) dv'. Newton's matrix is
scaled: its unknowns are dv' and dlam, its rows of constraints are divided by c_q or c_v, so that its condition does not depend
on the step. Without that (unknowns dq and dlam, rows as they are) it grows with h^-4 at position level.
Reference: Arnold and Bruels, Multibody System Dynamics 18 (2007) 185-202; Bottasso, Bauchau and Cardona, SIAM Journal on
Scientific Computing 29 (2007) 397-414; spec 004, section 2.
"""

import numpy as np

from ..compiled.interfaces import (
    AFTER_STEP,
    CORRECTION,
    MECHANICAL_FACTORISE,
    MECHANICAL_RESIDUAL,
    MECHANICAL_SOLVE,
    RATE,
    REBASE,
    SHOWN,
    TANGENT,
    VELOCITY,
)
from ..compiled.pointers import compiled
from ..compiled.status import PROJECTION_FAILED, REBASED, RUNNING
from ..kernels.vectors import cross, nine, triple
from ..linalg.factor import factorise, failure, solve
from ..linalg.kkt import (
    add_reaction,
    discount_stiffness,
    evaluate,
    multiply_mass,
    overused,
    position_error,
    rows_left_out,
    select_rows,
)
from .base import MECHANICAL_DAE, Problem, position_scale, velocity_scale
from .corrections import CORRECTIONS, corrected_state, normalise
from .direct import LEVEL, constraint_rows, meet_rows
from .shown import approach

# of work.options: 1 where rows at velocity level need `rate` in the Newton matrix; position error that the last step has left
RATED, GAP = 1, 3
# position errors that are looked into, and that refuse a step, in characteristic lengths or radians
NOTICED, TORN = 1e-7, 1e-4


@MECHANICAL_RESIDUAL
def residual(t, y, u, r, flags, system, work):
    """y = [q, v, ...], u = [v', 0, lam] -> r = [M v' + G^T lam - f, 0, rows]."""
    n_q, n_v, lam, f = system.n_q, system.n_v, work.lam, work.f
    for i in range(n_v):
        work.u[i] = u[i]  # the tangent of systems with a variable M needs v'
    for i in range(system.n_rows):
        lam[i] = u[n_v + 1 + i]
    rate = RATE if flags & TANGENT and work.options[RATED] else 0
    velocity = VELOCITY if work.options[LEVEL] else 0
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], flags | rate | velocity, system, work)
    multiply_mass(system, work, u, r)
    add_reaction(system, work, u, n_v + 1, r)
    for i in range(n_v):
        r[i] -= f[i]
    r[n_v] = 0.0
    constraint_rows(r, n_v + 1, system, work)
    return RUNNING


@compiled
def unroll(turn, a):
    """T(turn)^-1 a = a + turn x a / 2 + turn x (turn x a) / 12 + ...: from a turn at the end to one of the increment."""
    b = cross(turn, a)
    c = cross(turn, b)
    return a[0] + 0.5 * b[0] + c[0] / 12, a[1] + 0.5 * b[1] + c[1] / 12, a[2] + 0.5 * b[2] + c[2] / 12


@compiled
def assemble(c_v, c_q, scaled, softness, increment, system, work):
    """The matrix [(M + c_v D) T^-1 + c_q K, G^T; G, -softness diag(G M^-1 G^T)], the unknowns being turns at the end of the step.

    `increment` (n_v) is the step's own; its rotations enter by the tangent operator of the exponential map in the blocks of
    the bodies. (In dampers that couple bodies and in relative coordinates they are left out: Newton's method converges as well.)
    Rows at velocity level, which are divided by c_v, are G + c_q / c_v rate. Where it is not scaled, the first block column is
    divided by c_q, and rows are multiplied again by what they were divided by.
    """
    matrix, n_v, level = work.kkt, system.n_v, work.options[LEVEL]
    first, moving = (
        (1.0, 1.0) if scaled else (1.0 / c_q, c_v / c_q)
    )  # factors of that column, of rows at velocity level in it
    a, m, g, k, d, rate = matrix.a, work.m, work.g, work.k, work.d, work.rate
    m_slot, g_slot, gt_slot, k_slot, d_slot = system.m_slot, system.g_slot, system.gt_slot, system.k_slot, system.d_slot
    diagonal, added, row_diagonal = system.diagonal_slot, work.added, system.row_diagonal
    velocity_level, g_row = system.velocity_level, system.g_row
    for i in range(a.size):
        a[i] = 0.0
    for e in range(m.size):
        a[m_slot[e]] += first * (m[e] + added[e])
    for e in range(k.size):
        a[k_slot[e]] += first * c_q * k[e]
    for e in range(d.size):
        a[d_slot[e]] += first * c_v * d[e]
    for e in range(g.size):
        a[g_slot[e]] += g[e]
        a[gt_slot[e]] += g[e]
    if work.options[RATED]:
        for e in range(g.size):
            if level or velocity_level[g_row[e]]:
                a[g_slot[e]] += (moving - 1.0) * g[e] + moving * c_q / c_v * rate[e]
    for i in range(system.n_rows):
        left_out = work.epsilon[i] > row_diagonal[i]
        size = (
            moving if level or velocity_level[i] else 1.0
        ) / first  # of the row's pivot, in that of the scaled matrix
        a[diagonal[n_v + 1 + i]] = -size * (work.epsilon[i] if left_out else softness * row_diagonal[i])
    group, column, inertia, place = system.group, system.column, system.inertia, 0
    slots, gyroscopic = system.rotation_slot, system.gyroscopic
    for b in range(system.n_bodies):
        if group[b]:
            place += 1
            w = triple(increment, column[b, 0] + 3)
            if w[0] * w[0] + w[1] * w[1] + w[2] * w[2] > 1e-4:
                J, W = nine(inertia[b], 0), nine(d, gyroscopic[b])
                for i in range(3):
                    row = (J[i][0] + c_v * W[i][0], J[i][1] + c_v * W[i][1], J[i][2] + c_v * W[i][2])
                    rolled = unroll((-w[0], -w[1], -w[2]), row)  # row T^-1 = (T^-T row)^T
                    for c in range(3):
                        a[slots[place - 1, 3 * i + c]] += first * (rolled[c] - row[c])


@MECHANICAL_FACTORISE
def newton_matrix(c_v, c_q, scaled, softness, increment, system, work):
    """Factors of the Newton matrix."""
    assemble(c_v, c_q, scaled, softness, increment, system, work)
    if not factorise(work.kkt):
        return failure(work.kkt)
    if scaled:
        discount_stiffness(c_v, c_q, system, work)
    else:
        work.kkt.report[0] = 0  # the limits of weak pivots are those of scaled ones
    return RUNNING


@MECHANICAL_SOLVE
def newton_correction(c_v, c_q, scaled, increment, r, system, work):
    """r -> the correction of u: turns at the end of the step become changes of the increment, T^-1 of them."""
    level, velocity_level, n_v = work.options[LEVEL], system.velocity_level, system.n_v
    if scaled:
        for i in range(system.n_rows):
            r[n_v + 1 + i] /= c_v if level or velocity_level[i] else c_q
    solve(work.kkt, r, r)
    if not scaled:
        for i in range(n_v):
            r[i] /= c_q
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        w = triple(increment, o)
        if w[0] * w[0] + w[1] * w[1] + w[2] * w[2] > 1e-4:
            r[o], r[o + 1], r[o + 2] = unroll(w, triple(r, o))
    return RUNNING


@AFTER_STEP
def holding(t, y, purpose, system, work):
    """Refuses a step after which the constraints do not hold; moves what is shown inside of a step onto them.

    Corrections of Newton's method become small too where a mechanism locks: then only Phi tells that it is torn.
    """
    n_q, n_v = system.n_q, system.n_v
    if purpose == SHOWN:
        normalise(y, system)
        approach(t, y[:n_q], y[n_q : n_q + n_v], 0.0, 0.0, system, work)
        return RUNNING
    work.options[GAP] = position_error(system, work)  # at the last iterate
    if work.options[GAP] <= NOTICED:
        return RUNNING
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    return RUNNING if position_error(system, work) <= TORN else PROJECTION_FAILED


@REBASE
def choose_rows(t, y, system, work):
    """Independent rows anew when a pivot of the Newton matrix has become weak, or a row that is left out begins to gape.

    Rows that are exchanged are met at once: of index 3 velocities are only those of the rows that were kept, to the error of a
    step, and another row would stop the difference by an impact.
    """
    gaping = work.options[LEVEL] == 0.0 and not work.options[GAP] <= NOTICED
    worn = overused(system, work)
    if work.kkt.report[0] == 0 and not gaping and not worn:
        return RUNNING
    n_q, n_v = system.n_q, system.n_v
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    if work.kkt.report[0] == 0 and not worn and position_error(system, work) <= NOTICED:
        return RUNNING
    before = rows_left_out(system, work)
    select_rows(system, work)
    if work.play[0] > 0.0 or rows_left_out(system, work) != before:
        meet_rows(t, y[:n_q], y[n_q : n_q + n_v], system, work)
        for i in range(work.u.size):
            y[n_q + n_v + i] = work.u[i]
    return REBASED


def mechanical(system, level, correction=None):
    """The MechanicalDae form with rows at `level`: y = [q, v, u] with u = [v', 0, lam]."""
    n_v, start = system.n_v, system.n_q + system.n_v
    unjudged = np.full(n_v + 1 + system.n_rows, np.inf)
    rated = level > 0 or system.record.velocity_level.any()
    return Problem(
        form=MECHANICAL_DAE,
        system=system,
        functions=(residual, newton_matrix, newton_correction),
        after_step=holding if correction is None else corrected_state,
        rebase=choose_rows,
        hooks={} if correction is None else {CORRECTION: CORRECTIONS[correction]},
        initial=lambda state, work: np.concatenate([state.q, state.v, state.a, [0.0], state.lam]),
        scale=np.concatenate([position_scale(system), velocity_scale(system), unjudged]),
        keep_a=start,
        keep_lam=start + n_v + 1,
        options=np.array([level, rated], float),
    )
