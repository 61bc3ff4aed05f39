"""certify(): is this motion right? Two methods that share little, and checks that these do not share either.

The first method runs twice, at a tolerance and at a tighter one. The second one has the other kind of coordinates where there is
a model, another formulation, another kind of integrator (unlike.py), and the tighter tolerance. The delivered motion is the first
run; the error it vouches for is its distance from the tightened run plus that from the second one. Where that is more than the
accuracy asked for, all tolerances are tightened, down to where round-off begins.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ..errors import BricardError, ModelError
from ..model import Model
from ..model.checks import integer, number
from ..system.assembler import assemble
from ..system.build import build
from ..system.system import System
from .certificate import Certificate, Run, Vouched
from .courses import UNITS, left_out
from .level import Level
from .parting import failures, parting, singular
from .soundness import Check, checks
from .trials import Trials

SAMPLES = 401
LOOSEST, TIGHTEST = 1e-2, 1e-9  # accuracies that can be asked for
SHARE, FINER = 1e-2, 1e-1  # of the accuracy: the first tolerance; of that: the next one
SMALLEST = 1e-10  # tolerance of the first run: round-off leaves no room for tighter ones than a hundredth of it
OPINIONS = 3  # second methods that are asked, where the first one agrees with itself but not with them
NAMED = 8  # samples in a sentence
OTHER = {"absolute": "relative", "relative": "absolute"}


def certify(
    what: Any, duration: float, accuracy: float = 1e-6, *, samples: int = SAMPLES, progress: bool | None = None
) -> Certificate:
    """The motion of a Model or System over `duration` (s) with the error that can be vouched for, or why there is none.

    accuracy : largest error that is accepted, in natural sizes: the characteristic length, a radian, the fastest motion, the
    largest force of a joint, the energy in motion. samples : of the solution, evenly spaced, at which all is compared.
    progress : show bars; None: on a terminal. A Model is run in absolute coordinates first, and in relative ones by the second
    method; a System in its own first. What cannot be built or assembled raises, as in simulate(); a run that fails is told in
    the Certificate.

    >>> import bricard as br
    >>> found = br.certify(br.problems.get("four-bar-spring").model(), 1.0)                         # doctest: +SKIP
    >>> print(found.text)                                                                           # doctest: +SKIP
    """
    duration, accuracy = number(duration, "duration", positive=True), _accuracy(accuracy)
    times = np.linspace(0.0, duration, integer(samples, "samples", least=2))
    first, second, notes = _systems(what)
    trials, levels = Trials(first, second, times, progress), []
    for rtol in _tolerances(accuracy):
        level = _opinions(trials, Level.of(trials.at(rtol), accuracy, trials.loops), accuracy)
        level.checked = _checked(level, accuracy)
        levels.append(level)
        if level.share <= accuracy or level.runs.first is None or not level.sound:
            break
    return _certificate(trials, levels, accuracy, notes)


def _accuracy(value):
    accuracy = number(value, "accuracy")
    if not TIGHTEST <= accuracy <= LOOSEST:
        raise ModelError(f"accuracy is {accuracy:g}; it must be a number from {TIGHTEST:g} to {LOOSEST:g}.")
    return accuracy


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
    """The Level with a second method that agrees: others are asked where only the first one agrees with itself."""
    first, tightened, second = level.runs
    if tightened is None or second is None or level.share <= accuracy or level.alone > accuracy:
        return level
    against = [level]
    for run in islice(trials.seconds(first.pair, first.rtol), 1, OPINIONS):
        other = Level.of(level.runs._replace(second=run), accuracy, trials.loops)
        if other.share <= accuracy:
            other.outvoted = tuple(against)
            return other
        against.append(other)
    return level


def _checked(level, accuracy) -> tuple[Check, ...]:
    """The worse one of the first and of the second run, of each check."""
    each = []
    for run in (level.runs.first, level.runs.second):
        if run is not None and level.sizes:
            found = checks(run.solution, level.sizes, accuracy)
            each.append([check._replace(sentence=f"{check.sentence} ({run.role} run)") for check in found])
    return tuple(max(of_both, key=lambda check: check.share) for of_both in zip(*each, strict=True))


def _certificate(trials, levels, accuracy, notes):
    """The Certificate of the level that reaches farthest, of equal ones the most accurate; of one whose checks fail first."""
    best = max(levels, key=lambda level: (not level.sound, level.known(accuracy), -level.share))
    duration, count = float(trials.times[-1]), best.known(accuracy)
    said = [*failures(trials, best, duration), *(f"{c.name}: {c.sentence}" for c in best.checked if not c.ok)]
    said += parting(trials, best, accuracy) if best.course else []
    first = best.runs.first
    return Certificate(
        name=trials.first.name,
        duration=duration,
        accuracy=accuracy,
        ok=not said,
        solution=None if first is None else first.solution,
        agrees_until=float(best.t[count - 1]) if count else 0.0,
        errors={name: _vouched(best, name, max(count - 1, 0)) for name in best.course},
        disagreements=tuple(said),
        checks=best.checked,
        runs=_kept(trials, best),
        left_out=() if first is None else left_out(first.solution),
        notes=(*notes, *_shared(trials, best), *_outvoted(best, accuracy), *_weak(best)),
    )


def _vouched(level, name, last):
    kind, course = level.found[name].kind, level.course[name]
    return Vouched(kind, UNITS[kind], level.size(name), float(course[last]), course)


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
        others = [other.runs.second.coordinates for other in level.outvoted]
        which = "agrees" if OTHER[first.coordinates] in others else "reached the end"
        yield f"No run in {OTHER[first.coordinates]} coordinates {which}: both methods share their coordinates."
    if not second.pair.unlike(first.pair):
        what = "formulation" if second.pair.formulation == first.pair.formulation else "kind of integrator"
        yield f"No method with another {what} reached the end: both share it."


def _outvoted(level, accuracy):
    """The methods that a further one has outvoted."""
    for other in level.outvoted:
        k, run = other.known(accuracy), other.runs.second
        when = "differs from both in reactions"
        if k < other.t.size:
            when = f"parts from both at t = {other.t[k]:.6g} s, by the end by {other.share:.1g} natural sizes"
        yield f"A further method was asked, as {run} {when}; its energy balances to {run.balance:.1e}.{singular(other)}"


def _weak(level):
    """Where reactions were not compared."""
    if level.weak.any() and level.shares(reactions=True):
        times = [f"{t:.6g}" for t in level.t[level.weak]]
        more = f" and {len(times) - NAMED} more times" if len(times) > NAMED else " s"
        yield (
            "Close to singular positions reactions are not determined, and left out: samples at t = "
            f"{', '.join(times[:NAMED])}{more}."
        )


__all__ = ["certify"]
