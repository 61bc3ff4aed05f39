"""Heun's explicit method with Euler's as its error estimate: order 2(1), fixed or adaptive step.

    k_1 = f(t, y),   k_2 = f(t + h, y + h k_1),   y_new = y + h (k_1 + k_2) / 2

Cheap steps for loose tolerances and rough forces.
Reference: Heun, Z. Math. Phys. 45 (1900) 23-38.
"""

import numpy as np

from ..compiled.interfaces import INTERPOLATE, STEP
from .base import Integrator, error_norm, same_order
from .runge_kutta import combined, cubic, take_end, take_first, take_stages

C = np.array([0.0, 1.0])
A = np.array([[0.0, 0.0], [1.0, 0.0]])
B = np.array([0.5, 0.5])


@STEP
def heun(form, t, h, run, system, work):
    """One step; row 2 of the stages is f at the end, row 3 the error estimate (k_2 - k_1) / 2."""
    stages = run.stages
    status = take_first(form, t, run, system, work)
    status = max(status, take_stages(form, t, h, 1, 2, C, A, run, system, work))
    combined(run.y, h, stages, B, 2, run.y_new)
    for i in range(run.y.size):
        stages[3, i] = 0.5 * (stages[1, i] - stages[0, i])
    run.error[0] = error_norm(stages[3], h, run.y, run.y_new, run.scale, run.tolerance)
    return max(status, take_end(form, t, h, 2, run, system, work))


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """Cubic through both ends."""
    cubic(h, theta, out, 2, run)


HEUN = Integrator(
    name="heun",
    title="Heun 2(1), explicit, adaptive",
    accepts=("Ode",),
    order=2,
    orders=same_order(2),
    error_order=2,
    step=heun,
    interpolate=interpolate,
    references=("Heun 1900",),
    stages=4,
    memory=1,
)
