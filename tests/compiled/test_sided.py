"""Numbers that tell on which sides of its kinks a function was: compiled and plain, against the sides that are known."""

import math

import numpy as np
import pytest

from bricard.compiled.hyperdual import HyperDual, lifted
from bricard.compiled.pointers import PYTHON_ONLY, inlined
from bricard.compiled.sided import inner, sided
from bricard.compiled.users import differentiable
from bricard.hyperdual.rebuild import plain_copy
from bricard.hyperdual.sided import Sided, Track

KNOTS, VALUES = np.array([-0.5, 0.2, 0.7]), np.array([0.0, 1.0, -1.0])

# function of (x, y), and its side as a function of floats
KINDS = {
    "comparison": (lambda x, y: x if x > y else 2.0 * y, lambda x, y: x > y),
    "two comparisons": (lambda x, y: x if y < x <= 0.5 else y, lambda x, y: (y < x, y < x and x <= 0.5)),
    "not": (lambda x, y: 1.0 * x if not x > y else y, lambda x, y: x > y),
    "abs": (lambda x, y: abs(x) + y, lambda x, y: np.sign(x)),
    "fabs": (lambda x, y: math.fabs(x - y), lambda x, y: np.sign(x - y)),
    "sign": (lambda x, y: np.sign(x) * y, lambda x, y: np.sign(x)),
    "max": (lambda x, y: max(x, y, 0.1), lambda x, y: (y > x, max(x, y) < 0.1)),
    "maximum": (lambda x, y: np.maximum(x, 0.3 * y), lambda x, y: 0.3 * y > x),
    "min": (lambda x, y: min(0.2, x) * y, lambda x, y: x < 0.2),
    "clip": (lambda x, y: np.clip(x, -0.3, 0.3) * y, lambda x, y: (x < -0.3, x > 0.3)),
    "floor": (lambda x, y: math.floor(3.0 * x) * y, lambda x, y: math.floor(3.0 * x)),
    "ceil": (lambda x, y: np.ceil(2.0 * x) * y, lambda x, y: math.ceil(2.0 * x)),
    "round": (lambda x, y: round(2.0 * x) * y, lambda x, y: round(2.0 * x)),
    "int": (lambda x, y: int(4.0 * x) * y, lambda x, y: int(4.0 * x)),
    "twice": (lambda x, y: np.sign(x) * np.sign(2.0 * x) * y, lambda x, y: np.sign(x)),
    "four times": (lambda x, y: abs(x) + abs(3.0 * x) + abs(-x) + abs(x - 0.0) + y, lambda x, y: np.sign(x)),
    "mod": (lambda x, y: (x % 0.3) * y, lambda x, y: math.floor(x / 0.3)),
    "fmod": (lambda x, y: math.fmod(x, 0.3) * y, lambda x, y: math.trunc(x / 0.3)),
    "remainder": (lambda x, y: math.remainder(x, 0.3) * y, lambda x, y: round(x / 0.3)),
    "floor divide": (lambda x, y: (x // 0.3) * y, lambda x, y: math.floor(x / 0.3)),
    "where": (lambda x, y: np.where(x > 0.1, x, y), lambda x, y: x > 0.1),
    "heaviside": (lambda x, y: np.heaviside(x - 0.1, 0.5) * y, lambda x, y: np.sign(x - 0.1)),
    "interp": (lambda x, y: np.interp(x, KNOTS, VALUES) * y, lambda x, y: np.searchsorted(KNOTS, x, side="right")),
    "copysign": (lambda x, y: math.copysign(x, y), lambda x, y: (x < 0) == (y < 0)),
    "arctan2": (lambda x, y: math.atan2(x, y), lambda x, y: 0 if y >= 0 else (1 if x >= 0 else -1)),
}
SMOOTH = {
    "polynomial": lambda x, y: x * x * x - 3 * x / (2.0 + y),
    "words": lambda x, y: (
        np.tanh(x) + math.exp(y) * np.hypot(x, 1.0) + math.sqrt(1.0 + y * y) ** 1.5 + math.log(2.0 + x, 3.0)
    ),
    "loop": lambda x, y: sum([x * k for k in range(3)]) + y,
}
RANDOM = np.random.default_rng(2511)
POINTS = RANDOM.uniform(-1.0, 1.0, (40, 2))


def plain(function):
    """(x, y) -> value, its derivative along x, track; as plain Python."""
    copy = plain_copy(function)

    def called(x, y):
        track = [0] * Track.SIZE
        found = copy(Sided(HyperDual(x, 1.0, 0.0, 0.0), track), Sided(HyperDual(y, 0.0, 0.0, 0.0), track))
        number = lifted(found.number if isinstance(found, Sided) else found)
        return float(number.x), float(number.a), tuple(map(int, track))

    return called


def compiled(function):
    """The same, compiled."""
    own = differentiable(function, (("x", ()), ("y", ())))

    def call(x, y, track):
        found = own(sided(HyperDual(x, 1.0, 0.0, 0.0), track), sided(HyperDual(y, 0.0, 0.0, 0.0), track))
        number = lifted(inner(found))
        return number.x, number.a

    call = inlined(call)

    def called(x, y):
        track = np.zeros(Track.SIZE, np.int64)
        return *map(float, call(x, y, track)), tuple(map(int, track))

    return called


def outcomes(called):
    return [called(float(x), float(y)) for x, y in POINTS]


@pytest.mark.parametrize("name", KINDS)
def test_tracks_differ_where_sides_do(name):
    """At random points, of every pair; the numbers themselves are those of the function."""
    function, side = KINDS[name]
    sides = [str(side(float(x), float(y))) for x, y in POINTS]
    assert len(set(sides)) > 1
    for made in (plain,) if PYTHON_ONLY else (plain, compiled):
        found = outcomes(made(function))
        for i, (value, _, (mark, seen, _)) in enumerate(found):
            assert value == pytest.approx(float(function(*map(float, POINTS[i]))), abs=1e-14)
            assert seen > 0
            for j in range(i):
                assert (mark == found[j][2][Track.MARK]) == (sides[i] == sides[j])


@pytest.mark.parametrize("name", SMOOTH)
def test_functions_without_sides_enter_nothing(name):
    assert all(track[Track.SEEN] == 0 for _, _, track in outcomes(plain(SMOOTH[name])))


@pytest.mark.parametrize(
    ("function", "point", "beside"),
    [
        (lambda x, y: abs(x), (0.0, 1.0), (1e-300, 1.0)),
        (lambda x, y: np.sqrt(x), (0.0, 1.0), (1e-300, 1.0)),
        (lambda x, y: math.hypot(x, y), (0.0, 0.0), (0.0, 1.0)),
        (lambda x, y: math.atan2(x, y), (0.0, 0.0), (0.0, 1.0)),
        (lambda x, y: x**1.5, (0.0, 0.0), (1e-300, 0.0)),
        (lambda x, y: np.arcsin(x), (1.0, 0.0), (1.0 - 1e-16, 0.0)),
        (lambda x, y: np.maximum(x, y), (0.5, 0.5), (0.5, 0.6)),
        (lambda x, y: np.floor(x), (2.0, 0.0), (2.1, 0.0)),
    ],
)
def test_points_without_derivative_are_seen(function, point, beside):
    for made in (plain,) if PYTHON_ONLY else (plain, compiled):
        called = made(function)
        assert called(*point)[2][Track.POINTS] == 1
        assert called(*beside)[2][Track.POINTS] == 0


@pytest.mark.parametrize("function", [lambda x, y: x**2, lambda x, y: abs(y) + x, lambda x, y: max(x, x)])
def test_smooth_points_and_numbers_that_do_not_move_are_none(function):
    for made in (plain,) if PYTHON_ONLY else (plain, compiled):
        assert made(function)(0.0, 0.0)[2][Track.POINTS] == 0
