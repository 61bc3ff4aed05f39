"""recommend(): a method for a model, from measured results of the library.

methods.json holds what `bricard bench methods` has measured: for every problem of the library its features, and for every
method that was run the time to reach each target error, the smallest error, the drift of the energy, and the settings at which
it failed. A model is compared with the problems that share its features (in the plane or in space, constraints, redundant rows,
forces, nonholonomic rows, stiffness at the start). Recommended is only what failed on no problem at all, at any tolerance down to
FINEST, and reaches the accuracy on at least half of those that are like the model, where any method does; among these the one
with the smallest geometric mean of its time over the best time is taken, ten where it was not reached. For long runs the accuracy
is made a hundred times finer: with error control the drift of energy goes with the error, and the method that is fastest to a
small error drifts least for its time (rssr over 40 s in about 70 ms: 7e-9 J with dop853, 2e-5 J with rkf45).
What it rests on, and what is not known, is said with it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from numbers import Real
from typing import Any

from ..analysis.stiffness import STIFF, stiffness
from ..errors import ModelError, suggest
from ..model import Model
from ..pairing import choose
from ..registry import FORMULATIONS
from ..system.build import build
from ..system.system import System
from .compare_methods import Method, methods

TARGETS = (1e-4, 1e-6, 1e-8)
GOALS = {
    "speed": "the shortest time to the accuracy",
    "long-run": "a small drift of energy over many periods: the shortest time to an error a hundred times smaller",
    "reactions": "multipliers of its own that are as accurate as the motion: index 1, or GGL",
    "control": "an ordinary differential equation y' = f(t, y), as br.problem() and br.linearise() take it",
}
DEARER = 10.0  # times the fastest one: what a method counts where it did not reach the error
FINER = 0.01  # of the accuracy asked for, for long runs
IMPLICIT = ("ggl", "radau5")  # for stiff models of which the measurements say nothing
FINEST = 1e-10  # failures at finer tolerances do not count
ALIKE = 3  # problems at least that decide; with fewer, all of the library do


@dataclass(frozen=True)
class Recommendation:
    """A method and why: `simulate(model, duration, **settings)` runs it. evidence : problem -> its time over the best time."""

    formulation: str
    integrator: str
    settings: dict[str, Any]
    why: str
    evidence: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.settings.items())
        return f"simulate(model, duration, {settings})\n{self.why}"


@cache
def measured() -> dict[str, Any]:
    """The content of methods.json."""
    return json.loads((files("bricard.bench") / "methods.json").read_text(encoding="utf-8"))


def features(system: System) -> dict[str, bool]:
    """What kind of system it is, as far as methods care."""
    record, model = system.record, system.model
    rows = int(record.n_rows)
    return {
        "functions": model is None,
        "planar": model is not None and all(body.planar for body in model.bodies.values()),
        "constrained": rows > 0,
        "redundant": bool(record.redundant),
        "forces": model is not None and bool(model.forces),
        "nonholonomic": bool(record.velocity_level.any()),
        "stiff": stiffness(system) > STIFF,
    }


def recommend(what: Any, accuracy: float = 1e-6, goal: str = "speed") -> Recommendation:
    """The method that the measurements of the library speak for, for a Model or System.

    accuracy : error at the end that is wanted, in characteristic lengths and radians. goal : "speed", "long-run", "reactions" or
    "control".

    >>> import bricard as br
    >>> found = br.recommend(br.problems.get("bricard").model(), accuracy=1e-6)
    >>> solution = br.simulate(model, 1.0, **found.settings)                                        # doctest: +SKIP
    """
    if not isinstance(goal, str) or goal not in GOALS:
        raise ModelError(f"There is no goal {goal!r}.{suggest(str(goal), GOALS)} Known: {', '.join(GOALS)}.")
    if isinstance(accuracy, bool) or not isinstance(accuracy, Real) or not 0.0 < accuracy < 1.0:
        raise ModelError(f"accuracy is {accuracy!r}; it must be a number between 0 and 1.")
    if not isinstance(what, (Model, System)):
        raise ModelError(f"recommend() takes a Model or a System, not {what!r}.")
    system, accuracy = what if isinstance(what, System) else build(what), float(accuracy)
    own = features(system)
    if goal == "long-run":
        accuracy *= FINER
    fitting = [method for method in methods({"absolute": system})[0] if method.adaptive and _serves(method, goal)]
    implicit = [method for method in fitting if method.family == "implicit"]
    if own["stiff"]:
        fitting = implicit or fitting
    alike = _alike(own)
    nearest = min(TARGETS, key=lambda t: abs(math.log10(t / accuracy)))
    choice = Choice(accuracy, goal, nearest, alike, own["stiff"], bool(implicit))
    found = [(score, method) for method in fitting if (score := choice.score(method)) is not None]
    if found:
        score, method = min(found, key=lambda entry: entry[0][0])
        return choice.recommendation(method, score[1])
    names = list(IMPLICIT) if own["stiff"] else [part.name for part in choose(None, None, None)[:2]]
    usual = [method for method in fitting if [method.formulation, method.integrator] == names]
    if not usual:
        raise ModelError(f"No method of the library's measurements serves {goal} at {accuracy:g} for this system.")
    return choice.fallback(usual[0])


def _serves(method: Method, goal: str) -> bool:
    if goal == "reactions":
        return method.formulation in ("index1", "ggl")
    if goal == "control":
        return method.form == "Ode" and FORMULATIONS[method.formulation].nonholonomic
    return True


def _alike(own: dict[str, bool]) -> dict[str, Any]:
    """The problems of the measurements that share the most features with a system; all of them where these are too few."""
    problems = measured()["problems"]
    shared = {name: sum(found["features"][key] == own[key] for key in own) for name, found in problems.items()}
    for least in range(max(shared.values()), 0, -1):
        alike = {name: problems[name] for name in shared if shared[name] >= least}
        if len(alike) >= ALIKE:
            return alike
    return problems


@dataclass(frozen=True)
class Choice:
    """What is asked for, and the problems that decide."""

    accuracy: float
    goal: str
    target: float
    alike: dict[str, Any]
    stiff: bool
    implicit: bool  # whether implicit methods serve the goal

    def rtol(self, method: Method) -> float:
        """The tolerance with which three quarters of the measured runs of this integrator met the accuracy."""
        share = measured()["tolerance_share"].get(method.integrator, 0.01)
        return float(f"{max(self.accuracy * share, 1e-12):.0e}")

    def failed(self, method: Method) -> bool:
        """Whether it failed on any problem, at any tolerance down to FINEST: below that round-off may be what fails."""
        entries = [problem["methods"].get(method.name) for problem in measured()["problems"].values()]
        return any(setting >= 0.99 * FINEST for entry in entries if entry for setting in entry["failed_at"])

    def best(self, problem: str) -> float | None:
        """Shortest time to the target on a problem, None where nobody reaches it."""
        times = [entry["seconds"][f"{self.target:.0e}"] for entry in self.alike[problem]["methods"].values()]
        return min((seconds for seconds in times if seconds), default=None)

    def score(self, method: Method) -> tuple[float, dict[str, float]] | None:
        """(score, evidence): geometric mean of the time over the best one; None if it fails or misses."""
        ratios, missed = {}, 0
        if self.failed(method):
            return None
        for problem, found in self.alike.items():
            entry, best = found["methods"].get(method.name), self.best(problem)
            if best is None:
                continue  # nothing is known there
            if entry is None or entry["seconds"][f"{self.target:.0e}"] is None:
                missed += 1
                continue
            ratios[problem] = entry["seconds"][f"{self.target:.0e}"] / best
        if len(ratios) < max(missed, 1):
            return None
        return _mean([*ratios.values(), *[DEARER] * missed]), ratios

    def recommendation(self, method: Method, evidence: dict[str, float]) -> Recommendation:
        """The method with what speaks for it."""
        problems = measured()["problems"].values()
        runs = sum(method.name in problem["methods"] for problem in problems)
        listed = ", ".join(f"{name} {ratio:.1f}" for name, ratio in evidence.items())
        words = [
            f"{method.name}, for {GOALS[self.goal]}. It was measured on {runs} of {len(problems)} problems of the library, and "
            f"failed on none at the tolerances tried down to {FINEST:.0e}.",
            f"On those most like this model it takes {_mean(evidence.values()):.1f} times the time of the best method to an "
            f"error of {self.target:.0e} ({listed}).",
        ]
        unknown = [name for name in self.alike if self.best(name) is None]
        missed = [name for name in self.alike if name not in evidence and name not in unknown]
        if missed:
            words.append(f"It did not reach that error within the time of the measurement on {', '.join(missed)}.")
        if unknown:
            words.append(
                f"Nothing is known from {', '.join(unknown)}: no method reached that error there when measured."
            )
        words.append(
            "The tolerance is that with which three quarters of the runs of this integrator met such an error."
        )
        return self._made(method, words, evidence)

    def fallback(self, method: Method) -> Recommendation:
        """What is usual, where no method has the measurements to speak for it."""
        usual = "the usual choice for stiff models" if self.stiff else "the default of simulate()"
        words = f"{method.name}, {usual}, not from measurements: no method that serves {self.goal} reached an error of "
        words += (
            f"{self.target:.0e} on half of the problems like this model without failing on any problem of the library."
        )
        return self._made(method, [words], {})

    def _made(self, method, words, evidence):
        if self.accuracy < 0.5 * TARGETS[-1]:
            words.append(
                f"Nothing is measured below {TARGETS[-1]:.0e}: for {self.accuracy:.0e} all this is extrapolated."
            )
        if self.stiff and self.implicit:
            words.append("The model is stiff at its start, so only implicit methods were considered.")
        elif self.stiff:
            words.append(
                "The model is stiff at its start, and no implicit method serves this goal: steps will be small."
            )
        words.append(
            "Singular positions, and stiffness later on, were not looked for in this model: `bricard compare` measures them."
        )
        settings = {"formulation": method.formulation, "integrator": method.integrator, "rtol": self.rtol(method)}
        return Recommendation(method.formulation, method.integrator, settings, " ".join(words), evidence)


def _mean(values) -> float:
    """Geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))
