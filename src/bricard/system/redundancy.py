"""How many rows are redundant everywhere, and not only at a singular start; the choice of independent ones."""

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import AssemblyError
from ..linalg.kkt import evaluate, factorise_kkt, project_velocity, select_rows
from .assembler import settle
from .fit import misfit
from .regularise import count_weak
from .system import NEAR_SINGULAR

WAY = 0.02  # how far to look, in characteristic lengths or radians
PLAY, MOST = (
    1e3,
    1e-3,
)  # gap that rows which fit only nearly may reach along the motion, in misfits near its start; at most


def redundancy(system, state):
    """Number of rows that depend on others at a state and a little way along its admissible motions."""
    if not system.record.redundant:
        return 0
    place = (state.t, state.q.tobytes())
    if system.kept.get("redundancy", (None,))[0] != place:  # most runs of a system have the same start
        system.kept["redundancy"] = place, _redundancy(system, state)
    return system.kept["redundancy"][1]


def _redundancy(system, state):
    here = count_weak(system, state.q)
    work = system.work()
    packed = pack(work)
    direction = np.random.default_rng(6).normal(size=system.n_v)
    evaluate(state.t, state.q, direction, VELOCITY, system.compiled, packed)
    factorise_kkt(system.compiled, packed)
    work.phi_dot[:] -= work.phi_t
    project_velocity(system.compiled, packed, direction)
    size = np.abs(direction).max(initial=0.0) or 1.0
    try:
        near, _ = settle(system, state.t, system.retract(state.q, WAY * direction / size), np.zeros(system.n_v))
    except AssemblyError:
        return here
    return min(here, count_weak(system, near))


def choose_rows(system, state, work):
    """Select independent constraint rows at the start of a run."""
    if not system.n_rows:
        return
    work.left_out[0] = redundancy(system, state)
    found = misfit(system, state.t, state.q)
    work.play[0] = min(PLAY * found.largest, MOST) if found.meant else 0.0
    packed = pack(work)
    evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
    select_rows(system.compiled, packed)
    # from here on a pivot is weak when it falls far below what it is at the start
    position, natural = system.pattern.place[system.n_v + 1 :], system.record.row_diagonal
    if work.play[0]:
        return
    pivots = np.abs(1.0 / work.kkt.a[position])
    work.kkt.weak[position] = NEAR_SINGULAR * np.minimum(natural, np.where(np.isfinite(pivots), pivots, natural))
