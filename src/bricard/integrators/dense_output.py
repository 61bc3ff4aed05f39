"""Dense output of methods that step the second-order form: cubics through both ends of a step.

q by q' = T v at both ends, v by v' there; what stands behind them in y (accelerations, multipliers) goes straight. That is as
accurate as the methods are, of order 2 to 4. Quaternions are four numbers here; the hook of the form makes them unit ones.
Slopes lie in the last two rows of run.stages. So that no step is cut for output, every method needs a state inside of its steps.
"""

from ..compiled.interfaces import INTERPOLATE, KINEMATICS
from ..compiled.pointers import compiled
from .runge_kutta import shown_inside
from .stage import between

call_kinematics = KINEMATICS.call
AT_START, AT_END = -2, -1  # rows of stages, from the last


@compiled
def take_slope(t, h, end, y, a, run, system, work):
    """The slope of y = [q, v, ...] with v' = a (n_v) at one end of the step, AT_START or AT_END: only where that is needed."""
    if not shown_inside(t, h, run):
        return
    n_q, n_v = system.n_q, system.n_v
    slope = run.stages[run.stages.shape[0] + end]
    call_kinematics(system.methods[2], y[:n_q], y[n_q : n_q + n_v], slope[:n_q], system, work)
    for i in range(n_v):
        slope[n_q + i] = a[i]


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """Cubics through both ends; accelerations and multipliers straight."""
    rows = run.stages.shape[0]
    between(h, theta, rows + AT_START, rows + AT_END, out, run)
