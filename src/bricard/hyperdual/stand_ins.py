"""What stands in a copy of a user's function in the place of Python's, math's and NumPy's functions, so that it takes Numbers.

math and some of Python's functions take floats only; arrays are arrays of objects here. Everything else is the library's own.
"""

import bisect
import builtins
import math
import operator
import warnings
from functools import reduce
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import words
from .arithmetic import ON_ONE_PLACE, each, elementwise, of
from .number import MOST_WAYS, Number, Refusal


def _numbers_of(word, plain):
    """A function of numbers; `plain` is the library's, for real numbers."""

    def called(*numbers, **options):
        if any(isinstance(number, Number) for number in numbers):
            return of(word, *numbers, **options)
        return plain(*numbers, **options)

    return called


def _each_of(word):
    """One of NumPy's functions of numbers, or of arrays of them."""

    def called(*numbers, **options):
        own = any(isinstance(x, Number) or (np.ndim(x) > 0 and np.asarray(x).dtype == object) for x in numbers)
        return elementwise(words.OF_UFUNC[word], *numbers) if own else word(*numbers, **options)

    def reduced(values, axis=0):
        rows = np.moveaxis(np.asarray(values), axis, 0)
        return reduce(called, rows[1:], rows[0])

    each_of: Any = called
    each_of.reduce = reduced  # as of NumPy's own: np.maximum.reduce([x, y])
    return each_of


def _refused(name):
    def called(*numbers, **options):
        if any(isinstance(number, Number) for number in numbers):
            raise Refusal(f"it calls {name}, of which no derivative is known")
        return getattr(math, name)(*numbers, **options)

    return called


def _modf(x):
    whole = of(math.trunc, x)
    return x - whole, whole * 1.0


def _select(conditions, choices, default=0):
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        default = (
            np.where(condition, choice, default) if np.ndim(condition) else of(np.where, condition, choice, default)
        )
    return default


def _dist(p, q):
    return of(np.sqrt, sum((x - y) * (x - y) for x, y in zip(p, q, strict=True)))


def _about(a, b, rtol=1e-5, atol=1e-8):
    return each(lambda x, y: abs(x - y) <= atol + rtol * abs(y), a, b)


def _sinc(x):
    y = math.pi * x
    square = y * y
    if square > 0.1:
        return of(np.sin, y) / y
    terms = 1.0  # of Taylor's series, the next of which is 1e-18
    for k in (156, 110, 72, 42, 20, 6):
        terms = 1.0 - square / k * terms
    return terms


def _log_add_exp(x, y):
    return of(np.maximum, x, y) + of(np.log1p, of(np.exp, -abs(x - y)))


def _is_close(a, b, *, rel_tol=1e-9, abs_tol=0.0):
    return abs(a - b) <= extreme_max(rel_tol * extreme_max(abs(a), abs(b)), abs_tol)


class _Words(type):
    """Makes a stand-in of a type the same as the type where values are asked for theirs; Numbers stand for floats."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.__mro__[1]) or (cls is Real and isinstance(value, Number))


class Whole(int, metaclass=_Words):
    """int, also of numbers that are none."""

    def __new__(cls, x: Any = 0, *base):
        """The whole number towards zero."""
        return x.of(int, x) if isinstance(x, Number) else int(x, *base)


class Real(float, metaclass=_Words):
    """float, which refuses what it would rob of its derivatives."""

    def __new__(cls, x: Any = 0.0):
        """A float."""
        if isinstance(x, Number):
            raise Refusal("it calls float(x), which would drop the derivatives of x. Leave float() out")
        return float(x)


class Text(str, metaclass=_Words):
    """str, which refuses numbers that have no digits."""

    def __new__(cls, *values: Any):
        """A text."""
        if values and isinstance(values[0], Number):
            format(values[0])
        return str(*values)


def _extreme(word):
    def called(*values: Any, **options: Any) -> Any:
        given: Any = values if len(values) > 1 else tuple(*values)
        if not given:
            return word(given, **options)
        if len(values) == 1:
            options.pop("default", None)
        first, *rest = given
        if options or not any(isinstance(number, Number) for number in (first, *rest)):
            return word(first, *rest, **options) if rest else word((first,), **options)
        return of(word, first, *rest) if rest else first

    return called


extreme_max, extreme_min = _extreme(builtins.max), _extreme(builtins.min)


def _place(before):
    """bisect by comparisons, each of which is a branch."""

    def called(knots, x, *limits):
        low, high = limits if limits else (0, len(knots))
        if isinstance(x, Number) and high - low >= MOST_WAYS:
            raise Refusal(
                f"it searches a table of {high - low} numbers, each of which is a branch. Take np.interp(x, knots, values), or a "
                f"br.Table; fewer than {MOST_WAYS} may be searched"
            )
        while low < high:
            middle = (low + high) // 2
            if before(knots[middle], x):
                low = middle + 1
            else:
                high = middle
        return low

    return called


left, right = _place(operator.lt), _place(operator.le)


def _sorted_place(knots, x, side: Any = "left"):
    return (
        np.searchsorted(knots, x, side) if not isinstance(x, Number) else (left if side == "left" else right)(knots, x)
    )


def objects(values, dtype=None, **_):
    """np.array and its like: of objects, which may be written to; of whole numbers where all are."""
    if dtype is not None and dtype is not float and dtype not in (np.float64, "float", "float64", "d"):
        return np.array(values, dtype)
    made = np.array(values, object)
    whole = made.size > 0 and all(isinstance(x, (int, np.integer)) for x in made.flat)
    return made.astype(int) if whole else made


class Constants(np.ndarray):
    """An array of constants, whose copies may be written to."""

    def copy(self, order: Any = "C"):
        """A copy that takes Numbers."""
        return objects(self)


def _spaced(word):
    """np.linspace and np.arange: numbers that may be written to; whole numbers, which may be places, as they are."""

    def called(*limits, **options):
        made = word(*limits, **options)
        return made.astype(object) if isinstance(made, np.ndarray) and made.dtype == float else made

    return called


def _made_by(word):
    """One of NumPy's functions that make arrays of constants, as arrays that may be written to."""

    def called(*shape, dtype=None, **options):
        return (
            word(*shape, **options).astype(object) if dtype in (None, float) else word(*shape, dtype=dtype, **options)
        )

    return called


