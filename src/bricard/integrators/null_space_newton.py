"""Newton's method for the equations of null-space-newmark: all of them linearised at once.

Unknowns are changes of q (as turns at the end of the step), v, u = [v', 0, lam], and of the multipliers mu of Newmark's formulas:

    M dv' + G^T dlam + K dq + D dv = f - M v' - G^T lam            G dv' + Gamma_q dq + Gamma_v dv = gamma - G v'
    W^-1 (dq - h^2 beta T dv') - G^T dmu_q = G^T mu_q - W^-1 r_q   G dq = -Phi
    W^-1 (dv - h gamma dv') - G^T dmu_v = G^T mu_v - W^-1 r_v      G dv + R dq = -(G v + Phi_t)

with r_q, r_v the distances from Newmark's formulas, T of the exponential map, and R = d(G v + Phi_t)/dq, `rate`. With
a' = d/dt (G v + Phi_t) = G v' - gamma, differentiation along the motion commutes with that along a turn up to a bracket:

    Gamma_v = d a'/dv = dG/dt + R,        Gamma_q x = d a'/dq x = dR/dt x + R (x cross v)    (cross product of turns only)

dG/dt and dR/dt along (1, v, v') come from one more evaluation a moment before the end of the step. Given dv', the second and
third line are solved by the factors of [W^-1 G^T; G 0], then the first by those of [M + h gamma D + h^2 beta K, G^T; G 0]. That
is repeated: what is left shrinks by a multiple of speed times step, and faster by Anderson's acceleration, for linear equations
that of GMRES. Where a step is long for the motion, d(G^T mu)/dq dq joins the second and third line: differences of K.
Reference: Uriarte, PhD thesis, UPV/EHU (2023), sections 5.1 and 7.2; Walker and Ni, SIAM J. Numer. Anal. 49 (2011) 1715-1735.
"""

import math
from enum import IntEnum

from ..compiled.interfaces import RATE, RETRACT, TANGENT, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from ..formulations.increments import spin_of_rate
from ..kernels.vectors import cross, triple
from ..linalg.dense import mean_mass
from ..linalg.factor import factorise, factorise_symmetric, failure, solve, solve_symmetric
from ..linalg.kkt import discount_stiffness, evaluate, smallest_square

call_retract = RETRACT.call
# of memory: size of the last step, 1 if the u and the shifts of an earlier step are at hand, 1 if there are nonholonomic rows
LAST_STEP, EARLIER, NONHOLONOMIC, SCALARS = range(4)
SWEEPS, KEPT = 12, 6  # rounds of a linear solution; directions that acceleration remembers
FAINT = 1e-12  # of the square of what rows can be: below, they are rounding
LOOSE = 1e-3  # largest relative error of a linear solution


class Row(IntEnum):
    """Rows of run.stages."""

    RESIDUAL = 0
    INCREMENT = 1
    LAST = 2
    SHIFT_Q = 3
    SHIFT_V = 4
    MU_Q = 5
    MU_V = 6
    METRIC = 7
    UNIT = 8
    ALONG_Q = 9
    ALONG_V = 10
    PUSH_Q = 11  # G^T mu_q, G^T mu_v
    PUSH_V = 12
    CHANGE = 13  # assumed change of v', and changes that follow from it
    CHANGE_Q = 14
    CHANGE_V = 15
    ANSWER = 16  # change of u that follows
    GAP = 17
    BEFORE = 18
    GAP_BEFORE = 19
    TERM_Q = 20
    TERM_V = 21
    DIRECTIONS = 22
    IMAGES = 28
    COUNT = 34


