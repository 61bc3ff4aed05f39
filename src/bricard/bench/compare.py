"""compare(): every formulation with every integrator that fits, on one mechanism, within a time budget.

Each method climbs a ladder of tolerances or numbers of steps (ladder.py). Rungs are run by one process per core: first one of
each kind of method, then always that of the ladder which promises to reach the accuracy in the shortest time, until a finer
rung has confirmed it. Errors are those at the end of the motion, against a reference (reference.py).
Rows are written as they come, so that an interrupted comparison keeps what it has.
"""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..atomic import replacing
from ..errors import BricardError, Interrupted, ModelError, suggest
from ..model import Model, Rod
from ..problems import PROBLEMS
from ..provenance import processor
from ..registry import FORMULATIONS, INTEGRATORS
from ..simulation import simulate
from ..system.assembler import assemble
from ..system.build import build
from ..system.system import System
from .compare_conditioning import conditioning
from .compare_course import Course
from .compare_drift import drift
from .compare_methods import Method, methods
from .compare_run import ended
from .compare_table import Outcome, outcomes
from .compare_workers import Workers, cores
from .ladder import FLOOR

COORDINATES = ("absolute", "relative")


@dataclass
class Comparison:
    """What a comparison has found. `rows` : one dict per run; see docs/comparing-methods.md for their keys.

    reference, omitted, not_run, failed, conditioning, drift, machine : what else the report says. Sorted outcomes are in
    `table`, the words in `recommendation`; `report(path)` writes one HTML file that needs nothing else.
    """

    model: str
    span: float
    accuracy: float
    budget: float
    rows: list[dict[str, Any]] = field(default_factory=list)
    reference: dict[str, Any] = field(default_factory=dict)
    omitted: dict[str, str] = field(default_factory=dict)
    not_run: list[str] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)
    conditioning: dict[str, Any] = field(default_factory=dict)
    drift: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    singular: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False
    peers: list[dict[str, Any]] = field(default_factory=list)

    @property
    def table(self) -> list[Outcome]:
        """One Outcome per method, sorted by the time to reach the accuracy; those that do not reach it follow.

        Where the reference itself is not known to the accuracy none is said to reach it.
        """
        return outcomes(
            self.rows,
            self.accuracy if self.told else -1.0,
            self.span,
            max(FLOOR, self.reference.get("accuracy") or 0.0),
        )

    @property
    def told(self) -> bool:
        """Whether the reference is known to the accuracy, so that methods can be judged by it; certain is ten times that."""
        gap = self.reference.get("accuracy")
        return gap is not None and gap <= self.accuracy

    @property
    def recommendation(self) -> list[str]:
        """Sentences: what to take for the accuracy, for long runs, and what fails where."""
        from .report_words import recommendation

        return recommendation(self)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report, one HTML file that needs no network."""
        from .report import html

        file = Path(path)
        with replacing(file) as temporary:
            temporary.write_text(html(self), encoding="utf-8")
        return file

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write report.html, comparison.json and, if pyarrow is installed, rows.parquet into a folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = [self.report(folder / "report.html"), folder / "comparison.json"]
        with replacing(files[1]) as temporary:
            content = asdict(self) | {"recommendation": self.recommendation, "table": [asdict(o) for o in self.table]}
            temporary.write_text(json.dumps(content, indent=1, default=float), encoding="utf-8")
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            return files
        files.append(folder / "rows.parquet")
        with replacing(files[2]) as temporary:
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(_uniform(self.rows)), temporary)
        return files

    @staticmethod
    def load(folder: str | os.PathLike[str]) -> Comparison:
        """A comparison that save() has written."""
        content = json.loads((Path(folder) / "comparison.json").read_text(encoding="utf-8"))
        return Comparison(**{key: content[key] for key in Comparison.__dataclass_fields__})

    def __repr__(self) -> str:
        best = next(iter(self.table), None)
        words = f"best: {best.name}" if best is not None and best.seconds is not None else "none reaches the accuracy"
        return f"<Comparison on {self.model!r}: {len(self.rows)} runs, {words}>"


class Subject(NamedTuple):
    """What is compared on: systems by kind of coordinates, span (s), name; problem and singular positions of the library."""

    systems: dict[str, Any]
    span: float
    name: str
    problem: str = ""
    singular: str = ""


def subject(what: Any, span: float | None) -> Subject:
    """The Subject of a model, a system or the name of a problem."""
    name = singular = ""
    if isinstance(what, str):
        if what not in PROBLEMS:
            raise ModelError(f'There is no problem "{what}".{suggest(what, PROBLEMS)} Known: {", ".join(PROBLEMS)}.')
        problem, name = PROBLEMS[what], what
        what, singular = problem.model(), problem.singular
        span = problem.span if span is None else span
    if not isinstance(what, (Model, System)):
        raise ModelError(f"compare() takes a Model, a System or the name of a problem, not {what!r}.")
    if span is None:
        raise ModelError(
            "How long? Give span=..., in seconds; for a model file --duration, or `duration` in its table [simulation]."
        )
    if isinstance(span, bool) or not (isinstance(span, Real) and np.isfinite(span) and span > 0.0):
        raise ModelError(f"span is {span!r}; it must be a positive number of seconds.")
    systems = {"absolute": what if isinstance(what, System) else build(what)}
    if isinstance(what, Model):
        with suppress(ModelError):  # what relative coordinates do not take stays with absolute ones
            systems["relative"] = build(what, coordinates="relative")
    return Subject(systems, float(span), what.name, name, singular)


def compare(
    what: Any,
    span: float | None = None,
    *,
    accuracy: float = 1e-6,
    budget: float = 60.0,
    only: Any = None,
    output: str | os.PathLike[str] | None = None,
    peers: bool = False,
    progress: Any = None,
) -> Comparison:
    """Run all methods that fit a Model, a System or a problem of the library (by name) against each other.

    span : seconds of motion; of a problem its own if not given. accuracy : the error at the end that counts, in characteristic
    lengths and radians. budget : seconds, without those of compiling; what is left over is listed as not run. only : names of
    formulations or integrators, or a kind of coordinates, to look at. output : a folder that gets the rows as they come
    (rows.jsonl) and the report. peers : other packages too, where they are installed and can hold the model. progress : called
    as progress(done, text) with the share that is done. Ctrl-C ends it early, with all that is known by then.
    """
    for name, value in (("accuracy", accuracy), ("budget", budget)):
        if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(value) or value <= 0.0:
            raise ModelError(f"{name} is {value!r}; it must be a positive number.")
    about = subject(what, span)
    found, omitted = methods(about.systems)
    chosen = _only(found, only)
    comparison = Comparison(about.name, about.span, accuracy, budget, omitted=omitted, singular=about.singular)
    comparison.machine = _machine()
    comparison.not_run = [method.name for method in chosen]
    tell = progress or _tell_nobody
    for system in about.systems.values():
        assemble(system)  # once for all processes; what cannot be assembled cannot be compared
    course = Course(comparison, about, chosen, Path(output) if output is not None else None, tell)
    try:
        began = time.perf_counter()
        _compile(chosen, tell)
        comparison.seconds["compile"] = time.perf_counter() - began
        with Workers(about.systems, about.span, cores(), partial(_compile, chosen, _tell_nobody)) as workers:
            course.all(workers)
        end = course.end() if peers else None
        if end is not None:
            from .peers_compare import peer_rows

            tell(1.0, "other packages")
            comparison.peers = peer_rows(about.systems["absolute"], comparison, end)
    except KeyboardInterrupt:
        comparison.interrupted = True
    course.finish()
    if comparison.interrupted:
        raise Interrupted("Interrupted: the comparison holds what was known by then.", comparison)
    return comparison


def _tell_nobody(done: float, text: str) -> None:
    """Show no progress."""


def _only(found: list[Method], only: Any) -> list[Method]:
    """Those of the methods whose formulation, integrator or coordinates are asked for; all of them if nothing is."""
    if only is None:
        return found
    names = [only] if isinstance(only, str) else list(only)
    for name in names:
        if name not in (*FORMULATIONS, *INTEGRATORS, *COORDINATES):
            known = [*FORMULATIONS, *INTEGRATORS, *COORDINATES]
            raise ModelError(
                f'There is no formulation, integrator or kind of coordinates "{name}".{suggest(name, known)}'
            )
    asked = [[name for name in names if name in known] or known for known in (FORMULATIONS, INTEGRATORS, COORDINATES)]
    kept = [m for m in found if m.formulation in asked[0] and m.integrator in asked[1] and m.coordinates in asked[2]]
    if not kept:
        raise ModelError(f"No pair of formulation and integrator is left with only={', '.join(names)}.")
    return kept


def _compile(chosen, tell):
    """Load or compile every piece: one short run for each formulation and form, and for each integrator.

    The runs are those of a four-bar linkage and take no time; what the elements of the model itself need, build() has compiled.
    """
    systems = {coordinates: build(_four_bar(), coordinates=coordinates) for coordinates in COORDINATES}
    seen: set[Any] = set()
    for k, method in enumerate(chosen):
        new = {(method.coordinates, method.formulation, method.form), (method.integrator, method.form)} - seen
        if not new:
            continue
        seen |= new
        tell(0.0, f"compiling or loading, {k} of {len(chosen)} methods")
        step = {"rtol": 1e-2} if method.adaptive else {"step": 1e-6}
        keywords = {
            "formulation": method.formulation,
            "integrator": method.integrator,
            "check": False,
            "progress": False,
        }
        try:
            solution = simulate(systems[method.coordinates], 2e-6, output=2, **step, **keywords)
        except (BricardError, ArithmeticError, np.linalg.LinAlgError):
            continue  # it will say so in its rows
        solution.summary()
        ended(solution)
    adaptive = [method for method in chosen if method.adaptive and INTEGRATORS[method.integrator].external is None]
    with suppress(BricardError):
        for method in adaptive[:1]:
            drift(systems, 1e-5, method, 1e-2)
        conditioning(systems, 1e-5, few=True)


def _four_bar() -> Model:
    """A small linkage with a loop, and so with redundant rows in space; a damper does work on it."""
    model = Model("small")
    points = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (2.0, 2.0, 0.0), (2.0, 0.0, 0.0)]
    rods = [model.body(name, Rod(a, b, mass=1.0)) for name, a, b in zip("abc", points, points[1:], strict=False)]
    bodies = [model.ground, *rods, model.ground]
    for name, a, b, point in zip("ABCD", bodies, bodies[1:], points, strict=False):
        model.revolute(name, a, b, point, (0.0, 0.0, 1.0))
    model.torsion("damper", "A", damping=0.1)
    model.start(joint="A", velocity=1.0)
    return model


def _machine():
    from importlib.metadata import PackageNotFoundError, version

    found = {
        "processor": processor(),
        "cores": cores(),
        "python": platform.python_version(),
    }
    for package in ("bricard", "numpy", "scipy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | {"time": time.strftime("%Y-%m-%d %H:%M")}


def _uniform(rows):
    """Rows with the same keys, as a table needs them."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return [{key: row.get(key) for key in keys} for row in rows]
