"""Systems given by functions: where q' = v no map T is evaluated, and the numbers are those of an identity given as T."""

from functools import cache

import numpy as np
import pytest

import bricard as br
from bricard.compiled.interfaces import ENERGY, G_DOT, RATE, TANGENT, VELOCITY

T0, Q0, V0 = 0.3, np.array([0.4, -0.2, 0.7]), np.array([0.5, -1.1, 0.2])
MASS = np.array([[2.0, 0.3, 0.0], [0.3, 1.5, 0.1], [0.0, 0.1, 1.0]])


def mass(q):
    zero = 0.0 * q[0]
    return np.array(
        [[2.0 + zero, 0.3 + zero, zero], [0.3 + zero, 1.5 + zero, 0.1 + zero], [zero, 0.1 + zero, 1.0 + zero]]
    )


def force(t, q, v):
    return np.array([-q[0] - 0.1 * v[0] * v[1], np.sin(t) - 2 * q[1] + 0.3 * v[2] * v[2], -q[2] - 0.2 * v[0] * v[2]])


def unit(q):
    zero = 0.0 * q[0]
    return np.array([[1.0 + zero, zero, zero], [zero, 1.0 + zero, zero], [zero, zero, 1.0 + zero]])


def phi(t, q):
    return np.array([q[0] * q[0] + q[1] * q[2] - 0.1 * t])


def rolling(t, q):
    return np.array([[1.0 + 0.0 * q[0], 0.5 * q[0], -np.cos(q[1])]])


def potential(q):
    return 0.5 * (q[0] * q[0] + 2.0 * q[1] * q[1] + q[2] * q[2])


ROWS = {"free": {}, "constrained": {"Phi": phi, "A": rolling}}
kinds = pytest.mark.parametrize("kind", ROWS)


@cache
def pair(kind):
    """The same system with M and T as plain as can be, and with both as functions."""
    options = ROWS[kind] | {"q0": Q0, "v0": V0, "potential": potential}
    return br.System.from_functions(MASS, force, **options), br.System.from_functions(mass, force, T=unit, **options)


@kinds
def test_everything_that_is_evaluated_is_the_same(kind):
    works = [system.evaluated(T0, Q0, V0, VELOCITY | TANGENT | RATE | ENERGY | G_DOT) for system in pair(kind)]
    for name in ("m", "f", "phi", "phi_dot", "phi_t", "gamma", "g", "rate", "g_dot", "m_dot", "k", "d", "energy"):
        found, expected = (np.array(getattr(work, name)) for work in works)
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14, err_msg=name)


@kinds
def test_positions_move_in_the_same_way(kind):
    plain, mapped = pair(kind)
    np.testing.assert_array_equal(plain.retract(Q0, V0), Q0 + V0)
    np.testing.assert_array_equal(mapped.retract(Q0, V0), Q0 + V0)
    np.testing.assert_array_equal(plain.kinematic_map(Q0).toarray(), np.eye(3))
    np.testing.assert_allclose(mapped.kinematic_map(Q0).toarray(), np.eye(3), atol=1e-15)


@pytest.mark.parametrize("integrator", ["ce4", "rk4", "newmark"])
def test_motions_are_the_same(integrator):
    """Work of the forces included, for which the ledger asks for T+ in each step."""
    plain, mapped = (br.simulate(system, 0.5, step=0.01, integrator=integrator) for system in pair("free"))
    np.testing.assert_allclose(plain.q, mapped.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(plain.energy.error, mapped.energy.error, rtol=0, atol=1e-13)


def test_a_mass_matrix_is_the_system_s_own():
    """It may be of integers and in Fortran's order, and may be changed afterwards."""
    given = np.array([[2, 1], [1, 3]], order="F")
    system = br.System.from_functions(given, lambda t, q, v: -q, q0=[0.1, 0.2], v0=[0.0, 0.0])
    given[0, 0] = 100
    np.testing.assert_array_equal(system.mass([0.1, 0.2]).toarray(), [[2.0, 1.0], [1.0, 3.0]])
