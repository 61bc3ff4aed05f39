"""Hyper-dual numbers in plain Python: what the words of Python, math and NumPy give for them, by the rules of rules.py."""

import math
import operator
from importlib.util import find_spec, module_from_spec
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import arithmetic, rules, words
from .caught import raising
from .number import HyperDual, lifted


def _of_c(function, numpys):
    """A function of the C library, as compiled code calls it: NumPy's own differs in the last digit."""

    def called(*numbers):
        try:
            return np.float64(function(*map(float, numbers)))
        except (OverflowError, ValueError):  # infinite, or no number
            return numpys(*numbers)

    return called


def _like_compiled():
    """The module of rules a second time, with functions of the C library."""
    spec: Any = find_spec(rules.__name__)
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    vars(made)["np"] = SimpleNamespace(**vars(np) | {name: _of_c(own, getattr(np, name)) for name, own in OF_C.items()})
    return made


def _quiet(rule):
    """The rule for any numbers, without NumPy's warnings of overflow: such results are what compiled code gives, too."""

    def called(*numbers):
        with np.errstate(all="ignore"):
            return rule(*map(lifted, numbers))

    called.__name__ = rule.__name__
    return called


def _of_one(rule):
    own = getattr(OWN, rule.__name__)

    def called(u):
        f, f1, f2 = own(u.x)
        return rules.compose(f, f1, f2, u)

    called.__name__ = rule.__name__
    return _quiet(called)


def _of_values(function):
    def called(*numbers):
        return function(*(number.x for number in numbers))

    return _quiet(called)


def _truth(comparison):
    """Python's own truths: NumPy's are no places in a tuple."""
    return lambda *numbers: bool(comparison(*numbers))


def _in_turn(rule):
    """A rule of two numbers, of several: from the first on."""

    def called(*numbers):
        total = numbers[0]
        for number in numbers[1:]:
            total = rule(total, number)
        return total

    return called


def _log(u, base=None):
    value = RULES[np.log](u)
    return value if base is None else RULES[np.divide](value, RULES[np.log](base))


def _interp(x, knots, values):
    with np.errstate(all="ignore"):
        f, f1, f2 = rules.interpolate(x.x, knots, values)
        return rules.compose(f, f1, f2, x)


def _round(u, digits=None):
    return round(float(u.x), digits)


OF_C = {
    "exp": math.exp,
    "exp2": math.exp2,
    "expm1": math.expm1,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "cbrt": math.cbrt,
    "log1p": math.log1p,
    "log10": math.log10,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan2": math.atan2,
    "arcsinh": math.asinh,
    "arccosh": math.acosh,
    "arctanh": math.atanh,
    "power": math.pow,
}
OWN = _like_compiled()
RULES: dict[Any, Any] = {word: _of_one(rule) for rule, named in words.ONE.items() for word in named}
RULES |= {
    word: _quiet(getattr(OWN, rule.__name__)) for rule, named in {**words.WHOLE, **words.TWO}.items() for word in named
}
RULES |= {word: _in_turn(RULES[word]) for word in words.SEVERAL}
RULES |= {word: _of_values(word) for word in (*words.VALUE, *words.WHOLE_NUMBER, operator.not_)}
RULES |= {word: _truth(_of_values(word)) for word in words.COMPARISONS}
RULES |= {math.log: _log, np.interp: _interp, round: _round, int: lambda u: int(u.x)}
RULES |= {np.where: lambda condition, first, second: first if condition else second}


def _of(word, *numbers):
    return RULES[word](*numbers)


HyperDual.of = raising(_of)
_ = arithmetic  # gives the operators
