"""`bricard bench methods`: measure all methods on problems of the library, for recommend().

A run that was cut short for its time is not known to fail: it counts neither as reached nor as failed.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from ..problems import PROBLEMS
from ..registry import INTEGRATORS
from .compare import Comparison, compare, subject
from .ladder import reached
from .recommend import TARGETS, features

FILE = Path(__file__).parent / "methods.json"
BUDGET = 6.0  # s for each problem: the whole library in about six minutes


def measure(
    names: Any = None, budget: float = BUDGET, accuracy: float = 1e-6, only: Any = None, tell: Any = None
) -> dict[str, Any]:
    """The content of methods.json from comparisons on problems, all of the library if none are named.

    budget : s for each problem. only : as in compare(); if not given what recommend() chooses from, adaptive integrators on
    absolute coordinates.
    """
    problems, machine, shares = {}, {}, {}
    only = only or ["absolute", *(i.name for i in INTEGRATORS.values() if i.adaptive and i.external is None)]
    for name in names or PROBLEMS:
        (tell or (lambda text: None))(name)
        found = compare(name, accuracy=accuracy, budget=budget, only=only)
        problems[name] = _entry(name, found)
        machine = found.machine
        for row in found.rows:
            if row["ok"] and row["error"] and row["kind"] == "rtol" and 1e-9 < row["error"] < 1e-3:
                shares.setdefault(row["integrator"], []).append(row["setting"] / row["error"])
    share = {key: min(max(_lower(values), 1e-4), 1.0) for key, values in shares.items()}
    return {"machine": machine, "accuracy": accuracy, "budget": budget, "tolerance_share": share, "problems": problems}


def write(content: dict[str, Any]) -> Path:
    """Write methods.json, one line per method."""
    lines = []
    for name, problem in content["problems"].items():
        entries = ",\n".join(f'    "{m}": {json.dumps(e)}' for m, e in problem["methods"].items())
        head = json.dumps(problem["features"])
        lines.append(f'  "{name}": {{"features": {head}, "methods": {{\n{entries}\n  }}}}')
    top = ",\n".join(f' "{key}": {json.dumps(value)}' for key, value in content.items() if key != "problems")
    FILE.write_text(f'{{\n{top},\n "problems": {{\n' + ",\n".join(lines) + "\n }\n}\n", encoding="utf-8")
    return FILE


def _entry(name: str, found: Comparison) -> dict[str, Any]:
    system = subject(name, None).systems["absolute"]
    entries = {}
    for outcome in found.table:
        rows = [row for row in found.rows if row["method"] == outcome.name]
        seconds = {}
        for target in TARGETS:
            row, firm = reached(rows, target)
            seconds[f"{target:.0e}"] = float(f"{row['cpu_s']:.3g}") if row is not None and firm else None
        near = outcome.nearest
        known = near is not None and near["energy_error"] is not None
        drift = near["energy_error"] / max(near["energy_size"], 1e-300) if near and known else None
        entries[outcome.name] = {
            "seconds": seconds,
            "best": outcome.best and float(f"{outcome.best:.2g}"),
            "drift": drift and float(f"{drift:.2g}"),
            "failed_at": sorted({row["setting"] for row in rows if not row["ok"] and not row.get("cut")}),
        }
    return {"features": features(system), "methods": entries}


def _lower(values):
    """The lower quartile: a tolerance that is tight enough on three quarters of the problems."""
    return statistics.quantiles(values, n=4)[0] if len(values) > 1 else values[0]
