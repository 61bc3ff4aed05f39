"""How a run has ended: whether its result is of use, and a sentence that says why not, where, and what to do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compiled import march as counting
from .compiled.handles import pack
from .compiled.interfaces import VELOCITY
from .compiled.status import (
    CONTRADICTED,
    FINISHED,
    FUNCTION_FAILED,
    INTERRUPTED,
    LOST_ROTATION,
    NEWTON_FAILED,
    NO_DERIVATIVE,
    NOT_FINITE,
    PROJECTION_FAILED,
    RANGE_ENDED,
    SINGULAR,
    STEP_TOO_SMALL,
    STICKING,
    STOPPED,
    TORN_APART,
    TORN_BEFORE,
    TORN_VELOCITY,
    sentence,
)
from .errors import largest
from .formulations.base import velocity_scale
from .linalg.kkt import evaluate, select_rows
from .pairing import Pair
from .solution.solution import Event
from .system.fit import misfit
from .system.half_turn import half_turned
from .system.redundancy import redundancy
from .system.rotation import LOST, NEAR, lost_parameters
from .system.state import State
from .system.turns import known_joints, tell_coordinates
from .system.user_functions import evaluates, only_routines, without_value
from .system.user_joint import obstacle, range_end
from .system.user_potential import Potentials
from .system.user_routine import Routines

BROKEN_OFF = (NOT_FINITE, NEWTON_FAILED, STEP_TOO_SMALL, SINGULAR)  # how a run ends at the limit of a user's joint
FAILED = (*BROKEN_OFF, PROJECTION_FAILED)  # ends for which a function without a value may be the reason
UNUSABLE = 1e-3  # position error at the end, in characteristic lengths or radians, with which a run has failed
LOOKED = 20  # samples at which it is looked for
HALF = 0.5  # an error of velocity above this share of the fastest motion of the run is no drift any more,
STRAY = 1e-4  # if it moves something by so much in one step, in characteristic lengths or radians
GROWTH = 1e-6  # of a step, beyond 1, that is no rounding
AHEAD, SOON = 9, 1e-6  # places ahead of the last state that are looked at; how far, as a share of an adaptive run
PASSES = 1e-8  # relative tolerance with which adaptive steps pass singular positions


class Ending(NamedTuple):
    """How a run has ended: status code, its sentence, the last q (n_q,) and v (n_v,), and events of the end itself."""

    status: int
    sentence: str
    q: np.ndarray
    v: np.ndarray
    events: tuple[Event, ...] = ()


def judge(problem: Any, pair: Pair, run, work, watching, kinked, status: int, raised, system, start: State) -> Ending:
    """The Ending of a run whose march has come back with a status, from what its last state shows.

    raised : what a user's function has raised, or None. system : as it was built, where problem.system may have another order.
    start : the State in which the run began.
    """
    q, v = problem.full(float(run.clock[0]), run.y, work)
    status, culprit = _verdict(problem.system, run, work, q, v, watching, kinked, status, raised)
    text = sentence(status, run.clock[0], run.clock[1], int(run.counters[counting.STEPS]), culprit)
    if status in (NEWTON_FAILED, STEP_TOO_SMALL):
        text += _singularity(problem, run, q, v, work)
    if status in (FINISHED, STOPPED):
        text += _divided(run) + kinked.sentence()
    if status in FAILED:
        text += obstacle(problem.system, q, v) + half_turned(problem.system, q)
    if status in (NOT_FINITE, NEWTON_FAILED, PROJECTION_FAILED, TORN_APART, TORN_VELOCITY):
        hint = _hopeless(pair, problem.system)
        text = text.partition(" Take a smaller step")[0] + hint if hint else text
    if status in (NEWTON_FAILED, STEP_TOO_SMALL, PROJECTION_FAILED, TORN_APART) and system.record.redundant:
        text = f"{text} {misfit(system, start.t, start.q)}".rstrip()
    events = (Event(float(run.clock[0]), "range", text, q=q, v=v),) if status == RANGE_ENDED else ()
    return Ending(status, text, q, v, events)


def _divided(run):
    """A further sentence if steps of a fixed size had to be divided."""
    logged = int(run.counters[counting.LOGGED])
    codes, near = run.log_code[0 : 2 * logged : 2], run.log_code[1 : 2 * logged : 2]
    first = np.flatnonzero(codes == counting.LOG_DIVIDED)
    if not first.size:
        return ""
    count, h = int(run.counters[counting.REJECTED]), run.clock[7]
    why = ", whose end is close to a singular position" if near[first[0]] else ""
    return (
        f" {count} {'attempt' if count == 1 else 'attempts'} at a step failed and the step was divided: h = {h:.3g} s was not "
        f"kept everywhere, first at t = {run.log_t[first[0]]:.6g} s{why}."
    )


def _verdict(system, run, work, q, v, watching, kinked, status, raised):
    """The status, or the reason behind it that the last state shows; and what is to blame, in words."""
    before = _torn_before(system, run, work) if status in (FINISHED, STOPPED) else ""
    gap = _gap(system, run, q, v, work)
    torn = -1
    if status in (FINISHED, STOPPED):
        torn = _torn_velocity(system, run, v, work)
        status = TORN_APART if not gap.max(initial=0.0) <= UNUSABLE else TORN_VELOCITY if torn >= 0 else status
        status = TORN_BEFORE if status in (FINISHED, STOPPED) and before else status
    lost = _lost(system, run, q, status)
    if lost:
        return LOST_ROTATION, lost
    limit = range_end(system, q, v) if status in BROKEN_OFF else None
    if limit:  # a user's joint can go no further, which is no failure
        return RANGE_ENDED, limit
    fault = _fault(system, run, q, v, work, status, raised)
    if fault:
        return CONTRADICTED, fault
    if status in (*FAILED, FUNCTION_FAILED):
        blame = _blamed(system, run, q, v, work) or (raised and f"a function raises {raised!r}")
        if blame:
            return FUNCTION_FAILED, blame
    if status == TORN_BEFORE:
        return status, before
    if status == TORN_VELOCITY:
        unit = "m/s" if system.rows[torn].unit == "length" else "rad/s"
        return status, f"{system.row_name(torn)} with {work.phi_dot[torn]:.3g} {unit}"
    if status in (NEWTON_FAILED, STEP_TOO_SMALL) and kinked.stuck(system, run, q, v):
        status = STICKING
    if status in (STICKING, NO_DERIVATIVE):
        return status, kinked.culprit(status)
    return status, watching.culprit(status) or _culprit(system, run, v, gap, status)


def _gap(system, run, q, v, work):
    """Scaled |Phi| (n_rows,) at the end of a run, with its count of turns; work is evaluated there."""
    if evaluates(system, float(run.clock[0]), q, v, work):
        return np.abs(work.phi * system.record.row_scale)
    last = int(run.counters[counting.OUTPUT]) - 1  # a state that has no forces cannot be a sample
    run.counters[counting.OUTPUT] -= last >= 0 and run.out_t[last] == run.clock[0]
    return np.zeros(system.n_rows)


def _torn_before(system, run, work):
    """Where and when the constraints do not hold at a sample on the way, in words; empty where they do at those looked at.

    A row that is left out as redundant may gape for a while and close again. work is as before but for what is evaluated.
    """
    turn, memory, samples = work.turn.copy(), work.memory.copy(), int(run.counters[counting.OUTPUT])
    where, words, packed = system.n_q, "", pack(work)
    for k in np.unique(np.linspace(0, samples - 1, LOOKED).astype(int)) if system.n_rows and samples else ():
        work.turn[:] = run.out_turn[k]
        tell_coordinates(system, work, run.ledger.out[k])
        q, v = run.out_y[k, :where], run.out_y[k, where : where + system.n_v]
        if np.isfinite(q).all() and evaluates(system, float(run.out_t[k]), q, v, work, packed):
            gap = np.abs(work.phi * system.record.row_scale)
            if gap.max() > UNUSABLE:
                words = f"at t = {run.out_t[k]:.6g} s worst in {system.row_name(largest(gap))}"
                break
    work.turn[:], work.memory[:] = turn, memory
    return words


def _torn_velocity(system, run, v, work):
    """The row with the largest error of velocity where that error makes a result useless, or -1.

    work is evaluated with VELOCITY at the end of the run. The error is the least change of v that the constraints ask for.
    """
    r, scale = system.record, velocity_scale(system)
    gap = work.phi_dot * r.row_scale
    if not np.abs(gap).max(initial=0.0) * float(run.clock[1]) > STRAY:
        return -1
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import lsqr

    inside, row, column = r.g_column < r.n_v, r.g_row.astype(int), r.g_column.astype(int)
    values = work.g[inside] * r.row_scale[row[inside]] * scale[column[inside]]
    change = lsqr(csr_array((values, (row[inside], column[inside])), (r.n_rows, r.n_v)), gap)[0]
    shown = run.out_y[: int(run.counters[counting.OUTPUT]), system.n_q : system.n_q + system.n_v]
    fastest = np.linalg.norm(np.vstack([shown, v]) / scale, axis=1).max()
    return largest(gap) if np.linalg.norm(change) > HALF * fastest else -1


def _lost(system, run, q, status):
    """The rotation parameters that have met their singular position at the end of a run, in words, or None."""
    if not np.isfinite(q).all():  # independent coordinates without a position: the last one that was given out
        q = run.out_y[max(int(run.counters[counting.OUTPUT]) - 1, 0), : system.n_q]
    parameters, regular = lost_parameters(system, q)
    return None if regular > (LOST if status in (FINISHED, INTERRUPTED) else NEAR) else parameters


def _blamed(system, run, q, v, work):
    """The function of the user that has no value at the end of a run or slightly ahead of it, in words, or None."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return None
    t, h, _, _, _, start, end, nominal, _ = map(float, run.clock)
    farthest = nominal or SOON * (end - start)
    grid = start + (int(run.counters[counting.GRID]) + 1) * nominal - t if nominal else 0.0
    for way in (0.0, *np.geomspace(min(h, farthest), farthest, AHEAD), max(grid, 0.0)):
        with np.errstate(all="ignore"):
            found = without_value(system, t + way, system.retract(q, way * v), v, work)
        if found is not None:
            return f"{found} at t = {t + way:.6g} s"
    return None


