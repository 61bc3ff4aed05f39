"""States inside of a step, which are only shown: moved onto the constraints, as far as the ends of steps hold them.

Dense output meets the constraints as well as its own error lets it, which is up to 1e5 times worse than Newton's method leaves
the ends of steps. So its q and v are moved the short way back, with the factors at hand: of Newton's matrix or of a KKT matrix of
this step. No matrix is factorised for it, and none that the steps to come need is lost.
"""

import math

from ..compiled.interfaces import AFTER_STEP, SHOWN, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from ..linalg.factor import UNSYMMETRIC, solve, solve_symmetric
from ..linalg.kkt import evaluate, position_error, retract, velocity_error
from .corrections import normalise

# of work.options: the largest errors of position and velocity at ends of steps so far
HELD_POSITION, HELD_VELOCITY = 6, 7
NOTHING, ROUNDS = 1e-14, 6  # error, in characteristic lengths or radians (per second), and rounds of the way back


@compiled
def note_held(system, work):
    """Remember how well the end of a step holds the constraints; work is evaluated there."""
    options = work.options
    options[HELD_POSITION] = max(options[HELD_POSITION], position_error(system, work))
    options[HELD_VELOCITY] = max(options[HELD_VELOCITY], velocity_error(system, work))


@compiled
def approach(t, q, v, held_position, held_velocity, system, work):
    """q and v of a state that is only shown, moved until they meet the constraints to what the ends of steps hold.

    The factors are a step old or more and serve the steps to come, so they are not renewed: each round takes the larger part of
    an error away. A round that makes it larger, close to a singular position, is taken back.
    """
    n_v, velocity_level, phi, phi_dot, d = system.n_v, system.velocity_level, work.phi, work.phi_dot, work.e
    for level in range(2):
        error, held = math.inf, max(held_velocity if level else held_position, NOTHING)
        for _ in range(ROUNDS):
            before = error
            evaluate(t, q, v, VELOCITY, system, work)
            error = position_error(system, work) if level == 0 else velocity_error(system, work)
            back = not error < before
            if error <= held or (back and before == math.inf):
                break
            if back:
                for i in range(n_v):
                    d[i] = -d[i]
            else:
                for i in range(n_v + 1):
                    d[i] = 0.0
                for i in range(system.n_rows):
                    d[n_v + 1 + i] = -phi_dot[i] if level == 1 else 0.0 if velocity_level[i] else -phi[i]
                if work.kkt.report[UNSYMMETRIC] == 1:
                    solve(work.kkt, d, d)
                else:
                    solve_symmetric(work.kkt, d, d)
            if level == 0:
                retract(q, d, q, system, work)
            else:
                for i in range(n_v):
                    v[i] += d[i]
            if back:
                break


@AFTER_STEP
def held(t, y, purpose, system, work):
    """For forms that keep constraints themselves: unit quaternions; what is shown holds them as ends of steps do."""
    normalise(y, system)
    if purpose == SHOWN and system.n_rows > 0:
        n_q, n_v, options = system.n_q, system.n_v, work.options
        approach(t, y[:n_q], y[n_q : n_q + n_v], options[HELD_POSITION], options[HELD_VELOCITY], system, work)
    return RUNNING
