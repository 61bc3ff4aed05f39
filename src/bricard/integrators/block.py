"""One step of a method that solves all its stages together: Radau IIA and generalised Adams (coefficients.py).

Unknowns are the increments Z_i = y_i - y at t + c_i h, with h y'_i = sum_j slope_ij Z_j + start_i h y' and F(t_i, y_i, y'_i)
= 0 in every stage. Newton's method has one Jacobian for all stages, from the middle of the step; the eigenvalues of `slope`
split it into one real and some complex systems of the size of y. Matrices are kept as long as the step stays and they
contract well. The polynomial through all stages gives output between the steps, and continued it predicts the next stages.

    stages of Run   Z; polynomial of the last step; residuals; y' at the start and at the end; point, its y'; correction; weights
    memory          the numbers below, the points of both polynomials, scratch

Reference: Hairer and Wanner, Solving ODEs II (1996), section IV.8.
"""

import math

from ..compiled.interfaces import INTERPOLATE
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, STEPS, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING, SINGULAR
from ..linalg.factor import solve
from ..linalg.kkt import LEAVE
from .dae import jacobian, newton_matrix, residual, start_slopes, weigh
from .newton import CONVERGED, DIVERGED, judge, larger

MAX_ITERATIONS, PATIENT = 15, 50  # of adaptive runs, for which a smaller step costs less; of fixed steps
TROUBLED = 20  # steps after a failure for which the formulation may leave out rows that have become dependent
MOST = 9  # stages
REACH = 2.0  # ratio of steps up to which a polynomial of high degree is continued
KEPT = 0.02  # contraction up to which matrices are kept for the next step
# of memory: measure of the error left by Newton's method, its contraction; step size and stages of the matrices (0: none); step
# that was tried last, counted from 1; size and stages of the polynomial in Z, and of the one before; their points; scratch
ETA, CONTRACTION, FACTORISED, KIND, TRIED, SIZE, COUNT, SIZE_BEFORE, COUNT_BEFORE, NODES = range(10)
NODES_BEFORE = NODES + MOST
SCRATCH = NODES_BEFORE + MOST
MEMORY = SCRATCH + MOST
FURTHER = 6  # rows of Run.stages besides three for every stage


@compiled
def rows(most, run):
    """y' at the start and at the end, point, its y', correction, weights."""
    stages, k, n = run.stages, 3 * most, run.levels.size
    return (
        stages[k][:n],
        stages[k + 1][:n],
        stages[k + 2][:n],
        stages[k + 3][:n],
        stages[k + 4][:n],
        stages[k + 5][:n],
    )


@compiled
def polynomial(x, nodes, first, count, w):
    """w[j], j from `first` on: weights with which values at `nodes` give their polynomial at x; first = -1 adds 0 at 0."""
    for j in range(max(first, 0), count):
        w[j] = 1.0 if first >= 0 else x / nodes[j]
        for k in range(max(first, 0), count):
            if k != j:
                w[j] *= (x - nodes[k]) / (nodes[j] - nodes[k])


@compiled
def turn_page(t, most, run, system, work):
    """A new step, or another try: the polynomial of the last step and y' at the start are put in place."""
    stages, memory, counters, n = run.stages, run.memory, run.counters, run.levels.size
    first, last, _, _, _, _ = rows(most, run)
    again = memory[TRIED] == counters[STEPS] + 1.0
    memory[TRIED] = counters[STEPS] + 1.0
    if not again:
        count = int(memory[COUNT])
        memory[SIZE_BEFORE], memory[COUNT_BEFORE] = memory[SIZE], memory[COUNT]
        for s in range(count):
            memory[NODES_BEFORE + s] = memory[NODES + s]
            for i in range(n):
                stages[most + s, i] = stages[s, i]
        for i in range(n):
            first[i] = last[i]
    memory[SIZE] = 0.0
    if counters[RESTART] == 1:
        memory[FACTORISED], memory[SIZE_BEFORE], memory[ETA] = 0.0, 0.0, 1.0
        start_slopes(t, run.y[:n], first, system, work)


@compiled
def predict(method, degree, most, h, run):
    """Z = the polynomial of the given degree through the last stages of the step before, continued.

    Without one, q and v go straight on, the rest starts where it was. Multipliers of rows that are left out do not change, so
    continuing them does no harm; when rows are chosen anew the polynomial is void.
    """
    stages, memory, scale, n = run.stages, run.memory, run.scale, run.levels.size
    first, _, _, _, _, _ = rows(most, run)
    size, count, c = memory[SIZE_BEFORE], int(memory[COUNT_BEFORE]), method.c
    straight, begin = size <= 0.0 or (count > 3 and h > REACH * size), count - 1 - degree
    w, nodes = memory[SCRATCH:], memory[NODES_BEFORE:SCRATCH]
    for s in range(c.size):
        if not straight:
            polynomial(1.0 + c[s] * h / size, nodes, begin, count, w)
        for i in range(n):
            ahead = c[s] * h * first[i] if math.isfinite(scale[i]) else 0.0
            if not straight:
                ahead = -stages[most + count - 1, i]
                for j in range(max(begin, 0), count):
                    ahead += w[j] * stages[most + j, i]
            stages[s, i] = ahead


