"""Kinks of users' functions: which functions have branches, the record for the time loop, and what is said of what it has met.

A function is called once, as plain Python, before anything is compiled for it: one that enters no side into its track takes the
same way wherever it is called, and costs a run nothing. Compiled: compiled/kinks.py, kernels/kinks.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import BRANCHES, SIDES
from ..compiled.kinks import (
    BESIDE,
    COMPLETE,
    FOUND,
    LOAD,
    LOOK,
    POSITION,
    POTENTIAL,
    START,
    STOPS,
    VELOCITY,
    WIDTH,
    vanishing,
)
from ..compiled.kinks import KINKS as MET
from ..compiled.march import KINKS
from ..compiled.pointers import Pointer, address_of
from ..compiled.records import Kinks
from ..compiled.status import NO_DERIVATIVE
from ..compiled.watching import NOWHERE
from ..errors import BricardError, ModelError, UserFunctionError, suggest
from ..hyperdual.course import course_of, name_of
from ..hyperdual.following import flat
from ..hyperdual.number import PARTS, HyperDual, lifted
from ..hyperdual.rebuild import plain_copy
from ..hyperdual.sided import Sided, Track, inner
from ..kernels.branches import Branching, Kind
from ..kernels.functions import Given, Header, Motion, Part, Pose
from ..kernels.kinks import sides
from ..kernels.user_elimination import JOINT, POSE
from ..kernels.user_layout import OWN, S
from ..solution.solution import Event
from ..system.assembler import complete
from ..system.turns import element_memory, kept_elements
from ..system.user_start import asked, prepared
from .events import Resets
from .start import no_kinks

STOP_AT, COUNT = "stop at", "count"
WISHES = (STOP_AT, COUNT)
ARGUMENTS = (
    1,
    3,
    3,
    *(int(Given.SIZE),) * 3,
)  # numbers that a kind of function may depend on, of functions of elements
JUMP = 1e-6  # of the size of a function, beyond which it jumps
STILL = 1e-8  # of a run: with kinks so near to each other it would never end
POSE_NUMBERS = 12  # shift and rotation of a user's joint
# arguments of a side that a planar body cannot change, of x, R by rows, v, w
FLAT = (2, 5, 8, 9, 10, 11, 14, 15, 16)


def checked_kinks(kinks: Any) -> str | None:
    """The wish of `kinks=`, or an error that says what there is."""
    if kinks is None or kinks in WISHES:
        return kinks
    known = ", ".join(f'"{wish}"' for wish in WISHES)
    raise ModelError(f"kinks is {kinks!r}.{suggest(str(kinks), WISHES)} Known: {known}.")


def without_derivative(words):
    """What is said of a row of a joint without a derivative."""
    return (
        f"{words} stands where it has no derivative (docs/functions.md), and a constraint needs one. Write a row that has one "
        "there, such as the square of a distance instead of a distance that may vanish, or start elsewhere"
    )


class Watched(NamedTuple):
    """A user's function in an element: its place there, how to ask it, what it is called, of which level it is, how many results
    and arguments it has, and where its parameters begin and end. level : of compiled/kinks.py.

    element : below zero the node -1 - element of a joint of the tree.
    """

    element: int
    branching: Branching
    words: str
    level: int
    results: int
    arguments: int
    parameters: tuple[int, int]


class Kinked:
    """The functions of one run that have branches, and what its steps met of them."""

    def __init__(self, system, state, work, wish, fixed, span, ours):
        self.span, self._said = span, ""
        self.events: list[Event] = []
        found = _functions(system) if ours else ()  # methods with a loop of their own do not look
        self.each = [watched for watched in found if self._has_branches(system, watched, state)]
        self.fixed = fixed and wish != STOP_AT
        self._resets = [Resets() for _ in self.each]
        self._pointers = [watched.branching.pointer() for watched in self.each]
        self.record = self._record(system, wish) if self.each else no_kinks(work)

    def _record(self, system, wish):
        n, most = len(self.each), int(Given.SIZE)
        rows, about = max(watched.results for watched in self.each), np.zeros((n, 7), np.int64)
        generic = np.zeros((n, most))
        for j, (element, branching, _, level, results, arguments, parameters) in enumerate(self.each):
            about[j] = element, branching.kind, level, results, *parameters, arguments
            generic[j] = _directions(system, self.each[j])
        given = np.zeros((n, Part.SIZE * most))
        given[:, Part.FIRST :: Part.SIZE] = generic
        state = np.zeros(6, np.int64)
        state[STOPS] = wish != COUNT and not self.fixed
        return Kinks(
            functions=np.array([address_of(BRANCHES, pointer) for pointer in self._pointers], np.int64),
            elements=about,
            addresses=np.array([address_of(SIDES, sides)], np.int64),
            given=given,
            generic=generic,
            ends=np.zeros((2, n, most)),
            tracks=np.zeros((4 * n, Track.SIZE), np.int64),
            parts=np.zeros((3, n, Part.SIZE * rows)),
            size=np.zeros(n),
            counts=np.zeros((n, 2), np.int64),
            place=np.array([NOWHERE, np.inf, 0.0, np.inf, 0.0]),
            state=state,
            work=system.work(),
        )

    def _has_branches(self, system, watched, state):
        """Whether a function enters a side into its track where it starts; one that cannot be called so may have branches."""
        track = _track(system, watched, state)
        if track is None:
            return True
        if track[Track.POINTS] and watched.level in (POSITION, VELOCITY) and watched.branching.kind >= Kind.POSES:
            raise UserFunctionError(f"At the start {without_derivative(watched.words)}.")
        if track[Track.POINTS] and watched.level != COMPLETE and not _is_smooth(system, watched, state):
            self._said += f" The run started where {watched.words} has no derivative."
        return track[Track.SEEN] > 0

    def met(self, t, q, v):
        """Note the kink that interrupted the run; whether its function does so again and again without getting on."""
        j = int(self.record.state[FOUND])
        words = self.each[j].words
        text = f"{words[0].upper()}{words[1:]} left its branch."
        self.events.append(Event(t, "kink", text, words, q.copy(), v.copy()))
        return self._resets[j].crowd(t, self.span, STILL)

    def stuck(self, system, run, q, v):
        """Whether a function jumps within the step that has failed at (q, v): then the motion sticks there."""
        if not self.each:
            return False
        try:
            a = complete(system, float(run.clock[0]), q, v).a
        except BricardError:
            return False
        packed, t, h, n = pack(run), float(run.clock[0]), max(float(run.clock[1]), float(run.clock[7])), len(self.each)

        def look(way, row):
            time = way * h
            sides(t + time, system.retract(q, time * v), v + time * a, row, packed, system.compiled)
            return self.record.tracks[row * n : (row + 1) * n, Track.MARK].copy(), self.record.parts[0, :, 0].copy()

        (here, before), (there, behind), low, high = look(0.0, START), look(1.0, LOOK), 0.0, 1.0
        while high - low > WIDTH and (here != there).any():
            middle = 0.5 * (low + high)
            marks, values = look(middle, LOOK)
            if (marks != here).any():
                high, there, behind = middle, marks, values
            else:
                low, before = middle, values
        jumping = (here != there) & (np.abs(behind - before) > JUMP * self.record.size)
        if jumping.any():
            self.record.state[FOUND] = int(np.flatnonzero(jumping)[0])
        return bool(jumping.any())

    def culprit(self, status):
        """The function that a status speaks of, in words."""
        words = self.each[int(self.record.state[FOUND])].words
        return without_derivative(words) if status == NO_DERIVATIVE else f"a kink of {words}"

    def count(self, run):
        """Write down in the counters of a run how many kinks were met."""
        run.counters[KINKS] = int(self.record.counts[:, MET].sum()) if self.each else 0

    def sentence(self):
        """Further sentences on kinks inside of steps, and on steps that ended where a function has no derivative."""
        said = self._said
        for (_, _, words, *_), (met, stood) in zip(self.each, self.record.counts, strict=False):
            if met and self.record.state[STOPS] == 0:
                said += f" {met} {'kink' if met == 1 else 'kinks'} of {words} lay inside of steps, which costs accuracy"
                said += ': kinks="stop at" ends steps there.'
            if stood:
                said += f" {stood} {'step' if stood == 1 else 'steps'} ended where {words} has no derivative."
        return said


def _functions(system):
    """All functions of the user in the elements of a system."""
    yield from _joints(system)
    r = system.record
    known = {p.address: p.branching for p in system.keep if isinstance(p, Pointer) and p.branching is not None}
    if not known:
        return
    forces = int(r.first[r.stage[2]])
    for e, address in enumerate(r.functions):
        if address not in known:
            continue
        branching, load = known[int(address)], e >= forces
        name = system.loads[e - forces][0] if load else system.rows[r.row[e]].joint
        owner = (system.model.forces if load else system.model.joints).get(name)
        words = f'the function "{name_of(branching.function)}" of {"joint" if owner is None else owner.kind} "{name}"'
        level = (VELOCITY if r.velocity_level[r.row[e]] else POSITION) if not load else LOAD
        potential = branching.kind in (Kind.POTENTIAL_LAW, Kind.POTENTIAL)
        rows = int(r.parameters[r.parameter[e] + Header.ROWS]) if branching.kind in (Kind.POSES, Kind.MOTIONS) else 1
        first, last = int(r.parameter[e]) + int(Header.OWN), int(r.parameter[e + 1])
        own = ARGUMENTS[branching.kind], (first, max(first, last))
        yield Watched(e, branching, words, POTENTIAL if potential else level, rows, *own)


def _joints(system):
    """The functions of users' own joints."""
    r, places = system.record, {}
    for joint, (element, *_) in kept_elements(system).items():
        places[joint] = element, int(r.parameter[element]) + JOINT + OWN
    for n, node in enumerate(system.tree):
        if node.joint is not None and node.joint.kind == "user":
            places[node.joint] = -1 - n, int(r.tree.parameter[n]) + OWN
    for joint, (element, first) in places.items():
        for branching, level, results in _of_joint(joint):
            words = f'the function "{name_of(branching.function)}" of joint "{joint.name}"'
            arguments = joint.what.numbers + (POSE_NUMBERS if branching.kind == Kind.CLOSURE else 0)
            own = first, first + len(joint.parameters)
            yield Watched(element, branching, words, level, results, arguments, own)


