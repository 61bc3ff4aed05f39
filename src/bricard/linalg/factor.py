"""Compiled factorisation and solution with a fixed pattern and order: L D L^T for symmetric matrices, L D U for others.

Up-looking, no pivoting: the order (ordering.py) and the regularisation see to it that pivots are sound. Both report weak
pivots (smaller than Matrix.weak) and pivots that vanish or are no number.
"""

import numpy as np

from ..compiled.pointers import compiled
from ..compiled.status import NOT_FINITE, SINGULAR


@compiled
def factorise_symmetric(matrix):
    """L and 1/D of the upper triangle in matrix.a; False when a pivot vanishes or is not a number."""
    a_start, a_row, l_start, l_row = matrix.a_start, matrix.a_row, matrix.l_start, matrix.l_row
    r_start, r_column, weak, report = matrix.r_start, matrix.r_column, matrix.weak, matrix.report
    a, l, d_inverse, values, filled = matrix.a, matrix.l, matrix.d_inverse, matrix.row_values, matrix.filled
    report[0], report[1], report[2] = 0, -1, -1
    for k in range(d_inverse.size):
        filled[k] = l_start[k]
        for p in range(a_start[k], a_start[k + 1]):
            values[a_row[p]] = a[p]
        d = values[k]
        values[k] = 0.0
        for p in range(r_start[k], r_start[k + 1]):
            i = r_column[p]
            value = values[i]
            values[i] = 0.0
            end = filled[i]
            for t in range(l_start[i], end):
                values[l_row[t]] -= l[t] * value
            factor = value * d_inverse[i]
            d -= factor * value
            l[end] = factor
            filled[i] = end + np.uint32(1)
        if not abs(d) > weak[k]:
            report[0] += 1
            report[1] = k if report[1] < 0 else report[1]
            if not abs(d) > 0.0 and report[2] < 0:
                report[2] = k
        d_inverse[k] = 1.0 / d
    return report[2] < 0


@compiled
def solve_symmetric(matrix, b, x):
    """x = A^-1 b in the layout of the unknowns; b and x may be the same array."""
    order, l_start, l_row = matrix.order, matrix.l_start, matrix.l_row
    l, d_inverse, y = matrix.l, matrix.d_inverse, matrix.permuted
    n = d_inverse.size
    for i in range(n):
        y[i] = b[order[i]]
    for i in range(n):
        value = y[i]
        for t in range(l_start[i], l_start[i + 1]):
            y[l_row[t]] -= l[t] * value
    for i in range(n - 1, -1, -1):
        value = y[i] * d_inverse[i]
        for t in range(l_start[i], l_start[i + 1]):
            value -= l[t] * y[l_row[t]]
        y[i] = value
        x[order[i]] = value


@compiled
def factorise(matrix):
    """L, 1/D and U of the unsymmetric matrix in matrix.a; False when a pivot vanishes or is not a number."""
    a_start, a_row, l_start, l_row = matrix.a_start, matrix.a_row, matrix.l_start, matrix.l_row
    r_start, r_column, weak, report = matrix.r_start, matrix.r_column, matrix.weak, matrix.report
    a, l, u, d_inverse, filled = matrix.a, matrix.l, matrix.u, matrix.d_inverse, matrix.filled
    columns, rows = matrix.column_values, matrix.row_values
    lower = a_row.size
    report[0], report[1], report[2] = 0, -1, -1
    for k in range(d_inverse.size):
        filled[k] = l_start[k]
        for p in range(a_start[k], a_start[k + 1]):
            columns[a_row[p]] = a[p]
            rows[a_row[p]] = a[lower + p]
        d = columns[k]
        columns[k] = 0.0
        rows[k] = 0.0
        for p in range(r_start[k], r_start[k + 1]):
            i = r_column[p]
            c, r = columns[i], rows[i]
            columns[i] = 0.0
            rows[i] = 0.0
            end = filled[i]
            for t in range(l_start[i], end):
                j = l_row[t]
                columns[j] -= l[t] * c
                rows[j] -= u[t] * r
            factor = r * d_inverse[i]
            d -= factor * c
            l[end] = factor
            u[end] = c * d_inverse[i]
            filled[i] = end + np.uint32(1)
        if not abs(d) > weak[k]:
            report[0] += 1
            report[1] = k if report[1] < 0 else report[1]
            if not abs(d) > 0.0 and report[2] < 0:
                report[2] = k
        d_inverse[k] = 1.0 / d
    return report[2] < 0


@compiled
def solve(matrix, b, x):
    """x = A^-1 b after factorise(), in the layout of the unknowns; b and x may be the same array."""
    order, l_start, l_row = matrix.order, matrix.l_start, matrix.l_row
    l, u, d_inverse, y = matrix.l, matrix.u, matrix.d_inverse, matrix.permuted
    n = d_inverse.size
    for i in range(n):
        y[i] = b[order[i]]
    for i in range(n):
        value = y[i]
        for t in range(l_start[i], l_start[i + 1]):
            y[l_row[t]] -= l[t] * value
    for i in range(n - 1, -1, -1):
        value = y[i] * d_inverse[i]
        for t in range(l_start[i], l_start[i + 1]):
            value -= u[t] * y[l_row[t]]
        y[i] = value
        x[order[i]] = value


@compiled
def failure(matrix):
    """The status of a factorisation that failed: singular, or fed with numbers that are not finite."""
    pivot = abs(matrix.d_inverse[matrix.report[2]])
    return SINGULAR if pivot == np.inf else NOT_FINITE
