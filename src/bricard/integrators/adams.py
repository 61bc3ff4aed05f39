"""Adams-Bashforth-Moulton with orders 1 to 12 for y' = f(t, y), explicit; variable step and order, or a fixed step.

    predict   y* = y_n + integral of the polynomial through f_n, ..., f_(n+1-k)            (order k)
    evaluate  f* = f(t_(n+1), y*)
    correct   y_(n+1) = y_n + integral of the polynomial through f*, f_n, ..., f_(n+1-k)   (order k + 1)
    evaluate  f_(n+1) = f(t_(n+1), y_(n+1)),  at the start of the next step

The polynomials belong to the times at which the slopes really are, so that steps of any size may follow each other. Predictor,
corrector, error estimates and output between the steps are all linear combinations of slopes. The second evaluation sees what
corrections after the step have made of y: they need no restart. The error is the difference that the oldest slope makes, that is
the error of the corrector of one order less (local extrapolation). `order` is the order of the solution in a fixed-step run
(default 4) and the highest one of an adaptive run (default 12).

Without a past - at the start, with new coordinates, after an event - an adaptive run begins with order 2 and the small step that
this asks for; order and step may then grow with every step. A fixed-step run takes its first steps by Dormand and Prince's method
of order 8, until there are slopes enough. For smooth motions whose right-hand side is costly: two evaluations a step at any
order. Not for stiff systems, and not where coordinates change often (qr, svd; gram-schmidt with `rebase="always"`).
Reference: Shampine and Gordon, Computer Solution of Ordinary Differential Equations (1975); Hairer, Norsett and Wanner, Solving
ODEs I (1993), section III.5; spec 003, 1.2.
"""

import math

import numpy as np

from ..compiled.interfaces import INTERPOLATE, OWN, RHS, STEP
from ..compiled.march import EVALUATIONS, RESTART
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from .base import Integrator, carried, same_order
from .dop853 import ALL as STAGES
from .dop853 import continuous, take_step

