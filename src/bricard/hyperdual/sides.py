"""Sides of kinks: which outcome a rule with several of them had, as a number; and where its result has no derivative.

A side is a function of the values of a rule's arguments: of words that look at the value alone (comparisons, sign, floor, ...) it
is their result. `point` is a function of hyper-dual numbers: whether they stand where no derivative exists (docs/functions.md),
and go somewhere. Plain Python calls both, and Numba compiles them.
"""

import builtins
import math

import numpy as np

from . import rules, words

# of one value ---------------------------------------------------------------------------------------------------------------


def side_of_zero(x):
    """-1, 0 or 1."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0


def at_zero(u):
    """At zero."""
    return u.x == 0.0 and u.a != 0.0


def at_step(u):
    """At a whole number."""
    return u.x == np.floor(u.x) and u.a != 0.0


def at_one(u):
    """At 1 or -1."""
    return abs(u.x) == 1.0 and u.a != 0.0


# of two values --------------------------------------------------------------------------------------------------------------


def second_is_larger(x, y):
    """1 where y > x."""
    return 1.0 if y > x else 0.0


def second_is_smaller(x, y):
    """1 where y < x."""
    return 1.0 if y < x else 0.0


def whole_part(x, y):
    """How often y goes into x, as mod counts."""
    return np.rint((x - np.mod(x, y)) / y)


def whole_part_to_zero(x, y):
    """The same, as fmod counts."""
    return np.rint((x - np.fmod(x, y)) / y)


def nearest_part(x, y):
    """The same, as remainder counts."""
    return np.rint(x / y)


def same_sign(x, y):
    """1 where both have the same sign."""
    return 1.0 if np.signbit(x) == np.signbit(y) else 0.0


def side_of_first(x, y):
    """-1, 0 or 1 for x."""
    return side_of_zero(x)


def side_of_cut(x, y):
    """The side of the half line where arctan2(x, y) jumps from pi to -pi; 0 where it is far."""
    return 0.0 if y >= 0.0 else 1.0 if x >= 0.0 else -1.0


def equal(u, v):
    """Equal numbers that go different ways."""
    return u.x == v.x and u.a != v.a


def both_zero(u, v):
    """Both at zero."""
    return u.x == 0.0 and v.x == 0.0 and (u.a != 0.0 or v.a != 0.0)


def steep_power(u, v):
    """x**p at 0 with p < 2: the second derivative, or the first, is infinite; 0 and 1 are smooth."""
    return u.x == 0.0 and u.a != 0.0 and v.x < 2.0 and v.x != 1.0 and v.x != 0.0


def piece(x, knots):
    """The number of knots up to x."""
    low, high = 0, len(knots)
    while low < high:
        middle = (low + high) // 2
        if x < knots[middle]:
            high = middle
        else:
            low = middle + 1
    return float(low)


def _named(table):
    return {word: rule for rule, given in table.items() for word in given}


SIDES = _named(
    {
        side_of_zero: (np.absolute, np.fabs, math.fabs, builtins.abs),
        second_is_larger: (builtins.max, np.maximum, np.fmax),
        second_is_smaller: (builtins.min, np.minimum, np.fmin),
        whole_part: words.TWO[rules.modulo],
        whole_part_to_zero: words.TWO[rules.fmod],
        nearest_part: words.TWO[rules.remainder],
        same_sign: words.TWO[rules.copysign],
        side_of_first: words.TWO[rules.heaviside],
        side_of_cut: words.TWO[rules.arctan2],
    }
)
POINTS = _named(
    {
        at_zero: (np.absolute, np.fabs, math.fabs, builtins.abs, np.sign, np.sqrt, math.sqrt, np.cbrt, math.cbrt),
        at_step: (np.floor, np.ceil, np.trunc, *words.WHOLE_NUMBER),
        at_one: (np.arcsin, math.asin, np.arccos, math.acos),
        equal: (builtins.max, np.maximum, np.fmax, builtins.min, np.minimum, np.fmin),
        both_zero: (*words.TWO[rules.arctan2], *words.TWO[rules.hypot]),
        steep_power: words.TWO[rules.power],
    }
)
# words whose result is a number or a truth about the value, which is the side
OUTCOMES = (*words.VALUE, *words.WHOLE_NUMBER, *words.TWO[rules.floor_divide])
