"""Quasi-velocities: what the formulations in all positions and independent velocities share.

    y = [q, u],   v = N u + what drivers ask for,   q' = T v

u (k) are independent velocities that need not belong to coordinates. Velocity and acceleration constraints hold to round-off,
holonomic and nonholonomic ones alike; positions are integrated and drift at the accuracy of the integrator, so their correction
moves q only and keeps u. Instead of a correction after each step, `correction="pi"` feeds the error of position back into the
kinematic equations (Blajer; spec 002, section 4.2), with one state more for each row: Phi'' + g1 Phi' + g0 Phi = 0 holds exactly,

    q' = T (v - x),   G x = g1 Phi + g0 z,   z' = Phi

x being the shortest such vector in the metric of the method.
"""

import math

from ..compiled.handles import pack
from ..compiled.interfaces import AFTER_STEP, KINEMATICS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING, sentence
from ..errors import IncompatibleMethods, SimulationError, largest
from ..linalg.kkt import evaluate, factorise_kkt, overused, select_rows
from ..system.assembler import assemble
from ..system.redundancy import choose_rows
from .corrections import correct, normalise

call_kinematics = KINEMATICS.call
G1, G0, FED_BACK, REBASES = range(4)  # of work.options


@compiled
def position_errors(y, k, system, work, right):
    """g1 Phi + g0 z in the holonomic rows."""
    phi, options, velocity_level, first = work.phi, work.options, system.velocity_level, system.n_q + k
    for i in range(system.n_rows):
        right[i] = 0.0 if velocity_level[i] else options[G1] * phi[i] + options[G0] * y[first + i]


@compiled
def kinematic_equations(y, k, feedback, y_dot, system, work):
    """q' = T (v - feedback) and z' = Phi, with work evaluated at v = work.basis.v."""
    v, phi, velocity_level, moving = work.basis.v, work.phi, system.velocity_level, work.e
    fed_back, epsilon, natural = work.options[FED_BACK] > 0.0, work.epsilon, system.row_diagonal
    for i in range(system.n_v):
        moving[i] = v[i] - feedback[i] if fed_back else v[i]
    call_kinematics(system.methods[2], y[: system.n_q], moving, y_dot, system, work)
    if fed_back:
        for i in range(system.n_rows):
            used = epsilon[i] <= natural[i] and not velocity_level[i]
            y_dot[system.n_q + k + i] = phi[i] if used else 0.0


@compiled
def fill(values, number):
    """Set all values."""
    for i in range(values.size):
        values[i] = number


@compiled
def show(status, y, q, v, system, work):
    """q of y and v of the basis, as EXPAND gives them; not a number where v could not be found."""
    for i in range(system.n_q):
        q[i] = y[i]
    for i in range(system.n_v):
        v[i] = work.basis.v[i] if status == RUNNING else math.nan
    return status


@compiled
def renew_rows(t, y, system, work):
    """Independent rows anew where some are redundant and a pivot has become weak; whether that was so."""
    if work.left_out[0] == 0:
        return False
    evaluate(t, y[: system.n_q], work.basis.v, VELOCITY, system, work)
    factorise_kkt(system, work)
    if work.kkt.report[0] == 0 and not overused(system, work):
        return False
    select_rows(system, work)
    return True


@AFTER_STEP
def corrected_quasi(t, y, purpose, system, work):
    """For y = [q, u]: unit quaternions, then the correction of q; u, the velocity along the constraints, is kept."""
    normalise(y, system)
    return correct(t, y[: system.n_q], work.basis.v, purpose, 0, system, work)


def freedom(system):
    """Number of independent velocities: n_v less the independent rows, at the assembled start."""
    work = system.work()
    choose_rows(system, assemble(system), work)
    return system.n_v - int((work.epsilon <= system.record.row_diagonal).sum())


def feedback_numbers(correction, g1, g0):
    """g1, g0 and whether they are in use, for work.options."""
    if correction != "pi" and (g1 is not None or g0 is not None):
        raise IncompatibleMethods(f'The gains g1 and g0 belong to correction="pi", not to correction="{correction}".')
    return 20.0 if g1 is None else g1, 100.0 if g0 is None else g0, float(correction == "pi")


def use_rows(system, state, work, k):
    """Leave out as many rows as k independent velocities need, now and later."""
    work.left_out[0] = system.n_rows - system.n_v + k
    if (work.epsilon > system.record.row_diagonal).sum() != work.left_out[0]:
        packed = pack(work)
        evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
        select_rows(system.compiled, packed)


def no_coordinates(system, state, status):
    """The error for a start at which no basis can be found."""
    culprit = system.unknown_name(largest(state.v))
    return SimulationError(sentence(status, state.t, 0.0, 0, culprit), None)
