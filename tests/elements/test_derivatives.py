"""Every element: constraint, jacobian, gamma, constraint_velocity, force and tangent against finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import FORCES, MIXED, MIXED_FORCES, PLANAR, PLANAR_FORCES, SAMPLES, SPATIAL, USER_JOINTS, system_of
from states import assert_derivative, by_position, by_time, by_velocity, random_point

from bricard.compiled.interfaces import ENERGY, VELOCITY

few = settings(derandomize=True, max_examples=6, deadline=None)
seeds = st.integers(0, 10**6)
constraints = pytest.mark.parametrize("name", [*SPATIAL, *PLANAR, *MIXED])
forces = pytest.mark.parametrize("name", [*FORCES, *PLANAR_FORCES, *MIXED_FORCES])
everything = pytest.mark.parametrize("name", [name for name in SAMPLES if name not in USER_JOINTS])


def holonomic(system):
    return np.array([not row.velocity_level for row in system.rows], bool)


@constraints
@few
@given(seed=seeds)
def test_jacobian_is_the_derivative_of_the_constraint(name, seed):
    system = system_of(name)
    p, rows = random_point(system, seed), holonomic(system)
    G = system.jacobian(p.t, p.q, p.v).toarray()
    difference = by_position(system, p.q, lambda q: system.constraint(p.t, q))
    assert_derivative(G[rows], difference[rows], system.constraint(p.t, p.q))


@constraints
@few
@given(seed=seeds)
def test_jacobian_is_the_velocity_derivative_of_the_constraint_velocity(name, seed):
    system = system_of(name)
    p = random_point(system, seed)
    difference = by_velocity(p.v, lambda v: system.constraint_velocity(p.t, p.q, v))
    assert_derivative(system.jacobian(p.t, p.q, p.v), difference, system.constraint_velocity(p.t, p.q, p.v))


@constraints
@few
@given(seed=seeds)
def test_constraint_velocity_is_the_time_derivative_of_the_constraint(name, seed):
    system = system_of(name)
    p, rows = random_point(system, seed), holonomic(system)
    difference = by_time(system, p, system.constraint)
    given_rate = system.constraint_velocity(p.t, p.q, p.v)
    assert_derivative(given_rate[rows], difference[rows], system.constraint(p.t, p.q))


@constraints
@few
@given(seed=seeds)
def test_gamma_is_minus_the_acceleration_at_constant_velocity(name, seed):
    system = system_of(name)
    p = random_point(system, seed)
    difference = by_time(system, p, lambda t, q: system.constraint_velocity(t, q, p.v))
    size = system.constraint_velocity(p.t, p.q, p.v)
    gamma = system.gamma(p.t, p.q, p.v)
    np.testing.assert_allclose(gamma, -difference, rtol=0, atol=1e-8 * max(1.0, np.abs(size).max()))


@constraints
@few
@given(seed=seeds)
def test_rate_is_the_position_derivative_of_the_constraint_velocity(name, seed):
    system = system_of(name)
    p = random_point(system, seed)
    rate = system.tangent(p.t, p.q, p.v, p.a, p.lam).rate
    difference = by_position(system, p.q, lambda q: system.constraint_velocity(p.t, q, p.v))
    assert_derivative(rate, difference, system.constraint_velocity(p.t, p.q, p.v), truncation=100.0)


@everything
@few
@given(seed=seeds)
def test_K_is_the_position_derivative_of_the_residual(name, seed):
    system = system_of(name)
    p = random_point(system, seed)

    def residual(q):
        reaction = system.jacobian(p.t, q, p.v).T @ p.lam
        return system.mass(q) @ p.a + reaction - system.force(p.t, q, p.v)

    K = system.tangent(p.t, p.q, p.v, p.a, p.lam).K
    assert_derivative(K, by_position(system, p.q, residual), residual(p.q), truncation=100.0)


@everything
@few
@given(seed=seeds)
def test_D_is_minus_the_velocity_derivative_of_the_force(name, seed):
    system = system_of(name)
    p = random_point(system, seed)
    D = system.tangent(p.t, p.q, p.v, p.a, p.lam).D
    difference = by_velocity(p.v, lambda v: -system.force(p.t, p.q, v))
    assert_derivative(D, difference, system.force(p.t, p.q, p.v))


@forces
@few
@given(seed=seeds)
def test_power_of_the_forces_is_accounted_for(name, seed):
    """f.v = -dV/dt + power of what is not conservative; the gyroscopic torque does no work."""
    system = system_of(name)
    p = random_point(system, seed)

    def energies(t, q):
        return system.evaluated(t, q, p.v, VELOCITY | ENERGY).energy.copy()

    power = system.force(p.t, p.q, p.v) @ p.v
    stored = by_time(system, p, energies)[0]
    size = [power, *energies(p.t, p.q)]
    assert_derivative(power - energies(p.t, p.q)[1], -stored, size)


def test_residual_and_jacobian_of_a_users_joint_agree():
    plain, with_jacobian = system_of("user joint"), system_of("user joint with Jacobian")
    p = random_point(plain, 1)
    G, given_G = (s.jacobian(p.t, p.q).toarray() for s in (plain, with_jacobian))
    np.testing.assert_allclose(given_G, G, rtol=0, atol=1e-14)


# in relative coordinates the entries of bodies are carried along the ways of the tree; those of joints that are cut stay
relative = pytest.mark.parametrize(
    ("name", "swapped"), [(name, swapped) for name in SAMPLES if name not in USER_JOINTS for swapped in (False, True)]
)


@relative
def test_derivatives_in_relative_coordinates(name, swapped):
    """G, phi' and gamma of the rows, and K and D of all elements, whichever way round they were declared."""
    system = system_of(name, swapped, "relative")
    p = random_point(system, 1)
    rate = system.constraint_velocity(p.t, p.q, p.v)
    G, rows = system.jacobian(p.t, p.q, p.v), holonomic(system)
    by_q = by_position(system, p.q, lambda q: system.constraint(p.t, q)).reshape(-1, system.n_v)
    assert_derivative(G.toarray()[rows], by_q[rows], system.constraint(p.t, p.q))
    by_v = by_velocity(p.v, lambda v: system.constraint_velocity(p.t, p.q, v)).reshape(-1, system.n_v)
    assert_derivative(G, by_v, rate)
    if name != "user joint with Jacobian":
        change = by_time(system, p, lambda t, q: system.constraint_velocity(t, q, p.v))
        size = 1.0 + np.abs([*change, *rate]).max(initial=0.0)
        np.testing.assert_allclose(system.gamma(p.t, p.q, p.v), -change, rtol=0, atol=2e-8 * size)

    def residual(q, v=p.v):
        reaction = system.jacobian(p.t, q, v).T @ p.lam
        return system.mass(q) @ p.a + reaction - system.force(p.t, q, v)

    tangent = system.tangent(p.t, p.q, p.v, p.a, p.lam)
    assert_derivative(tangent.K, by_position(system, p.q, residual), residual(p.q), truncation=100.0)
    force = system.force(p.t, p.q, p.v)
    assert_derivative(tangent.D, by_velocity(p.v, lambda v: -system.force(p.t, p.q, v)), force)
