"""An energy-momentum method: the implicit midpoint rule with constraint and potential forces that do exactly the right work.

    M (v_(n+1) - v_n) = h (f - G^T lam),   q_(n+1) = q_n o cay(h v_m),   v_m = (v_n + v_(n+1)) / 2,   Phi(t_(n+1), q_(n+1)) = 0

with f and G halfway and at v_m, corrected (^) so that G^ h v_m = Phi(q_(n+1)) - Phi(q_n), and f^ h v_m = work - change of the
potential. Then the energy balance holds in each step, up to the tolerance of Newton's method. cay is Cayley's transformation:
with W the mean angular velocity in the body, the turn about W has the tangent h |W| / 2 of half its angle. For free bodies this
is Simo and Wong's method, which keeps energy and angular momentum.

The corrections: from one end of the step to the other a point of a body moves as its lever halfway tells, times the cosine of
half the angle of the step; columns of turns in G are multiplied by that. So balls, hinges to the ground and planar joints are
exact, and their reactions exert no torque about the axis of a body of revolution: its spin is kept to rounding. What is left,
from other joints and from springs, is of third order; it is taken out by a force along M v_m (Gonzalez). So is the change of a
variable mass matrix.

Kept to rounding: the energy balance (with index3; index2 and index3-alf change the state after the step), momentum, angular
momentum of free bodies and of planar linkages, spin of tops about their axis. Kept to order 2 only, in spite of the name:
angular momentum of linkages in space, also that of a top about the vertical (5e-3 of it at 0.5 rad a step); rattle keeps that
to rounding, and the energy to order 2. For long runs where the energy decides. Nothing can grow and nothing is damped;
multipliers alternate by O(h), so those that are given out are averages. Nonholonomic rows hold halfway.
Reference: Simo and Wong, Int. J. Numer. Meth. Eng. 31 (1991) 19-52; Gonzalez, J. Nonlinear Sci. 6 (1996) 449-467;
Betsch and Leyendecker, Int. J. Numer. Meth. Eng. 67 (2006) 499-552; spec 004, section 1.9.
"""

import math

from ..compiled.interfaces import (
    ENERGY,
    MECHANICAL_FACTORISE,
    MECHANICAL_RESIDUAL,
    MECHANICAL_SOLVE,
    OWN,
    REFRESH,
    RETRACT,
    STEP,
    TANGENT,
    VELOCITY,
)
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..linalg.kkt import evaluate, multiply_mass
from .base import Integrator, same_order
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newton import larger

call_residual, call_retract = MECHANICAL_RESIDUAL.call, RETRACT.call
call_factorise, call_solve = MECHANICAL_FACTORISE.call, MECHANICAL_SOLVE.call
MAX_ITERATIONS = 25
SOFTNESS = 1e-10  # epsilon of the Newton matrix, in natural sizes
NOTHING = 1e-15  # of a position
ROUNDING = 1e-14  # of Phi, in characteristic lengths or radians: less is not corrected
STAGNATION = 1e3  # corrections that no longer shrink are accepted up to so many tolerances
# memory: size of the last step, how many steps of that size are behind it
LAST_STEP, PAST = range(2)


@compiled
def turn(first, last, way, increment, factor):
    """One turn, in the places first to last - 1."""
    square = 0.0
    for i in range(first, last):
        square += way[i] * way[i]
    half = 0.5 * math.sqrt(square)
    ratio = math.atan(half) / half if half > 1e-4 else 1.0 - square / 12.0 + square * square / 80.0
    for i in range(first, last):
        increment[i], factor[i] = ratio * way[i], 1.0 / math.sqrt(1.0 + half * half)


@compiled
def turns(way, increment, factor, system):
    """increment (n_v) = the way h v_m as RETRACT takes it, its turns being Cayley's; factor = their cosine of half the angle."""
    column, planar, turn_v = system.column, system.planar, system.turn_v
    for i in range(system.n_v):
        increment[i], factor[i] = way[i], 1.0
    for b in range(system.n_bodies):
        if planar[b] and column[b, 5] < system.n_v:
            turn(column[b, 5], column[b, 5] + 1, way, increment, factor)
    for k in range(turn_v.size):
        turn(turn_v[k], turn_v[k] + 3, way, increment, factor)


