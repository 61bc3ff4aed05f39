"""States that were not integrated, such as those of statics or of a prescribed motion, as a Solution."""

import numpy as np

from ..solution.solution import COUNTERS, Solution
from ..system.assembler import complete


def snapshots(system, t, samples, origin):
    """The Solution of samples (q, v, turn) at times t (n,); origin : what made them, for the provenance."""
    q, v, turns = (np.array(part) for part in zip(*samples, strict=True))
    return Solution(
        system=system,
        t=np.asarray(t, float),
        q=q,
        v=v,
        own_a=None,
        own_lam=None,
        ok=True,
        status=f"Computed by {origin}.",
        counters=dict.fromkeys(COUNTERS, 0),
        events=(),
        seconds={},
        provenance={"formulation": origin, "integrator": "none", "references": (), "step": None, "interrupted": False},
        step_times=np.zeros(0),
        end=complete(system, float(t[-1]), q[-1], v[-1], turns[-1]),
        turns=turns,
    )
