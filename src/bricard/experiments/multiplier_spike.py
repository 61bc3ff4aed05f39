"""What a change of the step does to the multipliers: index 3 against the stabilised index 2, with BDF (spec 003, section 6.2).

The physical pendulum runs with the step h to t = 0.5 s, then with h/10. With BDF1 on index 3 the discrete acceleration across the
constraints is wrong by the factor (1 + 10)/2 for exactly one step, however small h is: lam jumps by -4.5 (G M^-1 G^T)^-1 gamma.
With BDF2 the jump is of order h. The stabilised form (GGL) has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problems.physical_pendulum import S, angle, exact, physical_pendulum_functions
from ..simulation import simulate
from .base import Experiment, Result, labelled

CHANGE, RATIO = 0.5, 10  # s, of the old step to the new one
CASES = [(order, form, h) for order in (1, 2) for form in ("index3", "ggl") for h in (0.01, 0.001, 0.0001)]
POINTS = ("N-1", "N", "N+1", "N+2", "N+3")


def history(order: int, form: str, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) and errors of lam (points, 2) of a run through the change of step."""
    options = {"formulation": form, "integrator": "bdf", "order": order, "newton_tolerance": 1e-13}
    start = simulate(physical_pendulum_functions(), CHANGE, step=h, **options)
    solution = simulate(start, 20 * h / RATIO, step=h / RATIO, **options)
    return solution.t, solution.lam - np.array([exact(t)[2] for t in solution.t])


def limit() -> np.ndarray:
    """The jump of lam (2,) of BDF1 on index 3 for h -> 0."""
    a, w = angle(CHANGE)
    G = np.array([[1.0, 0.0, -S * np.cos(a)], [0.0, 1.0, -S * np.sin(a)]])
    gamma = w * w * np.array([-S * np.sin(a), S * np.cos(a)])
    return -0.5 * (RATIO - 1) * np.linalg.solve(G @ np.diag([1.0, 1.0, 12.0]) @ G.T, gamma)


def run() -> Result:
    """Rows: order, form and step; columns: the error of the second multiplier around the change."""
    rows, curves = [], {}
    for order, form, h in CASES:
        t, error = history(order, form, h)
        here = int(np.argmin(np.abs(t - CHANGE)))
        row: dict[str, Any] = {"method": f"BDF{order}, {form}", "step": h}
        for k, name in enumerate(POINTS):
            row[name] = float(error[here - 1 + k, 1])
        rows.append(row)
        if order == 1:
            curves[form, h] = np.arange(-5, 16), error[here - 5 : here + 16, 1]

    def draw(ax):
        for (form, h), (k, error) in curves.items():
            colour = "#c0392b" if form == "index3" else "#0b6aa8"
            style = {0.01: "-", 0.001: "--", 0.0001: ":"}[h]
            ax.plot(k, error, style, color=colour, marker="o", markersize=3, label=f"{form}, h = {h:g} s")
        ax.axhline(limit()[1], color="#555555", linewidth=0.8)
        ax.annotate("limit for h to 0", (3, limit()[1] + 1.5), color="#555555")
        title, y = "BDF1: the multiplier of index 3 jumps for one step", "error of the second multiplier (N)"
        labelled(ax, title, "points after the change of step to h/10", y, loc="center right")

    return Result(("method", "step", *POINTS), rows, notes(), draw)


def notes() -> tuple[str, ...]:
    """What the table means."""
    return (
        f"Error of the second multiplier (N) at the last points with h and the first ones with h/{RATIO}; the motion is known.",
        f"Limit of the jump of BDF1 on index 3 for h to 0: {limit()[1]:.6f}. Output multipliers from the acceleration level "
        "(solution.reaction) where steps change.",
    )


MULTIPLIER_SPIKE = Experiment(
    name="multiplier-spike",
    title="A change of the step and the multipliers: index 3 against stabilised index 2, BDF",
    source="spec 003, section 6.2",
    run=run,
)
