"""Rules of hyper-dual numbers at random points of the whole range of doubles, compiled and plain, against derivatives by mpmath.

A part is right to 1e-13 of itself and of what one relative rounding of the argument changes of it; what is below the smallest
normal double is lost. A derivative is finite where its value is, unless it is beyond the range of doubles itself.
"""

import math
import sys

import mpmath as mp
import numpy as np
import pytest

import with_mpmath
from bricard.compiled.hyperdual import HyperDual
from bricard.compiled.pointers import PYTHON_ONLY, inlined
from bricard.hyperdual import words
from bricard.hyperdual.plain import RULES

rng = np.random.default_rng(2501)
LARGEST, SMALLEST, TOLERANCE = mp.mpf(sys.float_info.max), mp.mpf(sys.float_info.min), 1e-13
AT = [1e-300, 1e-160, 1e-8, 0.5, 1.0, 2.0, 1e8, 1e154, 1e160, 1e300, sys.float_info.max, 5e-324, 0.0]
ANY = np.array(
    [*(10.0 ** rng.uniform(-307, 308, 25)), *AT, *rng.normal(size=8), *rng.uniform(0, 800, 8), *rng.uniform(0, 40, 8)]
)
ANY = np.concatenate([ANY, -ANY])
UNIT = [*ANY[abs(ANY) < 1.0], *rng.uniform(-1, 1, 10), 1 - 2.0**-53, 2.0**-53 - 1]
POSITIVE, OVER_1 = ANY[ANY > 0], [*ANY[ANY > 1], 1 + 2.0**-52]
HALF = mp.mpf(0.5)


def scaled(functions, factor):
    return tuple(lambda x, f=f: f(x) * factor() for f in functions)


def erf(sign):
    def bell(x):
        return sign * 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)

    return bell, lambda x: -2 * x * bell(x), lambda x: (4 * x * x - 2) * bell(x)


LOG = (mp.log, lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)
SINE = (mp.sin, mp.cos, lambda x: -mp.sin(x), lambda x: -mp.cos(x))
ROOT_1 = (
    lambda x: 1 / mp.sqrt(1 - x * x),
    lambda x: x / (1 - x * x) ** 1.5,
    lambda x: (1 + 2 * x * x) / (1 - x * x) ** 2.5,
)
EXP2 = tuple(lambda x, k=k: mp.log(2) ** k * mp.mpf(2) ** x for k in range(4))
ONE = {  # word: f, f', f'', f''' and places
    np.sin: (SINE, ANY),
    np.cos: ((mp.cos, SINE[2], SINE[3], mp.sin), ANY),
    np.tan: (
        (
            mp.tan,
            lambda x: mp.sec(x) ** 2,
            lambda x: 2 * mp.tan(x) * mp.sec(x) ** 2,
            lambda x: (2 + 4 * mp.sin(x) ** 2) * mp.sec(x) ** 4,
        ),
        ANY,
    ),
    np.exp: ((mp.exp,) * 4, ANY),
    np.exp2: (EXP2, ANY),
    np.expm1: ((mp.expm1, mp.exp, mp.exp, mp.exp), ANY),
    np.log: (LOG, POSITIVE),
    np.log2: (scaled(LOG, lambda: 1 / mp.log(2)), POSITIVE),
    np.log10: (scaled(LOG, lambda: 1 / mp.log(10)), POSITIVE),
    np.log1p: ((mp.log1p, *(lambda x, f=f: f(1 + x) for f in LOG[1:])), [*ANY[ANY > -1], 2.0**-53 - 1]),
    np.sqrt: ((mp.sqrt, lambda x: x**-HALF / 2, lambda x: -(x**-1.5) / 4, lambda x: 3 * x**-2.5 / 8), POSITIVE),
    np.cbrt: (
        (
            mp.cbrt,
            lambda x: mp.cbrt(x) / x / 3,
            lambda x: -2 * mp.cbrt(x) / x**2 / 9,
            lambda x: 10 * mp.cbrt(x) / x**3 / 27,
        ),
        POSITIVE,
    ),
    np.square: ((lambda x: x * x, lambda x: 2 * x, lambda x: mp.mpf(2), lambda x: mp.mpf(0)), ANY),
    np.sinh: ((mp.sinh, mp.cosh, mp.sinh, mp.cosh), ANY),
    np.cosh: ((mp.cosh, mp.sinh, mp.cosh, mp.sinh), ANY),
    np.tanh: (
        (
            mp.tanh,
            lambda x: mp.sech(x) ** 2,
            lambda x: -2 * mp.tanh(x) * mp.sech(x) ** 2,
            lambda x: (4 * mp.tanh(x) ** 2 - 2 * mp.sech(x) ** 2) * mp.sech(x) ** 2,
        ),
        ANY,
    ),
    np.arcsin: ((mp.asin, *ROOT_1), UNIT),
    np.arccos: ((mp.acos, *scaled(ROOT_1, lambda: -1)), UNIT),
    np.arctan: (
        (
            mp.atan,
            lambda x: 1 / (1 + x * x),
            lambda x: -2 * x / (1 + x * x) ** 2,
            lambda x: (6 * x * x - 2) / (1 + x * x) ** 3,
        ),
        ANY,
    ),
    np.arcsinh: (
        (
            mp.asinh,
            lambda x: 1 / mp.sqrt(1 + x * x),
            lambda x: -x / (1 + x * x) ** 1.5,
            lambda x: (2 * x * x - 1) / (1 + x * x) ** 2.5,
        ),
        ANY,
    ),
    np.arccosh: (
        (
            mp.acosh,
            lambda x: 1 / mp.sqrt(x * x - 1),
            lambda x: -x / (x * x - 1) ** 1.5,
            lambda x: (2 * x * x + 1) / (x * x - 1) ** 2.5,
        ),
        OVER_1,
    ),
    np.arctanh: (
        (
            mp.atanh,
            lambda x: 1 / (1 - x * x),
            lambda x: 2 * x / (1 - x * x) ** 2,
            lambda x: (2 + 6 * x * x) / (1 - x * x) ** 3,
        ),
        UNIT,
    ),
    math.erf: ((mp.erf, *erf(1)), ANY),
    math.erfc: ((mp.erfc, *erf(-1)), ANY),
    abs: ((abs, mp.sign, lambda x: mp.mpf(0), lambda x: mp.mpf(0)), ANY),
}


