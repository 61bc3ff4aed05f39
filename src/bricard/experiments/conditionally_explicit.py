"""Explicit methods for second-order equations: cancellation in central differences, and the family ce3, ce4, ce5 (spec 004, 4.2).

The pendulum A01 in its angle, theta'' = g cos theta, from the horizontal at rest, 10 s: largest error of energy. Two experiments:

* `central-differences` (table 9.5): the classic form takes differences of positions and loses digits below h = 1e-4 s; the same
  method written with velocities does not.
* `conditionally-explicit` (tables 9.6 to 9.10): accuracy and stability of the family, by the parameter alpha. Stability is that
  of the compiled methods on the oscillator; to see it, the oscillator with omega = 1 runs for 2000 s with h = 0.1 s. The
  published parameters of ce5 (alpha = 4/5) are unstable at every step, which a run of 10 s does not show.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..analysis.stability import stability
from ..simulation import simulate
from ..system.system import System
from .base import Experiment, Result

GRAVITY, DURATION, SAMPLES = 9.81, 10.0, 20_000
CANCELLATION = (1e-3, 1e-4, 1e-5, 1e-6)  # s
STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
# method, alpha -> what the source says of its stability: largest h omega
FAMILY = {
    ("ce3", 1.0): "2",
    ("ce3", 4 / 3): "1.549",
    ("ce3", 2.0): "1.155",
    ("ce4", 1 / 4): "1.265",
    ("ce4", 3 / 4): "1.731",
    ("ce4", 5 / 4): "unstable",
    ("ce5", 4 / 5): "1 (wrong)",
    ("ce5", 0.0): "not given",
}


def swing(t, q, v):
    """The angle counts from the horizontal, downwards."""
    return np.array([GRAVITY * np.cos(q[0])])


def pull(t, q, v):
    """x'' = -x."""
    return np.array([-q[0]])


@cache
def systems() -> tuple[System, System]:
    """The pendulum at rest, the oscillator with x = 1."""
    pendulum = System.from_functions(np.eye(1), swing, q0=[0.0], v0=[0.0], name="pendulum")
    return pendulum, System.from_functions(np.eye(1), pull, q0=[1.0], v0=[0.0], name="oscillator")


def drift(step: float, integrator: str, **options: Any) -> float:
    """Largest error of energy (J) of the pendulum. The last two steps are left out, as in the source."""
    count = min(round(DURATION / step), SAMPLES)
    solution = simulate(systems()[0], DURATION, step=step, integrator=integrator, output=count, **options)
    energy = 0.5 * solution.v[:, 0] ** 2 - GRAVITY * np.sin(solution.q[:, 0])
    return float(np.abs(energy[:-2]).max())


def swings(step: float, integrator: str, duration: float = 2000.0, **options: Any) -> float:
    """Largest |x| of the oscillator that starts with 1."""
    solution = simulate(systems()[1], duration, step=step, integrator=integrator, check=False, **options)
    return float(np.abs(solution.q[:, 0]).max())


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
        ax.set_xlabel("step (s)")
        ax.set_ylabel("largest error of energy (J)")
        ax.set_title("Central differences on the pendulum A01, 10 s", loc="left", fontsize=11)
        ax.grid(True, color="#dddddd", linewidth=0.7)
        ax.legend(frameon=False)

    return Result(("step, s", *(f"{words}, J" for words in forms)), rows, NOTES[:1], draw)


def run_family(steps: tuple[float, ...] = STEPS) -> Result:
    """Rows: method and alpha."""
    rows = []
    for (name, alpha), claimed in FAMILY.items():
        found = stability(name, alpha=alpha)
        row: dict[str, Any] = {
            "method": name,
            "alpha": alpha,
            "stable to h omega": f"{found.limit():.6g}",
            "in the source": claimed,
            "radius at 0.1": f"{found.radius(0.1):.7f}",
            "oscillator, 2000 s": swings(0.1, name, alpha=alpha),
        }
        rows.append(row | {f"h = {step:g}": drift(step, name, alpha=alpha) for step in steps})

    def draw(ax):
        for k, row in enumerate(rows):
            unstable = row["stable to h omega"] == "0"
            label = f"{row['method']}, alpha = {row['alpha']:.3g}" + (" (unstable)" if unstable else "")
            errors = [row[f"h = {step:g}"] for step in steps]
            ax.loglog(steps, errors, "--" if unstable else "-", color=f"C{k}", marker="o", markersize=4, label=label)
        ax.set_xlabel("step (s)")
        ax.set_ylabel("largest error of energy (J)")
        ax.set_title("Conditionally explicit methods on the pendulum A01, 10 s", loc="left", fontsize=11)
        ax.grid(True, color="#dddddd", linewidth=0.7)
        ax.legend(frameon=False, fontsize=8)

    columns = (
        "method",
        "alpha",
        "stable to h omega",
        "in the source",
        "radius at 0.1",
        "oscillator, 2000 s",
        *(f"h = {step:g}" for step in steps),
    )
    return Result(columns, rows, NOTES, draw)


NOTES = (
    "Largest error of energy (J) of the pendulum A01 in its angle, 10 s, g = 9.81 m/s^2.",
    "Stability on x'' + omega^2 x = 0, by the amplification matrix of the compiled method; 0: unstable at every step. Radius: "
    "factor of growth in a step with h omega = 0.1. Oscillator: largest |x| with omega = 1, h = 0.1 s, from 1.",
)

CENTRAL_DIFFERENCES = Experiment(
    name="central-differences",
    title="Central differences, classic and without cancellation",
    source="spec 004, table 9.5, claim 16",
    run=run_central_differences,
)
CONDITIONALLY_EXPLICIT = Experiment(
    name="conditionally-explicit",
    title="The conditionally explicit family: accuracy and stability by alpha",
    source="spec 004, tables 9.6 to 9.10, claims 17 to 20",
    run=run_family,
)
