"""Orthonormal bases in a metric and their derivative: spec 002, sections 2 and 3."""

import numpy as np
import pytest

from bricard.linalg.orthonormal import (
    basis_rate,
    best_coordinates,
    cholesky,
    from_metric,
    orthonormalise,
    to_metric,
)


def decomposed(P, M):
    """Q, R (by rows) and W (columns) of P = M W R, made by the package."""
    n = len(M)
    L, Q, R, scratch = np.tril(M), P.T.copy(), np.zeros((n, n)), np.zeros((4, n))
    assert cholesky(L, n)
    to_metric(L, n, Q, len(Q))
    for i in range(len(Q)):
        orthonormalise(Q, R, i, i, scratch)
    W = Q.copy()
    from_metric(L, n, W, len(W))
    return L, Q, R, W.T


def rate(P, P_dot, M, M_dot, m):
    """The rows d of S, (k, n), made by the package, for P' that vanishes but in the first m columns."""
    _, _, R, W = decomposed(P, M)
    k, N = len(M) - m, W.T @ M_dot @ W
    S = np.zeros((k, len(M)))
    S[:, :m] = W[:, m:].T @ P_dot[:, :m]
    basis_rate(R, m, k, S, np.ascontiguousarray(N[m:]))
    return S


def closed_form(P, P_dot, M, M_dot):
    """All of S by spec 002, section 2.4, in NumPy."""
    _, _, R, W = decomposed(P, M)
    X, N = W.T @ P_dot @ np.linalg.inv(R.T), W.T @ M_dot @ W
    S = np.tril(X - N, -1) - 0.5 * np.diag(np.diag(N))
    return S + np.triu(-N - S.T, 1)


def example(t):
    M = np.array([[2 + t, 0.5, 0.1 * t], [0.5, 1.5, 0.2], [0.1 * t, 0.2, 1 + 0.5 * t * t]])
    P = np.array([[np.cos(t), 0, 0], [1, 1, 0], [t, 0, 1.0]])
    return P, M


def example_rates(t):
    P_dot, M_dot = np.zeros((3, 3)), np.array([[1, 0, 0.1], [0, 0, 0], [0.1, 0, t]])
    P_dot[:, 0] = -np.sin(t), 0.0, 1.0
    return P_dot, M_dot


def test_reference_example_of_the_basis_and_its_derivative():
    """Spec 002, section 2.5."""
    P, M = example(0.5)
    P_dot, M_dot = example_rates(0.5)
    _, _, R, W = decomposed(P, M)
    expected_R = [
        [0.958458770626, 0.566664664750, 0.352039317157],
        [0, 0.640271870609, -0.504575465888],
        [0, 0, 0.729411423060],
    ]
    expected_W = [
        [0.245873672368, -0.442105568767, -0.415579943549],
        [0.566664664750, 0.640271870609, 0.0],
        [0.352039317157, -0.504575465888, 0.729411423060],
    ]
    expected_W_dot = [
        [-0.372281676661, 0.507830963574, -0.538772781766],
        [-0.090693010870, 0.055394942871, 0.0],
        [0.700875297184, -0.416879550858, -0.911666926460],
    ]
    expected_S = [
        [-0.069865571561, 0.305301359255, -0.968900374006],
        [-0.079814001723, -0.183685329495, 0.857513239008],
        [0.939385532668, -0.845943351169, -0.189050724961],
    ]
    np.testing.assert_allclose(R.T, expected_R, rtol=0, atol=1e-11)
    np.testing.assert_allclose(W, expected_W, rtol=0, atol=1e-11)
    S = closed_form(P, P_dot, M, M_dot)
    np.testing.assert_allclose(S, expected_S, rtol=0, atol=1e-11)
    np.testing.assert_allclose(W @ S, expected_W_dot, rtol=0, atol=1e-11)
    for m in (1, 2):
        np.testing.assert_allclose(rate(P, P_dot, M, M_dot, m), np.array(expected_S)[m:], rtol=0, atol=1e-11)