@compiled
def factorise_projector(matrix, inverse, system, work):
    """Factors of [mass W^-1, G^T; G, -epsilon] in `matrix`. `mass`, the mean one of the rows, keeps the sizes that epsilon was
    chosen for; it is returned, 0 where a pivot vanishes. Where only rounding is left of the rows it is that of all velocities."""
    a, g, g_row, g_column, g_upper = matrix.a, work.g, system.g_row, system.g_column, system.g_upper
    n_v, diagonal, epsilon = system.n_v, system.diagonal_slot, work.epsilon
    natural, scale, total, size = system.row_diagonal, system.row_scale, 0.0, 0.0
    for i in range(a.size):
        a[i] = 0.0
    for e in range(g.size):
        a[g_upper[e]] += g[e]
        if g_column[e] < n_v:
            total += (g[e] * scale[g_row[e]]) ** 2 / inverse[g_column[e]]
    for i in range(system.n_rows):
        a[diagonal[n_v + 1 + i]] = -epsilon[i]
        size += natural[i] * scale[i] ** 2
    whole = mean_mass(system, work) if size > 0.0 and n_v > 0 else 1.0
    mass = total / size if total > FAINT * whole * size else whole
    for i in range(n_v):
        a[diagonal[i]] = mass * inverse[i]
    return mass if factorise_symmetric(matrix) else 0.0


@compiled
def squared_sine(matrix, mass, inverse, system, work):
    """Squared sine of the smallest angle of a row that is not left out to all others, from factors of factorise_projector() in
    `matrix` and G in work; overwrites work.b and work.e."""
    size, g, g_row, g_column = work.e, work.g, system.g_row, system.g_column
    for i in range(system.n_rows):
        size[i] = 0.0
    for e in range(g.size):
        if g_column[e] < system.n_v:
            size[g_row[e]] += g[e] * g[e] / (mass * inverse[g_column[e]])
    for i in range(system.n_rows):
        if not size[i] > 0.0:
            size[i] = system.row_diagonal[i]
    return smallest_square(matrix, size, system, work)


@compiled
def factorise_tangent(c_v, c_q, system, work):
    """Factors of [M + c_v D + c_q K, G^T; G, -epsilon] in work.kkt, from what TANGENT left in work."""
    matrix = work.kkt
    a, m, g, k, d, added, epsilon = matrix.a, work.m, work.g, work.k, work.d, work.added, work.epsilon
    m_slot, g_slot, gt_slot, k_slot, d_slot = system.m_slot, system.g_slot, system.gt_slot, system.k_slot, system.d_slot
    diagonal = system.diagonal_slot
    for i in range(a.size):
        a[i] = 0.0
    for e in range(m.size):
        a[m_slot[e]] += m[e] + added[e]
    for e in range(k.size):
        a[k_slot[e]] += c_q * k[e]
    for e in range(d.size):
        a[d_slot[e]] += c_v * d[e]
    for e in range(g.size):
        a[g_slot[e]] += g[e]
        a[gt_slot[e]] += g[e]
    for i in range(system.n_rows):
        a[diagonal[system.n_v + 1 + i]] = -epsilon[i]
    if not factorise(matrix):
        return failure(matrix)
    discount_stiffness(c_v, c_q, system, work)
    return RUNNING


@compiled
def derivatives(run, work):
    """Where run.memory holds Gamma_v and dR/dt, entries on the pattern of G, and d(G^T mu)/dq of both mu, on that of K."""
    g, k, memory = SCALARS + work.g.size, work.k.size, run.memory
    end = g + work.g.size
    return memory[SCALARS:g], memory[g:end], memory[end : end + k], memory[end + k : end + 2 * k]


@compiled
def evaluate_before(t, q, v, u, moment, g_dot, rate_dot, run, system, work):
    """-G and -R a moment before (t, q, v) on the motion, in g_dot and rate_dot."""
    back, earlier, g, rate = run.stages[Row.CHANGE], run.stages[Row.CHANGE_Q], work.g, work.rate
    speed = run.stages[Row.CHANGE_V]
    for i in range(system.n_v):
        back[i] = -moment * v[i]
        speed[i] = v[i] - moment * u[i]
    call_retract(system.methods[1], q, back, earlier[: system.n_q], system, work)
    evaluate(t - moment, earlier[: system.n_q], speed[: system.n_v], VELOCITY | RATE, system, work)
    for e in range(g.size):
        g_dot[e], rate_dot[e] = -g[e], -rate[e]


