"""Radau IIA with three stages, order 5, for F(t, y, y') = 0 or H y' = F(t, y); adaptive, or with a fixed step.

Collocation at c = (4 -+ sqrt 6)/10, 1. L-stable, and stiffly accurate: algebraic equations hold at the end of each step. One
step needs no past: the method for stiff systems, discontinuities and tolerances around 1e-6. Order in q, v, lam: index 3 5,
3, 2; index 2 5, 5, 3; index 1 5, 5, 5.

The error is that of the collocation polynomial u at the start of the step, where it does not satisfy the equations:

    -(dF/dy + shift dF/dy')^-1 F(t, y, u'(t))

with the real matrix of Newton's method. That is Hairer and Wanner's embedded formula of order 3, filtered. It overestimates
the error of the step, h^4 instead of h^6; so it is compared with 0.1 tol^(2/3).

Weak spot: singular positions that are passed at speed (a four-bar in line). Multipliers have no limit there, and all stages
share one matrix: fixed steps and loose tolerances leap them, tolerances below 1e-7 may end there. Ode forms pass.
Reference: Hairer and Wanner, Solving ODEs II (1996), sections IV.8 and VII.3; J. Comp. Appl. Math. 111 (1999) 93-111.
"""

from ..compiled.interfaces import STEP
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from .base import Integrator, by_index
from .block import CONTRACTION, FURTHER, MEMORY, interpolate, rows, solve_stages
from .coefficients import radau
from .dae import filtered, scaled_error

MOST = 3
THREE = radau(3)


def theory(s):
    """Orders of q, v, lam of Radau IIA with s stages for index 1, 2 and 3."""
    p = 2 * s - 1
    return (p, p, p), (p, p, s), (p, s, s - 1)


@compiled
def stage_tolerances(stages, run):
    """Relative and absolute tolerance for the error estimate, of order s, of a method of order 2 s - 1."""
    relative = 0.1 * run.tolerance[0] ** ((stages + 1.0) / (2.0 * stages))
    return relative, relative * run.tolerance[1] / run.tolerance[0]


@compiled
def estimate(method, most, form, t, h, run, system, work):
    """run.error of the step that was made; one that is too large is filtered twice. A status."""
    stages, y, n = run.stages, run.y, run.levels.size
    _, _, point, slope, error, _ = rows(most, run)
    relative, absolute = stage_tolerances(method.c.size, run)
    for i in range(n):
        total = 0.0
        for j in range(method.c.size):
            total += method.begin[j] * stages[j, i]
        slope[i], point[i] = total / h, y[i]
    status = filtered(form, t, point, slope, error, run, system, work)
    run.error[0] = scaled_error(error, h, relative, absolute, run)
    if run.error[0] >= 1.0 and status == RUNNING:
        for i in range(n):
            point[i] = y[i] + error[i]
        status = filtered(form, t, point, slope, error, run, system, work)
        run.error[0] = scaled_error(error, h, relative, absolute, run)
    run.error[3] = run.memory[CONTRACTION]
    return status


@STEP
def radau5(form, t, h, run, system, work):
    """One step."""
    relative, absolute = stage_tolerances(MOST, run)
    fixed = run.options[0]
    status = solve_stages(THREE, MOST, MOST, relative, absolute, fixed, form, t, h, run, system, work)
    if status == RUNNING and run.clock[7] == 0.0:
        status = estimate(THREE, MOST, form, t, h, run, system, work)
    return status


RADAU5 = Integrator(
    name="radau5",
    title="Radau IIA, three stages, order 5, implicit, adaptive",
    damps=True,
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=5,
    orders={5: by_index(*theory(MOST))},
    error_order=4,
    controller="predictive",
    step=radau5,
    interpolate=interpolate,
    references=("Hairer and Wanner 1996, doi:10.1007/978-3-642-05221-7",),
    stages=3 * MOST + FURTHER,
    memory=MEMORY,
    complex_matrices=1,
    options={"newton_tolerance": 1e-12},
    ranges={"newton_tolerance": (1e-15, 1e-4)},
)
