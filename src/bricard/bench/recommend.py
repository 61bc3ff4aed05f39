"""recommend(): a method for a model, from measured results of the library.

methods.json holds what `bricard bench methods` has measured: for every problem of the library its features, and for every method
the time to reach each target error, the smallest error, the drift of the energy, and whether it fails. A model is compared with
the problems that share its features (in the plane or in space, constraints, redundant rows, forces, nonholonomic rows). A method
is recommended only if it fails on none of them; among these the one with the smallest geometric mean of its time over the best
time is taken. What it rests on is said with it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import ModelError, suggest
from ..model import Model
from ..registry import FORMULATIONS
from ..system.build import build
from ..system.system import System
from .compare_methods import Method, methods

TARGETS = (1e-4, 1e-6, 1e-8)
GOALS = {
    "speed": "the shortest time to the accuracy",
    "long-run": "the smallest drift of energy and constraints, at no more than ten times the shortest time",
    "reactions": "multipliers of its own that are as accurate as the motion: index 1, or GGL",
    "control": "an ordinary differential equation y' = f(t, y), as br.problem() and br.linearise() take it",
}
DEARER = 10.0  # a method for long runs may cost so many times the fastest one
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
    }


def recommend(what: Any, accuracy: float = 1e-6, goal: str = "speed") -> Recommendation:
    """The method that the measurements of the library speak for, for a Model or System.

    accuracy : error at the end that is wanted, in characteristic lengths and radians. goal : "speed", "long-run", "reactions" or
    "control".

    >>> import bricard as br
    >>> found = br.recommend(br.problems.get("bricard").model(), accuracy=1e-6)
    >>> solution = br.simulate(model, 1.0, **found.settings)                                        # doctest: +SKIP
    """
    if goal not in GOALS:
        raise ModelError(f'There is no goal "{goal}".{suggest(str(goal), GOALS)} Known: {", ".join(GOALS)}.')
    if isinstance(accuracy, bool) or not isinstance(accuracy, (int, float)) or not 0.0 < accuracy < 1.0:
        raise ModelError(f"accuracy is {accuracy!r}; it must be a number between 0 and 1.")
    if not isinstance(what, (Model, System)):
        raise ModelError(f"recommend() takes a Model or a System, not {what!r}.")
    system = what if isinstance(what, System) else build(what)
    fitting = [method for method in methods({"absolute": system})[0] if method.adaptive and _serves(method, goal)]
    known = {method.name: method for method in fitting}
    target = min(TARGETS, key=lambda t: abs(math.log10(t / accuracy)))
    alike, words = _alike(system)
    scores = {name: s for name in known if (s := _score(name, alike, target, goal)) is not None}
    if not scores:
        raise ModelError(f"No method of the library's measurements serves {goal} at {accuracy:g} for this system.")
    best = min(scores, key=lambda name: scores[name][0])
    return _recommendation(known[best], scores[best][1], accuracy, goal, words)


def _serves(method: Method, goal: str) -> bool:
    if goal == "reactions":
        return method.formulation in ("index1", "ggl")
    if goal == "control":
        return method.form == "Ode" and FORMULATIONS[method.formulation].nonholonomic
    return True


def _alike(system):
    """The problems of the measurements that share the most features with a system, and how to name them."""
    own, problems = features(system), measured()["problems"]
    shared = {name: sum(found["features"][key] == own[key] for key in own) for name, found in problems.items()}
    most = max(shared.values())
    for least in range(most, 0, -1):
        alike = {name: problems[name] for name in shared if shared[name] >= least}
        if len(alike) >= ALIKE:
            return alike, f"the {len(alike)} problems of the library that are most like this model"
    return problems, "all problems of the library"


def _score(name, problems, target, goal):
    """(score, evidence): geometric mean of the time over the best one, or of the drift; None if it fails or misses anywhere."""
    key, ratios, drifts = f"{target:.0e}", {}, []
    for problem, found in problems.items():
        entry = found["methods"].get(name)
        best = min((m["seconds"][key] for m in found["methods"].values() if m["seconds"].get(key)), default=None)
        if best is None:
            continue  # nobody reaches it there
        if entry is None or entry["failed"] or entry["seconds"].get(key) is None:
            return None
        ratios[problem] = entry["seconds"][key] / best
        drifts.append(max(entry["drift"] or 1.0, 1e-16))
    if not ratios:
        return None
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    if goal != "long-run":
        return mean, ratios
    return (math.exp(sum(map(math.log, drifts)) / len(drifts)), ratios) if mean <= DEARER else None


def _recommendation(method, evidence, accuracy, goal, words):
    share = measured()["tolerance_share"].get(method.integrator, 0.01)
    rtol = float(f"{max(accuracy * share, 1e-12):.0e}")
    mean = math.exp(sum(map(math.log, evidence.values())) / len(evidence))
    listed = ", ".join(f"{name} {ratio:.1f}" for name, ratio in evidence.items())
    why = (
        f"{method.name}, for {GOALS[goal]}. On {words} it never fails, and takes {mean:.1f} times the time of the best method "
        f"there ({listed}). The tolerance is that which met such an error on three quarters of them."
    )
    settings = {"formulation": method.formulation, "integrator": method.integrator, "rtol": rtol}
    return Recommendation(method.formulation, method.integrator, settings, why, evidence)
