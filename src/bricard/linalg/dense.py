"""Dense matrices of a system in scaled rows and columns, for methods that use LAPACK.

Rows are made dimensionless by row_scale, velocities are v = sqrt(W) v^ with the metric W (1 for translations, 1/length^2 for
turns), so that all v^ have the unit of a translation: rank decisions and smallest solutions do not depend on units.
"""

import math

import numpy as np

from ..compiled.pointers import compiled


@compiled
def scaled_rows(system, work):
    """G^ = S G sqrt(W), (n_rows, n_v)."""
    g, g_row, g_column, n_v = work.g, system.g_row, system.g_column, system.n_v
    scale, metric, rows = system.row_scale, system.metric, np.zeros((system.n_rows, n_v))
    for e in range(g.size):
        if g_column[e] < n_v:
            rows[g_row[e], g_column[e]] += scale[g_row[e]] * g[e] * math.sqrt(metric[g_column[e]])
    return rows


@compiled
def mean_mass(system, work):
    """Mean of the diagonal of M^ = sqrt(W) M sqrt(W)."""
    m, m_row, m_column, metric, trace = work.m, system.m_row, system.m_column, system.metric, 0.0
    for e in range(m.size):
        if m_row[e] == m_column[e]:
            trace += m[e] * metric[m_row[e]]
    return trace / system.n_v


@compiled
def finite(matrix):
    """Whether all entries are finite: LAPACK is not to be asked otherwise."""
    total = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            total += 0.0 * matrix[i, j]
    return total == 0.0


@compiled
def discard(values, count, round_off):
    """Sets to zero the eigenvalues that are not to be divided by: `count` of smallest size, and those that are smaller than
    `round_off` times the largest. (formulations/pseudo_inverse_1.py says why.)"""
    largest, left = 0.0, count
    for k in range(values.size):
        largest = max(largest, abs(values[k]))
        left -= 1 if values[k] == 0.0 else 0
    for _ in range(left):
        smallest = -1
        for k in range(values.size):
            if values[k] != 0.0 and (smallest < 0 or abs(values[k]) < abs(values[smallest])):
                smallest = k
        if smallest >= 0:
            values[smallest] = 0.0
    for k in range(values.size):
        if not abs(values[k]) > round_off * largest:
            values[k] = 0.0


@compiled
def pseudo_solve(values, vectors, b, x):
    """x = A^+ b with the eigenvalues (zero: discarded) and eigenvectors (columns) of a symmetric A."""
    n = values.size
    for i in range(n):
        x[i] = 0.0
    for k in range(n):
        if values[k] != 0.0:
            share = 0.0
            for i in range(n):
                share += vectors[i, k] * b[i]
            share /= values[k]
            for i in range(n):
                x[i] += share * vectors[i, k]