def _fault(system, run, q, v, work, status, raised):
    """What is wrong with the routine of a user's joint at the end of a run, or in the step that has failed, or with a load that
    is given with its potential; or None."""
    routines, (t, h) = Routines(system), map(float, run.clock[:2])
    torn = Potentials(system).fault(t, q, v, work.turn)
    if torn or not routines.each:
        return torn
    ways, sampled = (0.0,) if status in (FINISHED, STOPPED) else (0.0, *np.geomspace(1e-3 * h, h, AHEAD)), system.work()
    last = max(int(run.counters[counting.OUTPUT]) - 1, 0)
    tell_coordinates(system, sampled, run.ledger.out[last])
    routines.known = known_joints(system, run.out_y[last, : system.n_q], sampled.memory)
    near = work.memory, sampled.memory
    with np.errstate(all="ignore"):
        faults = (routines.fault(t + way, system.retract(q, way * v), v, *near) for way in ways)
        found = next((fault for fault in faults if fault is not None), None)
    return routines.raised(raised) if found is None and raised is not None and only_routines(system) else found


def _culprit(system, run, v, gap, status):
    """The row or the unknown in which a status was seen, in words."""
    if status in (PROJECTION_FAILED, TORN_APART):
        return system.row_name(largest(gap))
    if not system.n_v:
        return f'model "{system.name}"'
    unknown = int(run.counters[counting.CULPRIT])
    if unknown <= -2:  # a coordinate q: the velocity that moves it
        rows = system.record.t_row == -2 - unknown
        unknown = int(system.record.t_column[rows][0]) if rows.any() else -1
    if not 0 <= unknown < system.n_v:  # nothing was seen directly: the fastest motion is the likely one
        unknown = largest(v / velocity_scale(system))
    return system.unknown_name(unknown)


