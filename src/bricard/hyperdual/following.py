"""A user's function followed along every branch: called with Terms, which have no value and remember what was done to them.

A comparison of Terms has no outcome, so the function is called once for each way through its branches. What is found is a tree
of comparisons whose ends are rows: from it comes what the function depends on (dependence.py), and straight code without the
arrays, objects, loops and helpers of the original (writing.py).

Not every function can be followed: not where a loop, an index or a size comes from an argument, nor where ways are too many.
"""

import dis
import math
import operator
import sys
from typing import Any, NamedTuple

import numpy as np

from . import arithmetic, words
from .caught import raising
from .number import MOST_WAYS, Number, Refusal

MOST_BRANCHES = 64
# in what Python and NumPy say of a number that they do not know
OURS = ("'Term'", "type Term", "dtype('O')", "object arrays", "for the input types", "unorderable types")
OWN = __name__.partition(".")[0] + "."  # modules of the package
TRUTHS = {*words.COMPARISONS, *words.LOGIC.values(), np.isnan, np.isfinite, np.isinf, np.signbit}
TRUTHS |= {math.isnan, math.isfinite, math.isinf}
RAISED = (
    ArithmeticError,
    ValueError,
    IndexError,
    AssertionError,
    RuntimeError,
)  # what a branch may do in the place of a result


class Unfollowable(Exception):
    """Raised where the value of an argument itself decides what a function does, other than by a comparison."""


class Term(Number):
    """A number without a value: a word and the numbers that it is applied to; of an argument its name and nothing."""

    __slots__ = ("course", "numbers", "word")

    def __init__(self, course, word, numbers=()):
        self.course, self.word, self.numbers = course, word, numbers

    @raising
    def of(word, *numbers):
        """The Term of a word."""
        course = next(number.course for number in numbers if isinstance(number, Term))
        if any(isinstance(number, complex) for number in numbers):
            raise Refusal("it makes a complex number of one that it was given. Work with real numbers")
        if word in words.SEVERAL and len(numbers) > 2:
            numbers = Term.of(word, *numbers[:-1]), numbers[-1]
        return course.term(word, tuple(map(plainly, numbers)))

    def __bool__(self):
        if self.word in TRUTHS:
            return self.course.outcome(self)
        return self.course.outcome(self.of(operator.ne, self, 0.0))

    def __index__(self):
        inner = self.numbers[0] if self.word is int else self  # int(x > 0)
        if isinstance(inner, Term) and inner.word in TRUTHS:
            return int(bool(inner))
        raise self.course.lost()

    __int__ = __index__

    def __hash__(self):
        """Two Terms of a course are the same where they are one object; but a user's table is asked for a value."""
        if not sys._getframe(1).f_globals.get("__name__", "").startswith(OWN):
            raise self.course.lost()
        return id(self)

    def __format__(self, how):
        if not self.course.texts:
            raise Refusal("it makes a text of a number that it was given. Work with numbers")
        self.course.made_text = True
        return "..."

    def __and__(self, other):
        return self.of(operator.and_, self, other)

    def __or__(self, other):
        return self.of(operator.or_, self, other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self):
        return self.of(operator.not_, self)


