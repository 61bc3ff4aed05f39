"""From partial wishes to a consistent start: q, v, v', lam for open and closed chains, redundancy included.

Where a start moves, and how fast, is said in starting.py. States without wishes, such as those of a run after an event, are moved
onto their constraints: positions by Newton's method with the smallest steps in the metric of translations and length-scaled
turns, limited so that the branch is kept; velocities to those of smallest kinetic energy beside the given ones.
"""

from dataclasses import replace
from typing import NoReturn

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import AssemblyError, largest
from ..linalg.kkt import (
    consistent_accelerations,
    evaluate,
    factorise_kkt,
    project_velocity,
    retract,
    solve_kkt,
)
from .channels import measure_value
from .fit import MEANT, closed, kept_rows, misfit
from .posing import check_axes, posed
from .regularise import check_springs, regularise
from .rotation import from_group, in_group
from .start_positions import Positions
from .start_velocities import Velocities
from .starting import CLOSED
from .state import State
from .topology import loop_of
from .tree_map import counted
from .turns import kept_places, known_joints, tell_joints, tree_places
from .user_functions import RAISED, has_functions, named, without_value
from .user_joint import range_end
from .wish_rows import WishRows

TOLERANCE, LARGEST_STEP, ITERATIONS = 1e-11, 0.3, 200
HALVES, FEW = 20, 50  # of the way to a wish that cannot be met, which is looked for in models of few bodies
VELOCITY_ROUNDS = 5  # nonholonomic rows may be nonlinear, and each round takes the regularisation further out
SLOPE = (
    10.0  # by what rows that fit nearly may gape more than a little way along the motion; each derivative adds as much
)
HARD = 1e-10  # epsilon of rows
FLOWING = 1e-8  # gap of velocities, in shares of these, up to which a start is taken


def assemble(system, t=0.0):
    """The consistent State of a system at time t: from the wishes of its model, or from its drawn start.

    It is kept for the next call: a system does not change, only the wishes of its model may.
    """
    wishes = (t, *(() if system.model is None else system.model.wishes))
    known, state = system.kept.get("start", (None, None))
    if known != wishes:
        with named(system):
            state = _assembled(system, t)
        system.kept["start"] = wishes, state
    return replace(state, **{key: getattr(state, key).copy() for key in ("q", "v", "a", "lam", "turn", "totals")})


def _assembled(system, t):
    if system.model is None:
        state = complete(system, t, *settle(system, t, system.start, system.start_velocity))
        _check_continuation(system, state)
        return state
    if system.base is not None:
        state = assemble(system.base, t)
        turn = counted(system.measures, state.turn, system.base.measures)
        q, v = from_group(system, state.q, state.v)
        places = tree_places(system)
        angles = system.base.kept.get("angles", {})
        for measure, angle in (angles | dict(zip(system.measures, turn, strict=True))).items():
            if measure in places and measure.kind == "angle":
                q[places[measure]] += 2 * np.pi * np.round((angle - q[places[measure]]) / (2 * np.pi))
        return _with_turns(system, complete(system, t, q, v, turn), angles)
    q, turn = _positions(system, t)
    state = complete(system, t, q, _velocities(system, t, q), turn)
    _check_continuation(system, state)
    return _with_turns(system, state, system.kept["angles"])


def _with_turns(system, state, angles):
    """The State with counts (State.totals) of angles that are no measures in use, where some have turned by more than half."""
    if not any(measure in angles and measure not in system.measures for measure in system.angles):
        return state
    known, work = angles | dict(zip(system.measures, state.turn, strict=True)), system.work()
    evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, pack(work))
    told = [known.get(measure, 0.0) for measure in system.angles]
    return replace(state, totals=np.concatenate([told, work.memory[kept_places(system)], np.zeros(1)]))


def moved_to_close(system):
    """What was moved from the drawn pose, without being wished, so that the mechanism closes at its start: a tuple of Moved."""
    if system.model is None:
        return ()
    assemble(system)
    return (system.base or system).kept.get("moved", ())


def settle(system, t, q, v, turn=None, known=None):
    """q and v of a system without wishes, moved onto its constraints; turn: references of the counted angles, 0 if not given;
    known: coordinates of users' joints (turns.known_joints), near those of their start if not given."""
    if system.base is not None:
        base, positions, velocities = in_group(system, q[None, :], v[None, :])
        turn = None if turn is None else counted(base.measures, turn, system.measures)
        return from_group(system, *settle(base, t, positions[0], velocities[0], turn, known), near=q)
    turn = np.zeros(system.n_measures) if turn is None else turn
    q = _close(system, t, q, turn, known)
    return q, _match(system, t, q, v, turn, known)


