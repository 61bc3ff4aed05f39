"""Functions run a second time with mpmath: the source of a module, with a math and a NumPy of its numbers, so that no derivative
of ours is needed. Numbers in the text are doubles in both."""

import builtins
import math
from pathlib import Path
from types import ModuleType, SimpleNamespace

import mpmath as mp
import numpy as np

DIGITS = 400
STEP = mp.mpf(10) ** -30


def exactly(values):
    """Numbers, in tuples or arrays of any depth, as mpmath's; an array of objects."""
    return np.vectorize(mp.mpf, otypes=[object])(np.asarray(values, object))


def interp(x, xs, ys):
    """np.interp."""
    xs, ys = [mp.mpf(k) for k in xs], [mp.mpf(k) for k in ys]
    if x < xs[0]:
        return ys[0]
    for i in range(len(xs) - 1):
        if x < xs[i + 1]:
            return ys[i] + (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]) * (x - xs[i])
    return ys[-1]


def cross(u, w):
    """np.cross of two vectors."""
    return np.array([u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]], object)


def solve(a, b):
    """np.linalg.solve."""
    return np.array(list(mp.lu_solve(mp.matrix(a.tolist()), mp.matrix(b.tolist()))), object)


def inverse(a):
    """np.linalg.inv."""
    return np.array((mp.matrix(a.tolist()) ** -1).tolist(), object)


def nearest(x):
    """round of Python, of one number."""
    return int(mp.nint(x))


def of_each(function):
    """A function of numbers or arrays of them."""
    return lambda x: np.vectorize(function, otypes=[object])(x) if isinstance(x, np.ndarray) else function(mp.mpf(x))


def between(x, low, high):
    """np.clip of a number."""
    return min(max(mp.mpf(x), mp.mpf(low)), mp.mpf(high))


ONE = {
    name: of_each(getattr(mp, name)) for name in ("sin", "cos", "tan", "exp", "sqrt", "tanh", "cosh", "atan", "floor")
}
MATH = SimpleNamespace(
    **ONE,
    pi=math.pi,
    atan2=mp.atan2,
    hypot=lambda x, y: mp.sqrt(mp.mpf(x) ** 2 + mp.mpf(y) ** 2),
    log1p=lambda x: mp.log(1 + mp.mpf(x)),
    copysign=lambda x, y: abs(mp.mpf(x)) * (1 if y >= 0 else -1),
    remainder=lambda x, y: x - y * mp.nint(x / y),
    fmod=lambda x, y: x - y * (mp.floor(x / y) if x / y > 0 else mp.ceil(x / y)),
    factorial=math.factorial,
    modf=lambda x: (x - int(x), mp.mpf(int(x))),
)
NUMPY = SimpleNamespace(
    **ONE,
    pi=math.pi,
    arctan=mp.atan,
    arctan2=mp.atan2,
    arcsinh=mp.asinh,
    square=lambda x: x**2,
    copysign=lambda x, y: abs(mp.mpf(x)) * (1 if y >= 0 else -1),
    degrees=lambda x: x * mp.mpf(180) / mp.pi,
    maximum=lambda x, y: x if x >= y else mp.mpf(y),
    minimum=lambda x, y: x if x <= y else mp.mpf(y),
    prod=lambda xs: mp.fprod(xs),
    hstack=np.concatenate,
    array=exactly,
    asarray=exactly,
    zeros=lambda n: exactly([0.0] * n),
    empty=lambda n: exactly([0.0] * n),
    diag=lambda x: exactly(np.diag(np.array(x, float))),
    concatenate=np.concatenate,
    cross=cross,
    dot=np.dot,
    sum=np.sum,
    linalg=SimpleNamespace(
        norm=lambda u: mp.sqrt(sum(x * x for x in u)),
        solve=solve,
        inv=inverse,
        det=lambda a: mp.det(mp.matrix(a.tolist())),
    ),
    sign=mp.sign,
    abs=abs,
    interp=interp,
    clip=between,
    where=lambda condition, x, y: x if condition else y,
    heaviside=lambda x, half: mp.mpf(half) if x == 0 else mp.mpf(x > 0),
    select=lambda conditions, choices, default: next(
        (y for c, y in zip(conditions, choices, strict=True) if c), default
    ),
    searchsorted=lambda xs, x: int(sum(k < x for k in xs)),
    polyval=lambda c, x: sum(k * x ** (len(c) - 1 - i) for i, k in enumerate(c)),
)
IN_PLACE_OF = {"math": MATH, "numpy": NUMPY, "numba": SimpleNamespace(njit=lambda function: function)}


def load(path: Path) -> ModuleType:
    """The module of a file, with mpmath in the place of math, NumPy and Numba."""
    module = ModuleType(path.stem)

    def found(name, *details):
        return IN_PLACE_OF[name] if name in IN_PLACE_OF else builtins.__import__(name, *details)

    vars(module)["__builtins__"] = vars(builtins) | {"__import__": found, "round": nearest, "pow": lambda x, n: x**n}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    return module


def along(function, place, ways):
    """Rows of a function of numbers at a place, their derivatives along two ways, and the mixed second one; in mpmath.

    Then how much each of these changes per relative change of the arguments, which rounding makes.
    """
    with mp.workdps(DIGITS):
        place, (a, b) = exactly(place), map(exactly, ways)

        def at(s, r, k=0):
            return np.array([mp.mpc(x) for x in function(place * (1 + k * STEP) + s * STEP * a + r * STEP * b)], object)

        def parts(k):
            f, f_a, f_b = (
                at(0, 0, k),
                (at(1, 0, k) - at(-1, 0, k)) / (2 * STEP),
                (at(0, 1, k) - at(0, -1, k)) / (2 * STEP),
            )
            mixed = (at(1, 1, k) - at(1, -1, k) - at(-1, 1, k) + at(-1, -1, k)) / (4 * STEP * STEP)
            return np.array([f, f_a, f_b, mixed], object)

        exact = parts(0)
        return exact, abs(parts(1) - exact) / STEP
