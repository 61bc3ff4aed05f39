"""Sparse matrices with a fixed pattern: where every entry goes, and the memory for the factors."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled.pointers import compiled
from ..compiled.records import ComplexMatrix, Matrix


class Pattern(NamedTuple):
    """Pattern of the factors of a structurally symmetric matrix of `size`, in elimination order.

    `order[i]` is the unknown eliminated as the i-th, `place` its inverse. Column i of L (and row i of U) has its entries at
    l_row[l_start[i] : l_start[i + 1]], ascending. target, t_start: see Matrix. `keys` are the sorted codes of these entries.
    """

    size: int
    order: np.ndarray
    place: np.ndarray
    keys: np.ndarray
    l_start: np.ndarray
    l_row: np.ndarray
    target: np.ndarray
    t_start: np.ndarray

    def slots(self, rows, columns, valid=None):
        """Places of the entries (rows, columns) in Matrix.a; entries that are not `valid` go to the last place."""
        rows, columns = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        valid = np.ones(rows.size, bool) if valid is None else np.asarray(valid)
        if not rows.size or not self.size:
            return np.zeros(rows.size, np.uint32)
        first = self.order[0]
        i, j = self.place[np.where(valid, rows, first)], self.place[np.where(valid, columns, first)]
        low, high = np.minimum(i, j), np.maximum(i, j)
        count = self.l_row.size
        found = np.searchsorted(self.keys, low * self.size + high)
        inside = np.where(i == j, i, self.size + found + np.where(i > j, count, 0))
        return np.where(valid, inside, self.size + 2 * count).astype(np.uint32)


def pattern(rows, columns, order, layout):
    """The pattern of a matrix with entries at (rows, columns), symmetrised, with a full diagonal.

    order : the unknowns in the order of their elimination; layout : length of the vectors that hold the unknowns.
    """
    size = order.size
    place = np.zeros(layout, np.int64)
    place[order] = np.arange(size)
    i, j = place[rows], place[columns]
    entries = np.unique(np.maximum(i, j) * size + np.minimum(i, j))
    start = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(entries // size, minlength=size), out=start[1:])
    l_start, l_row = _symbolic(start, entries % size)
    keys = np.repeat(np.arange(size), np.diff(l_start)) * size + l_row
    t_start = np.zeros(size + 1, np.int64)
    np.cumsum(np.diff(l_start) ** 2, out=t_start[1:])
    return Pattern(size, order, place, keys, l_start, l_row, _targets(l_start, l_row, t_start), t_start)


@compiled
def _symbolic(a_start, a_row):
    """Pattern of L by columns, rows ascending, from the upper triangle by columns."""
    n = a_start.size - 1
    parent, seen, l_start = np.full(n, -1), np.full(n, -1), np.zeros(n + 1, np.int64)
    for k in range(n):
        seen[k] = k
        for p in range(a_start[k], a_start[k + 1]):
            i = a_row[p]
            while seen[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                l_start[i + 1] += 1
                seen[i] = k
                i = parent[i]
    filled = np.zeros(n, np.int64)
    for k in range(n):
        filled[k] = l_start[k]
        l_start[k + 1] += l_start[k]
        seen[k] = -1
    l_row = np.zeros(l_start[n], np.int64)
    for k in range(n):
        seen[k] = k
        for p in range(a_start[k], a_start[k + 1]):
            i = a_row[p]
            while seen[i] != k:
                l_row[filled[i]] = k
                filled[i] += 1
                seen[i] = k
                i = parent[i]
    return l_start, l_row


@compiled
def _targets(l_start, l_row, t_start):
    """Where the product of entry i of column k of L and entry j of row k of U is subtracted, for all k, i, j."""
    n, count = l_start.size - 1, l_row.size
    target = np.zeros(t_start[n], np.uint32)
    for k in range(n):
        first, m = l_start[k], l_start[k + 1] - l_start[k]
        for i in range(m):
            row = l_row[first + i]
            target[t_start[k] + m * i + i] = row
            p = l_start[row]
            for j in range(i + 1, m):
                while l_row[p] != l_row[first + j]:
                    p += 1
                target[t_start[k] + m * i + j] = n + p
                target[t_start[k] + m * j + i] = n + count + p
    return target


def index(values):
    """An array of indices as compiled code wants it."""
    return np.ascontiguousarray(values, np.uint32)


def matrix(pattern, layout, weak=None, dtype: type = float) -> Any:
    """The record of a matrix with this pattern; `weak` (per unknown, in `layout`) are the limits of weak pivots."""
    by_column = np.argsort(pattern.l_row, kind="stable")  # entries (row k of U, column j), sorted by column
    r_row = (np.repeat(np.arange(pattern.size), np.diff(pattern.l_start)))[by_column]
    r_start = np.concatenate([[0], np.cumsum(np.bincount(pattern.l_row, minlength=pattern.size))])
    return (Matrix if dtype is float else ComplexMatrix)(
        order=index(pattern.order),
        l_start=index(pattern.l_start),
        l_row=index(pattern.l_row),
        r_start=index(r_start),
        r_row=index(r_row),
        r_place=index(pattern.size + by_column),
        target=pattern.target,
        t_start=pattern.t_start,
        weak=np.zeros(pattern.size) if weak is None else np.ascontiguousarray(weak[pattern.order]),
        a=np.zeros(pattern.size + 2 * pattern.l_row.size + 1, dtype),
        permuted=np.zeros(layout, dtype),
        report=np.zeros(6, np.int64),
    )


def no_pattern(layout):
    """The pattern of a matrix that is never factorised."""
    none, zero = np.zeros(0, np.int64), np.zeros(1, np.int64)
    return Pattern(0, none, np.zeros(layout, np.int64), none, zero, none, np.zeros(0, np.uint32), zero)


def empty_matrix(dtype: type = float) -> Any:
    """A matrix of size zero, for records that need none."""
    return matrix(no_pattern(0), 0, dtype=dtype)
