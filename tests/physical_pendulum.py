"""The physical pendulum of spec 003, section 6, as a system of functions, and its exact motion."""

import numpy as np

from bricard.problems.physical_pendulum import GRAVITY, J, S, angle, exact
from bricard.problems.physical_pendulum import physical_pendulum_functions as system


def errors(solution, t):
    """Largest errors of q, v and lam at the end of a Solution that ends at time t."""
    q, v, lam = exact(t)
    return [np.abs(a[-1] - b).max() for a, b in ((solution.q, q), (solution.v, v), (solution.lam, lam))]


__all__ = ["GRAVITY", "J", "S", "angle", "errors", "exact", "system"]
