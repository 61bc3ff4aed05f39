"""Corrections after each step of an Ode form: back onto the constraints. `correction=` names one.

none: the quaternions are normalised, nothing else. mass: position and velocity are moved the shortest way in the mass metric
onto Phi = 0 and G v = -Phi_t (Blajer 2002, eq. 4.5a), with one factorisation each. Both choose independent rows anew when a
pivot has become weak: the mechanism has moved to where other rows are the better choice, or close to a singular position.
"""

import math

from ..compiled.interfaces import AFTER_STEP, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import PROJECTION_FAILED, RUNNING
from ..linalg.kkt import evaluate, project_position, project_velocity, select_rows

POSITION_TOLERANCE = 1e-12  # of the characteristic length, or of a radian
ACCEPTABLE = 1e-8
ITERATIONS = 6


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


@AFTER_STEP
def normalised(t, y, system, work):
    """For forms that keep their constraints themselves."""
    normalise(y, system)
    return RUNNING


@AFTER_STEP
def none(t, y, system, work):
    """Normalisation of the quaternions only."""
    normalise(y, system)
    if work.kkt.report[0] > 0:
        n_q, n_v = system.n_q, system.n_v
        evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
        select_rows(system, work)
    return RUNNING


@AFTER_STEP
def mass(t, y, system, work):
    """Position and velocity to the nearest consistent ones in the mass metric."""
    normalise(y, system)
    n_q, n_v = system.n_q, system.n_v
    q, v = y[:n_q], y[n_q : n_q + n_v]
    error = project_position(t, q, v, POSITION_TOLERANCE, ITERATIONS, system, work)
    if work.kkt.report[0] > 0:
        select_rows(system, work)
    project_velocity(system, work, v)
    return RUNNING if error <= ACCEPTABLE else PROJECTION_FAILED


CORRECTIONS = {"none": none, "mass": mass}
