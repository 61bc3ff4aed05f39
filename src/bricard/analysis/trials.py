"""The runs of a certificate: a method that fails gives way to the next one, and its sentence is kept."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..balance import Course, rest
from ..errors import BricardError
from ..simulation import simulate
from ..solution.solution import Solution
from ..system.system import System
from .certificate import FIRST, SECOND, TIGHTENED, Run
from .stiffness import STIFF as RATE
from .stiffness import stiffness
from .unlike import PAIRS, STIFF, Pair, admitted, unlike_first

FINER = (1e-2, 1e-1)  # of the first run's tolerance: that of the others, and what is tried where it fails
PATIENCE = (
    4_000,
    1_000_000,
)  # attempts at a step of one run: the second number only where no method ends with the first one
TIMES = 50  # as many attempts as the first run needed are allowed for the others, if that is more
FAILS = (BricardError, ArithmeticError, np.linalg.LinAlgError)  # a method may meet the latter where it fails


class Three(NamedTuple):
    """The runs at one tolerance; None where none reached its end."""

    first: Run | None
    tightened: Run | None
    second: Run | None


@dataclass
class Trials:
    """All runs of one certificate; each is made once.

    first : the System of the first method. second : the same in other coordinates, None where there are none. times (n,) : the
    samples. progress : as simulate() has it.
    """

    first: System
    second: System | None
    times: np.ndarray
    progress: bool | None = None
    runs: list[Run] = field(default_factory=list)
    known: dict[tuple[int, Pair, float], Run] = field(default_factory=dict)

    most: int = PATIENCE[0]

    def __post_init__(self) -> None:
        self.stiff = stiffness(self.first) > RATE

    @property
    def loops(self) -> bool:
        """Whether there are singular positions to meet: not where relative coordinates leave no rows."""
        relative = next((s for s in (self.first, self.second) if s is not None and s.tree), None)
        return relative is None or relative.n_rows > 0

    def at(self, rtol: float) -> Three:
        """The runs with this tolerance of the first one."""
        found = self._at(rtol)
        if found.first is None and self.most < PATIENCE[-1] and any(map(_given_up, self.runs)):
            self.known = {key: run for key, run in self.known.items() if not _given_up(run)}
            self.runs, self.most = [run for run in self.runs if not _given_up(run)], PATIENCE[-1]
            found = self._at(rtol)
        return found

    def _at(self, rtol):
        alone = None
        for pair in self._pairs(self.first):
            first = self._run(FIRST, self.first, pair, rtol)
            tightened = self._tightened(pair, rtol) if first.ok else None
            if tightened is not None:
                return Three(first, tightened, next(self.seconds(pair, rtol), None))
            alone = first if first.ok and alone is None else alone
        if alone is None:
            return Three(None, None, None)
        return Three(alone, None, next(self.seconds(alone.pair, rtol), None))

    def _tightened(self, pair, rtol):
        runs = (self._run(TIGHTENED, self.first, pair, finer * rtol) for finer in FINER)
        return next((run for run in runs if run.ok), None)

    def seconds(self, first: Pair, rtol: float) -> Iterator[Run]:
        """Runs to be compared with the first one, those that share least with it first; one of each method."""
        systems = [self.first] if self.second is None else [self.second, self.first]
        for system in systems:
            for pair in unlike_first(self._pairs(system), first):
                runs = (self._run(SECOND, system, pair, finer * rtol) for finer in FINER)
                found = next((run for run in runs if run.ok), None)
                if found is not None:
                    yield found

    def looser(self, run: Run) -> Run:
        """The same as a run of the second method at a looser tolerance."""
        system = self.first if run.coordinates == self.first.coordinates or self.second is None else self.second
        return self._run(SECOND, system, run.pair, run.rtol / FINER[-1])

    def _pairs(self, system):
        return admitted(STIFF if self.stiff else PAIRS, system)

    def _run(self, role, system, pair, rtol):
        """The Run, made now if it is not known yet."""
        rtol = float(f"{rtol:.0e}")
        key = id(system), pair, rtol
        looser = [
            run for (of, other, r), run in self.known.items() if (of, other) == key[:2] and r > rtol and not run.ok
        ]
        if key not in self.known and looser:  # what fails at a tolerance fails at tighter ones
            return replace(looser[0], role=role)
        if key not in self.known:
            self.known[key] = self._made(role, system, pair, rtol)
            self.runs.append(self.known[key])
        return replace(self.known[key], role=role)

    def _made(self, role, system, pair, rtol):
        """The Run. What the first one of all warns of is for the user; the others would only say it again."""
        settings = {"formulation": pair.formulation, "integrator": pair.integrator, "rtol": rtol}
        settings |= {"most_steps": self.most, "progress": self.progress}
        with warnings.catch_warnings():
            if self.runs:
                warnings.simplefilter("ignore")
            try:
                found = simulate(system, float(self.times[-1]), output=self.times, check=False, **settings)
            except FAILS as error:
                return Run(role, system.coordinates, pair, rtol, False, f"{type(error).__name__}: {error}")
        if found.ok and role == FIRST:
            self.most = max(PATIENCE[0], TIMES * attempts(found))
        balance = share_of_energy(found) if found.ok else np.nan
        return Run(role, system.coordinates, pair, rtol, found.ok, found.status, found, balance)


def _given_up(run):
    """Whether a run has ended for want of patience."""
    if run.ok or run.solution is None:
        return False
    return attempts(run.solution) >= run.solution.provenance["arguments"]["most_steps"]


def attempts(solution: Solution) -> int:
    """Attempts at a step of a run."""
    return solution.counters["steps"] + solution.counters["rejected"]


def share_of_energy(solution: Solution) -> float:
    """Largest error of the energy balance, as a share of the energy in motion; NaN where there is none."""
    course = Course.of(solution)
    size = float(course.traffic[-1]) + rest(solution.system)
    return float(np.abs(course.moved).max()) / size if size > 0.0 else np.nan
