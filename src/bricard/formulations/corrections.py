"""Corrections of an Ode form: the state back onto the constraints. `correction=` names one.

A correction is a function with the signature CORRECT that moves q (and v) at once onto Phi = 0 (and G v = -Phi_t). When it is
due - after every step, every so many steps, or when an error exceeds a tolerance - the hooks below decide, from work.schedule.
Around singular positions independent rows are chosen anew when a pivot has become weak.
How to add one: write a CORRECT function, add it to CORRECTIONS; its docstring's first line is its title.
"""

import math

import numpy as np

from ..compiled.interfaces import AFTER_STEP, CORRECT, CORRECTION, SHOWN, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import PROJECTION_FAILED, RUNNING
from ..linalg.factor import factorise_symmetric, solve_symmetric
from ..linalg.kkt import (
    add_reaction,
    evaluate,
    multiply_mass,
    overused,
    position_error,
    project_position,
    project_velocity,
    retract,
    select_rows,
    velocity_error,
)
from ..linalg.soft_rows import factorise_soft, solve_soft
from .base import ODE, Problem, position_scale, velocity_scale
from .dependent_only import dependent_only

call_correct = CORRECT.call
POSITION_TOLERANCE = 1e-12  # of the characteristic length, or of a radian
ACCEPTABLE = 1e-8
ITERATIONS = 6
# of the augmented Lagrangian: 1 / penalty in natural sizes; iterations at most; tolerance relative to the change of velocity
SOFTNESS, ROUNDS, CHANGE = 1e-6, 12, 1e-10
EVERY, POSITION, SPEED, SINCE = range(4)  # of work.schedule


def full_state(system, rhs, correction, options=(), after_step=None):
    """The Ode form in all coordinates, y = [q, v], with a correction; `options` are the numbers that the rhs finds in work."""
    return Problem(
        form=ODE,
        system=system,
        functions=(rhs,),
        initial=lambda state, work: np.concatenate([state.q, state.v]),
        scale=np.concatenate([position_scale(system), velocity_scale(system)]),
        after_step=after_step or corrected_state,
        hooks={CORRECTION: CORRECTIONS[correction]},
        options=np.array(options, float),
    )


@compiled
def normalise(y, system):
    """Unit quaternions again, after integration as four numbers."""
    turn_q = system.turn_q
    for k in range(turn_q.size):
        o = turn_q[k]
        size = math.sqrt(y[o] * y[o] + y[o + 1] * y[o + 1] + y[o + 2] * y[o + 2] + y[o + 3] * y[o + 3])
        for c in range(4):
            y[o + c] /= size


@compiled
def due(t, q, v, purpose, with_velocity, system, work):
    """Whether a correction is to be made now. States that are only shown follow the tolerance, not the count of steps."""
    schedule = work.schedule
    if schedule[EVERY] == 0.0:
        return False
    if schedule[EVERY] > 1.0:
        if purpose == SHOWN:
            return False
        schedule[SINCE] += 1.0
        if schedule[SINCE] < schedule[EVERY]:
            return False
    if schedule[POSITION] > 0.0 or schedule[SPEED] > 0.0:
        evaluate(t, q, v, VELOCITY, system, work)
        fine = position_error(system, work) <= schedule[POSITION]
        return not (fine and (with_velocity == 0 or velocity_error(system, work) <= schedule[SPEED]))
    return True


@compiled
def watch_rows(t, q, v, system, work):
    """Independent rows anew where a pivot has become weak, or a row that is left out asks for too much of a kept one."""
    if work.kkt.report[0] > 0 or overused(system, work):
        evaluate(t, q, v, VELOCITY, system, work)
        select_rows(system, work)


@compiled
def correct(t, q, v, purpose, with_velocity, system, work):
    """The correction in work.hooks, if it is due."""
    if system.n_rows == 0:
        return RUNNING
    if not due(t, q, v, purpose, with_velocity, system, work):
        watch_rows(t, q, v, system, work)
        return RUNNING
    status = call_correct(work.hooks[CORRECTION], t, q, v, with_velocity, system, work)
    if purpose != SHOWN and overused(system, work):
        select_rows(system, work)
    if purpose != SHOWN and status == RUNNING:
        work.tally[0] += 1
        work.schedule[SINCE] = 0.0
    return status


@AFTER_STEP
def corrected_state(t, y, purpose, system, work):
    """For y = [q, v]: unit quaternions, then the correction of both levels."""
    normalise(y, system)
    n_q, n_v = system.n_q, system.n_v
    return correct(t, y[:n_q], y[n_q : n_q + n_v], purpose, 1, system, work)


@CORRECT
def none(t, q, v, with_velocity, system, work):
    """None: the quaternions are normalised, nothing else."""
    watch_rows(t, q, v, system, work)
    return RUNNING


@CORRECT
def mass(t, q, v, with_velocity, system, work):
    """The shortest way in the mass metric (Blajer 2002, eq. 4.5a), one factorisation for each iteration."""
    error = project_position(t, q, v, POSITION_TOLERANCE, ITERATIONS, system, work)
    if work.kkt.report[0] > 0:
        select_rows(system, work)
    if with_velocity:
        project_velocity(system, work, v)
    return RUNNING if error <= ACCEPTABLE else PROJECTION_FAILED


