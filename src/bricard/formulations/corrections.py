"""Corrections of an Ode form: the state back onto the constraints. `correction=` names one.

A correction is a function with the signature CORRECT that moves q (and v) at once onto Phi = 0 (and G v = -Phi_t). When it is
due - after every step, every so many steps, or when an error exceeds a tolerance - the hooks below decide, from work.schedule.
Around singular positions independent rows are chosen anew when a pivot has become weak.
How to add one: write a CORRECT function, add it to CORRECTIONS; its docstring's first line is its title.
"""

import math

from ..compiled.interfaces import AFTER_STEP, CORRECT, CORRECTION, SHOWN, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import PROJECTION_FAILED, RUNNING
from ..linalg.kkt import evaluate, position_error, project_position, project_velocity, select_rows, velocity_error

call_correct = CORRECT.call
POSITION_TOLERANCE = 1e-12  # of the characteristic length, or of a radian
ACCEPTABLE = 1e-8
ITERATIONS = 6
EVERY, POSITION, SPEED, SINCE = range(4)  # of work.schedule


@compiled
def normalise(y, system):
    """Unit quaternions again, after integration as four numbers."""
    q_start, planar = system.q_start, system.planar
    for b in range(system.n_bodies):
        if not planar[b]:
            o = q_start[b] + 3
            size = math.sqrt(y[o] * y[o] + y[o + 1] * y[o + 1] + y[o + 2] * y[o + 2] + y[o + 3] * y[o + 3])
            for c in range(4):
                y[o + c] /= size


@compiled
def due(t, q, v, purpose, with_velocity, system, work):
    """Whether a correction is to be made now. States that are only shown follow the tolerance, not the count of steps."""
    schedule = work.schedule
    if schedule[EVERY] > 1.0:
        if purpose == SHOWN:
            return False
        schedule[SINCE] += 1.0
        if schedule[SINCE] < schedule[EVERY]:
            return False
        schedule[SINCE] = 0.0
    if schedule[POSITION] > 0.0 or schedule[SPEED] > 0.0:
        evaluate(t, q, v, VELOCITY, system, work)
        fine = position_error(system, work) <= schedule[POSITION]
        return not (fine and (with_velocity == 0 or velocity_error(system, work) <= schedule[SPEED]))
    return True


@compiled
def correct(t, q, v, purpose, with_velocity, system, work):
    """The correction in work.hooks, if it is due."""
    if not due(t, q, v, purpose, with_velocity, system, work):
        if work.kkt.report[0] > 0:
            evaluate(t, q, v, VELOCITY, system, work)
            select_rows(system, work)
        return RUNNING
    if purpose != SHOWN:
        work.tally[0] += 1
    return call_correct(work.hooks[CORRECTION], t, q, v, with_velocity, system, work)


@AFTER_STEP
def normalised(t, y, purpose, system, work):
    """For forms that keep their constraints themselves."""
    normalise(y, system)
    return RUNNING


@AFTER_STEP
def corrected_state(t, y, purpose, system, work):
    """For y = [q, v]: unit quaternions, then the correction of both levels."""
    normalise(y, system)
    n_q, n_v = system.n_q, system.n_v
    return correct(t, y[:n_q], y[n_q : n_q + n_v], purpose, 1, system, work)


@CORRECT
def none(t, q, v, with_velocity, system, work):
    """None: the quaternions are normalised, nothing else."""
    work.tally[0] = 0
    if work.kkt.report[0] > 0:
        evaluate(t, q, v, VELOCITY, system, work)
        select_rows(system, work)
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


CORRECTIONS = {"none": none, "mass": mass}
