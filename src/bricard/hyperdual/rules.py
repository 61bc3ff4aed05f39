"""The rules of hyper-dual numbers, each once: plain Python calls them, and Numba compiles them.

A rule of one number is a function x -> (f, f', f''). Where a derivative does not exist, or is infinite although f is finite, it
is 0: sqrt, cbrt, x**p, hypot and arctan2 at zero, arcsin and arccos at +-1, abs and sign at 0. Of equal arguments max and min
give the first. A zero direction stays zero whatever it is multiplied with; where a quotient underflows because its divisor is
infinite, its derivatives are 0. docs/functions.md has this table for users.
"""

import math

import numpy as np

from .number import HyperDual

ROOT_PI = 2.0 / math.sqrt(math.pi)
LN_2, LN_10, DEGREE = math.log(2.0), math.log(10.0), math.pi / 180.0
SMALL, LARGE = 1e-290, 1e290  # between these a power keeps all its digits


def times(p, q):
    """p q, where zero times infinity is zero."""
    return 0.0 if p == 0.0 or q == 0.0 else p * q


def compose(f, f1, f2, u):
    """The number f(u), from f and its derivatives at u.x."""
    return HyperDual(f, times(f1, u.a), times(f1, u.b), times(times(f2, u.a), u.b) + times(f1, u.ab))


# Two numbers ---------------------------------------------------------------------------------------------------------------


def add(u, v):
    return HyperDual(u.x + v.x, u.a + v.a, u.b + v.b, u.ab + v.ab)


def subtract(u, v):
    return HyperDual(u.x - v.x, u.a - v.a, u.b - v.b, u.ab - v.ab)


def multiply(u, v):
    return HyperDual(
        u.x * v.x,
        u.a * v.x + u.x * v.a,
        u.b * v.x + u.x * v.b,
        u.ab * v.x + u.a * v.b + u.b * v.a + u.x * v.ab,
    )


def divide(u, v):
    q = u.x / v.x
    if abs(v.x) == np.inf:  # also where v overflowed: its own derivatives are infinite then
        return HyperDual(q, 0.0, 0.0, 0.0)
    a, b = (u.a - q * v.a) / v.x, (u.b - q * v.b) / v.x
    return HyperDual(q, a, b, (u.ab - a * v.b - b * v.a - q * v.ab) / v.x)


def power_of_constant(u, n):
    """u**n of a real exponent."""
    x = u.x
    if n == 2.0:
        return compose(x * x, 2.0 * x, 2.0, u)
    f = np.power(x, n)
    if SMALL < abs(f) < LARGE and SMALL < abs(x) < LARGE:
        f1 = n * (f / x)
        return compose(f, f1, (n - 1.0) * (f1 / x), u)
    f1, f2 = times(n, np.power(x, n - 1.0)), times(n * (n - 1.0), np.power(x, n - 2.0))
    if x == 0.0:
        f1, f2 = f1 if abs(f1) < np.inf else 0.0, f2 if abs(f2) < np.inf else 0.0
    return compose(f, f1, f2, u)


def power(u, v):
    """u**v. A negative u has no power of an exponent that changes."""
    r = power_of_constant(u, v.x)
    if v.a == 0.0 and v.b == 0.0 and v.ab == 0.0:
        return r
    x, n, f = u.x, v.x, r.x
    if x == 0.0 and n > 0.0:
        return r
    log = np.log(x)
    by_n, mixed = times(f, log), np.power(x, n - 1.0) * (1.0 + n * log)
    ab = times(by_n, v.ab) + times(times(times(by_n, log), v.a), v.b)
    ab += times(mixed, u.a * v.b + u.b * v.a)
    return HyperDual(f, r.a + times(by_n, v.a), r.b + times(by_n, v.b), r.ab + ab)


