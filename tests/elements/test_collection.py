"""A collection of functions as people write them: derivatives are mpmath's, compiled and in plain Python (NUMBA_DISABLE_JIT=1).

Each function is asked by the pointer that elements ask, along random directions of all its arguments.
"""

import functools
import importlib
from pathlib import Path

import numpy as np
import pytest

import with_mpmath
from bricard.compiled.users import pointer
from bricard.kernels import functions, laws, profiles
from bricard.kernels.functions import Given, Motion, Part, Pose

FOLDER = Path(__file__).parent / "collection"
THEMES = sorted(path.stem for path in FOLDER.glob("*.py"))
ROLES = ("LAWS", "PROFILES", "LOADS", "JOINTS", "ROWS")
POINTS, TOLERANCE = 6, 1e-12
NOTHING = 1e-300  # mpmath: 400 digits, of which second differences with steps of 1e-30 lose 60
SIZE, SIDE = int(Given.SIZE), int(Given.SIDE)


@functools.cache
def theme(name, exact):
    return with_mpmath.load(FOLDER / f"{name}.py") if exact else importlib.import_module(f"collection.{name}")


CASES = [
    (name, role, number)
    for name in THEMES
    for role in ROLES
    for number in range(len(getattr(theme(name, False), role, ())))
]


def entry(case, exact):
    name, role, number = case
    found = getattr(theme(name, exact), role)[number]
    return found if role in ("LOADS", "JOINTS", "ROWS") else (found, ())


def label(case):
    function = entry(case, False)[0]
    function = getattr(function, "func", function)
    return f"{case[0]}-{getattr(function, '__name__', type(function).__name__)}-{case[2]}"


def flat(values):
    if isinstance(values, (tuple, list, np.ndarray)):
        return [number for value in values for number in flat(value)]
    return [values]


def sides(numbers, moving):
    """The arguments t, a, b of a function of two sides, from the places of Given."""
    found = [numbers[0]]
    for o in (1, 1 + SIDE):
        x, R = tuple(numbers[o : o + 3]), tuple(tuple(numbers[o + 3 + 3 * i : o + 6 + 3 * i]) for i in range(3))
        v, w = tuple(numbers[o + 12 : o + 15]), tuple(numbers[o + 15 : o + 18])
        found.append(Motion(x, R, v, w) if moving else Pose(x, R))
    return found


def called(case, exact, numbers):
    """The function's rows for numbers of any kind."""
    function, parameters, *_ = entry(case, exact)
    if case[1] == "PROFILES":
        return flat(function(numbers[0]))
    if case[1] == "LAWS":
        return flat(function(*numbers))
    return flat(function(*sides(numbers, case[1] != "JOINTS"), parameters))


def asked(case, place, ways):
    """(value, along the first way, along the second, mixed) of each row, by the pointer that elements call."""
    function, parameters, *_ = entry(case, False)
    out, none = np.zeros(5), np.zeros(1)
    if case[1] == "PROFILES":
        profiles.of_function(function)(place[0], none, 0, out)
        return np.array([out[:1], out[1:2], out[1:2], out[2:3]])
    if case[1] == "LAWS":
        laws.of_function(function)(place[0], place[1], place[2], none, 0, out)
        return np.array([out[:1], out[1:2], out[2:3], [np.nan]])
    numbers, count = np.zeros((SIZE, int(Part.SIZE))), len(called(case, False, place))
    numbers[:, 0], numbers[:, 1], numbers[:, 2] = place, *ways
    parts, own = np.zeros(4 * count), np.array(parameters, float)
    made, kind = (functions.of_poses, Pose) if case[1] == "JOINTS" else (functions.of_motions, Motion)
    call, numbers = pointer(made, ((function, functions.arguments_of(kind, len(own))),)), numbers.reshape(-1)
    call(numbers, own, 0, len(own), 1, parts)
    slopes = np.full(4 * count, np.nan)
    call(numbers, own, 0, len(own), 0, slopes)  # without mixed parts, which are not even written
    parts, slopes = parts.reshape(count, 4).T, slopes.reshape(count, 4).T
    np.testing.assert_allclose(slopes[:3], parts[:3], rtol=1e-14, atol=1e-300)
    assert np.isnan(slopes[3]).all()
    return parts


def directions(case, rng):
    if case[1] == "PROFILES":
        return np.ones((2, 1))
    return np.eye(3)[1:] if case[1] == "LAWS" else rng.normal(size=(2, SIZE))


def places(case, rng):
    if case[1] in ("PROFILES", "LAWS"):
        scale = (5.0,) if case[1] == "PROFILES" else (5.0, 0.3, 1.5)
        return [np.array([rng.uniform(0, scale[0]), *(s * rng.normal() for s in scale[1:])]) for _ in range(POINTS)]
    return [rng.normal(size=SIZE) for _ in range(POINTS)]


@pytest.mark.parametrize("case", CASES, ids=label)
def test_derivatives(case):
    """Values and derivatives are mpmath's, relative to their size and to what rounding of the arguments does to them."""
    rng = np.random.default_rng([25, *map(ord, label(case))])
    for place in places(case, rng):
        ways = directions(case, rng)
        wanted, noise = with_mpmath.along(lambda x: called(case, True, x), place, ways)
        given = asked(case, place, ways)
        for row, value in enumerate(wanted[0]):
            if value.imag != 0:  # such as a negative number to a fractional power
                assert np.isnan(given[0, row])
                continue
            for part in range(3 if case[1] == "LAWS" else 4):
                exact, size = wanted[part, row].real, TOLERANCE * (abs(wanted[part, row]) + noise[part, row]) + NOTHING
                assert abs(given[part, row] - exact) <= size, (place, part, row, given[part, row], exact)


def test_there_are_sixty():
    assert len(CASES) >= 60