def random_family(n, m, seed):
    """P(t) = [C(t) | E], M(t) with their derivatives."""
    rng = np.random.default_rng(seed)
    C = rng.normal(size=(3, n, m))
    E, B = rng.normal(size=(n, n - m)), rng.normal(size=(3, n, n))

    def at(t):
        D = B[0] + np.sin(t) * B[1] + t * B[2]
        P = np.hstack([C[0] + np.sin(2 * t) * C[1] + t * t * C[2], E])
        return P, D @ D.T + n * np.eye(n)

    def rates(t):
        D, D_dot = B[0] + np.sin(t) * B[1] + t * B[2], np.cos(t) * B[1] + B[2]
        P_dot = np.hstack([2 * np.cos(2 * t) * C[1] + 2 * t * C[2], 0 * E])
        return P_dot, D_dot @ D.T + D @ D_dot.T

    return at, rates


def recursion(P, P_dot, M, M_dot):
    """W' by the recursion of spec 002, section 2.3, with its corrections."""
    n = len(M)
    inverse = np.linalg.inv(M)
    inverse_dot = -inverse @ M_dot @ inverse
    W, V, W_dot, V_dot = (np.zeros((n, n)) for _ in range(4))  # V are the covariant vectors
    for i in range(n):
        p, p_dot = P[:, i], P_dot[:, i]
        r, r_dot = W[:, :i].T @ p, W_dot[:, :i].T @ p + W[:, :i].T @ p_dot
        v, v_dot = p - V[:, :i] @ r, p_dot - V[:, :i] @ r_dot - V_dot[:, :i] @ r
        size = np.sqrt(v @ inverse @ v)
        growth = 2 * p @ inverse @ p_dot + p @ inverse_dot @ p - 2 * r @ r_dot
        V[:, i], V_dot[:, i] = v / size, v_dot / size - 0.5 * v * growth / size**3
        W[:, i], W_dot[:, i] = inverse @ V[:, i], inverse_dot @ V[:, i] + inverse @ V_dot[:, i]
    return W_dot


@pytest.mark.parametrize("seed", range(3))
def test_derivative_of_the_basis(seed):
    """Closed form, recursion and differences of sixth order agree; the package gives the rows d of S."""
    at, rates = random_family(7, 3, seed)
    t, h = 0.4, 1e-3
    W, S = decomposed(*at(t))[3], closed_form(at(t)[0], rates(t)[0], at(t)[1], rates(t)[1])
    difference = sum(
        c * (decomposed(*at(t + j * h))[3] - decomposed(*at(t - j * h))[3]) / (60 * h)
        for j, c in ((1, 45), (2, -9), (3, 1))
    )
    size = np.abs(difference).max()
    np.testing.assert_allclose(W @ S, difference, rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(
        W @ S, recursion(at(t)[0], rates(t)[0], at(t)[1], rates(t)[1]), rtol=0, atol=1e-11 * size
    )
    found = rate(at(t)[0], rates(t)[0], at(t)[1], rates(t)[1], 3)
    np.testing.assert_allclose(found, S[3:], rtol=0, atol=1e-11 * np.abs(S).max())


def test_hilbert_matrix():
    """A basis of ten nearly parallel vectors: re-orthogonalised, it is orthonormal to round-off."""
    n = 10
    P = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    M = np.diag(np.linspace(1.0, 5.0, n))
    W = decomposed(P, M)[3]
    np.testing.assert_allclose(W.T @ M @ W, np.eye(n), rtol=0, atol=1e-14)


def test_choice_of_coordinates_with_deflation():
    """Spec 002, section 3: the two with the largest shares are parallel; with deflation 1 and 3 are picked."""
    n, m = 5, 3
    G = np.array([[1.0, -1, 0, 0, 0], [0, 0, 1, -1, 0], [0, 0, 0, 1, -1]])
    assert np.linalg.matrix_rank(np.vstack([G, np.eye(n)[:2]])) == 4
    L, Q, R, _ = decomposed(np.hstack([G.T, np.eye(n)[:, 3:]]), np.eye(n))
    order = np.zeros(n, np.uint32)
    smallest = best_coordinates(L, n, m, 2, Q, R, np.zeros((n, n)), np.zeros((4, n)), order)
    assert order.tolist() == [1, 0, 2, 0, 0]
    assert smallest == pytest.approx(1 / 3, abs=1e-14)
