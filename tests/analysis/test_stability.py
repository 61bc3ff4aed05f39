"""Stability of the compiled methods against closed forms, frequencies of mechanisms against the figures of spec 004."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import bricard as br
from bricard.errors import IncompatibleMethods, ModelError
from bricard.problems.andrews import andrews_testset
from bricard.problems.double_four_bar import double_four_bar
from bricard.problems.n_four_bar import n_four_bar
from bricard.problems.slider_crank_thesis import slider_crank_thesis
from bricard.registry import INTEGRATORS

CASES = [(z, xi) for z in (0.05, 0.7, 1.9, 40.0) for xi in (0.0, 0.2, 1.5)]
OWN_LOOP = {"ida"}  # steps itself: there is no step to analyse


def analysed(name, **options):
    return br.analysis.stability(name, **options)


def state_matrix(z, xi):
    """Of [x, h x']."""
    return np.array([[0.0, 1.0], [-z * z, -2 * xi * z]])


# Runge-Kutta methods: the stability function of the tableau, taken of the state matrix

S6 = np.sqrt(6)
RADAU = np.array(
    [
        [(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225],
        [(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225],
        [(16 - S6) / 36, (16 + S6) / 36, 1 / 9],
    ]
)
TABLEAUS = {
    "euler": (np.zeros((1, 1)), [1.0]),
    "heun": (np.array([[0, 0], [1.0, 0]]), [0.5, 0.5]),
    "rk4": (np.diag([0.5, 0.5, 1.0], -1), [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
    "radau5": (RADAU, RADAU[-1]),
}


@pytest.mark.parametrize(("z", "xi"), CASES)
@pytest.mark.parametrize("name", list(TABLEAUS))
def test_runge_kutta_matrix(name, z, xi):
    """1 + (b^T x S) (1 - A x S)^-1 (e x 1)."""
    A, b = TABLEAUS[name]
    S, s = state_matrix(z, xi), len(b)
    stages = np.linalg.solve(np.eye(2 * s) - np.kron(A, S), np.tile(np.eye(2), (s, 1)))
    expected = np.eye(2) + np.kron(np.asarray(b)[None], S) @ stages
    found = analysed(name)
    assert found.components == ("x", "h x'")
    np.testing.assert_allclose(found.matrix(z, xi), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("name", "coefficients"),
    [("dopri5", [1 / 600]), ("rkf45", [1 / 104]), ("rk4", [])],
)
def test_explicit_radius_is_that_of_the_stability_polynomial(name, coefficients):
    order = {"dopri5": 5, "rkf45": 4, "rk4": 4}[name]
    taylor = [1.0, 1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120][: order + 1] + coefficients
    z = np.array([0.1, 0.6, 1.5, 3.0])
    expected = np.abs(np.polyval(taylor[::-1], 1j * z))
    np.testing.assert_allclose(analysed(name).radius(z), expected, rtol=1e-12)


# name, options -> largest stable h omega, undamped
LIMITS = [
    ("euler", {}, 0.0),
    ("heun", {}, 0.0),
    ("rk4", {}, 2 * np.sqrt(2)),
    ("rkf45", {}, 0.0),
    ("radau5", {}, np.inf),
    ("bdf", {"order": 1}, np.inf),
    ("bdf", {"order": 2}, np.inf),
    ("bdf", {"order": 3}, 0.0),
    ("generalized-alpha", {"rho": 0.0}, np.inf),
    ("generalized-alpha", {"rho": 1.0}, np.inf),
    ("trapezoidal", {}, np.inf),
    ("sdirk", {}, np.inf),
    ("newmark", {"set": "trapezoidal"}, np.inf),
    ("newmark", {"set": "linear-acceleration"}, np.sqrt(12)),
    ("newmark", {"set": "fox-goodwin"}, np.sqrt(6)),
    ("hht", {"alpha": -0.3}, np.inf),
    ("wilson-theta", {"theta": 1.42}, np.inf),
    ("collocation", {}, np.inf),
    ("energy-momentum", {}, np.inf),
    ("rattle", {}, 2.0),
    ("central-difference", {"classic": False}, 2.0),
    ("central-difference", {"classic": True}, 2.0),
    ("ce3", {"alpha": 1.0}, 2.0),
    ("ce3", {"alpha": 4 / 3}, np.sqrt(12 / 5)),
    ("ce3", {"alpha": 2.0}, np.sqrt(4 / 3)),
    ("ce4", {"alpha": 1 / 4}, 1.264911),
    ("ce4", {"alpha": 3 / 4}, np.sqrt(3)),
    ("ce4", {"alpha": 5 / 4}, 0.0),
    ("ce5", {"alpha": 0.0}, np.sqrt(2)),
    ("ce5", {"alpha": 4 / 5}, 0.0),
    ("null-space-newmark", {"gamma": 0.5, "beta": 1 / 4}, np.inf),
    ("null-space-newmark", {"gamma": 0.5, "beta": 1 / 6}, np.sqrt(12)),
    ("null-space-newmark", {"gamma": 0.5, "beta": 1 / 12}, np.sqrt(6)),
]


@pytest.mark.parametrize(("name", "options", "limit"), LIMITS)
def test_limits(name, options, limit):
    """Spec 004, sections 2.7 and 4.2; where eigenvalues meet the limit is known to 1e-6 only."""
    assert analysed(name, **options).limit() == pytest.approx(limit, rel=1e-6)


def test_bands_of_instability():
    """BDF of order 3 is unstable for slow undamped motions only: on the imaginary axis up to sqrt(15)/2."""
    found = analysed("bdf", order=3)
    ((low, high),) = found.unstable()
    assert low == 0.0 and high == pytest.approx(np.sqrt(15) / 2, rel=1e-9)
    assert found.unstable(xi=0.5) == ()


@pytest.mark.parametrize(("z", "xi"), CASES)
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_bdf_roots(order, z, xi):
    """Eigenvalues are the roots of sum_j (1 - 1/w)^j / j = s for each eigenvalue s of the state matrix."""
    found = analysed("bdf", order=order).eigenvalues(z, xi)
    expected = []
    for s in np.linalg.eigvals(state_matrix(z, xi).astype(complex)):
        polynomial = np.zeros(order + 1, complex)
        for j in range(1, order + 1):  # times w^order
            polynomial += np.pad(np.poly(np.ones(j)) / j, (0, order - j))
        polynomial[0] -= s
        expected += list(np.roots(polynomial))
    for value in expected:
        assert np.abs(found - value).min() <= 1e-8 * max(1.0, abs(value))
    assert found.size == len(expected)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
def test_generalized_alpha_at_infinite_frequency(rho):
    found = analysed("generalized-alpha", rho=rho)
    assert found.radius(1e5) == pytest.approx(rho, abs=2e-3)
    assert found.damping(0.5) == pytest.approx(0.0, abs=1e-12) if rho == 1.0 else found.damping(0.5) > 1e-5


def newmark_matrix(z, xi, gamma, beta):
    """Of {h^2 x'', h x', x}: spec 004, section 2.7."""
    s, a = z * z, 1 / (2 + 4 * gamma * xi * z + 2 * beta * z * z)
    return a * np.array(
        [
            [4 * (gamma - 1) * xi * z + (2 * beta - 1) * s, -2 * s - 4 * xi * z, -2 * s],
            [2 * (1 - gamma) + (2 * beta - gamma) * s, 2 + 2 * (beta - gamma) * s, -2 * gamma * s],
            [1 - 2 * beta + 2 * (gamma - 2 * beta) * xi * z, 2 + 4 * (gamma - beta) * xi * z, 2 + 4 * gamma * xi * z],
        ]
    )


SETS = {
    "trapezoidal": (0.5, 0.25),
    "linear acceleration": (0.5, 1 / 6),
    "Fox-Goodwin": (0.5, 1 / 12),
    "damped": (0.6, 0.4),
}


@pytest.mark.parametrize(("z", "xi"), CASES)
@pytest.mark.parametrize("gamma_beta", SETS.values(), ids=SETS)
@pytest.mark.parametrize("name", ["newmark", "null-space-newmark"])
def test_newmark_matrix(name, gamma_beta, z, xi):
    gamma, beta = gamma_beta
    found = analysed(name, gamma=gamma, beta=beta)
    assert found.components[:2] == ("x", "h x'")
    order = [2, 1, 0]
    expected = newmark_matrix(z, xi, gamma, beta)
    np.testing.assert_allclose(
        found.matrix(z, xi)[np.ix_(order, order)], expected, rtol=0, atol=1e-9 * np.abs(expected).max()
    )


def one_step(solve):
    """The matrix of a step given as a function of {x, h x', h^2 x''}."""
    return np.column_stack([solve(*unit) for unit in np.eye(3)])


def collocation(theta, gamma, beta, z, xi):
    """Newmark over theta h, equilibrium there, acceleration brought back on the straight line. h = 1."""

    def solve(x, v, a):
        s = theta
        free_v, free_x = v + s * (1 - gamma) * a, x + s * v + s * s * (0.5 - beta) * a
        there = -(z * z * free_x + 2 * xi * z * free_v) / (1 + 2 * xi * z * s * gamma + z * z * s * s * beta)
        new = a + (there - a) / theta
        return x + v + (0.5 - beta) * a + beta * new, v + (1 - gamma) * a + gamma * new, new

    return one_step(solve)


def hilber(alpha, z, xi):
    """M a + (1 + alpha) (C v + K x) - alpha (C v + K x)_before = 0. h = 1."""
    gamma, beta = 0.5 - alpha, 0.25 * (1 - alpha) ** 2

    def solve(x, v, a):
        free_v, free_x = v + (1 - gamma) * a, x + v + (0.5 - beta) * a
        load = (1 + alpha) * (z * z * free_x + 2 * xi * z * free_v) - alpha * (z * z * x + 2 * xi * z * v)
        new = -load / (1 + (1 + alpha) * (2 * xi * z * gamma + z * z * beta))
        return free_x + beta * new, free_v + gamma * new, new

    return one_step(solve)


def same_spectrum(found, expected, tolerance=1e-8):
    """Equal up to zeros: the method may carry numbers that die at once."""
    found, expected = found[np.abs(found) > 1e-5], np.linalg.eigvals(expected)
    expected = expected[np.abs(expected) > 1e-5]
    assert found.size == expected.size
    assert max(np.abs(found - value).min() for value in expected) <= tolerance


@pytest.mark.parametrize(("z", "xi"), CASES)
def test_hht_wilson_and_collocation_spectra(z, xi):
    for alpha in (-0.3, -0.05):
        same_spectrum(analysed("hht", alpha=alpha).eigenvalues(z, xi), hilber(alpha, z, xi))
    same_spectrum(analysed("wilson-theta", theta=1.5).eigenvalues(z, xi), collocation(1.5, 0.5, 1 / 6, z, xi))
    options = {"theta": 1.3, "gamma": 0.5, "beta": 0.2}
    same_spectrum(analysed("collocation", **options).eigenvalues(z, xi), collocation(1.3, 0.5, 0.2, z, xi))


@pytest.mark.parametrize("z", [0.05, 0.7, 1.9])
@pytest.mark.parametrize("alpha", [1.0, 4 / 3, 2.0])
def test_ce3_matrix(alpha, z):
    """Spec 004, (9.116), of {x at the next time, h x', h^2 x''}."""
    s, beta = z * z, 0.5
    expected = np.array(
        [
            [1 - 0.5 * (alpha + 2 * beta) * s, 1, 1.5 - 0.5 * (alpha + 2 * beta)],
            [-beta * s, 1, 1 - beta],
            [-s, 0, 0],
        ]
    )
    same_spectrum(analysed("ce3", alpha=alpha).eigenvalues(z), expected)


@pytest.mark.parametrize("z", [0.05, 0.7, 1.9])
@pytest.mark.parametrize("alpha", [1 / 4, 3 / 4, 5 / 4])
def test_ce4_matrix(alpha, z):
    """Spec 004, (9.156)."""
    s, beta, gamma = z * z, 1 / 3, 1 / 2
    k = (alpha + 3 * beta) / (6 * gamma)
    expected = np.array(
        [
            [1 - (alpha + 3 * beta + 3 * gamma) * s / (6 * gamma), 1, 1 - k, 2 / 3 - k],
            [-beta * s / (2 * gamma), 1, 1 - beta / (2 * gamma), 0.5 - beta / (2 * gamma)],
            [-s, 0, 0, 0],
            [-s / gamma, 0, -1 / gamma, 1 - 1 / gamma],
        ]
    )
    same_spectrum(analysed("ce4", alpha=alpha).eigenvalues(z), expected, 1e-7)


@pytest.mark.parametrize("z", [0.05, 0.7, 1.3])
@pytest.mark.parametrize("alpha", [0.0, 4 / 5])
def test_ce5_matrix(alpha, z):
    """Spec 004, (9.158) to (9.162), with zeta = gamma = beta = 1; its matrix has 3/8 - ... in the place (1, 5) of (9.163)."""

    def step(x, v, a, j, s):
        a_new = -z * z * x
        s_new = 2 * (a_new - a - j)
        j_new = j + s_new
        v_new = v + a + 0.5 * j + s_new / 6
        return x + v_new + 0.5 * a_new + j_new / 6 + ((1 - alpha) * s + alpha * s_new) / 24, v_new, a_new, j_new, s_new

    expected = np.column_stack([step(*unit) for unit in np.eye(5)])
    assert expected[0, 4] == pytest.approx(3 / 8 - (alpha + 4 + 4) / 24)
    same_spectrum(analysed("ce5", alpha=alpha).eigenvalues(z), expected, 1e-6)


def test_radii_of_unstable_parameters():
    """Spec 004, table 9.9 and the corrected (9.163)."""
    np.testing.assert_allclose(
        analysed("ce4", alpha=5 / 4).radius([0.1, 0.01, 0.001]), [1.0033389, 1.0000333339, 1.00000033333], rtol=5e-8
    )
    np.testing.assert_allclose(
        analysed("ce5", alpha=4 / 5).radius([0.01, 0.1, 0.5, 1.0]), [1.0000267, 1.00267, 1.0708, 1.346], rtol=1e-4
    )


def test_a_step_that_fails_counts_as_growth():
    """Velocities of explicit methods are found by iteration, which strong damping drives apart."""
    found = analysed("central-difference")
    assert found.radius(50.0, xi=2.0) == np.inf
    assert 0.0 < found.limit(xi=2.0) <= 2.0


@pytest.mark.parametrize("name", list(INTEGRATORS))
def test_every_integrator_is_consistent(name):
    """For small steps the principal eigenvalue is that of the exact motion, to the order of the method."""
    if name in OWN_LOOP:
        with pytest.raises(IncompatibleMethods):
            br.analysis.stability(name)
        return
    found = analysed(name)
    for z, xi in ((0.1, 0.0), (0.1, 0.4), (0.05, 0.1)):
        exact = np.exp(z * (-xi + 1j * np.sqrt(1 - xi * xi)))
        assert abs(found.principal(z, xi) - exact) <= 2.0 * z ** (min(INTEGRATORS[name].order, 2) + 1)
        assert found.radius(z, xi) >= abs(found.principal(z, xi)) * (1 - 1e-12)


def test_what_is_analysed_is_what_runs():
    """A run of 200 steps of the damped oscillator is the matrix to the power 200."""
    z, xi, steps = 0.8, 0.05, 200
    system = br.System.from_functions(
        np.eye(1), lambda t, q, v: np.array([-q[0] - 0.1 * v[0]]), q0=[1.0], v0=[-0.3], name="oscillator"
    )
    for name in ("rk4", "radau5"):
        run = br.simulate(system, z * steps, integrator=name, step=z)
        x, v = np.linalg.matrix_power(analysed(name).matrix(z, xi), steps) @ [1.0, -0.3 * z]
        assert run.q[-1, 0] == pytest.approx(x, abs=1e-11)
        assert run.v[-1, 0] == pytest.approx(v / z, abs=1e-11)


@pytest.mark.parametrize("xi", [0.0004, 0.01, 0.04])
def test_small_limits_are_found(xi):
    """|1 + z (-xi + i sqrt(1 - xi^2))| = 1 at z = 2 xi."""
    assert analysed("euler").limit(xi) == pytest.approx(2 * xi, rel=1e-6)


def test_small_limit_of_a_multistep_method():
    """Stable as far as the parasitic roots allow, not at no step."""
    found = analysed("adams", order=12)
    limit = found.limit()
    assert 0.05 < limit < 0.1
    assert found.radius(0.9 * limit) < 1.0 + 1e-12 and found.radius(1.1 * limit) > 1.001


@pytest.mark.parametrize("name", ["euler", "heun"])
def test_growth_at_every_step_is_no_limit(name):
    """|R| - 1 of heun is z^4 / 8: rounding hides it for small z."""
    assert analysed(name).limit() == 0.0


def test_period_elongation_of_the_trapezoidal_rule():
    """tan(angle / 2) = z / 2."""
    found = analysed("generalized-alpha", rho=1.0)
    z = np.array([0.1, 0.7, 2.5])
    np.testing.assert_allclose(found.period_elongation(z), z / (2 * np.arctan(z / 2)) - 1, rtol=1e-9)
    assert np.isnan(analysed("bdf", order=1).period_elongation(0.5, xi=2.0))  # it only decays


def test_refusals():
    with pytest.raises(IncompatibleMethods, match='no integrator "rk5"'):
        br.analysis.stability("rk5")
    with pytest.raises(IncompatibleMethods, match='Unknown option "rhoo"'):
        br.analysis.stability("generalized-alpha", rhoo=0.5)
    with pytest.raises(ModelError, match="not negative"):
        analysed("rk4").radius(-1.0)
    for wrong in ("a", None, np.nan):
        with pytest.raises(ModelError, match="not negative"):
            analysed("rk4").matrix(wrong)
        with pytest.raises(ModelError, match="not negative"):
            analysed("rk4").radius(wrong)
    with pytest.raises(ModelError, match='no curve "radus"'):
        analysed("rk4").plot("radus")
    with pytest.raises(ModelError, match="takes a Model or a System"):
        br.analysis.reduced(3)
    model = br.problems.driven_pendulum()
    for wrong in (0, -3, 2.5):
        with pytest.raises(ModelError, match="samples is"):
            br.analysis.frequencies(model, samples=wrong)
    with pytest.raises(ModelError, match="length must be greater than zero"):
        br.analysis.frequencies(model, length=-1)


@pytest.mark.parametrize("quantity", ["radius", "damping", "period"])
def test_plots(quantity):
    ax = analysed("heun").plot(quantity, xi=(0.0, 0.2))
    curves = [line for line in ax.get_lines() if np.size(line.get_xdata()) > 2]
    assert len(curves) == 2 and np.isfinite(curves[0].get_ydata()).all()


# mechanisms


def pendulum():
    """Driven pendulum of spec 004, chapter 6: point mass of 1 kg on a rod of 1 m, g = 9.8."""
    model = br.Model("pendulum", gravity=(0, -9.8, 0), planar=True)
    model.body("bob", br.PointMass((0, -1, 0), mass=1.0))
    model.pin("A", model.ground, "bob", (0, 0, 0))
    return model


def test_frequency_of_the_pendulum_and_largest_steps():
    omega = br.analysis.frequencies(pendulum()).peak
    assert omega == pytest.approx(np.sqrt(9.8), rel=1e-10)  # 3.1304951...
    assert br.analysis.largest_step(pendulum(), "rk4") == pytest.approx(2 * np.sqrt(2) / omega, rel=1e-9)
    assert br.analysis.largest_step(pendulum(), "radau5") == np.inf
    assert br.analysis.largest_step(pendulum(), "euler", xi=0.1) == pytest.approx(0.2 / omega, rel=1e-6)


def test_fox_goodwin_step_of_the_pendulum():
    step = br.analysis.largest_step(pendulum(), "null-space-newmark", gamma=0.5, beta=1 / 12)
    assert step == pytest.approx(0.78246, abs=5e-6)  # spec 004, (6.14)


def test_reduced_matrices_of_a_damped_oscillator():
    model = br.Model("oscillator", gravity=(0, 0, 0), planar=True)
    model.body("mass", mass=2.0, inertia=1.0, position=(0, 0, 0))
    model.prismatic("P", model.ground, "mass", (0, 0, 0), (1, 0, 0))
    model.spring("S", model.ground, "mass", (-1, 0, 0), (0, 0, 0), stiffness=50.0, damping=3.0)
    found = br.analysis.reduced(model)
    for matrix, value in ((found.M, 2.0), (found.C, 3.0), (found.K, 50.0)):
        assert matrix == pytest.approx(np.array([[value]]), rel=1e-9)
    assert found.frequencies == pytest.approx([5.0], rel=1e-9)


@pytest.mark.parametrize("length", [None, 0.2, 3.0])
def test_at_rest_frequencies_are_those_of_the_linearisation(length):
    model = pendulum()
    model.body("rod", br.Rod((0, -1, 0), (0, -1.6, 0), mass=0.5))
    model.pin("B", "bob", "rod", (0, -1, 0))
    found = br.analysis.frequencies(model, length=length).omega[0]
    np.testing.assert_allclose(found, br.linearise(model).frequencies[::2], rtol=1e-7)


def four_bar():
    model = n_four_bar(1)
    model.wishes.clear()
    model.start(joint="A0", velocity=1.0)  # the top moves with 1 m/s towards -x
    return model


# model, duration (s), limit of Fox-Goodwin (s) with turns multiplied by 1 m: spec 004, section 6, claim 13 [P]
RUNS = {
    "four-bar": (four_bar, 10.0, 0.431),
    "double four-bar": (lambda: double_four_bar(planar=True), 10.0, 0.421),
    "slider-crank": (slider_crank_thesis, 10.0, 0.211),
    "Andrews": (andrews_testset, 0.05, 2.13e-3),
}


@pytest.mark.parametrize("name", RUNS)
def test_fox_goodwin_limits_along_a_run(name):
    model, duration, expected = RUNS[name]
    solution = br.simulate(model(), duration, rtol=1e-8, output=1001)
    found = br.analysis.frequencies(solution, length=1.0)
    assert np.sqrt(6) / found.peak == pytest.approx(expected, rel=3e-3)


def test_fox_goodwin_limit_of_the_bricard_linkage():
    """The spec's 1.05 s belongs to quaternions as coordinates."""
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    model = br.Model("bricard", gravity=(0, -9.81, 0))
    ends = np.array(points, float)
    for k in range(5):
        size = np.where(np.abs(ends[k + 1] - ends[k]) > 0.5, 1.0, 0.1)
        model.body(f"rod {k}", br.Box(tuple(size), mass=1.0, position=tuple((ends[k] + ends[k + 1]) / 2)))
    chain = [model.ground, *model.bodies.values(), model.ground]
    for k in range(6):
        model.revolute(f"P{k}", chain[k], chain[k + 1], points[k], axes[k])
    system = model.build(rotation="quaternion")
    solution = br.simulate(system, 7.0, formulation="index1", rtol=1e-8, output=201)
    assert np.sqrt(6) / br.analysis.frequencies(solution, samples=200).peak == pytest.approx(1.05, abs=1e-3)


def test_frequencies_along_a_run_and_their_plot():
    solution = br.simulate(pendulum(), 1.0, step=0.01)
    found = br.analysis.frequencies(solution, samples=11)
    assert found.t.size == 11 and found.omega.shape == (11, 1)
    np.testing.assert_allclose(found.largest, np.sqrt(9.8), rtol=1e-9)  # at rest
    ax = found.plot()
    assert ax.get_lines()[-1].get_ydata() == pytest.approx(found.largest)


def test_analysis_is_found_without_the_module_names_hiding_it():
    assert callable(br.analysis.stability) and callable(sys.modules["bricard.analysis.stability"].stability)


VARIANTS = [
    *((name, {}) for name, method in INTEGRATORS.items() if method.step is not None),
    *(("bdf", {"order": k}) for k in (1, 3, 4)),
    *(("adams", {"order": k}) for k in (1, 2, 3, 6)),
    ("gamd", {"order": 5}),
    ("central-difference", {"classic": True}),
    ("central-difference", {"formulation": "overdetermined"}),
    ("ce3", {"alpha": 4 / 3}),
]


def of_the_motion(words, z):
    """What a component says that it is, for x = exp(i z t / h) at t = 0."""
    if words.startswith("h^2 a"):
        return (1j * z) ** 2
    name, *rest = words.split(", ")
    value = (1j * z) ** name.partition(" of ")[0].count("'")
    if rest:
        value *= np.exp(-1j * z * int(rest[0].split()[0]))
    return value - (1j * z) ** name.count("'") if rest[1:] else value


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_components_are_what_their_words_say(name, options):
    """Small steps: the eigenvector of the motion is made of derivatives of x, now and some steps before."""
    found, z = analysed(name, **options), 0.02
    assert len(set(found.components)) == len(found.components)
    values, vectors = np.linalg.eig(found.matrix(z))
    vector = vectors[:, np.argmin(np.abs(values - found.principal(z)))]
    for words, value in zip(found.components, vector / vector[0], strict=True):
        exact = of_the_motion(words, z)
        if name == "ce5" and words.startswith("h^4"):  # a backward difference with zeta = 1: half a step late
            exact *= np.exp(-0.5j * z)
        assert abs(value - exact) <= 0.2 * z * abs(exact), words  # a step more or less would be z


def test_a_method_without_words_shows_places(monkeypatch):
    monkeypatch.setitem(INTEGRATORS, "wordless", replace(INTEGRATORS["bdf"], name="wordless", own=None))
    assert analysed("wordless", order=2).components == ("x", "h x'", "y[12]", "y[15]")
