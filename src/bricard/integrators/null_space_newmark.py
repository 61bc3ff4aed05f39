"""Newmark's formulas along the null space of the constraints at the end of the step; all three constraint levels hold there.

    N^T W^-1 (xi - h v0 - h^2 ((1/2 - beta) a0 + beta a1)) = 0,     Phi(t1, q1) = 0,        q1 = q0 o exp(xi)
    N^T W^-1 (v1 - v0 - h ((1 - gamma) a0 + gamma a1)) = 0,         G1 v1 + Phi_t = 0
    M a1 + G1^T lam = f1,                                           G1 a1 = gamma1

N spans the null space of G1. It is never computed: N^T W^-1 r = 0 means r = W G1^T mu, so that each line is a sparse problem
with multipliers of its own. The motion behaves as that of minimal coordinates with the same formula: the trapezoidal rule is
stable at any step without damping, Fox-Goodwin (the default, the most accurate) up to h = sqrt(6) / omega, beta = 0 (central
differences) up to 2 / omega; constraints add no frequency. Index-3 Newmark has none of that.
Redundant rows and singular positions are no obstacle. A step that ends closer to a singular position than rounding allows, which
moves v by 1e-16 over the square of the distance, is divided, so that the next one steps over the position; the status says so.

W is the metric in which r is normal to the null space: 1 for translations, 1 / (lever * characteristic length)^2 for turns.
Every lever gives order 2; a long one lets Newmark's formula hold for the turns, which is more accurate in linkages.
Newton's method linearises all equations at once (null_space_newton.py): with a fresh tangent it converges quadratically, mostly
in two iterations a step. A step has converged when its corrections are below newton_tolerance and the errors of the constraints
below ten times that, in characteristic lengths or radians: |Phi|, h |G v + Phi_t|, and h^2 |G v' - gamma| for steps of some size.
Reference: Uriarte, PhD thesis, UPV/EHU (2023), chapters 5 to 7; the multipliers in the place of the basis are ours.
"""

import math

from ..compiled.interfaces import RATE, REFRESH, RETRACT, STEP, TANGENT, VELOCITY
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..formulations.increments import rate_of
from ..kernels.vectors import triple
from ..linalg.factor import failure
from ..linalg.kkt import evaluate, multiply_mass, position_error, velocity_error
from .base import Integrator, same_order
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newmark import SETS
from .newton import larger
from .null_space_newton import (
    EARLIER,
    LAST_STEP,
    NONHOLONOMIC,
    SCALARS,
    Row,
    derivatives,
    differentiate,
    evaluate_before,
    evaluate_bends,
    factorise_projector,
    factorise_tangent,
    solve_linearised,
    squared_sine,
)

