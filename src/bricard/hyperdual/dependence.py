"""What the rows of a function depend on, along every branch of it (following.py)."""

import math
import operator

import numpy as np

from . import words
from .following import TRUTHS, Course, Term

# of derivative zero wherever it exists
STEPS = {operator.floordiv, np.floor_divide, np.heaviside, round, int, *words.VALUE, *words.WHOLE_NUMBER, *TRUTHS}
LINEAR = {operator.add, operator.sub, operator.neg, np.add, np.subtract, abs, max, min, np.copysign, math.copysign}
LINEAR |= {np.absolute, np.fabs, math.fabs, np.maximum, np.minimum, np.fmax, np.fmin, np.where, np.interp}
LINEAR |= {np.radians, np.degrees, np.deg2rad, np.rad2deg, math.radians, math.degrees}
PRODUCTS, QUOTIENTS = {operator.mul, np.multiply}, {operator.truediv, operator.mod, np.divide, np.mod}


def _bits(number):
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _joined(second, more):
    for i, bits in more.items():
        second[i] = second.get(i, 0) | bits


def _cross(second, one, other):
    _joined(second, dict.fromkeys(_bits(one), other) if other else {})
    _joined(second, dict.fromkeys(_bits(other), one) if one else {})


def _of(term, known):
    """(bits, second) of a term, from those of its numbers."""
    first, second = 0, {}
    if term.word in STEPS:
        return first, second
    given = [known.get(number, (0, {})) if isinstance(number, Term) else (0, {}) for number in term.numbers]
    for bits, more in given:
        first |= bits
        _joined(second, more)
    if term.word in PRODUCTS:
        _cross(second, given[0][0], given[1][0])
    elif term.word in QUOTIENTS:
        _cross(second, given[0][0], given[1][0])
        _cross(second, given[1][0], given[1][0])
    elif term.word not in LINEAR:
        _cross(second, first, first)
    return first, second


def dependence(course: Course, bits):
    """For each row of a function the bits of the arguments that it depends on, and for each argument the bits of those with
    which it may have a mixed second derivative.

    bits : name of an argument -> its bits.
    """
    known = {}
    for term in course.terms:
        known[term] = _of(term, known) if term.numbers else (bits(term.word), {})
    found = [(0, {}) for _ in range(course.rows)]
    for end in course.ends:
        for r, row in enumerate(end.rows):
            first, second = known.get(row, (0, {})) if isinstance(row, Term) else (0, {})
            _joined(found[r][1], second)
            found[r] = found[r][0] | first, found[r][1]
    return found
