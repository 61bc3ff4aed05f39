"""null-space-newmark on the mechanisms of its source: energy, and the three constraint levels (spec 004, claims 5 to 11).

Two experiments, with the sets and steps of the source:

* `energy-drifts`: largest error of energy, beside the published one and the bound of the IFToMM library. For Andrews' squeezer
  the work of the torque is taken off. What depends on the metric in which the start of a step is projected (option `lever`)
  differs from the source by some tens of percent: at order 2 there is no one right value.
* `constraint-levels`: largest errors of Phi = 0, of its first and of its second derivative, all three imposed at once. The last
  two in units of the largest velocity and acceleration of the run, so that fast and slow mechanisms compare.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..model import Model
from ..problems import (
    andrews_testset,
    bricard,
    double_four_bar,
    four_bar,
    pendulum,
    slider_crank_thesis,
    spinning_top,
)
from ..simulation import simulate
from .base import Experiment, Result, labelled


class Case(NamedTuple):
    """A run of the source: model, Newmark set, step (s), duration (s); published drift and bound of the library (J)."""

    model: Callable[[], Model]
    set: str
    step: float
    duration: float
    published: str = ""
    bound: float | None = None


CASES = {
    "A01 pendulum": Case(pendulum, "trapezoidal", 1e-3, 10.0, "below 5e-5", 5e-5),
    "A01 pendulum, 0.5 ms": Case(pendulum, "fox-goodwin", 5e-4, 10.0, "1.22185e-5", 5e-5),
    "four-bar": Case(four_bar, "fox-goodwin", 0.01, 10.0, "in a figure"),
    "A02 double four-bar": Case(double_four_bar, "fox-goodwin", 0.01, 10.0, "below 0.1", 0.1),
    "A03 Andrews": Case(andrews_testset, "fox-goodwin", 2e-6, 0.05, "below 1e-5", 1e-5),
    "A04 Bricard": Case(bricard, "fox-goodwin", 0.01, 10.0, "6.89807e-4", 1e-3),
    "slider-crank": Case(slider_crank_thesis, "fox-goodwin", 1e-3, 10.0, "below 1e-3", 1e-3),
    "spinning top": Case(spinning_top, "trapezoidal", 1e-3, 1.0),
}
LEVELS = ("position", "velocity", "acceleration")


@cache
def solved(words: str):
    """The Solution of a case, at every step."""
    case = CASES[words]
    options = {"integrator": "null-space-newmark", "set": case.set, "output": round(case.duration / case.step) + 1}
    return simulate(case.model(), case.duration, step=case.step, **options)


def run_drifts() -> Result:
    """Rows: mechanism."""
    rows = []
    for words, case in CASES.items():
        if not case.published:
            continue
        solution = solved(words)
        drift = np.abs(solution.energy.error)
        row = {"mechanism": words, "set": case.set, "step, s": case.step, "drift, J": float(drift.max())}
        row |= {"published, J": case.published, "bound, J": case.bound}
        rows.append(row | {"ms": 1e3 * solution.seconds["march"]})

    def draw(ax):
        y = np.arange(len(rows))[::-1]
        ax.barh(y, [row["drift, J"] for row in rows], color="#0b6aa8", height=0.6, label="null-space-newmark")
        for place, row in zip(y, rows, strict=True):
            if row["bound, J"]:
                label = "bound of the IFToMM library" if row is rows[0] else None
                ax.plot([row["bound, J"]] * 2, [place - 0.4, place + 0.4], color="#c0392b", linewidth=2, label=label)
        ax.set_xscale("log")
        ax.set_xlim(1e-7, 1.0)
        ax.set_yticks(y, [f"{row['mechanism']}\n{row['set']}, {row['step, s']:g} s" for row in rows], fontsize=8)
        labelled(ax, "Largest error of energy", "J", "", loc="lower right")

    return Result(
        ("mechanism", "set", "step, s", "drift, J", "published, J", "bound, J", "ms"), rows, DRIFT_NOTES, draw
    )


def levels(words: str) -> dict[str, np.ndarray]:
    """Errors (samples,) of the three levels; those of velocity and acceleration in units of the motion."""
    solution = solved(words)
    natural = np.sqrt(solution.system.record.metric[: solution.system.n_v])  # 1 / m, 1 / rad
    sizes = 1.0, np.abs(solution.v * natural).max(), np.abs(solution.a * natural).max()
    return {level: getattr(solution.constraint_errors, level) / size for level, size in zip(LEVELS, sizes, strict=True)}


def run_levels() -> Result:
    """Rows: mechanism; columns: level."""
    found = {words: levels(words) for words in CASES}
    rows: list[dict[str, Any]] = [
        {"mechanism": words, "set": CASES[words].set, "step, s": CASES[words].step}
        | {level: float(errors[level].max()) for level in LEVELS}
        for words, errors in found.items()
    ]

    def draw(ax):
        x = np.arange(len(rows))
        for k, level in enumerate(LEVELS):
            heights = [max(row[level], 1e-17) for row in rows]
            ax.bar(x + 0.27 * (k - 1), heights, 0.25, bottom=0.0, label=level)
        ax.set_yscale("log")
        ax.set_ylim(1e-17, 1e-6)
        ax.set_xticks(x, [row["mechanism"].replace(" ", "\n") for row in rows], fontsize=8)
        labelled(ax, "Errors of the three constraint levels, null-space-newmark", "", "largest error, scaled")

    return Result(("mechanism", "set", "step, s", *LEVELS), rows, LEVEL_NOTES, draw)


DRIFT_NOTES = (
    "Largest error of the energy balance (J) of null-space-newmark, planar four-bar, Andrews and slider-crank, others in space. "
    "Bounds: IFToMM library of computational benchmarks. ms: the compiled march.",
)
LEVEL_NOTES = (
    "Largest scaled row of the run. Velocity and acceleration in units of the largest velocity and acceleration of the motion.",
)

ENERGY_DRIFTS = Experiment(
    name="energy-drifts",
    title="Energy of null-space-newmark on the mechanisms of its source",
    source="spec 004, section 3, claims 6 to 11",
    run=run_drifts,
)
CONSTRAINT_LEVELS = Experiment(
    name="constraint-levels",
    title="null-space-newmark holds all three constraint levels at once",
    source="spec 004, section 3, claim 5",
    run=run_levels,
)