def worlds(word):
    """The rule of a word in plain Python, and compiled."""

    def of_one(u):
        return word(u)

    def of_two(u, v):
        return word(u, v)

    two = any(word in named for named in words.TWO.values())
    return [RULES[word]] if PYTHON_ONLY else [RULES[word], inlined(of_two if two else of_one)]


def check(given, exact, noise, value, place):
    """One part of a result."""
    if abs(exact) > LARGEST:
        return
    if math.isfinite(value):
        assert math.isfinite(given), place
    if math.isfinite(given):
        assert abs(mp.mpf(float(given)) - exact) <= TOLERANCE * (abs(exact) + noise) + SMALLEST, (*place, given, exact)


@pytest.mark.parametrize("word", ONE, ids=lambda word: word.__name__)
def test_one_number(word):
    functions, places = ONE[word]
    rules = worlds(word)
    for x in places:
        try:
            with mp.workdps(700):
                f, f1, f2, f3 = (mp.re(function(mp.mpf(x))) for function in functions)
        except ZeroDivisionError:  # no derivative there: test_hyperdual.py
            continue
        for rule in rules:
            u, still = rule(HyperDual(x, 1.0, 1.0, 0.0)), rule(HyperDual(x, 0.0, 1.0, 0.0))
            check(u.x, f, abs(x * f1), u.x, (x, "x"))
            check(u.a, f1, abs(x * f2), u.x, (x, "a"))
            check(u.ab, f2, abs(x * f3), u.x, (x, "ab"))
            assert (still.a == still.ab == 0.0) or not math.isfinite(still.x), x  # zero times infinity is zero


def some(positive=False, size=12):
    """Numbers of the whole range."""
    x = np.concatenate([10.0 ** rng.uniform(-299, 300, size), rng.normal(size=size), rng.choice(AT[:-3], size)])
    return abs(x) if positive else x * rng.choice([-1, 1], x.size)


def times(x, decades):
    """Numbers that differ from others by some decades."""
    return np.array(
        [a * 10.0 ** rng.uniform(-decades, decades) * rng.choice([-1, 1]) for a in np.clip(x, -1e280, 1e280)]
    )


BASE, WHOLE, FAR, NEAR = some(True), some(), some(), some()
RATIO = times(NEAR, 8)
TWO = {
    "multiply": (np.multiply, lambda x, y: x * y, FAR, some()),
    "divide": (np.divide, lambda x, y: x / y, FAR, some()),
    "add": (np.add, lambda x, y: x + y, FAR, some()),
    "subtract": (np.subtract, lambda x, y: x - y, FAR, some()),
    "hypot": (np.hypot, lambda x, y: mp.sqrt(x * x + y * y), FAR, some()),
    "hypot of near ones": (np.hypot, lambda x, y: mp.sqrt(x * x + y * y), NEAR, RATIO),
    "arctan2": (np.arctan2, mp.atan2, FAR, some()),
    "arctan2 of near ones": (np.arctan2, mp.atan2, NEAR, RATIO),
    "power": (np.power, lambda x, y: x**y, BASE, rng.normal(size=BASE.size) * 300 / (abs(np.log(BASE)) + 1)),
    "whole power": (np.power, lambda x, y: x**y, np.clip(WHOLE, -1e30, 1e30), rng.integers(0, 7, WHOLE.size) * 1.0),
    "mod": (np.mod, lambda x, y: x - y * mp.floor(x / y), NEAR, RATIO),
    "fmod": (np.fmod, lambda x, y: x - y * (mp.floor(x / y) if x * y > 0 else mp.ceil(x / y)), NEAR, RATIO),
    "maximum": (np.maximum, max, NEAR, RATIO),
    "min": (min, min, NEAR, RATIO),
    "copysign": (np.copysign, lambda x, y: abs(x) * mp.sign(y), NEAR, RATIO),
}


@pytest.mark.parametrize("name", TWO)
def test_two_numbers(name, monkeypatch):
    """Along directions as large as the numbers, at most 1. Where the first derivatives leave the range, nothing is asked."""
    monkeypatch.setattr(with_mpmath, "DIGITS", 1600)
    word, function, first, second = TWO[name]
    rules = worlds(word)
    for x, y in zip(first, second, strict=True):
        if abs(y) < 1e-290 and name != "whole power":
            continue
        sizes = min(1.0, abs(x)), 0.0 if name == "whole power" else min(1.0, abs(y))
        ways = rng.uniform(0.1, 1.0, (2, 2)) * sizes
        with np.errstate(all="ignore"):
            steep = np.power(abs(x), y - 2.0) * (1.0 + abs(y)) ** 2 if "power" in name else 1.0
        if not 1e-290 < steep < 1e290:
            continue
        exact, noise = with_mpmath.along(lambda z: [function(*z)], np.array([x, y]), ways)
        for rule in rules:
            given = rule(HyperDual(x, *ways[:, 0]), HyperDual(y, *ways[:, 1]))
            for k, part in enumerate(("x", "a", "b", "ab")):
                check(getattr(given, part), exact[k, 0].real, noise[k, 0], given.x, (x, y, part))
