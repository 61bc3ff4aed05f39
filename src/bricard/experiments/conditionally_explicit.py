"""Explicit methods for second-order equations: cancellation in central differences, and the family ce3, ce4, ce5 (spec 004, 4.2).

The pendulum A01 in its angle, theta'' = g cos theta, from the horizontal at rest, 10 s: largest error of energy. Two experiments:

* `central-differences` (table 9.5): the classic form takes differences of positions and loses digits below h = 1e-4 s; the same
  method written with velocities does not.
* `conditionally-explicit` (tables 9.6, 9.8 and 9.10): accuracy of the family, by the parameter alpha. Which of its members are
  stable is not to be seen in 10 s: `explicit-stability` tells.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..simulation import simulate
from ..system.system import System
from .base import Experiment, Result, labelled
from .explicit_stability import FAMILY

GRAVITY, DURATION, SAMPLES = 9.81, 10.0, 20_000
CANCELLATION = (1e-3, 1e-4, 1e-5, 1e-6)  # s
STEPS = (4e-3, 2e-3, 1e-3, 8e-4, 6e-4, 4e-4, 2e-4, 1e-4, 1e-5)
UNSTABLE = {("ce4", 5 / 4), ("ce5", 4 / 5)}  # at every step


def swing(t, q, v):
    """The angle counts from the horizontal, downwards."""
    return np.array([GRAVITY * np.cos(q[0])])


@cache
def pendulum() -> System:
    """At rest."""
    return System.from_functions(np.eye(1), swing, q0=[0.0], v0=[0.0], name="pendulum")


def drift(step: float, integrator: str, **options: Any) -> float:
    """Largest error of energy (J) of the pendulum. The last two steps are left out, as in the source."""
    count = min(round(DURATION / step), SAMPLES)
    solution = simulate(pendulum(), DURATION, step=step, integrator=integrator, output=count, **options)
    energy = 0.5 * solution.v[:, 0] ** 2 - GRAVITY * np.sin(solution.q[:, 0])
    return float(np.abs(energy[:-2]).max())


def run_central_differences(steps: tuple[float, ...] = CANCELLATION) -> Result:
    """Rows: step."""
    forms = {"classic": True, "without cancellation": False}
    rows: list[dict[str, Any]] = [
        {"step, s": step} | {f"{words}, J": drift(step, "central-difference", classic=c) for words, c in forms.items()}
        for step in steps
    ]

    def draw(ax):
        for words in forms:
            ax.loglog(steps, [row[f"{words}, J"] for row in rows], marker="o", label=words)
        labelled(ax, "Central differences on the pendulum A01, 10 s", "step (s)", "largest error of energy (J)")

    return Result(("step, s", *(f"{words}, J" for words in forms)), rows, NOTES, draw)


def run_family(steps: tuple[float, ...] = STEPS) -> Result:
    """Rows: method and alpha; columns: step."""
    columns = ("method", "alpha", *(f"h = {step:g}" for step in steps))
    rows = [
        dict(zip(columns, (name, alpha, *(drift(step, name, alpha=alpha) for step in steps)), strict=True))
        for name, alpha in FAMILY
    ]

    def draw(ax):
        for k, row in enumerate(rows):
            unstable = (row["method"], row["alpha"]) in UNSTABLE
            label = f"{row['method']}, alpha = {row['alpha']:.3g}" + (" (unstable)" if unstable else "")
            errors = [row[f"h = {step:g}"] for step in steps]
            ax.loglog(steps, errors, "--" if unstable else "-", color=f"C{k}", marker="o", markersize=4, label=label)
        title = "Conditionally explicit methods on the pendulum A01, 10 s"
        labelled(ax, title, "step (s)", "largest error of energy (J)", fontsize=8)

    return Result(columns, rows, NOTES, draw)


NOTES = (
    "Largest error of energy (J) of the pendulum A01 in its angle, 10 s, g = 9.81 m/s^2.",
    "Smaller steps of the tables, to 1e-8 s, are left out: at 4 microseconds a step one number takes 40 s at 1e-6 s, 7 minutes "
    "at 1e-7 s, and is rounding only (1.8e-8 J with all methods). `drift(step, name, alpha=...)` of this module runs one.",
)

CENTRAL_DIFFERENCES = Experiment(
    name="central-differences",
    title="Central differences, classic and without cancellation",
    source="spec 004, table 9.5, claim 16",
    run=run_central_differences,
)
CONDITIONALLY_EXPLICIT = Experiment(
    name="conditionally-explicit",
    title="The conditionally explicit family: accuracy by alpha",
    source="spec 004, tables 9.6, 9.8 and 9.10, claims 17 to 19",
    run=run_family,
)
