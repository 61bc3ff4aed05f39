"""Reference numbers of quasi-velocities: spec 002, sections 5 and 6; spec 000, section 9."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from probe import METHODS, Probe

from bricard.errors import SimulationError
from bricard.problems.double_pendulum import double_pendulum_functions
from bricard.simulation import simulate
from bricard.system.system import System

every = pytest.mark.parametrize("method", METHODS)


MASS, INERTIA, ARM, WEIGHT = 2.0, 0.06, 0.4, 9.81


def on_the_line(t, q):
    return np.array([q[1] - ARM * np.sin(q[2])])


def weight(t, q, v):
    return np.array([0.0 * v[0], -MASS * WEIGHT + 0.0 * v[0], 0.0 * v[0]])


def weight_and_forces(t, q, v):
    return np.array(
        [1.5 * np.cos(3.0 * t) + 0.0 * v[0], -MASS * WEIGHT + 0.0 * v[0], 0.05 * np.sin(2.0 * t) - 0.02 * v[2]]
    )


def height(q):
    return MASS * WEIGHT * q[1]


@cache
def moving_pendulum(case="A"):
    x3, spin = 0.3, -1.2
    return System.from_functions(
        np.diag([MASS, MASS, INERTIA]),
        weight if case == "A" else weight_and_forces,
        on_the_line,
        q0=(0.0, ARM * np.sin(x3), x3),
        v0=(0.5, ARM * np.cos(x3) * spin, spin),
        potential=height,
    )


def test_closed_forms_of_the_moving_pendulum():
    """Spec 002, section 6: W_d, its derivative, u and the share of each coordinate; directions up to their sign."""
    probe = Probe(moving_pendulum(), "mass-gram-schmidt")
    x3, spin = probe.state.q[2], probe.state.v[2]
    mu = np.sqrt(INERTIA + MASS * ARM**2 * np.cos(x3) ** 2)
    y_dot = probe.rhs(0.0, probe.y)
    W, S = probe.basis
    expected = np.array([[1 / np.sqrt(MASS), 0, 0], [0, ARM * np.cos(x3) / mu, 1 / mu]])
    np.testing.assert_allclose(W[:, 1:].T, expected, rtol=0, atol=1e-13)
    rate_1 = -INERTIA * ARM * spin * np.sin(x3) / mu**3
    rate_2 = MASS * ARM**2 * spin * np.sin(x3) * np.cos(x3) / mu**3
    S_cd = -S[:, :1].T  # S is skew: M is constant
    W_dot = W[:, :1] @ S_cd + W[:, 1:] @ S[:, 1:]
    np.testing.assert_allclose(W_dot.T, [[0, 0, 0], [0, rate_1, rate_2]], rtol=0, atol=1e-9)
    np.testing.assert_allclose(probe.y[3:], [0.70710678118655, -0.71200935785648], rtol=0, atol=1e-13)
    np.testing.assert_allclose(y_dot[3:], [0.0, -ARM * np.cos(x3) * MASS * WEIGHT / mu], rtol=0, atol=1e-9)


A_TABLE = """
0 0.1182080826645 0.3 -0.7120093578565 -1.2 3.285787505203 5.627989859883
0.25 -0.2507477903141 -0.6775286812495 -3.871018700724 -7.677040938659 11.60505314015 16.89226645504
0.5 -0.04015121323476 -3.041045287617 -2.592484541278 -4.223521390536 3.352515886373 5.940482198916
1 -0.2248547050482 -2.544625501961 3.737477908366 7.077329022538 9.067383650394 13.82294616345
2 -0.07883961646891 -2.943194621667 -2.870384824317 -4.734464948458 3.779605183979 6.614926646367
3 0.1304755359027 0.3322690817422 -0.15994518001 -0.2719337209572 3.399434827824 5.771971635412
"""
B_TABLE = """
0.25 0.1473592609272 -0.2486230461833 -0.6707294946416 0.9481024759526 -3.833091079611 11.68967881163
0.5 0.3274385665277 -0.0580604249167 -2.995927003554 1.0597745158 -2.455500189887 3.19569506137
1 0.66583270805 -0.2927999897026 -2.320339806923 0.7570002385167 3.881225154031 18.14151760029
2 1.003319142779 -0.02598255204772 -3.076590507774 0.608318484414 -1.674118938591 3.134949938293
3 1.659260855157 -0.1180037213972 -0.2994652554925 0.8528126689699 -2.241244031693 4.050115379611
"""


def table(text):
    return np.array([line.split() for line in text.split("\n") if line], float)


def tight(system, times, method="mass-gram-schmidt", **options):
    """States at given times, among them the start."""
    return simulate(
        system, times[-1], rtol=1e-12, formulation=method, integrator="dopri5", output=np.append(0.0, times), **options
    )


def test_reference_solution_of_the_conservative_pendulum():
    """Spec 002, section 6.1, case A. u_2 = mu_2 x3', lam_w = |c| lam; our multiplier has the opposite sign."""
    rows = table(A_TABLE)
    found = tight(moving_pendulum(), rows[1:, 0])
    q, v, lam = found.q, found.v, -found.lam[:, 0]
    mu = np.sqrt(INERTIA + MASS * ARM**2 * np.cos(q[:, 2]) ** 2)
    np.testing.assert_allclose(q[:, 1:], rows[:, 1:3], rtol=0, atol=2e-10)
    np.testing.assert_allclose(mu * v[:, 2], rows[:, 3], rtol=0, atol=2e-9)
    np.testing.assert_allclose(v[:, 2], rows[:, 4], rtol=0, atol=5e-9)
    np.testing.assert_allclose(lam, rows[:, 5], rtol=0, atol=5e-7)  # gamma by complex step: 1e-8
    np.testing.assert_allclose(lam * mu / np.sqrt(MASS * INERTIA), rows[:, 6], rtol=0, atol=5e-7)
    np.testing.assert_allclose(found.energy.total, 2.8227212447158, rtol=0, atol=1e-9)
    np.testing.assert_allclose(q[:, 0], 0.5 * found.t, rtol=0, atol=1e-12)