@compiled
def differentiate(moment, g_dot, rate_dot, work):
    """Gamma_v = dG/dt + R and dR/dt, from what evaluate_before() left there, with G and R in work."""
    g, rate = work.g, work.rate
    for e in range(g.size):
        g_dot[e] = (g_dot[e] + g[e]) / moment + rate[e]
        rate_dot[e] = (rate_dot[e] + rate[e]) / moment


@compiled
def evaluate_bends(t, q, v, lam, bend_q, bend_v, run, system, work):
    """d(G^T mu_q)/dq and d(G^T mu_v)/dq: K with multipliers that are moved by mu, less K, in natural sizes of multipliers."""
    k, mu_q, mu_v = work.k, run.stages[Row.MU_Q], run.stages[Row.MU_V]
    for e in range(k.size):
        bend_q[e], bend_v[e] = -k[e], -k[e]
    for i in range(system.n_rows):
        work.lam[i] = lam[i] + mu_v[i]
    evaluate(t, q, v, VELOCITY | TANGENT | RATE, system, work)
    for e in range(k.size):
        bend_v[e] += k[e]
    for i in range(system.n_rows):
        work.lam[i] = lam[i] + mu_q[i]
    evaluate(t, q, v, VELOCITY | TANGENT | RATE, system, work)
    for e in range(k.size):
        bend_q[e] += k[e]
        k[e] -= bend_q[e]


@compiled
def at_the_end(increment, r, system):
    """r, a difference of increments, as turns at the end of the step."""
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        r[o], r[o + 1], r[o + 2] = spin_of_rate(triple(increment, o), triple(r, o))


@compiled
def project(matrix, mass, inverse, r, push, b, d, n_v):
    """Solves mass W^-1 (r + d) = G^T (mu + dmu), G d = b for d = [d, 0, -dmu]; push = G^T mu."""
    for i in range(n_v):
        b[i] = push[i] - mass * inverse[i] * r[i]
    b[n_v] = 0.0
    solve_symmetric(matrix, b, d)
    d[n_v] = 0.0


@compiled
def sweep(c_v, c_q, mass, nonholonomic, bent, run, system, work):
    """From the change of v' in CHANGE those of q and v, and from these the change of u, in ANSWER."""
    stages, n_v, n_rows, matrix, n_q = run.stages, system.n_v, system.n_rows, run.real, system.n_q
    g_dot, rate_dot, bend_q, bend_v = derivatives(run, work)
    v = run.y_new[n_q : n_q + n_v]
    change, d_q, d_v, answer = stages[Row.CHANGE], stages[Row.CHANGE_Q], stages[Row.CHANGE_V], stages[Row.ANSWER]
    inverse, along_q, along_v, residual = (
        stages[Row.METRIC],
        stages[Row.ALONG_Q],
        stages[Row.ALONG_V],
        stages[Row.RESIDUAL],
    )
    g, rate, g_row, g_column, b, r = work.g, work.rate, system.g_row, system.g_column, work.b, work.e
    velocity_level, turn_v, k_row, k_column = system.velocity_level, system.turn_v, system.k_row, system.k_column
    for i in range(n_v):
        r[i] = along_q[i] - c_q * change[i]
    at_the_end(stages[Row.INCREMENT], r, system)
    for i in range(n_rows):
        b[n_v + 1 + i] = 0.0 if velocity_level[i] else -work.phi[i]
    if nonholonomic:  # these rows leave Newmark's positions alone
        for e in range(g.size):
            if velocity_level[g_row[e]] and g_column[e] < n_v:
                b[n_v + 1 + g_row[e]] -= g[e] * r[g_column[e]]
    project(matrix, mass, inverse, r, stages[Row.PUSH_Q], b, d_q, n_v)
    push_v = stages[Row.PUSH_V]
    if bent:
        push_q, push_v = stages[Row.TERM_Q], stages[Row.TERM_V]
        for i in range(n_v):
            push_q[i], push_v[i] = stages[Row.PUSH_Q, i], stages[Row.PUSH_V, i]
        for e in range(bend_q.size):
            push_q[k_row[e]] += bend_q[e] * d_q[k_column[e]]
        project(matrix, mass, inverse, r, push_q, b, d_q, n_v)
        for e in range(bend_v.size):
            push_v[k_row[e]] += bend_v[e] * d_q[k_column[e]]
    for i in range(n_v):
        r[i] = along_v[i] - c_v * change[i]
    for i in range(n_rows):
        b[n_v + 1 + i] = -work.phi_dot[i]
    for e in range(g.size):
        b[n_v + 1 + g_row[e]] -= rate[e] * d_q[g_column[e]]
    project(matrix, mass, inverse, r, push_v, b, d_v, n_v)
    for i in range(n_v + 1 + n_rows):
        answer[i] = residual[i]
    for i in range(n_v):
        r[i] = 0.0
    r[n_v] = 0.0
    for k in range(turn_v.size):
        o = turn_v[k]
        r[o], r[o + 1], r[o + 2] = cross(triple(d_q, o), triple(v, o))
    for e in range(g.size):
        j = g_column[e]
        answer[n_v + 1 + g_row[e]] -= rate_dot[e] * d_q[j] + rate[e] * r[j] + g_dot[e] * d_v[j]
    k, d, d_row, d_column = work.k, work.d, system.d_row, system.d_column
    for e in range(k.size):
        answer[k_row[e]] -= k[e] * (d_q[k_column[e]] - c_q * change[k_column[e]])
    for e in range(d.size):
        answer[d_row[e]] -= d[e] * (d_v[d_column[e]] - c_v * change[d_column[e]])
    answer[n_v] = 0.0
    solve(work.kkt, answer, answer)
    answer[n_v] = 0.0


