"""From partial wishes to a consistent start: q, v, v', lam for open and closed chains, redundancy included.

Position: Newton's method with the smallest steps in the metric of translations and length-scaled turns, from the drawn pose,
with limited steps so that the branch is kept. Velocity: the smallest kinetic energy that meets constraints and wishes.
Wishes are further constraint rows; a weighted one has its row softened by 1/weight, so that it yields to the hard ones.
"""

from dataclasses import replace

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import AssemblyError, largest
from ..linalg.kkt import (
    LEFT_OUT,
    consistent_accelerations,
    evaluate,
    factorise_kkt,
    project_velocity,
    retract,
    solve_kkt,
)
from ..model.profiles import Constant
from .build import build
from .fit import MEANT, closed, kept_rows, misfit
from .posing import check_axes, check_rotations, posed
from .regularise import regularise
from .rotation import from_group, in_group
from .state import State
from .topology import loop_of
from .tree_map import counted
from .turns import known_joints, tell_joints, tree_places
from .user_joint import range_end
from .wish_rows import coupling, position_rows, velocity_rows

TOLERANCE, LARGEST_STEP, ITERATIONS = 1e-11, 0.3, 200
HALVES, FEW = 20, 50  # of the way to a wish that cannot be met, which is looked for in models of few bodies
VELOCITY_ROUNDS = 5  # nonholonomic rows may be nonlinear, and each round takes the regularisation further out
SLOPE = (
    10.0  # by what rows that fit nearly may gape more than a little way along the motion; each derivative adds as much
)
HARD, SOFT = (
    1e-10,
    1e-3,
)  # epsilon of hard rows, and of a wish of weight one: it yields to hard ones, hardly to the metric


def assemble(system, t=0.0):
    """The consistent State of a system at time t: from the wishes of its model, or from its drawn start.

    It is kept for the next call: a system does not change, only the wishes of its model may.
    """
    wishes = (t, *(() if system.model is None else system.model.wishes))
    known, state = system.kept.get("start", (None, None))
    if known != wishes:
        state = _assembled(system, t)
        system.kept["start"] = wishes, state
    return replace(state, **{key: getattr(state, key).copy() for key in ("q", "v", "a", "lam", "turn")})


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
        for measure, angle in zip(system.measures, turn, strict=True):
            if measure in places and measure.kind == "angle":
                q[places[measure]] += 2 * np.pi * np.round((angle - q[places[measure]]) / (2 * np.pi))
        return complete(system, t, q, v, turn)
    model = system.model
    q, turn = _positions(system, model, t)
    v = _velocities(system, model, t, q, turn)
    state = complete(system, t, q, v, turn)
    _check_continuation(system, state)
    return state


def settle(system, t, q, v, turn=None, known=None):
    """q and v of a system without wishes, moved onto its constraints; turn: references of the counted angles, 0 if not given;
    known: coordinates of users' joints (turns.known_joints), near those of their start if not given."""
    if system.base is not None:
        base, positions, velocities = in_group(system, q[None, :], v[None, :])
        turn = None if turn is None else counted(base.measures, turn, system.measures)
        return from_group(system, *settle(base, t, positions[0], velocities[0], turn, known), near=q)
    turn = np.zeros(system.n_measures) if turn is None else turn
    q = _close(system, t, q, turn, np.zeros(system.n_rows), known=known)
    v = _match(system, t, q, v, turn, np.zeros(system.n_rows), known=known)
    return q, v


