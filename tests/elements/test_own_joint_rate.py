"""Users' joints: d(G v)/dq may have entries where G has none; a Jacobian of the user's changes nothing but the accuracy."""

import numpy as np
import pytest
from samples import system_of
from states import assert_derivative, by_position, random_point


@pytest.mark.parametrize("name", ["user joint", "user joint with Jacobian"])
def test_rate(name):
    system = system_of(name)
    p = random_point(system, 0)
    rate = system.tangent(p.t, p.q, p.v, p.a, p.lam).rate
    difference = by_position(system, p.q, lambda q: system.jacobian(p.t, q, p.v) @ p.v)
    assert_derivative(rate, difference, system.constraint_velocity(p.t, p.q, p.v), truncation=100.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("quantity", ["gamma", "constraint_velocity"])
def test_a_users_jacobian_gives_what_the_residual_gives(quantity, seed):
    """A Jacobian of the user's replaces G, and nothing else: both are exact to rounding."""
    by_residual, by_jacobian = system_of("user joint"), system_of("user joint with Jacobian")
    p = random_point(by_residual, seed)
    expected, found = (getattr(system, quantity)(p.t, p.q, p.v) for system in (by_residual, by_jacobian))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * (1 + np.abs(expected).max()))
