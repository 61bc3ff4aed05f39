"""Explicit methods for second-order equations: cancellation in central differences, and the family ce3, ce4, ce5 (spec 004, 4.2).

The pendulum A01 in its angle, theta'' = g cos theta, from the horizontal at rest, 10 s: largest error of energy. Two experiments:

* `central-differences` (table 9.5): the classic form takes differences of positions and loses digits below h = 1e-4 s; the same
  method written with velocities does not.
* `conditionally-explicit` (tables 9.6, 9.8 and 9.10): accuracy of the family, by the parameter alpha. Which of its members are
  stable is not to be seen in 10 s: `explicit-stability` tells.

At small steps rounding rules, and the order of additions decides. Our methods sum the increment of a step and add it once; a
plain loop of the formulas as they are written, `term_by_term`, stands beside them and has the digits of the spec.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ..compiled.pointers import compiled
from ..registry import INTEGRATORS
from ..simulation import simulate
from ..system.system import System
from .base import Experiment, Result, labelled
from .explicit_stability import FAMILY

GRAVITY, DURATION, SAMPLES = 9.81, 10.0, 20_000
CANCELLATION = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)  # s
STEPS = (4e-3, 2e-3, 1e-3, 8e-4, 6e-4, 4e-4, 2e-4, 1e-4, 1e-5, 1e-6)
DERIVATIVES = {"ce3": 1, "ce4": 2, "ce5": 3}  # of v
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
    solution = simulate(
        pendulum(), DURATION, step=step, integrator=integrator, output=count + 1, energy=False, **options
    )
    energy = 0.5 * solution.v[:, 0] ** 2 - GRAVITY * np.sin(solution.q[:, 0])
    return float(np.abs(energy[:-2]).max())


@compiled
def march_plainly(m, alpha, beta, gamma, zeta, h, steps):
    """Largest error of energy (J) where each term is added to the angle x and to v one after the other; m derivatives of v."""
    second, third, fourth = h * h / 2.0, h * h * h / 6.0, h * h * h * h / 24.0
    x, v, a, j, s, largest = 0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0
    before = a if m == 1 else 0.0  # the last derivative one step earlier
    for _ in range(steps):
        x += h * v
        x += second * (alpha * a + (1.0 - alpha) * before if m == 1 else a)
        if m > 1:
            x += third * (alpha * j + (1.0 - alpha) * before if m == 2 else j)
        if m > 2:
            x += fourth * (alpha * s + (1.0 - alpha) * before)
        new = GRAVITY * math.cos(x)
        if m == 1:
            v += h * (beta * new + (1.0 - beta) * a)
            before = a
        elif m == 2:
            j_new = (new - a) / (gamma * h) - (1.0 - gamma) / gamma * j
            v += h * a
            v += second * ((1.0 - beta) * j + beta * j_new)
            before, j = j, j_new
        else:
            s_new = 2.0 / (gamma * h * h) * (new - a - h * j) - (1.0 - gamma) / gamma * s
            v += h * a
            v += second * j
            v += third * ((1.0 - beta) * s + beta * s_new)
            j += h * ((1.0 - zeta) * s + zeta * s_new)
            before, s = s, s_new
        a = new
        largest = max(largest, abs(0.5 * v * v - GRAVITY * math.sin(x)))
    return largest


def term_by_term(step: float, name: str, alpha: float) -> float:
    """As `drift`, in a plain loop of the formulas of ce3, ce4 or ce5 as they are written."""
    method = INTEGRATORS[name]
    alpha, beta, gamma, zeta, _ = method.compiled_options(method.options | {"alpha": alpha})
    return march_plainly(DERIVATIVES[name], alpha, beta, gamma, zeta, step, round(DURATION / step) - 2)


def run_central_differences(steps: tuple[float, ...] = CANCELLATION) -> Result:
    """Rows: step."""
    forms = {
        "classic": lambda step: drift(step, "central-difference", classic=True),
        "without cancellation": lambda step: drift(step, "central-difference"),
        "the same, term by term": lambda step: term_by_term(step, "ce3", 1.0),
    }
    rows: list[dict[str, Any]] = [
        {"step, s": step} | {f"{words}, J": error(step) for words, error in forms.items()} for step in steps
    ]

    def draw(ax):
        for words, marker in zip(forms, "os^", strict=True):
            ax.loglog(steps, [row[f"{words}, J"] for row in rows], marker=marker, label=words)
        labelled(ax, "Central differences on the pendulum A01, 10 s", "step (s)", "largest error of energy (J)")

    return Result(("step, s", *(f"{words}, J" for words in forms)), rows, (PROBLEM, PLAINLY, FINEST), draw)


def run_family(steps: tuple[float, ...] = STEPS) -> Result:
    """Rows: method and alpha, and the same term by term; columns: step."""
    columns = ("method", "alpha", *(f"h = {step:g}" for step in steps))
    ways = {"": lambda step, name, alpha: drift(step, name, alpha=alpha), ", term by term": term_by_term}
    rows = [
        dict(zip(columns, (name + words, alpha, *(error(step, name, alpha) for step in steps)), strict=True))
        for words, error in ways.items()
        for name, alpha in FAMILY
    ]

    def draw(ax):
        for k, row in enumerate(rows[: len(FAMILY)]):
            unstable = (row["method"], row["alpha"]) in UNSTABLE
            label = f"{row['method']}, alpha = {row['alpha']:.3g}" + (" (unstable)" if unstable else "")
            errors = [row[f"h = {step:g}"] for step in steps]
            ax.loglog(steps, errors, "--" if unstable else "-", color=f"C{k}", marker="o", markersize=4, label=label)
        title = "Conditionally explicit methods on the pendulum A01, 10 s"
        labelled(ax, title, "step (s)", "largest error of energy (J)", fontsize=8)

    return Result(columns, rows, (PROBLEM, PLAINLY, ROUNDING, FINER), draw)


PROBLEM = "Largest error of energy (J) of the pendulum A01 in its angle, 10 s, g = 9.81 m/s^2."
PLAINLY = (
    "Term by term: a plain loop of the formulas, terms added from the left, which has all digits of the spec marked [P]. The "
    "last terms hardly change from one step to the next, and neither do their rounding errors beside x and v: those of 1e8 "
    "steps add up. Our methods sum the increment first and add it once."
)
FINEST = (
    "1e-8 s, 1e9 steps, is left out: rounding only, 6 minutes a number. `run_central_differences(steps=(1e-8,))` of "
    "bricard.experiments.conditionally_explicit runs it."
)
ROUNDING = (
    "ce4 with alpha = 5/4, 1/4, 3/4 has 0.8, 1.6, 1.1e-12 J at 1e-5 s. Printed are 17, 19, 19e-12, which is rounding: the plain "
    "loop has 10, 12, 11e-12, and the error of the method, seen with compensated sums, is below 0.01, 0.87, 0.44e-12."
)
FINER = (
    "1e-7 s, 40 s a number, is left out: 1.6e-11 J here, 1.6e-8 J term by term, 1.8e-8 J printed, whatever the method. "
    "`run_family(steps=(1e-7,))` of bricard.experiments.conditionally_explicit runs it; 1e-8 s would take an hour."
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
