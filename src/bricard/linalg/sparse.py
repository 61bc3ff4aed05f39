"""Sparse matrices with a fixed pattern: where every entry goes, and the memory for the factors."""

from typing import NamedTuple

import numpy as np

from ..compiled.pointers import compiled
from ..compiled.records import ComplexMatrix, Matrix


class Pattern(NamedTuple):
    """Pattern of a structurally symmetric matrix of `size` in elimination order, and of its factors.

    Upper triangle by columns (diagonal included): a_start, a_row. Factor L by columns: l_start, l_row, by rows: r_start,
    r_column. `order[i]` is the unknown eliminated as the i-th, `place` its inverse; `keys` are the sorted codes of the
    entries, for looking places up.
    """

    size: int
    order: np.ndarray
    place: np.ndarray
    keys: np.ndarray
    a_start: np.ndarray
    a_row: np.ndarray
    l_start: np.ndarray
    l_row: np.ndarray
    r_start: np.ndarray
    r_column: np.ndarray

    def slots(self, rows, columns, valid=None):
        """Places of the entries (rows, columns) in Matrix.a; entries that are not `valid` go to the last place."""
        rows, columns = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        valid = np.ones(rows.size, bool) if valid is None else np.asarray(valid)
        i, j = self.place[np.where(valid, rows, self.order[0])], self.place[np.where(valid, columns, self.order[0])]
        low, high = np.minimum(i, j), np.maximum(i, j)
        found = np.searchsorted(self.keys, high * self.size + low)
        count = self.keys.size
        return np.where(valid, found + np.where(i > j, count, 0), 2 * count).astype(np.uint32)


def pattern(rows, columns, order, layout):
    """The pattern of a matrix with entries at (rows, columns), symmetrised, with a full diagonal.

    order : the unknowns in the order of their elimination; layout : length of the vectors that hold the unknowns.
    """
    size = order.size
    place = np.zeros(layout, np.int64)
    place[order] = np.arange(size)
    i, j = place[np.concatenate([rows, order])], place[np.concatenate([columns, order])]
    keys = np.unique(np.maximum(i, j) * size + np.minimum(i, j))
    a_start = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(keys // size, minlength=size), out=a_start[1:])
    a_row = keys % size
    factor = _symbolic(a_start, a_row)
    return Pattern(size, order, place, keys, a_start, a_row, *factor)


@compiled
def _symbolic(a_start, a_row):
    """Pattern of L from the upper triangle: l_start, l_row by columns and r_start, r_column by rows, both ascending."""
    n = a_start.size - 1
    parent, seen, l_start = np.full(n, -1), np.full(n, -1), np.zeros(n + 1, np.int64)
    count = 0
    for k in range(n):
        seen[k] = k
        for p in range(a_start[k], a_start[k + 1]):
            i = a_row[p]
            while seen[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                l_start[i + 1] += 1
                count += 1
                seen[i] = k
                i = parent[i]
    for k in range(n):
        l_start[k + 1] += l_start[k]
        seen[k] = -1
    l_row, r_column = np.zeros(count, np.int64), np.zeros(count, np.int64)
    r_start, filled = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    for k in range(n):
        filled[k] = l_start[k]
    for k in range(n):
        r_start[k + 1] = r_start[k]
        seen[k] = k
        for p in range(a_start[k], a_start[k + 1]):
            i = a_row[p]
            while seen[i] != k:
                l_row[filled[i]] = k
                filled[i] += 1
                r_start[k + 1] += 1
                seen[i] = k
                i = parent[i]
    for k in range(n):
        filled[k] = r_start[k]
    for i in range(n):
        for p in range(l_start[i], l_start[i + 1]):
            k = l_row[p]
            r_column[filled[k]] = i
            filled[k] += 1
    return l_start, l_row, r_start, r_column


def index(values):
    """An array of indices as compiled code wants it."""
    return np.ascontiguousarray(values, np.uint32)


def matrix(pattern, layout, weak=None, dtype=float):
    """The record of a matrix with this pattern; `weak` (per unknown, in `layout`) are the limits of weak pivots."""
    n, count = pattern.size, pattern.l_row.size
    zeros = lambda size: np.zeros(size, dtype)
    return (Matrix if dtype is float else ComplexMatrix)(
        order=index(pattern.order),
        a_start=index(pattern.a_start),
        a_row=index(pattern.a_row),
        l_start=index(pattern.l_start),
        l_row=index(pattern.l_row),
        r_start=index(pattern.r_start),
        r_column=index(pattern.r_column),
        weak=np.zeros(n) if weak is None else np.ascontiguousarray(weak[pattern.order]),
        a=zeros(2 * pattern.keys.size + 1),
        l=zeros(count),
        u=zeros(count),
        d_inverse=zeros(n),
        row_values=zeros(n),
        column_values=zeros(n),
        filled=np.zeros(n, np.uint32),
        permuted=zeros(layout),
        report=np.zeros(3, np.int64),
    )


def empty_matrix(dtype=float):
    """A matrix of size zero, for records that need none."""
    none = np.zeros(0, np.int64)
    nothing = Pattern(0, none, none, none, np.zeros(1, np.int64), none, np.zeros(1), none, np.zeros(1), none)
    return matrix(nothing, 0, dtype=dtype)
