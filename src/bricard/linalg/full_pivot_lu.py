"""LU factorisation of a dense m x n matrix with full pivoting: rank, redundant rows, dependent and independent columns.

    P A Q = [L 0; S I] [U R; 0 D],   D below the tolerance

The basic columns, in which pivots were found, belong to dependent coordinates, the others to independent ones; the influence
matrix H = -U^-1 R gives a change of the former by one of the latter. Reference: Wehage and Haug, J. Mech. Design 104 (1982)
247-255; spec 000, section 2.1.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from ..compiled.pointers import compiled

TOLERANCE = 1e-10  # of the first pivot: a residual block below it counts as zero


class FullPivotLU(NamedTuple):
    """The factors of A (m, n) with rank r.

    pivots : (r,) in the order in which they were found. rows (m,), columns (n,) : the permutations, A[rows][:, columns] is
    factorised. L : (m, r) unit lower trapezoidal. U : (r, r) upper triangular. R : (r, n - r).
    """

    pivots: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    L: np.ndarray
    U: np.ndarray
    R: np.ndarray

    @property
    def rank(self):
        """Number of pivots."""
        return self.pivots.size

    @property
    def redundant(self):
        """Rows that depend on the others, ascending."""
        return np.sort(self.rows[self.rank :])

    @property
    def dependent(self):
        """Columns with a pivot, in the order of the pivots."""
        return self.columns[: self.rank]

    @property
    def independent(self):
        """Columns without a pivot, ascending."""
        return np.sort(self.columns[self.rank :])

    @property
    def influence(self):
        """H (r, n - r) = -U^-1 R: the dependent coordinates, in the order of `dependent`, per change of columns[r:]."""
        return -solve_triangular(self.U, self.R)


def full_pivot_lu(matrix, tolerance=TOLERANCE):
    """Factorise a matrix (m, n); `tolerance` is relative to the first pivot."""
    a = np.array(matrix, float, order="C")
    m, n = a.shape
    rows, columns = np.arange(m), np.arange(n)
    r = eliminate(a, rows, columns, 0, m, tolerance)
    lower = np.tril(a[:, :r], -1)
    lower[np.arange(r), np.arange(r)] = 1.0
    return FullPivotLU(np.diag(a)[:r].copy(), rows, columns, lower, np.triu(a[:r, :r]), a[:r, r:].copy())


@compiled
def largest(a, i, first):
    """The largest |a[i, j]| from j = `first` on, and its j."""
    best, where = 0.0, first
    for j in range(first, a.shape[1]):
        if abs(a[i, j]) > best:
            best, where = abs(a[i, j]), j
    return best, where


@compiled
def eliminate(a, rows, columns, start, stop, tolerance):
    """Eliminate with pivots from rows `start` to `stop` of a, in place; rows after them are updated too. The rank so far.

    Pivots before `start` are done. rows, columns : what stands where in a; they follow the exchanges. (It allocates.)
    """
    m, n = a.shape
    best, where = np.zeros(stop), np.zeros(stop, np.int64)  # of each row: only rows that change are searched again
    limit = 0.0
    for i in range(start, stop):
        best[i], where[i] = largest(a, i, start)
        limit = max(limit, tolerance * best[i])
    for k in range(start, min(stop, n)):
        p = k
        for i in range(k + 1, stop):
            if best[i] > best[p]:
                p = i
        if not best[p] > limit:
            return k
        q = where[p]
        for j in range(n):
            a[k, j], a[p, j] = a[p, j], a[k, j]
        for i in range(m):
            a[i, k], a[i, q] = a[i, q], a[i, k]
        rows[k], rows[p] = rows[p], rows[k]
        columns[k], columns[q] = columns[q], columns[k]
        best[p], where[p] = best[k], where[k]
        for i in range(k + 1, m):
            if i < stop and where[i] == k:
                where[i] = q
            if a[i, k] != 0.0:
                factor = a[i, k] / a[k, k]
                a[i, k] = factor
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
                if i < stop:
                    best[i], where[i] = largest(a, i, k + 1)
    return min(stop, n)
