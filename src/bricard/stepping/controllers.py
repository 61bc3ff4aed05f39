"""Step size controllers: fixed, and proportional-integral control of the local error (Gustafsson 1991).

How to add one: write a function with the signature CONTROL that reads run.error[0] (scaled so that 1 is the tolerance),
accepts or refuses the step h and sets the next step size run.clock[1]; add it to CONTROLLERS.
"""

import math

from ..compiled.interfaces import CONTROL


@CONTROL
def fixed(order, h, run):
    """Accept every step that converged."""
    return True


@CONTROL
def proportional_integral(order, h, run):
    """PI controller; `order` is that of the error estimate plus one. A NaN is refused."""
    clock, error = run.clock, run.error[0]
    if not error <= 1.0:
        clock[1] = h * (max(0.2, 0.9 * error ** (-1.0 / order)) if math.isfinite(error) else 0.2)
        return False
    error = max(error, 1e-10)
    growth = 0.9 * error ** (-0.7 / order) * clock[3] ** (0.4 / order)
    proposal = h * min(5.0, max(0.2, growth))
    clock[1] = proposal if h >= 0.99 * clock[1] else max(clock[1], proposal)  # a step cut to hit a time says little
    clock[3] = error
    return True


CONTROLLERS = {"fixed": fixed, "pi": proportional_integral}
