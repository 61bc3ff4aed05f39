"""Dormand and Prince's explicit Runge-Kutta pair of order 5(4), with error control and dense output of order 4.

The default for smooth, non-stiff Ode forms. First same as last: six evaluations a step.
Reference: Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19-26; dense output: Hairer, Norsett and Wanner,
Solving ODEs I (1993), section II.6.
"""

import numpy as np

from ..compiled.interfaces import INTERPOLATE, OWN, RHS, STEP
from ..compiled.march import EVALUATIONS, RESTART
from ..compiled.status import RUNNING
from .base import Integrator, error_norm, same_order

call_rhs = RHS.call

C = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
A = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
DENSE = np.array(
    [
        -12715105075 / 11282082432,
        0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ]
)


@STEP
def dopri5(form, t, h, run, system, work):
    """One step. run.memory: times at which stages 0 and 6 were taken, for first same as last."""
    y, y_new, stages, memory, rhs = run.y, run.y_new, run.stages, run.memory, form[OWN]
    status, counters = RUNNING, run.counters
    if counters[RESTART] == 1 or form[0] != 0:
        memory[1] = np.nan  # y was changed after the last step, its derivative is not that of the last stage
        if counters[RESTART] == 1:
            memory[0] = np.nan
        counters[RESTART] = 0
    if memory[1] == t:
        for i in range(y.size):
            stages[0, i] = stages[6, i]
    elif memory[0] != t:
        status = max(status, call_rhs(rhs, t, y, stages[0], system, work))
        counters[EVALUATIONS] += 1
    memory[0] = t
    for s in range(1, 7):
        for i in range(y.size):
            total = 0.0
            for j in range(s):
                total += A[s, j] * stages[j, i]
            y_new[i] = y[i] + h * total
        status = max(status, call_rhs(rhs, t + C[s] * h, y_new, stages[s], system, work))
    memory[1] = t + h
    estimate = stages[7]
    for i in range(y.size):
        total = 0.0
        for s in range(7):
            total += ERROR[s] * stages[s, i]
        estimate[i] = total
    run.error[0] = error_norm(estimate, h, y, y_new, run.scale, run.tolerance)
    counters[EVALUATIONS] += 6
    return status


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """Hairer's continuous extension of order 4 in the step from t to t + h."""
    y, y_new, stages = run.y, run.y_new, run.stages
    rest = 1.0 - theta
    for i in range(y.size):
        difference = y_new[i] - y[i]
        bend = h * stages[0, i] - difference
        last = difference - h * stages[6, i] - bend
        quartic = 0.0
        for s in range(7):
            quartic += DENSE[s] * stages[s, i]
        out[i] = y[i] + theta * (difference + rest * (bend + theta * (last + rest * h * quartic)))


DOPRI5 = Integrator(
    name="dopri5",
    title="Dormand-Prince 5(4), explicit, adaptive",
    accepts=("Ode",),
    order=5,
    orders=same_order(5),
    error_order=5,
    step=dopri5,
    interpolate=interpolate,
    references=("Dormand and Prince 1980, doi:10.1016/0771-050X(80)90013-3",),
    stages=8,
    memory=2,
)
