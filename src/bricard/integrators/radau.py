"""Radau IIA with three, five or seven stages, orders 5, 9 and 13, for F(t, y, y') = 0 or H y' = F(t, y); adaptive or not.

As radau5, with higher orders for high accuracy: L-stable, stiffly accurate, no past. Order in q, v, lam with s stages: index
3 2s - 1, s, s - 1; index 2 2s - 1, 2s - 1, s; index 1 2s - 1 in all. Adaptive runs choose the order by Newton's method: where
it contracts fast the step is small for what the motion is, and more stages pay; where it hardly contracts fewer do. `order`
(5, 9 or 13) holds one order; 0 leaves the choice to the method, fixed steps then have order 9. The error estimate is that of
radau5, and so is the weak spot.
Reference: Hairer and Wanner, J. Comp. Appl. Math. 111 (1999) 93-111; Solving ODEs II (1996), section IV.8.
"""

from ..compiled.interfaces import STEP
from ..compiled.march import STEPS
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from .base import Integrator, by_index
from .block import CONTRACTION, FURTHER, MEMORY, TRIED, interpolate, solve_stages
from .coefficients import radau
from .radau5 import THREE, estimate, stage_tolerances, theory

MOST = 7
FIVE, SEVEN = radau(5), radau(7)
FAST, SLOW = 0.005, 0.2  # contraction with which stages are added, or taken away
PATIENCE = 5.0  # steps between changes
STAGES, WAITED = MEMORY, MEMORY + 1  # of memory: stages of the step, steps since the last change


@compiled
def choose_stages(run):
    """3, 5 or 7 stages for this step."""
    memory, order = run.memory, int(run.options[0])
    adaptive = run.clock[7] == 0.0
    if order > 0 or not adaptive:
        return (order + 1) // 2 if order > 0 else 5
    count = int(memory[STAGES])
    if count == 0:
        return 3
    if memory[TRIED] == run.counters[STEPS] + 1.0:  # refused
        return count
    memory[WAITED] += 1.0
    if memory[WAITED] >= PATIENCE and memory[CONTRACTION] <= FAST and count < MOST:
        count += 2
        memory[WAITED] = 0.0
    elif memory[CONTRACTION] >= SLOW and count > 3:
        count -= 2
        memory[WAITED] = 0.0
    return count


@STEP
def variable_radau(form, t, h, run, system, work):
    """One step."""
    count, fixed = choose_stages(run), run.options[1]
    run.memory[STAGES] = count
    run.orders[0] = count
    relative, absolute = stage_tolerances(count, run)
    method = THREE if count == 3 else FIVE if count == 5 else SEVEN
    status = solve_stages(method, MOST, MOST, relative, absolute, fixed, form, t, h, run, system, work)
    if status == RUNNING and run.clock[7] == 0.0:
        status = estimate(method, MOST, form, t, h, run, system, work)
    return status


RADAU = Integrator(
    name="radau",
    title="Radau IIA, three to seven stages, orders 5, 9, 13, implicit, adaptive",
    damps=True,
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=13,
    orders={2 * s - 1: by_index(*theory(s)) for s in (3, 5, 7)},
    error_order=4,
    controller="predictive",
    step=variable_radau,
    interpolate=interpolate,
    references=("Hairer and Wanner 1999, doi:10.1016/S0377-0427(99)00134-X",),
    stages=3 * MOST + FURTHER,
    memory=MEMORY + 2,
    complex_matrices=3,
    options={"order": 0, "newton_tolerance": 1e-12},
    ranges={"order": (0, 5, 9, 13), "newton_tolerance": (1e-15, 1e-4)},
)
