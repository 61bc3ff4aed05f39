"""Force laws F(t, x, x') along a measure: linear spring-damper, table, function of time; and users' own.

A law writes the force, its derivatives in x and x', the potential energy of its conservative part, and the rest of the
force, whose power enters the power balance.
"""

import functools

from ..compiled.hyperdual import HyperDual, lifted
from ..compiled.interfaces import LAW
from ..compiled.users import pointer
from .branches import Kind, with_branches
from .profiles import spline, spline_integral

LAW_OF, POTENTIAL_OF = (("t", ()), ("x", ()), ("v", ())), (("x", ()),)  # arguments: numbers, each by its name


@LAW
def linear(t, x, speed, parameters, first, out):
    """Parameters: stiffness, damping, free position. F = -k (x - free) - c x'."""
    stiffness, damping, gap = parameters[first], parameters[first + 1], x - parameters[first + 2]
    out[0], out[1], out[2] = -stiffness * gap - damping * speed, -stiffness, -damping
    out[3], out[4] = 0.5 * stiffness * gap * gap, -damping * speed


@LAW
def table(t, x, speed, parameters, first, out):
    """Parameters: damping, then the spline of the force over x, with its integrals."""
    spline(x, parameters, first + 1, out)
    damping = parameters[first]
    out[0] -= damping * speed
    out[2], out[3], out[4] = -damping, -spline_integral(x, parameters, first + 1), -damping * speed


@functools.cache
def of_profile(profile):
    """The law whose force is a function of time alone."""
    value = profile.function

    def law(t, x, speed, parameters, first, out):
        value(t, parameters, first, out)
        out[1], out[2], out[3], out[4] = 0.0, 0.0, 0.0, out[0]

    made = LAW(law)
    made.branching = profile.branching
    return made


def of_function(function):
    """The law of a user's function F(t, x, x'), with exact derivatives."""
    given = function, LAW_OF
    return with_branches(pointer(_law, (given,)), Kind.LAW, given[0])


def _law(function):
    def law(t, x, speed, parameters, first, out):
        numbers = HyperDual(t, 0.0, 0.0, 0.0), HyperDual(x, 1.0, 0.0, 0.0), HyperDual(speed, 0.0, 1.0, 0.0)
        force = lifted(function(numbers[0], numbers[1], numbers[2]))
        out[0], out[1], out[2], out[3], out[4] = force.x, force.a, force.b, 0.0, force.x

    return LAW(law)


def of_potential(potential):
    """The law of a user's potential U(x): F = -U'(x)."""
    given = potential, POTENTIAL_OF
    return with_branches(pointer(_elastic, (given,)), Kind.POTENTIAL_LAW, given[0])


def _elastic(potential):
    def law(t, x, speed, parameters, first, out):
        stored = lifted(potential(HyperDual(x, 1.0, 1.0, 0.0)))
        out[0], out[1], out[2], out[3], out[4] = -stored.a, -stored.ab, 0.0, stored.x, 0.0

    return LAW(law)


def of_function_and_potential(function, potential):
    """The law of a user's function F(t, x, x') that is -U'(x) at rest: what it adds with x' is not conservative."""
    given = function, LAW_OF
    return with_branches(pointer(_elastic_and_rest, (given, (potential, POTENTIAL_OF))), Kind.LAW, given[0])


def _elastic_and_rest(function, potential):
    def law(t, x, speed, parameters, first, out):
        numbers = HyperDual(t, 0.0, 0.0, 0.0), HyperDual(x, 1.0, 0.0, 0.0), HyperDual(speed, 0.0, 1.0, 0.0)
        force = lifted(function(numbers[0], numbers[1], numbers[2]))
        still = lifted(function(numbers[0], numbers[1], HyperDual(0.0, 0.0, 1.0, 0.0)))
        stored = lifted(potential(numbers[1]))
        out[0], out[1], out[2], out[3], out[4] = force.x, force.a, force.b, stored.x, force.x - still.x

    return LAW(law)


LAWS = {"linear": linear, "table": table}
