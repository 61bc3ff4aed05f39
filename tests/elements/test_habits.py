"""What people write without thinking: it works, with the derivatives of differences, or is refused by name with what to do."""

import bisect
import functools
import itertools
import math
import operator
import statistics
import warnings

import numba
import numpy as np
import pytest
from numpy.polynomial import Polynomial
from own_objects import OBJECTS, Counter, Table
from scipy.interpolate import CubicSpline, interp1d
from test_users_functions import slider

import bricard as br
from bricard.compiled.pointers import PYTHON_ONLY
from bricard.errors import UserFunctionError
from bricard.kernels import laws

LINEAR = interp1d([-9.0, 0.0, 9.0], [5.0, 0.0, -4.0])
SPLINE = CubicSpline([-5, -1, 0, 1, 5], [3, 2, 0, 1, 4])
POLYNOMIAL, POLY1D = Polynomial([1.0, 2.0, -0.5]), np.poly1d([1.0, 2.0, 3.0])


STEPS = np.array([0.0, 1.0, 4.0, 9.0])


def by_whole_numbers(t, x, v):
    gears = {0: 3.0, 1: 2.0}
    return -gears.get(int(abs(v)), 0.5) * x + (x if int(abs(v)) in {0, 1} else 2.0 * x)


@np.vectorize
def square(x):
    return x * x


@numba.vectorize
def loaded(x):
    return 3.0 * x if x > 0.0 else x * x


def guarded_by_except(t, x, v):
    try:
        y = math.log(x)
    except ValueError:
        y = -2.0 * x
    return y * v


def guarded_helper(t, x, v):
    try:
        return loaded(math.acos(x)) + guarded_by_except(t, v, x)
    except (TypeError, ValueError) as error:
        return 1.0 if isinstance(error, TypeError) else v * x


def written_to(t, x, v):
    y, z, w = STEPS.copy(), np.linspace(0.0, 1.0, 3), np.arange(2.0)
    y[0], z[1], w[1] = x, v, x * v
    return y.sum() + z @ z + w.sum()


def asks_for_its_type(t, x, v):
    return x * v if isinstance(x, float) and isinstance(v, (int, float)) else 2.0 * x


def asserts(t, x, v):
    assert abs(x) < 1e6, f"too far: {x:.3f} m"
    if v > 1e6:
        raise ValueError(f"too fast: {v}")
    return x * v


def truths_as_numbers(t, x, v):
    return (x > 0) * x - (v < 0) * 2 + 3.0 * bool(x > v)


def of_each_in_lists(t, x, v):
    return np.sum(np.clip([x, v], -0.1, 0.1) * np.sign([x, v]) + np.sqrt(np.abs([x, v]) + 1.0))


def in_pieces(t, x, v):
    return np.piecewise(x, [x < 0, x >= 0], [lambda u: -(u**2), lambda u: u**3])


def in_rows(t, x, v):
    return np.linalg.norm(np.array([[x, v], [t, 1.0]]), axis=1) @ np.array([1.0, 2.0])


def by_its_vectors(t, x, v):
    return br.vectors.norm((x, v, t)) + br.vectors.dot((x, v, t), (1.0, 2.0, 3.0))


def drifting(t, x, v):
    return sum(itertools.accumulate((x, v, t), operator.mul)) + functools.reduce(operator.add, [x, v])


HABITS = {
    "isinstance": asks_for_its_type,
    "assert": asserts,
    "truths": truths_as_numbers,
    "lists": of_each_in_lists,
    "piecewise": in_pieces,
    "axis": in_rows,
    "vectors": by_its_vectors,
    "itertools": drifting,
    "tables": by_whole_numbers,
    "truth as a place": lambda t, x, v: (2.0, 3.0)[x > 0] * x + (v, t)[int(v > 0.0)],
    "sinc": lambda t, x, v: np.sinc(x) + np.sinc(0.1 * v) + np.logaddexp(x, v) * np.reciprocal(t),
    "largest of a list": lambda t, x, v: max([x, v], default=0.0),
    "vectorize": lambda t, x, v: square(x) * v,
    "numba.vectorize": lambda t, x, v: loaded(x) * loaded(np.array([x, v])).sum(),
    "except": guarded_by_except,
    "except in a helper": guarded_helper,
    "arrays written to": written_to,
    "whole numbers": lambda t, x, v: x if (x * 0.0).is_integer() else v,
    "tensordot": lambda t, x, v: np.tensordot(np.array([x, v]), np.array([t, x]), 1),
    "polynomial": lambda t, x, v: POLYNOMIAL(x) + POLY1D(v),
    "reduce": lambda t, x, v: np.minimum.reduce([x, v, t]) * np.multiply.reduce([x, v]),
    "isclose": lambda t, x, v: 1.0 if np.isclose(x, v) or np.allclose([x, v], [v, x]) else x * v,
}


HABITS |= OBJECTS


