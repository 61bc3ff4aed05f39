"""What explicit Runge-Kutta methods share: stages, the new state, error estimates, cubic dense output.

    k_s = f(t + c_s h, y + h sum_(j < s) a_sj k_j),   y_new = y + h sum_s b_s k_s

A method's file has its tableau as data and a step of a few lines. Stages lie in the rows of run.stages.
"""

import numpy as np

from ..compiled.interfaces import OWN, RHS
from ..compiled.kinks import DENSE
from ..compiled.ledger import ON_CUBIC
from ..compiled.march import EVALUATIONS, OUTPUT, RESTART
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING

call_rhs = RHS.call
FEW = 10  # components: measured


@compiled
def combined(y, h, stages, weights, count, result):
    """result = y + h sum_(j < count) weights_j k_j; by components if they are few, else by stages: memory is read in order."""
    if y.size < FEW:
        for i in range(y.size):
            total = 0.0
            for j in range(count):
                total += weights[j] * stages[j, i]
            result[i] = y[i] + h * total
        return
    for i in range(y.size):
        result[i] = 0.0
    for j in range(count):
        weight = weights[j]
        if weight != 0.0:
            for i in range(y.size):
                result[i] += weight * stages[j, i]
    for i in range(y.size):
        result[i] = y[i] + h * result[i]


@compiled
def take_stages(form, t, h, first, last, c, a, run, system, work):
    """Stages first to last - 1; y_new is scratch. The largest status."""
    status, stages, point = RUNNING, run.stages, run.y_new
    for s in range(first, last):
        combined(run.y, h, stages, a[s], s, point)
        status = max(status, call_rhs(form[OWN], t + c[s] * h, point, stages[s], system, work))
    run.counters[EVALUATIONS] += last - first
    return status


@compiled
def take_first(form, t, run, system, work):
    """Stage 0, unless a refused step from here has it already. run.memory[0]: when it was taken."""
    counters, memory = run.counters, run.memory
    if counters[RESTART] == 1:
        memory[0] = np.nan
        counters[RESTART] = 0
    if memory[0] == t:
        return RUNNING
    memory[0] = t
    counters[EVALUATIONS] += 1
    return call_rhs(form[OWN], t, run.y, run.stages[0], system, work)


@compiled
def shown_inside(t, h, run):
    """Whether output falls into the step, or events may, or a kink does, or work is summed up: dense output is needed then."""
    k, asked = run.counters[OUTPUT], run.watch.functions.size > 0 or run.ledger.nodes.size > ON_CUBIC
    asked = asked or run.kinks.state[DENSE] == 1
    return asked or (k < run.out_t.size and run.out_t[k] < t + h)


@compiled
def take_end(form, t, h, place, run, system, work):
    """f at the end of the step, for dense output, into the row `place`: only where that is needed."""
    if not shown_inside(t, h, run):
        return RUNNING
    run.counters[EVALUATIONS] += 1
    return call_rhs(form[OWN], t + h, run.y_new, run.stages[place], system, work)


@compiled
def cubic(h, theta, out, place, run):
    """The cubic through both ends of the step and their slopes, which are stage 0 and the row `place`."""
    y, y_new, stages = run.y, run.y_new, run.stages
    for i in range(y.size):
        difference = y_new[i] - y[i]
        rest = 1.0 - theta
        bend = rest * (h * stages[0, i] - difference) + theta * (difference - h * stages[place, i])
        out[i] = y[i] + theta * (difference + rest * bend)
