"""State: one consistent instant of a system."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class State:
    """Time (s), q (n_q,), v (n_v,), a = v' (n_v,), lam (n_rows,), and the counted value of each measure in use."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    turn: np.ndarray = field(default_factory=lambda: np.zeros(0))
    extra: np.ndarray | None = None  # numbers of the integrator's own, for going on with the same one
