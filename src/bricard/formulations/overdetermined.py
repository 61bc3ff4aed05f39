"""Overdetermined: the constraints at all three levels at once.

    q' = T(q) v,   M v' + G^T lam = f,   Phi(t, q) = 0,   G v + Phi_t = 0,   G v' = gamma

The exact motion satisfies all of that, a discretised one cannot: there are more equations than unknowns. An integrator of this
form keeps the constraints and the equations of motion at the end of a step, and weakens its own formulas: null-space-newmark
lets them hold along the null space of G only, rattle and central-difference bring their own multipliers for it. What results
behaves as the same formula on minimal coordinates would, stability limits included; nothing drifts. Nonholonomic rows have the
levels of velocity and acceleration.
Reference: Fuehrer and Leimkuhler, Numerische Mathematik 59 (1991) 55-69; spec 004, section 2.4.
"""

import numpy as np

from ..compiled.interfaces import AFTER_STEP, CONFIRM, CONFIRMATION, REBASE, SHOWN, VELOCITY
from ..compiled.status import RUNNING
from ..linalg.kkt import accelerations, evaluate, project_position, project_velocity, rows_left_out
from .base import OVERDETERMINED_DAE, Formulation, Problem, position_scale, velocity_scale
from .corrections import ITERATIONS, POSITION_TOLERANCE, normalise
from .mechanical import choose_rows, holding

hold, choose, call_confirm = holding.function, choose_rows.function, CONFIRM.call


@AFTER_STEP
def holding_all(t, y, purpose, system, work):
    """Refuses a step after which the constraints do not hold; moves what is shown inside of a step onto them, at all levels."""
    if purpose != SHOWN:
        return hold(t, y, purpose, system, work)
    report, n_q = work.kkt.report, system.n_q
    q, v, weak, first = y[:n_q], y[n_q : n_q + system.n_v], report[0], report[1]
    normalise(y, system)
    if system.n_rows > 0:
        project_position(t, q, v, POSITION_TOLERANCE, ITERATIONS, system, work)
        project_velocity(system, work, v)
        if accelerations(t, q, v, system, work):
            o, u = n_q + system.n_v, work.u
            for i in range(u.size):
                y[o + i] = u[i]
        report[0], report[1] = weak, first  # those of the step decide about its rows
    return RUNNING


@REBASE
def choose_rows_elsewhere(t, y, system, work):
    """Independent rows anew as choose_rows() does, but not close to a singular position, where further rows seem to depend on
    others and could be left out in the place of redundant ones."""
    n_q, n_v = system.n_q, system.n_v
    if work.kkt.report[0] > 0:
        evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
        if call_confirm(work.hooks[CONFIRMATION], system, work) == 1:
            return RUNNING
    before = rows_left_out(system, work)
    status = choose(t, y, system, work)
    return RUNNING if rows_left_out(system, work) == before and work.play[0] == 0.0 else status  # history goes on


def overdetermined(system):
    """The OverdeterminedDae form: y = [q, v, u] with u = [v', 0, lam]; integrators evaluate the system themselves."""
    n_v, start = system.n_v, system.n_q + system.n_v
    unjudged = np.full(n_v + 1 + system.n_rows, np.inf)
    return Problem(
        form=OVERDETERMINED_DAE,
        system=system,
        functions=(),
        after_step=holding_all,
        rebase=choose_rows_elsewhere,
        initial=lambda state, work: np.concatenate([state.q, state.v, state.a, [0.0], state.lam]),
        scale=np.concatenate([position_scale(system), velocity_scale(system), unjudged]),
        keep_a=start,
        keep_lam=start + n_v + 1,
    )


OVERDETERMINED = Formulation(
    name="overdetermined",
    title="Overdetermined: constraints of position, velocity and acceleration",
    index=1,
    forms={OVERDETERMINED_DAE: overdetermined},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Fuehrer and Leimkuhler 1991, doi:10.1007/BF01385770",),
    cost="an evaluation of the system; factorisations in the integrator",
)