call_retract = RETRACT.call
MAX_ITERATIONS = 15
# corrections that no longer shrink are accepted up to so many tolerances: at a distance d from a singular position, rounding
# moves v by a multiple of 1e-16 / d^2 across the motion, and as much more as bodies are far from the origin
STAGNATION = 1e2
HOLDS = 10.0  # tolerances that errors of the constraints may have before the last correction
# corrections, in characteristic lengths or radians, that make the tangent too old; in steps that are long for the motion
RENEWED, RENEWED_FAST = 1e-4, 1e-6
FAST = 0.2  # motion in such a step, in characteristic lengths or radians: there Newton's method needs d(G^T mu)/dq too
# of a step that ends close to a singular position: squared sine there times squared motion, per distance of the farthest body;
# and what it is of the squared sine at the start. A fifth of the step is left then, and half a step ends farther away
ROUNDING, CLOSER = 1e-13, 1.0 / 16.0
MOMENT = 1e-5  # of a step, or of the time of the fastest motion


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
def residuals(h, gamma, beta, y, v1, u, run, system, work):
    """RESIDUAL = [f - M v' - G^T lam, 0, gamma - G v'], PUSH = G^T mu, ALONG = distances from Newmark's formulas."""
    stages, n_q, n_v, o_u = run.stages, system.n_q, system.n_v, system.n_q + system.n_v
    r, push_q, push_v, mu_q, mu_v = (
        stages[Row.RESIDUAL],
        stages[Row.PUSH_Q],
        stages[Row.PUSH_V],
        stages[Row.MU_Q],
        stages[Row.MU_V],
    )
    along_q, along_v, increment = stages[Row.ALONG_Q], stages[Row.ALONG_V], stages[Row.INCREMENT]
    f, right, g, g_row, g_column = work.f, work.gamma, work.g, system.g_row, system.g_column
    multiply_mass(system, work, u, r)
    for i in range(n_v):
        a0 = y[o_u + i]
        along_q[i] = increment[i] - h * y[n_q + i] - h * h * ((0.5 - beta) * a0 + beta * u[i])
        along_v[i] = v1[i] - y[n_q + i] - h * ((1.0 - gamma) * a0 + gamma * u[i])
    for i in range(n_v + 1):
        r[i] = f[i] - r[i]
        push_q[i], push_v[i] = 0.0, 0.0
    lam, rows = u[n_v + 1 :], r[n_v + 1 :]
    for i in range(system.n_rows):
        rows[i] = right[i]
    for e in range(g.size):
        i, j, entry = g_row[e], g_column[e], g[e]
        rows[i] -= entry * u[j]
        r[j] -= entry * lam[i]
        push_q[j] += entry * mu_q[i]
        push_v[j] += entry * mu_v[i]
    r[n_v] = 0.0


@compiled
def move(increment, d, system):
    """The increment moved by d, turns at the end of the step; d becomes a change of the increment."""
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        d[o], d[o + 1], d[o + 2] = rate_of(triple(increment, o), triple(d, o))
    for i in range(system.n_v):
        increment[i] += d[i]


@compiled
def predict(h, gamma, beta, lever, run, system, work):
    """u, v and increment to begin with, by the differences of the last step. (tolerance of corrections of v' per that of q and v;
    how far the fastest motion goes in the step; how long before its end G and R are evaluated once more, s; distance of the
    farthest body), lengths in characteristic ones."""
    stages, memory, scale, y, y_new = run.stages, run.memory, run.scale, run.y, run.y_new
    n_q, n_v, o_u = system.n_q, system.n_v, system.n_q + system.n_v
    increment, last, unit = stages[Row.INCREMENT], stages[Row.LAST], stages[Row.UNIT]
    shift_q, shift_v, mu_q, mu_v = stages[Row.SHIFT_Q], stages[Row.SHIFT_V], stages[Row.MU_Q], stages[Row.MU_V]
    if run.counters[RESTART] == 1 or abs(memory[LAST_STEP] - h) > 1e-9 * h:
        memory[EARLIER] = 0.0
        inverse_metric(lever, system, stages[Row.METRIC])
        for i in range(n_v):
            shift_q[i], shift_v[i], unit[i] = 0.0, 0.0, 1.0 / scale[n_q + i]
        for i in range(system.n_rows):
            memory[NONHOLONOMIC] = max(memory[NONHOLONOMIC], system.velocity_level[i])
    v1, u = y_new[n_q:o_u], y_new[o_u:]
    growth = memory[EARLIER]  # v' and lam continued straight, distances from Newmark's formulas as before
    for i in range(n_v + 1 + system.n_rows):
        u[i] = y[o_u + i] + growth * (y[o_u + i] - last[i])
    fastest, strongest = 0.0, 1e-300
    for i in range(n_v):
        a0 = y[o_u + i]
        fastest, strongest = max(fastest, abs(y[n_q + i]) * unit[i]), max(strongest, abs(a0) * unit[i])
        v1[i] = y[n_q + i] + h * ((1.0 - gamma) * a0 + gamma * u[i]) + shift_v[i]
        increment[i] = h * y[n_q + i] + h * h * ((0.5 - beta) * a0 + beta * u[i]) + shift_q[i]
    for i in range(system.n_rows):
        mu_q[i], mu_v[i] = 0.0, 0.0
    farthest = 1.0
    for i in range(n_q):
        farthest = max(farthest, abs(y[i]) / scale[i])
    # changes of v' count by what they move, and where steps are small by their share of the natural accelerations
    weight = min(1e4 * h * h, max(h * h, 1e-6 / (strongest + fastest * fastest)))
    return weight, h * fastest, MOMENT * h / (1.0 + h * (fastest + math.sqrt(strongest))), farthest