@compiled
def at_stage(s, method, most, h, run):
    """Point and y' of stage s."""
    y, stages, slope, start, n = run.y, run.stages, method.slope, method.start, run.levels.size
    first, _, point, point_slope, _, _ = rows(most, run)
    for i in range(n):
        total = 0.0
        for j in range(method.c.size):
            total += slope[s, j] * stages[j, i]
        point[i] = y[i] + stages[s, i]
        point_slope[i] = total / h + start[s] * first[i]


@compiled
def renew_matrices(method, most, form, t, h, run, system, work):
    """Jacobian and factors for this step. A status."""
    memory = run.memory
    _, _, point, slope, _, _ = rows(most, run)
    at_stage(method.middle, method, most, h, run)
    memory[FACTORISED] = 0.0
    status = jacobian(form, t + method.c[method.middle] * h, point, slope, run, system, work)
    run.counters[TANGENTS] += 1
    if status != RUNNING:
        return status
    regular = newton_matrix(run.real, method.real / h, run)
    for k in range(method.pairs.size):
        regular = newton_matrix(run.complex_[k], method.pairs[k] / h, run) and regular
    if not regular:
        return SINGULAR
    memory[FACTORISED], memory[KIND] = h, method.c.size
    return RUNNING


@compiled
def correct(method, most, weight, run):
    """Z += Newton's correction from the residuals. (its size, the worst unknown)."""
    stages, into, back, n, count = run.stages, method.into, method.back, run.levels.size, method.c.size
    bc, w, r = run.complex_scratch, run.memory[SCRATCH:], 2 * most
    for i in range(n):
        for k in range(count):
            total = 0.0
            for j in range(count):
                total -= into[k, j] * stages[r + j, i]
            w[k] = total
        for k in range(count):
            stages[r + k, i] = w[k]
    solve(run.real, stages[r][:n], stages[r][:n])
    for k in range(method.pairs.size):
        re, im = r + 1 + 2 * k, r + 2 + 2 * k
        for i in range(n):
            bc[i] = complex(stages[re, i], stages[im, i])
        solve(run.complex_[k], bc, bc)
        for i in range(n):
            stages[re, i], stages[im, i] = bc[i].real, bc[i].imag
    size, worst = 0.0, 0
    for i in range(n):
        for s in range(count):
            change = 0.0
            for k in range(count):
                change += back[s, k] * stages[r + k, i]
            stages[s, i] += change
            if larger(abs(change) * weight[i], size):
                size, worst = abs(change) * weight[i], i
    return size, worst


@compiled
def solve_stages(method, degree, most, relative, absolute, fixed, form, t, h, run, system, work):
    """One step with the given method: run.y_new, and in stages its polynomial. A status.

    degree : of the prediction. most : stages for which there is room. relative, absolute : tolerances of the error test.
    fixed : Newton's tolerance of fixed steps.
    """
    y_new, stages, memory, counters = run.y_new, run.stages, run.memory, run.counters
    n, count = run.levels.size, method.c.size
    _, last, point, slope, _, weight = rows(most, run)
    turn_page(t, most, run, system, work)
    tolerance, largest, noise = weigh(h, relative, absolute, fixed, weight, run, system)
    same = abs(memory[FACTORISED] - h) <= 1e-9 * h and memory[KIND] == count
    renew, worst = not same or memory[CONTRACTION] > KEPT, 0
    for _ in range(2):  # with the matrices at hand; with new ones
        predict(method, min(degree, int(memory[COUNT_BEFORE])), most, h, run)
        if renew:
            status = renew_matrices(method, most, form, t, h, run, system, work)
            if status != RUNNING:
                return status
        eta, previous, begun = memory[ETA], 0.0, 0.0
        for iteration in range(MAX_ITERATIONS if run.clock[7] == 0.0 else PATIENT):
            for s in range(count):
                at_stage(s, method, most, h, run)
                status = residual(form, t + method.c[s] * h, point, slope, stages[2 * most + s][:n], run, system, work)
                if status != RUNNING:
                    return status
            counters[EVALUATIONS] += count
            counters[ITERATIONS] += 1
            size, worst = correct(method, most, weight, run)
            verdict, eta = judge(iteration, size, previous, eta, tolerance, noise)
            if iteration > 0:
                memory[CONTRACTION] = (size / max(begun, 1e-300)) ** (1.0 / iteration)
            else:
                begun = size
                memory[CONTRACTION] *= 0.5
            previous = size
            if verdict == DIVERGED or (verdict == CONVERGED and not eta * size <= largest):
                break
            if verdict == CONVERGED:
                at_stage(count - 1, method, most, h, run)
                for i in range(n):
                    y_new[i] = point[i]
                    last[i] = slope[i]
                for s in range(count):
                    memory[NODES + s] = method.c[s]
                memory[ETA], memory[SIZE], memory[COUNT] = eta, h, count
                counters[RESTART] = 0
                return RUNNING
        if renew:
            break
        renew, memory[ETA] = True, 1.0
    counters[CULPRIT] = worst - system.n_q if worst >= system.n_q else -2 - worst
    memory[FACTORISED] = 0.0
    work.left_out[LEAVE] = TROUBLED
    return NEWTON_FAILED


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """The polynomial through all stages of the step from t to t + h."""
    y, stages, memory, n = run.y, run.stages, run.memory, run.levels.size
    count, w = int(memory[COUNT]), memory[SCRATCH:]
    polynomial(theta, memory[NODES:NODES_BEFORE], -1, count, w)
    for i in range(n):
        total = y[i]
        for j in range(count):
            total += w[j] * stages[j, i]
        out[i] = total
