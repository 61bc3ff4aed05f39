"""Hyper-dual numbers: value, both derivatives and the mixed one against 1,000 digits, compiled and in plain Python."""

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

import bricard
from bricard.compiled.hyperdual import HyperDual, lifted
from bricard.compiled.pointers import PYTHON_ONLY, inlined
from bricard.hyperdual import rules, words
from bricard.hyperdual.plain import RULES
from bricard.hyperdual.rebuild import plain_copy

rng = np.random.default_rng(25)
ANY = [*rng.normal(size=6), *(10.0 ** rng.uniform(-300, 300, 8) * rng.choice([-1, 1], 8)), 1e-300, 1e300, -1.0, 1.0]
BOTH = [*rng.normal(size=6), *(10.0 ** rng.uniform(-300, 1, 5)), -15.0, 15.0, 300.0, -300.0, 1e-300, 700.0, 1.0]
OVER_1 = [1.0 + 1e-9, 1.5, *(10.0 ** rng.uniform(0.1, 300, 5)), 1e300]
UNIT = [*rng.uniform(-1, 1, 6), *(10.0 ** rng.uniform(-300, -1, 4)), 1 - 1e-9, -1 + 1e-12, 1e-300]
POSITIVE = [abs(x) for x in ANY]

# word -> (mpmath's function, places)
ONE = {
    np.sin: (mp.sin, ANY),
    np.cos: (mp.cos, ANY),
    np.tan: (mp.tan, ANY),
    np.exp: (mp.exp, BOTH),
    np.exp2: (lambda x: mp.mpf(2) ** x, BOTH),
    np.expm1: (mp.expm1, BOTH),
    np.log: (mp.log, POSITIVE),
    np.log2: (lambda x: mp.log(x) / mp.log(2), POSITIVE),
    np.log10: (lambda x: mp.log(x) / mp.log(10), POSITIVE),
    np.log1p: (lambda x: mp.log(1 + x), [*POSITIVE, -0.5, -1 + 1e-9]),
    np.sqrt: (mp.sqrt, POSITIVE),
    np.cbrt: (lambda x: mp.sign(x) * abs(x) ** (mp.mpf(1) / 3), ANY),
    np.square: (lambda x: x * x, ANY),
    np.sinh: (mp.sinh, BOTH),
    np.cosh: (mp.cosh, BOTH),
    np.tanh: (mp.tanh, BOTH),
    np.arcsin: (mp.asin, UNIT),
    np.arccos: (mp.acos, UNIT),
    np.arctan: (mp.atan, ANY),
    np.arcsinh: (lambda x: mp.sign(x) * mp.log(abs(x) + mp.sqrt(x * x + 1)), ANY),
    np.arccosh: (lambda x: mp.log(x + mp.sqrt(x * x - 1)), OVER_1),
    np.arctanh: (lambda x: mp.log((1 + x) / (1 - x)) / 2, UNIT),
    math.erf: (mp.erf, [0.3, -1.2, 1e-8, 2.5]),
    math.erfc: (mp.erfc, [0.3, -1.2, 1e-8, 2.5]),
    np.absolute: (abs, ANY),
    np.radians: (lambda x: x * mp.pi / 180, ANY),
    np.degrees: (lambda x: x * 180 / mp.pi, [x for x in ANY if abs(x) < 1e290]),
}


def exact(function, x):
    """f, f', f'' of a function of mpmath, and x f'', x f''' as the rounding of x makes them uncertain."""
    with mp.workdps(1100):
        h = mp.mpf(10) ** -30 * min(mp.mpf(1), abs(mp.mpf(x)))
        if abs(x) < 1.0:
            h *= 1 - abs(mp.mpf(x)) if abs(x) > 0.5 else 1
        f = [mp.re(function(mp.mpf(x) + k * h)) for k in (-2, -1, 0, 1, 2)]
        d1, d2 = (f[3] - f[1]) / (2 * h), (f[3] - 2 * f[2] + f[1]) / h**2
        d3 = (f[4] - 2 * f[3] + 2 * f[1] - f[0]) / (2 * h**3)
        return f[2], d1, d2, abs(mp.mpf(x) * d2), abs(mp.mpf(x) * d3)


