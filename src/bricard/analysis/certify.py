"""certify(): is this motion right? Two methods that share little, and checks that these do not share either.

The first method runs twice, at a tolerance and at a tighter one. The second one has the other kind of coordinates where there is a
model, another formulation, another kind of integrator (unlike.py), and the tighter tolerance. The delivered motion is the first
run; the error it vouches for is its distance from the tightened run plus its distance from the second one. Where that is more than
the accuracy asked for, all tolerances are tightened, down to where round-off begins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np

from ..errors import BricardError, ModelError
from ..model import Model
from ..model.checks import integer, number
from ..system.assembler import assemble
from ..system.build import build
from ..system.system import System
from .certificate import Certificate, Run, Vouched, claimed
from .courses import REACTIONS, UNITS, Channel, courses, left_out, natural, near_singular
from .parting import failures, parting, singular
from .soundness import Check, checks
from .trials import Three, Trials

SAMPLES = 401
LOOSEST, TIGHTEST = 1e-2, 1e-9  # accuracies that can be asked for
SHARE, FINER = 1e-2, 1e-1  # of the accuracy: the first tolerance; of that: the next one
SMALLEST = 1e-10  # tolerance of the first run: round-off leaves no room for tighter ones than a hundredth of it
OTHER = {"absolute": "relative", "relative": "absolute"}
OPINIONS = 3  # second methods that are asked, where the first one agrees with itself but not with them
TIMES = 8  # samples in a sentence
ALONE = 2.0  # times the distance of two runs are vouched for, where there is no third one


def certify(
    what: Any, duration: float, accuracy: float = 1e-6, *, samples: int = SAMPLES, progress: bool | None = None
) -> Certificate:
    """The motion of a Model or System over `duration` (s) with the error that can be vouched for, or why there is none.

    accuracy : largest error that is accepted, in natural sizes: the characteristic length, a radian, the fastest motion, the
    largest force of a joint, the energy in motion. samples : of the solution, evenly spaced, at which all is compared. progress :
    show bars; None: on a terminal. A Model is run in absolute coordinates first and in relative ones by the second method; a System
    in its own first. What cannot be built or assembled raises, as in simulate(); a run that fails is told in the Certificate.

    >>> import bricard as br
    >>> found = br.certify(br.problems.get("four-bar-spring").model(), 1.0)                         # doctest: +SKIP
    >>> print(found.text)                                                                           # doctest: +SKIP
    """
    duration, accuracy = number(duration, "duration", positive=True), _accuracy(accuracy)
    count = integer(samples, "samples")
    if count < 2:
        raise ModelError(f"samples is {samples!r}; the start and the end are two of them.")
    first, second, notes = _systems(what)
    trials = Trials(first, second, np.linspace(0.0, duration, count), progress)
    levels = []
    for rtol in _tolerances(accuracy):
        levels.append(_opinions(trials, Level.of(trials.at(rtol), accuracy), accuracy))
        levels[-1].checked = _checks(levels[-1], accuracy)
        sound = all(check.ok for check in levels[-1].checked)
        if levels[-1].share <= accuracy or levels[-1].runs.first is None or not sound:
            break
    return _certificate(trials, levels, accuracy, notes)


def _accuracy(value):
    if isinstance(value, bool) or not isinstance(value, Real) or not TIGHTEST <= value <= LOOSEST:
        raise ModelError(f"accuracy is {value!r}; it must be a number from {TIGHTEST:g} to {LOOSEST:g}.")
    return float(value)


def _systems(what):
    """The System of the first run, that of the second one or None, and what is to be said of these."""
    if not isinstance(what, Model | System):
        raise ModelError(f"certify() takes a Model or a System, not {what!r}.")
    first = build(what) if isinstance(what, Model) else what
    assemble(first)
    if first.model is None:
        return first, None, ["The system is given by its functions: both methods share these, and their coordinates."]
    other = OTHER[first.coordinates]
    try:
        second = build(first.model, coordinates=other)
        assemble(second)
    except BricardError as error:
        return first, None, [f"There are no {other} coordinates for the second method ({error})"]
    return first, second, []


def _tolerances(accuracy):
    """Tolerances of the first run, the loosest first."""
    rtol = SHARE * accuracy
    while rtol > 2.0 * SMALLEST:
        yield rtol
        rtol *= FINER
    yield SMALLEST


def _opinions(trials, level, accuracy):
    """The Level with the second method that agrees: others are asked where the first run agrees with itself, but not with that."""
    first = level.runs.first
    if level.runs.tightened is None or level.runs.second is None or level.share <= accuracy or level.alone > accuracy:
        return level
    for second in islice(trials.seconds(first.pair, first.rtol), 1, OPINIONS):
        other = Level.of(level.runs._replace(second=second), accuracy)
        if other.share <= accuracy:
            other.outvoted = level
            return other
    return level


@dataclass
class Level:
    """Three runs at one tolerance, and how far they are apart in each channel, at the samples that all have.

    weak (k,) : samples close to singular positions whose reactions differ, and are left out. outvoted : the same with another second method, which does not agree. own, cross : name -> distance (k,) of the first run from the tightened one, and from the second one. course : name -> error
    (k,) that is vouched for. checked : what its checks have found.
    """

    runs: Three
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    found: dict[str, Channel] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    own: dict[str, np.ndarray] = field(default_factory=dict)
    cross: dict[str, np.ndarray] = field(default_factory=dict)
    course: dict[str, np.ndarray] = field(default_factory=dict)
    weak: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    outvoted: Level | None = None
    checked: tuple[Check, ...] = ()

    @classmethod
    def of(cls, runs: Three, accuracy: float) -> Level:
        """The comparison of three runs; an empty one where there are not two."""
        solutions = [run.solution for run in runs if run is not None and run.solution is not None]
        if runs.first is None or runs.second is None or runs.first.solution is None:
            return cls(runs)
        k = _alike(solutions)
        channels = [courses(solution) for solution in solutions]
        names = [name for name in channels[0] if all(name in c for c in channels)]
        first, second = channels[0], channels[-1]
        cross = {name: first[name].away(second[name])[:k] for name in names}
        weak, own = near_singular(solutions[0])[:k], {}
        sizes = natural(solutions[0], first, weak)
        if runs.tightened is not None:
            own = {name: first[name].away(channels[1][name])[:k] for name in names}
        weak = _left_out(weak, first, sizes, [gaps for gaps in (own, cross) if gaps], accuracy)
        course = {name: claimed(own[name], cross[name]) if own else claimed(ALONE * cross[name]) for name in names}
        return cls(runs, solutions[0].t[:k], first, sizes, own, cross, course, weak)

    def size(self, name: str) -> float:
        """Natural size of a channel."""
        return self.sizes[self.found[name].kind]

    def shares(self, reactions: bool | None = None) -> dict[str, np.ndarray]:
        """Name -> error (k,) in natural sizes; of reactions only, or of all else only."""
        wanted = (n for n in self.course if reactions is None or reactions == (self.found[n].kind in REACTIONS))
        return {name: self.course[name] / self.size(name) for name in wanted}

    @property
    def share(self) -> float:
        """The worst of all channels."""
        return max((float(share[-1]) for share in self.shares().values() if share.size), default=np.inf)

    @property
    def alone(self) -> float:
        """Largest distance of the first run from its tightened twin, in natural sizes."""
        return max((float(gap.max(initial=0.0)) / self.size(name) for name, gap in self.own.items()), default=np.inf)

    def apart(self, one: Run, other: Run) -> float:
        """Distance at the end of two other runs in motion and energy, in natural sizes."""
        if one.solution is None or other.solution is None:
            return np.inf
        mine, theirs = courses(one.solution), courses(other.solution)
        names = [n for n in self.shares(reactions=False) if n in mine and n in theirs]
        return max(float(mine[n].away(theirs[n])[-1]) / self.size(n) for n in names)

    def known(self, accuracy: float) -> int:
        """Number of samples up to which motion and energy are known to an accuracy."""
        held = [share <= accuracy for share in self.shares(reactions=False).values()]
        return int(np.logical_and.reduce(held).sum()) if held else 0  # errors never fall


def _left_out(weak, channels, sizes, gaps, accuracy):
    """Samples (k,) close to singular positions at which reactions differ; they are not determined there, and count no more."""
    names = [name for name, channel in channels.items() if channel.kind in REACTIONS and name in gaps[0]]
    differ = np.zeros(weak.size, bool)
    for of in gaps:
        for name in names:
            differ |= weak & ~(of[name] <= 0.5 * accuracy * sizes[channels[name].kind])
    for of in gaps:
        for name in names:
            of[name][differ] = 0.0
    return differ


def _alike(solutions):
    """Number of samples at the same times, from the first one on."""
    k = min(solution.t.size for solution in solutions)
    same = np.logical_and.reduce([solution.t[:k] == solutions[0].t[:k] for solution in solutions])
    return k if same.all() else int(np.argmin(same))


def _certificate(trials, levels, accuracy, notes):
    """The Certificate of the level that reaches farthest, of equal ones the most accurate."""
    best = max(levels, key=lambda level: (level.known(accuracy), -level.share))
    best = best if all(check.ok for check in levels[-1].checked) else levels[-1]
    duration, count = float(trials.times[-1]), best.known(accuracy)
    said = [*failures(trials, best, duration), *(f"{c.name}: {c.sentence}" for c in best.checked if not c.ok)]
    if best.course:
        said += parting(trials, best, accuracy)
    first, until = best.runs.first, float(best.t[count - 1]) if count else 0.0
    errors = {
        name: Vouched(best.found[name].kind, UNITS[best.found[name].kind], best.size(name), float(course[max(count - 1, 0)]), course)
        for name, course in best.course.items()
    }
    return Certificate(
        name=trials.first.name,
        duration=duration,
        accuracy=accuracy,
        ok=not said,
        solution=None if first is None else first.solution,
        agrees_until=until,
        errors=errors,
        disagreements=tuple(said),
        checks=best.checked,
        runs=_kept(trials, best),
        left_out=() if first is None else left_out(first.solution),
        notes=(*notes, *_shared(trials, best), *_outvoted(best, accuracy), *_weak(best)),
    )


def _checks(level, accuracy) -> tuple[Check, ...]:
    """The worse one of the first and of the second run, of each check."""
    runs = [run for run in (level.runs.first, level.runs.second) if run is not None and level.sizes]
    each = [[c._replace(sentence=f"{c.sentence} ({run.role} run)") for c in checks(run.solution, level.sizes, accuracy)] for run in runs]
    return tuple(max(of_both, key=lambda c: c.share) for of_both in zip(*each, strict=True))


def _kept(trials, level) -> tuple[Run, ...]:
    """The runs that were compared, and those that failed."""
    used = [run for run in level.runs if run is not None]
    return (*used, *(run for run in trials.runs if not run.ok))


def _shared(trials, level):
    """What both methods share, where there was no better choice."""
    first, _, second = level.runs
    if first is None or second is None:
        return
    if trials.second is not None and second.coordinates == first.coordinates:
        yield f"No run in {OTHER[first.coordinates]} coordinates reached the end: both methods share their coordinates."
    if not second.pair.unlike(first.pair):
        what = "formulation" if second.pair.formulation == first.pair.formulation else "kind of integrator"
        yield f"No method with another {what} reached the end: both share it."


def _outvoted(level, accuracy):
    """The method that a third one has outvoted."""
    other = level.outvoted
    if other is not None:
        k, run = other.known(accuracy), other.runs.second
        when = f"parts from both at t = {other.t[k]:.6g} s, by the end by {other.share:.1g} natural sizes" if k < other.t.size else "differs from both in reactions"
        yield f"A third method was asked, as {run} {when}; its energy balances to {run.balance:.1e}.{singular(other)}"


def _weak(level):
    """Where reactions were not compared."""
    if level.weak.any() and level.shares(reactions=True):
        times = [f"{t:.6g}" for t in level.t[level.weak]]
        more = f" and {len(times) - TIMES} more times" if len(times) > TIMES else " s"
        yield f"Close to singular positions reactions are not determined, and left out: samples at t = {', '.join(times[:TIMES])}{more}."


__all__ = ["certify"]
