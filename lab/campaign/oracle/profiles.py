"""Profiles of time and laws of forces, from their declarations (dicts)."""

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from .. import functions


class Profile:
    """A function of time with two derivatives; `breaks` are the times at which a higher derivative jumps."""

    def __init__(self, value, first, second, breaks=()):
        self.value, self.first, self.second, self.breaks = value, first, second, tuple(breaks)


def profile(table):
    """The Profile of a declaration: a number, or a dict with the key `profile`."""
    if not isinstance(table, dict):
        return Profile(lambda t: table, lambda t: 0.0, lambda t: 0.0)
    return PROFILES[table["profile"]](table)


def _sine(p):
    w = 2.0 * np.pi * p["frequency"]
    phase, size = p.get("phase", 0.0), p["amplitude"]
    return Profile(
        lambda t: p.get("offset", 0.0) + size * np.sin(w * t + phase),
        lambda t: size * w * np.cos(w * t + phase),
        lambda t: -size * w * w * np.sin(w * t + phase),
    )


def _polynomial(p):
    c = np.polynomial.Polynomial(p["coefficients"])
    return Profile(c, c.deriv(1), c.deriv(2))


def _tabulated(p):
    c = CubicSpline(p["time"], p["value"], bc_type="not-a-knot")
    return Profile(c, c.derivative(1), c.derivative(2), p["time"])


def _smooth_step(p):
    """From start to end with a polynomial of fifth degree, still at both ends."""
    begin, width, height = p["t_start"], p["t_end"] - p["t_start"], p["end"] - p["start"]
    shape = np.polynomial.Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
    parts = [shape, shape.deriv(1), shape.deriv(2)]

    def at(k):
        return lambda t: (
            height * parts[k](min(max((t - begin) / width, 0.0), 1.0)) / width**k + (p["start"] if k == 0 else 0.0)
        )

    return Profile(at(0), at(1), at(2), (begin, p["t_end"]))


def _function(p):
    """Derivatives by Cauchy's integral over a small circle."""
    function = getattr(functions, p["function"])
    r, points = 1e-2, np.exp(2j * np.pi * np.arange(12) / 12)

    def derivative(t, k):
        values = np.array([function(t + r * z) for z in points])
        return float((values * points**-k).mean().real) * (1, 1, 2)[k] / r**k

    return Profile(function, lambda t: derivative(t, 1), lambda t: derivative(t, 2))


PROFILES = {
    "constant": lambda p: profile(p["value"]),
    "sine": _sine,
    "polynomial": _polynomial,
    "tabulated": _tabulated,
    "smooth_step": _smooth_step,
    "function": _function,
}


def law(table):
    """The force (t, x, x') of a declaration with the key `law`, and the times at which it has a kink."""
    return LAWS[table["law"]](table)


def _linear(p):
    return (lambda t, x, rate: -p["stiffness"] * (x - p["free"]) - p["damping"] * rate), ()


def _table(p):
    """A cubic without overshoot: slopes by the formula of Fritsch and Butland, those of the secants at the ends."""
    x, y = np.array(p["x"]), np.array(p["force"])
    h, secant = np.diff(x), np.diff(y) / np.diff(x)
    slope = np.concatenate([secant[:1], np.zeros(len(h) - 1), secant[-1:]])
    for i in range(1, len(h)):
        if secant[i - 1] * secant[i] > 0.0:
            w, u = h[i - 1] + 2.0 * h[i], 2.0 * h[i - 1] + h[i]
            slope[i] = (w + u) / (w / secant[i - 1] + u / secant[i])
    curve = CubicHermiteSpline(x, y, slope)

    def force(t, s, rate):
        inside = min(max(s, x[0]), x[-1])
        end = slope[0] if s < x[0] else slope[-1]
        return float(curve(inside)) + end * (s - inside) - p["damping"] * rate

    return force, ()


def _time(p):
    of_time = profile(p["profile"])
    return (lambda t, x, rate: of_time.value(t)), of_time.breaks


def _law_function(p):
    function = getattr(functions, p["function"]) if "function" in p else functions.LAWS[p["potential"]]
    return (lambda t, x, rate: float(np.real(function(t, x, rate)))), ()


LAWS = {"linear": _linear, "table": _table, "time": _time, "function": _law_function}
