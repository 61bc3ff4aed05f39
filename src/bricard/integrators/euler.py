"""Euler's explicit method, order 1, fixed step.

    y_new = y + h f(t, y)

For teaching, and to see what order 1 means; never for production.
Reference: Euler, Institutionum calculi integralis (1768).
"""

from ..compiled.interfaces import STEP
from .base import Integrator, advanced, same_order
from .runge_kutta import take_first


@STEP
def euler(form, t, h, run, system, work):
    """One step."""
    status = take_first(form, t, run, system, work)
    advanced(run.y, h, run.stages[0], run.y_new)
    return status


EULER = Integrator(
    name="euler",
    title="Euler, explicit, order 1",
    accepts=("Ode",),
    order=1,
    orders=same_order(1),
    step=euler,
    references=("Euler 1768",),
    stages=1,
    memory=1,
)
