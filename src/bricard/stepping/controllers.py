"""Step size controllers: fixed, proportional-integral control of the local error (Gustafsson 1991), and choice of step and order.

How to add one: write a function with the signature CONTROL that reads run.error[0] (scaled so that 1 is the tolerance),
accepts or refuses the step h and sets the next step size run.clock[1]; add it to CONTROLLERS. Of a method with variable order,
run.error also holds the errors at one order less and one more, run.orders[0] its order; the controller sets run.orders[1].
"""

import math

from ..compiled.interfaces import CONTROL
from ..compiled.march import STEPS
from ..compiled.pointers import compiled

GROWTH = 4.0  # largest ratio of neighbouring steps of a variable-order method
CONTRACTING = 0.1  # the contraction of Newton's method that steps aim at; it grows with h^2
HOLD = 1.2  # a smaller gain is not worth a new matrix


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


@CONTROL
def predictive(order, h, run):
    """For implicit one-step methods: the error goes on changing as it did from the last step to this one (Gustafsson 1994).

    A gain that is not worth a new matrix is not taken, and Newton's method, whose contraction is run.error[3], is not asked for
    too much. clock[3] is error^(1/order) / h of the step before. A method with variable order tells the order of its estimate
    in run.orders[0].
    """
    clock, error = run.clock, run.error[0]
    if run.orders[0] > 0:
        order = run.orders[0] + 1.0
    if not error <= 1.0:
        clock[1] = h * (max(0.2, 0.9 * error ** (-1.0 / order)) if math.isfinite(error) else 0.2)
        return False
    root = max(error, 1e-10) ** (1.0 / order)
    growth = 0.9 / root
    if run.counters[STEPS] > 0:
        growth = min(growth, growth * h * clock[3] / root)
    growth = min(growth, math.sqrt(CONTRACTING / max(run.error[3], 1e-10)))
    if h >= 0.99 * clock[1]:  # a step cut to hit a time says little
        clock[1] = h * (1.0 if 1.0 <= growth <= HOLD else min(5.0, max(0.2, growth)))
        clock[3] = root / h
    return True


@compiled
def gain(error, order, safety):
    """By what the step may be multiplied at this order; 0 if the error is not known. A NaN gives 0.

    A step never grows by more than GROWTH, so that orders which allow more are equal, and the present one stays: errors that are
    so small are round-off, which must not choose the order.
    """
    return min(GROWTH, safety * max(error, 1e-10) ** (-1.0 / (order + 1.0))) if error < math.inf else 0.0


@CONTROL
def variable_order(order, h, run):
    """The order, among k - 1, k, k + 1, that allows the largest step; steps grow only after k + 1 equal ones.

    Only then do the differences of the last points say what the errors of the formula are (Hairer, Norsett and Wanner, Solving
    ODEs I, section III.7).
    """
    clock, error, orders = run.clock, run.error, run.orders
    k = orders[0]
    best, growth = k, gain(error[0], k, 0.85)
    if gain(error[1], k - 1, 0.8) > growth:
        best, growth = k - 1, gain(error[1], k - 1, 0.8)
    if not error[0] <= 1.0:
        orders[1], orders[2] = best, 0
        clock[1] = h * min(0.9, max(0.2, growth))
        return False
    orders[1] = k
    orders[2] += 1
    if h < 0.99 * clock[1]:  # a step cut to hit a time says little
        return True
    waited = orders[2] > k
    if waited and gain(error[2], k + 1, 0.75) > growth:
        best, growth = k + 1, gain(error[2], k + 1, 0.75)
    if waited and (growth >= HOLD or best != k):
        orders[1], orders[2] = best, 0
        clock[1] = h * max(0.5, growth)
    elif growth < 1.0:  # a little smaller each time: the differences still tell the errors
        orders[1], orders[2] = best, orders[2] if best == k else 0
        clock[1] = h * max(0.5, 0.9 * growth)
    return True


@CONTROL
def one_step_order(order, h, run):
    """For one-step methods of orders k, k +- 2: the order that allows the largest step."""
    clock, error, orders = run.clock, run.error, run.orders
    k = orders[0]
    best, growth = k, gain(error[0], k, 0.85)
    if gain(error[1], k - 2, 0.75) > growth:
        best, growth = k - 2, gain(error[1], k - 2, 0.75)
    if not error[0] <= 1.0:
        orders[1] = best
        clock[1] = h * min(0.9, max(0.2, growth))
        return False
    if gain(error[2], k + 2, 0.75) > growth:
        best, growth = k + 2, gain(error[2], k + 2, 0.75)
    growth = min(growth, math.sqrt(CONTRACTING / max(run.error[3], 1e-10)))
    if h >= 0.99 * clock[1]:  # a step cut to hit a time says little
        orders[1] = best
        clock[1] = h * (1.0 if 1.0 <= growth <= HOLD else max(0.2, growth))
    return True


CONTROLLERS = {
    "fixed": fixed,
    "pi": proportional_integral,
    "predictive": predictive,
    "variable-order": variable_order,
    "one-step-order": one_step_order,
}
