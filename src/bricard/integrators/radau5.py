"""Radau IIA with three stages, order 5, for F(t, y, y') = 0 or H y' = F(t, y); fixed step.

Collocation at c = (4 -+ sqrt 6)/10, 1: stiffly accurate, so that algebraic equations hold at the end of each step. Unknowns are
the stage increments Z_i = y_i - y_n with y'_i = (A^-1 Z)_i / h; Newton's method with one Jacobian a step is split by the
eigenvalues of A^-1 into one real and one complex system of the size of y. Dense output is the collocation polynomial.
Reference: Hairer and Wanner, Solving ODEs II (1996), sections IV.8 and VII.3.
"""

import numpy as np

from ..compiled.interfaces import INTERPOLATE, STEP
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING, SINGULAR
from ..linalg.factor import solve
from .base import Integrator
from .dae import jacobian, newton_matrix, residual
from .newton import CONVERGED, DIVERGED, judge

MAX_ITERATIONS = 15
TROUBLED = 20  # steps after a failure for which the formulation may leave out rows that have become dependent

S6 = 6**0.5
C = np.array([(4 - S6) / 10, (4 + S6) / 10, 1.0])
A = np.array(
    [
        [(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225],
        [(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225],
        [(16 - S6) / 36, (16 + S6) / 36, 1 / 9],
    ]
)
A_INVERSE = np.linalg.inv(A)


def _eigen():
    """Real and complex eigenvalue of A^-1, and rows of T^-1, columns of T, with A^-1 = T diag T^-1."""
    values, vectors = np.linalg.eig(A_INVERSE)
    real = int(np.argmin(abs(values.imag)))
    pair = int(np.argmax(values.imag))
    inverse = np.linalg.inv(vectors)
    parts = vectors[:, real].real, vectors[:, pair], inverse[real].real, inverse[pair]
    return float(values[real].real), complex(values[pair]), *(part.copy() for part in parts)


MU, NU, T_REAL, T_COMPLEX, S_REAL, S_COMPLEX = _eigen()


@STEP
def radau5(form, t, h, run, system, work):
    """One step. stages: Z (3), F (3), y and y' of a stage, y' at the end; memory: eta, size of the last step."""
    y, y_new, stages, memory, counters, scale = run.y, run.y_new, run.stages, run.memory, run.counters, run.scale
    n, point, slope, last = y.size, stages[6], stages[7], stages[8]
    real, complex_, levels = run.real, run.complex_, run.levels
    b, bc = stages[9], run.complex_scratch
    if counters[RESTART] == 1 or memory[1] <= 0.0:
        for s in range(3):
            for i in range(n):
                stages[s, i] = 0.0
    else:  # the collocation polynomial of the last step, continued
        w = h / memory[1]
        for i in range(n):
            z1, z2, z3 = stages[0, i], stages[1, i], stages[2, i]
            for s in range(3):
                # multipliers go straight on if they are smooth, of index 1, or start where they were: their part in the null
                # space of G^T is never corrected
                ahead = C[s] * h * last[i] if levels[i] == 1 else 0.0
                stages[3 + s, i] = lagrange(1.0 + C[s] * w, z1, z2, z3) - z3 if np.isfinite(scale[i]) else ahead
        for s in range(3):
            for i in range(n):
                stages[s, i] = stages[3 + s, i]
    for i in range(n):  # the Jacobian in the middle of the step contracts best
        point[i] = y[i] + stages[1, i]
    status = jacobian(form, t + C[1] * h, point, last, run, system, work)
    counters[TANGENTS] += 1
    if status != RUNNING:
        return status
    regular = newton_matrix(real, MU / h, run)
    if not (newton_matrix(complex_, NU / h, run) and regular):
        return SINGULAR
    # velocities are judged against the fastest of them, or what the step resolves: no unit of time enters
    speeds, fastest = system.n_q + system.n_v, 1e-3 / h
    for i in range(system.n_q, speeds):
        fastest = max(fastest, abs(y[i]) / scale[i])
    slow = 1.0 / fastest
    eta, previous, worst = memory[0] if counters[RESTART] == 0 else 1.0, 0.0, 0
    for iteration in range(MAX_ITERATIONS):
        for s in range(3):
            for i in range(n):
                point[i] = y[i] + stages[s, i]
                total = 0.0
                for j in range(3):
                    total += A_INVERSE[s, j] * stages[j, i]
                slope[i] = total / h
            status = residual(form, t + C[s] * h, point, slope, stages[3 + s], run, system, work)
            if status != RUNNING:
                return status
        counters[EVALUATIONS] += 3
        counters[ITERATIONS] += 1
        for i in range(n):
            f1, f2, f3 = stages[3, i], stages[4, i], stages[5, i]
            b[i] = -(S_REAL[0] * f1 + S_REAL[1] * f2 + S_REAL[2] * f3)
            bc[i] = -(S_COMPLEX[0] * f1 + S_COMPLEX[1] * f2 + S_COMPLEX[2] * f3)
        solve(real, b, b)
        solve(complex_, bc, bc)
        size = 0.0
        for i in range(n):
            weight = slow / scale[i] if system.n_q <= i < speeds else 1.0 / scale[i]
            for s in range(3):
                change = T_REAL[s] * b[i] + 2.0 * (T_COMPLEX[s] * bc[i]).real
                stages[s, i] += change
                if not abs(change) * weight <= size:
                    size, worst = abs(change) * weight, i
        verdict, eta = judge(iteration, size, previous, eta, run.options[0])
        previous = size
        if verdict == CONVERGED:
            for i in range(n):
                y_new[i] = y[i] + stages[2, i]
                total = 0.0
                for j in range(3):
                    total += A_INVERSE[2, j] * stages[j, i]
                last[i] = total / h
            memory[0], memory[1] = eta, h
            counters[RESTART] = 0
            return RUNNING
        if verdict == DIVERGED:
            break
    counters[CULPRIT] = worst - system.n_q
    counters[RESTART] = 1
    work.left_out[1] = TROUBLED
    return NEWTON_FAILED


@compiled
def lagrange(x, z1, z2, z3):
    """The cubic through 0 at x = 0 and z_i at c_i."""
    c1, c2, c3 = C[0], C[1], C[2]
    l1 = x * (x - c2) * (x - c3) / (c1 * (c1 - c2) * (c1 - c3))
    l2 = x * (x - c1) * (x - c3) / (c2 * (c2 - c1) * (c2 - c3))
    l3 = x * (x - c1) * (x - c2) / (c3 * (c3 - c1) * (c3 - c2))
    return l1 * z1 + l2 * z2 + l3 * z3


@INTERPOLATE
def interpolate(t, h, theta, out, run):
    """The collocation polynomial of the step from t to t + h."""
    y, stages = run.y, run.stages
    for i in range(y.size):
        out[i] = y[i] + lagrange(theta, stages[0, i], stages[1, i], stages[2, i])


RADAU5 = Integrator(
    name="radau5",
    title="Radau IIA, three stages, order 5, implicit",
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=5,
    step=radau5,
    interpolate=interpolate,
    references=("Hairer and Wanner 1996, doi:10.1007/978-3-642-05221-7",),
    stages=10,
    memory=2,
    options={"newton_tolerance": 1e-12},
    ranges={"newton_tolerance": (1e-15, 1e-4)},
)
