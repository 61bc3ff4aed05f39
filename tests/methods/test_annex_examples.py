"""The examples in the annex of spec 000 (section 3.5), acceptance test T9: a projectile, linear equations, a product."""

import numpy as np
import pytest

import bricard as br
from bricard.compiled.handles import pack
from bricard.linalg import sparse
from bricard.linalg.factor import factorise, solve
from bricard.linalg.full_pivot_lu import full_pivot_lu

PROJECTILE = -1.24593964, 0.51299031, -0.85371241  # height, speed, angle at 8
MATRIX = np.array([[33.0, 16.0, 72.0], [-24.0, -10.0, -57.0], [-8.0, -4.0, -17.0]])
RIGHT = np.array([-359.0, 281.0, 85.0])


def slope(t, q):
    """q = (height, speed, angle); the independent variable is the distance."""
    tan = np.sin(q[2]) / np.cos(q[2])
    drag = -0.032 * tan / q[1] - 0.02 * q[1] / np.cos(q[2])
    return np.array([tan, drag, -0.032 / (q[1] * q[1])])


def no_force(t, q, v):
    return 0.0 * v


@pytest.fixture(scope="module")
def projectile():
    """Equations of first order as a system: q' = v + a0(t, q) with v = 0."""
    return br.System.from_functions(np.eye(3), no_force, a0=slope, q0=[0.0, 0.5, np.pi / 5], v0=np.zeros(3))


def test_projectile(projectile):
    q = br.simulate(projectile, 8.0, integrator="dop853", rtol=1e-11, output=2).q[-1]
    np.testing.assert_allclose(q, PROJECTILE, rtol=0, atol=6e-9)


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_projectile_with_two_tolerances(projectile, integrator):
    """The advice of the annex: run with two tolerances a factor of ten apart and compare."""
    errors = []
    for rtol in (1e-4, 1e-5):
        q = br.simulate(projectile, 8.0, integrator=integrator, rtol=rtol, output=2).q[-1]
        errors.append(np.abs(q - PROJECTILE).max())
    assert errors[0] <= 1e-3 and errors[1] <= 0.5 * errors[0]


def test_linear_equations_by_the_sparse_solver():
    rows, columns = np.nonzero(MATRIX)
    pattern = sparse.pattern(rows, columns, np.arange(3), 3)
    matrix, x = sparse.matrix(pattern, 3), np.zeros(3)
    matrix.a[pattern.slots(rows, columns)] = MATRIX[rows, columns]
    assert factorise(pack(matrix))
    solve(pack(matrix), RIGHT, x)
    np.testing.assert_allclose(x, [1.0, -2.0, -5.0], rtol=0, atol=1e-12)
    inverse = np.zeros((3, 3))
    for i, unit in enumerate(np.eye(3)):
        solve(pack(matrix), unit, inverse[i])
    exact = [[-29 / 3, -8 / 3, -32.0], [8.0, 2.5, 25.5], [8 / 3, 2 / 3, 9.0]]
    np.testing.assert_allclose(inverse.T, exact, rtol=1e-13)


def test_determinant_by_full_pivoting():
    lu = full_pivot_lu(MATRIX)
    sign = np.linalg.det(np.eye(3)[lu.rows]) * np.linalg.det(np.eye(3)[lu.columns])
    assert sign * np.prod(lu.pivots) == pytest.approx(6.0, rel=1e-12)


def test_product_with_its_transpose():
    """G M^-1 G^T with unit masses: the accelerations that constraint forces make."""
    G = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]])

    def rows(t, q):
        return np.array([q[1] + 2 * q[2], q[0] + 2 * q[1] + 3 * q[2]])

    system = br.System.from_functions(np.eye(3), no_force, rows, q0=np.zeros(3), v0=np.zeros(3))
    found = system.jacobian(0.0, np.zeros(3)).toarray()
    np.testing.assert_allclose(found, G, rtol=0, atol=1e-15)
    product = found @ np.linalg.solve(system.mass(np.zeros(3)).toarray(), found.T)
    np.testing.assert_allclose(product, [[5.0, 8.0], [8.0, 14.0]], rtol=0, atol=1e-14)
