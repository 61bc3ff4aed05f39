"""Hybrid of Baumgarte's stabilisation and coordinate partitioning: all coordinates are integrated, dependent ones corrected.

    [M G^T; G 0] [v'; lam] = [f; gamma - 2 alpha (G v + Phi_t) - beta^2 Phi],   q' = T(q) v

Small fixed gains damp most of the constraint errors. When an error of position or velocity exceeds `correction_tolerance`, the
dependent coordinates are computed from the constraints (correction "dependent-only"); while the KKT matrix is nearly singular,
after every step. Unless given, the tolerances are 1e-6 and 1e-5, scaled; with error control no more than rtol and 10 rtol.
Adaptive integrators judge the independent coordinates only. Errors stay below the tolerance after each step, at hardly more than
the cost of index 1.
Redundant rows, drivers and nonholonomic rows are allowed.
Reference: Park and Haug, J. Mech. Trans. Autom. 108 (1986) 211-216; spec 000, section 2.3.
"""

from dataclasses import replace

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import AFTER_STEP, CORRECTION, REBASE, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import RENEW, RUNNING
from ..errors import AssemblyError
from ..linalg.kkt import evaluate
from .base import ODE, Formulation, position_scale, velocity_scale
from .baumgarte import baumgarte
from .corrections import CORRECT, SHOWN, correct, full_state, normalise
from .dependent_only import prepare_partition

call_correct = CORRECT.call
TOLERANCES = (1e-6, 1e-5)  # of position and velocity, scaled; with error control no more than rtol and 10 rtol


@AFTER_STEP
def corrected_when_needed(t, y, purpose, system, work):
    """Unit quaternions, then the correction: by its tolerance, or in any case near a singular position."""
    normalise(y, system)
    n_q, n_v = system.n_q, system.n_v
    q, v = y[:n_q], y[n_q : n_q + n_v]
    if work.kkt.report[0] > 0 and purpose != SHOWN:
        status = call_correct(work.hooks[CORRECTION], t, q, v, 1, system, work)
        work.tally[0] += 1 if status == RUNNING else 0
        return status
    return correct(t, q, v, purpose, 1, system, work)


@REBASE
def judge_anew(t, y, system, work):
    """Other coordinates are judged when the correction has chosen others to keep."""
    if work.partition[system.n_v] == 0:
        return RUNNING
    work.partition[system.n_v] = 0
    return RENEW


@compiled
def partition_here(t, q, v, system, work):
    """Choose the independent coordinates at (t, q, v)."""
    evaluate(t, q, v, VELOCITY, system, work)
    return prepare_partition(v, system, work)


def ode(system, correction="dependent-only", alpha=1.0, beta=1.0):
    """The Ode form: y = [q, v]."""
    natural = np.concatenate([position_scale(system), velocity_scale(system)])
    moved_by = system.kinematic_map(system.start).toarray() != 0.0  # which velocities move a coordinate
    scale = natural.copy()

    def judge(work):
        """Infinite scales for the coordinates that are not kept by the correction."""
        free = work.partition[: system.n_v] == 1
        scale[:] = np.where(np.concatenate([moved_by @ free, free]), natural, np.inf)

    def initial(state, work):
        if not work.schedule[1:3].any():
            work.schedule[1:3] = TOLERANCES
        if not partition_here(state.t, state.q, state.v, system.compiled, pack(work)):
            raise AssemblyError(
                f"No good independent coordinates could be found at the start (t = {state.t:g} s): the position is a singular "
                "one. Start a little beside it, or take index1."
            )
        work.partition[system.n_v] = 0
        judge(work)
        return np.concatenate([state.q, state.v])

    def renew(t, y, work):
        judge(work)
        return RUNNING

    return replace(
        full_state(system, baumgarte, correction, (alpha, beta)),
        initial=initial,
        scale=scale,
        after_step=corrected_when_needed,
        rebase=judge_anew,
        renew=renew,
    )


HYBRID = Formulation(
    name="hybrid",
    title="Hybrid: Baumgarte with partitioning correction",
    index=1,
    forms={ODE: ode},
    keeps=(),
    drifts=(),
    references=("Park and Haug 1986", "Baumgarte 1972, doi:10.1016/0045-7825(72)90018-7"),
    options={"alpha": 1.0, "beta": 1.0},
    ranges={"alpha": (0.0, 1e6), "beta": (0.0, 1e6)},
    correction="dependent-only",
    corrections=("dependent-only",),
    bounds="bounded by correction_tolerance",
    tolerance=TOLERANCES,
    cost="one sparse factorisation, as index1; a dense LU when other coordinates are kept",
)