def _of_joint(joint):
    """Each function of a user's joint, its level and how many results it has."""
    what, n_p = joint.what, len(joint.parameters)
    n_q, n_v = what.numbers, what.freedom
    for (function, arguments), followed in zip(asked(what, n_p), prepared(joint).pointer.followed, strict=True):
        if what.kind == "routine":
            if course_of(function, arguments) is not None:  # else it may iterate, and its ways say nothing
                yield Branching(Kind.ROUTINE, function, followed, (n_q, n_v)), COMPLETE, 24 + 6 * n_v
        elif what.kind == "implicit":
            yield Branching(Kind.CLOSURE, function, followed, (n_q,)), POSITION, 6
        else:
            of_pose = POSITION if what.motion is None else COMPLETE
            level, results = (VELOCITY, 6 * n_v) if function is what.motion else (of_pose, POSE_NUMBERS)
            yield Branching(Kind.COORDINATES, function, followed, (n_q,)), level, results


def _directions(system, watched):
    """A direction (n,) of the arguments of a function in which all of them go that can change."""
    found, kind, element = np.zeros(int(Given.SIZE)), watched.branching.kind, watched.element
    found[: watched.arguments] = np.cos(1.0 + np.arange(watched.arguments))
    if Kind.POSES <= kind < Kind.COORDINATES:
        r = system.record
        for side, operand in enumerate((r.operand_a, r.operand_b)):
            body, first = int(operand[element]), 1 + side * int(Given.SIDE)
            own = found[first : first + int(Given.SIDE)]
            if body == r.n_bodies:
                own[:] = 0.0
            elif r.planar[body]:
                own[list(FLAT)] = 0.0
    return found