@pytest.mark.parametrize("name", HABITS)
def test_habits(name):
    function, h = HABITS[name], 1e-5
    asked, random, out = laws.of_function(function), np.random.default_rng(25), np.zeros(5)
    for _ in range(6):
        t, x, v = random.uniform(0.1, 0.9), random.normal(), random.normal()
        asked(t, x, v, np.zeros(1), 0, out)
        slopes = [
            (function(t, x + h, v) - function(t, x - h, v)) / (2 * h),
            (function(t, x, v + h) - function(t, x, v - h)) / (2 * h),
        ]
        assert math.isclose(out[0], function(t, x, v), rel_tol=1e-13, abs_tol=1e-14)
        np.testing.assert_allclose(out[1:3], slopes, rtol=1e-7, atol=1e-8)  # h^2 f''' / 6, and rounding 1e-16 / h


@pytest.mark.parametrize("decimals", [-1, 0, 1, 2])
def test_round_to_even(decimals):
    """At ties np.round is NumPy's: it multiplies and divides, and 0.05 is rounded to 0.0; Python's own is exact."""
    out = np.zeros(5)
    for x in (0.05, 0.15, 0.25, 2.675, 5.0, 15.0, -0.05, 0.5):
        laws.of_function(lambda t, x, v: np.round(x, decimals) + v)(0.0, x, 0.0, np.zeros(1), 0, out)
        assert out[0] == np.round(x, decimals)


def test_except_at_the_start():
    """A law that divides by zero where the motion starts, and catches that."""

    def law(t, x, v):
        try:
            return -math.sin(x) / x
        except ZeroDivisionError:
            return -1.0

    out = np.zeros(5)
    laws.of_function(law)(0.0, 0.0, 0.0, np.zeros(1), 0, out)
    slider(law).build()
    assert out[0] == -1.0


def test_branches_that_are_not_reached_are_silent(capsys):
    def law(t, x, v):
        if x > 1e6:
            print("far")
            warnings.warn("far out", stacklevel=1)
        return -x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slider(law).build()
    assert "far" not in capsys.readouterr().out


def of_type(t, x, v):
    return x if type(x) in (float, np.float64) else 2.0 * x


def refused_text(t, x, v):
    y = 2.0 * x
    return float(f"{y:.3f}")


def bisected(t, x, v):
    low, high = -5.0, 5.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if middle + 0.2 * middle**3 > x else (middle, high)
    return -4.0 * low


def nested(t, x, v):
    def wrap(a):
        return wrap(a - 0.4) if a > 0.2 else wrap(a + 0.4) if a < -0.2 else a

    return -wrap(x)


def nested_in_helper(t, x, v):
    return -wrapped(x)


def wrapped(a):
    return wrapped(a - 0.4) if a > 0.2 else a


KNOTS = tuple(float(k) for k in range(600))


def imported(t, x, v):
    import bisect

    return KNOTS[bisect.bisect(KNOTS, x) - 1] - v


def twice(t, x, v):
    places = bisect.bisect(KNOTS[:100], x), bisect.bisect_left(KNOTS[:100], v)
    return KNOTS[places[0]] + KNOTS[places[1]]


def by_index(t, x, v):
    try:
        return -STEPS[int(abs(x) / 0.2)] - v
    except IndexError:
        return -10.5 - v


REFUSED = {
    "type": (of_type, "must not ask for the type"),
    "text": (refused_text, r"line \d+\) cannot be compiled: it makes a text"),
    "eigenvalues": (
        lambda t, x, v: np.linalg.eigvalsh(np.array([[x, v], [v, t]]))[0],
        '"np.linalg.eigvalsh"',
    ),
    "spline": (lambda t, x, v: SPLINE(x), '"SPLINE", which takes floats only'),
    "statistics": (
        lambda t, x, v: statistics.mean([x, v]),
        r'\(test_habits.py, .*"statistics.mean", which takes floats only',
    ),
    "dictionary": (Table(), "changes a dictionary of an object, but a function keeps nothing"),
    "bisection": (bisected, "has the slope -.* but 0 along its branches: .* Newton"),
    "linear": (lambda t, x, v: LINEAR(x), '"LINEAR", which takes floats only.* take a table'),
    "truth": (lambda t, x, v: x < 0.0, r"\(test_habits.py, line \d+\) .*returns a truth"),
    "large table": (imported, r"line \d+\) .*searches a table of 600 numbers.*np.interp\(x, knots, values\).*br.Table"),
    "attribute of floats": (
        lambda t, x, v: x.as_integer_ratio()[0] * v,
        'for "as_integer_ratio", which only floats have',
    ),
    "memory": (Counter(), r"sets self.calls, but a function keeps nothing"),
    "float64": (lambda t, x, v: np.float64(x) * 2, r"calls float\(x\).*Leave float"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    function, said = REFUSED[name]
    with pytest.raises(UserFunctionError, match=said):
        slider(function).build()


# what compiled code cannot do, and plain Python can
ONLY_PLAIN = {
    "index": (by_index, r"line \d+\) .*an `except` there .* Compare before, as in .* `if i < len\(table\):`"),
    "recursion inside": (nested, r'"nested" \(test_habits.py, line \d+\) .*calls itself. Write that as a loop'),
    "recursion": (nested_in_helper, "calls itself, write it as a loop"),
    "two searches": (twice, "searches a table in too many ways. Take np.interp"),
}


@pytest.mark.skipif(PYTHON_ONLY, reason="plain Python takes these")
@pytest.mark.parametrize("name", ONLY_PLAIN)
def test_refused_where_compiled(name):
    function, said = ONLY_PLAIN[name]
    with pytest.raises(UserFunctionError, match=said):
        slider(function).build()
