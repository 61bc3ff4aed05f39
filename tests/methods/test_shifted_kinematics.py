"""q' = T(q) v + a0(t, q): spec 000, eq. (A1) and (A7), acceptance test T8, for every formulation with nonholonomic rows."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bricard as br
from bricard.errors import ModelError, UserFunctionError
from bricard.registry import FORMULATIONS, INTEGRATORS

END = 2.0
# integrator, in order of preference -> its options and the accuracy to expect
WAYS = {
    "dop853": ({"rtol": 1e-11}, 1e-8),
    "radau5": ({"step": 0.01}, 1e-8),
    "generalized-alpha": ({"step": 0.002}, 3e-6),  # order 2
    "null-space-newmark": ({"step": 0.002}, 3e-6),
}


def M(q):
    zero = 0.0 * q[0]
    return np.array(
        [
            [2.0 + 0.3 * np.sin(q[1]), 0.2 * q[0], zero],
            [0.2 * q[0], 1.5 + 0.2 * q[2] * q[2], 0.1 + zero],
            [zero, 0.1 + zero, 1.0 + 0.1 * np.cos(q[0])],
        ]
    )


def T(q):
    zero = 0.0 * q[0]
    return np.array(
        [
            [1.0 + zero, 0.3 * np.sin(q[2]), zero],
            [zero, 1.2 + 0.2 * np.cos(q[0]), 0.1 * q[1]],
            [0.2 * q[0], zero, 1.0 + zero],
        ]
    )


def a0(t, q):
    return np.array([0.3 * np.sin(t + q[1]), 0.2 * q[2] + 0.0 * t, 0.1 * np.cos(2 * t) + 0.0 * q[0]])


def f(t, q, v):
    return np.array([-q[0] - 0.1 * v[0] * v[1], np.sin(t) - 2 * q[1] + 0.3 * v[2] * v[2], -q[2] - 0.2 * v[0] * v[2]])


def A(t, q):
    return np.array([[1.0 + 0.0 * q[0], 0.5 * q[0], -np.cos(q[1])]])


def a(t, q):
    return np.array([0.2 * np.sin(t) + 0.1 * q[2]])


Q0 = np.array([0.3, -0.2, 0.4])
V0 = np.array([0.5, 0.2, (0.5 + 0.5 * 0.3 * 0.2 + 0.1 * 0.4) / np.cos(-0.2)])  # A v + a = 0


def direct(t, y):
    """y = [q, v]: multipliers by NumPy, derivatives of the row by complex step."""
    q, v, s = y[:3], y[3:], 1e-20j
    q_dot, row = T(q) @ v + a0(t, q), A(t, q)
    change = (A(t + s, q + s * q_dot) @ v + a(t + s, q + s * q_dot)).imag / 1e-20
    solution = np.linalg.solve(np.block([[M(q), row.T], [row, np.zeros((1, 1))]]), np.append(f(t, q, v), -change))
    return np.concatenate([q_dot, solution[:3]])


@pytest.fixture(scope="module")
def exact():
    result = solve_ivp(direct, (0.0, END), np.concatenate([Q0, V0]), method="DOP853", rtol=1e-12, atol=1e-13)
    return result.y[:, -1]


@pytest.fixture(scope="module")
def system():
    return br.System.from_functions(M, f, T=T, A=A, a=a, a0=a0, q0=Q0, v0=V0)


@pytest.mark.parametrize("formulation", [f.name for f in FORMULATIONS.values() if f.nonholonomic and not f.needs])
def test_a7_is_the_multiplier_solution(formulation, system, exact):
    forms = FORMULATIONS[formulation].forms
    integrator = next(i for i in WAYS if any(form in INTEGRATORS[i].accepts for form in forms))
    options, accuracy = WAYS[integrator]
    solution = br.simulate(system, END, formulation=formulation, integrator=integrator, output=5, **options)
    q, w = solution.q[-1], solution.v[-1]
    np.testing.assert_allclose(q, exact[:3], rtol=0, atol=accuracy)
    v = w - np.linalg.solve(T(q), a0(END, q))  # the Solution shows w = v + T+ a0
    np.testing.assert_allclose(v, exact[3:], rtol=0, atol=accuracy)


def test_velocities_shown_are_the_rates_of_the_positions(system):
    state = br.simulate(system, 0.1, rtol=1e-10, output=2)
    np.testing.assert_allclose(T(Q0) @ state.v[0], T(Q0) @ V0 + a0(0.0, Q0), rtol=0, atol=1e-12)


def test_energy_balance_holds(system):
    """Forces here are not conservative: their power is all in the work."""
    energy = br.simulate(system, END, integrator="dop853", rtol=1e-10, output=401).energy
    assert np.abs(energy.error).max() <= 1e-6 * energy.kinetic.max()


def test_more_coordinates_than_velocities():
    """A point on a turntable: q = (cos, sin) of its angle, carried along by a0 in the range of T."""

    def turn(q):
        return np.array([[-q[1]], [q[0]]])

    def carried(t, q):
        return np.array([-0.5 * q[1], 0.5 * q[0]])

    def drag(t, q, v):
        return np.array([-v[0]])

    system = br.System.from_functions(np.eye(1), drag, T=turn, a0=carried, q0=[1.0, 0.0], v0=[2.0])
    q = br.simulate(system, 1.0, rtol=1e-11, output=2).q[-1]
    angle = 0.5 + 2.0 * (1 - np.exp(-1.0))  # v = 2 exp(-t): only v is braked
    np.testing.assert_allclose(q, [np.cos(angle), np.sin(angle)], rtol=0, atol=1e-9)

    def outwards(t, q):
        return 0.1 * q

    with pytest.raises(UserFunctionError, match="leaves the range of T"):
        br.System.from_functions(np.eye(1), drag, T=turn, a0=outwards, q0=[1.0, 0.0], v0=[2.0])


def test_gamma_and_a0_together_are_refused():
    with pytest.raises(ModelError, match="leave gamma out"):
        br.System.from_functions(np.eye(3), f, gamma=lambda t, q, v: q[:0], a0=a0, q0=Q0, v0=V0)
