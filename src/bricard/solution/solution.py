"""Solution: states, multipliers, reactions, energy, constraint errors, counters, status, provenance."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..compiled import march as counting
from ..compiled.handles import pack
from ..compiled.ledger import work_so_far
from ..compiled.status import FINISHED, INTERRUPTED, RANGE_ENDED, STOPPED
from ..errors import AssemblyError, ModelError, suggest
from ..interrupts import whole
from ..system.channels import poses
from ..system.state import State, read_only
from ..system.system import System
from . import motion
from .observe import ACCELERATION, KINETIC, POSITION, POTENTIAL, POWER, SPEED, observe
from .reactions import Reaction, reaction


class Energy(NamedTuple):
    """Energies (samples,) in J. `work` is what dampers, motors, drivers and other non-conservative loads have put in since the
    start, and `error` = total - total at the start - work: zero for the exact motion.

    A run sums up the work in its steps, at least to the order of its method: the error does not depend on how many samples there
    are. Samples without a run, and runs with energy=False, have the integral of the power by a cubic spline through them."""

    kinetic: np.ndarray
    potential: np.ndarray
    total: np.ndarray
    work: np.ndarray
    error: np.ndarray


class ConstraintErrors(NamedTuple):
    """Largest error of each level (samples,) in scaled rows: lengths in characteristic lengths, angles in radians, per s^k."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class Event(NamedTuple):
    """Something that happened on the way: time (s), kind, and a sentence; of a trigger also its name and the state.

    kind : "singular", "rebased", "turns" (a step too large to count those of the joint coordinate `name`), "divided" (the first
    step of a fixed size that had to be divided), "range" (the end of that of a user's joint), "kink" (of the function `name`,
    where a step has ended), or of a trigger "record", "stop", "reset". q (n_q,), v (n_v,) : the state; q_after, v_after : that
    after a reset.
    """

    t: float
    kind: str
    text: str
    name: str = ""
    q: np.ndarray | None = None
    v: np.ndarray | None = None
    q_after: np.ndarray | None = None
    v_after: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """What a simulation gives. Arrays have one row per sample.

    t : (n,) s. q : (n, n_q). v : (n, n_v). lam : (n, n_rows), the method's own multipliers (of the acceleration level where it
    has none). status : the sentence how it ended; ok : whether it reached its end. counters, seconds, provenance : dicts.
    """

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    own_a: np.ndarray | None
    own_lam: np.ndarray | None
    ok: bool
    status: str
    counters: dict[str, int]
    events: tuple[Event, ...]
    seconds: dict[str, float]
    provenance: dict[str, Any]
    step_times: np.ndarray
    end: State
    turns: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # (n, n_measures) counted measures
    # (n, n_angles + n_kept + 1) what the steps have counted: the angles of system.angles (rad), coordinates of users' joints that
    # are none of the system's, the work (J); empty without steps
    totals: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self):
        own = {item.name: getattr(self, item.name) for item in fields(self)[1:]}
        own |= {
            "end": self.end and self.end.read_only(),
            "events": tuple(Event(*map(read_only, event)) for event in self.events),
        }
        self.__dict__.update({key: read_only(value) for key, value in own.items()})

    # copies and pickles: what was computed, and how the System is made

    def __getattr__(self, name):
        if name != "system" or "recipe" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.__dict__["system"] = system = self.__dict__["recipe"].made()
        return system

    def __getstate__(self):
        state = {item.name: self.__dict__[item.name] for item in fields(self)[1:]}
        recipe = getattr(self.__dict__.get("system"), "recipe", None) or self.__dict__.get("recipe")
        return state | ({"system": self.system} if recipe is None else {"recipe": recipe})

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.__post_init__()

    def __copy__(self):
        return replace(self)

    @classmethod
    def from_run(cls, problem, run, work, end, *, status, sentence, provenance, seconds, found=(), earlier=None):
        """The Solution of a march that ended with `end` = (q, v); `found` are events of triggers, `earlier` is continued."""
        system, n = problem.system, int(run.counters[counting.OUTPUT])
        n_q, n_v, o = system.n_q, system.n_v, system.n_q + system.n_v
        t, y, turns, totals = (x[:n].copy() for x in (run.out_t, run.out_y, run.out_turn, run.ledger.out))
        own_a = y[:, o : o + n_v] if problem.keep_a >= 0 else None
        o += n_v if problem.keep_a >= 0 else 0
        own_lam = y[:, o:] if problem.keep_lam >= 0 else None
        last = run.y
        counters = {name: int(run.counters[i]) for i, name in enumerate(COUNTERS)}
        events = tuple(
            _event(system, run.log_t[k], *run.log_code[2 * k : 2 * k + 2]) for k in range(run.counters[counting.LOGGED])
        )
        events = tuple(sorted((*events, *found), key=lambda event: event.t))
        steps = run.steps_t[: min(counters["steps"], run.steps_t.size)].copy()
        if earlier is not None and n and earlier.t.size and t[0] == earlier.t[-1]:
            y, t, turns, totals = y[1:], t[1:], turns[1:], totals[1:]
            own_a, own_lam = (None if x is None else x[1:] for x in (own_a, own_lam))

        def join(old, new):
            return new if earlier is None else None if old is None or new is None else np.concatenate([old, new])

        a = last[problem.keep_a : problem.keep_a + n_v] if problem.keep_a >= 0 else None
        lam = last[problem.keep_lam : problem.keep_lam + system.n_rows] if problem.keep_lam >= 0 else None
        extra = last[problem.scale.size :].copy() if last.size > problem.scale.size else None
        end = _end_state(system, float(run.clock[0]), *end, a, lam, work, extra)
        end = replace(end, totals=_totals(run, work))
        if earlier is not None:
            counters = {name: counters[name] + earlier.counters.get(name, 0) for name in counters}
            events, seconds = earlier.events + events, {k: seconds[k] + earlier.seconds.get(k, 0.0) for k in seconds}
        return cls(
            system=system,
            t=t if earlier is None else np.concatenate([earlier.t, t]),
            q=y[:, :n_q].copy() if earlier is None else np.concatenate([earlier.q, y[:, :n_q]]),
            v=y[:, n_q : n_q + n_v].copy() if earlier is None else np.concatenate([earlier.v, y[:, n_q : n_q + n_v]]),
            own_a=join(earlier.own_a if earlier else None, own_a),
            own_lam=join(earlier.own_lam if earlier else None, own_lam),
            ok=status in (FINISHED, STOPPED, RANGE_ENDED),
            status=sentence,
            counters=counters,
            events=events,
            seconds=seconds,
            provenance={**provenance, "interrupted": status == INTERRUPTED},
            step_times=steps if earlier is None else np.concatenate([earlier.step_times, steps]),
            end=end,
            turns=turns if earlier is None else np.concatenate([earlier.turns, turns]),
            totals=totals if earlier is None else _joined(earlier, totals),
        )

    @property
    def name(self):
        """Name of the model."""
        return (self.__dict__.get("recipe") or self.system).name

    # what the samples tell

    @cached_property
    def _observed(self):
        return self._observe(accelerations=False)

    @cached_property
    def _observed_fully(self):
        return self._observe(accelerations=True)

    @whole
    def _observe(self, accelerations):
        system, n = self.system, self.t.size
        work = system.work()
        wanted = n if accelerations else 0
        table = np.zeros((n, 6))
        a, lam = np.zeros((wanted, system.n_v)), np.zeros((wanted, system.n_rows))
        own = self.own_a if self.own_a is not None else np.zeros((0, system.n_v))
        t, q, v, turns, own = (np.array(x, order="C") for x in (self.t, self.q, self.v, self.turns, own))
        places, known = motion.known_coordinates(self, work)
        observe(t, q, v, turns, places, known, own, self.own_a is not None, table, a, lam, system.compiled, pack(work))
        return tuple(map(read_only, (table, a, lam)))

    @property
    def a(self):
        """Accelerations v' (n, n_v), consistent with q and v."""
        return self._observed_fully[1]

    @property
    def lam(self):
        """Multipliers (n, n_rows): the method's own, or those of the acceleration level."""
        return self.own_lam if self.own_lam is not None else self.reaction_multipliers

    @property
    def reaction_multipliers(self):
        """Multipliers (n, n_rows) of the acceleration level, the smallest in scaled rows where rows are redundant."""
        return self._observed_fully[2]

    @cached_property
    def energy(self):
        """Energy and power balance, see Energy."""
        table = self._observed[0]
        kinetic, potential = table[:, KINETIC], table[:, POTENTIAL]
        summed = len(self.totals) > 0 and bool(np.isfinite(self.totals[:, -1]).all())
        done = self.totals[:, -1] if summed else motion.integral(self.t, table[:, POWER])
        work = done - done[:1] + self.jumps
        total = kinetic + potential
        parts = (kinetic, potential, total, work, total - total[:1] - work)
        return Energy(*map(read_only, parts))

    @property
    def jumps(self):
        """Energy (n,) that resets have put in up to each sample, J."""
        resets, jumps = [event for event in self.events if event.kind == "reset"], np.zeros(self.t.size)
        for event in resets:
            near = int(np.clip(np.searchsorted(self.t, event.t), 0, self.t.size - 1))
            q, v = np.array([event.q, event.q_after]), np.array([event.v, event.v_after])
            pair = replace(
                self,
                t=np.full(2, event.t),
                q=q,
                v=v,
                own_a=None,
                turns=self.turns[[near, near]],
                totals=self.totals[[near, near]] if len(self.totals) else NOTHING,
                events=(),
            )
            jumps[self.t >= event.t] += np.diff(pair.energy.total)
        return jumps

    def samples(self, rows):
        """A Solution of some of the samples, by number; events, counters and status stay those of the whole run."""
        taken = {
            name: None if getattr(self, name) is None else np.ascontiguousarray(getattr(self, name)[rows])
            for name in ("t", "q", "v", "own_a", "own_lam", "turns")
        }
        return replace(self, **taken, totals=self.totals[rows] if len(self.totals) else self.totals)

    @property
    def constraint_errors(self):
        """The three constraint levels, see ConstraintErrors."""
        table = self._observed[0]
        return ConstraintErrors(table[:, POSITION], table[:, SPEED], table[:, ACCELERATION])

    @whole
    def at(self, t):
        """The State at time t (s), interpolated between the samples (cubic on the configuration space)."""
        return motion.state_at(self, float(t))

    # named channels

    @cached_property
    @whole
    def poses(self):
        """Body name -> (positions (n, 3) of the reference frame, rotation matrices (n, 3, 3))."""
        return MappingProxyType(
            {name: (read_only(x), read_only(R)) for name, (x, R) in poses(self.system, self.q).items()}
        )

    @cached_property
    @whole
    def _twists(self):
        return motion.twists(self.system, self.q, self.v, self.poses)

    def _body(self, name):
        self._need_model()
        name = getattr(name, "name", name)
        if name not in self.poses:
            raise ModelError(f'There is no body "{name}".{suggest(name, self.poses)}')
        return name

    def _need_model(self):
        if self.system.model is None:
            raise ModelError("This system was given by its functions: it has no bodies and joints to ask for.")

    def joint(self, coordinate):
        """Values (n,) of a joint coordinate, "A" or "A.angle", or of a joint with one; turns are counted."""
        return motion.coordinate(self, self._measure(coordinate))

    def joint_velocity(self, coordinate):
        """Time derivative (n,) of a joint coordinate."""
        return motion.coordinate_speed(self, self._measure(coordinate))

    def _measure(self, coordinate):
        self._need_model()
        return self.system.model.coordinate(getattr(coordinate, "name", coordinate))

    def point(self, body, point=(0.0, 0.0, 0.0)):
        """Path (n, 3) of a point given in the body's reference frame (for a shape: its centre of mass)."""
        x, R = self.poses[self._body(body)]
        return x + R @ _three(point)

    def velocity(self, body, point=(0.0, 0.0, 0.0)):
        """Velocity (n, 3) of a point given in the body's reference frame, world axes."""
        name = self._body(body)
        v, w = self._twists[name]
        return v + np.cross(w, self.poses[name][1] @ _three(point))

    def angular_velocity(self, body):
        """Angular velocity (n, 3) of a body, world axes."""
        return self._twists[self._body(body)][1]

    @whole
    def reaction(self, element, body=None) -> Reaction:
        """Load of a joint, driver, coupling, spring or other force on one of its bodies, world axes, see Reaction.

        body : the body that the load acts on, the second one of the element if not given (of a gear the second body of its
        first coordinate). The moment is about the origin of the element's frame in this body; gears, drives, and springs and
        motors on joint coordinates have none, theirs is about the centre of mass. `reaction.point` is that point,
        `reaction.about(point)` moves it. On a body with both coordinates of a gear acts the sum of both loads.

        From the acceleration level, the smallest in scaled rows where rows are redundant; `unique` says whether they are the
        only possible ones.
        """
        self._need_model()
        return reaction(self, element, body)

    @cached_property
    def channels(self):
        """Names of the joint coordinates that joint() knows."""
        if self.system.model is None:
            return ()
        joints = self.system.model.joints.values()
        return tuple(f"{joint.name}.{key}" for joint in joints for key in joint.coordinates())

    # leaving

    def summary(self):
        """The main figures as a dict: errors, energy, counters, time."""
        energy, errors = self.energy, self.constraint_errors
        size = float(np.abs(energy.total).max(initial=0.0))

        def largest(values):
            return float(np.max(np.abs(values), initial=0.0))

        return {
            "model": self.name,
            "ok": self.ok,
            "status": self.status,
            "t": float(self.t[-1]) if self.t.size else None,
            "samples": int(self.t.size),
            "energy_error": largest(energy.error),
            "energy_size": max(size, largest(energy.kinetic), largest(energy.potential)),
            "position_error": largest(errors.position),
            "velocity_error": largest(errors.velocity),
            "acceleration_error": largest(errors.acceleration),
            "characteristic_length": self.system.length,
            **self.counters,
            "seconds": self.seconds,
            "events": [{"t": event.t, "kind": event.kind, "text": event.text} for event in self.events],
            "provenance": self.provenance,
        }

    @whole
    def to_xarray(self):
        """An xarray.Dataset with named dimensions: time, body, axis, joint coordinates, energies, errors."""
        from ..io.dataset import dataset

        return dataset(self)

    def save(self, path):
        """Write the solution to an HDF5 file; an older file is replaced only by a complete one."""
        from ..io.results import save

        save(self, path)

    @staticmethod
    def load(path, model=None, *, code=True):
        """Read a solution from an HDF5 file written by save(); `model` for one that could not be stored in it.

        code : False refuses a file whose model names functions ("module:function"), for importing them runs their code.
        """
        from ..io.results import load

        return load(path, model=model, code=code)

    @cached_property
    def plot(self):
        """Plots: energy, constraints, joint, reaction, steps; each returns matplotlib axes and takes ax=."""
        from ..plot.plots import Plots

        return Plots(self)

    def view(self, path=None, *, fps=60.0, paths=None, channels=None):
        """The page (HTML, works offline) that shows the motion; in a notebook it appears where it is returned.

        path : file to write it to. fps : frames per second of playing; fewer where the file would pass 9 MB. paths : pairs of a
        body and a point (3,) of its reference frame whose way is drawn; some joints if not given. channels : curves of your
        own by name, one number per sample each, to be plotted beside the picture.
        """
        from ..view.page import solution_page

        page = solution_page(self, fps=fps, paths=paths, channels=channels)
        if path is not None:
            page.save(path)
        return page

    def _repr_html_(self):
        from ..view.notebook import solution_html

        return solution_html(self)

    def cite(self):
        """The references of the methods used."""
        return tuple(self.provenance["references"])

    def __repr__(self):
        end = self.t[-1] if self.t.size else 0.0
        return f"<Solution of {self.name!r}: {self.t.size} samples to t = {end:.6g} s. {self.status}>"


