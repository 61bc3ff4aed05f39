"""Coefficients of methods that solve several stages together, as exact fractions until the last moment.

With stages at t + c_i h and increments Z_i = y_i - y, every such method says what y' is there:

    h y'_i = sum_j slope_ij Z_j + start_i h y'(t)

Radau IIA (collocation): the c_i are the roots of P_s - P_(s-1), P being Legendre's polynomials on [0, 1]; slope
differentiates the polynomial through all points, start = 0. Generalised Adams: points c_i = i/s; each y_i - y_(i-1) is the
integral of the polynomial through k + 1 neighbouring y', which lie as symmetrically about that interval as the block allows;
slope and start come from solving for y'. Newton's method is decoupled by the eigenvalues of slope: a real one, the rest
conjugate pairs.
Reference: Hairer and Wanner, Solving ODEs II (1996), sections IV.5 and IV.8; Brugnano and Trigiante, Solving Differential
Problems by Multistep Initial and Boundary Value Methods (1998), chapters 6 and 11.
"""

from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np

DIGITS = 10**40  # irrational numbers are rounded to 40 digits
MIDDLE = 0.6  # of a step: where its Jacobian is taken


class Stages(NamedTuple):
    """Coefficients of one method with s stages (s odd). Compiled code takes it as a global."""

    c: np.ndarray  # (s) times of the stages, the last one 1
    slope: np.ndarray  # (s, s)
    start: np.ndarray  # (s)
    begin: np.ndarray  # (s) weights of Z in h y'(t) by the polynomial through all points
    middle: int  # stage at which the Jacobian is taken
    real: float  # the real eigenvalue of slope
    pairs: np.ndarray  # ((s - 1)/2) eigenvalues with positive imaginary part
    into: (
        np.ndarray
    )  # (s, s) rows: of the real eigenvalue, then real and imaginary parts of each pair; the inverse is `back`
    back: np.ndarray  # (s, s)


def decoupled(c, slope, start, begin):
    """The Stages of a method from its coefficients, with the transformation to one real and complex systems."""
    slope = np.array(slope, float)
    values, vectors = np.linalg.eig(slope)
    inverse = np.linalg.inv(vectors)
    real = int(np.argmin(np.abs(np.imag(values))))
    pairs = [k for k in np.argsort(-np.real(values)) if np.imag(values[k]) > 1e-6]
    into, back = [np.real(inverse[real])], [np.real(vectors[:, real])]
    for k in pairs:
        into += [np.real(inverse[k]), np.imag(inverse[k])]
        back += [2.0 * np.real(vectors[:, k]), -2.0 * np.imag(vectors[:, k])]
    times = np.array(c, float)
    return Stages(
        c=times,
        slope=slope,
        start=np.array(start, float),
        begin=np.array(begin, float),
        middle=int(np.argmin(np.abs(times - MIDDLE))),
        real=float(np.real(values[real])),
        pairs=values[pairs].copy(),
        into=np.array(into),
        back=np.array(back).T.copy(),
    )


def differentiated(points, x):
    """Weights with which values at `points` give the derivative of their polynomial at the point x, which is one of them."""
    weights = []
    for p in points:
        others = [r for r in points if r != p]
        if p == x:
            weights.append(sum(1 / (x - r) for r in others))
            continue
        weight = 1 / (p - x)
        for r in others:
            weight *= 1 if r == x else (x - r) / (p - r)
        weights.append(weight)
    return weights


def integrated(points, a, b):
    """Weights with which values at `points` give the integral of their polynomial from a to b."""
    weights = []
    for p in points:
        polynomial = [Fraction(1)]
        for r in points:
            if r != p:
                shifted = [Fraction(0), *polynomial]
                polynomial = [(s - r * q) / (p - r) for s, q in zip(shifted, [*polynomial, Fraction(0)], strict=True)]
        weights.append(sum(q * (b ** (n + 1) - a ** (n + 1)) / (n + 1) for n, q in enumerate(polynomial)))
    return weights


def radau_points(s):
    """The roots of P_s - P_(s-1) in [0, 1], to 40 digits."""

    def legendre(n):
        return [Fraction((-1) ** (n + k) * comb(n, k) * comb(n + k, k)) for k in range(n + 1)]

    polynomial = [a - b for a, b in zip(legendre(s), [*legendre(s - 1), Fraction(0)], strict=True)]
    slope = [k * a for k, a in enumerate(polynomial)][1:]
    points = []
    for root in sorted(np.roots([float(a) for a in polynomial[::-1]]).real):
        x = Fraction(float(root))
        for _ in range(3):  # Newton's method doubles the digits
            x -= sum(a * x**k for k, a in enumerate(polynomial)) / sum(a * x**k for k, a in enumerate(slope))
            x = Fraction(round(x * DIGITS), DIGITS)
        points.append(x)
    return points


def radau(s):
    """Radau IIA with s stages, order 2 s - 1."""
    c = radau_points(s)
    points = [Fraction(0), *c]
    slope = [differentiated(points, x)[1:] for x in c]
    return decoupled(c, slope, [0] * s, differentiated(points, Fraction(0))[1:])


def adams_weights(k, s):
    """(s, s + 1): weights of y' at the points 0 .. s in y_i - y, in steps; formulas of k + 1 points."""
    total, rows = [Fraction(0)] * (s + 1), []
    for i in range(1, s + 1):
        first = min(max(i - k // 2, 0), s - k)
        points = [Fraction(first + j) for j in range(k + 1)]
        for j, weight in enumerate(integrated(points, Fraction(i - 1), Fraction(i))):
            total[first + j] += weight
        rows.append(list(total))
    return rows


def generalised_adams(k, s):
    """Generalised Adams method of order k + 1 in blocks of s points."""
    weights = np.array([[float(x / s) for x in row] for row in adams_weights(k, s)])
    slope = np.linalg.inv(weights[:, 1:])
    points = [Fraction(i, s) for i in range(s + 1)]
    return decoupled(points[1:], slope, -slope @ weights[:, 0], differentiated(points, Fraction(0))[1:])
