"""iftomm(): the problems of the IFToMM library, judged as the library does: error within its bound, CPU time.

Each problem is run by the default of simulate() and by methods of other families at settings that meet the bound. The CPU time is
that of the whole simulate() call in one process, the best of several, after a first call that compiles. Problems that are
linearised are judged by their eigenvalues. Published solutions stand beside ours with the processors they were measured on.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from ..errors import ModelError, suggest
from ..problems import PROBLEMS
from ..problems.bicycle import EIGENVALUES
from ..problems.bicycle import eigenvalues as bicycle_eigenvalues
from ..problems.four_bar_spring import eigenvalues as spring_eigenvalues
from ..problems.four_bar_spring import exact_eigenvalues
from ..provenance import processor
from ..simulation import simulate
from .published import PUBLISHED

__all__ = ["Result", "iftomm", "machine"]

FOX_GOODWIN = {"integrator": "null-space-newmark", "set": "fox-goodwin"}
EIGEN_BOUND = 1e-11  # 1/s, ours: what we compare with has 12 decimals
REPEATS = 3


@dataclass(frozen=True)
class Entry:
    """One run: the id of the library, the problem, options of its model, and settings of simulate()."""

    id: str
    problem: str
    settings: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)


ENTRIES = (
    Entry("A01", "pendulum", {"rtol": 1e-7}),
    Entry("A01", "pendulum", {"rtol": 1e-7, "integrator": "dop853"}, {"planar": True}),
    Entry("A01", "pendulum", {"step": 5e-4, **FOX_GOODWIN}),
    Entry("A02", "double-four-bar", {"rtol": 1e-6}),
    Entry("A02", "double-four-bar", {"rtol": 1e-4}, {"planar": True}),
    Entry("A02", "double-four-bar", {"step": 0.01, **FOX_GOODWIN}),
    Entry("A02", "n-four-bar", {"rtol": 1e-6}),
    Entry("A03", "andrews-testset", {"rtol": 1e-6}),
    Entry("A03", "andrews-iftomm", {"rtol": 1e-6}),
    Entry("A03", "andrews-iftomm", {"rtol": 1e-5, "integrator": "dop853"}),
    Entry("A04", "bricard", {"rtol": 1e-6}),
    Entry("A04", "bricard", {"rtol": 1e-5, "integrator": "dop853"}),
    Entry("A04", "bricard", {"step": 0.01, **FOX_GOODWIN}),
    Entry("A05", "flyball-governor", {"rtol": 1e-6}),
    Entry("A05", "flyball-governor", {"rtol": 1e-5, "formulation": "ggl", "integrator": "radau5"}),
    Entry("-", "slider-crank-thesis", {"rtol": 1e-7}),
    Entry("-", "slider-crank-rest", {"rtol": 1e-7}),
)


@dataclass
class Result:
    """Rows (dicts) of our runs, the published entries by problem, and the machine."""

    rows: list[dict[str, Any]]
    published: dict[str, list[dict[str, Any]]]
    machine: dict[str, Any]

    @property
    def acceptable(self) -> bool:
        """Whether every row is."""
        return all(row["acceptable"] for row in self.rows)


def iftomm(problems: tuple[str, ...] = (), tell: Callable[[str], None] = lambda text: None) -> Result:
    """Run the library, or the problems named; `tell` hears what is being run."""
    rows, known = [], dict.fromkeys([*(entry.problem for entry in ENTRIES), *(name for name, _ in _linearised())])
    for name in problems:
        if name not in known:
            raise ModelError(
                f'"{name}" is not a problem of this benchmark.{suggest(name, known)} It has {", ".join(known)}.'
            )
    for entry in ENTRIES:
        if not problems or entry.problem in problems:
            tell(entry.problem)
            rows.append(_simulated(entry))
    for name, row in _linearised():
        if not problems or name in problems:
            tell(name)
            rows.append(row())
    published = {
        name: [entry._asdict() for entry in PUBLISHED.get(name, ())] for name in {row["problem"] for row in rows}
    }
    return Result(rows, dict(sorted(published.items())), machine())


def _simulated(entry: Entry) -> dict[str, Any]:
    """The row of one run; a run that fails is a row that is not acceptable, with its reason."""
    problem = PROBLEMS[entry.problem]
    measure = problem.measures[0]
    system = problem.system(**entry.options)
    settings = {**entry.settings, "progress": False, "check": False}
    solution, best = simulate(system, problem.span, **settings), np.inf
    for _ in range(REPEATS):
        began = time.process_time()
        solution = simulate(system, problem.span, **settings)
        best = min(best, time.process_time() - began)
    error = measure.value(solution) if solution.ok else None
    used = solution.provenance
    return {
        "id": entry.id,
        "problem": entry.problem,
        "options": entry.options,
        "formulation": used["formulation"],
        "integrator": used["integrator"],
        "step_or_tolerance": entry.settings.get("step", entry.settings.get("rtol")),
        "kind": "step" if "step" in entry.settings else "tolerance",
        "measure": measure.name,
        "unit": measure.unit,
        "error": error,
        "bound": measure.bound,
        "bound_source": measure.source,
        "acceptable": error is not None and bool(error <= measure.bound),
        "cpu_s": best,
        "march_s": solution.seconds["march"],
        "steps": solution.counters["steps"],
        "status": solution.status,
    }


def _linearised() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Problem and maker of a row, for eigenvalues against published or exact ones."""
    for speed, exact in EIGENVALUES.items():
        find, options = partial(bicycle_eigenvalues, speed), {"speed": speed}
        yield (
            "bicycle",
            partial(_eigen, "bicycle", options, find, np.array(exact), "table 2 of Meijaard et al. 2007"),
        )
    exact = exact_eigenvalues()
    yield "four-bar-spring", partial(_eigen, "four-bar-spring", {}, spring_eigenvalues, exact, "closed formula")


def _eigen(
    name: str, options: dict[str, Any], find: Callable[[], np.ndarray], exact: np.ndarray, source: str
) -> dict[str, Any]:
    """The row of a linearisation."""
    find()
    began = time.process_time()
    found = find()
    spent = time.process_time() - began
    error = float(np.abs(found - exact).max())
    return {
        "id": "-",
        "problem": name,
        "options": options,
        "formulation": "linearise",
        "integrator": None,
        "step_or_tolerance": None,
        "kind": None,
        "measure": "eigenvalues",
        "unit": "1/s",
        "error": error,
        "bound": EIGEN_BOUND,
        "bound_source": source,
        "acceptable": bool(error <= EIGEN_BOUND),
        "cpu_s": spent,
        "march_s": None,
        "steps": None,
        "status": "Linearised.",
        "eigenvalues": [[float(value.real), float(value.imag)] for value in found],
    }


def machine() -> dict[str, Any]:
    """Processor, cores, system and versions."""
    packages = ("bricard", "numpy", "scipy", "numba")
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "time": time.strftime("%Y-%m-%d %H:%M"),
    }