HIGHEST, USUAL = 12, 4  # orders: the highest of all, that of a fixed-step run
TRIES = 3  # after so many refusals the past is given up: it may lie beyond a jump
NODES, WEIGHTS = np.polynomial.legendre.leggauss(HIGHEST // 2)  # exact up to degree HIGHEST - 1
# memory: time of the first stage of a starting step; number of slopes; time and size of the step that was tried last, 1 if it was
# a starting step, how often it was tried again; how far slopes lie back in time from the newest of them; the same from the end of
# the step; weights of slopes
COUNT, TRIED, SIZE, STARTING, REPEATED, AGES = range(1, 7)
TIMES = AGES + HIGHEST
COMBINATION = TIMES + HIGHEST + 1
# stages: those of a starting step; slopes, the newest first; f*; y*
SLOPES, NEW, POINT = STAGES, STAGES + HIGHEST, STAGES + HIGHEST + 1

call_rhs = RHS.call


@compiled
def integrate(z, d, first, last, w):
    """w[first .. last]: weights with which slopes at distances d before the end give the integral over the last time z."""
    for j in range(first, last + 1):
        total = 0.0
        for g in range(NODES.size):
            x, product = 0.5 * z * (1.0 + NODES[g]), 0.5 * z * WEIGHTS[g]
            for i in range(first, last + 1):
                if i != j:
                    product *= (x - d[i]) / (d[j] - d[i])
            total += product
        w[j] = total


@compiled
def difference(h, d, p, w):
    """w[0 .. p]: weights of slopes in what slope p adds to the corrector that uses those before it."""
    added = 0.0
    for g in range(NODES.size):
        x, product = 0.5 * h * (1.0 + NODES[g]), 0.5 * h * WEIGHTS[g]
        for i in range(p):
            product *= x - d[i]
        added += product
    for j in range(p + 1):
        w[j] = added
        for i in range(p + 1):
            if i != j:
                w[j] /= d[j] - d[i]


@compiled
def combined(i, first, last, w, stages):
    """Component i of the sum of w[j] slope j; slope 0 is f*, those of the past follow."""
    total = w[0] * stages[NEW, i] if first == 0 else 0.0
    for j in range(max(first, 1), last + 1):
        total += w[j] * stages[SLOPES - 1 + j, i]
    return total


@compiled
def scaled_error(k, highest, h, run):
    """Root mean square of the error of the corrector of order k, 1 being the tolerance; infinite if it is not known."""
    y, y_new, scale, relative, absolute = run.y, run.y_new, run.scale, run.tolerance[0], run.tolerance[1]
    if k < 1 or k > max(highest - 1, 1) or run.memory[COUNT] < k:
        return math.inf
    d, w = run.memory[TIMES:COMBINATION], run.memory[COMBINATION:]
    difference(h, d, k, w)
    total, count = 0.0, 0
    for i in range(y.size):
        if math.isfinite(scale[i]):
            limit = absolute * scale[i] + relative * max(abs(y[i]), abs(y_new[i]))
            total += (combined(i, 0, k, w, run.stages) / limit) ** 2
            count += 1
    return math.sqrt(total / max(count, 1))


@compiled
def make_room(h, run):
    """The slopes move back by one place and the time h."""
    stages, memory = run.stages, run.memory
    count = min(int(memory[COUNT]) + 1, HIGHEST)
    for j in range(count - 1, 0, -1):
        memory[AGES + j] = memory[AGES + j - 1] + h
        for i in range(run.y.size):
            stages[SLOPES + j, i] = stages[SLOPES + j - 1, i]
    memory[COUNT], memory[AGES] = count, 0.0


@compiled
def begin(form, t, h, run, system, work):
    """A starting step: its first stage is the newest slope."""
    stages = run.stages
    run.memory[0] = math.nan
    status = take_step(form, t, h, run, system, work)
    for i in range(run.y.size):
        stages[SLOPES, i] = stages[0, i]
    return status


@compiled
def advance(form, t, h, k, highest, run, system, work):
    """y_new with k slopes of the past."""
    y, y_new, stages, memory = run.y, run.y_new, run.stages, run.memory
    point, d, w = stages[POINT], memory[TIMES:COMBINATION], memory[COMBINATION:]
    d[0] = 0.0
    for j in range(int(memory[COUNT])):
        d[j + 1] = h + memory[AGES + j]
    integrate(h, d, 1, k, w)
    for i in range(y.size):
        point[i] = y[i] + combined(i, 1, k, w, stages)
    status = call_rhs(form[OWN], t + h, point, stages[NEW], system, work)
    run.counters[EVALUATIONS] += 1
    last = min(k, highest - 1)
    integrate(h, d, 0, last, w)
    for i in range(y.size):
        y_new[i] = y[i] + combined(i, 0, last, w, stages)
    return status


@STEP
def adams(form, t, h, run, system, work):
    """One step with k slopes of the past, or a starting step."""
    memory, counters, orders, error = run.memory, run.counters, run.orders, run.error
    adaptive, again = run.clock[7] == 0.0, memory[COUNT] > 0.0 and memory[TRIED] == t
    memory[REPEATED] = memory[REPEATED] + 1.0 if again else 0.0
    if memory[REPEATED] == TRIES:
        memory[COUNT], orders[1] = 1.0, 0
    elif counters[RESTART] == 1 and not again:
        memory[COUNT], orders[1] = 0.0, 0
    counters[RESTART] = 0
    highest = int(run.options[0])
    if highest == 0:
        highest = HIGHEST if adaptive else USUAL
    k = max(highest - 1, 1)
    if adaptive:
        k = min(k, max(orders[1], 1))
    if not again:
        make_room(memory[SIZE], run)
    starting = not adaptive and memory[COUNT] < k
    memory[TRIED], memory[SIZE], memory[STARTING] = t, h, 1.0 if starting else 0.0
    orders[0], orders[2] = k, HIGHEST  # formulas with the true times need not wait for equal steps
    if starting:
        return begin(form, t, h, run, system, work)
    status = RUNNING
    if not again:
        status = call_rhs(form[OWN], t, run.y, run.stages[SLOPES], system, work)
        counters[EVALUATIONS] += 1
    k = min(k, int(memory[COUNT]))
    orders[0] = k
    status = max(status, advance(form, t, h, k, highest, run, system, work))
    if adaptive:
        for shift in range(3):
            error[shift] = scaled_error(k + (0, -1, 1)[shift], highest, h, run)
    return status


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """The polynomial of the corrector, back from the end of the step."""
    y_new, memory = run.y_new, run.memory
    if memory[STARTING] == 1.0:
        continuous(h, theta, out, run)
        return
    d, w = memory[TIMES:COMBINATION], memory[COMBINATION:]
    last = run.orders[0] if run.options[0] != 1.0 else 0
    integrate((1.0 - theta) * h, d, 0, last, w)
    for i in range(y_new.size):
        out[i] = y_new[i] - combined(i, 0, last, w, run.stages)


ADAMS = Integrator(
    name="adams",
    title="Adams-Bashforth-Moulton, orders 1 to 12, explicit, adaptive",
    accepts=("Ode",),
    order=12,
    orders=same_order(*range(1, HIGHEST + 1)),
    error_order=12,
    controller="variable-order",
    step=adams,
    interpolate=interpolate,
    references=("Shampine and Gordon 1975",),
    stages=POINT + 1,
    memory=COMBINATION + HIGHEST + 1,
    options={"order": 0},
    ranges={"order": (0.0, float(HIGHEST))},
    own=lambda row, i, n_q, _: carried(2 if i >= n_q else 1, row - SLOPES + 1),
)
