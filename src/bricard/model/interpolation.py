"""Piecewise cubics through points: twice continuous for motion in time, free of overshoot for force laws.

A piecewise cubic is given by its knots x (n,) and coefficients c (n-1, 4): the value in the interval i is
c0 + c1 s + c2 s^2 + c3 s^3 with s = x - x_i. Beyond the ends it goes on along its end tangents.
References: C. de Boor, A Practical Guide to Splines, Springer 1978, chapter IV (not-a-knot ends);
F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304, doi:10.1137/0905021 (monotone slopes).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks

__all__ = ["checked_points", "evaluate", "integrals", "monotone", "spline"]


def checked_points(x: object, y: object, where: str, names: tuple[str, str]) -> tuple[tuple[float, ...], ...]:
    """Return both coordinates as tuples: at least two points, x strictly increasing."""
    across, values = checks.numbers(x, f"{where}: {names[0]}", 2), checks.numbers(y, f"{where}: {names[1]}", 2)
    if len(across) != len(values):
        raise ModelError(f"{where}: {len(across)} values of {names[0]}, but {len(values)} of {names[1]}.")
    for before, after in pairwise(across):
        if after <= before:
            raise ModelError(f"{where}: {names[0]} must increase strictly, but {after:g} follows {before:g}.")
    return across, values


def spline(x: Sequence[float], y: Sequence[float]) -> np.ndarray:
    """Return the coefficients (n-1, 4) of the twice continuous cubic through the points, not-a-knot at its ends."""
    t, f = np.array(x, dtype=float), np.array(y, dtype=float)
    h, n = np.diff(t), len(t)
    secant = np.diff(f) / h
    if n == 2:
        return _coefficients(f, h, secant, np.array([secant[0], secant[0]]))
    if n == 3:  # the parabola
        curve = (secant[1] - secant[0]) / (h[0] + h[1])
        return _coefficients(
            f, h, secant, np.array([secant[0] - curve * h[0], secant[0] + curve * h[0], secant[1] + curve * h[1]])
        )
    lower, diagonal, upper, right = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    lower[1:-1], diagonal[1:-1], upper[1:-1] = h[1:], 2.0 * (h[:-1] + h[1:]), h[:-1]
    right[1:-1] = 3.0 * (h[1:] * secant[:-1] + h[:-1] * secant[1:])
    for end, (h0, h1), (s0, s1) in ((0, h[:2], secant[:2]), (-1, h[:-3:-1], secant[:-3:-1])):
        diagonal[end] = h1
        (upper if end == 0 else lower)[end] = h0 + h1
        right[end] = ((h0 + 2.0 * (h0 + h1)) * h1 * s0 + h0**2 * s1) / (h0 + h1)
    for i in range(1, n):
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i - 1]
        right[i] -= factor * right[i - 1]
    slopes = right / diagonal
    for i in range(n - 2, -1, -1):
        slopes[i] = (right[i] - upper[i] * slopes[i + 1]) / diagonal[i]
    return _coefficients(f, h, secant, slopes)


def monotone(x: Sequence[float], y: Sequence[float]) -> np.ndarray:
    """Return the coefficients (n-1, 4) of the once continuous cubic that rises and falls only where the points do."""
    f, h = np.array(y, dtype=float), np.diff(np.array(x, dtype=float))
    secant = np.diff(f) / h
    slopes = np.concatenate([secant[:1], np.zeros(len(h) - 1), secant[-1:]])
    for i in range(1, len(h)):
        if secant[i - 1] * secant[i] > 0.0:
            before, after = h[i - 1] + 2.0 * h[i], 2.0 * h[i - 1] + h[i]
            slopes[i] = (before + after) / (before / secant[i - 1] + after / secant[i])
    return _coefficients(f, h, secant, slopes)


def evaluate(knots: Sequence[float], coefficients: np.ndarray, x: float) -> float:
    """Return the value of a piecewise cubic at x."""
    inside = min(max(x, knots[0]), knots[-1])
    i = min(max(int(np.searchsorted(knots, inside, side="right")) - 1, 0), len(knots) - 2)
    c0, c1, c2, c3 = coefficients[i].tolist()
    s = inside - knots[i]
    tangent = c1 + s * (2.0 * c2 + s * 3.0 * c3)
    return c0 + s * (c1 + s * (c2 + s * c3)) + tangent * (x - inside)


def integrals(knots: Sequence[float], coefficients: np.ndarray) -> np.ndarray:
    """Return the integral (n,) of a piecewise cubic from its first knot to each."""
    h = np.diff(np.array(knots, dtype=float))[:, None]
    pieces = (coefficients * h ** np.arange(1, 5) / np.arange(1, 5)).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(pieces)])


def _coefficients(f: np.ndarray, h: np.ndarray, secant: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Cubic Hermite pieces from the values f and the slopes at the knots."""
    left, right = slopes[:-1], slopes[1:]
    return np.column_stack(
        [f[:-1], left, (3.0 * secant - 2.0 * left - right) / h, (left + right - 2.0 * secant) / h**2]
    )
