"""Orthonormal bases of the null space of a dense matrix A (m, n) with independent rows: k = n - m directions, as rows.

All of them span the same space and differ in cost and in the choice of directions within it:

    qr              one QR factorisation of A^T: the cheapest
    svd             singular values of A; tells how far from singular it is
    zero_eigenvalue eigenvectors of A^T A to its zero eigenvalues; squares the condition number
    schur           real Schur form of A^T A, the same squared
    householder     QR of A^T in the axes of the basis before: directions change continuously with A

`previous` is the full orthogonal matrix (n, n) that the last call returned, or None; each function returns the new one, its
last k columns being the basis. Spec 003, section 4; spec 004, section 1.5.
"""

from typing import Any

import numpy as np
from scipy import linalg

ORTHONORMAL = 1e-12  # error of the length of a vector at which a product of reflections is orthonormalised


def qr(a, previous=None) -> Any:
    """A^T = [Q1 Q2] [R; 0]: Q2."""
    return linalg.qr(a.T, check_finite=False)[0]


def svd(a, previous=None) -> Any:
    """A = U [S 0] [V1 V2]^T: V2."""
    return linalg.svd(a, check_finite=False)[2].T


def zero_eigenvalue(a, previous=None) -> Any:
    """A^T A = T diag(lambda) T^T: the eigenvectors to the smallest lambda."""
    return linalg.eigh(a.T @ a, check_finite=False)[1][:, ::-1]


def schur(a, previous=None) -> Any:
    """A^T A = K S K^T, S diagonal as A^T A is symmetric: the Schur vectors to its smallest entries."""
    form, vectors = linalg.schur(a.T @ a, check_finite=False)
    return vectors[:, np.argsort(-np.abs(np.diag(form)), kind="stable")]


def householder(a, previous=None) -> Any:
    """Q_old^T A^T = H [R; 0], Q = Q_old H: the reflections H hardly touch directions that are null vectors still."""
    if previous is None:
        return qr(a)
    if not a.size:  # nothing to reflect at
        return previous
    n = previous.shape[0]
    if abs(np.linalg.norm(previous.sum(axis=1)) / np.sqrt(n) - 1.0) > ORTHONORMAL:
        q, r = linalg.qr(previous, check_finite=False)
        previous = q * np.sign(np.diag(r))
    reflections, factors = linalg.qr((a @ previous).T, mode="raw", check_finite=False)[0]
    room = int(linalg.lapack.dormqr("R", "N", reflections, factors, previous, -1)[1][0])
    return linalg.lapack.dormqr("R", "N", reflections, factors, previous, room)[0]