def complete(system, t, q, v, turn=None, memory=None):
    """The State with accelerations and multipliers; memory : what the elements of a run have kept (Work.memory)."""
    work, q, v = system.work(), np.array(q, float), np.array(v, float)
    work.turn[:] = 0.0 if turn is None else turn
    if memory is not None:
        work.memory[:] = memory
    packed = pack(work)
    try:
        regular = consistent_accelerations(float(t), q, v, system.compiled, packed)
    except RAISED as error:
        raise AssemblyError(
            f"The accelerations at t = {t:g} s cannot be computed: a function raises {type(error).__name__} ({error})."
        ) from error
    if not regular or not np.isfinite(work.u).all():
        ended = range_end(system, q, v)
        if ended:
            raise AssemblyError(
                f"The accelerations at t = {t:g} s cannot be computed: {ended}, the end of its range of motion. Stay "
                "farther inside; absolute coordinates pass such limits."
            )
        check_springs(system, t, work)
        without = without_value(system, t, q, v, work) if has_functions(system, ()) else None
        if without:
            raise AssemblyError(
                f"The accelerations at the start (t = {t:g} s) cannot be computed: {without}. Give it a finite value there, or "
                "start in its range."
            )
        culprit = system.unknown_name(int(system.pattern.order[work.kkt.report[2]])) if not regular else "the forces"
        raise AssemblyError(
            f"The accelerations at the start (t = {t:g} s) cannot be computed: the equations are singular or not finite, seen "
            f"first in {culprit}. Look for a body without mass and inertia, or a force that is not finite there."
        )
    n = system.n_v
    return State(float(t), q, v, work.u[:n].copy(), work.lam.copy(), work.value.copy())


def settled(system, t, q, v, turn, memory):
    """The State of a run at q and v, moved onto its constraints; turn : references of the angles, memory : Work.memory."""
    q, v = settle(system, t, q, v, turn, known_joints(system, q, memory))
    return complete(system, t, q, v, turn, memory)


def _check_continuation(system, state):
    """Raise where no acceleration satisfies the constraints: at a singular position not every velocity belongs to a motion."""
    G, gamma = system.jacobian(state.t, state.q, state.v), system.gamma(state.t, state.q, state.v)
    error = np.abs(G @ state.a - gamma) * system.record.row_scale
    sizes = [float(np.abs(x).max(initial=0.0)) for x in (gamma * system.record.row_scale, state.v**2, state.a)]
    size = 1.0 + sum(sizes)
    if error.size and not error.max() <= 1e-6 * size:
        if error.max() <= SLOPE**2 * MEANT * size and misfit(system, state.t, state.q).meant:
            return
        worst = largest(error)
        raise AssemblyError(
            f"The start (t = {state.t:g} s) is a singular position, and its velocity belongs to no motion of the mechanism: "
            f"{system.row_name(worst)} would need an acceleration that is {error[worst]:.3g} off. Start a little beside the "
            "singular position, or wish for velocities that lie on one of its branches."
        )


def _positions(system, t):
    """q of the start; turn references."""
    model, wishes = system.model, WishRows(system)
    found = Positions(system, t, wishes).run(posed(system, model))
    if not found.error(wishes) <= CLOSED:
        near = _nearly(system, t, found.value, wishes, Positions, SLOPE * MEANT, CLOSED)
        found = near or _explain_gap(system, t, wishes, found)
    system.kept["moved"], system.kept["angles"] = found.moved, found.angles
    check_axes(system, model, found.value)
    return found.value, found.turn


def _velocities(system, t, q):
    """v of the start at q."""
    wishes = WishRows(system, velocities=True)
    found = Velocities(system, t, wishes).run(q)
    size = 1.0 + np.abs(found.value).max(initial=0.0)
    if not found.error(wishes) <= FLOWING * size:
        near = _nearly(system, t, q, wishes, Velocities, SLOPE**2 * MEANT * size, FLOWING * size)
        found = near or _refuse_velocity(system, t, q, wishes, found)
    return found.value


def _nearly(system, t, q, wishes, search, allowed, tolerance):
    """The Found of independent rows alone, where redundant ones fit nearly, by data of some digits; None where more is amiss."""
    if not system.record.redundant or not np.isfinite(q).all():
        return None
    kept = kept_rows(system, t, q).epsilon <= system.record.row_diagonal
    near = search(system, t, wishes, kept).run(q)
    if not near.error(wishes, kept) <= tolerance:
        return None
    at = near.value if search is Positions else q
    v = np.zeros(system.n_v) if search is Positions else near.value
    left = system.constraint(t, q=at) if search is Positions else system.constraint_velocity(t, at, v)
    fits = np.abs(left * system.record.row_scale).max(initial=0.0) <= allowed
    return near if fits and misfit(system, t, at).meant else None


