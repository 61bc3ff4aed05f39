"""Users' functions are checked at build: do they survive complex numbers, and do the derivatives agree with differences?

The check calls the plain Python function at a few random poses near which it is smooth, before anything is compiled.
"""

import dis
from typing import NoReturn

import numpy as np

from ..errors import UserFunctionError

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


def _complain(where, function, what) -> NoReturn:
    names = suspects(function)
    cause = f" It uses {', '.join(names)}, which is not differentiable in the complex plane." if names else ""
    raise UserFunctionError(
        f'The function of "{where}" cannot be differentiated by complex step: {what}.{cause} Write it with + - * /, sqrt, '
        "sin, cos, exp of its arguments (numpy's), or give the derivatives yourself."
    )


def _compare(where, function, evaluate, directions, place):
    """`evaluate(s, direction)` is the vector value after the (complex) way s along a direction from a place, given in words."""
    for direction in directions:
        try:
            with np.errstate(all="ignore"):
                value = np.asarray(evaluate(0.0, direction), float)
        except Exception as error:
            raise UserFunctionError(
                f'The function of "{where}" fails when it is called: {type(error).__name__}: {error}. See '
                "docs/own-joints-and-forces.md for its arguments and what it must return."
            ) from error
        if not np.isfinite(value).all():
            wrong = value[~np.isfinite(value)][0]
            raise UserFunctionError(
                f'The function of "{where}" is {wrong:g} at {place}: it must have a finite value wherever the motion may come. '
                "Continue it beyond its range, for example by a constant or a straight line."
            )
        try:
            exact = np.asarray(evaluate(TINY * 1j, direction), complex).imag / TINY
            base = np.asarray(evaluate(0.0, direction), complex)
            ahead, behind = (np.asarray(evaluate(s, direction), complex).real for s in (STEP, -STEP))
        except Exception as error:
            _complain(where, function, f"it fails with {type(error).__name__}: {error}")
        difference = (ahead - behind) / (2 * STEP)
        scale = 1.0 + np.abs(base).max(initial=0.0) + np.abs(difference).max(initial=0.0)
        worst = np.abs(exact - difference).max(initial=0.0)
        if not worst <= TOLERANCE * scale:
            _complain(
                where,
                function,
                f"a derivative is {difference.ravel()[np.argmax(np.abs(exact - difference))]:.6g} by "
                f"differences but {exact.ravel()[np.argmax(np.abs(exact - difference))]:.6g} by complex step",
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
    """Check a user's u(t)."""
    refuse_powers(function, where)
    plain = getattr(function, "py_func", function)
    times = np.random.default_rng(1).uniform(0.1, 3.0, 3)
    for t in times:
        _compare(where, plain, lambda s, _, t=t: [plain(t + s)], [0], f"t = {t:.3g} s")


def check_law(function, where):
    """Check a user's F(t, x, x')."""
    refuse_powers(function, where)
    plain = getattr(function, "py_func", function)
    rng = np.random.default_rng(2)
    for _ in range(3):
        t, x, v = rng.uniform(0.2, 1.0, 3)
        place = f"t = {t:.3g} s, coordinate {x:.3g}, its rate {v:.3g}"
        _compare(where, plain, lambda s, d, t=t, x=x, v=v: [plain(t, x + s * d, v + s * (1 - d))], [0, 1], place)


def check_function(element):
    """Check the function of a FunctionElement at the drawn pose, a little displaced, with random velocities."""
    from ..kernels.functions import Motion, Pose

    if element.jacobian is None:
        refuse_powers(element.function, element.name)
    plain = getattr(element.function, "py_func", element.function)
    p, rng = np.array(element.parameters), np.random.default_rng(3)
    sides = []
    for frame in (element.frame_a, element.frame_b):
        position = frame.body.com_position + frame.body.rotation @ frame.point
        sides.append(
            (position + 0.01 * rng.normal(size=3), frame.body.rotation, rng.normal(size=3), rng.normal(size=3))
        )

    def side(values, shift):
        x, R, v, w = values
        spin = shift[3:6]
        cross = np.array([[0, -spin[2], spin[1]], [spin[2], 0, -spin[0]], [-spin[1], spin[0], 0]])
        R = R + cross @ R
        x, R = tuple(x + shift[:3]), tuple(tuple(row) for row in R)
        if element.kind == "joint":
            return Pose(x, R)
        return Motion(x, R, tuple(v + shift[6:9]), tuple(w + shift[9:]))

    def evaluate(s, direction):
        shift = s * direction
        values = plain(0.3 + 0.0 * s, side(sides[0], shift[:12]), side(sides[1], shift[12:]), p)
        return list(values)

    try:
        values = evaluate(0.0, np.zeros(24))
    except Exception as error:
        raise UserFunctionError(
            f'The function of "{element.name}" fails when it is called: {type(error).__name__}: {error}. It must take '
            "(t, a, b, p) and return a tuple; see docs/own-joints-and-forces.md."
        ) from error
    expected = 6 if element.kind == "force" else element.rows
    if len(values) != expected:
        raise UserFunctionError(
            f'The function of "{element.name}" returns {len(values)} numbers, {expected} are needed.'
        )
    if not np.all(np.isfinite(np.asarray(values, complex))):
        raise UserFunctionError(f'The function of "{element.name}" is not finite near the start: {values}.')
    if element.jacobian is None:
        _compare(element.name, plain, evaluate, list(rng.normal(size=(4, 24))), "t = 0.3 s, near the start")
    else:
        _check_jacobian(element, evaluate, sides)


def _check_jacobian(element, evaluate, sides):
    """The user's Jacobian (values, rows of 12: point and world turn of a, then of b) against differences."""
    from ..kernels.functions import Pose

    plain = getattr(element.jacobian, "py_func", element.jacobian)
    poses = [Pose(tuple(x), tuple(tuple(row) for row in R)) for x, R, _, _ in sides]
    values, rows = plain(0.3, *poses, np.array(element.parameters))
    given = np.array(rows, float)
    if given.shape != (element.rows, 12) or len(values) != element.rows:
        raise UserFunctionError(
            f'The Jacobian of "{element.name}" must return (values, rows): {element.rows} numbers and {element.rows} rows of '
            f"12 numbers; it returns {len(values)} and an array of shape {given.shape}."
        )
    for c in range(12):
        direction = np.zeros(24)
        direction[c if c < 6 else c + 6] = 1.0
        ahead, behind = (np.asarray(evaluate(s, direction), complex).real for s in (STEP, -STEP))
        difference = (ahead - behind) / (2 * STEP)
        if not np.abs(difference - given[:, c]).max() <= TOLERANCE * (1.0 + np.abs(difference).max()):
            raise UserFunctionError(
                f'Column {c} of the Jacobian of "{element.name}" is {given[:, c]} but {difference} by finite differences.'
            )
