"""The family of Newmark's method on the configuration space: one step with five parameters.

    q_s = q_n o exp(s v_n + s^2 ((1/2 - beta) a_n + beta a_s)),   v_s = v_n + s ((1 - gamma) a_n + gamma a_s),   s = theta h
    (1 - alpha_m) a_s + alpha_m a_n = (1 - alpha_f) v'_s + alpha_f v'_n

with the equations of motion and the constraints at t_n + s. What they give there is brought back to t_n + h, if theta > 1, on the
straight line through a_n and a_s; v' and lam likewise. Newmark (any gamma and beta), HHT and generalized-alpha have theta = 1,
Wilson's method and collocation have a = v'. Their files say which parameters they take.

With position constraints, alpha_m < alpha_f or theta > 1 damps what constraints excite; Newmark's method alone leaves it
undamped (trapezoidal rule) or lets it grow at any step size (beta < gamma / 2). With theta > 1 the constraints hold at t_n + s;
at t_n + h they hold up to the error of the method, without drift.

Newton's method has the full tangent (geometric and gyroscopic terms, tangent operator of the exponential map), factorised only
when the last one gets slow. `scaled = False` leaves its matrix as it is written, ill-conditioned for small steps: elimination in
a fixed order gives the same digits, but singular positions are no longer noticed.
Reference: Newmark, J. Eng. Mech. Div. 85 (1959) 67-94; Chung and Hulbert, J. Appl. Mech. 60 (1993) 371-375; Bruels, Cardona and
Arnold, Mech. Mach. Theory 48 (2012) 121-137; Hilber and Hughes, Earthquake Eng. Struct. Dyn. 6 (1978) 99-117; spec 004, 1.10.
"""

from ..compiled.interfaces import (
    MECHANICAL_FACTORISE,
    MECHANICAL_RESIDUAL,
    MECHANICAL_SOLVE,
    OWN,
    REFRESH,
    RETRACT,
    STEP,
    TANGENT,
)
from ..compiled.kinks import AIM
from ..compiled.march import BREAK, CULPRIT, EVALUATIONS, ITERATIONS, RESTART, STEPS, TANGENTS
from ..compiled.status import NEWTON_FAILED, RUNNING
from .base import Integrator, carried
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newton import larger

call_residual, call_retract = MECHANICAL_RESIDUAL.call, RETRACT.call
call_factorise, call_solve = MECHANICAL_FACTORISE.call, MECHANICAL_SOLVE.call
MAX_ITERATIONS = 15
# epsilon of the Newton matrix, in natural sizes; a larger one calms an iteration that does not settle near a singular position
HARD, SOFT = 1e-10, 1e-6
LARGEST = 1e-3  # truncation error that Newton's tolerance is taken from at most
# memory: contraction of Newton's method per step of age of its matrix, iterations of the last step, theta h of the
# matrix (0: none), size of the last step, age of the matrix in steps, 1 if an earlier u is at hand, contraction with a fresh
# matrix, step at which costly tangents are due again, factorisations up to its own (a hook may have made others since)
SLOPE, COUNT, FACTORISED, LAST_STEP, AGE, EARLIER, FRESH, REFRESHED, MARK = range(9)


