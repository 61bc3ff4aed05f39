"""Users' functions are called at build, as plain Python, before anything is compiled: what they return must be finite numbers.

Functions over arrays, of `System.from_functions`, are differentiated by complex step; it is compared with differences.
"""

import dis
from typing import Any

import numpy as np

from ..errors import UserFunctionError
from ..hyperdual.following import flat, shape_of
from ..hyperdual.number import HyperDual, lifted
from ..hyperdual.rebuild import plain_copy, plain_of
from ..kernels.functions import Motion, Pose

SUSPECTS = ("abs", "fabs", "max", "min", "maximum", "minimum", "arctan2", "atan2", "sign", "copysign", "hypot", "floor")
SUSPECTS += (
    "ceil",
    "round",
    "real",
    "imag",
    "conj",
    "conjugate",
    "absolute",
    "norm",
    "clip",
    "where",
    "angle",
    "float",
)
TINY, STEP, TOLERANCE = 1e-30, 1e-6, 1e-5
WIDTHS, SURE, UNLIKE = (
    (1e-4, 1e-6),
    1e-3,
    1e-2,
)  # of differences; how well two agree that count, and how badly one that is wrong
SAME = 1e-9  # relative: two orders of the same operations, of terms that may cancel


def suspects(function):
    """Names used in the function that break complex-step derivatives, and whether it compares numbers."""
    found, todo = [], [getattr(function, "py_func", function).__code__]
    while todo:
        code = todo.pop()
        found += [name for name in code.co_names if name in SUSPECTS]
        found += ["a comparison (if, <, >)"] * any(i.opname == "COMPARE_OP" for i in dis.get_instructions(code))
        todo += [c for c in code.co_consts if hasattr(c, "co_code")]
    return list(dict.fromkeys(found))