@compiled
def linearise(t, c_v, c_q, moment, bent, run, system, work):
    """Evaluates the equations at (t, y_new) with all their derivatives and factorises. (status, mean mass of the rows)"""
    n_q, o_u, matrix = system.n_q, system.n_q + system.n_v, run.real
    q, v, u = run.y_new[:n_q], run.y_new[n_q:o_u], run.y_new[o_u:]
    g_dot, rate_dot, bend_q, bend_v = derivatives(run, work)
    evaluate_before(t, q, v, u, moment, g_dot, rate_dot, run, system, work)
    evaluate(t, q, v, VELOCITY | TANGENT | RATE | REFRESH, system, work)
    differentiate(moment, g_dot, rate_dot, work)
    run.counters[TANGENTS] += 1
    mass = factorise_projector(matrix, run.stages[Row.METRIC], system, work)
    if mass == 0.0:
        return failure(matrix), mass
    status = factorise_tangent(c_v, c_q, system, work)
    if bent and status == RUNNING:
        evaluate_bends(t, q, v, u[system.n_v + 1 :], bend_q, bend_v, run, system, work)
    return status, mass


@compiled
def constraints_left(h, weight, run, system, work):
    """The largest error of a constraint, as the change of position that it makes in the step, characteristic lengths."""
    rows, epsilon, natural = run.stages[Row.RESIDUAL][system.n_v + 1 :], work.epsilon, system.row_diagonal
    left = max(position_error(system, work), h * velocity_error(system, work))
    for i in range(system.n_rows):
        size = weight * abs(rows[i]) * system.row_scale[i]
        if not epsilon[i] > natural[i] and larger(size, left):
            left = size
    return left


@compiled
def correct(h, weight, run, system):
    """Adds the changes of the linearised equations to the unknowns. (size of the largest; where it is, a velocity)"""
    stages, n_v, o_u, y_new = run.stages, system.n_v, system.n_q + system.n_v, run.y_new
    d_q, d_v, d_u, unit = stages[Row.CHANGE_Q], stages[Row.CHANGE_V], stages[Row.ANSWER], stages[Row.UNIT]
    mu_q, mu_v, size, worst = stages[Row.MU_Q], stages[Row.MU_V], 0.0, 0
    for i in range(system.n_rows):
        mu_q[i] -= d_q[n_v + 1 + i]
        mu_v[i] -= d_v[n_v + 1 + i]
    for i in range(n_v):
        for change in (abs(d_q[i]), h * abs(d_v[i]), weight * abs(d_u[i])):
            if larger(change * unit[i], size):
                size, worst = change * unit[i], i
        y_new[system.n_q + i] += d_v[i]
    for i in range(n_v + 1 + system.n_rows):
        y_new[o_u + i] += d_u[i]
    move(stages[Row.INCREMENT], d_q, system)
    return size, worst


@compiled
def squared_sine_here(run, system, work):
    """That of the position with G in work, 0 where it is singular; overwrites the factors of the projector."""
    inverse = run.stages[Row.METRIC]
    mass = factorise_projector(run.real, inverse, system, work)
    return squared_sine(run.real, mass, inverse, system, work) if mass > 0.0 else 0.0


@compiled
def ends_too_close(t, way, farthest, run, system, work):
    """Whether the end of a step from t is so close to a singular position that rounding moves v there by more than a share of
    the error of the formulas, but its start is not. work is evaluated at the end, afterwards at the start if it was looked at.

    At an angle whose sine is s a rounding of e moves q by e / s across the motion, and v by v e / s^2.
    """
    if work.kkt.report[0] == 0:
        return False
    end = squared_sine_here(run, system, work)
    if end * way * way >= ROUNDING * farthest:
        return False
    n_q = system.n_q
    evaluate(t, run.y[:n_q], run.y[n_q : n_q + system.n_v], VELOCITY, system, work)
    return end < CLOSER * squared_sine_here(run, system, work)


