"""Index 1: the constraints at acceleration level only.

    [M G^T; G 0] [v'; lam] = [f; gamma],   q' = T(q) v

The simplest reduction to an ODE: any explicit integrator can take it, stiff systems go to an implicit one as a DAE. All unknowns
have the full order of the method, multipliers included. The acceleration level is kept; position and velocity constraints drift,
up to quadratically in time, unless a correction brings them back after each step (the default does).
Reference: Schiehlen, Multibody System Dynamics 1 (1997) 149-188; spec 003, section 2.2.
"""

from functools import partial

import numpy as np

from ..compiled.interfaces import CORRECTION, KINEMATICS, RHS
from ..compiled.status import RUNNING
from ..linalg.factor import failure
from ..linalg.kkt import accelerations
from .base import (
    ODE,
    RESIDUAL_DAE,
    SECOND_ORDER_ODE,
    SEMI_EXPLICIT_DAE,
    Formulation,
    Problem,
    as_second_order,
    position_scale,
    velocity_scale,
)
from .corrections import CORRECTIONS, corrected_state
from .direct import residual_dae, semi_explicit_dae

call_kinematics = KINEMATICS.call


@RHS
def index1(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']."""
    n_q, n_v = system.n_q, system.n_v
    q, v = y[:n_q], y[n_q : n_q + n_v]
    regular = accelerations(t, q, v, system, work)
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    u = work.u
    for i in range(n_v):
        y_dot[n_q + i] = u[i]
    return RUNNING if regular else failure(work.kkt)


def ode(system, correction="none"):
    """The Ode form."""
    return Problem(
        form=ODE,
        system=system,
        functions=(index1,),
        initial=lambda state, work: np.concatenate([state.q, state.v]),
        scale=np.concatenate([position_scale(system), velocity_scale(system)]),
        after_step=corrected_state,
        hooks={CORRECTION: CORRECTIONS[correction]},
    )


INDEX1 = Formulation(
    name="index1",
    title="Index 1: acceleration constraints",
    index=1,
    forms={
        ODE: ode,
        SECOND_ORDER_ODE: as_second_order(ode),
        RESIDUAL_DAE: partial(residual_dae, level=2),
        SEMI_EXPLICIT_DAE: partial(semi_explicit_dae, level=2),
    },
    keeps=("acceleration",),
    drifts=("position", "velocity"),
    unfactorised=(ODE,),
    references=("Schiehlen 1997, doi:10.1023/A:1009745432698",),
    cost="Ode: one sparse factorisation of the KKT matrix; DAE forms: a residual, no factorisation",
)
