"""Hyper-dual numbers in plain Python: operators, NumPy's functions of them, and stand-ins for those of math.

Importing this module gives `HyperDual` its operators.
"""

import math
from types import SimpleNamespace

import numpy as np

from . import rules, words
from .number import HyperDual, lifted


def _quiet(rule):
    """The rule for any numbers, without NumPy's warnings of overflow: such results are what compiled code gives, too."""

    def called(*numbers):
        with np.errstate(all="ignore"):
            return rule(*map(lifted, numbers))

    called.__name__ = rule.__name__
    return called


def _of_one(rule):
    def called(u):
        f, f1, f2 = rule(u.x)
        return rules.compose(f, f1, f2, u)

    called.__name__ = rule.__name__
    return _quiet(called)


def _of_value(function):
    def called(u):
        return function(u.x)

    return _quiet(called)


def _log(u, base=None):
    value = RULES[np.log](u)
    return value if base is None else RULES[np.divide](value, RULES[np.log](base))


def _hypot(*numbers):
    total = lifted(0.0)
    for number in numbers:
        total = RULES[np.hypot](total, number)
    return total


def where(condition, first, second):
    """np.where of one truth."""
    return first if condition else second


def clip(x, low=None, high=None):
    """np.clip of one number: not below low, not above high."""
    if low is not None:
        x = RULES[np.maximum](x, low)
    return x if high is None else RULES[np.minimum](x, high)


def interp(x, knots, values):
    """np.interp at one place."""
    with np.errstate(all="ignore"):
        f, f1, f2 = rules.interpolate(x.x, np.asarray(knots), np.asarray(values))
        return rules.compose(f, f1, f2, x)


def _rounded(x, digits=0):
    return np.round(x.x, digits)


RULES = {word: _of_one(rule) for rule, named in words.ONE.items() for word in named}
RULES |= {word: _quiet(rule) for rule, named in {**words.WHOLE, **words.TWO}.items() for word in named}
RULES |= {word: _of_value(word) for word in words.VALUE}
ARRAY_FUNCTIONS = {np.where: where, np.clip: clip, np.interp: interp, np.round: _rounded, np.around: _rounded}


def _either(word):
    """A function of math that takes real numbers as before."""
    rule = {math.log: _log, math.hypot: _hypot}.get(word) or RULES[word]

    def called(*numbers):
        return rule(*numbers) if any(isinstance(n, HyperDual) for n in numbers) else word(*numbers)

    called.__name__ = word.__name__
    return called


# functions of math that refuse what is no float, by what takes their place; the others ask the number itself
STAND_INS = {word: _either(word) for word in [*RULES, math.log] if getattr(word, "__module__", "") == "math"}
MATH = SimpleNamespace(**{name: STAND_INS.get(value, value) for name, value in vars(math).items() if name[0] != "_"})


def _install():
    def two(word, reverse):
        rule = RULES[word]
        return lambda u, v: rule(v, u) if reverse else rule(u, v)

    def comparison(word):
        return lambda u, v: bool(word(u.x, lifted(v).x))

    def array_ufunc(_, ufunc, method, *inputs, **__):
        rule = RULES.get(ufunc) or next((w for w in words.COMPARISONS if f"np.{w.__name__}" == _name_of(ufunc)), None)
        if method != "__call__" or rule is None:
            return NotImplemented
        if any(isinstance(item, np.ndarray) and item.ndim for item in inputs):
            return np.frompyfunc(rule, len(inputs), 1)(*inputs)
        return rule(*inputs)

    def array_function(_, function, __, numbers, options):
        rule = ARRAY_FUNCTIONS.get(function)
        return NotImplemented if rule is None else rule(*numbers, **options)

    for word, name in words.SIGNS.items():
        setattr(HyperDual, f"__{name}__", two(word, False))
        setattr(HyperDual, f"__r{name}__", two(word, True))
    for word in words.COMPARISONS:
        setattr(HyperDual, f"__{word.__name__}__", comparison(word))
    members = {
        "neg": RULES[np.negative],
        "pos": RULES[np.positive],
        "abs": RULES[np.absolute],
        "floor": lambda u: math.floor(u.x),
        "ceil": lambda u: math.ceil(u.x),
        "round": lambda u, digits=None: round(float(u.x), digits),
        "array_ufunc": array_ufunc,
        "array_function": array_function,
    }
    for name, member in members.items():
        setattr(HyperDual, f"__{name}__", member)


def _name_of(ufunc):
    short = {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne"}
    return f"np.{short.get(ufunc.__name__, '')}"


_install()
