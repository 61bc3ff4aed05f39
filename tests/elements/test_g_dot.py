"""dG/dt and dM/dt along a motion against finite differences: every joint, driver and nonholonomic row, and functions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import MIXED, PLANAR, SPATIAL, system_of
from states import Point, assert_derivative, random_point

from bricard.compiled.interfaces import G_DOT
from bricard.system.system import System

H = 1e-4
few = settings(derandomize=True, max_examples=6, deadline=None)
seeds = st.integers(0, 10**6)
# the row "nonholonomic" is not linear in the velocities: its A changes with v'
constraints = pytest.mark.parametrize("name", [n for n in (*SPATIAL, *PLANAR, *MIXED) if n != "nonholonomic"])


def g_dot(system, p):
    return system.jacobian_rate(p.t, p.q, p.v).toarray()


def along_the_motion(system, p, function):
    """d/ds function(t + s, q o exp(s v)) at s = 0, by differences of fourth order."""

    def at(s):
        return function(p.t + s, system.retract(p.q, s * p.v)).toarray()

    return (8 * (at(H) - at(-H)) - (at(2 * H) - at(-2 * H))) / (12 * H)


@constraints
@few
@given(seed=seeds)
def test_g_dot_is_the_derivative_of_the_jacobian_along_the_motion(name, seed):
    system = system_of(name)
    p = random_point(system, seed)
    difference = along_the_motion(system, p, lambda t, q: system.jacobian(t, q, p.v))
    # rounding of differences with h = 1e-4, and of those that a user's joint takes itself
    np.testing.assert_allclose(g_dot(system, p), difference, rtol=0, atol=1e-10 * (1 + np.abs(difference).max()))


@constraints
def test_g_dot_gives_gamma_of_rows_that_do_not_depend_on_time(name):
    """gamma = -dG/dt v - dPhi_t/dt; the second part from differences."""
    system = system_of(name)
    p = random_point(system, 3)

    def phi_t(s):
        return system.evaluated(p.t + s, system.retract(p.q, s * p.v), p.v).phi_t.copy()

    rest = (phi_t(1e-6) - phi_t(-1e-6)) / 2e-6
    expected = -g_dot(system, p) @ p.v - rest
    gamma = system.gamma(p.t, p.q, p.v)
    np.testing.assert_allclose(gamma, expected, rtol=0, atol=2e-8 * (1 + np.abs(gamma).max()))


@constraints
def test_the_other_quantities_do_not_change(name):
    system = system_of(name)
    p = random_point(system, 4)
    without = [x.copy() for x in (lambda w: (w.phi, w.g, w.f))(system.evaluated(p.t, p.q, p.v))]
    with_it = (lambda w: (w.phi, w.g, w.f))(system.evaluated(p.t, p.q, p.v, G_DOT))
    for one, other in zip(without, with_it, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_mass_of_bodies_does_not_change():
    system = system_of("revolute")
    p = random_point(system, 1)
    assert not system.evaluated(p.t, p.q, p.v, G_DOT).m_dot.any()


def mass(q):
    return np.array([[2.0 + np.cos(q[1]), 0.2 * q[0]], [0.2 * q[0], 1.0 + q[1] * q[1]]])


def force(t, q, v):
    return np.array([0.1 * v[0] - q[1], -9.81 + 0.0 * q[0]])


def constraint(t, q):
    return np.array([q[0] * q[0] + np.sin(q[1]) * (1.0 + 0.3 * np.sin(2.0 * t)) - 1.0])


def jacobian(t, q):
    """dPhi/dq T."""
    slope = np.cos(q[1]) * (1.0 + 0.3 * np.sin(2.0 * t))
    return np.array([[2.0 * q[0] * (1.0 + 0.1 * q[1]), slope + 0.2 * q[0] * q[0]]])


def kinematics(q):
    return np.array([[1.0 + 0.1 * q[1], 0.1 * q[0]], [0.0 * q[0], 1.0 + 0.0 * q[0]]])


def rolling(t, q):
    return np.array([[np.sin(q[0] * q[1]), np.cos(3.0 * t) + q[0]]])


@pytest.mark.parametrize("own", [False, True], ids=["by complex step", "G given"])
def test_functions(own):
    options: dict[str, Any] = {"G": jacobian} if own else {}
    system = System.from_functions(
        mass, force, constraint, T=kinematics, A=rolling, q0=(0.8, 0.4), v0=(0.1, 0.2), **options
    )
    p = Point(0.7, np.array([0.7, 0.4]), np.array([1.3, -0.6]), np.zeros(2), np.zeros(2))
    difference = along_the_motion(system, p, lambda t, q: system.jacobian(t, q, p.v))
    np.testing.assert_allclose(g_dot(system, p), difference, rtol=0, atol=1e-10)
    values = system.evaluated(p.t, p.q, p.v, G_DOT).m_dot.copy().reshape(2, 2)
    assert_derivative(values, along_the_motion(system, p, lambda t, q: system.mass(q)), 1.0)