@compiled
def conclude(t, h, gamma, beta, run, system, work):
    """The end of a step that has converged: q, and what the next step begins with."""
    stages, y, y_new, n_q, n_v = run.stages, run.y, run.y_new, system.n_q, system.n_v
    o_u, increment, shift_q, shift_v = n_q + n_v, stages[Row.INCREMENT], stages[Row.SHIFT_Q], stages[Row.SHIFT_V]
    call_retract(system.methods[1], y, increment, y_new, system, work)
    for i in range(n_v):
        v0, a0, a1 = y[n_q + i], y[o_u + i], y_new[o_u + i]
        shift_q[i] = increment[i] - h * v0 - h * h * ((0.5 - beta) * a0 + beta * a1)
        shift_v[i] = y_new[n_q + i] - v0 - h * ((1.0 - gamma) * a0 + gamma * a1)
    for i in range(n_v + 1 + system.n_rows):
        stages[Row.LAST, i] = y[o_u + i]
    run.memory[LAST_STEP], run.memory[EARLIER] = h, 1.0
    run.counters[RESTART] = 0
    take_slope(t, h, AT_START, y, y[o_u:], run, system, work)
    take_slope(t, h, AT_END, y_new, y_new[o_u:], run, system, work)


@STEP
def null_space_newmark(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam)]; options: gamma, beta, lever, tolerance."""
    n_q, n_v, y, y_new, counters = system.n_q, system.n_v, run.y, run.y_new, run.counters
    gamma, beta, lever, tolerance = run.options[0], run.options[1], run.options[2], run.options[3]
    weight, way, moment, farthest = predict(h, gamma, beta, lever, run, system, work)
    enough = max(tolerance, 1e-14 * farthest)  # far from the origin rounding is larger
    limit = STAGNATION * max(enough, min(1e-12 * farthest, 1e-10))
    c_v, c_q, v1, u = h * gamma, h * h * beta, y_new[n_q : n_q + n_v], y_new[n_q + n_v :]
    bent, renew, mass, previous, worst = False, True, 1.0, math.inf, 0
    for iteration in range(MAX_ITERATIONS):
        call_retract(system.methods[1], y, run.stages[Row.INCREMENT], y_new, system, work)
        for i in range(n_v):
            work.u[i] = u[i]
        for i in range(system.n_rows):
            work.lam[i] = u[n_v + 1 + i]
        if renew:
            bent = iteration > 0 and way > FAST
            status, mass = linearise(t + h, c_v, c_q, moment, bent, run, system, work)
            if status != RUNNING:
                return status
        else:
            evaluate(t + h, y_new[:n_q], v1, VELOCITY, system, work)
        counters[EVALUATIONS] += 1
        counters[ITERATIONS] += 1
        residuals(h, gamma, beta, y, v1, u, run, system, work)
        left = constraints_left(h, weight, run, system, work)
        solve_linearised(c_v, c_q, mass, run.memory[NONHOLONOMIC] == 1.0, bent, weight, enough, run, system, work)
        size, worst = correct(h, weight, run, system)
        stagnates = iteration > 3 and 0.3 * previous < size <= limit
        if (size <= enough or stagnates) and left <= HOLDS * enough:
            if ends_too_close(t, way, farthest, run, system, work):
                break
            conclude(t, h, gamma, beta, run, system, work)
            return RUNNING
        if not size < 1e100 or (iteration > 5 and size > previous):
            break
        renew = size > (RENEWED_FAST if way > FAST else RENEWED) or (iteration > 0 and size > 0.1 * previous)
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
    stages=Row.COUNT + 2,
    memory=SCALARS,
    matrices=(2, 2),
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
