"""Backward differentiation formulas of orders 1 to 5 for F(t, y, y') = 0; variable step and order, or a fixed step.

    F(t_(n+1), y_(n+1), p'(t_(n+1))) = 0,   p the polynomial of degree k through y_(n+1), y_n, ..., y_(n+1-k)

The polynomial belongs to the times at which the points really are, so that steps of any size may follow each other, also from
one run to the next: the past points stand behind y. Predictor, formula, error estimates and output between the steps are all
linear combinations of points. `order` is the order of a fixed-step run (default 2, the highest one without a limit on stable
frequencies) and the highest one of an adaptive run (default 5).

Without a past - at the start, with new coordinates, when a step was refused again and again - the first step is made of sub-steps
h 2^-m (1, 1, 2, 4, ...) with orders from 1 to k, each so small that its error does not count: the full order is seen at once.

The error is that of the formula, from the difference between solution and predictor. Multipliers are not judged, a component of
index i only after multiplication by h^(i - 1). For long smooth motions and stiff systems; Radau is better at high accuracy and
after discontinuities. Singular positions that are passed at speed are a weak spot, see radau5.
Reference: Brenan, Campbell and Petzold, Numerical Solution of Initial-Value Problems in DAEs (1996), chapter 5; spec 003, 2.1.
"""

import math

import numpy as np

from ..compiled.interfaces import INTERPOLATE, STEP
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, STEPS, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING, SINGULAR
from ..linalg.factor import solve
from ..linalg.kkt import LEAVE
from .base import Integrator, by_index, carried
from .dae import jacobian, newton_matrix, residual
from .newton import CONVERGED, DIVERGED, judge, larger

EXPANDED = 2  # place of EXPAND in the form's table: there where y does not begin with q and v
HIGHEST, A_STABLE, FIRST = (
    5,
    2,
    3,
)  # orders: the highest of all, the highest that damps all frequencies, that of a start
PAST = 5  # points before y that are kept
MAX_ITERATIONS = 10
TROUBLED = 20  # steps after a failure for which the formulation may leave out rows that have become dependent
TRIES = 3  # after so many refusals the past is given up: it may lie beyond a jump
TRUSTED = 0.2  # best contraction that is taken over from one step to the next: a matrix gets worse as it ages
SLOW = 3.0  # iterations after which the matrix is renewed for the next step
OLD = 40.0  # steps after which the matrix is renewed in any case
CLOSE = 0.2  # relative difference of shifts up to which a matrix is kept
ROUNDING = 1e-12  # smallest tolerance
BITS = 12  # sub-steps of a start are so small that a step may be 2^-BITS of the time in which the motion changes
SHARE = 0.01  # of the tolerance that Newton's method may use up
# memory: contraction of Newton's method, shift of its matrix (0: none), age of the matrix in steps, step that was tried last
# (counted from 1), how often it was tried again, iterations of the last step; distances of the points back in time from the
# new one; weights of the points
ETA, SHIFT, AGE, TRIED, REPEATED, COUNT, NODES = range(7)
WEIGHTS = NODES + PAST + 2
# behind y: number of past points, their distances from y in time, their differences to y
AGES, POINTS = 1, 1 + PAST


@compiled
def lagrange(z, d, first, last, w):
    """w[first .. last]: weights with which the points at distances d before the new one give the polynomial at distance z."""
    for j in range(first, last + 1):
        w[j] = 1.0
        for i in range(first, last + 1):
            if i != j:
                w[j] *= (d[i] - z) / (d[i] - d[j])


@compiled
def differentiate(d, k, w):
    """w[0 .. k]: weights with which the points give p' at the new one."""
    w[0] = 0.0
    for j in range(1, k + 1):
        w[0] += 1.0 / d[j]
        w[j] = -1.0 / d[j]
        for i in range(1, k + 1):
            if i != j:
                w[j] *= d[i] / (d[i] - d[j])


@compiled
def combined(i, n, last, w, z):
    """Component i of the sum of w[j] (point j - point 1), j up to `last`; point 1 is z itself, its past follows."""
    total, place = 0.0, n + POINTS + i
    for j in range(2, last + 1):
        total += w[j] * z[place]
        place += n
    return total


@compiled
def scaled_error(p, highest, h, point, n, z, run):
    """Root mean square of the error of the formula of order p, 1 being the tolerance; infinite if it cannot be used."""
    d, w = run.memory[NODES:WEIGHTS], run.memory[WEIGHTS:]
    if p < 1 or p > highest or z[n] < p:
        return math.inf
    lagrange(0.0, d, 1, p + 1, w)
    shift = 0.0
    for j in range(1, p + 1):
        shift += 1.0 / d[j]
    scale, levels, relative, absolute = run.scale, run.levels, run.tolerance[0], run.tolerance[1]
    total, count = 0.0, 0
    for i in range(n):
        if math.isfinite(scale[i]):
            power = h ** (levels[i] - 1.0)
            error = power * (point[i] - z[i] - combined(i, n, p + 1, w, z))
            limit = absolute * scale[i] + relative * power * max(abs(point[i]), abs(z[i]))
            total += (error / limit) ** 2
            count += 1
    return math.sqrt(total / max(count, 1)) / (shift * d[p + 1])


