"""The operators of Number, and NumPy's functions of Numbers and of arrays of them. Importing this module gives them to Number."""

import operator

import numpy as np

from . import words
from .number import Number


def each(function, *inputs):
    """A function of numbers, or of each number of arrays."""
    arrays = [np.asarray(item, object) for item in inputs]
    if not any(array.ndim for array in arrays):
        return function(*(array.item() for array in arrays))
    numbers = np.broadcast(*arrays)
    made = np.empty(numbers.shape, object)
    made.flat = [function(*some) for some in numbers]
    return made


def elementwise(word, *inputs):
    """A word of numbers, or of each number of arrays."""
    return each(lambda *numbers: of(word, *numbers), *inputs)


def of(word, *numbers):
    """A word of numbers, some of which may be Numbers."""
    for number in numbers:
        if isinstance(number, Number):
            return number.of(word, *numbers)
    return word(*numbers)


def where(condition, first, second):
    """np.where of one truth, or of arrays."""
    if np.ndim(condition) or np.ndim(first) or np.ndim(second):
        return np.where._implementation(condition, first, second)  # type: ignore[attr-defined]
    return of(np.where, condition, first, second)


def clip(x, a_min=None, a_max=None):
    """np.clip: not below a_min, not above a_max."""
    if a_min is not None:
        x = elementwise(np.maximum, x, a_min)
    return x if a_max is None else elementwise(np.minimum, x, a_max)


def rounded(x, decimals=0):
    """np.round."""
    size = 10.0 ** abs(decimals)  # as NumPy has it: Python's own round is exact, and differs at ties
    if decimals < 0:
        return elementwise(np.rint, each(lambda y: y / size, x)) * size
    return elementwise(np.rint, x) if decimals == 0 else elementwise(np.rint, each(lambda y: y * size, x)) / size


def interp(x, xp, fp):
    """np.interp through constant points."""
    return each(lambda y: of(np.interp, y, np.asarray(xp, float), np.asarray(fp, float)), x)


ON_ONE_PLACE = {np.where: where, np.clip: clip, np.round: rounded, np.around: rounded, np.interp: interp}


def _ufunc(_, function, method, *inputs, **options):
    word = words.OF_UFUNC.get(function)
    return NotImplemented if method != "__call__" or word is None else elementwise(word, *inputs)


def _array_function(_, function, __, numbers, options):
    own = ON_ONE_PLACE.get(function)
    return (own or function._implementation)(*numbers, **options)  # NumPy's own: what it does with arrays of objects


def _two(word, reverse=False):
    def operation(u, v):
        if isinstance(v, (np.ndarray, list, tuple)):
            return NotImplemented  # an array takes it from here
        return u.of(word, v, u) if reverse else u.of(word, u, v)

    return operation


def _one(word):
    return lambda u: u.of(word, u)


def _install():
    members = {
        "neg": _one(operator.neg),
        "pos": lambda u: u,
        "abs": _one(abs),
        "floor": _one(words.math.floor),
        "ceil": _one(words.math.ceil),
        "trunc": _one(words.math.trunc),
        "round": lambda u, digits=None: u.of(round, u) if digits is None else u.of(round, u, digits),
        "divmod": lambda u, v: (u // v, u % v),
        "rdivmod": lambda u, v: (v // u, v % u),
        "array_ufunc": _ufunc,
        "array_function": _array_function,
    }
    for word, name in words.SIGNS.items():
        members[name], members[f"r{name}"] = _two(word), _two(word, True)
    for word in words.COMPARISONS:
        members[word.__name__] = _two(word)
    for name, member in members.items():
        setattr(Number, f"__{name}__", member)


_install()
