"""Rank decisions on scaled matrices: singular values, dependent rows in their given order."""

import numpy as np

RELATIVE = 3e-5  # a smaller share of the largest singular value counts as zero, as for the solver (regularise.WEAK)


def singular_values(matrix):
    """Singular values of a dense matrix, descending."""
    return np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)


def rank(values, natural=0.0, relative=RELATIVE):
    """Number of singular values that count, beside the largest of them or the `natural` size of a row, where that is larger."""
    return int(np.sum(values > relative * max(values[0], natural))) if values.size and values[0] > 0.0 else 0


def dependent_rows(matrix, natural, relative=RELATIVE):
    """Rows that are combinations of the rows before them: Gram-Schmidt, twice for safety. natural (m,): sizes of rows."""
    basis, found = np.zeros((0, matrix.shape[1])), []
    for i, row in enumerate(matrix):
        size = np.linalg.norm(row)
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        left = np.linalg.norm(rest)
        if size == 0.0 or left <= relative * max(size, natural[i]):
            found.append(i)
        else:
            basis = np.vstack([basis, rest / left])
    return found
