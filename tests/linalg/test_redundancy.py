"""Redundant rows: accelerations are those of a dense pseudo-inverse, reactions the smallest ones in scaled rows."""

import numpy as np
import pytest

from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.build import build
from mechanisms import four_bar, rssr, six_bar


def dense(system, state):
    """Acceleration and the multipliers of smallest norm in scaled rows, by dense least squares."""
    G, M = system.jacobian(state.t, state.q).toarray(), system.mass(state.q).toarray()
    f, gamma = system.force(state.t, state.q, state.v), system.gamma(state.t, state.q, state.v)
    inverse, scale = np.linalg.inv(M), system.record.row_scale
    S = (G * scale[:, None]) @ inverse @ (G * scale[:, None]).T
    scaled = np.linalg.pinv(S, rcond=1e-9, hermitian=True) @ (scale * (G @ inverse @ f - gamma))
    lam = scale * scaled
    return inverse @ (f - G.T @ lam), lam


def started(mechanism):
    system = build(mechanism())
    return system, assemble(system)


@pytest.mark.parametrize("mechanism", [four_bar, rssr, six_bar])
def test_accelerations(mechanism):
    system, state = started(mechanism)
    expected, _ = dense(system, state)
    np.testing.assert_allclose(state.a, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("mechanism", [four_bar, rssr, six_bar])
def test_multipliers_are_the_smallest(mechanism):
    """Rounding in the redundant directions is divided by the regularisation of 1e-10."""
    system, state = started(mechanism)
    _, expected = dense(system, state)
    np.testing.assert_allclose(state.lam, expected, rtol=0, atol=np.finfo(float).eps / 1e-10 * np.abs(expected).max())


def test_null_space_share_of_the_reactions_vanishes_along_a_motion():
    solution = simulate(four_bar(), 0.3, formulation="index1", integrator="rk4", step=0.003, output=6)
    system = solution.system
    for t, q, lam in zip(solution.t, solution.q, solution.reaction_multipliers, strict=True):
        G, scale = system.jacobian(t, q).toarray(), system.record.row_scale
        left = np.linalg.svd((G * scale[:, None]).T)[2][np.linalg.matrix_rank(G) :]
        assert left.shape[0] == 3
        assert np.abs(left @ (lam / scale)).max() <= 1e-6 * np.abs(lam / scale).max()


def test_flags_of_uniqueness():
    """All hinges of a 3-D four-bar share the redundancy; those of the spatial one are determined."""
    ambiguous, unique = (simulate(m(), 0.01, step=0.005) for m in (four_bar, rssr))
    assert not any(ambiguous.reaction(name).unique for name in "ABCD")
    assert all(unique.reaction(name).unique for name in "ABCD")