@compiled
def product(x, y, unit, n):
    """x . y in natural units."""
    total = 0.0
    for i in range(n):
        total += x[i] * y[i] * unit[i] * unit[i]
    return total


@compiled
def accelerate(kept, first, run, n):
    """The next assumption in CHANGE, by Anderson's acceleration; directions that are kept from now on."""
    stages = run.stages
    change, gap, before, gap_before = stages[Row.CHANGE], stages[Row.GAP], stages[Row.BEFORE], stages[Row.GAP_BEFORE]
    unit = stages[Row.UNIT]
    if not first and kept < KEPT:
        s, y = stages[Row.DIRECTIONS + kept], stages[Row.IMAGES + kept]
        for i in range(n):
            y[i] = gap[i] - gap_before[i]
            s[i] = change[i] - before[i] + y[i]
        for j in range(kept):
            c = product(y, stages[Row.IMAGES + j], unit, n)
            for i in range(n):
                y[i] -= c * stages[Row.IMAGES + j, i]
                s[i] -= c * stages[Row.DIRECTIONS + j, i]
        size = math.sqrt(product(y, y, unit, n))
        if size > 0.0:
            for i in range(n):
                y[i] /= size
                s[i] /= size
            kept += 1
    for i in range(n):
        before[i], gap_before[i] = change[i], gap[i]
    for i in range(n):
        change[i] += gap[i]
    for j in range(kept):
        c = product(gap_before, stages[Row.IMAGES + j], unit, n)
        for i in range(n):
            change[i] -= c * stages[Row.DIRECTIONS + j, i]
    return kept


@compiled
def solve_linearised(c_v, c_q, mass, nonholonomic, bent, weight, enough, run, system, work):
    """All linearised equations at once: CHANGE_Q, CHANGE_V, ANSWER. weight * change of v' is what counts against `enough`."""
    stages, n_v = run.stages, system.n_v
    change, answer, gap, unit = stages[Row.CHANGE], stages[Row.ANSWER], stages[Row.GAP], stages[Row.UNIT]
    kept = 0
    for i in range(n_v + 1):
        change[i] = 0.0
    for k in range(SWEEPS):
        sweep(c_v, c_q, mass, nonholonomic, bent, run, system, work)
        size, left = 0.0, 0.0
        for i in range(n_v):
            gap[i] = answer[i] - change[i]
            size, left = max(size, weight * abs(answer[i]) * unit[i]), max(left, weight * abs(gap[i]) * unit[i])
        if k > 0 and left <= max(0.1 * enough, min(LOOSE, size) * size):  # k = 0: CHANGE was 0
            return
        kept = accelerate(kept, k == 0, run, n_v)