def plainly(value):
    """A number as Python's own, so that it can be written down."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    return value.item() if isinstance(value, np.generic) else value


def _key(value):
    if isinstance(value, Term):
        return id(value)
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


def _idle(word, numbers):
    """What x + 0, x - 0, 1 x and x / 1 are."""
    first, second = numbers if len(numbers) == 2 else (None, None)
    neutral = {operator.add: 0, operator.mul: 1}.get(word)
    if neutral is not None and not isinstance(first, Term) and first == neutral:
        return second
    neutral = {operator.add: 0, operator.sub: 0, operator.mul: 1, operator.truediv: 1}.get(word)
    return first if neutral is not None and not isinstance(second, Term) and second == neutral else None


class End(NamedTuple):
    """An end of the tree: the outcomes on the way there, in order, and the rows with their shape, or what is raised.

    shape : () for a number; for a tuple, list or array of things their shapes.
    """

    outcomes: tuple[tuple[Term, bool], ...]
    rows: tuple[Any, ...] = ()
    shape: Any = None
    raised: Exception | None = None


class Record(NamedTuple):
    """An argument that is a named tuple: its type, and the shapes of its fields."""

    kind: Any
    shapes: tuple


class Numbers(NamedTuple):
    """An argument that is an array of numbers: how many."""

    size: int


def argument(name, shape, symbol):
    """The Terms of an argument: a number (), a tuple (n,), a tuple of tuples (m, n), a Record, Numbers."""
    if isinstance(shape, Record):
        pairs = zip(shape.kind._fields, shape.shapes, strict=True)
        return shape.kind(*(argument(f"{name}.{field}", inner, symbol) for field, inner in pairs))
    if isinstance(shape, Numbers):
        return np.array([symbol(f"{name}[{i}]") for i in range(shape.size)], object)
    if not shape:
        return symbol(name)
    return tuple(argument(f"{name}[{i}]", shape[1:], symbol) for i in range(shape[0]))


class Course:
    """The ways through a function. ends : all of them; terms : in the order in which they were made."""

    def __init__(self):
        self.ends, self._terms, self._given, self._taken = [], {}, [], {}
        self.texts, self.made_text = True, False  # whether texts of numbers may be made, and one was on this way
        self.is_lost = False  # whether a value was asked for on this way: a user's except may have caught that

    @property
    def terms(self):
        """All terms, each behind those it is made of."""
        return self._terms.values()

    @property
    def rows(self):
        """How many rows the function has."""
        return max(len(end.rows) for end in self.ends)

    def term(self, word, numbers=()):
        """The Term of a word and its numbers: the same one for the same."""
        idle = _idle(word, numbers)
        if idle is not None:
            return idle
        key = word, tuple(map(_key, numbers))
        if key not in self._terms:
            self._terms[key] = Term(self, word, numbers)
        return self._terms[key]

    def lost(self):
        """The error that a value was asked for, for a raise."""
        self.is_lost = True
        return Unfollowable()

    def outcome(self, truth):
        """The outcome of a truth on this way: a given one, else False; the same one where it is asked again."""
        if truth not in self._taken:
            if len(self._taken) >= MOST_BRANCHES:
                raise self.lost()
            place = len(self._taken)
            self._taken[truth] = place < len(self._given) and self._given[place]
        return self._taken[truth]

    def walk(self, function, arguments):
        """Call the function on one way; add its end."""
        self._taken, rows, shape, raised, self.made_text = {}, (), None, None, False
        try:
            found = function(*arguments)
            rows, shape = tuple(map(plainly, flat(found))), shape_of(found)
        except RAISED as error:
            if isinstance(error, RecursionError):
                raise Unfollowable from error
            if any(words in str(error) for words in OURS):
                raise
            raised = error
        if self.is_lost:
            raise Unfollowable
        if self.made_text and not (raised and _by_raise(raised)):  # a text is only good for what is said of an error
            self.texts, self._given = False, [*self._taken.values()]
            self.walk(function, arguments)
        if not all(isinstance(row, (Term, int, float)) for row in rows):
            wrong = next(row for row in rows if not isinstance(row, (Term, int, float)))
            raise Refusal(f"it returns {wrong!r}, but numbers are needed")
        if any(isinstance(row, bool) or (isinstance(row, Term) and row.word in TRUTHS) for row in rows):
            raise Refusal("it returns a truth, as of a comparison. Return numbers: `1.0 if x > 0.0 else 0.0`")
        self.ends.append(End(tuple(self._taken.items()), rows, shape, raised))

    def following(self):
        """Prepare the next way; False after the last one."""
        rest = list(self._taken.values())
        while rest and rest[-1]:
            rest.pop()
        self._given = [*rest[:-1], True]
        return bool(rest)


def follow(function, arguments) -> Course | None:
    """The Course of a copy of a user's function that takes Numbers; None where it cannot be followed.

    arguments : (name, shape) of each. What the function must not do raises a Refusal, or an error of Python.
    """
    course = Course()
    given = [argument(name, shape, course.term) for name, shape in arguments]
    try:
        course.walk(function, given)
        first = course.ends.pop()
        course.walk(function, given)
        if not _same(first, course.ends[0]):
            raise Refusal("it gives something else each time it is called, without its arguments having changed")
        while course.following():
            if len(course.ends) >= MOST_WAYS:
                return None
            course.walk(function, given)
    except (Unfollowable, MemoryError):
        return None
    shapes = list(dict.fromkeys(end.shape for end in course.ends if end.raised is None))
    if len(shapes) > 1:
        raise Refusal(f"its branches return {' or '.join(map(_in_words, shapes))}: the same is needed from each")
    return course if shapes else None


def _by_raise(error):
    """Whether an error comes from a `raise` or an `assert`, and not from what a text was given to."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    return dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def _same(one, other):
    return list(map(_key, one.rows)) == list(map(_key, other.rows)) and one.outcomes == other.outcomes


def _in_words(shape):
    return "a number" if shape == () else f"{len(shape)} of them"


def shape_of(values):
    """The shape of a number or a tuple, list or array of things."""
    return tuple(map(shape_of, values)) if isinstance(values, (tuple, list)) or np.ndim(values) else ()


def flat(values):
    """Numbers of tuples, lists and arrays, one behind the other."""
    if isinstance(values, np.ndarray):
        return list(values.flat)
    if isinstance(values, (tuple, list)):
        return [number for value in values for number in flat(value)]
    return [values]


_ = arithmetic  # gives the operators