def _refuse_velocity(system, t, q, wishes, found) -> NoReturn:
    """Raise the error that says which velocity is not met."""
    name, unit, gap = _worst(system, wishes, found)
    raise AssemblyError(
        f"No velocity meets all constraints and hard wishes: {name} is left with {gap:.3g} {unit}/s. Check the wished velocities "
        "against the mechanism's freedoms and its drivers, or give a wish a weight so that it yields. "
        f"{misfit(system, t, q)}".rstrip()
    )


def _worst(system, wishes, found):
    """Name, unit and gap of the row that is farthest from being met."""
    worst = largest(found.hard(wishes))
    if worst < system.n_rows:
        name, unit, scale = system.row_name(worst), system.rows[worst].unit, system.record.row_scale[worst]
    else:
        k = worst - system.n_rows
        name, unit = f"{wishes.names[k]} ({wishes.labels[k]})", wishes.units[k]
        scale = 1.0 / system.length if unit == "length" else 1.0
    return name, "m" if unit == "length" else "rad", abs(found.gap[worst]) / scale


def _explain_gap(system, t, wishes, found) -> NoReturn:
    """Raise the error that says what does not fit, where and by how much."""
    name, unit, gap = _worst(system, wishes, found)
    if wishes.size:
        bare = WishRows(system, none=True)
        plain = Positions(system, t, bare).run(system.start)
        if (
            not plain.error(bare) <= CLOSED
            and _nearly(system, t, plain.value, bare, Positions, SLOPE * MEANT, CLOSED) is None
        ):
            _explain_gap(system, t, bare, plain)
        named = ", ".join(sorted(set(wishes.names)))
        raise AssemblyError(
            f"The start cannot meet all hard wishes: with {named} the constraints are violated, most in {name}, by "
            f"{gap:.3g} {unit}. Without the wishes the mechanism closes. Change the wish, or give it a weight so that it yields."
            f"{_reachable(system, t, wishes)}"
        )
    worst = largest(found.hard(wishes))
    loop = loop_of(system.model, system.rows[worst].joint)
    where = f"the loop {' - '.join(loop.joints)} cannot close" if loop else f"{name} cannot be satisfied"
    raise AssemblyError(
        f"The mechanism cannot be assembled: {where}; nearest to closing, {name} still has a gap of {gap:.3g} {unit}. "
        "Check the lengths along it and the points and axes of its joints."
    )


def _reachable(system, t, wishes):
    """A further sentence where one wish for a coordinate alone cannot be met: what is asked for, and how far the mechanism gets
    on the way there from its drawn position, by halves."""
    if wishes.size != 1 or len(wishes.targets) != 1 or len(system.model.bodies) > FEW:
        return ""
    (measure, asked), q = next(iter(wishes.targets.items())), system.start
    drawn = measure_value(measure, *(pose for pose in _drawn(system, measure)))
    reached, refused = float(drawn), asked
    for _ in range(HALVES):
        middle = 0.5 * (reached + refused)
        near = WishRows(system, instead={measure: middle})
        found = Positions(system, t, near).run(q)
        if found.error(near) <= CLOSED:
            q, reached = found.value, middle
        else:
            refused = middle
    unit = "rad" if measure.unit == "angle" else "m"
    name = next(wish.joint for wish in system.model.wishes if wish.measure is measure or wish.measure == measure)
    return f" Asked is {name} = {asked:.9g} {unit}; from {drawn:.6g} {unit} as drawn it gets to {reached:.6g} {unit}."


def _drawn(system, measure):
    """Poses of the bodies of a measure as drawn."""
    return [(body.com_position, body.rotation) for body in measure.bodies]


def _geometric(system):
    """The system with the metric of translations and length-scaled turns in the place of its masses."""
    if system.model is None:
        return system
    r = system.record
    diagonal = np.where(np.isin(r.m_row, r.column[:-1, 3:]), r.length**2, 1.0)
    values = np.where(r.m_row == r.m_column, diagonal, 0.0)
    clean = r._replace(added_mass=np.zeros(r.n_v), mass=np.ones(r.n_bodies))
    return regularise(replace(system, record=clean, mass_values=values))


