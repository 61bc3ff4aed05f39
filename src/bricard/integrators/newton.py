"""When Newton's method has done enough: the error left is estimated from the last correction and its contraction.

Hairer and Wanner, Solving ODEs II (1996), section IV.8: with corrections of size d_k and contraction theta = d_k / d_(k-1)
the error left is eta d_k, eta = theta / (1 - theta). In the first iteration eta is remembered from the last step.
"""

from ..compiled.pointers import compiled

CONVERGED, GO_ON, DIVERGED = 1, 0, -1
STAGNATION = 1e3  # corrections that no longer shrink are accepted up to so many tolerances


@compiled
def larger(change, size):
    """Whether a change is larger than the largest so far. A NaN is, and nothing is larger than it: it is never forgotten."""
    return change > size or change != change


@compiled
def judge(iteration, size, previous, eta, tolerance, rounding=0.0):
    """(verdict, eta) after a correction of the given size; the last one was `previous`. A NaN diverges.

    Corrections up to `rounding`, or STAGNATION tolerances, may cease to shrink; up to `rounding` they may grow as well, for there
    the last digits decide about their ratio.
    """
    if not size < 1e100:
        return DIVERGED, 1.0
    if iteration == 0:
        eta = max(eta, 1e-12) ** 0.8
    else:
        theta = size / max(previous, 1e-300)
        if iteration >= 3 and theta > 0.3 and size <= max(STAGNATION * tolerance, rounding):
            return (
                CONVERGED,
                1.0,
            )  # round-off: close to a singular position corrections along the weak direction stay finite
        if theta >= 1.0 and size > tolerance:
            # the first correction is small where only multipliers, which are not judged, were predicted badly
            diverging = size > rounding and ((theta > 2.0 and iteration > 1) or iteration > 3)
            return (DIVERGED if diverging else GO_ON), 1.0
        eta = theta / (1.0 - theta) if theta < 0.99 else 99.0
    return (CONVERGED if eta * size <= tolerance or size <= 0.01 * tolerance else GO_ON), eta
