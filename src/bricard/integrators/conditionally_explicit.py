"""Conditionally explicit methods ce3, ce4, ce5: Taylor steps whose highest derivative comes from accelerations alone.

    q_(n+1) = q_n o exp(h v + h^2/2 a + h^3/6 j + h^4/24 s),   a = v',  j = a',  s = j'

up to the m-th derivative of v, with alpha d + (1 - alpha) d_before in the place of the last one, d. At the end of the step

    v_(n+1) = v + h a + ... + h^m / m! ((1 - beta) d + beta d_new),                                        m = 1, 2, 3
    j_new = (a_new - a) / (gamma h) - (1 - gamma) / gamma j                                                 (ce4)
    s_new = 2 (a_new - a - h j) / (gamma h^2) - (1 - gamma) / gamma s,   j_new = j + h ((1 - zeta) s + zeta s_new)   (ce5)

and a_new = v'(t, q, v) at the new state: explicit in the positions, implicit in the velocities only where forces depend on
them, by iteration. One evaluation of v' or a few for each step; no differences of positions, so no cancellation at small steps.

    method  order  parameters (default)                         stable up to h omega =
    ce3     2      alpha = 1, beta = 1/2 (= central-difference)  2; 1.549 for alpha = 4/3, 1.155 for alpha = 2
    ce4     3      alpha = 3/4, beta = 1/3, gamma = 1/2          1.731; 1.265 for alpha = 1/4; alpha = 5/4 is never stable
    ce5     4      alpha = 0, beta = gamma = zeta = 1            1.414; the published alpha = 4/5 is never stable

The source starts with j = s = 0, which is right for its example only, from rest; here they come from differences of v' over a
part of the first step. It treats unconstrained systems; with constraints v' is that of the formulation (index1: from
[M G^T; G 0]), and its correction moves the new state onto them. For turns of bodies the increment has the terms
h^3/12 w x (w' + h/2 w''), without which the order would be 2. Where T is not the identity (systems given by functions) the
order is 2.
Reference: Uriarte, PhD thesis, UPV/EHU (2023), section 9.2; ce5 with the parameters of spec 004, section 4.2.4.
"""

import math
from functools import partial

from ..compiled.interfaces import OWN, RETRACT, RHS, STEP
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..kernels.vectors import cross, triple
from .base import Integrator, carried, same_order
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newton import larger

call_rhs, call_retract = RHS.call, RETRACT.call
MAX_ITERATIONS = 30
STAGNATION = 1e4  # corrections that no longer shrink are accepted up to so many tolerances
SHARE = 0.125  # of a step, over which derivatives are differenced at the start
# rows of stages: y'; v', j, s at the start of the step; the last of them one step before; the same at the end; the increment;
# the slopes
RATE, START, BEFORE, END, INCREMENT = 0, 1, 4, 5, 8
LAST_STEP = 0  # of memory: size of the last step
ALPHA, BETA, GAMMA, ZETA, TOLERANCE = range(5)  # of options
FACTORIAL = (1.0, 1.0, 2.0, 6.0, 24.0)


@compiled
def settled(iteration, size, previous, tolerance):
    """Whether corrections no longer shrink because of rounding, which close to singular positions is large."""
    return iteration > 3 and 0.3 * previous < size <= STAGNATION * tolerance


@compiled
def accelerate(form, t, y, a, run, system, work):
    """a = v' at a state. A status."""
    rate, n_q = run.stages[RATE], system.n_q
    status = call_rhs(form[OWN], t, y, rate, system, work)
    for i in range(system.n_v):
        a[i] = rate[n_q + i]
    run.counters[EVALUATIONS] += 1
    return status


@compiled
def travel(h, m, alpha, run, system, work):
    """The new positions into y_new."""
    n_q, y, d, before, increment = system.n_q, run.y, run.stages[START:], run.stages[BEFORE], run.stages[INCREMENT]
    for i in range(system.n_v):
        total, power = h * y[n_q + i], h
        for k in range(m):
            power *= h
            last = alpha * d[k, i] + (1.0 - alpha) * before[i] if k == m - 1 else d[k, i]
            total += power / FACTORIAL[k + 2] * last
        increment[i] = total
    turn_v = system.turn_v
    for n in range(turn_v.size):
        o = turn_v[n]
        w, a = triple(y, n_q + o), triple(d[0], o)
        if m > 1:
            j = triple(d[1], o)
            a = (a[0] + 0.5 * h * j[0], a[1] + 0.5 * h * j[1], a[2] + 0.5 * h * j[2])
        bend = cross(w, a)
        for c in range(3):
            increment[o + c] += h**3 / 12.0 * bend[c]
    call_retract(system.methods[1], y, increment, run.y_new, system, work)


