"""How the constraints of index 1 drift: quadratically in time, unless something is done (spec 003, section 6.4).

The physical pendulum, classical Runge-Kutta with h = 0.01 s: without correction, with Baumgarte's terms, with a projection after
each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problems.physical_pendulum import angle, physical_pendulum_functions
from ..simulation import simulate
from .base import Experiment, Result, labelled

STEP, TIMES = 0.01, (5.0, 10.0, 20.0, 40.0)  # s
CASES: dict[str, dict[str, Any]] = {
    "plain": {"formulation": "index1", "correction": "none"},
    "Baumgarte 10": {"formulation": "baumgarte", "alpha": 10.0, "beta": 10.0},
    "projection": {"formulation": "index1", "correction": "mass"},
}


def run() -> Result:
    """Rows: method and time; columns: errors of position and velocity constraints, and of the angle."""
    rows, curves = [], {}
    for words, options in CASES.items():
        solution = simulate(
            physical_pendulum_functions(), TIMES[-1], integrator="rk4", step=STEP, output=0.1, **options
        )
        errors = [np.array([np.linalg.norm(part) for part in parts]) for parts in _violations(solution)]
        curves[words] = solution.t, np.maximum(errors[0], 1e-17)
        for t in TIMES:
            k = int(np.argmin(np.abs(solution.t - t)))
            rows.append(
                {
                    "method": words,
                    "t, s": t,
                    "position": float(errors[0][k]),
                    "velocity": float(errors[1][k]),
                    "angle": float(solution.q[k, 2] - angle(t)[0]),
                }
            )

    def draw(ax):
        for words, (t, error) in curves.items():
            ax.loglog(t[1:], error[1:], label=words)
        t = np.array([1.0, 40.0])
        ax.loglog(t, 2e-7 * t**2, color="#555555", linewidth=0.8, linestyle=":", label="t squared")
        title = "Physical pendulum, rk4, h = 0.01 s: drift of index 1"
        labelled(ax, title, "time (s)", "error of the position constraints (m)")

    return Result(("method", "t, s", "position", "velocity", "angle"), rows, NOTES, draw)


def _violations(solution):
    """Phi and G v (samples, rows) along a solution."""
    system = solution.system
    pairs = list(zip(solution.t, solution.q, solution.v, strict=True))
    return [system.constraint(t, q) for t, q, _ in pairs], [system.constraint_velocity(t, q, v) for t, q, v in pairs]


NOTES = ("Norms of Phi (m) and G v (m/s), error of the angle (rad). The error of position quadruples when t doubles.",)

QUADRATIC_DRIFT = Experiment(
    name="quadratic-drift",
    title="Drift of index 1 without correction: quadratic in time",
    source="spec 003, section 6.4",
    run=run,
)