def _like(word):
    return lambda values, *fill, **_: word(np.shape(values), *fill).astype(object)


def determinant(a):
    """np.linalg.det by the first row."""
    n = len(a)
    if n == 1:
        return a[0, 0]
    minors = [np.delete(np.delete(a, 0, 0), j, 1) for j in range(n)]
    return sum((-1) ** j * a[0, j] * determinant(minor) for j, minor in enumerate(minors))


def inverse(a):
    """np.linalg.inv by cofactors, of at most three rows."""
    a = np.asarray(a)
    n, over = len(a), determinant(a)
    if n > 3:
        raise Refusal(f"it inverts a matrix of {n} rows. Up to 3 are taken")
    if n == 1:
        return objects([[1.0 / over]])
    cofactors = [
        [(-1) ** (i + j) * determinant(np.delete(np.delete(a, j, 0), i, 1)) / over for j in range(n)] for i in range(n)
    ]
    return objects(cofactors)


def norm(x, ord=None, axis=None):
    """np.linalg.norm: the length of a vector, or the root of the sum of squares of a matrix."""
    x = np.asarray(x)
    if x.dtype != object or ord not in (None, 2, "fro"):
        return np.linalg.norm(x, ord, axis)
    if axis is not None:
        return elementwise(np.sqrt, np.sum(x * x, axis))
    return of(np.sqrt, sum(number * number for number in x.flat))


def _math():
    own = {math.log, *words.WHOLE_NUMBER} | {
        word for named in (*words.ONE.values(), *words.TWO.values()) for word in named
    }
    own |= {word for word in words.VALUE if not isinstance(word, np.ufunc)}
    found: dict[str, Any] = {}
    for name, value in vars(math).items():
        if name[0] != "_":
            known = value in own if callable(value) else False
            found[name] = _numbers_of(value, value) if known else (_refused(name) if callable(value) else value)
    return found | {"dist": _dist, "modf": _modf, "isclose": _is_close, "fsum": sum, "prod": math.prod}


MATH = SimpleNamespace(**_math())
LINALG = {np.linalg.norm: norm, np.linalg.det: lambda a: determinant(np.asarray(a)), np.linalg.inv: inverse}
LINALG |= {np.linalg.solve: lambda a, b: inverse(a) @ b}
ARRAYS = {word: _each_of(word) for word in words.OF_UFUNC}
ARRAYS |= dict(ON_ONE_PLACE) | {
    np.searchsorted: _sorted_place,
    np.select: _select,
    np.isclose: _about,
    np.float64: Real,
}
ARRAYS |= {np.sinc: lambda x: each(_sinc, x), np.reciprocal: lambda x: each(lambda y: 1.0 / y, x)}
ARRAYS |= {np.logaddexp: lambda x, y: each(_log_add_exp, x, y)}
ARRAYS |= {np.allclose: lambda a, b, **limits: builtins.all(np.ravel(_about(a, b, **limits)))}
ARRAYS |= dict.fromkeys((np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.copy), objects)
ARRAYS |= {word: _spaced(word) for word in (np.linspace, np.arange)}
ARRAYS |= {word: _made_by(word) for word in (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.diag)}
ARRAYS |= {np.zeros_like: _like(np.zeros), np.ones_like: _like(np.ones), np.empty_like: _like(np.zeros)}
PYTHON = {builtins.max: extreme_max, builtins.min: extreme_min, builtins.int: Whole, builtins.float: Real, str: Text}
PYTHON |= {bisect.bisect: right, bisect.bisect_right: right, bisect.bisect_left: left}
PYTHON |= {value: getattr(MATH, name) for name, value in vars(math).items() if callable(value) and name[0] != "_"}


class Module:
    """A library in which some names mean something else."""

    def __init__(self, library, names, **others):
        self._library, self._names = library, names
        vars(self).update(others)

    def __getattr__(self, name):
        value = getattr(self._library, name)
        return self._names.get(value, value) if callable(value) else value


MODULES = {
    math: MATH,
    np: Module(np, ARRAYS, linalg=Module(np.linalg, LINALG)),
    np.linalg: Module(np.linalg, LINALG),
    bisect: Module(bisect, PYTHON),
}
STAND_INS = {**PYTHON, **ARRAYS, **LINALG}
SILENT: dict[Any, Any] = dict.fromkeys((print, warnings.warn), lambda *_, **__: None)
SILENT_MODULES = {warnings: Module(warnings, SILENT)}
