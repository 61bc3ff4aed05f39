"""Functions of time with two derivatives: constant, sine, polynomial, table, smooth step; and users' own.

A profile reads its numbers from `parameters` at `first` and writes value, first and second derivative to `out`.
"""

import math

from ..compiled.hyperdual import HyperDual, lifted
from ..compiled.interfaces import PROFILE
from ..compiled.pointers import compiled
from ..compiled.users import pointer
from .branches import Kind, with_branches


@PROFILE
def constant(t, parameters, first, out):
    """Parameters: value."""
    out[0], out[1], out[2] = parameters[first], 0.0, 0.0


@PROFILE
def sine(t, parameters, first, out):
    """Parameters: amplitude, frequency in Hz, phase, offset."""
    amplitude, rate = parameters[first], 2.0 * math.pi * parameters[first + 1]
    s, c = math.sin(rate * t + parameters[first + 2]), math.cos(rate * t + parameters[first + 2])
    out[0], out[1], out[2] = parameters[first + 3] + amplitude * s, amplitude * rate * c, -amplitude * rate * rate * s


@PROFILE
def polynomial(t, parameters, first, out):
    """Parameters: number of coefficients, then the coefficients of 1, t, t^2, ..."""
    value, slope, bend = 0.0, 0.0, 0.0
    for i in range(int(parameters[first]) - 1, -1, -1):
        bend = bend * t + 2.0 * slope
        slope = slope * t + value
        value = value * t + parameters[first + 1 + i]
    out[0], out[1], out[2] = value, slope, bend


@PROFILE
def smooth_step(t, parameters, first, out):
    """Parameters: start value, end value, start time, end time. Quintic: two derivatives vanish at both ends."""
    low, high, t_0, t_1 = parameters[first], parameters[first + 1], parameters[first + 2], parameters[first + 3]
    span, s = t_1 - t_0, min(1.0, max(0.0, (t - t_0) / (t_1 - t_0)))
    out[0] = low + (high - low) * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
    out[1] = (high - low) * 30.0 * s * s * (1.0 - s) * (1.0 - s) / span
    out[2] = (high - low) * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (span * span)


@compiled
def piece(x, parameters, first):
    """Number of the piece of a spline in which x lies; the first or the last one beyond the ends."""
    low, high = 0, int(parameters[first]) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < parameters[first + 1 + middle]:
            high = middle
        else:
            low = middle
    return low


@compiled
def spline(x, parameters, first, out):
    """Piecewise cubic with two derivatives. Parameters: number of knots, knots, then four coefficients a piece
    (of 1, s, s^2, s^3 from its left knot); continued as a straight line beyond the ends."""
    n, low = int(parameters[first]), piece(x, parameters, first)
    left, right = parameters[first + 1], parameters[first + n]
    inside = min(right, max(left, x))
    s, o = inside - parameters[first + 1 + low], first + 1 + n + 4 * low
    a, b, c, d = parameters[o], parameters[o + 1], parameters[o + 2], parameters[o + 3]
    out[0], out[1], out[2] = a + s * (b + s * (c + s * d)), b + s * (2.0 * c + 3.0 * s * d), 2.0 * c + 6.0 * s * d
    if inside != x:
        out[0] += out[1] * (x - inside)
        out[2] = 0.0


@compiled
def spline_integral(x, parameters, first):
    """Integral of spline() from its first knot to x; behind its parameters stand the integrals up to each knot."""
    n, low = int(parameters[first]), piece(x, parameters, first)
    left, right = parameters[first + 1], parameters[first + n]
    inside = min(right, max(left, x))
    s, o = inside - parameters[first + 1 + low], first + 1 + n + 4 * low
    a, b, c, d = parameters[o], parameters[o + 1], parameters[o + 2], parameters[o + 3]
    before = parameters[first + 1 + n + 4 * (n - 1) + low]
    value, slope, beyond = a + s * (b + s * (c + s * d)), b + s * (2.0 * c + 3.0 * s * d), x - inside
    inner = s * (a + s * (b / 2.0 + s * (c / 3.0 + s * d / 4.0)))
    return before + inner + beyond * (value + 0.5 * beyond * slope)


@PROFILE
def tabulated(t, parameters, first, out):
    """Parameters: see spline()."""
    spline(t, parameters, first, out)


def of_function(function):
    """The profile of a user's function u(t), with exact derivatives."""
    given = function, (("t", ()),)
    return with_branches(pointer(_profile, (given,)), Kind.TIME, given[0])


def _profile(function):
    def profile(t, parameters, first, out):
        value = lifted(function(HyperDual(t, 1.0, 1.0, 0.0)))
        out[0], out[1], out[2] = value.x, value.a, value.ab

    return PROFILE(profile)


PROFILES = {
    "constant": constant,
    "sine": sine,
    "polynomial": polynomial,
    "tabulated": tabulated,
    "smooth_step": smooth_step,
}