@compiled
def energy(v, momentum, system, work):
    """Kinetic energy at v (n_v) and potential energy; work is evaluated with ENERGY, momentum is scratch."""
    multiply_mass(system, work, v, momentum)
    total = work.energy[0]
    for i in range(system.n_v):
        total += 0.5 * v[i] * momentum[i]
    return total


@compiled
def correct_forces(h, gain, u, v, phi_change, factor, momentum, reaction, r, system, work):
    """The residual r halfway, with forces and reactions that do the right work; `gain`: energy at the end less that at the start.

    v (n_v): v_m. momentum and reaction (n_v + 1) are scratch.
    """
    n_v, n_rows, g, f = system.n_v, system.n_rows, work.g, work.f
    g_row, g_column, velocity_level, row_scale = system.g_row, system.g_column, system.velocity_level, system.row_scale
    for i in range(n_v + 1):
        reaction[i] = 0.0
    for e in range(g.size):
        if not velocity_level[g_row[e]]:  # nonholonomic rows hold halfway: their reactions do no work
            reaction[g_column[e]] += g[e] * u[n_v + 1 + g_row[e]]
    multiply_mass(system, work, u, momentum)
    work_done = h * work.energy[1] - gain  # of what is not conservative, less what the energy has gained
    for i in range(n_v):
        r[i] += (factor[i] - 1.0) * reaction[i]
        work_done += (
            h * v[i] * (momentum[i] - f[i])
        )  # as the equations have it: M v' for the gain of kinetic energy, and f
    for e in range(g.size):
        if g_column[e] < n_v:
            phi_change[g_row[e]] -= h * g[e] * factor[g_column[e]] * v[g_column[e]]
    for i in range(n_rows):
        if not velocity_level[i] and work.phi_t[i] == 0.0 and abs(phi_change[i]) * row_scale[i] > ROUNDING:
            work_done -= u[n_v + 1 + i] * phi_change[i]
    multiply_mass(system, work, v, momentum)
    twice = 0.0
    for i in range(n_v):
        twice += v[i] * momentum[i]
    if twice > 0.0:
        for i in range(n_v):
            r[i] -= work_done / (h * twice) * momentum[i]