@CORRECT
def pi(t, q, v, with_velocity, system, work):
    """Position errors and their integrals fed back into the kinematic equations (Blajer 1993, eq. 4.6a); for quasi-velocities."""
    watch_rows(t, q, v, system, work)
    return RUNNING


@compiled
def factorise_metric(system, work):
    """Factors of [mass W^-1, G^T; G, -epsilon]: the metric of translations and length-scaled turns in the place of M.

    `mass`, the mean one of the rows that take part, keeps the sizes that epsilon was chosen for; it does not change the way.
    Rows that are left out do not count: where all of them are rounding, they would be scaled up to the size of others.
    """
    a, g, g_row, g_column, g_upper = work.kkt.a, work.g, system.g_row, system.g_column, system.g_upper
    n_v, n_rows, diagonal, metric = system.n_v, system.n_rows, system.diagonal_slot, system.metric
    natural, epsilon, scale, total, size = system.row_diagonal, work.epsilon, system.row_scale, 0.0, 0.0
    for i in range(a.size):
        a[i] = 0.0
    for e in range(g.size):
        a[g_upper[e]] += g[e]
        if g_column[e] < n_v and epsilon[g_row[e]] <= natural[g_row[e]]:
            total += metric[g_column[e]] * (g[e] * scale[g_row[e]]) ** 2
    for i in range(n_rows):
        a[diagonal[n_v + 1 + i]] = -epsilon[i]
        if epsilon[i] <= natural[i]:
            size += natural[i] * scale[i] ** 2
    mean = total / size if total > 0.0 else 1.0
    for i in range(n_v):
        a[diagonal[i]] = mean / metric[i]
    return factorise_symmetric(work.kkt)


@CORRECT
def least_squares(t, q, v, with_velocity, system, work):
    """The shortest way in length-scaled coordinates (Yoon 1994), whatever the masses; one factorisation per iteration."""
    b, u, phi, phi_dot, n_v, velocity_level = work.b, work.u, work.phi, work.phi_dot, system.n_v, system.velocity_level
    error = 0.0
    for i in range(n_v + 1):
        b[i] = 0.0
    for iteration in range(ITERATIONS + 1):
        evaluate(t, q, v, VELOCITY, system, work)
        factorise_metric(system, work)
        error = position_error(system, work)
        if error <= POSITION_TOLERANCE or iteration == ITERATIONS:
            break
        for i in range(system.n_rows):
            b[n_v + 1 + i] = 0.0 if velocity_level[i] else -phi[i]
        solve_symmetric(work.kkt, b, u)
        retract(q, u, q, system, work)
    if with_velocity:
        for i in range(system.n_rows):
            b[n_v + 1 + i] = -phi_dot[i]
        solve_symmetric(work.kkt, b, u)
        for i in range(n_v):
            v[i] += u[i]
    if work.kkt.report[0] > 0:
        select_rows(system, work)
    return RUNNING if error <= ACCEPTABLE else PROJECTION_FAILED


@CORRECT
def augmented_lagrangian(t, q, v, with_velocity, system, work):
    """The shortest way in the mass metric with a penalty on all rows, iterated (Bayo and Ledesma 1996); one factorisation.

    Position: M d + G^T lam = 0 for the whole way d, and Phi = 0; what is left of both is solved with the penalised matrix, which
    is factorised anew only where that does not converge at once. It needs no choice of independent rows.
    """
    b, u, e, phi, phi_dot = work.b, work.u, work.e, work.phi, work.phi_dot
    n_v, velocity_level, error, before = system.n_v, system.velocity_level, 0.0, 0.0
    for i in range(u.size):
        u[i] = 0.0  # [d, 0, lam]
    for iteration in range(ROUNDS + 1):
        evaluate(t, q, v, VELOCITY, system, work)
        error = position_error(system, work)
        if iteration == 0 or error > 0.1 * before:
            factorise_soft(system, work, SOFTNESS)
        if error <= POSITION_TOLERANCE or iteration == ROUNDS:
            break
        before = error
        multiply_mass(system, work, u, e)
        add_reaction(system, work, u, n_v + 1, e)
        for i in range(n_v):
            e[i] = -e[i]
        e[n_v] = 0.0
        for i in range(system.n_rows):
            e[n_v + 1 + i] = 0.0 if velocity_level[i] else -phi[i]
        solve_symmetric(work.kkt, e, e)
        e[n_v] = 0.0
        for i in range(u.size):
            u[i] += e[i]
        retract(q, e, q, system, work)
    if with_velocity:
        for i in range(n_v + 1):
            b[i] = 0.0
        for i in range(system.n_rows):
            b[n_v + 1 + i] = -phi_dot[i]
        solve_soft(system, work, 0.0, ROUNDS, CHANGE, b, u)
        for i in range(n_v):
            v[i] += u[i]
    if work.kkt.report[0] > 0:
        select_rows(system, work)
    return RUNNING if error <= ACCEPTABLE else PROJECTION_FAILED


CORRECTIONS = {
    "none": none,
    "mass": mass,
    "least-squares": least_squares,
    "augmented-lagrangian": augmented_lagrangian,
    "dependent-only": dependent_only,
    "pi": pi,
}
