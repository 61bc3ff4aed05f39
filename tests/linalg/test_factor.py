"""Sparse L D L^T and L D U with a fixed pattern against SciPy, on random KKT matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from bricard.compiled.handles import pack
from bricard.linalg import sparse
from bricard.linalg.factor import factorise, factorise_symmetric, solve, solve_symmetric
from bricard.linalg.ordering import elimination_order

few = settings(derandomize=True, max_examples=10, deadline=None)
seeds = st.integers(0, 10**6)


def random_kkt(seed, unsymmetric=False):
    """[A G^T; G 0] of a random chain of bodies and joints with extra loops; and the nodes for the elimination order."""
    rng = np.random.default_rng(seed)
    bodies, rows = int(rng.integers(3, 12)), 2
    joints = [(i, i + 1) for i in range(bodies - 1)] + [(0, bodies - 1)] * (bodies > 4)
    size, n = 3, 3 * bodies
    A = np.zeros((n, n))
    for b in range(bodies):
        block = rng.normal(size=(size, size))
        A[size * b : size * b + size, size * b : size * b + size] = block @ block.T + np.eye(size)
    G = np.zeros((rows * len(joints), n))
    for j, pair in enumerate(joints):
        for b in pair:
            G[rows * j : rows * (j + 1), size * b : size * (b + 1)] = rng.normal(size=(rows, size))
    K = np.block([[A, G.T], [G, np.zeros((len(G), len(G)))]])
    if unsymmetric:
        K = np.where(K != 0, K + 0.1 * rng.normal(size=K.shape), 0.0)
    neighbours = [set() for _ in range(bodies + len(joints))]
    for j, pair in enumerate(joints):
        for b in pair:
            neighbours[b].add(bodies + j)
            neighbours[bodies + j].add(b)
    sizes = [size] * bodies + [rows] * len(joints)
    is_constraint = [False] * bodies + [True] * len(joints)
    nodes = elimination_order(sizes, is_constraint, neighbours)
    start = np.concatenate([[0], np.cumsum(sizes)])
    order = np.concatenate([np.arange(start[k], start[k + 1]) for k in nodes])
    return K, order, rng


def filled(K, order, dtype=float):
    """The record of the matrix K, its entries put into their places."""
    rows, columns = np.nonzero(K)
    pattern = sparse.pattern(rows, columns, order, len(K))
    matrix = sparse.matrix(pattern, len(K), dtype=dtype)
    matrix.a[pattern.slots(rows, columns)] = K[rows, columns]
    return matrix, pattern


def residual(K, x, b):
    return np.abs(K @ x - b).max() / (np.abs(K).max() * np.abs(x).max() * len(K))


@few
@given(seed=seeds)
def test_symmetric_solve(seed):
    K, order, rng = random_kkt(seed)
    matrix, _ = filled(K, order)
    packed, b, x = pack(matrix), rng.normal(size=len(K)), np.zeros(len(K))
    assert factorise_symmetric(packed)
    solve_symmetric(packed, b, x)
    expected = splu(csc_array(K)).solve(b)
    np.testing.assert_allclose(x, expected, rtol=0, atol=1e-14 * np.linalg.cond(K) * np.abs(expected).max() * len(K))


@few
@given(seed=seeds)
def test_order_keeps_elimination_without_pivoting_stable(seed):
    """Backward stable: the residual is that of rounding, with a growth factor that stays moderate."""
    K, order, rng = random_kkt(seed)
    packed, b, x = pack(filled(K, order)[0]), rng.normal(size=len(K)), np.zeros(len(K))
    factorise_symmetric(packed)
    solve_symmetric(packed, b, x)
    assert residual(K, x, b) <= 1e-12


@few
@given(seed=seeds)
def test_unsymmetric_solve(seed):
    K, order, rng = random_kkt(seed, unsymmetric=True)
    packed, b, x = pack(filled(K, order)[0]), rng.normal(size=len(K)), np.zeros(len(K))
    assert factorise(packed)
    solve(packed, b, x)
    expected = np.linalg.solve(K, b)
    np.testing.assert_allclose(x, expected, rtol=0, atol=1e-13 * np.linalg.cond(K) * np.abs(expected).max() * len(K))


@few
@given(seed=seeds)
def test_complex_solve(seed):
    K, order, rng = random_kkt(seed, unsymmetric=True)
    K = K * (1 + 0.3j) + 0.2j * np.diag(np.diag(K))
    packed = pack(filled(K, order, complex)[0])
    b, x = rng.normal(size=len(K)) + 1j * rng.normal(size=len(K)), np.zeros(len(K), complex)
    assert factorise(packed)
    solve(packed, b, x)
    expected = np.linalg.solve(K, b)
    np.testing.assert_allclose(x, expected, rtol=0, atol=1e-13 * np.linalg.cond(K) * np.abs(expected).max() * len(K))


def test_solution_may_overwrite_the_right_hand_side():
    K, order, rng = random_kkt(1)
    packed, b = pack(filled(K, order)[0]), rng.normal(size=len(K))
    expected = np.linalg.solve(K, b)
    factorise_symmetric(packed)
    solve_symmetric(packed, b, b)
    np.testing.assert_allclose(b, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def dense_factors(K, order):
    """L and D of the permuted matrix by dense elimination."""
    P = K[np.ix_(order, order)].copy()
    n = len(P)
    for k in range(n):
        P[k + 1 :, k] /= P[k, k]
        P[k + 1 :, k + 1 :] -= np.outer(P[k + 1 :, k], P[k, k + 1 :])
    return np.tril(P, -1), np.diag(P)


@few
@given(seed=seeds)
def test_pattern_of_the_factor_has_room_for_all_of_it(seed):
    K, order, _ = random_kkt(seed)
    _, pattern = filled(K, order)
    L, _ = dense_factors(K, order)
    allowed = np.zeros(L.shape, bool)
    for column in range(pattern.size):
        allowed[pattern.l_row[pattern.l_start[column] : pattern.l_start[column + 1]], column] = True
    assert np.abs(L[~allowed]).max(initial=0.0) <= 1e-12 * np.abs(L).max()


def test_vanishing_pivot_is_reported():
    K = np.array([[0.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    matrix, _ = filled(K, np.arange(3))
    assert not factorise_symmetric(pack(matrix))
    assert matrix.report[2] == 0


def test_not_a_number_is_reported():
    matrix, _ = filled(np.diag([1.0, np.nan, 2.0]), np.arange(3))
    assert not factorise_symmetric(pack(matrix))
    assert matrix.report[2] == 1


@pytest.mark.parametrize(("limit", "weak"), [(1e-6, 0), (1e-2, 1)])
def test_weak_pivots_are_counted(limit, weak):
    K = np.diag([1.0, 1e-4, 2.0])
    rows, columns = np.nonzero(K)
    pattern = sparse.pattern(rows, columns, np.arange(3), 3)
    matrix = sparse.matrix(pattern, 3, weak=np.full(3, limit))
    matrix.a[pattern.slots(rows, columns)] = K[rows, columns]
    assert factorise_symmetric(pack(matrix))
    assert matrix.report[0] == weak


def test_entries_without_a_place_go_to_the_last_one():
    pattern = sparse.pattern(np.array([0, 1]), np.array([1, 2]), np.arange(3), 3)
    slots = pattern.slots([0, 0], [1, 1], [True, False])
    assert slots[1] == sparse.matrix(pattern, 3).a.size - 1 != slots[0]
