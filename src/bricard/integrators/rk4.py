"""The classical Runge-Kutta method of order 4, explicit, fixed step.

Four evaluations a step, no error estimate: for smooth motions of moderate frequency with a known good step.
Reference: Kutta, Z. Math. Phys. 46 (1901) 435-453; Zennaro, Math. Comput. 46 (1986) 119-133, for states inside a step.
"""

from ..compiled.interfaces import INTERPOLATE, OWN, RHS, STEP
from ..compiled.march import EVALUATIONS
from .base import Integrator, advanced, same_order

call_rhs = RHS.call


@STEP
def rk4(form, t, h, run, system, work):
    """One step."""
    y, y_new, rhs, stages = run.y, run.y_new, form[OWN], run.stages
    k1, k2, k3, k4 = stages[0], stages[1], stages[2], stages[3]
    status = call_rhs(rhs, t, y, k1, system, work)
    advanced(y, 0.5 * h, k1, y_new)
    status = max(status, call_rhs(rhs, t + 0.5 * h, y_new, k2, system, work))
    advanced(y, 0.5 * h, k2, y_new)
    status = max(status, call_rhs(rhs, t + 0.5 * h, y_new, k3, system, work))
    advanced(y, h, k3, y_new)
    status = max(status, call_rhs(rhs, t + h, y_new, k4, system, work))
    for i in range(y.size):
        y_new[i] = y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i])
    run.counters[EVALUATIONS] += 4
    return status


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """The natural continuous extension, of order 3: a cubic by the stages, without a further evaluation (Zennaro 1986)."""
    y, stages, square = run.y, run.stages, theta * theta
    cube = 2.0 / 3.0 * theta * square
    first, middle, last = theta - 1.5 * square + cube, square - cube, cube - 0.5 * square
    for i in range(y.size):
        bend = middle * (stages[1, i] + stages[2, i]) + last * stages[3, i]
        out[i] = y[i] + h * (first * stages[0, i] + bend)


RK4 = Integrator(
    name="rk4",
    title="Runge-Kutta, classical, order 4",
    accepts=("Ode",),
    order=4,
    orders=same_order(4),
    step=rk4,
    interpolate=interpolate,
    references=("Kutta 1901", "Zennaro 1986, doi:10.1090/S0025-5718-1986-0815835-1"),
    stages=4,
)