def close(given, wanted, size, tolerance=1e-13):
    if not math.isfinite(float(wanted)) or not math.isfinite(float(size)):
        return given == float(wanted) or not math.isfinite(given)
    return abs(mp.mpf(float(given)) - wanted) <= tolerance * (abs(wanted) + size) + mp.mpf(1e-307)


def compiled_call(word):
    def call(u):
        return word(u)

    return in_this_world(call)


def in_this_world(function):
    """Compiled as it stands; in plain Python a copy."""
    return plain_copy(function) if PYTHON_ONLY else inlined(function)


@pytest.mark.parametrize("word", ONE, ids=lambda w: w.__name__)
def test_functions_of_one_number(word):
    function, places = ONE[word]
    call = compiled_call(word)
    for x in places:
        _, d1, d2, noise1, noise2 = exact(function, x)
        u = HyperDual(x, 0.7, -1.3, 0.4)
        plain, fast = RULES[word](u), call(u)
        for given in (plain, fast):
            assert close(given.a, mp.mpf(0.7) * d1, noise1), (x, given.a, d1)
            assert close(given.b, mp.mpf(-1.3) * d1, noise1), (x, given.b, d1)
            wanted = mp.mpf(0.7) * mp.mpf(-1.3) * d2 + mp.mpf(0.4) * d1
            assert close(given.ab, wanted, noise1 + noise2 + abs(d2) + abs(d1)), (x, given.ab, wanted)
        for part in ("x", "a", "b", "ab"):
            np.testing.assert_allclose(getattr(plain, part), getattr(fast, part), rtol=4e-15, atol=1e-300)


def test_every_rule_of_one_number_is_tested():
    named = {word for rule in words.ONE for word in words.ONE[rule]}
    assert {rule for rule, some in words.ONE.items() if not set(some) & set(ONE)} == set() and set(ONE) <= named


def test_a_derivative_that_is_small_keeps_its_digits():
    """tanh' at 15 is 3.7e-13; 1 - tanh^2 has no digit of it."""
    with mp.workdps(50):
        wanted = float(1 / mp.cosh(15) ** 2)
    assert math.isclose(RULES[np.tanh](HyperDual(15.0, 1.0)).a, wanted, rel_tol=1e-13)


