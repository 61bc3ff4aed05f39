"""What constraints do to Newmark's method: a driven pendulum in dependent coordinates (spec 004, section 6, claims 1 to 5).

A point of 1 kg on a rod of 1 m, g = 9.8 m/s^2, at rest, driven by a torque 0.1 sin(0.1 t). In its angle the equation is that of
an oscillator with omega = 3.1305 rad/s: Fox-Goodwin (beta = 1/12) is stable up to h = sqrt(6) / omega = 0.78246 s, the
trapezoidal rule at any step. With index 3, position constraints act as infinite frequencies: Fox-Goodwin fails at every step
size, and the trapezoidal rule loses its constraint forces when a stronger torque turns the constraints. `null-space-newmark`
applies the same formulas along the null space of the constraints only, and keeps the limits of the oscillator.

Two experiments: `fox-goodwin`, stable and unstable steps; `constraint-forces`, trapezoidal rule under growing torques.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from ..analysis.frequencies import largest_step
from ..problems.driven_pendulum import TORQUE, driven_pendulum
from ..simulation import simulate
from .base import Experiment, Result, labelled

CALM = 0.02  # rad: twice what the load turns the pendulum slowly
# method, set, steps (s), duration (s)
CASES = [
    ("newmark", "fox-goodwin", (0.001, 0.01, 0.1, 0.6, 0.78, 0.79), 60.0),
    ("null-space-newmark", "fox-goodwin", (0.1, 0.6, 0.78, 0.79), 600.0),
    ("newmark", "trapezoidal", (0.1, 0.7, 0.79, 6.0), 600.0),
    ("null-space-newmark", "trapezoidal", (0.1, 0.7, 0.79, 6.0), 600.0),
]
LOST = 100.0  # N: ten times the weight; no force of the motion comes near it
FORCES, FORCE_STEP, FORCE_TIME = (5.0, 6.0, 7.0, 9.0), 0.1, 200.0  # N m, s, s


def stepped(method: str, set_: str, step: float, duration: float, torque: float = TORQUE):
    """The Solution of a run that may fail."""
    return simulate(
        driven_pendulum(torque),
        duration,
        step=step,
        integrator=method,
        set=set_,
        newton_tolerance=1e-12,
        energy=False,  # what is unstable is to be shown, not refused
        check=False,
    )


def angles(solution) -> np.ndarray:
    """Angle of the bob (samples,), rad."""
    return solution.q[:, 2]


def run_fox_goodwin() -> Result:
    """Rows: method, set and step."""
    limit, rows, curves = largest_step(driven_pendulum(), "null-space-newmark", set="fox-goodwin"), [], {}
    for method, set_, steps, duration in CASES:
        for step in steps:
            solution = stepped(method, set_, step, step * ceil(duration / step))  # whole steps, exactly as long
            largest = float(np.abs(angles(solution)).max())
            stable = solution.ok and solution.counters["rejected"] == 0 and largest < CALM
            errors = solution.constraint_errors
            row: dict[str, Any] = {"method": f"{method}, {set_}", "step, s": step, "verdict": "stable"}
            if not stable:
                row["verdict"] = "unstable" if solution.ok else f"fails at t = {solution.t[-1]:.3g} s"
            if solution.ok:
                row["largest angle"] = largest
            for level in ("position", "velocity", "acceleration"):
                row[level] = float(getattr(errors, level).max())
            rows.append(row)
            if (method, set_, step) in SHOWN:
                curves[SHOWN[method, set_, step]] = solution.t, angles(solution)

    def draw(ax):
        for (words, (t, angle)), colour in zip(curves.items(), ("#c0392b", "#0b6aa8", "#e08214", "black"), strict=True):
            ax.plot(t, angle, color=colour, linewidth=1.0, label=words)
        ax.set_ylim(-0.04, 0.04)
        ax.set_xlim(0.0, 100.0)
        labelled(ax, f"Driven pendulum; Fox-Goodwin is stable to {limit:.5f} s in the angle", "time (s)", "angle (rad)")

    notes = (
        f"Limit from the natural frequency, sqrt(6) / omega: {limit:.5f} s.",
        "Stable: the end is reached without a refused step, the angle stays below 0.02 rad. Errors of the three constraint "
        "levels are the largest of the run; velocity per s, acceleration per s^2.",
    )
    columns = ("method", "step, s", "verdict", "largest angle", "position", "velocity", "acceleration")
    return Result(columns, rows, notes, draw)


SHOWN = {
    ("newmark", "fox-goodwin", 0.1): "index 3, Fox-Goodwin, 0.1 s",
    ("null-space-newmark", "fox-goodwin", 0.79): "null space, Fox-Goodwin, 0.79 s",
    ("null-space-newmark", "fox-goodwin", 0.78): "null space, Fox-Goodwin, 0.78 s",
    ("null-space-newmark", "trapezoidal", 6.0): "null space, trapezoidal, 6 s",
}


def run_constraint_forces() -> Result:
    """Rows: method and torque."""
    rows, curves = [], {}
    for method in ("newmark", "null-space-newmark"):
        for torque in FORCES:
            solution = stepped(method, "trapezoidal", FORCE_STEP, FORCE_TIME, torque)
            force = np.linalg.norm(solution.lam, axis=1)
            row: dict[str, Any] = {"method": method, "torque, N m": torque, "verdict": "reaches the end"}
            lost = solution.t[force > LOST]
            if lost.size or not solution.ok:
                row["verdict"] = f"diverges at t = {min([*lost, solution.t[-1]]):.3g} s"
            else:
                row["largest angle"] = float(np.abs(angles(solution)).max())
                row["largest constraint force, N"] = float(force.max())
            rows.append(row)
            curves[method, torque] = solution.t, force

    def draw(ax):
        for k, torque in enumerate(FORCES):
            ax.semilogy(*curves["newmark", torque], color=f"C{k}", linewidth=1.0, label=f"index 3, {torque:g} N m")
        ax.semilogy(*curves["null-space-newmark", FORCES[-1]], color="black", label=f"null space, {FORCES[-1]:g} N m")
        ax.set_ylim(1.0, 1e3)
        labelled(ax, "Driven pendulum, trapezoidal rule, 0.1 s", "time (s)", "constraint force (N)", loc="upper left")

    columns = ("method", "torque, N m", "verdict", "largest angle", "largest constraint force, N")
    return Result(columns, rows, FORCE_NOTES, draw)


FORCE_NOTES = (
    f"Trapezoidal rule, step {FORCE_STEP} s, {FORCE_TIME:g} s. What grows begins as round-off: the time of failure is not sharp.",
)

FOX_GOODWIN = Experiment(
    name="fox-goodwin",
    title="Newmark on a driven pendulum: index 3 fails at every step with Fox-Goodwin, the null space keeps the limit",
    source="spec 004, section 6, claims 1, 3, 4 and 5",
    run=run_fox_goodwin,
)
CONSTRAINT_FORCES = Experiment(
    name="constraint-forces",
    title="Trapezoidal rule on a driven pendulum: constraint forces of index 3 grow with the load",
    source="spec 004, section 6, claim 2",
    run=run_constraint_forces,
)
