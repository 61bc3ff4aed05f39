"""The reference of a comparison: what the error at the end is measured against.

A problem of the library with a certified reference brings its own. Otherwise methods run at tight tolerances, and the two that
agree best make the reference: of different kinds of integrators, and of different formulations where these agree well enough.
How far they are apart is its accuracy. If that is not clearly below the accuracy that the comparison asks for, the reference is
called not certain, and the report says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..errors import BricardError
from ..problems import PROBLEMS
from ..simulation import simulate
from .compare_run import distance, ended
from .compare_workers import Workers

KINDS = {"dop853": "explicit", "adams": "multistep", "radau": "implicit", "radau5": "implicit"}
CANDIDATES = (
    ("index1", "dop853"),
    ("index1", "adams"),
    ("index2", "radau"),
    ("qr", "adams"),
    ("hybrid", "dop853"),
    ("projection", "adams"),
    ("ggl", "radau5"),
)
TOLERANCES = (1e-12, 1e-11, 1e-10, 1e-8)
MARGIN = 10.0  # a reference is certain if its accuracy is by so much below the accuracy asked for


@dataclass(frozen=True)
class Reference:
    """What a solution is measured against: the end of another one, or the certified values of a problem.

    accuracy : as errors are measured, None if unknown. steps : how many the motion needs, roughly.
    """

    text: str
    accuracy: float | None
    steps: int
    end: dict[str, np.ndarray] | None = None
    problem: str = ""

    def certain(self, accuracy: float) -> bool:
        """Whether errors of the size of `accuracy` can be told with it."""
        return self.accuracy is not None and MARGIN * self.accuracy <= accuracy

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


class Candidate(NamedTuple):
    """One run at a tight tolerance."""

    words: str
    formulation: str
    kind: str
    end: dict[str, np.ndarray]
    steps: int


def tight(systems, span: float, formulation: str, integrator: str, rtol: float, limit: float = 0.0) -> Candidate:
    """A candidate. `limit`: see Workers."""
    keywords = {"formulation": formulation, "integrator": integrator, "rtol": rtol}
    solution = simulate(systems["absolute"], span, output=1, progress=False, **keywords)
    words = f"{formulation} + {integrator} at rtol {rtol:g}"
    return Candidate(words, formulation, KINDS[integrator], ended(solution), solution.counters["steps"])


def certified(problem: str, span: float):
    """The reference that a problem brings for its own options at a time (s), or None."""
    fitting = [r for r in PROBLEMS[problem].references if not r.options and abs(r.time - span) <= 1e-12 * span]
    return fitting[-1] if fitting else None


def make(workers: Workers, length: float, span: float, accuracy: float, seconds: float, problem: str = "") -> Reference:
    """The reference; each of the runs for it may take `seconds`. Raises BricardError where none of them reaches the end."""
    known = certified(problem, span) if problem else None
    pairs = CANDIDATES[:1] if known is not None else CANDIDATES
    tolerances = (1e-8,) if known is not None else TOLERANCES
    jobs = [
        {"task": tight, "formulation": f, "integrator": i, "rtol": rtol, "limit": seconds}
        for rtol in tolerances
        for f, i in pairs
    ]
    answers = workers.all(jobs)
    found = [answer for answer in answers if isinstance(answer, Candidate)]
    if known is not None:
        steps = found[0].steps if found else 1000
        text = f"The certified values of the problem ({known.provenance.rstrip('.')}), relative accuracy {known.accuracy:.0e}."
        return Reference(text, known.accuracy, steps, problem=problem)
    if not found:
        failures = " ".join(f"{f} + {i}: {a}" for (f, i), a in zip(CANDIDATES, answers, strict=False))
        raise BricardError(f"No method reaches the end, so there is nothing to compare with. {failures}")
    best = agreement(found, length, accuracy)
    if best is None:
        text = f"It is the result of {found[0].words} alone: no second method of another kind ended. It is not certain."
        return Reference(text, None, found[0].steps, found[0].end)
    gap, first, second = best
    text = f"{first.words} and {second.words} agree to {gap:.1e}."
    if MARGIN * gap > accuracy:
        text += (
            f" That is not clearly below the accuracy asked for, {accuracy:.0e}: errors near {gap:.0e} are not certain."
        )
    return Reference(text, gap, first.steps, first.end)


def agreement(found: list[Candidate], length: float, accuracy: float) -> tuple[float, Candidate, Candidate] | None:
    """(distance, one, other) of the two that agree best, or None: of different formulation and kind; if these do not agree well
    enough, of different kind."""
    pairs = [(distance(a.end, b.end, length), a, b) for a, b in combinations(found, 2) if a.kind != b.kind]
    pairs = sorted((pair for pair in pairs if np.isfinite(pair[0])), key=lambda pair: pair[0])
    different = [pair for pair in pairs if pair[1].formulation != pair[2].formulation]
    if different and (MARGIN * different[0][0] <= accuracy or different[0] is pairs[0]):
        return different[0]
    return pairs[0] if pairs else None