@STEP
def second_order(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam), a]; stages: r, increment, the u before, 1/scale, slopes.

    options: alpha_m, alpha_f, gamma, beta, theta, tolerance, scaled. The error left after a correction is its size times the
    contraction; the matrix is renewed when that gets slow.
    """
    n_q, n_v, y, y_new, counters, memory = system.n_q, system.n_v, run.y, run.y_new, run.counters, run.memory
    options, n_u = run.options, n_v + 1 + system.n_rows
    alpha_m, alpha_f, gamma, beta, theta = options[0], options[1], options[2], options[3], options[4]
    tolerance, scaled, breaks = options[5], options[6] == 1.0, run.breaks
    jump = (
        run.kinks.place[AIM] if counters[BREAK] == breaks.size else min(run.kinks.place[AIM], breaks[counters[BREAK]])
    )
    if t + theta * h >= jump:
        theta = 1.0  # what jumps there must not be seen by the step before
    s = theta * h
    o_u, o_a = n_q + n_v, n_q + n_v + n_u
    r, increment, u = run.stages[0][:n_u], run.stages[1][:n_v], y_new[o_u:o_a]
    last, inverse = run.stages[2], run.stages[3]
    # a change dv' of v'_s changes the velocity by c_v dv' and the position by c_q dv'
    ratio = (1.0 - alpha_f) / (1.0 - alpha_m)
    c_v, c_q = s * gamma * ratio, s * s * beta * ratio
    if counters[RESTART] == 1 or abs(memory[LAST_STEP] - h) > 1e-9 * h:
        memory[EARLIER] = 0.0
        for i in range(o_u):
            inverse[i] = 1.0 / run.scale[i]
    growth = theta * memory[EARLIER]  # predictor: v' and lam continued straight
    fastest, strongest, farthest = 0.0, 0.0, 1.0
    for i in range(n_v):
        a, v_dot = y[o_a + i], y[o_u + i]
        u[i] = v_dot + growth * (v_dot - last[i])
        a_new = ((1.0 - alpha_f) * u[i] + alpha_f * v_dot - alpha_m * a) / (1.0 - alpha_m)
        y_new[o_a + i] = a_new
        y_new[n_q + i] = y[n_q + i] + s * ((1.0 - gamma) * a + gamma * a_new)
        increment[i] = s * y[n_q + i] + s * s * ((0.5 - beta) * a + beta * a_new)
        fastest = max(fastest, abs(y[n_q + i]) * inverse[n_q + i])
        strongest = max(strongest, abs(v_dot) * inverse[n_q + i])
    for i in range(n_v, n_u):
        u[i] = y[o_u + i] + growth * (y[o_u + i] - last[i])
    for i in range(n_q):
        farthest = max(farthest, abs(y[i]) * inverse[i])
    # the error left in v' is to be a small share of the truncation error, which is h^2 A in natural accelerations A; what moves
    # q by less than rounding is enough
    natural = strongest + fastest * fastest
    enough = max(tolerance * min(h * h * natural, LARGEST) * natural, 1e-15 * farthest / c_q)
    renew = counters[RESTART] == 1 or abs(memory[FACTORISED] - s) > 1e-9 * s or memory[AGE] >= 25.0
    renew = renew or memory[COUNT] >= 3.0 or (memory[COUNT] == 2.0 and memory[AGE] >= 4.0)
    renew = renew or work.kkt.report[3] != memory[MARK]
    if counters[RESTART] == 1:
        memory[SLOPE], memory[FRESH] = 0.1, 0.1
    slope, previous, worst = memory[SLOPE], 0.0, 0
    for iteration in range(MAX_ITERATIONS):
        call_retract(system.methods[1], y, increment, y_new, system, work)
        flags = 0
        if renew:
            refresh = counters[STEPS] >= memory[REFRESHED] or memory[COUNT] > 3.0 or counters[RESTART] == 1
            flags = TANGENT | (REFRESH if refresh else 0)
            if refresh:
                memory[REFRESHED] = counters[STEPS] + 256.0
        call_residual(form[OWN], t + s, y_new, u, r, flags, system, work)
        counters[EVALUATIONS] += 1
        if renew:
            softness = HARD if iteration < 3 else SOFT
            status = call_factorise(form[OWN + 1], c_v, c_q, scaled, softness, increment, system, work)
            counters[TANGENTS] += 1
            memory[FACTORISED], memory[AGE], memory[MARK] = s, 0.0, work.kkt.report[3]
            if status != RUNNING:
                memory[FACTORISED] = 0.0
                return status
        for i in range(n_u):
            r[i] = -r[i]
        call_solve(form[OWN + 2], c_v, c_q, scaled, increment, r, system, work)
        size = 0.0
        for i in range(n_v):
            y_new[n_q + i] += c_v * r[i]
            increment[i] += c_q * r[i]
            y_new[o_a + i] += ratio * r[i]
            change = abs(r[i]) * inverse[n_q + i]
            if larger(change, size):
                size, worst = change, i
        for i in range(n_u):
            u[i] += r[i]
        u[n_v] = 0.0
        counters[ITERATIONS] += 1
        age = memory[AGE]
        if iteration == 0:
            contraction = min(1.0, 4.0 * memory[FRESH] if age == 0.0 else 2.0 * slope * age)
        else:
            contraction = size / max(previous, 1e-300)
            if age == 0.0:
                memory[FRESH] = max(contraction, 0.25 * memory[FRESH])
            else:
                slope = max(contraction / age, 0.5 * slope)
        if contraction * size <= enough or size <= 0.01 * enough:
            if theta != 1.0:  # back from t + s to t + h
                for i in range(n_u):
                    u[i] = y[o_u + i] + (u[i] - y[o_u + i]) / theta
                for i in range(n_v):
                    v, a = y[n_q + i], y[o_a + i]
                    a_new = a + (y_new[o_a + i] - a) / theta
                    y_new[o_a + i] = a_new
                    y_new[n_q + i] = v + h * ((1.0 - gamma) * a + gamma * a_new)
                    increment[i] = h * v + h * h * ((0.5 - beta) * a + beta * a_new)
            call_retract(system.methods[1], y, increment, y_new, system, work)
            for i in range(n_u):
                last[i] = y[o_u + i]
            memory[SLOPE], memory[COUNT], memory[LAST_STEP] = slope, iteration + 1.0, h
            memory[AGE] += 1.0
            memory[EARLIER] = 1.0
            counters[RESTART] = 0
            take_slope(t, h, AT_START, y, y[o_u:], run, system, work)
            take_slope(t, h, AT_END, y_new, u, run, system, work)
            return RUNNING
        if not size < 1e100 or (iteration > 5 and contraction > 1.0):
            break
        renew = iteration > 0 and contraction > 0.1
        previous = size
    counters[CULPRIT] = worst
    memory[FACTORISED] = 0.0
    return NEWTON_FAILED


def member(name, title, parameters, options, ranges, references, special=None, averages=False):
    """An Integrator of the family; `parameters` makes (alpha_m, alpha_f, gamma, beta, theta) of its own options.

    special : formulation -> orders of q, v, lam, where they are not 2. averages : whether a is not v', but a mean of it in time.
    """
    return Integrator(
        name=name,
        title=title,
        damps=True,
        accepts=("MechanicalDae",),
        order=2,
        orders={2: {"MechanicalDae": (2, 2, 2)} | (special or {})},
        step=second_order,
        interpolate=interpolate,
        references=references,
        stages=6,
        memory=9,
        extra=lambda problem, state: state.a if state.extra is None else state.extra,
        options=options | {"newton_tolerance": 1e-3, "scaled": True},
        ranges=ranges | {"newton_tolerance": (1e-15, 1.0)},
        own=lambda row, i, n_q, _: f"h^2 a, the mean x'' of {name}" if averages else carried(2),
        numbers=lambda newton_tolerance, scaled, **own: (*parameters(**own), newton_tolerance, float(scaled)),
    )
