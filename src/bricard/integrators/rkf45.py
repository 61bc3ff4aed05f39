"""Fehlberg's explicit pair: order 4 with an error estimate of order 5, fixed or adaptive step.

Six evaluations a step. The solution carried on is the one of order 4, as Fehlberg meant it; dopri5 is the more accurate pair.
Reference: Fehlberg, Computing 6 (1970) 61-71.
"""

import numpy as np

from ..compiled.interfaces import INTERPOLATE, STEP
from .base import Integrator, error_norm, same_order
from .runge_kutta import combined, cubic, take_end, take_first, take_stages

C = np.array([0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2])
A = np.array(
    [
        [0, 0, 0, 0, 0],
        [1 / 4, 0, 0, 0, 0],
        [3 / 32, 9 / 32, 0, 0, 0],
        [1932 / 2197, -7200 / 2197, 7296 / 2197, 0, 0],
        [439 / 216, -8, 3680 / 513, -845 / 4104, 0],
        [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
    ]
)
B = np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
ERROR = np.array([1 / 360, 0, -128 / 4275, -2197 / 75240, 1 / 50, 2 / 55])


@STEP
def rkf45(form, t, h, run, system, work):
    """One step; row 6 of the stages is f at the end, row 7 the error estimate."""
    stages = run.stages
    status = take_first(form, t, run, system, work)
    status = max(status, take_stages(form, t, h, 1, 6, C, A, run, system, work))
    combined(run.y, h, stages, B, 6, run.y_new)
    for i in range(run.y.size):
        total = 0.0
        for s in range(6):
            total += ERROR[s] * stages[s, i]
        stages[7, i] = total
    run.error[0] = error_norm(stages[7], h, run.y, run.y_new, run.scale, run.tolerance)
    return max(status, take_end(form, t, h, 6, run, system, work))


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """Cubic through both ends."""
    cubic(h, theta, out, 6, run)


RKF45 = Integrator(
    name="rkf45",
    title="Fehlberg 4(5), explicit, adaptive",
    accepts=("Ode",),
    order=4,
    orders=same_order(4),
    error_order=5,
    step=rkf45,
    interpolate=interpolate,
    references=("Fehlberg 1970, doi:10.1007/BF02241732",),
    stages=8,
    memory=1,
)
