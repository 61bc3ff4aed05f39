"""Newmark's formulas along the null space of the constraints at the end of the step; all three constraint levels hold there.

    N^T W^-1 (xi - h v0 - h^2 ((1/2 - beta) a0 + beta a1)) = 0,     Phi(t1, q1) = 0,        q1 = q0 o exp(xi)
    N^T W^-1 (v1 - v0 - h ((1 - gamma) a0 + gamma a1)) = 0,         G1 v1 + Phi_t = 0
    M a1 + G1^T lam = f1,                                           G1 a1 = gamma1

N spans the null space of G1. It is never computed: N^T W^-1 r = 0 means r = W G1^T mu, so that each line is a sparse problem
with multipliers of its own. The motion behaves as that of minimal coordinates with the same formula: the trapezoidal rule is
stable at any step without damping, Fox-Goodwin (the default, the most accurate) up to h = sqrt(6) / omega, beta = 0 (central
differences) up to 2 / omega; constraints add no frequency. Index-3 Newmark has none of that.
Redundant rows and singular positions are no obstacle.

W is the metric in which r is normal to the null space: 1 for translations, 1 / (lever * characteristic length)^2 for turns.
Every lever gives order 2; a long one lets Newmark's formula hold for the turns, which is more accurate in linkages.
Newton's method has the full tangent, one factorisation of it and one of [W^-1 G^T; G 0] in each step.
Reference: Uriarte, PhD thesis, UPV/EHU (2023), chapters 5 to 7; the multipliers in the place of the basis are ours.
"""

import math

from ..compiled.interfaces import RATE, RETRACT, STEP, TANGENT, VELOCITY
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..formulations.increments import rate_of, spin_of_rate
from ..kernels.vectors import triple
from ..linalg.factor import factorise, factorise_symmetric, failure, solve, solve_symmetric
from ..linalg.kkt import discount_stiffness, evaluate, multiply_mass
from .base import Integrator, same_order
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newmark import SETS
from .newton import larger

call_retract = RETRACT.call
MAX_ITERATIONS = 15
STAGNATION = 1e2  # corrections that no longer shrink are accepted up to so many tolerances: close to singular positions
# of memory: size of the last step, 1 if the u and the shifts of an earlier step are at hand, 1 if there are nonholonomic rows
LAST_STEP, EARLIER, NONHOLONOMIC = range(3)
# rows of stages, before the slopes
RESIDUAL, INCREMENT, LAST, SHIFT_Q, SHIFT_V, MU_Q, MU_V, METRIC, UNIT, TERMS = range(10)


@compiled
def inverse_metric(lever, system, out):
    """out = the diagonal of W^-1: 1 for translations, (lever * length)^2 for turns."""
    column, metric, n_v = system.column, system.metric, system.n_v
    for i in range(n_v):
        out[i] = 1.0 / metric[i] * (lever * lever if system.n_bodies > 0 else 1.0)
    for b in range(system.n_bodies):
        for c in range(3):
            if column[b, c] < n_v:
                out[column[b, c]] = 1.0
    motion = system.tree.motion
    for i in range(motion.shape[0]):
        if motion[i, 3] == 0.0 and motion[i, 4] == 0.0 and motion[i, 5] == 0.0:
            out[i] = 1.0


@compiled
def factorise_projector(matrix, inverse, system, work):
    """Factors of [mass W^-1, G^T; G, -epsilon] in `matrix`. `mass`, the mean one of the rows, keeps the sizes that epsilon was
    chosen for; it is returned, 0 where a pivot vanishes."""
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
    mass = total / size if total > 0.0 else 1.0
    for i in range(n_v):
        a[diagonal[i]] = mass * inverse[i]
    return mass if factorise_symmetric(matrix) else 0.0


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
def residuals(u, mu_q, mu_v, r, b_q, b_v, system, work):
    """r = [f - M v' - G^T lam, 0, gamma - G v'],   b_q = G^T mu_q,   b_v = G^T mu_v: one pass through G for all."""
    n_v, f, gamma, g, g_row, g_column = system.n_v, work.f, work.gamma, work.g, system.g_row, system.g_column
    multiply_mass(system, work, u, r)
    for i in range(n_v + 1):
        r[i] = f[i] - r[i]
        b_q[i], b_v[i] = 0.0, 0.0
    lam, rows = u[n_v + 1 :], r[n_v + 1 :]
    for i in range(system.n_rows):
        rows[i] = gamma[i]
    for e in range(g.size):
        i, j, entry = g_row[e], g_column[e], g[e]
        rows[i] -= entry * u[j]
        r[j] -= entry * lam[i]
        b_q[j] += entry * mu_q[i]
        b_v[j] += entry * mu_v[i]
    r[n_v] = 0.0