def modulo(u, v):
    """u % v, with the sign of v."""
    m = np.mod(u.x, v.x)
    n = np.rint((u.x - m) / v.x)
    return HyperDual(m, u.a - times(n, v.a), u.b - times(n, v.b), u.ab - times(n, v.ab))


def fmod(u, v):
    """The remainder with the sign of u."""
    m = np.fmod(u.x, v.x)
    n = np.rint((u.x - m) / v.x)
    return HyperDual(m, u.a - times(n, v.a), u.b - times(n, v.b), u.ab - times(n, v.ab))


def remainder(u, v):
    """The remainder of the nearest whole quotient; of the even one where two are as near."""
    x, y = abs(u.x), abs(v.x)
    m = np.fmod(x, y)
    odd = np.fmod(0.5 * (x - m), y) != 0.0
    if m > y - m or (m == y - m and odd):
        m -= y
    m *= np.copysign(1.0, u.x)
    n = np.rint((u.x - m) / v.x)
    return HyperDual(m, u.a - times(n, v.a), u.b - times(n, v.b), u.ab - times(n, v.ab))


def arctan2(u, v):
    f, h = np.arctan2(u.x, v.x), np.hypot(u.x, v.x)
    if h == 0.0 or h == np.inf:
        return HyperDual(f, 0.0, 0.0, 0.0)
    s, c = u.x / h, v.x / h
    # parts along the radius (n) and across it (t), of its length
    n_a, n_b, t_a, t_b = (
        (s * u.a + c * v.a) / h,
        (s * u.b + c * v.b) / h,
        (c * u.a - s * v.a) / h,
        (c * u.b - s * v.b) / h,
    )
    return HyperDual(f, t_a, t_b, (c * u.ab - s * v.ab) / h - t_a * n_b - t_b * n_a)


def hypot(u, v):
    f = np.hypot(u.x, v.x)
    if f == 0.0 or f == np.inf:
        return HyperDual(f, 0.0, 0.0, 0.0)
    c, s = u.x / f, v.x / f
    across = (s * u.a - c * v.a) * ((s * u.b - c * v.b) / f)
    return HyperDual(f, c * u.a + s * v.a, c * u.b + s * v.b, across + c * u.ab + s * v.ab)


def copysign(u, v):
    """|u| with the sign of v."""
    return u if np.signbit(u.x) == np.signbit(v.x) else negative(u)


def first_of_max(u, v):
    """max(u, v) of Python: the first unless the second is larger."""
    return v if v.x > u.x else u


def first_of_min(u, v):
    return v if v.x < u.x else u


def maximum(u, v):
    """As max, but what is no number wins."""
    return v if v.x > u.x or np.isnan(v.x) else u


def minimum(u, v):
    return v if v.x < u.x or np.isnan(v.x) else u


def fmax(u, v):
    """As max, but what is no number loses."""
    return v if v.x > u.x or np.isnan(u.x) else u


def fmin(u, v):
    return v if v.x < u.x or np.isnan(u.x) else u


def floor_divide(u, v):
    """The real number u // v as Python has it, 9 for 1 // 0.1; NumPy's function in Numba rounds the quotient first, to 10."""
    return u.x // v.x if v.x != 0.0 else np.floor_divide(u.x, v.x)


def heaviside(u, v):
    """0, v or 1 for a negative, zero or positive u."""
    return v if u.x == 0.0 else HyperDual(1.0 if u.x > 0.0 else 0.0 * u.x, 0.0, 0.0, 0.0)


# One number: x -> (f, f', f'') ---------------------------------------------------------------------------------------------


def sin(x):
    s = np.sin(x)
    return s, np.cos(x), -s


def cos(x):
    c = np.cos(x)
    return c, -np.sin(x), -c


def tan(x):
    f = np.tan(x)
    f1 = 1.0 + f * f
    return f, f1, 2.0 * f * f1


def exp(x):
    f = np.exp(x)
    return f, f, f


def exp2(x):
    f = np.exp2(x)
    return f, LN_2 * f, LN_2 * LN_2 * f