@compiled
def weigh(h, n, weight, run, system):
    """weight = 1 / what a correction may amount to, per component. (tolerance, largest size that may pass as round-off)."""
    y, scale, levels, relative, absolute = run.y, run.scale, run.levels, run.tolerance[0], run.tolerance[1]
    if run.clock[7] == 0.0:
        for i in range(n):
            # a component of index 2 moves by round-off / h
            limit = (absolute + ROUNDING * h ** (1.0 - levels[i])) * scale[i] + relative * abs(y[i])
            weight[i] = 1.0 / limit if math.isfinite(scale[i]) else 0.0
        return SHARE, 10.0 * SHARE
    # velocities are judged against the fastest of them, or what the step resolves: no unit of time enters
    speeds, fastest = system.n_q + system.n_v, 1e-3 / h
    for i in range(system.n_q, speeds):
        fastest = max(fastest, abs(y[i]) / scale[i])
    for i in range(n):
        weight[i] = 1.0 / (scale[i] * fastest) if system.n_q <= i < speeds else 1.0 / scale[i]
    return run.options[1], 1.0


@compiled
def advance(form, t, h, k, run, system, work):
    """One step of order k from the points in run.y_new, in place. stages: new point, y', p' without it, correction, weights."""
    z, stages, memory, counters, scale = run.y_new, run.stages, run.memory, run.counters, run.scale
    n = run.j_diagonal.size
    point, slope, rest, change, weight = stages[0][:n], stages[1][:n], stages[2], stages[3][:n], stages[4]
    d, w, count = memory[NODES:WEIGHTS], memory[WEIGHTS:], int(z[n])
    d[0], d[1] = 0.0, h
    for j in range(count):
        d[j + 2] = h + z[n + AGES + j]
    tolerance, largest = weigh(h, n, weight, run, system)
    renew = memory[SHIFT] == 0.0 or memory[AGE] >= OLD or memory[COUNT] > SLOW
    worst = 0
    for _ in range(2):  # with the matrix at hand; with a new one
        lagrange(0.0, d, 1, min(k, count) + 1, w)
        for i in range(n):
            # multipliers start where they were: their part in the null space of G^T is never corrected
            point[i] = z[i] + (combined(i, n, min(k, count) + 1, w, z) if math.isfinite(scale[i]) else 0.0)
        differentiate(d, k, w)
        shift = w[0]
        for i in range(n):
            rest[i] = combined(i, n, k, w, z)
            slope[i] = shift * (point[i] - z[i]) + rest[i]
        if renew or abs(shift - memory[SHIFT]) > CLOSE * memory[SHIFT]:
            renew = True
            status = jacobian(form, t + h, point, slope, run, system, work)
            regular = newton_matrix(run.real, shift, run)
            counters[TANGENTS] += 1
            memory[SHIFT], memory[AGE], memory[ETA] = shift if regular else 0.0, 0.0, 1.0
            if status != RUNNING or not regular:
                return status if status != RUNNING else SINGULAR
        # a matrix with another shift is right for parts that do not contain y', wrong by the ratio for the others: half-way
        share, eta, previous, size = 2.0 / (1.0 + shift / memory[SHIFT]), max(memory[ETA], TRUSTED), 0.0, 0.0
        for iteration in range(MAX_ITERATIONS):
            status = residual(form, t + h, point, slope, change, run, system, work)
            if status != RUNNING:
                return status
            counters[EVALUATIONS] += 1
            counters[ITERATIONS] += 1
            solve(run.real, change, change)
            size = 0.0
            for i in range(n):
                point[i] -= share * change[i]
                slope[i] = shift * (point[i] - z[i]) + rest[i]
                if larger(abs(change[i]) * weight[i], size):
                    size, worst = abs(change[i]) * weight[i], i
            verdict, eta = judge(iteration, size, previous, eta, tolerance)
            previous = size
            if verdict != CONVERGED and verdict != DIVERGED:
                continue
            if verdict == CONVERGED and eta * size <= largest:
                memory[ETA], memory[COUNT] = eta, iteration + 1.0
                memory[AGE] += 1.0
                return RUNNING
            break
        if renew:
            break
        renew = True
    counters[CULPRIT] = worst - system.n_q if worst >= system.n_q else -2 - worst
    memory[SHIFT] = 0.0
    work.left_out[LEAVE] = TROUBLED
    return NEWTON_FAILED