TWO = {
    "power": (lambda x, y: x**y, [(0.3, 1.7), (2.0, -3.5), (1e-200, 0.5), (1e200, 1.2), (7.0, 2.0), (1.3, 0.0)]),
    "arctan2": (mp.atan2, [(0.3, 1.7), (-2.0, 0.5), (1e-200, -1e-200), (1e200, 3e200), (3.0, 0.0), (1e-8, -1.0)]),
    "hypot": (lambda x, y: mp.sqrt(x * x + y * y), [(0.3, 1.7), (1e-200, 1e-200), (1e200, -3e200), (3.0, 1e-9)]),
    "divide": (lambda x, y: x / y, [(0.3, 1.7), (1e-200, 1e-100), (-3.0, 1e100)]),
    "multiply": (lambda x, y: x * y, [(0.3, 1.7), (1e-200, 1e-100), (-3.0, 1e100)]),
    "add": (lambda x, y: x + y, [(0.3, 1.7)]),
    "subtract": (lambda x, y: x - y, [(0.3, 1.7)]),
    "mod": (lambda x, y: x - y * mp.floor(x / y), [(7.3, 2.1), (-7.3, 2.1), (7.3, -2.1), (1e9, 0.37)]),
    "fmod": (lambda x, y: x - y * (mp.floor(x / y) if x * y > 0 else mp.ceil(x / y)), [(7.3, 2.1), (-7.3, 2.1)]),
    "maximum": (max, [(0.3, 1.7), (1.7, 0.3)]),
    "fmin": (min, [(0.3, 1.7), (1.7, 0.3)]),
    "copysign": (lambda x, y: abs(x) * mp.sign(y), [(0.3, -1.7), (-0.3, -1.7), (-0.3, 2.0)]),
}


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    function, places = TWO[name]
    word = getattr(np, name)

    def call(u, v):
        return word(u, v)

    fast = inlined(call)
    for x, y in places:
        scale = (abs(x), abs(y) or 1.0)
        u, v = HyperDual(x, 0.7 * scale[0], -1.3 * scale[0]), HyperDual(y, -0.4 * scale[1], 0.9 * scale[1])
        with mp.workdps(400):
            h = mp.mpf(10) ** -60

            def at(s, r, u=u, v=v):
                return function(*(mp.mpf(float(w.x)) + s * mp.mpf(float(w.a)) + r * mp.mpf(float(w.b)) for w in (u, v)))

            f = at(0, 0)
            d_a, d_b = (at(h, 0) - at(-h, 0)) / (2 * h), (at(0, h) - at(0, -h)) / (2 * h)
            d_ab = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h)
        for given in (RULES[word](u, v), fast(u, v)):
            size = 30 * (abs(f) + abs(d_a) + abs(d_b) + abs(d_ab))
            for part, wanted in (("x", f), ("a", d_a), ("b", d_b), ("ab", d_ab)):
                assert close(getattr(given, part), wanted, size, 1e-14), (x, y, part, getattr(given, part), wanted)


SINGULAR = {  # what holds where no derivative exists: docs/functions.md
    "root at zero": (lambda x: np.sqrt(x), 0.0, (0.0, 0.0, 0.0)),
    "cube root at zero": (lambda x: np.cbrt(x), 0.0, (0.0, 0.0, 0.0)),
    "1.5th power at zero": (lambda x: x**1.5, 0.0, (0.0, 0.0, 0.0)),
    "half power at zero": (lambda x: x**0.5, 0.0, (0.0, 0.0, 0.0)),
    "first power at zero": (lambda x: x**1, 0.0, (0.0, 1.0, 0.0)),
    "zeroth power at zero": (lambda x: x**0, 0.0, (1.0, 0.0, 0.0)),
    "square at zero": (lambda x: x**2.0, 0.0, (0.0, 0.0, 2.0)),
    "stop off its end": (lambda x: max(x - 0.2, 0.0) ** 1.5, -1.0, (0.0, 0.0, 0.0)),
    "length at zero": (lambda x: np.hypot(x, 2.0 * x), 0.0, (0.0, 0.0, 0.0)),
    "angle at zero": (lambda x: np.arctan2(x, 0.0 * x), 0.0, (0.0, 0.0, 0.0)),
    "modulus at zero": (lambda x: abs(x), 0.0, (0.0, 0.0, 0.0)),
    "sign": (lambda x: np.sign(x) + 0.0 * x, 0.0, (0.0, 0.0, 0.0)),
    "drag at rest": (lambda x: -x * np.sqrt(x * x + 0.0 * x), 0.0, (0.0, 0.0, 0.0)),
    "drag at rest by norm": (lambda x: -x * abs(x), 0.0, (0.0, 0.0, 0.0)),
    "first of equal ones": (lambda x: max(3.0 * x, 2.0 * x), 0.0, (0.0, 3.0, 0.0)),
    "smallest of equal ones": (lambda x: min(3.0 * x, 2.0 * x), 0.0, (0.0, 3.0, 0.0)),
    "arcsine at 1": (lambda x: np.arcsin(x), 1.0, (math.pi / 2, 0.0, 0.0)),
    "saturation": (lambda x: 1.0 / (1.0 + np.exp(-x / 0.001)), -1.0, (0.0, 0.0, 0.0)),
    "saturated": (lambda x: np.tanh(np.exp(x)), 1000.0, (1.0, 0.0, 0.0)),
    "a zero direction": (lambda x: np.exp(1e3 * x) * 0.0 + 1.0 / x, 1e-160, (1e160, -1e320, math.inf)),
}


