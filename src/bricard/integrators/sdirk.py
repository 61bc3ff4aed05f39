"""Diagonally implicit Runge-Kutta method of order 4 with an explicit first stage, for F(t, y, y') = 0 or H y' = F(t, y).

    x_i = y + h sum_(j<i) a_ij x'_j + h/4 x'_i,   F(t + c_i h, x_i, x'_i) = 0,   i = 2 .. 6,   x'_1 = y'

One real matrix for all stages, so a step costs little; L-stable and stiffly accurate. The stages have order 2 (first one
explicit, y' being that of the last stage before), which is what higher index asks for. Embedded formula of order 3 for the
error, filtered by the matrix; a cubic between the steps, multipliers straight. For moderate accuracy and large systems. Order
in q, v, lam: index 1 4, 4, 4; index 2 3, 3, 2; index 3 2, 2, 1.

Weak spot: with ggl the error estimate, of order 3 as the solution is then, asks for small steps at tolerances below 1e-7, and
many are refused; Radau is better there. Singular positions: see radau5.
Reference: Kennedy and Carpenter, Appl. Numer. Math. 44 (2003) 139-181, the implicit part of ARK4(3)6L[2]SA; Hairer and
Wanner, Solving ODEs II (1996), section IV.6.
"""

import math

import numpy as np

from ..compiled.interfaces import INTERPOLATE, STEP
from ..compiled.march import RESTART, STEPS
from ..compiled.status import RUNNING
from .base import Integrator, by_index, carried
from .dae import filtered, scaled_error, start_slopes, weigh
from .stage import CONTRACTION, OWN_MEMORY, SHIFT, between, solve_stage

A = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 4, 1 / 4, 0, 0, 0, 0],
        [8611 / 62500, -1743 / 31250, 1 / 4, 0, 0, 0],
        [5012029 / 34652500, -654441 / 2922500, 174375 / 388108, 1 / 4, 0, 0],
        [15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, 1 / 4, 0],
        [82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211, 1 / 4],
    ]
)
C = np.array([0.0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1.0])
EMBEDDED = np.array(
    [
        4586570599 / 29645900160,
        0,
        178811875 / 945068544,
        814220225 / 1159782912,
        -3700637 / 11593932,
        61727 / 225920,
    ]
)
DIFFERENCE = A[-1] - EMBEDDED
STAGES, GAMMA = 6, 0.25
TRIED = OWN_MEMORY  # of memory: step that was tried last, counted from 1


def _guesses():
    """Row i: weights of the stages before in the polynomial through them, at c_i."""
    weights = np.zeros((STAGES, STAGES))
    for i in range(1, STAGES):
        for j in range(i):
            others = np.delete(C[:i], j)
            weights[i, j] = np.prod((C[i] - others) / (C[j] - others))
    return weights


GUESS = _guesses()


@STEP
def sdirk(form, t, h, run, system, work):
    """One step. stages: y' of the stages, the stages, start of a stage, its guess, correction, weights."""
    y, y_new, stages, memory, counters, n = run.y, run.y_new, run.stages, run.memory, run.counters, run.levels.size
    k = 2 * STAGES
    base, guess, change, weight = stages[k], stages[k + 1], stages[k + 2], stages[k + 3]
    if memory[TRIED] != counters[STEPS] + 1.0:
        for i in range(n):
            stages[0, i] = stages[STAGES - 1, i]
    memory[TRIED] = counters[STEPS] + 1.0
    if counters[RESTART] == 1:
        start_slopes(t, y, stages[0], system, work)
        memory[SHIFT] = 0.0
    for i in range(n):
        stages[STAGES, i] = y[i]
    relative, absolute, shift = run.tolerance[0], run.tolerance[1], 1.0 / (GAMMA * h)
    limits = weigh(h, relative, absolute, run.options[0], weight, run, system)
    status = RUNNING
    for s in range(1, STAGES):
        for i in range(n):
            total, slope, value = 0.0, 0.0, 0.0
            for j in range(s):
                total += A[s, j] * stages[j, i]
                slope += GUESS[s, j] * stages[j, i]
                value += GUESS[s, j] * stages[STAGES + j, i]
            base[i] = y[i] + h * total
            guess[i] = base[i] + h * GAMMA * slope if math.isfinite(run.scale[i]) else value
        status = solve_stage(
            form,
            t + C[s] * h,
            shift,
            stages[STAGES + s],
            stages[s],
            base,
            guess,
            change,
            weight,
            limits,
            run,
            system,
            work,
        )
        if status != RUNNING:
            return status
    for i in range(n):
        y_new[i] = stages[2 * STAGES - 1, i]
    counters[RESTART] = 0
    if run.clock[7] == 0.0:
        for i in range(n):
            total = 0.0
            for j in range(STAGES):
                total += DIFFERENCE[j] * stages[j, i]
            base[i] = stages[STAGES - 1, i] - total / GAMMA
        status = filtered(form, t + h, y_new, base, change, run, system, work)
        run.error[0] = scaled_error(change, h, relative, absolute, run)
        run.error[3] = memory[CONTRACTION]
    return status


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """A cubic by y and y' at both ends; multipliers go straight."""
    between(h, theta, 0, STAGES - 1, out, run)


SDIRK = Integrator(
    name="sdirk",
    title="Diagonally implicit Runge-Kutta 4(3), adaptive",
    damps=True,
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=4,
    orders={4: by_index((4, 4, 4), (3, 3, 2), (2, 2, 1))},
    error_order=4,
    controller="predictive",
    step=sdirk,
    interpolate=interpolate,
    references=("Kennedy and Carpenter 2003, doi:10.1016/S0168-9274(02)00138-1",),
    stages=2 * STAGES + 4,
    memory=OWN_MEMORY + 1,
    options={"newton_tolerance": 1e-12},
    ranges={"newton_tolerance": (1e-15, 1e-4)},
    own=lambda row, i, n_q, _: f"{carried(2 if i >= n_q else 1)} of the last stage",
)
