"""Quasi-velocities along orthonormal bases, and the general projection: spec 002, and spec 000 sections 2.5 to 2.7 and 9."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import bricard.model as br
from bricard.compiled.records import pack
from bricard.compiled.status import RUNNING
from bricard.errors import IncompatibleMethods, SimulationError
from bricard.formulations import quasi_velocities as quasi
from bricard.formulations.mass_gram_schmidt import reactions
from bricard.linalg.kkt import consistent_accelerations
from bricard.linalg.orthonormal import (
    basis_rate,
    best_coordinates,
    cholesky,
    from_metric,
    orthonormalise,
    to_metric,
)
from bricard.problems.double_pendulum import double_pendulum_functions
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.build import build
from bricard.system.integrability import integrable
from bricard.system.system import System
from mechanisms import HERE, MILLIMETRES, four_bar, pendulum, rssr, six_bar, slider_crank

METHODS = ("gram-schmidt", "mass-gram-schmidt", "general-projection")
every = pytest.mark.parametrize("method", METHODS)


# ----------------------------------------------------------------------------------------- spec 002, sections 2 and 3


def decomposed(P, M):
    """Q, R (by rows) and W (columns) of P = M W R, made by the package."""
    n = len(M)
    L, Q, R, scratch = np.tril(M), P.T.copy(), np.zeros((n, n)), np.zeros((4, n))
    assert cholesky(L, n)
    to_metric(L, n, Q, len(Q))
    for i in range(len(Q)):
        orthonormalise(Q, R, i, i, scratch)
    W = Q.copy()
    from_metric(L, n, W, len(W))
    return L, Q, R, W.T


def rate(P, P_dot, M, M_dot, m):
    """The rows d of S, (k, n), made by the package, for P' that vanishes but in the first m columns."""
    _, _, R, W = decomposed(P, M)
    k, N = len(M) - m, W.T @ M_dot @ W
    S = np.zeros((k, len(M)))
    S[:, :m] = W[:, m:].T @ P_dot[:, :m]
    basis_rate(R, m, k, S, np.ascontiguousarray(N[m:]))
    return S


def closed_form(P, P_dot, M, M_dot):
    """All of S by spec 002, section 2.4, in NumPy."""
    _, _, R, W = decomposed(P, M)
    X, N = W.T @ P_dot @ np.linalg.inv(R.T), W.T @ M_dot @ W
    S = np.tril(X - N, -1) - 0.5 * np.diag(np.diag(N))
    return S + np.triu(-N - S.T, 1)


def example(t):
    M = np.array([[2 + t, 0.5, 0.1 * t], [0.5, 1.5, 0.2], [0.1 * t, 0.2, 1 + 0.5 * t * t]])
    P = np.array([[np.cos(t), 0, 0], [1, 1, 0], [t, 0, 1.0]])
    return P, M


def example_rates(t):
    P_dot, M_dot = np.zeros((3, 3)), np.array([[1, 0, 0.1], [0, 0, 0], [0.1, 0, t]])
    P_dot[:, 0] = -np.sin(t), 0.0, 1.0
    return P_dot, M_dot


def test_reference_example_of_the_basis_and_its_derivative():
    """Spec 002, section 2.5."""
    P, M = example(0.5)
    P_dot, M_dot = example_rates(0.5)
    _, _, R, W = decomposed(P, M)
    expected_R = [
        [0.958458770626, 0.566664664750, 0.352039317157],
        [0, 0.640271870609, -0.504575465888],
        [0, 0, 0.729411423060],
    ]
    expected_W = [
        [0.245873672368, -0.442105568767, -0.415579943549],
        [0.566664664750, 0.640271870609, 0.0],
        [0.352039317157, -0.504575465888, 0.729411423060],
    ]
    expected_W_dot = [
        [-0.372281676661, 0.507830963574, -0.538772781766],
        [-0.090693010870, 0.055394942871, 0.0],
        [0.700875297184, -0.416879550858, -0.911666926460],
    ]
    expected_S = [
        [-0.069865571561, 0.305301359255, -0.968900374006],
        [-0.079814001723, -0.183685329495, 0.857513239008],
        [0.939385532668, -0.845943351169, -0.189050724961],
    ]
    np.testing.assert_allclose(R.T, expected_R, rtol=0, atol=1e-11)
    np.testing.assert_allclose(W, expected_W, rtol=0, atol=1e-11)
    S = closed_form(P, P_dot, M, M_dot)
    np.testing.assert_allclose(S, expected_S, rtol=0, atol=1e-11)
    np.testing.assert_allclose(W @ S, expected_W_dot, rtol=0, atol=1e-11)
    for m in (1, 2):
        np.testing.assert_allclose(rate(P, P_dot, M, M_dot, m), np.array(expected_S)[m:], rtol=0, atol=1e-11)


