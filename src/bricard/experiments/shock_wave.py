"""A shock wave in a bar, as a chain of masses and springs: the free end moves twice as fast as the input (spec 004, section 4.3).

n equal masses (0.04 kg in all) on sliders with n - 1 springs (10 N/m in all). The first mass is pushed: its velocity is half a
sine of 0.04 s and 1 m/s. The wave runs through the bar in sqrt(m / k) = 0.0632 s; at the free end it is reflected with twice the
velocity. Trapezoidal rule, step 1 ms. `ripple` is what moves at the free end between the passage of the wave and its return,
where the continuous bar is at rest.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from ..analysis.frequencies import largest_step
from ..problems.shock_wave_chain import MASS, PULSE, STIFFNESS
from ..problems.shock_wave_chain import shock_wave_chain as chain
from ..simulation import simulate
from .base import Experiment, Result, labelled

STEP, DURATION = 1e-3, 0.2  # s
REST = (0.115, 0.18)  # s: the wave has left the free end and is not yet back
TRANSIT = sqrt(MASS / STIFFNESS)
SIZES = (10, 20, 100, 10_000)
DENSE = 100  # masses up to which natural frequencies are asked for


def free_end(masses: int) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Times (s), velocities (m/s) of the last mass, seconds of the run."""
    every = round(DURATION / STEP)
    solution = simulate(chain(masses), DURATION, step=STEP, output=every + 1, integrator="newmark", set="trapezoidal")
    return solution.t, solution.v[:, 3 * (masses - 1)], solution.seconds


def run() -> Result:
    """Rows: number of masses."""
    rows, curves = [], {}
    for masses in SIZES:
        t, v, seconds = free_end(masses)
        curves[masses], peak = (t, v), int(np.argmax(v))
        calm = (t >= REST[0]) & (t <= REST[1])
        row: dict[str, Any] = {
            "masses": masses,
            "peak, m/s": float(v[peak]),
            "at, s": float(t[peak]),
            "ripple, m/s": float(np.abs(v[calm]).max()),
            "ms per step": 1e3 * seconds["march"] / (t.size - 1),
        }
        if masses <= DENSE:
            row["Fox-Goodwin stable to, s"] = largest_step(chain(masses), "newmark", set="fox-goodwin")
        rows.append(row)

    def draw(ax):
        t = np.linspace(0.0, DURATION, 1001)
        inside = (t > TRANSIT) & (t < TRANSIT + PULSE)
        exact = np.where(inside, 2.0 * np.sin(pi * (t - TRANSIT) / PULSE), 0.0)
        exact -= np.where(t > 3 * TRANSIT, 2.0 * np.sin(pi * (t - 3 * TRANSIT) / PULSE), 0.0)
        ax.plot(t, exact, color="black", linewidth=1.0, linestyle="--", label="continuous bar")
        for masses, (t, v) in curves.items():
            ax.plot(t, v, linewidth=1.2, label=f"{masses} masses")
        labelled(ax, "Shock wave in a bar: input 1 m/s", "time (s)", "velocity of the free end (m/s)")

    columns = ("masses", "peak, m/s", "at, s", "ripple, m/s", "Fox-Goodwin stable to, s", "ms per step")
    return Result(columns, rows, NOTES, draw)


NOTES = (
    "Newmark, trapezoidal set, step 1 ms, 0.2 s. A continuous bar has the peak 2 m/s at 0.0832 s and no ripple.",
    "With 100 masses the step is beyond the limit of Fox-Goodwin already; the trapezoidal rule has none.",
)

SHOCK_WAVE = Experiment(
    name="shock-wave",
    title="Shock wave in a bar of 10, 20, 100 and 10,000 masses",
    source="spec 004, section 4.3, claim 21",
    run=run,
)
