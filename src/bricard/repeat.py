"""rerun(): make a result again from its provenance, and say whether it is the same.

The same versions, on the same kind of processor, give the same bits. Elsewhere sums may be rounded otherwise, by another library
for matrices or another order of instructions; then differences are told in units of the tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import ModelError
from .model.profiles import resolve
from .model.travelling import importing_from, without_code
from .simulation import RTOL, simulate
from .solution.solution import Solution
from .stepping.events import Trigger
from .system.names import position_names, velocity_names

__all__ = ["Rerun", "rerun"]

COMPARED = ("t", "q", "v", "own_a", "own_lam", "step_times", "turns", "totals")
NOT_SOFTWARE = (
    "model",
    "functions",
    "arguments",
    "part",
    "earlier",
    "interrupted",
    "options",
    "references",
    "moved_to_close",
)
LEFT_OUT = ("coordinates", "cut")  # of the arguments: the System has its own
SMALL = 1e-3  # of the largest component: components smaller than this are judged by it
AT_MOST = 200  # times at which runs with other samples are compared


@dataclass(frozen=True)
class Rerun:
    """A result made again. same : all its numbers are the same, bit for bit.

    solution : the new Solution. difference : the largest one of q and v, relative to the size of the component on the way and in
    units of `rtol` (of fixed steps, which have none, 1e-8); where : its component and time. changed : what of the provenance
    differs, name -> (then, now).
    """

    solution: Solution = field(repr=False)
    same: bool
    difference: float
    rtol: float
    where: str
    changed: dict[str, tuple[Any, Any]]
    parts: int = 1

    def __str__(self) -> str:
        made = f"{self.solution.name}: made again" + (f", in {self.parts} parts" if self.parts > 1 else "")
        differs = "; ".join(_difference(name, *pair) for name, pair in self.changed.items())
        if self.same:
            return f"{made}, the same bits." + (f" (What differs: {differs}.)" if differs else "")
        text = f"{made}. The largest difference is {self.difference:.3g} rtol (rtol {self.rtol:g}), of {self.where}."
        if not differs:
            return f"{text} Nothing that is recorded differs: versions, processor, model and functions are the same."
        return f"{text} What differs: {differs}."


def rerun(solution: Solution, *, triggers: Any = None, code: bool = True) -> Rerun:
    """Make a Solution again, from its System and the arguments in its provenance; see Rerun.

    A run that went on from another Solution is made again part by part. triggers : where the functions of its triggers cannot be
    imported by name, the triggers themselves (of all parts). code : False refuses to import functions of triggers, for a result
    of others that was loaded with code=False.

    >>> import bricard as br
    >>> model = br.Model("pendulum", planar=True)
    >>> rod = model.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0, 0))
    >>> _ = model.pin("A", model.ground, rod, (0, 0, 0))
    >>> print(br.rerun(br.simulate(model, 0.1, output=3)))
    pendulum: made again, the same bits.
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"rerun() takes a Solution, such as Solution.load(path), not {solution!r}.")
    made = solution.provenance
    parts = [*made.get("earlier", ()), made]
    for part in parts:
        if "arguments" not in part:
            raise ModelError(
                f"The solution of {solution.name!r} does not say how it was made: it is no result of simulate(), or of a version "
                "before its arguments were recorded. Simulate its model again."
            )
        if part["interrupted"]:
            raise ModelError(
                f"The run of {solution.name!r} was interrupted: where it ended is no part of what can be made again. Simulate "
                "its model again."
            )
    with without_code(code):
        keywords = [_arguments(part, triggers) for part in parts]
    again: Any = solution.system
    for part in keywords:
        again = simulate(again, **part, check=False, progress=False)
    rtol = made["rtol"] or RTOL
    same = all(_same_bits(getattr(solution, name), getattr(again, name)) for name in COMPARED)
    difference, where = (0.0, "") if same else _largest(solution, again, rtol)
    return Rerun(again, same, difference, rtol, where, _changed(made, again, triggers), len(parts))


def _arguments(part: Mapping[str, Any], triggers: Any) -> dict[str, Any]:
    """Keywords of simulate() that make a part again; what was chosen for the user then is named now."""
    given = {key: value for key, value in part["arguments"].items() if key not in LEFT_OUT}
    given |= given.pop("options")
    given |= {key: part[key] for key in ("formulation", "integrator")}
    if isinstance(given["output"], list):
        given["output"] = np.array(given["output"], float)
    if isinstance(given["correction_tolerance"], list):
        given["correction_tolerance"] = tuple(given["correction_tolerance"])
    tables = given.pop("triggers")
    return given | {"triggers": triggers if triggers is not None else [_trigger(table) for table in tables]}


def _trigger(table: Mapping[str, Any]) -> Trigger:
    keywords = dict(table)
    for key in ("function", "action"):
        if isinstance(table[key], Mapping):
            if table[key]["path"] is None:
                raise ModelError(
                    f'The {key} of trigger "{table["name"]}" cannot be imported by name: hand the triggers to '
                    "rerun(solution, triggers=[...])."
                )
            with importing_from(table[key]["folder"]):
                keywords[key] = resolve(table[key]["path"], f'trigger "{table["name"]}": {key}')
    return Trigger(**keywords)


def _same_bits(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def _largest(before: Solution, again: Solution, rtol: float) -> tuple[float, str]:
    """The largest difference of q and v, in units of rtol and relative to the size of its component, and where it is."""
    times, pairs = before.t, ((before.q, again.q), (before.v, again.v))
    if not _same_bits(before.t, again.t):  # other samples: compared between them
        if not (before.t.size and again.t.size):
            return np.inf, "the number of samples"
        low, high = max(before.t[0], again.t[0]), min(before.t[-1], again.t[-1])
        times = np.linspace(low, high, min(AT_MOST, before.t.size))
        states = [[run.at(t) for t in times] for run in (before, again)]
        pairs = tuple(tuple(np.array([getattr(s, key) for s in run]) for run in states) for key in ("q", "v"))
    worst, where = -1.0, "what was counted on the way"
    for names, (one, other) in zip((position_names, velocity_names), pairs, strict=True):
        size = np.abs(one).max(axis=0, initial=0.0)
        size = np.maximum(size, SMALL * size.max(initial=0.0))
        error = np.abs(other - one) / np.where(size > 0.0, size, 1.0)
        if error.size and not error.max() <= worst:
            k, j = np.unravel_index(int(np.argmax(error)), error.shape)
            worst, where = float(error[k, j]), f"{names(before.system)[j]} at t = {times[k]:.6g} s"
    return max(worst, 0.0) / rtol, where


def _changed(made: Mapping[str, Any], again: Solution, triggers: Any) -> dict[str, tuple[Any, Any]]:
    """What of the provenance differs: software, machine, model, functions of users."""
    now = again.provenance
    found = {key: (made[key], now.get(key)) for key in made if key not in NOT_SOFTWARE and made[key] != now.get(key)}
    if made["model"] != now["model"]:
        found["model"] = made["model"], now["model"]
    for name in {**made["functions"], **now["functions"]}:
        pair = made["functions"].get(name), now["functions"].get(name)
        if pair[0] != pair[1]:
            found[f"function {name}"] = pair
    return found


def _difference(name: str, then: Any, now: Any) -> str:
    return f"{name} has changed" if name == "model" or name.startswith("function ") else f"{name} {then}, now {now}"