def random_family(n, m, seed):
    """P(t) = [C(t) | E], M(t) with their derivatives."""
    rng = np.random.default_rng(seed)
    C = rng.normal(size=(3, n, m))
    E, B = rng.normal(size=(n, n - m)), rng.normal(size=(3, n, n))

    def at(t):
        D = B[0] + np.sin(t) * B[1] + t * B[2]
        P = np.hstack([C[0] + np.sin(2 * t) * C[1] + t * t * C[2], E])
        return P, D @ D.T + n * np.eye(n)

    def rates(t):
        D, D_dot = B[0] + np.sin(t) * B[1] + t * B[2], np.cos(t) * B[1] + B[2]
        P_dot = np.hstack([2 * np.cos(2 * t) * C[1] + 2 * t * C[2], 0 * E])
        return P_dot, D_dot @ D.T + D @ D_dot.T

    return at, rates


def recursion(P, P_dot, M, M_dot):
    """W' by the recursion of spec 002, section 2.3, with its corrections."""
    n = len(M)
    inverse = np.linalg.inv(M)
    inverse_dot = -inverse @ M_dot @ inverse
    W, V, W_dot, V_dot = (np.zeros((n, n)) for _ in range(4))  # V are the covariant vectors
    for i in range(n):
        p, p_dot = P[:, i], P_dot[:, i]
        r, r_dot = W[:, :i].T @ p, W_dot[:, :i].T @ p + W[:, :i].T @ p_dot
        v, v_dot = p - V[:, :i] @ r, p_dot - V[:, :i] @ r_dot - V_dot[:, :i] @ r
        size = np.sqrt(v @ inverse @ v)
        growth = 2 * p @ inverse @ p_dot + p @ inverse_dot @ p - 2 * r @ r_dot
        V[:, i], V_dot[:, i] = v / size, v_dot / size - 0.5 * v * growth / size**3
        W[:, i], W_dot[:, i] = inverse @ V[:, i], inverse_dot @ V[:, i] + inverse @ V_dot[:, i]
    return W_dot


