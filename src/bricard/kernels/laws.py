"""Force laws F(t, x, x') along a measure: linear spring-damper, table, function of time; and users' own.

A law writes the force, its derivatives in x and x', the potential energy of its conservative part, and the rest of the
force, whose power enters the power balance.
"""

import functools
import math

from ..compiled.interfaces import LAW
from ..compiled.pointers import inlined
from .profiles import spline


@LAW
def linear(t, x, speed, parameters, first, out):
    """Parameters: stiffness, damping, free position. F = -k (x - free) - c x'."""
    stiffness, damping, gap = parameters[first], parameters[first + 1], x - parameters[first + 2]
    out[0], out[1], out[2] = -stiffness * gap - damping * speed, -stiffness, -damping
    out[3], out[4] = 0.5 * stiffness * gap * gap, -damping * speed


@LAW
def table(t, x, speed, parameters, first, out):
    """Parameters: damping, then the spline of the force over x. All of it counts as work, none as potential."""
    spline(x, parameters, first + 1, out)
    damping = parameters[first]
    out[0] -= damping * speed
    out[2], out[3], out[4] = -damping, 0.0, out[0]


@functools.cache
def of_profile(profile):
    """The law whose force is a function of time alone."""
    value = profile.function

    def law(t, x, speed, parameters, first, out):
        value(t, parameters, first, out)
        out[1], out[2], out[3], out[4] = 0.0, 0.0, 0.0, out[0]

    return LAW(law)


def of_function(function):
    """The law of a user's function F(t, x, x'), with derivatives by complex step: exact to rounding."""
    function = inlined(function)

    def law(t, x, speed, parameters, first, out):
        out[1] = function(t, x + 1e-30j, speed + 0j).imag / 1e-30
        value = function(t, x + 0j, speed + 1e-30j)
        force = value.real if abs(value.imag) < 1e-12 else math.nan  # sqrt, log or the like have left their real domain
        out[0], out[2], out[3], out[4] = force, value.imag / 1e-30, 0.0, force

    return LAW(law)


LAWS = {"linear": linear, "table": table}