@compiled
def differentiate(h, m, gamma, zeta, run, system):
    """j and s at the end of the step, from v' there."""
    d, new = run.stages[START:], run.stages[END:]
    for i in range(system.n_v):
        if m == 2:
            new[1, i] = (new[0, i] - d[0, i]) / (gamma * h) - (1.0 - gamma) / gamma * d[1, i]
        elif m == 3:
            rest = new[0, i] - d[0, i] - h * d[1, i]
            new[2, i] = 2.0 * rest / (gamma * h * h) - (1.0 - gamma) / gamma * d[2, i]
            new[1, i] = d[1, i] + h * ((1.0 - zeta) * d[2, i] + zeta * new[2, i])


@compiled
def speed(h, m, beta, run, system):
    """The new velocities into y_new; the largest change in units of their natural size and velocity, and where it is."""
    n_q, y, y_new, d, new, scale = system.n_q, run.y, run.y_new, run.stages[START:], run.stages[END:], run.scale
    largest, worst = 0.0, 0
    for i in range(system.n_v):
        # the increment is summed first: a small term that hardly changes would be rounded the same way beside v in each step
        total, power = 0.0, 1.0
        for k in range(m):
            power *= h
            last = (1.0 - beta) * d[k, i] + beta * new[k, i] if k == m - 1 else d[k, i]
            total += power / FACTORIAL[k + 1] * last
        total += y[n_q + i]
        change = abs(total - y_new[n_q + i]) / (scale[n_q + i] + abs(total))
        y_new[n_q + i] = total
        if larger(change, largest):
            largest, worst = change, i
    return largest, worst


@compiled
def predict(form, t, h, m, run, system, work):
    """j and s at the start of a run, by differences of v' over short times, predicted with better ones each time."""
    n_q, n_v, y, y_new, d = system.n_q, system.n_v, run.y, run.y_new, run.stages[START:]
    before, near, far, increment = run.stages[BEFORE], run.stages[END], run.stages[END + 1], run.stages[INCREMENT]
    status, short = RUNNING, SHARE * h
    for i in range(n_v):
        d[1, i], d[2, i] = 0.0, 0.0
    for _ in range(m):
        for k in range(1, 3):
            s = k * short
            for i in range(n_v):
                increment[i] = s * y[n_q + i] + s * s * (d[0, i] / 2.0 + s * (d[1, i] / 6.0 + s * d[2, i] / 24.0))
                y_new[n_q + i] = y[n_q + i] + s * (d[0, i] + s * (d[1, i] / 2.0 + s * d[2, i] / 6.0))
            call_retract(system.methods[1], y, increment, y_new, system, work)
            status = max(status, accelerate(form, t + s, y_new, near if k == 1 else far, run, system, work))
        for i in range(n_v):
            d[1, i] = (4.0 * near[i] - far[i] - 3.0 * d[0, i]) / (2.0 * short)
            d[2, i] = (far[i] - 2.0 * near[i] + d[0, i]) / (short * short) if m == 3 else 0.0
    for i in range(n_v):
        before[i] = d[m - 1, i]
    return status


@compiled
def begin(form, t, h, m, run, system, work):
    """Derivatives at the start of the step; where constraints have moved the state since, with v' taken anew. A status."""
    n_v, d, before, counters = system.n_v, run.stages[START:], run.stages[BEFORE], run.counters
    gamma, last, memory = run.options[GAMMA], run.stages[END], run.memory
    if counters[RESTART] == 1:
        status = accelerate(form, t, run.y, d[0], run, system, work)
        counters[RESTART] = 0
        if m == 1:
            for i in range(n_v):
                before[i] = d[0, i]
            return status
        return max(status, predict(form, t, h, m, run, system, work))
    status = RUNNING
    if system.n_rows > 0:
        for i in range(n_v):
            last[i] = d[0, i]
        status = accelerate(form, t, run.y, d[0], run, system, work)
        if m > 1:
            size = memory[LAST_STEP]
            weight = 1.0 / (gamma * size) if m == 2 else 2.0 / (gamma * size * size)
            for i in range(n_v):
                change = weight * (d[0, i] - last[i])
                d[m - 1, i] += change
                if m == 3:
                    d[1, i] += size * run.options[ZETA] * change
    if abs(memory[LAST_STEP] - h) > 1e-9 * h:
        for i in range(n_v):
            before[i] = d[m - 1, i]
    return status


