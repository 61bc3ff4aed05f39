"""One run of a comparison: simulate with one method and one setting, and say how long it took and how wrong it was."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..errors import BricardError
from ..simulation import simulate
from ..stepping.ledger import power_source
from .compare_methods import Method

DEARER = 4.0  # so many times as long a run with the work summed up may take
ENOUGH, MOST = 0.03, 4  # s of marching, or runs, after which a time is the best of enough repetitions


def setting_of(method: Method, span: float, setting: float) -> dict[str, Any]:
    """The keywords of simulate() for a rung: `setting` is a number of steps, or a tolerance."""
    step = {"rtol": setting} if method.adaptive else {"step": span / setting}
    return {"formulation": method.formulation, "integrator": method.integrator, **step}


def ended(solution) -> dict[str, np.ndarray]:
    """Where a run ended: position and rotation matrix of each body, or q of a system given by functions."""
    if solution.system.model is None:
        return {"q": solution.q[-1].copy()}
    poses = solution.poses.items()
    ground = solution.system.model.ground.name
    return {name: np.column_stack([x[-1], R[-1]]) for name, (x, R) in poses if name != ground}


def distance(end: dict[str, np.ndarray], reference: dict[str, np.ndarray], length: float) -> float:
    """Largest difference of two ends: positions in characteristic lengths, rotations in rad, q as it is."""
    worst = 0.0
    for name, here in end.items():
        difference = here - reference[name]
        if here.ndim == 1:
            worst = max(worst, float(np.abs(difference).max(initial=0.0)))
        else:
            turn = np.linalg.norm(difference[:, 1:]) / np.sqrt(2.0)
            worst = max(worst, float(np.linalg.norm(difference[:, 0])) / length, float(turn))
    return worst


def blank(method: Method, setting: float, reason: str = "") -> dict[str, Any]:
    """The row of a run of which nothing is known yet."""
    row: dict[str, Any] = {
        key: getattr(method, key) for key in ("coordinates", "formulation", "integrator", "form", "family")
    }
    row |= {"order": method.order, "kind": "rtol" if method.adaptive else "steps", "setting": setting, "ok": False}
    return row | dict.fromkeys(("cpu_s", "total_s", "spread", "error", "t_end")) | {"runs": 0, "reason": reason}


def run(systems, span: float, method: Method, setting: float, measure, repeats: int = MOST, limit: float = 0.0):
    """A row of a comparison, with where it ended as "end". `measure(solution)` is the error at the end; None: not known yet.

    `limit` (s) is watched by Workers.
    """
    system, row, began = systems[method.coordinates], blank(method, setting), time.perf_counter()
    marches, totals, solution, worked = [], [], None, power_source(system) is not None
    keywords = {"output": 2, "check": False, "progress": False, **setting_of(method, span, setting)}
    try:
        while solution is None or (len(marches) < repeats and sum(marches) < ENOUGH and sum(totals) < 0.5 * limit):
            clock = time.perf_counter()
            solution = simulate(system, span, energy=False, **keywords)
            totals.append(time.perf_counter() - clock)
            marches.append(min(solution.seconds["march"], solution.seconds["march_cpu"]))
        balanced = not worked or sum(totals) + DEARER * totals[-1] < limit or not limit
        # once more: summing up the work is not the method's time
        summed = simulate(system, span, **keywords) if worked and balanced else solution
    except BricardError as error:
        return row | {"reason": str(error), "total_s": time.perf_counter() - began}
    except (ArithmeticError, np.linalg.LinAlgError) as error:  # a method may meet one where it fails
        return row | {"reason": f"{type(error).__name__}: {error}", "total_s": time.perf_counter() - began}
    summary = solution.summary()
    row |= {
        key: summary[key] for key in ("steps", "rejected", "evaluations", "tangents", "factorisations", "iterations")
    }
    row |= {key: summary[key] for key in ("position_error", "velocity_error", "acceleration_error")}
    row["energy_error"] = float(np.abs(summed.energy.error).max()) if balanced else None
    row |= {"t_end": summary["t"], "runs": len(marches), "cpu_s": min(marches), "total_s": min(totals)}
    row |= {"spread": max(marches) / max(min(marches), 1e-9), "energy_size": summary["energy_size"]}
    row |= {"rebasings": summary["rebasings"], "ok": solution.ok, "reason": "" if solution.ok else solution.status}
    row["seconds_per_step"] = row["cpu_s"] / max(row["steps"] + row["rejected"], 1)
    if solution.ok:
        row["end"] = ended(solution)
        error = np.nan if measure is None else measure(solution)
        row["error"] = error if np.isfinite(error) else None
    return row