def _is_smooth(system, watched, state):
    """Whether a function has a derivative at a state although a part of it has none: its derivatives on both sides of the state,
    nearer and nearer, come together. Of functions of users' joints that is not known."""
    if watched.branching.kind >= Kind.COORDINATES:
        return False
    ways, part, jumps, most = np.cos(2.0 + np.arange(system.n_v)), 3 if watched.level == POTENTIAL else 1, [], 0.0
    for size in BESIDE:
        slopes = []
        for way in (-size * ways, size * ways):
            place = Place(state.t + way[0], system.retract(state.q, way), state.v + way)
            _, results = _asked(system, watched, place)
            if results is None:
                return False
            slopes.append([getattr(lifted(inner(result)), PARTS[part]) for result in flat(results)])
        jumps.append(np.abs(np.subtract(*slopes)).max())
        most = np.abs(slopes).max()
    return bool(vanishing(jumps[0], jumps[1], jumps[2], most))


class Place(NamedTuple):
    """A state beside another one."""

    t: float
    q: np.ndarray
    v: np.ndarray


def _track(system, watched, state):
    """The track of a function at a state, by a call in plain Python; None where it cannot be called so."""
    track, results = _asked(system, watched, state)
    return None if results is None else track


def _asked(system, watched, state):
    """(track, results) of a function at a state, by a call in plain Python; results None where it cannot be called so."""
    track, kind, e = [0] * Track.SIZE, watched.branching.kind, watched.element
    work, ways = system.evaluated(state.t, state.q, state.v), iter(_directions(system, watched))

    def sided(values):
        return tuple(Sided(HyperDual(value, way, way), track) for value, way in zip(values, ways, strict=False))

    try:
        with np.errstate(all="ignore"):
            function = plain_copy(watched.branching.function)
            if kind >= Kind.COORDINATES:
                return track, function(*_joint(system, watched, state.q, work, sided))
            time = sided([state.t])
            if kind == Kind.TIME:
                return track, function(*time)
            if kind < Kind.POSES:
                m = int(system.record.operand_a[e])
                x, speed = sided([work.value[m], work.speed[m]])
                return track, function(*((*time, x, speed) if kind == Kind.LAW else (x,)))
            both = *_sides(system, e, kind, work, sided), _parameters(system, e)
            return track, function(*((*time, *both) if kind != Kind.POTENTIAL else both))
    except Exception:  # whatever a function does in plain Python with such numbers
        return track, None