@pytest.mark.parametrize("seed", range(3))
def test_derivative_of_the_basis(seed):
    """Closed form, recursion and differences of sixth order agree; the package gives the rows d of S."""
    at, rates = random_family(7, 3, seed)
    t, h = 0.4, 1e-3
    W, S = decomposed(*at(t))[3], closed_form(at(t)[0], rates(t)[0], at(t)[1], rates(t)[1])
    difference = sum(
        c * (decomposed(*at(t + j * h))[3] - decomposed(*at(t - j * h))[3]) / (60 * h)
        for j, c in ((1, 45), (2, -9), (3, 1))
    )
    size = np.abs(difference).max()
    np.testing.assert_allclose(W @ S, difference, rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(
        W @ S, recursion(at(t)[0], rates(t)[0], at(t)[1], rates(t)[1]), rtol=0, atol=1e-11 * size
    )
    found = rate(at(t)[0], rates(t)[0], at(t)[1], rates(t)[1], 3)
    np.testing.assert_allclose(found, S[3:], rtol=0, atol=1e-11 * np.abs(S).max())


def test_hilbert_matrix():
    """A basis of ten nearly parallel vectors: re-orthogonalised, it is orthonormal to round-off."""
    n = 10
    P = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    M = np.diag(np.linspace(1.0, 5.0, n))
    W = decomposed(P, M)[3]
    np.testing.assert_allclose(W.T @ M @ W, np.eye(n), rtol=0, atol=1e-14)


def test_choice_of_coordinates_with_deflation():
    """Spec 002, section 3: the two with the largest shares are parallel; with deflation 1 and 3 are picked."""
    n, m = 5, 3
    G = np.array([[1.0, -1, 0, 0, 0], [0, 0, 1, -1, 0], [0, 0, 0, 1, -1]])
    assert np.linalg.matrix_rank(np.vstack([G, np.eye(n)[:2]])) == 4
    L, Q, R, _ = decomposed(np.hstack([G.T, np.eye(n)[:, 3:]]), np.eye(n))
    order = np.zeros(n, np.uint32)
    smallest = best_coordinates(L, n, m, 2, Q, R, np.zeros((n, n)), np.zeros((4, n)), order)
    assert order.tolist() == [1, 0, 2, 0, 0]
    assert smallest == pytest.approx(1 / 3, abs=1e-14)


# ------------------------------------------------------------------------------------------------ the equations in general


class Probe:
    """A formulation at the start of a system: y, and its compiled functions as plain calls."""

    def __init__(self, system, method, **options):
        options.setdefault("correction", "none")
        self.system, self.state = system, assemble(system)
        self.problem = FORMULATIONS[method].forms["Ode"](system, **options)
        self.work = self.problem.work(self.state)
        self.y = self.problem.initial(self.state, self.work)
        self.packed = pack(self.work)

    def rhs(self, t, y):
        y_dot = np.zeros(y.size)
        assert self.problem.functions[0](t, y, y_dot, self.system.compiled, self.packed) == RUNNING
        return y_dot

    def velocity(self, t, y):
        return self.problem.full(t, y, self.work)[1]

    @property
    def basis(self):
        """The basis W (columns) and the rows S_d that the last call of rhs left."""
        dense, n = self.work.basis.dense, self.system.n_v
        W = dense[quasi.VECTORS, :n, :n].copy()
        from_metric(dense[quasi.METRIC], n, W, n)
        return W.T, dense[quasi.TURN, : len(self.work.basis.n), :n].copy()


def rolling_disc():
    """A disc that rolls on a slightly inclined plane: one row of contact, two nonholonomic ones."""
    model = br.Model("disc", gravity=(0.3, 0, -9.81))
    lean = np.array([0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    centre, axis = 0.5 * lean, (1.0, 0.0, -0.3)
    model.body("disc", br.Cylinder(centre - 0.01 * np.array(axis), centre + 0.01 * np.array(axis), 0.5, mass=2.0))
    model.rolling_disc("rolls", "disc", 0.5, axis, centre, plane_point=(0, 0, centre[2] - 0.5 * lean[2]))
    model.start(body="disc", angular_velocity=(6.0, 0.0, -1.0), weight=100.0)
    return model


def driven():
    """A loop whose crank follows a profile, and a pendulum that hangs on its rocker."""
    model = rssr(speed=None)
    model.drive("crank", "A", br.Sine(0.5, 1.1))
    model.body("bob", br.Rod((0.9, 0.6, 0.5), (0.9, 0.9, 0.3), mass=0.5, radius=0.05))
    model.spherical("E", "rocker", "bob", (0.9, 0.6, 0.5))
    return model


def inertia(q):
    return np.array(
        [
            [2.0 + 0.5 * np.sin(q[1]), 0.3 * q[0], 0.1 + 0.0 * q[0]],
            [0.3 * q[0], 1.5 + 0.2 * q[2] * q[2], 0.2 * np.cos(q[0])],
            [0.1 + 0.0 * q[0], 0.2 * np.cos(q[0]), 1.2 + 0.0 * q[0]],
        ]
    )


def push(t, q, v):
    return np.array([np.sin(t) - q[0], -2.0 * q[1] + 0.1 * v[2], 0.5 * v[0] * v[1] - q[2] + 0.0 * t])


def twist(q):
    return np.array(
        [
            [1.0 + 0.1 * q[1], 0.2 * q[2], 0.0 * q[0]],
            [0.1 * np.sin(q[0]), 1.0 + 0.0 * q[0], 0.3 * q[1]],
            [0.0 * q[0], 0.2 * q[0], 1.0 + 0.1 * q[2]],
        ]
    )


def slip(t, q):
    return np.array([[np.sin(q[0]) + 0.2 * t, 1.0 + 0.1 * q[1], np.cos(q[2] - t)]])


def drift(t, q):
    return np.array([0.2 * np.sin(2.0 * t) + 0.3 * q[1]])


@cache
def system_of(name):
    if name == "functions":
        return System.from_functions(inertia, push, T=twist, A=slip, a=drift, q0=(0.3, -0.2, 0.4), v0=(0.5, 0.2, -0.3))
    models = {
        "pendulum": pendulum,
        "four-bar": four_bar,
        "six-bar": six_bar,
        "rolling disc": rolling_disc,
        "driven": driven,
        "planar": lambda: slider_crank(planar=True),
    }
    return build(models[name]())


systems = pytest.mark.parametrize(
    "name", ["pendulum", "four-bar", "six-bar", "rolling disc", "driven", "planar", "functions"]
)


@every
@systems
def test_accelerations_are_those_of_the_multiplier_form(name, method):
    """v' = dv/dt of the velocities that belong to y, along y': what the derivative of the basis is for. Spec 002, section 5."""
    probe = Probe(system_of(name), method)
    t, system, h = probe.state.t, probe.system, 1e-4
    y_dot = probe.rhs(t, probe.y)
    np.testing.assert_allclose(probe.velocity(t, probe.y), probe.state.v, rtol=0, atol=1e-12)
    consistent_accelerations(t, probe.state.q, probe.state.v, system.compiled, pack(work := system.work()))
    v_dot = work.u[: system.n_v]
    ahead, behind = ((lambda s: probe.velocity(t + s, probe.y + s * y_dot))(s) for s in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2 * h), v_dot, rtol=0, atol=2e-6 * (1 + np.abs(v_dot).max()))


@every
@systems
def test_same_motion_as_index1(name, method):
    system = system_of(name)
    exact, found = (
        simulate(system, 0.4, rtol=1e-10, formulation=f, integrator="dopri5", output=8) for f in ("index1", method)
    )
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=1e-7 * (1 + np.abs(exact.v).max()))
    assert found.constraint_errors.velocity.max() <= 1e-12
    np.testing.assert_allclose(found.lam, exact.lam, rtol=0, atol=1e-5 * (1 + np.abs(exact.lam).max()))


@every
def test_without_correction_only_positions_drift(method):
    found = simulate(
        system_of("pendulum"), 1.0, step=0.01, formulation=method, integrator="rk4", correction="none", output=20
    )
    assert 1e-10 < found.constraint_errors.position.max() < 1e-5
    assert found.constraint_errors.velocity.max() < 1e-13


def test_rows_of_the_mass_metric():
    """W^T M W = 1, W_d^T G^T = 0: the reduced mass matrix is the identity."""
    probe = Probe(system_of("planar"), "mass-gram-schmidt")
    probe.rhs(probe.state.t, probe.y)
    W, _ = probe.basis
    M, G = probe.system.mass(probe.state.q).toarray(), probe.system.jacobian(0.0, probe.state.q).toarray()
    np.testing.assert_allclose(W.T @ M @ W, np.eye(len(M)), rtol=0, atol=1e-13)
    np.testing.assert_allclose(G @ probe.work.basis.n.T, 0.0, rtol=0, atol=1e-13)
    kinetic = 0.5 * probe.state.v @ M @ probe.state.v
    assert 0.5 * probe.y[probe.system.n_q :] @ probe.y[probe.system.n_q :] == pytest.approx(kinetic, rel=1e-13)


@pytest.mark.parametrize("name", ["pendulum", "rolling disc", "driven", "planar", "functions"])
def test_reactions_from_the_triangular_factor(name):
    system = system_of(name)
    state = assemble(system)
    lam = reactions(system, state)
    np.testing.assert_allclose(lam, state.lam, rtol=0, atol=1e-9 * (1 + np.abs(state.lam).max()))


@every
def test_a_mechanism_that_is_driven_altogether(method):
    """k = 0: nothing but positions is integrated."""
    model = br.Model("driven")
    model.body("arm", br.Rod((0, 0, 0), (1, 0.2, 0.3), mass=1.0, radius=0.1))
    model.revolute("A", model.ground, "arm", (0, 0, 0), (0, 1, 0))
    model.drive("motor", "A", br.Sine(0.4, 0.8))
    exact, found = (
        simulate(model, 0.5, rtol=1e-10, formulation=f, integrator="dopri5", output=4) for f in ("index1", method)
    )
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=1e-8)