def complete(system, t, q, v, turn=None, memory=None):
    """The State with accelerations and multipliers; memory : what the elements of a run have kept (Work.memory)."""
    work, q, v = system.work(), np.array(q, float), np.array(v, float)
    work.turn[:] = 0.0 if turn is None else turn
    if memory is not None:
        work.memory[:] = memory
    packed = pack(work)
    regular = consistent_accelerations(float(t), q, v, system.compiled, packed)
    if not regular or not np.isfinite(work.u).all():
        ended = range_end(system, q, v)
        if ended:
            raise AssemblyError(
                f"The accelerations at t = {t:g} s cannot be computed: {ended}, the end of its range of motion. Stay "
                "farther inside; absolute coordinates pass such limits."
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


def _positions(system, model, t):
    rows = position_rows(model)
    if not rows.blocks:
        q = _close(system, t, system.start, np.zeros(system.n_measures), np.zeros(system.n_rows))
        return q, _turns(system, t, q, {})
    extended = build(model, extra=rows.blocks)
    soft = np.concatenate([np.zeros(system.n_rows), rows.softness])
    turn = _measure_targets(extended, rows.targets)
    try:
        q = _close(extended, t, posed(system, model), turn, soft, plain=system)
    except AssemblyError as error:
        raise AssemblyError(f"{error}{_reachable(system, model, t, rows)}") from None
    check_rotations(system, model, q)
    check_axes(system, model, q)
    return q, _turns(system, t, q, rows.targets)


def _reachable(system, model, t, rows):
    """A further sentence where one wish for a coordinate alone cannot be met: what is asked for, and how far the mechanism gets
    on the way there from its drawn position, by halves."""
    if len(rows.blocks) != 1 or len(rows.targets) != 1 or len(model.bodies) > FEW:
        return ""
    (wish,), ((measure, asked),) = [w for w in model.wishes if w.measure in rows.targets], rows.targets.items()

    def closed(value, q):
        near = build(model, extra=[(rows.blocks[0][0], (coupling(measure, Constant(value)),))])
        soft = np.zeros(near.n_rows)
        return _close(near, t, q, _measure_targets(near, {measure: value}), soft, plain=near)

    try:
        q = _close(system, t, system.start, np.zeros(system.n_measures), np.zeros(system.n_rows))
    except AssemblyError:
        return ""
    extended = build(model, extra=rows.blocks)
    drawn = float(_turns(extended, t, q, {})[extended.measures.index(measure)])
    reached, refused = drawn, asked
    for _ in range(HALVES):
        middle = 0.5 * (reached + refused)
        try:
            q, reached = closed(middle, q), middle
        except AssemblyError:
            refused = middle
    unit = "rad" if measure.unit == "angle" else "m"
    return f" Asked is {wish.joint} = {asked:.9g} {unit}; from {drawn:.6g} {unit} as drawn it gets to {reached:.6g} {unit}."


def _velocities(system, model, t, q, turn):
    rows = velocity_rows(model, q, system)
    if not rows.blocks:
        return _match(system, t, q, np.zeros(system.n_v), turn, np.zeros(system.n_rows))
    extended = build(model, extra=rows.blocks)
    soft = np.concatenate([np.zeros(system.n_rows), rows.softness])
    turns = np.zeros(extended.n_measures)
    return _match(extended, t, q, np.zeros(system.n_v), turns, soft, plain=system)


def _measure_targets(system, targets):
    """Turn references of the measures of a system: the wished value where there is one."""
    turn = np.zeros(system.n_measures)
    for number, measure in enumerate(system.measures):
        turn[number] = targets.get(measure, 0.0)
    return turn


def _turns(system, t, q, targets):
    """Turn references at q: each angle's value nearest to what was wished, else to zero."""
    work = system.work()
    work.turn[:] = _measure_targets(system, targets)
    evaluate(float(t), q, np.zeros(system.n_v), VELOCITY, system.compiled, pack(work))
    return work.value.copy()


def _geometric(system):
    """The system with the metric of translations and length-scaled turns in the place of its masses."""
    if system.model is None:
        return system
    r = system.record
    diagonal = np.where(np.isin(r.m_row, r.column[:-1, 3:]), r.length**2, 1.0)
    values = np.where(r.m_row == r.m_column, diagonal, 0.0)
    clean = r._replace(added_mass=np.zeros(r.n_v), mass=np.ones(r.n_bodies))
    return regularise(replace(system, record=clean, mass_values=values))


def _close(system, t, q, turn, soft, plain=None, known=None):
    """q moved onto the constraints; `soft` are the softness of each row (0: hard)."""
    metric = _geometric(system)
    scale = metric.record.row_diagonal
    metric = metric.with_record(regularisation=np.where(soft > 0.0, SOFT * soft, HARD) * scale, refinements=0)
    work, q, v = metric.work(), q.copy(), np.zeros(system.n_v)
    packed, record = pack(work), metric.compiled
    sizes = np.ones(system.n_v)
    if system.model is not None:
        moving = metric.record.column[:-1, :3]
        sizes[moving[moving < system.n_v].astype(int)] = system.length
    work.turn[:] = turn
    tell_joints(system, work, known)
    hard, step, gap, error = soft == 0.0, np.inf, np.zeros(system.n_rows), np.inf
    yielding = not hard.all()
    for iteration in range(ITERATIONS):
        evaluate(float(t), q, v, VELOCITY, record, packed)
        work.turn[:] = np.where(np.isfinite(work.value), work.turn, 0.0)
        gap = np.where(metric.record.velocity_level == 1, 0.0, work.phi)
        error = float(np.abs(gap * metric.record.row_scale)[hard].max(initial=0.0))
        if yielding and step <= 1e-9:  # the wishes have found their compromise: close the rest without them
            yielding = False
            work.epsilon[:] = np.where(hard, work.epsilon, LEFT_OUT * scale)
        if (error <= TOLERANCE and not yielding) or not np.isfinite(error):
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
        near = _nearly_closed(system, t, q, turn, soft, plain or system)
        if near is None:
            _explain_gap(system, plain or system, np.where(hard, gap, 0.0), t)
        return near
    return q


def _nearly_closed(system, t, q, turn, soft, plain):
    """q where redundant rows fit nearly, by data of some digits: moved onto independent rows; None where more is amiss."""
    if not system.record.redundant or not np.isfinite(q).all():
        return None
    near, work = q.copy(), kept_rows(system, t, q, soft)
    work.turn[:] = turn
    gap, kept = closed(system, t, near, work)
    fits = kept <= TOLERANCE and (gap * system.record.row_scale)[soft == 0.0].max(initial=0.0) <= SLOPE * MEANT
    return near if fits and misfit(plain, t, near).meant else None


def _nearly_matched(system, t, q, v, turn, soft, plain):
    """v where redundant rows fit nearly: moved onto independent rows; None where more is amiss."""
    if not misfit(plain, t, q).meant:
        return None
    near, work = v.copy(), kept_rows(system, t, q, soft)
    work.turn[:] = turn
    packed = pack(work)
    for _ in range(VELOCITY_ROUNDS):
        evaluate(float(t), q, near, VELOCITY, system.compiled, packed)
        factorise_kkt(system.compiled, packed)
        project_velocity(system.compiled, packed, near)
    evaluate(float(t), q, near, VELOCITY, system.compiled, packed)
    left = np.abs(work.phi_dot * system.record.row_scale) / (1.0 + np.abs(near).max(initial=0.0))
    kept = work.epsilon <= system.record.row_diagonal
    fits = left[kept].max(initial=0.0) <= 1e-10 and left[soft == 0.0].max(initial=0.0) <= SLOPE**2 * MEANT
    return near if fits else None


def _explain_gap(system, plain, gap, t):
    """Raise the error that says what does not fit, where and by how much."""
    worst = largest(gap * system.record.row_scale)
    row = system.rows[worst]
    by = f"{abs(gap[worst]):.3g} {'m' if row.unit == 'length' else 'rad'}"
    if system is not plain:
        try:
            _close(plain, t, plain.start, np.zeros(plain.n_measures), np.zeros(plain.n_rows))
        except AssemblyError as error:
            raise error from None
        wishes = sorted({r.joint for r in system.rows[plain.n_rows :]})
        raise AssemblyError(
            f"The start cannot meet all hard wishes: with {', '.join(wishes)} the constraints are violated, most in "
            f"{system.row_name(worst)}, by {by}. Without the wishes the mechanism closes. Change the wish, or give it a "
            "weight so that it yields."
        )
    loop = loop_of(plain.model, row.joint) if plain.model is not None else None
    where = (
        f"the loop {' - '.join(loop.joints)} cannot close" if loop else f"{system.row_name(worst)} cannot be satisfied"
    )
    raise AssemblyError(
        f"The mechanism cannot be assembled: {where}; nearest to closing, {system.row_name(worst)} still has a gap of {by}. "
        "Check the lengths along it and the points and axes of its joints."
    )


def _match(system, t, q, v, turn, soft, plain=None, known=None):
    """The velocity nearest to v in the mass metric that satisfies all rows."""
    record = system.with_record(
        regularisation=np.where(soft > 0.0, SOFT * soft, HARD) * system.record.row_diagonal, refinements=0
    )
    work = record.work()
    work.turn[:] = turn if turn.size == system.n_measures else 0.0
    tell_joints(system, work, known)
    packed, v = pack(work), v.copy()
    yielding, rounds = bool((soft > 0.0).any()), 0
    for _ in range(ITERATIONS):
        if not yielding:
            rounds += 1
        if rounds > VELOCITY_ROUNDS:
            break
        evaluate(float(t), q, v, VELOCITY, record.compiled, packed)
        factorise_kkt(record.compiled, packed)
        work.b[: system.n_v + 1] = 0.0
        work.b[system.n_v + 1 :] = -work.phi_dot
        solve_kkt(record.compiled, packed, work.b, work.u)
        v += work.u[: system.n_v]
        if yielding and np.abs(work.u[: system.n_v]).max() <= 1e-9 * (1e-30 + np.abs(v).max()):
            yielding = False  # the wishes have found their compromise: satisfy the rest without them
            work.epsilon[:] = np.where(soft > 0.0, LEFT_OUT * system.record.row_diagonal, work.epsilon)
    evaluate(float(t), q, v, VELOCITY, record.compiled, packed)
    left = np.abs(work.phi_dot * system.record.row_scale)[soft == 0.0]
    size = 1.0 + np.abs(v).max(initial=0.0) + np.abs(work.phi_t).max(initial=0.0)
    if left.size and not left.max() <= 1e-8 * size:
        near = _nearly_matched(system, t, q, v, work.turn, soft, plain or system)
        if near is not None:
            return near
        worst = largest(np.where(soft == 0.0, work.phi_dot * system.record.row_scale, 0.0))
        unit = "m/s" if system.rows[worst].unit == "length" else "rad/s"
        raise AssemblyError(
            f"No velocity meets all constraints and hard wishes: {system.row_name(worst)} is left with "
            f"{work.phi_dot[worst]:.3g} {unit}. Check the wished velocities against the mechanism's freedoms and its drivers, "
            f"or give a wish a weight so that it yields. {misfit(plain or system, t, q)}".rstrip()
        )
    return v