def test_reference_solution_of_the_forced_pendulum():
    """Spec 002, section 6.1, case B."""
    rows = table(B_TABLE)
    found = tight(moving_pendulum("B"), rows[:, 0])
    q, v, lam = found.q[1:], found.v[1:], -found.lam[1:, 0]
    mu = np.sqrt(INERTIA + MASS * ARM**2 * np.cos(q[:, 2]) ** 2)
    np.testing.assert_allclose(q, rows[:, 1:4], rtol=0, atol=2e-10)
    np.testing.assert_allclose(np.sqrt(MASS) * v[:, 0], rows[:, 4], rtol=0, atol=1e-10)
    np.testing.assert_allclose(mu * v[:, 2], rows[:, 5], rtol=0, atol=2e-9)
    np.testing.assert_allclose(lam, rows[:, 6], rtol=0, atol=5e-7)


@pytest.mark.parametrize(
    ("h", "drift_at_the_end", "with_pi"), [(0.02, -3.372720e-4, 6.28e-5), (0.01, -8.390082e-6, 3.44e-6)]
)
def test_drift_of_the_pendulum(h, drift_at_the_end, with_pi):
    """Spec 002, section 6.2. Its one iteration per step leaves 8.6e-10 and 9.2e-13; ours goes on to the tolerance of 1e-12."""
    options = {"formulation": "mass-gram-schmidt", "integrator": "rk4", "step": h, "output": round(10 / h) + 1}

    def gap(correction):
        q = simulate(moving_pendulum(), 10.0, correction=correction, **options).q
        return q[:, 1] - ARM * np.sin(q[:, 2])

    assert gap("none")[-1] == pytest.approx(drift_at_the_end, rel=2e-5)
    assert np.abs(gap("pi")).max() == pytest.approx(with_pi, rel=2e-3)
    assert np.abs(gap("mass")).max() <= 1e-12


def knife(t, q):
    return np.array([[np.sin(q[2]), -np.cos(q[2]), 0.0 * q[2]]])


