"""d(G v)/dq of users' joints: it may have entries where G has none, because turns do not commute."""

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