@compiled
def normal(matrix, mass, inverse, r, b, mu, system, work):
    """Solves W^-1 (r + d) = G^T mu for d and a correction of mu; b = [G^T mu, 0, rows G d]. d is left in work.e."""
    d, n_v = work.e, system.n_v
    for i in range(n_v):
        b[i] -= mass * inverse[i] * r[i]
    b[n_v] = 0.0
    solve_symmetric(matrix, b, d)
    for i in range(system.n_rows):
        mu[i] -= d[n_v + 1 + i]


@compiled
def at_the_end(increment, r, system):
    """r, a difference of increments, as turns at the end of the step."""
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        r[o], r[o + 1], r[o + 2] = spin_of_rate(triple(increment, o), triple(r, o))


@compiled
def move(increment, d, system):
    """The increment moved by d, turns at the end of the step."""
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        d[o], d[o + 1], d[o + 2] = rate_of(triple(increment, o), triple(d, o))
    for i in range(system.n_v):
        increment[i] += d[i]


@STEP
def null_space_newmark(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam)]; options: gamma, beta, lever, tolerance."""
    n_q, n_v, n_rows, y, y_new, counters = system.n_q, system.n_v, system.n_rows, run.y, run.y_new, run.counters
    memory, stages, scale, matrix = run.memory, run.stages, run.scale, run.real
    n_u, o_u = n_v + 1 + n_rows, n_q + n_v
    gamma, beta, lever, tolerance = run.options[0], run.options[1], run.options[2], run.options[3]
    r, increment, last = stages[RESIDUAL][:n_u], stages[INCREMENT], stages[LAST]
    shift_q, shift_v, mu_q, mu_v, inverse = stages[SHIFT_Q], stages[SHIFT_V], stages[MU_Q], stages[MU_V], stages[METRIC]
    unit, b_v = stages[UNIT], stages[TERMS]
    v1, u = y_new[n_q:o_u], y_new[o_u:]
    phi, phi_dot, rate, velocity_level = work.phi, work.phi_dot, work.rate, system.velocity_level
    b, d, g, g_row, g_column = work.b, work.e, work.g, system.g_row, system.g_column
    if counters[RESTART] == 1 or abs(memory[LAST_STEP] - h) > 1e-9 * h:
        memory[EARLIER] = 0.0
        inverse_metric(lever, system, inverse)
        for i in range(n_v):
            shift_q[i], shift_v[i], unit[i] = 0.0, 0.0, 1.0 / scale[n_q + i]
        for i in range(n_rows):
            memory[NONHOLONOMIC] = max(memory[NONHOLONOMIC], velocity_level[i])
    growth = memory[EARLIER]  # predictor: v' and lam continued straight, distances from Newmark's formulas as before
    for i in range(n_u):
        u[i] = y[o_u + i] + growth * (y[o_u + i] - last[i])
    fastest, strongest = 0.0, 1e-300
    for i in range(n_v):
        a0 = y[o_u + i]
        fastest, strongest = max(fastest, abs(y[n_q + i]) * unit[i]), max(strongest, abs(a0) * unit[i])
        v1[i] = y[n_q + i] + h * ((1.0 - gamma) * a0 + gamma * u[i]) + shift_v[i]
        increment[i] = h * y[n_q + i] + h * h * ((0.5 - beta) * a0 + beta * u[i]) + shift_q[i]
    for i in range(n_rows):
        mu_q[i], mu_v[i] = 0.0, 0.0
    # changes of v' count by what they move, and where steps are small by their share of the natural accelerations
    weight = min(1e4 * h * h, max(h * h, 1e-6 / (strongest + fastest * fastest)))
    farthest = 1.0
    for i in range(n_q):
        farthest = max(farthest, abs(y[i]) / scale[i])
    enough = max(tolerance, 1e-14 * farthest)  # far from the origin rounding is larger
    renew, mass, previous, worst = True, 1.0, math.inf, 0
    for iteration in range(MAX_ITERATIONS):
        call_retract(system.methods[1], y, increment, y_new, system, work)
        for i in range(n_v):
            work.u[i] = u[i]
        for i in range(n_rows):
            work.lam[i] = u[n_v + 1 + i]
        evaluate(t + h, y_new[:n_q], v1, VELOCITY | (TANGENT | RATE if renew else 0), system, work)
        counters[EVALUATIONS] += 1
        if renew:
            mass = factorise_projector(matrix, inverse, system, work)
            if mass == 0.0:
                return failure(matrix)
            status = factorise_tangent(h * gamma, h * h * beta, system, work)
            counters[TANGENTS] += 1
            if status != RUNNING:
                return status
        residuals(u, mu_q, mu_v, r, b, b_v, system, work)
        solve(work.kkt, r, r)
        r[n_v] = 0.0
        for i in range(n_u):
            u[i] += r[i]
        size = 0.0
        for i in range(n_v):
            change = weight * abs(r[i]) * unit[i]
            if larger(change, size):
                size, worst = change, i
            r[i] = increment[i] - h * y[n_q + i] - h * h * ((0.5 - beta) * y[o_u + i] + beta * u[i])
            shift_q[i] = r[i]
        at_the_end(increment, r, system)
        for i in range(n_rows):
            b[n_v + 1 + i] = 0.0 if velocity_level[i] else -phi[i]
        if memory[NONHOLONOMIC] == 1.0:  # these rows leave Newmark's positions alone
            for e in range(g.size):
                if velocity_level[g_row[e]] and g_column[e] < n_v:
                    b[n_v + 1 + g_row[e]] -= g[e] * r[g_column[e]]
        normal(matrix, mass, inverse, r, b, mu_q, system, work)
        for i in range(n_rows):
            b_v[n_v + 1 + i] = -phi_dot[i]
        for e in range(rate.size):
            if g_column[e] < n_v:
                b_v[n_v + 1 + g_row[e]] -= rate[e] * d[g_column[e]]
        for i in range(n_v):
            change = abs(d[i]) * unit[i]
            if larger(change, size):
                size, worst = change, i
            shift_q[i] += d[i]
        move(increment, d, system)
        for i in range(n_v):
            r[i] = v1[i] - y[n_q + i] - h * ((1.0 - gamma) * y[o_u + i] + gamma * u[i])
        normal(matrix, mass, inverse, r, b_v, mu_v, system, work)
        for i in range(n_v):
            change = h * abs(d[i]) * unit[i]
            if larger(change, size):
                size, worst = change, i
            v1[i] += d[i]
            shift_v[i] = r[i] + d[i]
        counters[ITERATIONS] += 1
        if size <= enough or (iteration > 3 and 0.3 * previous < size <= STAGNATION * enough):
            call_retract(system.methods[1], y, increment, y_new, system, work)
            for i in range(n_u):
                last[i] = y[o_u + i]
            memory[LAST_STEP], memory[EARLIER] = h, 1.0
            counters[RESTART] = 0
            take_slope(t, h, AT_START, y, y[o_u:], run, system, work)
            take_slope(t, h, AT_END, y_new, u, run, system, work)
            return RUNNING
        if not size < 1e100 or (iteration > 5 and size > previous):
            break
        renew = iteration > 0 and size > 0.1 * previous
        previous = size
    counters[CULPRIT] = worst
    return NEWTON_FAILED


def numbers(set, gamma, beta, lever, newton_tolerance):
    """run.options: gamma and beta of a named set, or those that are given."""
    usual = SETS[set]
    return usual[0] if gamma is None else gamma, usual[1] if beta is None else beta, lever, newton_tolerance


NULL_SPACE_NEWMARK = Integrator(
    name="null-space-newmark",
    title="Newmark along the null space, all constraint levels, order 2",
    accepts=("OverdeterminedDae",),
    order=2,
    orders=same_order(2, form="OverdeterminedDae"),
    step=null_space_newmark,
    interpolate=interpolate,
    references=("Uriarte 2023, PhD thesis, UPV/EHU",),
    stages=12,
    memory=3,
    second_kkt=True,
    options={"set": "fox-goodwin", "gamma": None, "beta": None, "lever": 2.0, "newton_tolerance": 1e-12},
    ranges={
        "set": tuple(SETS),
        "gamma": (0.01, 2.0),
        "beta": (0.0, 1.6),
        "lever": (0.01, 100.0),
        "newton_tolerance": (1e-15, 1e-3),
    },
    numbers=numbers,
)