def no_force(t, q, v):
    return 0.0 * v


@cache
def knife_edge():
    return System.from_functions(np.diag([3.0, 3.0, 0.2]), no_force, A=knife, q0=(0, 0, 0), v0=(0.8, 0, 1.7))


@every
def test_knife_edge(method):
    """Spec 002, section 5: a circle; no coordinate can be kept on the way round."""
    found = simulate(knife_edge(), 4.0, step=0.005, formulation=method, integrator="rk4", output=5)
    accuracy = 1e-9 if method == "general-projection" else 1e-11  # its u are not constant: RK4 makes errors
    np.testing.assert_allclose(found.q[-1, :2], [0.23252392994758, 0.06146000454126], rtol=0, atol=accuracy)
    np.testing.assert_allclose(-found.lam, -4.08, rtol=0, atol=10 * accuracy)
    quarters = 1.7 * 4.0 / (np.pi / 2)
    assert found.counters["rebasings"] >= int(quarters) - 1


def test_a_basis_is_kept_as_long_as_it_is_good():
    """u changes with the basis, v does not: the change is exact, and there are few of them."""
    found = simulate(knife_edge(), 4.0, step=0.005, formulation="mass-gram-schmidt", integrator="rk4", output=801)
    assert 3 <= found.counters["rebasings"] <= 6
    kinetic = found.energy.kinetic
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-13)


def at_one_second():
    """Case A at t = 1: angles and rates of spec 000, section 9.1."""
    system = double_pendulum_functions("A")
    (a, b), (p, r), length = (-0.856000314, -0.711959564), (1.038156824, 2.829625497), 0.5
    x, y = length * np.sin((a, b)), length * np.cos((a, b))
    q = [a, x[0] / 2, y[0] / 2, b, x[0] + x[1] / 2, y[0] + y[1] / 2]
    v = [p, y[0] / 2 * p, -x[0] / 2 * p, r, y[0] * p + y[1] / 2 * r, -x[0] * p - x[1] / 2 * r]
    return replace(system, start=np.array(q), start_velocity=np.array(v))


def test_null_space_of_the_double_pendulum():
    """Spec 000, section 9.2, case A at t = 0: V_I, the reduced mass matrix, z''."""
    probe = Probe(double_pendulum_functions("A"), "gram-schmidt", independent=(0, 3))
    y_dot = probe.rhs(0.0, probe.y)
    N = probe.work.basis.n
    expected = [
        [0.87656237, 0.1095703, -0.18978132, -0.08930886, 0.19980466, -0.36839903],
        [0, 0, 0, 0.9701425, 0.21004201, -0.12126781],
    ]
    np.testing.assert_allclose(N, expected, rtol=0, atol=5e-9)
    M = probe.system.mass(probe.state.q).toarray()
    reduced = [[0.23983605, 0.08483727], [0.08483727, 0.07843137]]
    np.testing.assert_allclose(N @ M @ N.T, reduced, rtol=0, atol=5e-9)
    np.testing.assert_allclose(y_dot[6:], [-28.29038446, 15.43313177], rtol=0, atol=1e-7)


