"""One stage of an implicit method whose stages are solved one after the other: trapezoidal rule, diagonally implicit methods.

    F(t, x, shift (x - base)) = 0,   shift = 1/(h a_ii)

Newton's method with one real matrix, kept over stages and steps as long as the shift stays and it contracts well. Multipliers
have no y' in the equations, so their part of `base` does not matter.

    memory   the numbers below; an integrator's own follow from OWN_MEMORY on
"""

import math

from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING, SINGULAR
from ..linalg.factor import solve
from ..linalg.kkt import LEAVE
from .dae import jacobian, newton_matrix, residual
from .newton import CONVERGED, DIVERGED, judge, larger

MAX_ITERATIONS = 10
TROUBLED = 20  # steps after a failure for which the formulation may leave out rows that have become dependent
KEPT = 0.05  # contraction up to which the matrix is kept
TRUSTED = 0.2  # best measure of the error left that is taken over from one stage to the next: the matrix gets worse as it ages
# of memory: measure of the error left by Newton's method, its contraction, shift of the matrix (0: none)
ETA, CONTRACTION, SHIFT, OWN_MEMORY = range(4)


@compiled
def solve_stage(form, t, shift, x, slope, base, guess, change, weight, limits, run, system, work):
    """x and its y' from the guess for x. limits: those of weigh(). A status."""
    memory, counters = run.memory, run.counters
    renew, worst = abs(memory[SHIFT] - shift) > 1e-9 * shift or memory[CONTRACTION] > KEPT, 0
    for _ in range(2):  # with the matrix at hand; with a new one
        for i in range(x.size):
            x[i] = guess[i]
            slope[i] = shift * (x[i] - base[i])
        if renew:
            status = jacobian(form, t, x, slope, run, system, work)
            counters[TANGENTS] += 1
            regular = newton_matrix(run.real, shift, run)
            memory[SHIFT], memory[ETA] = shift if regular else 0.0, 1.0
            if status != RUNNING or not regular:
                return status if status != RUNNING else SINGULAR
        eta, previous, begun = max(memory[ETA], TRUSTED), 0.0, 0.0
        for iteration in range(MAX_ITERATIONS):
            status = residual(form, t, x, slope, change, run, system, work)
            if status != RUNNING:
                return status
            counters[EVALUATIONS] += 1
            counters[ITERATIONS] += 1
            solve(run.real, change, change)
            size = 0.0
            for i in range(x.size):
                x[i] -= change[i]
                slope[i] = shift * (x[i] - base[i])
                if larger(abs(change[i]) * weight[i], size):
                    size, worst = abs(change[i]) * weight[i], i
            verdict, eta = judge(iteration, size, previous, eta, limits[0], limits[2])
            if iteration > 0:
                memory[CONTRACTION] = (size / max(begun, 1e-300)) ** (1.0 / iteration)
            else:
                begun = size
                memory[CONTRACTION] *= 0.5
            previous = size
            if verdict == DIVERGED or (verdict == CONVERGED and not eta * size <= limits[1]):
                break
            if verdict == CONVERGED:
                memory[ETA] = eta
                return RUNNING
        if renew:
            break
        renew = True
    counters[CULPRIT] = worst - system.n_q if worst >= system.n_q else -2 - worst
    memory[SHIFT] = 0.0
    work.left_out[LEAVE] = TROUBLED
    return NEWTON_FAILED


@compiled
def between(h, theta, first, last, out, run):
    """The cubic by y and y' at both ends of a step, at theta between 0 and 1; multipliers go straight.

    Row `first` of the stages is y' at the start, row `last` that at the end.
    """
    y, y_new, scale, start, end = run.y, run.y_new, run.scale, run.stages[first], run.stages[last]
    left = 1.0 - theta
    for i in range(y.size):
        rise, bend = y_new[i] - y[i], 0.0
        if math.isfinite(scale[i]):
            bend = left * (h * start[i] - rise) - theta * (h * end[i] - rise)
        out[i] = y[i] + theta * (rise + left * bend)