NOTHING = np.zeros((0, 0))  # totals of samples that no run has counted
COUNTERS = (
    "steps",
    "rejected",
    "evaluations",
    "tangents",
    "iterations",
    "factorisations",
    "rebasings",
    "corrections",
    "kinks",
)


def _three(point):
    vector = np.asarray(point, float) if not isinstance(point, str) else np.zeros(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ModelError(f"A point must be three finite numbers, not {point!r}.")
    return vector


def _event(system, t, code, pivot):
    if code == counting.LOG_REBASED:
        return Event(float(t), "rebased", f"Independent coordinates or rows were chosen anew at t = {t:.6g} s.")
    if code == counting.LOG_TURNS:
        name = _angle_name(system, system.angles[pivot])
        text = f'The joint coordinate "{name}" turns by more than half a turn in one step at t = {t:.6g} s.'
        return Event(float(t), "turns", text, name)
    if code == counting.LOG_DIVIDED:
        where = ", whose end is close to a singular position" if pivot else ""
        return Event(
            float(t), "divided", f"The step from t = {t:.6g} s on{where} was the first that had to be divided."
        )
    unknown = int(system.pattern.order[pivot]) if 0 <= pivot < system.pattern.order.size else -1
    where = system.unknown_name(unknown) if unknown > system.n_v else "the constraints"
    text = (
        f"Close to a singular position at t = {t:.6g} s, seen in {where}: passed with the smallest change of velocity."
    )
    return Event(float(t), "singular", text)


def _angle_name(system, measure):
    joints = system.model.joints.values()
    return next(f"{joint.name}.{key}" for joint in joints for key, m in joint.coordinates().items() if m == measure)


def _totals(run, work):
    """(n_angles + n_kept + 1,): the angles (rad), the kept coordinates and the work (J) at the end of a run."""
    turned, kept = run.ledger.turned, run.ledger.kept
    angles = np.arctan2(turned[:, 1], turned[:, 0]) + 2 * np.pi * turned[:, 2]
    return np.concatenate([angles, work.memory[kept], [work_so_far(run.ledger.sums)]])


def _joined(earlier, totals):
    """Totals of a run and of the one that it goes on from; nothing where that has none."""
    return np.concatenate([earlier.totals, totals]) if len(earlier.totals) == earlier.t.size else NOTHING


def _end_state(system, t, q, v, a, lam, work, extra):
    """The last state, with consistent accelerations and multipliers where the method has none."""
    from ..system.assembler import complete

    turn = work.turn.copy()
    if a is not None and lam is not None:
        return State(t, q, v, a.copy(), lam.copy(), turn, extra)
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return State(t, q, v, np.full(system.n_v, np.nan), np.full(system.n_rows, np.nan), turn, extra)
    try:
        full = complete(system, t, q, v, turn, work.memory)
    except AssemblyError:  # a run that ended in a singular or not finite state
        full = State(t, q, v, np.full(system.n_v, np.nan), np.full(system.n_rows, np.nan))
    return State(t, q, v, full.a if a is None else a.copy(), full.lam if lam is None else lam.copy(), turn, extra)