def test_null_space_of_the_double_pendulum_in_motion():
    """Spec 000, section 9.2 at t = 1, and T2: the derivative of the basis, |u| = |v|."""
    probe = Probe(at_one_second(), "gram-schmidt", independent=(0, 3))
    y_dot, u = probe.rhs(0.0, probe.y), probe.y[6:]
    W, S = probe.basis
    V_dot = W[:, :4] @ -S[:, :4].T + W[:, 4:] @ S[:, 4:]
    expected = [
        [-0.002530469, 0.171624324, -0.149790833, 0.026847966, 0.301102084, -0.240467407],
        [0, 0, 0, 0, 0.448362732, -0.519574774],
    ]
    np.testing.assert_allclose(V_dot.T, expected, rtol=0, atol=5e-9)
    np.testing.assert_allclose(u, [1.182814275, 3.041302446], rtol=0, atol=5e-9)
    np.testing.assert_allclose(y_dot[6:], [25.503648375, -12.013835671], rtol=0, atol=1e-7)
    M = probe.system.mass(probe.state.q).toarray()
    coupling = [[0.004861148, -0.043231815], [0.017728095, 0]]
    np.testing.assert_allclose(W[:, 4:].T @ M @ V_dot, coupling, rtol=0, atol=5e-9)
    np.testing.assert_allclose(W.T @ W, np.eye(6), rtol=0, atol=1e-14)
    G = probe.system.jacobian(0.0, probe.state.q).toarray()
    np.testing.assert_allclose(G @ W[:, 4:], 0.0, rtol=0, atol=1e-14)
    assert np.linalg.norm(u) == pytest.approx(np.linalg.norm(probe.state.v), abs=1e-14)
    h = 1e-4

    def basis_at(s):
        probe.velocity(s, probe.y + s * y_dot)
        return probe.work.basis.n.copy()

    difference = (8 * (basis_at(h) - basis_at(-h)) - (basis_at(2 * h) - basis_at(-2 * h))) / (12 * h)
    np.testing.assert_allclose(V_dot.T, difference, rtol=0, atol=1e-9)


ANGLES = [0.035277365, 0.154131010]  # case A at t = 10


@pytest.mark.parametrize(
    ("options", "position", "energy", "angle"),
    [
        ({"rebase": "never", "correction": "none"}, 1.8e-8, 3.6e-7, 2.9e-7),
        ({"rebase": "always", "correction": "none"}, 1.8e-8, 3.8e-7, 2.6e-7),
        ({"rebase": "never", "correction": "least-squares"}, 1e-13, 4.9e-7, 2.9e-7),
    ],
    ids=["B fixed", "B := V_I^T", "with projection"],
)
def test_comparison_of_methods_rows_of_the_null_space(options, position, energy, angle):
    """Spec 000, section 9.3: fixed-step RK4, h = 0.005, 10 s."""
    found = simulate(
        double_pendulum_functions("A"),
        10.0,
        step=0.005,
        formulation="gram-schmidt",
        integrator="rk4",
        independent=(0, 3),
        output=2001,
        **options,
    )
    gaps = np.linalg.norm([found.system.constraint(t, q) for t, q in zip(found.t, found.q, strict=True)], axis=1)
    assert gaps.max() <= 1.1 * position
    assert np.abs(found.energy.total - found.energy.total[0]).max() == pytest.approx(energy, rel=0.1)
    assert np.abs(found.q[-1, [0, 3]] - ANGLES).max() == pytest.approx(angle, rel=0.1)
    assert found.constraint_errors.velocity.max() <= 1e-14


def test_coordinates_that_break_down_are_noticed():
    """Spec 000, section 9.4: B on x1, x2 becomes singular at t = 0.192 s, when the first rod is level."""
    options = {"step": 0.001, "formulation": "gram-schmidt", "integrator": "rk4", "independent": (1, 4), "output": 2001}
    with pytest.raises(SimulationError, match="independent coordinates") as caught:
        simulate(double_pendulum_functions("C"), 2.0, rebase="never", **options)
    failed: Any = caught.value.solution
    assert failed.t[-1] == pytest.approx(0.192, abs=2e-3)
    assert np.abs(failed.energy.total - failed.energy.total[0]).max() <= 1e-6
    for rebase in ("always", "on weakness"):
        found = simulate(double_pendulum_functions("C"), 2.0, rebase=rebase, correction="none", **options)
        assert np.abs(found.energy.total - found.energy.total[0]).max() <= 6e-7


@every
def test_large_motion_of_the_double_pendulum(method):
    """Spec 000, section 9.4: reference up to t = 2."""
    found = tight(double_pendulum_functions("C"), (0.5, 1.0, 2.0), method)
    expected = [
        [0.419575802, -0.094776359, -0.497696092, -17.787234326],
        [-2.511951834, -0.838746102, -2.083466043, -0.333899739],
        [1.591827325, -2.671800443, 0.138623785, -7.933076173],
    ]
    result = np.hstack([found.q[1:, [0, 3]], found.v[1:, [0, 3]]])
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-6)