@compiled
def remember(h, point, z, n):
    """The new point becomes z; z and its past move back."""
    count = min(int(z[n]) + 1, PAST)
    for j in range(count - 1, 0, -1):
        z[n + AGES + j] = z[n + AGES + j - 1] + h
        here, there = n + POINTS + j * n, n + POINTS + (j - 1) * n
        for i in range(n):
            z[here + i] = z[there + i] + (z[i] - point[i])
    z[n] = count
    z[n + AGES] = h
    for i in range(n):
        z[n + POINTS + i] = z[i] - point[i]
        z[i] = point[i]


@compiled
def starting_order(k, part, halvings):
    """The lowest order whose error in a sub-step h 2^-halvings does not count beside h^(k + 1): growing steps want low orders."""
    p = 1
    while p < min(k, part + 1) and halvings * (p + 1) < BITS * (k - p):
        p += 1
    return p


@STEP
def bdf(form, t, h, run, system, work):
    """One step: of order k, or the doubling sub-steps of a start."""
    y, z, memory, counters, orders, error = run.y, run.y_new, run.memory, run.counters, run.orders, run.error
    n, adaptive, point = run.j_diagonal.size, run.clock[7] == 0.0, run.stages[0]
    for i in range(y.size):
        z[i] = y[i]
    first, again = memory[TRIED] == 0.0, memory[TRIED] == counters[STEPS] + 1.0
    memory[TRIED], memory[REPEATED] = counters[STEPS] + 1.0, memory[REPEATED] + 1.0 if again else 0.0
    lost = memory[REPEATED] >= TRIES
    if counters[RESTART] == 1:
        memory[SHIFT], orders[2] = 0.0, 0
        # a failure or another choice of rows leaves the past as it is; other coordinates do not
        lost = lost or (form[EXPANDED] != 0 and not first and not again)
    if lost:
        z[n] = 0.0
        orders[2] = 0
    counters[RESTART] = 0
    highest = int(run.options[0])
    if highest == 0:
        highest = HIGHEST if adaptive else A_STABLE
    k = highest
    if adaptive:
        k = min(highest, FIRST if orders[1] == 0 else orders[1], A_STABLE if memory[REPEATED] >= TRIES else HIGHEST)
    count, parts = int(z[n]), 0
    if count > 0 or (k == 1 and not adaptive):
        k = min(k, count if adaptive else count + 1)
    else:
        parts = BITS * (k - 1) // 2 if k > 1 else 4
    start, size = t, h * 0.5**parts
    for part in range(parts + 1):
        p = k if parts == 0 else starting_order(k, part, parts - max(part - 1, 0))
        status = advance(form, start, size, p, run, system, work)
        if status != RUNNING:
            return status
        if part == parts and adaptive:  # of the last sub-step of a start, which is half as large
            for shifted in range(3):
                p = k + (0, -1, 1)[shifted]
                error[shifted] = scaled_error(p, highest, size, point, n, z, run) * (
                    2.0 ** (p + 1) if parts > 0 else 1.0
                )
        remember(size, point, z, n)
        start += size
        size *= 1.0 if part == 0 else 2.0
    orders[0] = k
    return RUNNING


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """The polynomial of the formula, through the new point and those before it."""
    z, n = run.y_new, run.j_diagonal.size
    d, w, k = run.memory[NODES:WEIGHTS], run.memory[WEIGHTS:], run.orders[0]
    last = min(k, int(z[n])) + 1
    d[1] = 0.0
    for j in range(2, last + 1):
        d[j] = z[n + AGES + j - 2]
    lagrange((1.0 - theta) * h, d, 1, last, w)
    for i in range(n):
        out[i] = z[i] + combined(i, n, last, w, z)


def past(problem, state):
    """The past that a State brings along, or an empty one."""
    size = POINTS + PAST * problem.scale.size
    return state.extra if state.extra is not None and state.extra.size == size else np.zeros(size)


def difference(row, i, n_q, n):
    """Words for a point of the past, which is kept as its difference from y."""
    back, i = divmod(i - POINTS, n)
    derivative = 1 if i >= n_q else 0
    return f"{carried(derivative, back + 1)}, less {carried(derivative)}"


BDF = Integrator(
    name="bdf",
    title="Backward differentiation formulas, orders 1 to 5, implicit, adaptive",
    damps=True,
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=5,
    orders={k: by_index(*[(k, k, k)] * 3) for k in range(1, HIGHEST + 1)},
    error_order=6,
    controller="variable-order",
    step=bdf,
    interpolate=interpolate,
    references=("Brenan, Campbell and Petzold 1996, doi:10.1137/1.9781611971224",),
    stages=5,
    memory=WEIGHTS + PAST + 2,
    extra=past,
    options={"order": 0, "newton_tolerance": 1e-10},
    ranges={"order": (0.0, 5.0), "newton_tolerance": (1e-15, 1e-4)},
    own=difference,
)