@compiled
def advance(form, t, h, m, run, system, work):
    """One step with the derivatives of v up to the m-th. A status."""
    n_v, options, d, new, before = system.n_v, run.options, run.stages[START:], run.stages[END:], run.stages[BEFORE]
    status = begin(form, t, h, m, run, system, work)
    if status != RUNNING:
        return status
    travel(h, m, options[ALPHA], run, system, work)
    for k in range(m):
        for i in range(n_v):
            new[k, i] = d[k, i]
    change, worst = speed(h, m, options[BETA], run, system)
    explicit = system.n_rows == 0 and system.d_row.size == 0  # no force depends on velocities
    previous = math.inf
    for iteration in range(MAX_ITERATIONS):
        status = accelerate(form, t + h, run.y_new, new[0], run, system, work)
        run.counters[ITERATIONS] += 1
        if status != RUNNING:
            return status
        differentiate(h, m, options[GAMMA], options[ZETA], run, system)
        change, worst = speed(h, m, options[BETA], run, system)
        if explicit or change <= options[TOLERANCE] or settled(iteration, change, previous, options[TOLERANCE]):
            take_slope(t, h, AT_START, run.y, d[0], run, system, work)
            take_slope(t, h, AT_END, run.y_new, new[0], run, system, work)
            for i in range(n_v):
                before[i] = d[m - 1, i]
                for k in range(m):
                    d[k, i] = new[k, i]
            run.memory[LAST_STEP] = h
            return RUNNING
        previous = change
    run.counters[CULPRIT] = worst
    return NEWTON_FAILED


@STEP
def ce3(form, t, h, run, system, work):
    """One step with v'."""
    return advance(form, t, h, 1, run, system, work)


@STEP
def ce4(form, t, h, run, system, work):
    """One step with v' and its derivative."""
    return advance(form, t, h, 2, run, system, work)


@STEP
def ce5(form, t, h, run, system, work):
    """One step with v' and two derivatives of it."""
    return advance(form, t, h, 3, run, system, work)


member = partial(
    Integrator,
    accepts=("SecondOrderOde",),
    interpolate=interpolate,
    references=("Uriarte 2023, PhD thesis, UPV/EHU",),
    stages=11,
    memory=1,
)
RANGES = {
    "alpha": (-10.0, 10.0),
    "beta": (0.0, 2.0),
    "gamma": (0.01, 2.0),
    "zeta": (0.0, 2.0),
    "tolerance": (1e-16, 1e-3),
}


def _options(alpha, beta, gamma=None, zeta=None):
    given = {"alpha": alpha, "beta": beta, "gamma": gamma, "zeta": zeta, "tolerance": 1e-11}
    return {key: value for key, value in given.items() if value is not None}


def _numbers(alpha, beta, tolerance, gamma=1.0, zeta=1.0):
    return alpha, beta, gamma, zeta, tolerance


def _words(m):
    """Words for v' and its derivatives up to the m-th of v, and for the last of them one step before."""
    return lambda row, i, n_q, _: carried(1 + m, 1) if row == BEFORE else carried(2 + row - START)


CE3 = member(
    name="ce3",
    title="Conditionally explicit with v', order 2",
    order=2,
    orders=same_order(2, form="SecondOrderOde"),
    step=ce3,
    own=_words(1),
    options=_options(1.0, 0.5),
    ranges=RANGES,
    numbers=_numbers,
)
CE4 = member(
    name="ce4",
    title="Conditionally explicit with v' and v'', order 3",
    order=3,
    orders=same_order(3, form="SecondOrderOde"),
    step=ce4,
    own=_words(2),
    options=_options(0.75, 1 / 3, 0.5),
    ranges=RANGES,
    numbers=_numbers,
)
CE5 = member(
    name="ce5",
    title="Conditionally explicit with v', v'' and v''', order 4",
    order=4,
    orders=same_order(4, form="SecondOrderOde"),
    step=ce5,
    own=_words(3),
    options=_options(0.0, 1.0, 1.0, 1.0),
    ranges=RANGES,
    numbers=_numbers,
)