def _joint(system, watched, q, work, sided):
    """The arguments of a function of a user's joint."""
    e, first, last = watched.element, *watched.parameters
    if e < 0:
        parameters, n, start = system.record.tree.parameters, -1 - e, int(system.record.tree.q_first[-1 - e])
        d, C, s = work.branch.d[n], work.branch.c[n], q[start : start + system.tree[n].joint.what.numbers]
    else:
        parameters, m = system.record.parameters, element_memory(system.record, e)
        count = watched.arguments - (POSE_NUMBERS if watched.branching.kind == Kind.CLOSURE else 0)
        d, C, s = (
            work.memory[m + POSE : m + POSE + 3],
            work.memory[m + POSE + 3 : m + POSE + 12],
            work.memory[m + S :][:count],
        )
    pose = (sided(d), tuple(map(sided, np.reshape(C, (3, 3))))) if watched.branching.kind == Kind.CLOSURE else ()
    rest = (sided(np.zeros(watched.branching.numbers[1])),) if watched.branching.kind == Kind.ROUTINE else ()
    return *pose, sided(s), *rest, parameters[first:last]


def _parameters(system, e):
    r = system.record
    return r.parameters[int(r.parameter[e]) + int(Header.OWN) : int(r.parameter[e + 1])]


def _sides(system, e, kind, work, sided):
    """The two poses or motions of an element."""
    r = system.record
    for side, operand in enumerate((r.operand_a, r.operand_b)):
        body, first = int(operand[e]), int(r.parameter[e]) + 3 * side
        point, R, v = r.parameters[first : first + 3], work.rotation[body].reshape(3, 3), work.velocity[body]
        pose = sided(work.x[body] + R @ point), tuple(map(sided, R))
        motion = sided(v[:3] + R @ np.cross(v[3:], point)), sided(R @ v[3:])
        yield Motion(*pose, *motion) if kind == Kind.MOTIONS else Pose(*pose)


__all__ = ["Kinked", "checked_kinks"]
