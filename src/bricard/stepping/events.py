"""Triggers: what simulate() watches on the way, and what it does when a value is crossed; times at which something jumps.

A Trigger is compiled into the time loop (compiled/watching.py). Only its action is Python: it runs after the loop has come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..compiled.records import Watch
from ..compiled.status import CHATTERING, STOPPED, TRIGGER_FAILED
from ..compiled.users import as_it_stands, differentiable
from ..compiled.watching import ARMED, NOWHERE, PLACES
from ..errors import BricardError, ModelError, UncountedTurns, UserFunctionError, suggest, warn
from ..kernels import watched
from ..kernels.user_layout import S
from ..model.checks import number
from ..model.travelling import Immutable
from ..solution.solution import Event
from ..system.assembler import complete, settled
from ..system.plane_angles import places_in_plane
from ..system.turns import in_plane, kept_joints, tell_coordinates, tree_places
from ..system.user_joint import MEMORY, element_numbers
from .profile_times import break_times
from .start import no_watch

RECORD, STOP, RESET = "record", "stop", "reset"
DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}
ROOM = 64  # events between two visits of Python, besides what one step may find
AHEAD = 1e-3  # share of a step by which a state is moved to see where a function goes
FOLLOWED, LONG = 8, 1e-4  # how often that is repeated with ten times the time, up to this share of the run
ROUNDING = 1e-14  # relative to the size of a function
NEAR = 1e-3  # a value is zero if it is so small a part of what it changes by on that way
CROWD, SHRUNK = (
    3,
    1e-2,
)  # so many times between resets of one trigger, each shorter than the one before, and by so much in all,
SHORT = 1e-6  # are too many when the last is so small a part of the run
STUCK, STILL = 12, 1e-11  # and so many are when each of them is so small a part


@dataclass(frozen=True)
class Trigger(Immutable):
    """Something to watch: when `function` crosses the value `at`, the `action` is taken.

    function : a joint coordinate of the model, "A" or "A.angle" (turns are counted), or a function (t, q, v) -> number, which is
    compiled. velocity : watch the velocity of the coordinate instead. direction : "rising", "falling" or "both". action :
    "record" notes the event, "stop" also ends the run there, a function (t, q, v) -> v or (q, v) gives a new state, from which
    the run goes on after it was brought onto the constraints. name : of the events in `solution.events`. A start at the value
    itself is no event.
    """

    function: str | Callable[..., Any]
    at: float = 0.0
    direction: str = "both"
    action: str | Callable[..., Any] = RECORD
    velocity: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            given = self.function if isinstance(self.function, str) else getattr(self.function, "__name__", "function")
            object.__setattr__(self, "name", given)
        if not isinstance(self.function, str) and not callable(self.function):
            raise ModelError(f"{self}: it needs a joint coordinate or a function (t, q, v), not {self.function!r}.")
        object.__setattr__(self, "at", number(self.at, f"{self}: at"))
        if self.direction not in DIRECTIONS:
            near, known = suggest(self.direction, DIRECTIONS), ", ".join(DIRECTIONS)
            raise ModelError(f'{self}: there is no direction "{self.direction}".{near} Known: {known}.')
        if not callable(self.action) and self.action not in (RECORD, STOP):
            raise ModelError(
                f'{self}: the action is {self.action!r}; it must be "record", "stop" or a function (t, q, v) -> v or (q, v).'
            )
        if self.velocity and not isinstance(self.function, str):
            raise ModelError(f"{self}: velocity=True is for joint coordinates.")

    def __str__(self) -> str:
        return f'trigger "{self.name}"'

    @property
    def kind(self) -> str:
        """What its events are called: "record", "stop" or "reset"."""
        return RESET if callable(self.action) else str(self.action)


def checked(triggers: Any) -> tuple[Trigger, ...]:
    """The triggers as a tuple, or an error that says what is needed; None stands for none."""
    if triggers is None:
        return ()
    if not isinstance(triggers, (Trigger, Iterable)):
        raise ModelError(f"triggers must be a list of br.Trigger(...), not {triggers!r}.")
    found = (triggers,) if isinstance(triggers, Trigger) else tuple(triggers)
    for trigger in found:
        if not isinstance(trigger, Trigger):
            raise ModelError(f"triggers must be a list of br.Trigger(...), not {trigger!r}.")
    return found


class Watching:
    """The triggers of one run: their compiled functions, the record for the time loop, the events so far."""

    def __init__(self, triggers, system, state, span, earlier=None):
        self.triggers, self.system, self.span = triggers, system, span
        self.events: list[Event] = []
        self._resets: dict[int, Resets] = {}
        self._last = 0  # the trigger that acted last
        self._at_value: int | None = None  # the trigger that stands at its value
        self._pointers = []
        numbers, rules = [], []
        for trigger in triggers:
            pointer, own = self._compiled(trigger, state)
            rules += [DIRECTIONS[trigger.direction], int(trigger.kind != RECORD), len(numbers)]
            numbers += own
            self._pointers.append(pointer)
        self.record = no_watch(system)
        if not triggers:
            return
        self._work = system.work()
        tell_coordinates(system, self._work, state.totals)
        self._packed = pack(self._work)
        n, room = len(triggers), ROOM + PLACES * len(triggers)
        self.record = Watch(
            functions=np.array([pointer.address for pointer in self._pointers], np.int64),
            rules=np.array(rules, np.int64),
            numbers=np.array(numbers, float),
            level=np.array([trigger.at for trigger in triggers]),
            period=np.array([2 * pi * self._repeats(trigger) for trigger in triggers]),
            size=np.array([self._natural_size(trigger) for trigger in triggers]),
            side=np.zeros(n, np.int64),
            samples=np.zeros((PLACES + 1, n)),
            roots=np.zeros(n),
            place=np.full(1, NOWHERE),
            found=np.zeros(2, np.int64),
            q=np.zeros(system.n_q),
            v=np.zeros(system.n_v),
            t=np.zeros(room),
            trigger=np.zeros(room, np.int64),
            y=np.zeros((room, system.n_q + system.n_v)),
        )
        for k, trigger in enumerate(triggers):  # turns are counted on from the start or an earlier run
            value = self._value(k, state.t, state.q, state.v)
            if self.record.period[k]:
                value = (
                    earlier.joint(trigger.function)[-1] if earlier is not None else self._counted(trigger, state, value)
                )
            self.record.samples[0, k] = value - trigger.at
            self.record.size[k] = max(self.record.size[k], abs(trigger.at), abs(value - trigger.at))

    def begin(self, state, step):
        """Note on which side of its value each function is, or to which it goes; `step` (s) is the next step."""
        for k, trigger in enumerate(self.triggers):
            near, gap = self.record.samples[0, k], self._value(k, state.t, state.q, state.v) - trigger.at
            change = self._change(k, state, AHEAD * step, gap)
            if self.record.period[k]:
                gap += self.record.period[k] * round((near - gap) / self.record.period[k])
            close = k == self._at_value or abs(gap) <= max(NEAR * abs(change), ARMED * self.record.size[k])
            self.record.side[k] = np.sign(change if close else gap)

    def _change(self, k, state, ahead, gap):
        """By what function k is about to change in the time `ahead`: to first order, or to second order if that is nothing.

        A motion too slow to be seen in that time is followed longer: it decides about the sign however slow it is.
        """
        first = [
            (time, time * state.v)
            for time in ahead * 10.0 ** np.arange(FOLLOWED)
            if time <= max(ahead, LONG * self.span)
        ]
        for time, increment in (*first, (ahead, ahead * (state.v + 0.5 * ahead * state.a))):
            moved = self._value(k, state.t + time, self.system.retract(state.q, increment), state.v + time * state.a)
            change, period = moved - self.triggers[k].at - gap, self.record.period[k]
            change = (change + 0.5 * period) % period - 0.5 * period if period else change
            if abs(change) > ROUNDING * self.record.size[k]:
                return change * ahead / time
        return 0.0

    def collect(self):
        """Fetch the events that the time loop has found. The last of them, if it interrupts the run, otherwise None."""
        record, n_q, last = self.record, self.system.n_q, None
        for n in range(int(record.found[0])):
            k = int(record.trigger[n])
            trigger, t = self.triggers[k], float(record.t[n])
            text = f'The value {trigger.at:g} of "{trigger.name}" was crossed at t = {t:.9g} s.'
            q, v = record.y[n, :n_q].copy(), record.y[n, n_q:].copy()
            self.events.append(Event(t, trigger.kind, text, trigger.name, q, v))
            last = k if trigger.kind != RECORD else None
        record.found[0] = 0
        return last

    def act(self, k, work):
        """(state, whether the run ends) after the event that was found last: its own state, or what the action asks for."""
        trigger, event, self._last = self.triggers[k], self.events[-1], k
        turn, memory, self._work.memory[:] = work.turn.copy(), work.memory, work.memory
        if trigger.kind == STOP:
            return complete(self.system, event.t, event.q, event.v, turn, memory), True
        q, v, stays = self._asked(trigger, event)
        self._at_value = k if stays else None
        try:
            state = settled(self.system, event.t, q, v, turn, memory)
        except BricardError as error:
            raise UserFunctionError(
                f"The action of {trigger} asks for a state at t = {event.t:g} s that is none: {error}"
            ) from error
        self.events[-1] = event._replace(q_after=state.q, v_after=state.v)
        return state, False

    def culprit(self, status):
        """The trigger that a status speaks of, in words, or None."""
        if status == STOPPED:
            return str(self.triggers[self._last])
        if status not in (TRIGGER_FAILED, CHATTERING):
            return None
        k = int(self.record.found[1])
        if status == TRIGGER_FAILED:
            return str(self.triggers[k])
        return f"{self.triggers[k]}, which has reset the state {self._resets.get(k, Resets()).count} times,"

    def crowded(self, k):
        """Whether trigger k has reset the state again and again without getting on."""
        self.record.found[1] = k
        return self._resets.setdefault(k, Resets()).crowd(self.events[-1].t, self.span)

    def _asked(self, trigger, event):
        """The q and v that an action asks for, and whether it leaves the position."""
        try:
            given = trigger.action(event.t, event.q.copy(), event.v.copy())
            pair = isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 1
            q, v = (np.array(x, float) for x in (given if pair else (event.q, given)))
        except Exception as error:
            raise UserFunctionError(
                f"The action of {trigger} fails at t = {event.t:g} s: {type(error).__name__}: {error}. It must take (t, q, v) "
                "and return the new v, or (q, v)."
            ) from error
        if q.shape != event.q.shape or v.shape != event.v.shape or not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise UserFunctionError(
                f"The action of {trigger} returns shapes {q.shape} and {v.shape} at t = {event.t:g} s, or numbers that are not "
                f"finite; needed are {event.v.size} velocities, or ({event.q.size} positions, {event.v.size} velocities)."
            )
        return q, v, not pair

    def _is_angle(self, trigger):
        return isinstance(trigger.function, str) and not trigger.velocity and self._measure(trigger).kind == "angle"

    def _repeats(self, trigger):
        """Whether what is watched is known up to full turns: an angle that is no coordinate of the system."""
        if not self._is_angle(trigger):
            return False
        measure = self._measure(trigger)
        return measure not in tree_places(self.system) and not in_plane(self.system, measure)

    def _counted(self, trigger, state, value):
        """An angle with the turns that the start of a run has."""
        measure = self._measure(trigger)
        if measure in self.system.angles and state.totals.size:
            return float(state.totals[self.system.angles.index(measure)])
        return float(state.turn[self.system.measures.index(measure)]) if measure in self.system.measures else value

    def tell_turns(self, events):
        """Warn where the steps of a run were too large to count the turns of an angle that is watched; events : of the run."""
        for trigger in self.triggers:
            measure = self._measure(trigger) if self._repeats(trigger) else None
            for event in events:
                if (
                    measure is not None
                    and event.kind == "turns"
                    and self.system.model.coordinate(event.name) == measure
                ):
                    warn(f"{event.text} Events of {trigger} may be missed. Take smaller steps.", UncountedTurns)

    def _natural_size(self, trigger):
        """What a joint coordinate is measured by, rad or m; 0 where that is not known: of velocities, and of functions."""
        if not isinstance(trigger.function, str) or trigger.velocity:
            return 0.0
        kind = self._measure(trigger).kind
        return 1.0 if kind == "angle" else self.system.length * (kind in ("displacement", "distance"))

    def _measure(self, trigger):
        if self.system.model is None:
            raise ModelError(f"{trigger}: a system given by functions has no joints; give a function (t, q, v).")
        return self.system.model.coordinate(trigger.function)

    def _value(self, k, t, q, v):
        first = int(self.record.rules[3 * k + 2])
        return self._pointers[k](t, q, v, self.record.numbers, first, self.system.compiled, self._packed)

    def _compiled(self, trigger, state):
        """The compiled function of a trigger, and its numbers."""
        if isinstance(trigger.function, str):
            measure = self._measure(trigger)
            names = [*self.system.model.bodies, self.system.model.ground.name]
            bodies = [names.index(body.name) for body in measure.bodies]
            place, kept = tree_places(self.system), kept_joints(self.system)
            if measure.kind == "user" and measure in place:
                node = [node.joint for node in self.system.tree].index(measure.joint)
                speed = int(self.system.record.tree.v_first[node]) + int(measure.parameters[0])
                return watched.own_coordinate, [place[measure], int(trigger.velocity), speed]
            if measure.kind == "user":
                first = kept[measure.joint][0] + S + 1 if measure.joint in kept else 0
                element = element_numbers(measure.joint)
                memory = watched.PARAMETERS + 2 + len(element)
                own = (memory, measure.parameters[0], *element, *np.zeros(MEMORY))
                return watched.user_coordinate, [first, int(trigger.velocity), *bodies, *own]
            if self._is_angle(trigger) and measure in place:
                return watched.own_coordinate, [place[measure], 0, 0]
            if self._is_angle(trigger) and in_plane(self.system, measure):
                first, sign, *q = places_in_plane(self.system, measure)
                return watched.in_plane, [first, sign, *(0 if o is None else o + 1 for o in q)]
            kind = watched.KINDS.index(measure.kind)
            return watched.coordinate, [kind, int(trigger.velocity), *bodies, *measure.parameters]
        try:
            value = trigger.function(state.t, state.q.copy(), state.v.copy())
        except Exception as error:
            raise UserFunctionError(
                f"The function of {trigger} fails at the start: {type(error).__name__}: {error}. It must take (t, q, v) and "
                "return a number."
            ) from error
        if np.ndim(value) != 0 or isinstance(value, str) or not np.isfinite(value):
            raise UserFunctionError(
                f"The function of {trigger} must return a finite number; at the start it is {value!r}."
            )
        if isinstance(value, (bool, np.bool_)):
            raise UserFunctionError(
                f"The function of {trigger} returns a truth. It must return what is compared: the number that crosses the value "
                "`at`, as q[0] - 0.35."
            )
        return _watching(trigger, watched.arguments(self.system)), []


def _watching(trigger, arguments):
    """The pointer of a trigger's function: followed like users' others, or as it stands, as only floats are asked for."""
    first = None
    for ready in (lambda: differentiable(trigger.function, arguments), lambda: as_it_stands(trigger.function, 3)):
        try:
            pointer = watched.of_function(ready())
            _ = pointer.address
        except UserFunctionError as error:
            first = first or error
        else:
            return pointer
    raise UserFunctionError(f"{trigger}: {first}") from first


@dataclass
class Resets:
    """How the resets of one trigger follow each other: whether they crowd towards a time that is never reached (Zeno)."""

    count: int = 0
    last: float = -np.inf  # time of the last one, s
    way: float = np.inf  # time between the last two, s
    longest: float = np.inf  # the first of those that have become shorter and shorter since, s
    shrinking: int = 0  # how many those are
    still: int = 0  # how many ways in a row that are next to nothing

    def crowd(self, t: float, span: float, still: float = STILL) -> bool:
        """One more at t (s), in a run of `span` (s): whether there are too many. still : share of it that is next to nothing."""
        way, before = t - self.last, self.way
        self.count, self.last, self.way = self.count + 1, t, way
        self.still = self.still + 1 if way <= still * span else 0
        if way < before < np.inf:
            self.shrinking += 1
        else:
            self.shrinking, self.longest = 1, way
        closing = self.shrinking >= CROWD and way <= min(SHRUNK * self.longest, SHORT * span)
        return closing or self.still >= STUCK


def given_times(breaks: Any) -> tuple[float, ...]:
    """The times of `breaks`, a number or several; None stands for none."""
    if breaks is None:
        return ()
    times: Any = np.ravel(breaks) if isinstance(breaks, (int, float, np.number, np.ndarray)) else breaks
    if isinstance(times, str) or not isinstance(times, Iterable):
        raise ModelError(f"breaks is {breaks!r}; it must be a time (s) or a list of times.")
    return tuple(number(time, "breaks: a time") for time in times)


def breaks_of(given: Iterable[float], model, start: float, end: float, adaptive: bool) -> np.ndarray:
    """Times inside the run at which steps are to end: those given; where steps are free, also the kinks of the model."""
    numbers = set(given)
    numbers |= break_times(model) if adaptive else set()
    return np.array(sorted(time for time in numbers if start < time < end))