def refuse_powers(function, where):
    """Compiled complex powers lose the tiny imaginary part for negative bases: only squares are let through."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    if code is None:
        raise UserFunctionError(f'The function of "{where}" is {function!r}; it must be written with def or lambda.')
    todo = [code]
    while todo:
        code = todo.pop()
        before = None
        for instruction in dis.get_instructions(code):
            power = instruction.opname == "BINARY_OP" and instruction.argrepr in ("**", "**=")
            square = before is not None and before.opname == "LOAD_CONST" and before.argval in (2, 2.0)
            if power and not square:
                raise UserFunctionError(
                    f'The function of "{where}" uses the power operator ** for something else than a square. In compiled code '
                    "its derivative is wrong for negative numbers: write products (x * x * x), 1 / x, or np.sqrt(x)."
                )
            before = instruction
        todo += [c for c in code.co_consts if hasattr(c, "co_code")]


class OutOfRange(UserFunctionError):
    """A function has no finite value at a place."""


def _called(where, call, place):
    """The numbers that a function of floats returns at a place (words), shape (n,); refused where it fails or is not finite."""
    try:
        with np.errstate(all="ignore"):
            returned = call()
            if returned is None:
                raise TypeError("it returns nothing; every branch needs a return")
            if not isinstance(returned, (tuple, list, np.ndarray)) and not np.isscalar(returned):
                raise TypeError(f"it returns a {type(returned).__name__}, numbers are needed")
            if any(isinstance(number, (complex, np.complexfloating)) for number in flat(returned)):
                raise ValueError("it returns a complex number, as a power of a negative one is")
            value = np.array(flat(returned), float)
    except Exception as error:
        kind = OutOfRange if isinstance(error, (ArithmeticError, ValueError, IndexError)) else UserFunctionError
        raise kind(
            f'The function of "{where}" fails when it is called: {type(error).__name__}: {error}. See docs/functions.md for its '
            "arguments and what it must return."
        ) from error
    if not np.isfinite(value).all():
        wrong = value[~np.isfinite(value)][0]
        raise OutOfRange(
            f'The function of "{where}" is {wrong:g} at {place}: it must have a finite value wherever the motion may come. '
            "Continue it beyond its range, for example by a constant or a straight line."
        )
    return value


def _one_number(where, call, place):
    """Refuse a function that does not return a single number: not in a tuple or an array."""
    _called(where, call, place)
    shape = shape_of(call())
    if shape != ():
        raise UserFunctionError(
            f'The function of "{where}" returns a tuple, list or array of {len(shape)}: return one number alone.'
        )


def _numbers(values: Any) -> Any:
    """Arguments as hyper-dual numbers without directions."""
    if isinstance(values, tuple):
        made = map(_numbers, values)
        return type(values)(*made) if hasattr(values, "_fields") else tuple(made)
    return values if isinstance(values, np.ndarray) else HyperDual(values)


def _same_of_numbers(where, function, given):
    """Refuse a function that gives something else for floats than for the numbers that it will be called with."""
    try:
        with np.errstate(all="ignore"):
            of_floats = np.array(flat(plain_of(function)(*given)), float)
            of_numbers = np.array([lifted(x).x for x in flat(plain_copy(function)(*_numbers(given)))])
    except Exception:  # said where it is compiled
        return
    if of_floats.shape == of_numbers.shape and not np.allclose(of_numbers, of_floats, rtol=SAME, atol=SAME):
        raise UserFunctionError(
            f'The function of "{where}" gives {of_floats} for floats, but {of_numbers} for the numbers that carry its '
            "derivatives. It must not ask for the type of a number, nor remember anything; docs/functions.md says what may be "
            "written."
        )


def check_complex_step(label, function, arguments, shape, exact=True):
    """Check a function of numbers and vectors: it works, gives `shape`, is finite; `exact`: complex step along its vectors
    agrees with differences."""
    try:
        value = np.asarray(function(*arguments), float)
    except Exception as error:
        raise UserFunctionError(f"{label} fails at the start: {type(error).__name__}: {error}.") from error
    if value.shape != shape:
        raise UserFunctionError(f"{label} has shape {value.shape}, needed is {shape}.")
    if not np.isfinite(value).all():
        raise UserFunctionError(f"{label} is not finite at the start.")
    if not exact:
        return
    rng = np.random.default_rng(5)
    ways = [rng.normal(size=np.shape(x)) * (np.ndim(x) > 0) for x in arguments]

    def moved(s):
        return np.asarray(function(*(x + s * way for x, way in zip(arguments, ways, strict=True))))

    try:
        derivative = moved(TINY * 1j).imag / TINY
    except Exception as error:
        raise UserFunctionError(_advice(label, function, f"it fails with {type(error).__name__}: {error}")) from error
    difference = (moved(STEP) - moved(-STEP)) / (2 * STEP)
    if not np.abs(derivative - difference).max(initial=0.0) <= TOLERANCE * (1 + np.abs(difference).max(initial=0.0)):
        raise UserFunctionError(_advice(label, function, "complex step and finite differences disagree"))


def _advice(label, function, what):
    names = suspects(function) if hasattr(getattr(function, "py_func", function), "__code__") else []
    cause = f" It uses {', '.join(names)}, which is not differentiable in the complex plane." if names else ""
    return (
        f"{label} cannot be differentiated by complex step: {what}.{cause} Build arrays with np.array([...]) from expressions "
        "of the arguments, without abs, max, arctan2, comparisons or arrays of fixed real type."
    )


def check_profile(function, where):
    """Check a user's u(t): at the start and at some later times, one of which at least must be in its range."""
    times = (0.0, *np.random.default_rng(1).uniform(0.1, 3.0, 3))
    _check_numbers(where, function, [((float(t),), f"t = {t:.3g} s") for t in times])


def check_law(law, where, start=0.0):
    """Check a user's F(t, x, x') and U(x), as far as they are given: near the drawn coordinate `start` and elsewhere."""
    rng, places = np.random.default_rng(2), []
    for x in (start, start + 1e-3 * (1.0 + abs(start)), *rng.uniform(0.2, 1.0, 3)):
        t, v = rng.uniform(0.2, 1.0, 2)
        places.append((float(t), float(x), float(v)))
    for function, of_potential in ((law.function, False), (law.potential, True)):
        if function is not None:
            words = [f"t = {t:.3g} s, coordinate {x:.3g}, its rate {v:.3g}" for t, x, v in places]
            given = [place[1:2] if of_potential else place for place in places]
            _check_numbers(where, function, list(zip(given, words, strict=True)))


def _check_numbers(where, function, places):
    """Check a function that returns one number. places : arguments with the place in words; one must be in its range."""
    outside, inside = [], []
    for given, place in places:
        try:
            _one_number(where, lambda given=given: plain_of(function)(*given), place)
        except OutOfRange as error:
            outside.append(error)
        else:
            _same_of_numbers(where, function, given)
            inside.append((given, place))
    if not inside:
        raise outside[0]
    wrong = [found for given, place in inside for found in _wrong_slopes(function, given, place)]
    if len(wrong) > 1:
        place, slope, along = wrong[0]
        raise UserFunctionError(
            f'The function of "{where}" has the slope {slope:g} at {place}, but {along:g} along its branches: what it returns '
            "comes from comparisons only, as by bisection. End the search with a step of Newton's method, or take a table."
        )


