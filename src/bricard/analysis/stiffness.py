"""stiffness(): whether a system is stiff at its start, by the rates of its small motions."""

from __future__ import annotations

import math

import numpy as np

from ..errors import BricardError
from ..formulations.base import velocity_scale
from ..system.assembler import assemble
from ..system.system import System
from .frequencies import reduced

STIFF = 300.0  # rate of the fastest small motion over that of the motion itself, above which a system counts as stiff
LARGE = 600  # velocities of a system above which its small motions are not looked at


def stiffness(system: System) -> float:
    """Rate of the fastest small motion at the start over that of weight and motion themselves; 0 where it is not looked for."""
    model = system.model
    if model is None or not model.forces or system.n_v > LARGE:
        return 0.0
    try:
        state = assemble(system)
        small = reduced(system, state)
    except (BricardError, np.linalg.LinAlgError):  # a singular start has no independent coordinates
        return 0.0
    damping = np.abs(np.linalg.eigvals(np.linalg.solve(small.M, 0.5 * (small.C + small.C.T))))
    fast = max(small.frequencies.max(initial=0.0), damping.max(initial=0.0))
    rates = [
        math.sqrt(float(np.linalg.norm(model.gravity)) / system.length),
        float(np.abs(state.v / velocity_scale(system)).max(initial=0.0)),
    ]
    slow = max(*rates, min((w for w in small.frequencies if w > 1e-6 * fast), default=0.0))
    return float(fast / slow) if slow > 0.0 else 0.0