@pytest.mark.parametrize("case", SINGULAR)
def test_singular_points(case):
    function, x, wanted = SINGULAR[case]
    with np.errstate(all="ignore"):
        plain, fast = function(HyperDual(x, 1.0, 1.0, 0.0)), inlined(function)(HyperDual(x, 1.0, 1.0, 0.0))
        still = lifted(function(HyperDual(x)))
    for given in map(lifted, (plain, fast)):
        np.testing.assert_allclose((given.x, given.a, given.ab), wanted, rtol=1e-15)
    assert (still.a, still.b, still.ab) == (0.0, 0.0, 0.0)


def test_negative_base_of_a_fractional_power_is_no_number():
    def power(x):
        return x**0.3

    with np.errstate(all="ignore"):
        assert np.isnan(power(HyperDual(-1.0, 1.0)).x) and np.isnan(inlined(power)(HyperDual(-1.0, 1.0)).x)


@pytest.mark.parametrize(("x", "y"), [(1.0, 0.1), (-1.0, 0.1), (0.3, -0.1), (7.0, 0.7), (1e300, 3.0), (0.0, 2.0)])
def test_whole_quotients_are_those_of_python(x, y):
    def quotient(x, y):
        return x // y

    found = inlined(quotient)(HyperDual(x, 1.0), HyperDual(y))
    assert getattr(found, "x", found) == x // y


def everything(t, x, v):
    """What people write: branches, loops, integers that become numbers, tables, several arguments."""
    total = 0
    for i in range(3):
        total += i * x
    while total > 2.0:
        total -= v
    table = np.interp(x, (0.0, 0.2, 1.0), (1.0, 3.0, 2.0)) + np.clip(v, -0.1, x) + np.where(x > v, t, 0)
    whole = int(10.0 * x) + round(v) + math.floor(3.0 * x) + np.floor(v) + np.heaviside(x, 0.5) + x // 0.07
    several = max(x, v, 0.0, 1) * min(x, v, 2) + math.hypot(x, v, t) + math.log(x + 2.0, 2) + pow(x, 0.3) + 2**v + x**v
    several += x % 0.1 + math.fmod(v, 0.3) + np.copysign(x, -v) - (+x) - (-v) + np.round(x, 1) + math.atan2(x, v)
    if x and not v < 0 and t < 1.0 <= 2.0 + x:
        return total + table + whole + several
    return 0.0


def test_both_worlds_agree():
    """Compiled code and a copy of the function with our math give the same parts to 1e-15 of their size."""
    copy, fast = plain_copy(everything), in_this_world(everything)
    for _ in range(20):
        numbers = [HyperDual(x, *rng.normal(size=3)) for x in rng.uniform(0.05, 0.9, 3)]
        plain, given = copy(*numbers), fast(*numbers)
        for part in ("x", "a", "b", "ab"):
            np.testing.assert_allclose(getattr(given, part), getattr(plain, part), rtol=1e-13, atol=1e-14)


def of_the_c_library(x, y):
    return (
        *(np.exp(x), np.exp2(x), np.expm1(x), np.sinh(x), np.cosh(x), np.tanh(x), np.cbrt(x), np.log1p(x), np.log10(x)),
        *(np.tan(x), np.arcsin(x), np.arccos(x), np.arctan2(x, y), np.arcsinh(x), np.arccosh(1.0 + x), np.arctanh(x)),
        *(x**y, x**3.7, np.power(y, x), np.sin(x), np.log(x), np.hypot(x, y), x % y, x / y, math.erf(x)),
    )


