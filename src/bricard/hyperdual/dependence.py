"""What a function depends on, along every branch: found by calling it with numbers that have no value, only a history.

A comparison of such numbers has no outcome, so both are taken in turn. Where a function cannot be traced (too many branches, a
loop whose end depends on its arguments, an index made of them), the answer is None: it may depend on everything.
"""

import math
import operator
from types import SimpleNamespace

import numpy as np

from .rebuild import plain_copy
from .words import COMPARISONS, VALUE, WHOLE_NUMBER

MOST_RUNS, MOST_BRANCHES = 512, 64
STEPS = {np.floor_divide, np.heaviside, *VALUE, *WHOLE_NUMBER}  # of derivative zero wherever it exists
LINEAR = {np.add, np.subtract, np.negative, np.positive, np.absolute, np.fabs, math.fabs, abs}
LINEAR |= {np.maximum, np.minimum, np.fmax, np.fmin, np.radians, np.degrees, np.deg2rad, np.rad2deg}
LINEAR |= {math.radians, math.degrees, np.copysign, math.copysign}


class Untraceable(Exception):
    """Raised where the value of an argument itself decides what a function does."""


class Dependence:
    """A number without a value: which arguments it depends on, and which pairs of them its second derivatives may need.

    first : bits of the arguments. second : for each argument, bits of those with which it has a mixed second derivative.
    """

    __slots__ = ("branches", "first", "second")
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, first, second, branches):
        self.first, self.second, self.branches = first, second, branches

    def __int__(self):
        raise Untraceable

    __float__ = __index__ = __complex__ = __trunc__ = __int__

    def __round__(self, digits=None):
        return Dependence(0, {}, self.branches)

    def __floor__(self):
        raise Untraceable

    __ceil__ = __floor__

    def __bool__(self):
        return self.branches.take()

    def __neg__(self):
        return self

    __pos__ = __abs__ = __neg__

    def __array_ufunc__(self, function, method, *inputs, **_):
        if method != "__call__":
            return NotImplemented
        if any(isinstance(item, np.ndarray) and item.ndim for item in inputs):
            return np.frompyfunc(lambda *numbers: depending(function, *numbers), len(inputs), 1)(*inputs)
        return depending(function, *inputs)

    def __array_function__(self, function, _, numbers, __):
        if function in (np.where, np.clip):
            return depending(np.add, *numbers)
        if function is np.interp:
            return depending(np.exp, numbers[0])
        return depending(np.floor, self) if function in (np.round, np.around) else NotImplemented


def _two(function, reverse=False):
    return lambda u, v: depending(function, v, u) if reverse else depending(function, u, v)


for _word, _function in {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
    "mod": np.mod,
    "floordiv": np.floor_divide,
}.items():
    setattr(Dependence, f"__{_word}__", _two(_function))
    setattr(Dependence, f"__r{_word}__", _two(_function, True))
for _compare in COMPARISONS:
    setattr(Dependence, f"__{_compare.__name__}__", lambda u, v: Choice(u.branches))


class Choice:
    """The outcome of a comparison: both, one after the other."""

    def __init__(self, branches):
        self.branches = branches

    def __bool__(self):
        return self.branches.take()

    def __and__(self, other):
        return self

    __or__ = __rand__ = __ror__ = __xor__ = __invert__ = __and__


class Branches:
    """The outcomes of one run, in order; the first ones are given."""

    def __init__(self, given):
        self.given, self.taken = given, []

    def take(self):
        """The next outcome; those beyond the given ones are False."""
        if len(self.taken) >= MOST_BRANCHES:
            raise Untraceable
        self.taken.append(len(self.taken) < len(self.given) and self.given[len(self.taken)])
        return self.taken[-1]

    def following(self):
        """The given outcomes of the next run, or None after the last one."""
        rest = list(self.taken)
        while rest and rest[-1]:
            rest.pop()
        return [*rest[:-1], True] if rest else None


def _bits(number):
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _joined(second, more):
    for i, bits in more.items():
        second[i] = second.get(i, 0) | bits


def depending(function, *numbers):
    """What a function of numbers depends on, of which some are Dependences."""
    known = [number for number in numbers if isinstance(number, Dependence)]
    branches = next((number.branches for number in known), None)
    first, second = 0, {}
    if function in STEPS:
        return Dependence(0, {}, branches)
    for number in known:
        first |= number.first
        _joined(second, number.second)
    if function in (np.multiply, operator.mul) and len(known) == 2:
        _cross(second, known[0].first, known[1].first)
    elif function in (np.divide, np.mod) and isinstance(numbers[-1], Dependence):
        _cross(second, known[0].first, known[-1].first)
        _cross(second, known[-1].first, known[-1].first)
    elif function not in LINEAR and function not in (np.multiply, np.divide, np.mod):
        _cross(second, first, first)
    return Dependence(first, second, branches)


def _cross(second, one, other):
    _joined(second, dict.fromkeys(_bits(one), other) if other else {})
    _joined(second, dict.fromkeys(_bits(other), one) if one else {})


def _either(word):
    def called(*numbers):
        return depending(word, *numbers) if any(isinstance(n, Dependence) for n in numbers) else word(*numbers)

    return called


STAND_INS = {value: _either(value) for name, value in vars(math).items() if callable(value) and name[0] != "_"}
MATH = SimpleNamespace(**{name: STAND_INS.get(value, value) for name, value in vars(math).items() if name[0] != "_"})


def dependence(function, arguments):
    """What the rows of a function depend on, or None: for each row the bits of the arguments, and its second derivatives.

    arguments(number) -> the arguments, where number(bits) makes one number that depends on these.
    """
    copy, given, found = plain_copy(function, MATH, STAND_INS), [], None
    for _ in range(MOST_RUNS):
        branches = Branches(given)
        try:
            rows = _flat(copy(*arguments(lambda bits, branches=branches: Dependence(bits, {}, branches))))
        except Exception:  # whatever a function does with numbers that have no value
            return None
        rows = [(row.first, row.second) if isinstance(row, Dependence) else (0, {}) for row in rows]
        if found is None:
            found = [(0, {}) for _ in rows]
        if len(found) != len(rows):
            return None
        for r, (first, second) in enumerate(rows):
            _joined(found[r][1], second)
            found[r] = found[r][0] | first, found[r][1]
        given = branches.following()
        if given is None:
            return found
    return None


def _flat(values):
    if isinstance(values, (tuple, list, np.ndarray)):
        return [number for value in values for number in _flat(value)]
    return [values]