def expm1(x):
    f = np.exp(x)
    return np.expm1(x), f, f


def log(x):
    f1 = 1.0 / x
    return np.log(x), f1, -f1 * f1


def log2(x):
    f1 = 1.0 / x
    return np.log2(x), f1 / LN_2, -f1 * (f1 / LN_2)


def log10(x):
    f1 = 1.0 / x
    return np.log10(x), f1 / LN_10, -f1 * (f1 / LN_10)


def log1p(x):
    f1 = 1.0 / (1.0 + x)
    return np.log1p(x), f1, -f1 * f1


def sqrt(x):
    f = np.sqrt(x)
    if x == 0.0:
        return f, 0.0, 0.0
    f1 = 0.5 / f
    return f, f1, -0.5 * (f1 / x)


def cbrt(x):
    f = np.cbrt(x)
    if x == 0.0:
        return f, 0.0, 0.0
    f1 = f / x / 3.0
    return f, f1, -2.0 / 3.0 * (f1 / x)


def square(x):
    return x * x, 2.0 * x, 2.0


def sinh(x):
    f = np.sinh(x)
    return f, np.cosh(x), f


def cosh(x):
    f = np.cosh(x)
    return f, np.sinh(x), f


def tanh(x):
    f, s = np.tanh(x), 1.0 / np.cosh(x)  # 1 - f f would lose all digits at large x
    return f, s * s, -2.0 * f * s * s


def arcsin(x):
    f = np.arcsin(x)
    if abs(x) == 1.0:
        return f, 0.0, 0.0
    f1 = 1.0 / np.sqrt((1.0 - x) * (1.0 + x))
    return f, f1, x * f1 * f1 * f1


def arccos(x):
    f = np.arccos(x)
    if abs(x) == 1.0:
        return f, 0.0, 0.0
    f1 = -1.0 / np.sqrt((1.0 - x) * (1.0 + x))
    return f, f1, x * f1 * f1 * f1


def arctan(x):
    f1 = 1.0 / (1.0 + x * x)
    return np.arctan(x), f1, -2.0 * times(x, f1) * f1


def arcsinh(x):
    f1 = 1.0 / np.hypot(1.0, x)
    return np.arcsinh(x), f1, -times(x, f1) * f1 * f1


def arccosh(x):
    f = np.arccosh(x)
    if x == 1.0:
        return f, 0.0, 0.0
    f1 = 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))
    return f, f1, -times(x, f1) * f1 * f1


def arctanh(x):
    f1 = 1.0 / ((1.0 - x) * (1.0 + x))
    return np.arctanh(x), f1, 2.0 * x * f1 * f1


def erf(x):
    f1 = ROOT_PI * np.exp(-x * x)
    return math.erf(x), f1, -2.0 * times(x, f1)


def erfc(x):
    f1 = -ROOT_PI * np.exp(-x * x)
    return math.erfc(x), f1, -2.0 * times(x, f1)


def absolute(x):
    return abs(x), 0.0 if x == 0.0 else (1.0 if x > 0.0 else -1.0), 0.0


def radians(x):
    return DEGREE * x, DEGREE, 0.0


def degrees(x):
    return x / DEGREE, 1.0 / DEGREE, 0.0


def negative(u):
    return HyperDual(-u.x, -u.a, -u.b, -u.ab)


def positive(u):
    return u


def interpolate(x, knots, values):
    """Piecewise linear through points, constant beyond their ends; at a knot the slope of the piece on its right."""
    last = len(knots) - 1
    if x < knots[0]:
        return 1.0 * values[0], 0.0, 0.0
    if x >= knots[last]:
        return 1.0 * values[last], 0.0, 0.0
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if x < knots[middle]:
            high = middle
        else:
            low = middle
    slope = (values[low + 1] - values[low]) / (knots[low + 1] - knots[low])
    return values[low] + slope * (x - knots[low]), slope, 0.0
