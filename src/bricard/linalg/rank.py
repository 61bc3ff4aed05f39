"""Rank decisions on scaled matrices: singular values, dependent rows in their given order."""

import numpy as np

RELATIVE = 3e-5  # a smaller share of the largest singular value counts as zero, as for the solver (regularise.WEAK)


def singular_values(matrix):
    """Singular values of a dense matrix, descending."""
    return np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)


def rank(values, relative=RELATIVE):
    """Number of singular values that count."""
    return int(np.sum(values > relative * values[0])) if values.size and values[0] > 0.0 else 0


def dependent_rows(matrix, relative=RELATIVE):
    """Rows that are combinations of the rows before them: Gram-Schmidt, twice for safety."""
    basis, found = np.zeros((0, matrix.shape[1])), []
    for i, row in enumerate(matrix):
        size = np.linalg.norm(row)
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        left = np.linalg.norm(rest)
        if size == 0.0 or left <= relative * max(size, 1.0):
            found.append(i)
        else:
            basis = np.vstack([basis, rest / left])
    return found