@every
def test_the_choice_of_units_does_not_matter(method):
    """The same steps, and the same motion, in metres and in millimetres."""
    metres, millimetres = (
        simulate(four_bar(world), 0.3, rtol=1e-8, formulation=method, integrator="dopri5", output=3)
        for world in (HERE, MILLIMETRES)
    )
    assert metres.counters["steps"] == millimetres.counters["steps"]
    assert metres.counters["rebasings"] == millimetres.counters["rebasings"]
    np.testing.assert_allclose(millimetres.q[:, :3] / 1000, metres.q[:, :3], rtol=0, atol=1e-9)


# ------------------------------------------------------------------------------ spec 002, section 6: the moving pendulum

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
    options = {"formulation": "mass-gram-schmidt", "integrator": "rk4", "step": h, "output": round(10 / h)}

    def gap(correction):
        q = simulate(moving_pendulum(), 10.0, correction=correction, **options).q
        return q[:, 1] - ARM * np.sin(q[:, 2])

    assert gap("none")[-1] == pytest.approx(drift_at_the_end, rel=2e-5)
    assert np.abs(gap("pi")).max() == pytest.approx(with_pi, rel=2e-3)
    assert np.abs(gap("mass")).max() <= 1e-12


# ------------------------------------------------------------------------------------ nonholonomic rows, changes of basis


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
    found = simulate(knife_edge(), 4.0, step=0.005, formulation=method, integrator="rk4", output=4)
    np.testing.assert_allclose(found.q[-1, :2], [0.23252392994758, 0.06146000454126], rtol=0, atol=1e-11)
    np.testing.assert_allclose(-found.lam, -4.08, rtol=0, atol=1e-9)
    quarters = 1.7 * 4.0 / (np.pi / 2)
    assert found.counters["rebasings"] >= int(quarters) - 1


