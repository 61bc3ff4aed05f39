"""The reference of a comparison: what the error at the end is measured against.

A problem of the library with a certified reference brings its own. Otherwise methods run at a tight tolerance, and two that
agree are the reference: of different kinds of integrators, and of different formulations where these agree well enough. How far
they are apart is its accuracy. Tighter tolerances follow until that is clearly below the accuracy that the comparison asks for;
if it is not when the time for it is spent, the reference is called not certain, and the report says so. Where all of them end
apart by far more than their tolerances, the motion is sensitive, and no method can be judged by its end.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..analysis.unlike import KINDS, PAIRS, STIFF
from ..problems import PROBLEMS
from ..simulation import simulate
from .compare_run import distance, ended
from .compare_workers import Lost, Workers

TOLERANCES = (1e-8, 1e-10, 1e-11, 1e-12)
BELOW = 1e-3  # the first tolerance is by so much below the accuracy asked for, or more
MARGIN = 10.0  # a reference is certain if its accuracy is by so much below the accuracy asked for
CHEAP = 0.2  # share of its time after which a reference that is certain is not improved any more
AMPLIFIED = 1e5  # a motion is sensitive if runs end so many times their tolerance apart
REFUSED = 3  # failures after which a tolerance is too tight, if no run has reached the end
UNKNOWN = 1000  # steps, where nothing is known


class Candidate(NamedTuple):
    """One run at a tight tolerance."""

    words: str
    formulation: str
    kind: str
    end: dict[str, np.ndarray]
    steps: int
    rtol: float = 0.0
    integrator: str = ""


@dataclass(frozen=True)
class Reference:
    """What a solution is measured against: the end of another one, the certified values of a problem, or nothing yet.

    accuracy : as errors are measured, None if unknown. steps : how many the motion needs, roughly. sensitive : the end depends
    on round-off. alike : those that agree are of one kind. found, failed : runs for it; why others ended.
    """

    text: str
    accuracy: float | None
    steps: int
    end: dict[str, np.ndarray] | None = None
    problem: str = ""
    sensitive: bool = False
    alike: bool = False
    found: tuple[Candidate, ...] = field(default=(), repr=False)
    failed: dict[str, str] = field(default_factory=dict)

    def certain(self, accuracy: float) -> bool:
        """Whether errors of the size of `accuracy` can be told with it."""
        return self.accuracy is not None and MARGIN * self.accuracy <= accuracy and not self.alike

    @property
    def known(self) -> bool:
        """Whether errors can be measured at all."""
        return self.end is not None or bool(self.problem)

    @property
    def measure(self) -> str:
        """What an error is, in words."""
        if self.problem:
            return (
                "Errors are the largest relative errors of the problem's outputs at the end; angles up to whole turns."
            )
        return (
            "Errors are the largest at the end over all bodies: positions in characteristic lengths, rotations in rad."
        )

    def error(self, solution) -> float:
        """The error of a solution at its end: largest difference over all bodies (positions in characteristic lengths, rotations
        in rad), or as the problem defines it."""
        known = certified(self.problem, solution.t[-1]) if self.problem else None
        if known is not None:
            return PROBLEMS[self.problem].error(solution, known)
        assert self.end is not None
        return distance(ended(solution), self.end, solution.system.length)


def tight(systems, span: float, formulation: str, integrator: str, rtol: float, limit: float = 0.0) -> Candidate:
    """A candidate. `limit`: see Workers."""
    keywords = {"formulation": formulation, "integrator": integrator, "rtol": rtol}
    solution = simulate(systems["absolute"], span, output=2, progress=False, energy=False, **keywords)
    words = f"{formulation} + {integrator} at rtol {rtol:g}"
    return Candidate(
        words, formulation, KINDS[integrator], ended(solution), solution.counters["steps"], rtol, integrator
    )


def certified(problem: str, span: float):
    """The reference that a problem brings for its own options at a time (s), or None."""
    fitting = [r for r in PROBLEMS[problem].references if not r.options and abs(r.time - span) <= 1e-12 * span]
    return fitting[-1] if fitting else None


def make(
    workers: Workers, length: float, span: float, accuracy: float, seconds: float, problem: str = "", stiff=False
) -> Reference:
    """The reference, found within `seconds`; one that knows nothing where no run for it reaches the end."""
    known = certified(problem, span) if problem else None
    if known is not None:
        (answer,) = workers.all([_job("index1", "dop853", TOLERANCES[0], seconds)])
        steps = answer.steps if isinstance(answer, Candidate) else UNKNOWN
        text = f"The certified values of the problem ({known.provenance.rstrip('.')}), relative accuracy {known.accuracy:.0e}."
        return Reference(text, known.accuracy, steps, problem=problem)
    began, pairs = time.monotonic(), STIFF if stiff else PAIRS
    longest = seconds if workers.free > 1 else 0.5 * seconds  # with one process the second of a pair needs time, too
    found: list[Candidate] = []
    failed: dict[str, str] = {}
    levels = _levels(accuracy)
    for rtol in levels:
        if not found and rtol < levels[0]:
            continue  # what fails at a tolerance fails at tighter ones
        if found and rtol > found[-1].rtol and agreement(found, length, accuracy) is not None:
            break  # looser ones are for what fails at tight ones
        level: list[Candidate] = []
        refused = 0
        for k, answer in workers.each([_job(f, i, rtol, longest) for f, i in pairs], began + seconds):
            if isinstance(answer, Candidate):
                level.append(answer)
            else:
                failed[f"{' + '.join(pairs[k])} at rtol {rtol:g}"] = str(answer)
                refused += not isinstance(answer, Lost)
            if _agree(level, length, accuracy) or (refused >= REFUSED and not level and rtol != levels[-1]):
                workers.drop()
                break
        found += level
        spent = time.monotonic() - began
        if spent > seconds or (spent > CHEAP * seconds and _agree(level, length, accuracy)):
            break
    return chosen(found, length, accuracy, failed)


def _job(formulation, integrator, rtol, limit):
    return {"task": tight, "formulation": formulation, "integrator": integrator, "rtol": rtol, "limit": limit}


def _levels(accuracy):
    """Tolerances in the order of trying: from one that should do to the tightest, then looser ones."""
    first = next((k for k, rtol in enumerate(TOLERANCES) if rtol <= BELOW * accuracy), len(TOLERANCES) - 1)
    return (*TOLERANCES[first:], *reversed(TOLERANCES[:first]))


def _agree(found, length, accuracy):
    best = agreement(found, length, accuracy)
    return best is not None and MARGIN * best[0] <= accuracy and best[1].kind != best[2].kind


def chosen(found: list[Candidate], length: float, accuracy: float, failed: dict[str, str]) -> Reference:
    """The reference that candidates give."""
    more = {"found": tuple(found), "failed": failed}
    if not found:
        return Reference("There is none: no run for it reached the end.", None, UNKNOWN, **more)
    best, tightest = agreement(found, length, accuracy), min(found, key=lambda candidate: candidate.rtol)
    if best is None:
        text = f"It is the result of {tightest.words} alone: no second method of another kind ended."
        return Reference(text, None, tightest.steps, tightest.end, **more)
    gap, first, second = best
    text = f"{first.words} and {second.words} agree to {gap:.1e}."
    loosest = max(first.rtol, second.rtol)
    sensitive = gap > max(accuracy, AMPLIFIED * loosest) and loosest <= BELOW * accuracy
    if sensitive:
        text = f"{first.words} and {second.words} end {gap:.1e} apart, although no pair at their tolerances is nearer."
    elif MARGIN * gap > accuracy:
        text += (
            f" That is not clearly below the accuracy asked for, {accuracy:.0e}: errors near {gap:.0e} are not certain."
        )
    alike = first.kind == second.kind
    text += " They are of the same kind, so that it is not certain." if alike and not sensitive else ""
    return Reference(text, gap, first.steps, first.end, sensitive=sensitive, alike=alike, **more)


def agreement(found: list[Candidate], length: float, accuracy: float) -> tuple[float, Candidate, Candidate] | None:
    """(distance, one, other) of the two that agree best, or None: of different formulation and kind; if these do not agree well
    enough, of different kind; if there are none, of different integrators. Only runs at the two tightest tolerances count: among
    many one pair agrees by chance."""
    tightest = sorted({candidate.rtol for candidate in found})[:2]
    found = sorted((c for c in found if c.rtol in tightest), key=lambda candidate: candidate.rtol)
    several = list(combinations(found, 2))
    several = [p for p in several if p[0].kind != p[1].kind] or [
        p for p in several if p[0].integrator != p[1].integrator
    ]
    pairs = [(distance(a.end, b.end, length), a, b) for a, b in several]
    pairs = sorted((pair for pair in pairs if np.isfinite(pair[0])), key=lambda pair: pair[0])
    different = [pair for pair in pairs if pair[1].formulation != pair[2].formulation]
    if different and (MARGIN * different[0][0] <= accuracy or different[0] is pairs[0]):
        return different[0]
    return pairs[0] if pairs else None