def _close(system, t, q, turn, known):
    """q moved onto the constraints."""
    metric = _geometric(system)
    metric = metric.with_record(regularisation=HARD * metric.record.row_diagonal, refinements=0)
    work, q, v = metric.work(), q.copy(), np.zeros(system.n_v)
    packed, record = pack(work), metric.compiled
    sizes = np.ones(system.n_v)
    if system.model is not None:
        moving = metric.record.column[:-1, :3]
        sizes[moving[moving < system.n_v].astype(int)] = system.length
    work.turn[:] = turn
    tell_joints(system, work, known)
    step, gap, error = np.inf, np.zeros(system.n_rows), np.inf
    for iteration in range(ITERATIONS):
        evaluate(float(t), q, v, VELOCITY, record, packed)
        work.turn[:] = np.where(np.isfinite(work.value), work.turn, 0.0)
        gap = np.where(metric.record.velocity_level == 1, 0.0, work.phi)
        error = float(np.abs(gap * metric.record.row_scale).max(initial=0.0))
        if error <= TOLERANCE or not np.isfinite(error):
            break
        factorise_kkt(record, packed)
        work.b[: system.n_v + 1] = 0.0
        work.b[system.n_v + 1 :] = -gap
        solve_kkt(record, packed, work.b, work.u)
        step = float(np.abs(work.u[: system.n_v] / sizes).max(initial=0.0))
        if step > LARGEST_STEP:
            work.u[: system.n_v] *= LARGEST_STEP / step
        if iteration > 30 and step < 1e-13:
            break
        retract(q, work.u, q, record, packed)
    if not error <= 1e-9:
        near = _nearly_closed(system, t, q, turn)
        if near is None:
            _refuse_gap(system, gap)
        return near
    return q


def _nearly_closed(system, t, q, turn):
    """q where redundant rows fit nearly, by data of some digits: moved onto independent rows; None where more is amiss."""
    if not system.record.redundant or not np.isfinite(q).all():
        return None
    near, work = q.copy(), kept_rows(system, t, q)
    work.turn[:] = turn
    gap, kept = closed(system, t, near, work)
    fits = kept <= TOLERANCE and (gap * system.record.row_scale).max(initial=0.0) <= SLOPE * MEANT
    return near if fits and misfit(system, t, near).meant else None


def _nearly_matched(system, t, q, v, turn):
    """v where redundant rows fit nearly: moved onto independent rows; None where more is amiss."""
    if not misfit(system, t, q).meant:
        return None
    near, work = v.copy(), kept_rows(system, t, q)
    work.turn[:] = turn
    packed = pack(work)
    for _ in range(VELOCITY_ROUNDS):
        evaluate(float(t), q, near, VELOCITY, system.compiled, packed)
        factorise_kkt(system.compiled, packed)
        project_velocity(system.compiled, packed, near)
    evaluate(float(t), q, near, VELOCITY, system.compiled, packed)
    left = np.abs(work.phi_dot * system.record.row_scale) / (1.0 + np.abs(near).max(initial=0.0))
    kept = work.epsilon <= system.record.row_diagonal
    fits = left[kept].max(initial=0.0) <= 1e-10 and left.max(initial=0.0) <= SLOPE**2 * MEANT
    return near if fits else None


def _refuse_gap(system, gap):
    """Raise the error that says which row does not close, and by how much."""
    worst = largest(gap * system.record.row_scale)
    row = system.rows[worst]
    by = f"{abs(gap[worst]):.3g} {'m' if row.unit == 'length' else 'rad'}"
    loop = loop_of(system.model, row.joint) if system.model is not None else None
    where = (
        f"the loop {' - '.join(loop.joints)} cannot close" if loop else f"{system.row_name(worst)} cannot be satisfied"
    )
    raise AssemblyError(
        f"The mechanism cannot be assembled: {where}; nearest to closing, {system.row_name(worst)} still has a gap of {by}. "
        "Check the lengths along it and the points and axes of its joints."
    )


def _match(system, t, q, v, turn, known):
    """The velocity nearest to v in the mass metric that satisfies all rows."""
    record = system.with_record(regularisation=HARD * system.record.row_diagonal, refinements=0)
    work = record.work()
    work.turn[:] = turn if turn.size == system.n_measures else 0.0
    tell_joints(system, work, known)
    packed, v = pack(work), v.copy()
    for _ in range(VELOCITY_ROUNDS):
        evaluate(float(t), q, v, VELOCITY, record.compiled, packed)
        factorise_kkt(record.compiled, packed)
        work.b[: system.n_v + 1] = 0.0
        work.b[system.n_v + 1 :] = -work.phi_dot
        solve_kkt(record.compiled, packed, work.b, work.u)
        v += work.u[: system.n_v]
    evaluate(float(t), q, v, VELOCITY, record.compiled, packed)
    left = np.abs(work.phi_dot * system.record.row_scale)
    size = 1.0 + np.abs(v).max(initial=0.0) + np.abs(work.phi_t).max(initial=0.0)
    if left.size and not left.max() <= 1e-8 * size:
        near = _nearly_matched(system, t, q, v, work.turn)
        if near is not None:
            return near
        worst = largest(left)
        unit = "m/s" if system.rows[worst].unit == "length" else "rad/s"
        raise AssemblyError(
            f"No velocity meets all constraints and hard wishes: {system.row_name(worst)} is left with "
            f"{work.phi_dot[worst]:.3g} {unit}. Check the wished velocities against the mechanism's freedoms and its drivers, "
            f"or give a wish a weight so that it yields. {misfit(system, t, q)}".rstrip()
        )
    return v
