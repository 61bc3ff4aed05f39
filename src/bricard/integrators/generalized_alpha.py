"""Generalized-alpha on the configuration space, order 2 with controllable damping of high frequencies.

    q_(n+1) = q_n o exp(h v_n + h^2 ((1/2 - beta) a_n + beta a_(n+1))),   v_(n+1) = v_n + h ((1 - gamma) a_n + gamma a_(n+1))
    (1 - alpha_m) a_(n+1) + alpha_m a_n = (1 - alpha_f) v'_(n+1) + alpha_f v'_n

with the equations of motion at t_(n+1); parameters from the spectral radius rho at infinite frequency. The default for
stiff systems and for large ones: one sparse factorisation a step. Newton's method has the full tangent (geometric and
gyroscopic terms, tangent operator of the exponential map).
Reference: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371-375; Bruels, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121-137.
"""

import numpy as np

from ..compiled.interfaces import MECHANICAL_CORRECT, MECHANICAL_RESIDUAL, REFRESH, RETRACT, STEP, TANGENT, VELOCITY
from ..compiled.march import CULPRIT, EVALUATIONS, FACTORISATIONS, ITERATIONS, RESTART, STEPS, TANGENTS
from ..compiled.status import NEWTON_FAILED, RUNNING
from .base import Integrator
from .newton import CONVERGED, DIVERGED, judge

call_residual, call_correct, call_retract = MECHANICAL_RESIDUAL.call, MECHANICAL_CORRECT.call, RETRACT.call
MAX_ITERATIONS = 12


@STEP
def generalized_alpha(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam), a]; options: rho, tolerance; memory: eta, iterations of the last step."""
    n_q, n_v, y, y_new, counters, memory = system.n_q, system.n_v, run.y, run.y_new, run.counters, run.memory
    n_u, rho, tolerance = n_v + 1 + system.n_rows, run.options[0], run.options[1]
    o_u, o_a = n_q + n_v, n_q + n_v + n_u
    r, increment, u, scale = run.stages[0][:n_u], run.stages[1][:n_v], y_new[o_u:o_a], run.scale
    velocity_level = system.velocity_level
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    # a change dv' of v'_(n+1) changes the velocity by c_v dv' and the position by c_q dv'
    ratio = (1.0 - alpha_f) / (1.0 - alpha_m)
    c_v, c_q = h * gamma * ratio, h * h * beta * ratio
    for i in range(n_v):
        a = y[o_a + i]
        a_new = (y[o_u + i] - alpha_m * a) / (1.0 - alpha_m)
        y_new[o_a + i] = a_new
        y_new[n_q + i] = y[n_q + i] + h * ((1.0 - gamma) * a + gamma * a_new)
        increment[i] = h * y[n_q + i] + h * h * ((0.5 - beta) * a + beta * a_new)
    for i in range(n_u):
        u[i] = y[o_u + i]
    renew = counters[STEPS] % 16 == 0 or memory[1] > 3.0 or counters[RESTART] == 1
    flags = VELOCITY | TANGENT | (REFRESH if renew else 0)
    eta, previous, worst = memory[0] if counters[RESTART] == 0 else 1.0, 0.0, 0
    for iteration in range(MAX_ITERATIONS):
        call_retract(system.methods[1], y, increment, y_new, system, work)
        call_residual(form[2], t + h, y_new, u, r, flags, system, work)
        flags = VELOCITY
        for i in range(n_v):
            r[i] = -r[i]
        for i in range(system.n_rows):
            r[n_v + 1 + i] *= -1.0 / (c_v if velocity_level[i] else c_q)
        status = call_correct(form[3], c_v, c_q, increment, r, system, work)
        if status != RUNNING:
            return status
        size, worst = 0.0, 0
        for i in range(n_v):
            y_new[n_q + i] += c_v * r[i]
            increment[i] += c_q * r[i]
            y_new[o_a + i] += ratio * r[i]
            change = abs(r[i]) / scale[n_q + i]
            if not change <= size:
                size, worst = change, i
        for i in range(n_u):
            u[i] += r[i]
        u[n_v] = 0.0
        size *= c_q
        counters[ITERATIONS] += 1
        counters[EVALUATIONS] += 1
        counters[FACTORISATIONS] += 1
        verdict, eta = judge(iteration, size, previous, eta, tolerance)
        previous = size
        if verdict == CONVERGED:
            call_retract(system.methods[1], y, increment, y_new, system, work)
            memory[0], memory[1] = eta, iteration + 1.0
            counters[TANGENTS] += 1
            counters[RESTART] = 0
            return RUNNING
        if verdict == DIVERGED:
            break
    counters[CULPRIT] = worst
    memory[1] = 99.0
    return NEWTON_FAILED


GENERALIZED_ALPHA = Integrator(
    name="generalized-alpha",
    title="Generalized-alpha on the Lie group, implicit, order 2",
    accepts=("MechanicalDae",),
    order=2,
    step=generalized_alpha,
    references=("Chung and Hulbert 1993, doi:10.1115/1.2900803", "Bruels, Cardona and Arnold 2012"),
    stages=2,
    memory=2,
    extra=lambda problem, state: np.asarray(state.a, float),
    options={"rho": 0.8, "newton_tolerance": 1e-10},
)
