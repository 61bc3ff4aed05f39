"""Ordinary differential equations in long arithmetic: the extrapolated midpoint rule of Gragg, Bulirsch and Stoer.

Numbers are gmpy2.mpfr with the precision of the current context. A result is taken twice, with different steps and columns, and
the difference says how good it is.
"""

from __future__ import annotations

import mpmath as mp
from gmpy2 import get_context, mpfr

DIGITS = 40
get_context().precision = int(DIGITS * 3.33)
mp.mp.dps = DIGITS


def midpoint(f, t, y, h, n):
    """n substeps of the midpoint rule over h."""
    d = h / n
    before, now = y, [a + d * b for a, b in zip(y, f(t, y), strict=True)]
    for k in range(1, n):
        slope = f(t + k * d, now)
        before, now = now, [a + 2 * d * b for a, b in zip(before, slope, strict=True)]
    slope = f(t + h, now)
    return [(a + b + d * c) / 2 for a, b, c in zip(before, now, slope, strict=True)]


def march(f, y, end, steps, columns):
    """State at the time `end`, from t = 0."""
    end = mpfr(end)
    h = end / steps
    counts = [2 * (k + 1) for k in range(columns)]
    y = [mpfr(x) for x in y]
    for i in range(steps):
        table = []
        for j, n in enumerate(counts):
            table.append([midpoint(f, i * h, y, h, n)])
            for k in range(j):
                ratio = (mpfr(n) / counts[j - k - 1]) ** 2 - 1
                fine, coarse = table[j][k], table[j - 1][k]
                table[j].append([a + (a - b) / ratio for a, b in zip(fine, coarse, strict=True)])
        y = table[-1][-1]
    return y


def certain(f, y, end, steps, columns=14):
    """State at the time `end` as mpmath numbers, and the largest difference from a run with other steps and columns."""
    one, two = march(f, y, end, steps, columns), march(f, y, end, steps * 4 // 3, columns + 1)
    gap = max(abs(a - b) / max(abs(b), mpfr("1e-3")) for a, b in zip(one, two, strict=True))
    return [mp.mpf(str(x)) for x in two], float(gap)