def _wrong_slopes(function, given, place):
    """(place, slope by differences, slope along the branches) for each argument where both are sure, and differ."""
    found, plain = [], plain_of(function)

    def moved(i, h):
        return float(plain(*(x + h * (i == k) for k, x in enumerate(given))))

    for i, x in enumerate(given):
        try:
            with np.errstate(all="ignore"):
                sizes = [share * (1.0 + abs(x)) for share in WIDTHS]
                wide, narrow = ((moved(i, h) - moved(i, -h)) / (2.0 * h) for h in sizes)
                along = lifted(plain_copy(function)(*(HyperDual(y, float(i == k)) for k, y in enumerate(given)))).a
        except Exception:  # said where it is compiled, or beside its range
            continue
        if (
            0.0 < abs(narrow)
            and abs(wide - narrow) <= SURE * abs(narrow)
            and abs(along - narrow) > UNLIKE * (abs(narrow) + abs(along))
        ):
            found.append((place, narrow, along))
    return found


def check_function(element):
    """Check the function of a FunctionElement at the drawn pose, a little displaced, with random velocities."""
    p, rng = np.array(element.parameters), np.random.default_rng(3)
    sides = []
    for frame in (element.frame_a, element.frame_b):
        position = frame.body.com_position + frame.body.rotation @ frame.point
        x, R = position + 0.01 * rng.normal(size=3), frame.body.rotation
        sides.append((x, R, rng.normal(size=3), rng.normal(size=3)))

    def rows(shift):
        a, b = (_moved(element.kind, side, d) for side, d in zip(sides, (shift[:6], shift[6:]), strict=True))
        return plain_of(element.function)(0.3, a, b, p)

    if element.potential is not None:
        poses = [_moved("joint", side, np.zeros(6)) for side in sides]
        stored = _called(element.name, lambda: plain_of(element.potential)(*poses, p), "the poses near the start")
        if stored.size != 1:
            raise UserFunctionError(
                f'The potential of "{element.name}" returns {stored.size} numbers, one is needed: the energy in J.'
            )
    if element.function is None:
        return
    values = _called(element.name, lambda: rows(np.zeros(12)), "t = 0.3 s, near the start")
    _same_of_numbers(
        element.name, element.function, (0.3, *(_moved(element.kind, side, np.zeros(6)) for side in sides), p)
    )
    expected = 6 if element.kind == "force" else element.rows
    if values.size != expected:
        raise UserFunctionError(
            f'The function of "{element.name}" returns {values.size} numbers, {expected} are needed.'
        )
    if element.jacobian is not None:
        _check_jacobian(element, rows, sides)


def _moved(kind, side, shift):
    """One side after a small shift and turn in world axes."""
    (x, R, v, w), (a, b, c) = side, shift[3:]
    R = R + np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]) @ R
    x, R = tuple(x + shift[:3]), tuple(tuple(row) for row in R)
    return Pose(x, R) if kind == "joint" else Motion(x, R, tuple(v), tuple(w))


def _check_jacobian(element, rows, sides):
    """The user's Jacobian (values, rows of 12: point and world turn of a, then of b) against differences."""
    plain = plain_of(element.jacobian)
    values, given = plain(0.3, *(_moved("joint", side, np.zeros(6)) for side in sides), np.array(element.parameters))
    given = np.array(given, float)
    if given.shape != (element.rows, 12) or len(values) != element.rows:
        raise UserFunctionError(
            f'The Jacobian of "{element.name}" must return (values, rows): {element.rows} numbers and {element.rows} rows of '
            f"12 numbers; it returns {len(values)} and an array of shape {given.shape}."
        )
    for c, direction in enumerate(np.eye(12)):
        difference = (np.array(flat(rows(STEP * direction))) - np.array(flat(rows(-STEP * direction)))) / (2 * STEP)
        if not np.abs(difference - given[:, c]).max() <= TOLERANCE * (1.0 + np.abs(difference).max()):
            raise UserFunctionError(
                f'Column {c} of the Jacobian of "{element.name}" is {given[:, c]} but {difference} by finite differences.'
            )
