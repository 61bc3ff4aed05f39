"""Our side of the cases: a few promising methods, each over a ladder of tolerances; the fastest run for every target."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from ..errors import BricardError
from ..simulation import simulate
from .compare_run import ended
from .peers_cases import TARGETS, Case

REPEATS, ENOUGH = 9, 0.6  # runs, or seconds of them, of which the best time counts
LONGEST = 4.0  # s, of one run: finer rungs are not tried
COORDINATES = ("absolute", "relative")
TOLERANCES = tuple(10.0 ** (-k / 4) for k in range(10, 45))  # from 3e-3 to 1e-11


@dataclass(frozen=True)
class Way:
    """A method as a user names it: kind of coordinates, formulation, integrator, further options of simulate()."""

    coordinates: str
    formulation: str
    integrator: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """In words."""
        extra = "".join(f", {key} {value}" for key, value in self.options)
        relative = "" if self.coordinates == "absolute" else f"{self.coordinates}, "
        return f"{relative}{self.formulation} + {self.integrator}{extra}"


def ways(closed: bool) -> list[Way]:
    """The promising ones. On an open chain in relative coordinates there are no constraints left to treat."""
    found = []
    for coordinates in COORDINATES:
        for integrator in ("dop853", "dopri5", "adams"):
            found.append(Way(coordinates, "index1", integrator))
            if closed or coordinates == "absolute":
                found.append(Way(coordinates, "index1", integrator, (("correction", "none"),)))
        if closed and coordinates == "absolute":
            found.append(Way(coordinates, "multiplier-elimination", "dop853"))
    return found


def measure(system, case: Case, way: Way, rtol: float, repeats: int = 1) -> dict[str, Any]:
    """One row: times (s) of the march and of the whole call, error, counts. ok: whether it reached the end."""
    row: dict[str, Any] = {"case": case.name, "package": "bricard", "method": way.name, "setting": rtol, "ok": False}
    march, whole, solution = [], [], None
    while solution is None or (len(march) < repeats and sum(whole) < ENOUGH):
        began = time.perf_counter()
        try:
            pair = {"formulation": way.formulation, "integrator": way.integrator, **dict(way.options)}
            solution = simulate(system, case.span, rtol=rtol, output=2, progress=False, energy=False, **pair)
        except BricardError as error:
            return row | {"reason": str(error), "error": None, "seconds": None}
        whole.append(time.perf_counter() - began)
        march.append(min(solution.seconds["march"], solution.seconds["march_cpu"]))
    count = solution.counters
    row |= {
        "ok": True,
        "reason": "",
        "seconds": min(march),
        "whole_s": min(whole),
        "error": case.error(ended(solution)),
    }
    row |= {key: count[key] for key in ("steps", "rejected", "evaluations", "corrections", "factorisations")}
    return row | {"us_per_evaluation": 1e6 * min(march) / max(count["evaluations"], 1), "runs": len(march)}


def climb(system, case: Case, way: Way, best: dict[float, float]) -> list[dict[str, Any]]:
    """The ladder of one way; ends when the finest target is met twice, or nothing can be gained any more."""
    rows, met, failed = [], 0, 0
    for rtol in TOLERANCES:
        row = measure(system, case, way, rtol)
        rows.append(row)
        failed = 0 if row["ok"] else failed + 1
        if failed == 3:
            break
        if not row["ok"]:
            continue
        met = met + 1 if row["error"] <= min(TARGETS) else 0
        slower = row["seconds"] > 3.0 * best.get(min(TARGETS), float("inf"))
        if met == 2 or slower or row["seconds"] > LONGEST:
            break
    return rows


def fastest(rows: list[dict[str, Any]], target: float) -> dict[str, Any] | None:
    """The fastest row that meets a target, marked firm: all finer rungs of its way that ended meet it too. Else None."""
    found = []
    for name in {row["method"] for row in rows}:
        own = sorted((row for row in rows if row["method"] == name), key=lambda row: row["setting"])
        for row in own:  # from the finest rung up to the first one that misses
            if row["ok"] and row["error"] > target:
                break
            if row["ok"]:
                found.append(row)
    return min(found, key=lambda row: row["seconds"], default=None)


def ours(case: Case) -> tuple[dict[float, dict[str, Any]], list[dict[str, Any]]]:
    """(target -> best row, all rows) of a case."""
    model, rows, best = case.model(), [], {}
    systems = {kind: model.build(coordinates=kind) for kind in COORDINATES}
    tried = {way.name: way for way in ways(case.goal > 2.0)}
    for way in tried.values():
        rows += climb(systems[way.coordinates], case, way, best)
        best = {target: row["seconds"] for target in TARGETS if (row := fastest(rows, target)) is not None}
    found = {}
    for target in TARGETS:
        near = [row for row in (fastest([r for r in rows if r["method"] == name], target) for name in tried) if row]
        near.sort(key=lambda row: row["seconds"])
        again = []
        for row in near[:3]:  # a single run may have been disturbed: the best of several, for those that come near
            way = tried[row["method"]]
            again.append(measure(systems[way.coordinates], case, way, row["setting"], REPEATS))
        rows += again
        if again:
            found[target] = min(again, key=lambda row: row["seconds"])
    return found, rows