def test_rules_of_both_worlds_agree_to_the_last_digit():
    """NumPy's own exp, sinh, ... are not those of the C library that compiled code calls: 1e-14 in second derivatives."""
    copy, fast = plain_copy(of_the_c_library), in_this_world(of_the_c_library)
    for _ in range(50):
        x, y = (HyperDual(number, *rng.normal(size=3)) for number in rng.uniform(0.05, 0.95, 2))
        for plain, given in zip(copy(x, y), fast(x, y), strict=True):
            for part in ("x", "a", "b", "ab"):
                np.testing.assert_allclose(getattr(given, part), getattr(plain, part), rtol=1e-15, atol=0.0)


def test_rules_are_all_words():
    """No rule is left without a word that means it."""
    named = {*words.ONE, *words.TWO, *words.WHOLE}
    helpers = {rules.times, rules.compose, rules.power_of_constant, rules.interpolate}
    assert {v for v in vars(rules).values() if callable(v) and v.__module__ == rules.__name__} == named | helpers


SCRIPT = """
import numpy as np
from bricard.compiled.users import as_it_stands, pointer
from bricard.kernels import functions, profiles
from bricard.kernels.functions import Pose

def u(t):
    if t > 0.25:
        return np.sin(t) * 2
    return 1

def rows(t, a, b, p):
    if b.x[0] > 0.25:
        return np.sin(a.x[1]) + b.x[0], 1.0
    return 1, p[0]

out = np.zeros(3)
for t in (0.1, 0.5):
    profiles.of_function(u)(t, np.zeros(1), 0, out)
    print("profile", *out.tolist())
given, parts = np.linspace(0.1, 0.9, 148), np.zeros(8)
for kind, function in (("rows", rows), ("as it stands", as_it_stands(rows, 4))):
    asked = pointer(functions.of_poses, ((rows, functions.arguments_of(Pose, 1)),)) if kind == "rows" else None
    asked = asked or functions.of_poses(function)
    for x in (0.1, 0.5):
        given[76] = x
        asked(given, np.ones(1), 0, 1, 1, parts)
        print(kind, *parts.tolist())
"""
ALL = {"profile", "rows", "as"}
# file, what is replaced, by what, which of the above it changes: straight code lifts its results, other code casts them
CHANGES = {
    "a rule": ("hyperdual/rules.py", "return s, np.cos(x), -s", "return s, 3.0 * np.cos(x), -s", ALL),
    "a comparison": ("compiled/hyperdual.py", "compare(u.x, v)) if first", "compare(u.x - 5.0, v)) if first", ALL),
    "a cast": (
        "compiled/hyperdual.py",
        "(context.cast(builder, value, kind, types.float64), zero,",
        "(zero, zero,",
        {"as"},
    ),
    "a lift": ("compiled/hyperdual.py", "HyperDual(float(value), 0.0,", "HyperDual(3.0, 0.0,", {"profile", "rows"}),
}


@pytest.mark.slow
@pytest.mark.skipif(PYTHON_ONLY, reason="nothing is compiled")
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_rule_is_never_stale(change, tmp_path):
    """A second process on the same cache has the new result: what is compiled with such numbers knows their rules."""
    source = tmp_path / "src"
    shutil.copytree(Path(bricard.__file__).parent, source / "bricard", ignore=shutil.ignore_patterns("__pycache__"))

    def result():
        variables = os.environ | {"PYTHONPATH": str(source), "BRICARD_CACHE_DIR": str(tmp_path / "cache")}
        run = subprocess.run([sys.executable, "-c", SCRIPT], env=variables, capture_output=True, text=True, check=True)
        return run.stdout

    before, (file, old, new, touched) = result(), CHANGES[change]
    text = (source / "bricard" / file).read_text(encoding="utf-8")
    assert old in text
    (source / "bricard" / file).write_text(text.replace(old, new), encoding="utf-8")
    after = result().splitlines()
    changed = {line.split()[0] for line, earlier in zip(after, before.splitlines(), strict=True) if line != earlier}
    assert changed == touched
