"""The trapezoidal rule, order 2, implicit, for F(t, y, y') = 0 or H y' = F(t, y); adaptive, or with a fixed step.

    y_(n+1) = y_n + h/2 (y'_n + y'_(n+1)),   F(t_(n+1), y_(n+1), y'_(n+1)) = 0

A-stable without damping: an infinitely stiff part changes its sign in every step. That is the difficulty with constraints:
carried along, a y' that is not quite right would alternate for ever, and lam with it, in index 3 with an amplitude that
grows. So y'_n is taken anew in every step from q_n and v_n: T v, and v' from the acceleration level, for one factorisation of
the KKT matrix. Algebraic equations hold at the end of the step. Order in q, v, lam: 2, 2, 2 for index 1 and 2; index 3 2, 2,
1, as the part of v across the constraints still alternates: where steps change in size, lam begins to alternate about its right
value. Output between the steps is about the mean of both and better than lam at their ends, that of the last one included.

The error is h^3 y'''/12, from the y' of the last three points, filtered by the matrix; in the first step from two points, too
large. A cubic between the steps, multipliers straight. For comparison, and where the method is not to damp high frequencies.
Reference: Hairer and Wanner, Solving ODEs II (1996), sections IV.3 and VI.1.
"""

import math

from ..compiled.interfaces import INTERPOLATE, STEP
from ..compiled.march import RESTART, STEPS
from ..compiled.status import RUNNING
from .base import Integrator, by_index
from .dae import filtered, scaled_error, start_slopes, weigh
from .stage import CONTRACTION, OWN_MEMORY, SHIFT, between, solve_stage

# of memory: step that was tried last, counted from 1; size of the last step tried, of the one before (0: none)
TRIED, SIZE, BEFORE = OWN_MEMORY, OWN_MEMORY + 1, OWN_MEMORY + 2


@STEP
def trapezoidal(form, t, h, run, system, work):
    """One step. stages: y' at the start, at the end, one step earlier; start of the stage, its guess, correction, weights."""
    y, y_new, stages, memory, counters, n = run.y, run.y_new, run.stages, run.memory, run.counters, run.levels.size
    first, last, earlier, base, guess = stages[0], stages[1], stages[2], stages[3], stages[4]
    change, weight, scale = stages[5], stages[6], run.scale
    if memory[TRIED] != counters[STEPS] + 1.0:
        memory[TRIED], memory[BEFORE] = counters[STEPS] + 1.0, memory[SIZE]
        for i in range(n):
            earlier[i] = first[i]
        start_slopes(t, y, first, system, work)
    if counters[RESTART] == 1:
        memory[SHIFT], memory[BEFORE] = 0.0, 0.0
        start_slopes(t, y, first, system, work)
    growth = h / memory[BEFORE] if memory[BEFORE] > 0.0 else 0.0
    for i in range(n):
        base[i] = y[i] + 0.5 * h * first[i]
        ahead = h * (first[i] + 0.5 * growth * (first[i] - earlier[i]))
        guess[i] = y[i] + (ahead if math.isfinite(scale[i]) else 0.0)
    relative, absolute, shift = run.tolerance[0], run.tolerance[1], 2.0 / h
    limits = weigh(h, relative, absolute, run.options[0], weight, run, system)
    status = solve_stage(form, t + h, shift, y_new, last, base, guess, change, weight, limits, run, system, work)
    if status != RUNNING:
        return status
    memory[SIZE] = h
    counters[RESTART] = 0
    if run.clock[7] == 0.0:
        for i in range(n):
            bend = last[i] - first[i]  # h y''
            if growth > 0.0:
                bend = (bend - growth * (first[i] - earlier[i])) / (1.0 + 1.0 / growth) / 3.0  # h^2 y'''/6
            guess[i] = last[i] - bend
        status = filtered(form, t + h, y_new, guess, change, run, system, work)
        run.error[0] = scaled_error(change, h, relative, absolute, run)
        run.error[3] = memory[CONTRACTION]
    return status


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """A cubic by y and y' at both ends; multipliers go straight."""
    between(h, theta, 0, 1, out, run)


TRAPEZOIDAL = Integrator(
    name="trapezoidal",
    title="Trapezoidal rule, order 2, implicit, adaptive",
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=2,
    orders={2: by_index((2, 2, 2), (2, 2, 2), (2, 2, 1))},
    error_order=3,
    controller="predictive",
    step=trapezoidal,
    interpolate=interpolate,
    references=("Hairer and Wanner 1996, doi:10.1007/978-3-642-05221-7",),
    stages=7,
    memory=OWN_MEMORY + 3,
    options={"newton_tolerance": 1e-12},
    ranges={"newton_tolerance": (1e-15, 1e-4)},
)