def test_a_basis_is_kept_as_long_as_it_is_good():
    """u changes with the basis, v does not: the change is exact, and there are few of them."""
    found = simulate(knife_edge(), 4.0, step=0.005, formulation="mass-gram-schmidt", integrator="rk4", output=800)
    assert 3 <= found.counters["rebasings"] <= 6
    kinetic = found.energy.kinetic
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-13)


def speed_row(t, a, b, p):
    """Not linear: the speed of the point is p[0]."""
    return (b.v[0] * b.v[0] + b.v[1] * b.v[1] + b.v[2] * b.v[2] - p[0] * p[0],)


@cache
def constant_speed():
    model = br.Model("constant speed")
    model.body("b", br.Sphere((0, 0, 0), 0.1, mass=1.0))
    model.nonholonomic("speed", model.ground, "b", speed_row, 1, point=(0, 0, 0), parameters=(2.0,))
    model.start(body="b", velocity=(1.2, 0.0, 1.6))
    return build(model)


def test_rows_that_are_not_linear_in_the_velocities():
    """The general projection takes them; the bases, which need dA/dt, refuse them by name."""
    exact, found = (
        simulate(constant_speed(), 0.5, rtol=1e-9, formulation=f, integrator="dopri5", output=4)
        for f in ("index1", "general-projection")
    )
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-8)
    assert found.constraint_errors.velocity.max() <= 1e-12
    for method in METHODS[:2]:
        with pytest.raises(IncompatibleMethods, match="speed"):
            simulate(constant_speed(), 0.5, rtol=1e-9, formulation=method, integrator="dopri5")