@STEP
def energy_momentum(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam)]; options: tolerance.

    stages: r, way, increment, state halfway, factor, momentum, reaction, Phi at the start, its change, rows at the end, mean u,
    that of the last step and that of the step before, slopes.
    """
    n_q, n_v, n_rows, y, y_new = system.n_q, system.n_v, system.n_rows, run.y, run.y_new
    counters, memory, stages, velocity_level = run.counters, run.memory, run.stages, system.velocity_level
    n_u, o_u, tolerance = n_v + 1 + n_rows, n_q + n_v, run.options[0]
    r, way, increment, middle = stages[0][:n_u], stages[1][:n_v], stages[2][:n_v], stages[3]
    factor, momentum, reaction = stages[4][:n_v], stages[5][: n_v + 1], stages[6][: n_v + 1]
    phi, phi_change, rows = stages[7][:n_rows], stages[8][:n_rows], stages[9][:n_rows]
    mean, last, earlier = stages[10][:n_u], stages[11][:n_u], stages[12][:n_u]
    if counters[RESTART] == 1 or abs(memory[LAST_STEP] - h) > 1e-9 * h:
        memory[PAST] = 0.0
    evaluate(t, y[:n_q], y[n_q:o_u], ENERGY, system, work)
    start = energy(y[n_q:o_u], momentum, system, work)
    for i in range(n_rows):
        phi[i] = work.phi[i]
    for i in range(n_u):
        mean[i] = y[o_u + i]
    for i in range(n_rows):
        if (
            work.epsilon[i] > system.row_diagonal[i]
        ):  # a row that is left out depends on the others at the ends only, not halfway
            mean[n_v + 1 + i] = 0.0
    fastest, strongest, farthest = 0.0, 0.0, 1.0
    for i in range(n_v):
        fastest = max(fastest, abs(y[n_q + i]) / run.scale[n_q + i])
        strongest = max(strongest, abs(y[o_u + i]) / run.scale[n_q + i])
    for i in range(n_q):
        farthest = max(farthest, abs(y[i]) / run.scale[i])
    # of the error left in v': a small share of what there is, or what moves q by less than rounding
    enough = max(tolerance * (fastest / h + strongest), NOTHING * farthest / (h * h))
    # a change dv' of the mean acceleration changes what is halfway by c_v dv' and c_q dv', what is at the end by twice as much
    c_v, c_q, renew, previous, worst = 0.5 * h, 0.25 * h * h, True, math.inf, 0
    for iteration in range(MAX_ITERATIONS):
        for i in range(n_v):
            middle[n_q + i] = y[n_q + i] + 0.5 * h * mean[i]
            y_new[n_q + i] = y[n_q + i] + h * mean[i]
            way[i] = h * middle[n_q + i]
        turns(way, increment, factor, system)
        call_retract(system.methods[1], y, increment, y_new, system, work)
        for i in range(n_v):
            increment[i] *= 0.5
        call_retract(system.methods[1], y, increment, middle, system, work)
        call_residual(form[OWN], t + h, y_new, mean, r, ENERGY, system, work)
        gain = energy(y_new[n_q:o_u], momentum, system, work) - start
        for i in range(n_rows):
            phi_change[i], rows[i] = work.phi[i] - phi[i], 0.5 * r[n_v + 1 + i]
        flags = ENERGY | VELOCITY | (TANGENT | REFRESH if renew else 0)
        call_residual(form[OWN], t + 0.5 * h, middle, mean, r, flags, system, work)
        counters[EVALUATIONS] += 2
        for i in range(n_rows):
            if not velocity_level[i]:
                r[n_v + 1 + i] = rows[i]
        if renew:
            status = call_factorise(form[OWN + 1], c_v, c_q, True, SOFTNESS, increment, system, work)
            counters[TANGENTS] += 1
            if status != RUNNING:
                return status
        correct_forces(h, gain, mean, middle[n_q:o_u], phi_change, factor, momentum, reaction, r, system, work)
        for i in range(n_u):
            r[i] = -r[i]
        call_solve(form[OWN + 2], c_v, c_q, True, increment, r, system, work)
        size = 0.0
        for i in range(n_v):
            change = abs(r[i]) / run.scale[n_q + i]
            if larger(change, size):
                size, worst = change, i
        for i in range(n_u):
            mean[i] += r[i]
        mean[n_v] = 0.0
        counters[ITERATIONS] += 1
        stagnant = iteration > 2 and size > 0.3 * previous and size <= STAGNATION * enough
        if size <= 0.01 * enough or (iteration > 0 and size * size <= enough * previous) or stagnant:
            for i in range(n_v):
                way[i] = h * (y[n_q + i] + 0.5 * h * mean[i])
                y_new[n_q + i] = y[n_q + i] + h * mean[i]
            turns(way, increment, factor, system)
            call_retract(system.methods[1], y, increment, y_new, system, work)
            for i in range(
                n_u
            ):  # to the end of the step: straight, from averages of two neighbours once there are three
                if memory[PAST] >= 2.0:
                    y_new[o_u + i] = mean[i] + 0.5 * (last[i] - earlier[i])
                else:
                    y_new[o_u + i] = 2.0 * mean[i] - y[o_u + i]
                earlier[i], last[i] = last[i], mean[i]
            memory[PAST], memory[LAST_STEP] = memory[PAST] + 1.0, h
            counters[RESTART] = 0
            take_slope(t, h, AT_START, y, y[o_u:], run, system, work)
            take_slope(t, h, AT_END, y_new, y_new[o_u:], run, system, work)
            return RUNNING
        if not size < 1e100 or (iteration > 5 and size > previous):
            break
        renew = iteration > 0 and size > 0.3 * previous
        previous = size
    counters[CULPRIT] = worst
    return NEWTON_FAILED


ENERGY_MOMENTUM = Integrator(
    name="energy-momentum",
    title="Energy-momentum method on the Lie group, implicit, order 2; energy exact, momentum of free bodies too",
    accepts=("MechanicalDae",),
    order=2,
    orders=same_order(2, form="MechanicalDae"),
    step=energy_momentum,
    interpolate=interpolate,
    references=("Simo and Wong 1991, doi:10.1002/nme.1620310103", "Gonzalez 1996, doi:10.1007/BF02440162"),
    stages=15,
    memory=2,
    options={"newton_tolerance": 1e-14},
    ranges={"newton_tolerance": (1e-15, 1e-3)},
)