def _singularity(problem, run, q, v, work):
    """A further sentence if the last position is close to a singular one."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return ""
    state = State(float(run.clock[0]), q, v, v, np.zeros(problem.system.n_rows), work.turn.copy())
    found = _nearly_singular(problem.system, state)
    if found is None:
        return ""
    if problem.pattern is not None or problem.expand is not None:  # stages and constraints are solved together
        words = (
            "integrators that solve several stages at once may not pass it; generalized-alpha and the Ode forms with "
        )
        words += "correction do."
    elif run.tolerance[0] < PASSES:
        words = "round-off is large in its neighbourhood, and a step cannot be as accurate there as it is asked to be. Loosen "
        words += "rtol: 1e-8 passes such positions."
    else:
        words = "where no step passes it, the motion is driven to a dead point or beyond its range. br.kinematics(model, ...) "
        words += "shows the range."
    return f" The position there is close to a singular one ({found}): {words}"


def _nearly_singular(system, state):
    """Name of the first independent row that is weak at a state, or None: whether it is close to a singular position."""
    work = system.work()
    work.turn[:] = state.turn
    work.left_out[0] = redundancy(system, state)
    packed = pack(work)
    evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
    select_rows(system.compiled, packed)
    first = int(work.kkt.report[1])
    return system.unknown_name(int(system.pattern.order[first])) if first >= 0 else None


def _hopeless(pair, system):
    """What to say of a member of Newmark's family that position constraints make grow at any step size; empty for others.

    The family with the constraint q_s = 0 in the place of the equation of motion, which is the limit of high frequencies.
    """
    method, index = pair.integrator, pair.formulation.index
    if method.name not in ("newmark", "collocation") or index != 3 or system.record.velocity_level.all():
        return ""
    gamma, beta, theta = method.compiled_options(pair.numbers)[2:5]
    at_s = -np.array([1.0, theta, theta * theta * (0.5 - beta)]) / (beta * theta * theta)
    a = np.array([0.0, 0.0, 1.0]) * (1.0 - 1.0 / theta) + at_s / theta
    v = np.array([0.0, 1.0, 1.0 - gamma]) + gamma * a
    radius = np.abs(np.linalg.eigvals([np.array([1.0, 1.0, 0.5 - beta]) + beta * a, v, a])).max()
    if radius <= 1.0 + GROWTH:
        return ""
    return (
        f" No step helps: with gamma = {gamma:.4g} and beta = {beta:.4g} the formulas of {method.name} multiply errors of "
        f"position constraints by {radius:.3g} in each step, however small. Take null-space-newmark, which has the same formulas "
        "and does not, or generalized-alpha."
    )
