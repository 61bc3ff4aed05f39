"""Compiled factorisation and solution with a fixed pattern and order, in place: L U, or U^T D^-1 U for symmetric matrices.

Right-looking, no pivoting: the order (ordering.py) and the regularisation see to it that pivots are sound. The places that a
pivot's products are subtracted from are known beforehand (Matrix.target), so there is no search and no scattering. All
factorisations leave inverse pivots on the diagonal, report weak ones (smaller than Matrix.weak), and those that vanish or
are no number. The elimination is written out in each of them: as a function of its own it costs 30 to 50 % more. Solving goes
by columns in both directions: sums along rows would wait for each other.
"""

import numpy as np

from ..compiled.pointers import compiled
from ..compiled.status import NOT_FINITE, SINGULAR

UNSIGNED = np.uint64  # unsigned indices need no test for negative ones
ONE = np.uint64(1)
UNSYMMETRIC = 5  # of Matrix.report: 1 where the factors are those of an unsymmetric matrix


@compiled
def note_pivot(d, k, weak, report):
    """Count a weak pivot; remember the first that vanishes or is not a number."""
    if not abs(d) > weak[k]:
        report[0] += 1
        report[4] += 1
        report[1] = k if report[1] < 0 else report[1]
        if not abs(d) > 0.0 and report[2] < 0:
            report[2] = k


@compiled
def factorise_symmetric(matrix):
    """Factors of the symmetric matrix whose diagonal and upper part are in matrix.a; False when a pivot vanishes."""
    l_start, target, t_start, a = matrix.l_start, matrix.target, matrix.t_start, matrix.a
    weak, report, n = matrix.weak, matrix.report, UNSIGNED(matrix.l_start.size - 1)
    report[0], report[1], report[2] = 0, -1, -1
    report[3] += 1
    report[UNSYMMETRIC] = 0
    for k in range(n):
        note_pivot(a[k], k, weak, report)
        inverse, first, last = 1.0 / a[k], UNSIGNED(l_start[k]), UNSIGNED(l_start[k + ONE])
        a[k] = inverse
        row = UNSIGNED(t_start[k]) - first  # place of the pair (first, first) in `target`
        for i in range(first, last):
            factor = a[n + i] * inverse
            for j in range(i, last):
                a[target[row + j]] -= factor * a[n + j]
            row += last - first
    return report[2] < 0


@compiled
def factorise_selecting(matrix, offset, natural, epsilon, dependent, limit, left_out):
    """As factorise_symmetric(), leaving out rows that depend on those before them; False when a pivot vanishes.

    Unknowns from `offset` on in the layout are constraint rows, with their natural sizes and epsilon. At most `limit` rows whose
    pivots fall below `dependent` times the limit of weak ones get the epsilon `left_out` times the natural size, at once:
    dividing by the round-off that such a pivot consists of would spoil all later ones.
    """
    l_start, target, t_start, a, order = matrix.l_start, matrix.target, matrix.t_start, matrix.a, matrix.order
    weak, report, n, count = matrix.weak, matrix.report, UNSIGNED(matrix.l_start.size - 1), 0
    report[0], report[1], report[2] = 0, -1, -1
    report[3] += 1
    report[UNSYMMETRIC] = 0
    for k in range(n):
        if order[k] >= offset and count < limit:
            i = order[k] - offset
            if not abs(a[k]) > dependent * weak[k]:
                epsilon[i] = left_out * natural[i]
                a[k] = -epsilon[i]
                count += 1
        note_pivot(a[k], k, weak, report)
        inverse, first, last = 1.0 / a[k], UNSIGNED(l_start[k]), UNSIGNED(l_start[k + ONE])
        a[k] = inverse
        row = UNSIGNED(t_start[k]) - first
        for i in range(first, last):
            factor = a[n + i] * inverse
            for j in range(i, last):
                a[target[row + j]] -= factor * a[n + j]
            row += last - first
    return report[2] < 0


@compiled
def solve_symmetric(matrix, b, x):
    """x = A^-1 b after factorise_symmetric(), in the layout of the unknowns; b and x may be the same array."""
    order, l_start, l_row, a, y = matrix.order, matrix.l_start, matrix.l_row, matrix.a, matrix.permuted
    r_start, r_row, r_place, n = matrix.r_start, matrix.r_row, matrix.r_place, UNSIGNED(matrix.l_start.size - 1)
    for i in range(n):
        y[i] = b[order[i]]
    for k in range(n):
        value = y[k] * a[k]
        for p in range(UNSIGNED(l_start[k]), UNSIGNED(l_start[k + ONE])):
            y[l_row[p]] -= a[n + p] * value
    for i in range(n):
        k = n - ONE - i
        value = y[k] * a[k]
        for p in range(UNSIGNED(r_start[k]), UNSIGNED(r_start[k + ONE])):
            y[r_row[p]] -= a[r_place[p]] * value
        x[order[k]] = value


@compiled
def factorise(matrix):
    """Factors of the matrix in matrix.a; False when a pivot vanishes or is not a number."""
    l_start, target, t_start, a = matrix.l_start, matrix.target, matrix.t_start, matrix.a
    weak, report, n = matrix.weak, matrix.report, UNSIGNED(matrix.l_start.size - 1)
    lower = n + UNSIGNED(matrix.l_row.size)
    report[0], report[1], report[2] = 0, -1, -1
    report[3] += 1
    report[UNSYMMETRIC] = 1
    for k in range(n):
        note_pivot(a[k], k, weak, report)
        inverse, first, last = 1.0 / a[k], UNSIGNED(l_start[k]), UNSIGNED(l_start[k + ONE])
        a[k] = inverse
        row = UNSIGNED(t_start[k]) - first
        for i in range(first, last):
            factor = a[lower + i] * inverse
            a[lower + i] = factor
            for j in range(first, last):
                a[target[row + j]] -= factor * a[n + j]
            row += last - first
    return report[2] < 0


@compiled
def solve(matrix, b, x):
    """x = A^-1 b after factorise(), in the layout of the unknowns; b and x may be the same array."""
    order, l_start, l_row, a, y = matrix.order, matrix.l_start, matrix.l_row, matrix.a, matrix.permuted
    r_start, r_row, r_place, n = matrix.r_start, matrix.r_row, matrix.r_place, UNSIGNED(matrix.l_start.size - 1)
    lower = n + UNSIGNED(matrix.l_row.size)
    for i in range(n):
        y[i] = b[order[i]]
    for k in range(n):
        value = y[k]
        for p in range(UNSIGNED(l_start[k]), UNSIGNED(l_start[k + ONE])):
            y[l_row[p]] -= a[lower + p] * value
    for i in range(n):
        k = n - ONE - i
        value = y[k] * a[k]
        for p in range(UNSIGNED(r_start[k]), UNSIGNED(r_start[k + ONE])):
            y[r_row[p]] -= a[r_place[p]] * value
        x[order[k]] = value


@compiled
def failure(matrix):
    """The status of a factorisation that failed: singular, or fed with numbers that are not finite."""
    pivot = abs(matrix.a[matrix.report[2]])
    return SINGULAR if pivot == np.inf else NOT_FINITE
