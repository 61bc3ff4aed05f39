"""How constraint errors and energy develop along a run: one method, one setting, samples where steps end."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import INTEGRATORS
from ..simulation import simulate
from .compare_methods import Method
from .compare_run import setting_of

SAMPLES = 48


def drift(systems, span: float, method: Method, setting: float, limit: float = 0.0) -> dict[str, Any] | None:
    """t (n,), errors of position, velocity, acceleration level and of the energy (n,), or None if it did not reach the end.

    Steps are made to end at the samples: what interpolation between steps adds is not the method's.
    """
    system = systems[method.coordinates]
    times = np.linspace(0.0, span, SAMPLES + 1)
    if not method.adaptive:
        times = np.unique(np.round(np.linspace(0, setting, min(SAMPLES, int(setting)) + 1))) * (span / setting)
    external = INTEGRATORS[method.integrator].external is not None
    breaks = times[1:-1] if method.adaptive and not external else ()
    keywords = setting_of(method, span, setting)
    solution = simulate(system, span, output=times, breaks=breaks, check=False, progress=False, **keywords)
    if not solution.ok:
        return None
    errors, energy = solution.constraint_errors, solution.energy
    size = max(float(np.abs(energy.total).max()), float(np.abs(energy.kinetic).max()), 1e-300)
    levels = {"position": errors.position, "velocity": errors.velocity, "acceleration": errors.acceleration}
    levels |= {"energy": np.abs(energy.error) / size}
    return {"t": solution.t.tolist(), **{key: value.tolist() for key, value in levels.items()}}