# ------------------------------------------------------------------------------------------------------------ spec 000


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
        output=2000,
        **options,
    )
    gaps = np.linalg.norm([found.system.constraint(t, q) for t, q in zip(found.t, found.q, strict=True)], axis=1)
    assert gaps.max() <= 1.1 * position
    assert np.abs(found.energy.total - found.energy.total[0]).max() == pytest.approx(energy, rel=0.1)
    assert np.abs(found.q[-1, [0, 3]] - ANGLES).max() == pytest.approx(angle, rel=0.1)
    assert found.constraint_errors.velocity.max() <= 1e-14


def test_coordinates_that_break_down_are_noticed():
    """Spec 000, section 9.4: B on x1, x2 becomes singular at t = 0.192 s, when the first rod is level."""
    options = {"step": 0.001, "formulation": "gram-schmidt", "integrator": "rk4", "independent": (1, 4), "output": 2000}
    with pytest.raises(SimulationError, match="independent coordinates") as caught:
        simulate(double_pendulum_functions("C"), 2.0, rebase="never", **options)
    failed = caught.value.solution
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


# ------------------------------------------------------------------------------------------------------- the interface


def test_integrable_velocities():
    """Rates of coordinates are told from quasi-velocities: angular velocities in space belong to no coordinates."""
    spatial, planar, functions = (system_of(name) for name in ("pendulum", "planar", "functions"))
    q = assemble(spatial).q
    assert integrable(spatial, q).tolist() == [True, True, True, False, False, False]
    assert integrable(planar, assemble(planar).q).all()
    q = assemble(functions).q
    assert not integrable(functions, q).any()
    assert integrable(functions, q, twist).all()  # q' itself
    assert integrable(functions, q, lambda at: np.cos(at[:1, None]) * twist(at)[:1]).tolist() == [True]
    assert integrable(functions, q, lambda at: np.cos(at[1:2, None]) * twist(at)[:1]).tolist() == [False]


@every
def test_gains_belong_to_the_pi_correction(method):
    with pytest.raises(IncompatibleMethods, match="pi"):
        simulate(system_of("pendulum"), 0.1, rtol=1e-6, formulation=method, integrator="dopri5", g1=10.0)


def test_gains_of_the_pi_correction_matter():
    """A gain of zero is no feedback at all: the drift of the run without correction."""
    options = {"step": 0.02, "formulation": "general-projection", "integrator": "rk4", "output": 10}
    none, zero, some = (
        simulate(system_of("pendulum"), 1.0, **options, **more).constraint_errors.position.max()
        for more in ({"correction": "none"}, {"correction": "pi", "g1": 0.0, "g0": 0.0}, {"correction": "pi"})
    )
    assert zero == pytest.approx(none, rel=1e-6)
    assert some < 0.5 * none


def test_maggi_is_another_name():
    model = system_of("pendulum")
    one, other = (
        simulate(model, 0.1, rtol=1e-8, formulation=f, integrator="dopri5") for f in ("maggi", "general-projection")
    )
    assert one.provenance["formulation"] == other.provenance["formulation"] == "general-projection"
    np.testing.assert_array_equal(one.q, other.q)


@pytest.mark.parametrize(
    "options", [{"independent": (0,)}, {"independent": (0, 99)}, {"basis": "qr"}, {"rebase": "often"}]
)
def test_options_that_make_no_sense(options):
    with pytest.raises(IncompatibleMethods, match=next(iter(options))):
        simulate(
            double_pendulum_functions("A"), 0.1, step=0.01, formulation="gram-schmidt", integrator="rk4", **options
        )


def test_the_first_basis_does_not_change_the_motion():
    motions = [
        simulate(
            system_of("four-bar"), 0.2, rtol=1e-10, formulation="gram-schmidt", integrator="dopri5", output=2, **more
        ).q
        for more in ({"basis": "lu"}, {"basis": "svd"}, {"independent": (5,)})
    ]
    for motion in motions[1:]:
        np.testing.assert_allclose(motion, motions[0], rtol=0, atol=1e-9)


def test_massless_directions_are_refused_by_the_mass_metric():
    with pytest.raises(IncompatibleMethods, match="mass matrix"):
        simulate(four_bar(coupler_mass=0.0), 0.1, rtol=1e-6, formulation="mass-gram-schmidt", integrator="dopri5")
