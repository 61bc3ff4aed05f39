"""Formulations in dependent coordinates: same accelerations, multipliers and motion; figures of the specs; what they refuse."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from spec_systems import double_pendulum, random_system
from test_agreement import rolling_disc
from test_singular_positions import double_four_bar, exact_angle

import bricard.model as br
from bricard.admission import check_admitted, without_inertia
from bricard.compiled.handles import pack
from bricard.compiled.interfaces import VELOCITY
from bricard.compiled.status import RUNNING
from bricard.errors import IncompatibleMethods, ModelError, SimulationError
from bricard.formulations.baumgarte import BAUMGARTE
from bricard.linalg.kkt import evaluate
from bricard.linalg.soft_rows import factorise_soft, solve_soft
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.reorder import reordered, velocities_first
from bricard.system.system import System
from mechanisms import MILLIMETRES, four_bar, pendulum, rssr, six_bar, slider_crank

EXACT = ("index1", "baumgarte", "multiplier-elimination", "projection", "pseudo-inverse-1", "pseudo-inverse-2")
SOFT = ("penalty", "augmented-lagrangian")
ODES = (*EXACT[1:], *SOFT)
WITH_LAM = tuple(name for name in EXACT if name != "projection")


def evaluated(system, formulation, state, **options):
    """v' (n_v,) and lam (n_rows,) of the right-hand side of a formulation at a state."""
    problem = FORMULATIONS[formulation].forms["Ode"](system, correction="none", **options)
    work = problem.work(state)
    y = problem.initial(state, work)
    y_dot = np.zeros_like(y)
    assert problem.functions[0](state.t, y, y_dot, problem.system.compiled, pack(work)) == RUNNING
    return y_dot[system.n_q :], work.u[system.n_v + 1 :].copy()


# accelerations and multipliers

TABLE_A = np.array([-24.798286346, 17.498918919])
TABLE_LAM = np.array([3.099785793, 4.441013514, -2.410944506, -1.259391892])


@pytest.mark.parametrize("formulation", (*EXACT, "augmented-lagrangian"))
def test_table_of_spec_000_at_the_start(formulation):
    """Section 9.1, case A, t = 0: the second derivatives of both angles, the multipliers of the source's own rows."""
    system = double_pendulum()
    a, lam = evaluated(system, formulation, assemble(system))
    np.testing.assert_allclose(a[[0, 3]], TABLE_A, rtol=0, atol=2e-9 if formulation in EXACT else 1e-7)
    if formulation != "projection":
        np.testing.assert_allclose(lam, TABLE_LAM, rtol=0, atol=2e-9 if formulation in EXACT else 1e-7)


@cache
def case(name):
    """A system and a state of it, not at rest."""
    if name.startswith("random"):
        system = random_system(redundant="redundant" in name)
    else:
        system = {"four-bar": four_bar, "six-bar": six_bar, "rssr": rssr, "disc": rolling_disc}[name]().build()
    return system, assemble(system)


CASES = ("random", "random redundant", "four-bar", "six-bar", "rssr", "disc")


@pytest.mark.parametrize("formulation", (*EXACT[1:], "augmented-lagrangian"))
@pytest.mark.parametrize("name", CASES)
def test_accelerations_are_equal(name, formulation):
    system, state = case(name)
    a = evaluated(system, formulation, state)[0]
    exact = evaluated(system, "index1", state)[0]
    accuracy = 1e-10 if formulation in EXACT else 1e-7
    np.testing.assert_allclose(a, exact, rtol=0, atol=accuracy * np.abs(exact).max())


@pytest.mark.parametrize("formulation", ("pseudo-inverse-1", "pseudo-inverse-2", "augmented-lagrangian"))
@pytest.mark.parametrize("name", CASES)
def test_multipliers_are_the_smallest_in_scaled_rows(name, formulation):
    """Redundant rows included: those of the acceleration level that a Solution shows."""
    system, state = case(name)
    lam = evaluated(system, formulation, state)[1]
    accuracy = 1e-6 if formulation == "augmented-lagrangian" else 1e-9
    np.testing.assert_allclose(lam, state.lam, rtol=0, atol=accuracy * np.abs(state.lam).max())


@pytest.mark.parametrize("name", ["random", "random redundant"])
def test_corrected_formula_of_spec_003(name):
    """Section 5, [C8]: v' = (I - M^-1 G^T C^+ G) M^-1 f + M^-1 G^T C^+ gamma, and the block formula of the pseudo-inverse."""
    system, state = case(name)
    m, g = system.mass(state.q).toarray(), system.jacobian(state.t, state.q).toarray()
    f, gamma = system.force(state.t, state.q, state.v), system.gamma(state.t, state.q, state.v)
    inverse = np.linalg.inv(m)
    c = np.linalg.pinv(g @ inverse @ g.T, rcond=1e-10)
    expected = inverse @ f + inverse @ g.T @ c @ (gamma - g @ inverse @ f)
    a, lam = evaluated(system, "pseudo-inverse-1", state)
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(lam, c @ (g @ inverse @ f - gamma), rtol=0, atol=1e-10)
    rows = len(g)
    whole = np.linalg.pinv(np.block([[m, g.T], [g, np.zeros((rows, rows))]]), rcond=1e-10) @ np.concatenate([f, gamma])
    a, lam = evaluated(system, "pseudo-inverse-2", state)
    np.testing.assert_allclose(np.concatenate([a, lam]), whole, rtol=0, atol=1e-9)


def test_penalty_error_is_proportional_to_its_inverse():
    system, state = case("rssr")
    exact, kappa = evaluated(system, "index1", state)[0], np.logspace(3, 7, 9)
    errors = [np.abs(evaluated(system, "penalty", state, kappa=k)[0] - exact).max() for k in kappa]
    assert np.polyfit(np.log(kappa), np.log(errors), 1)[0] == pytest.approx(-1.0, abs=0.05)


@pytest.mark.parametrize("kappa", [10.0, 1e2, 1e4])
def test_contraction_of_the_augmented_lagrangian(kappa):
    """Spec 003, section 3: the error of the multipliers shrinks by 1 / (1 + kappa sigma) per round."""
    system, state = case("random")
    work = system.work()
    packed, record = pack(work), system.record
    evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
    factorise_soft(system.compiled, packed, 1.0 / kappa)
    work.b[: system.n_v], work.b[system.n_v + 1 :] = work.f[: system.n_v], work.gamma
    errors = []
    for rounds in (1, 2, 3):
        solve_soft(system.compiled, packed, 0.0, rounds, 0.0, work.b, work.u)
        errors.append(np.abs(work.u[system.n_v + 1 :] - state.lam).max())
    m, g = system.mass(state.q).toarray(), system.jacobian(state.t, state.q).toarray()
    sigma = np.linalg.eigvalsh(g @ np.linalg.solve(m, g.T)).min() / record.row_diagonal[0]
    assert errors[2] / errors[1] == pytest.approx(1.0 / (1.0 + kappa * sigma), rel=0.1)


def test_multipliers_are_carried_over():
    """The second evaluation at a state needs fewer rounds than the first, and gives the same accelerations."""
    system, state = case("rssr")
    problem = FORMULATIONS["augmented-lagrangian"].forms["Ode"](system)
    work = problem.work(state)
    y, rounds, found = problem.initial(state, work), [], []
    for _ in range(2):
        y_dot = np.zeros_like(y)
        before = work.tally[1]
        problem.functions[0](state.t, y, y_dot, system.compiled, pack(work))
        rounds.append(int(work.tally[1] - before))
        found.append(y_dot)
    assert rounds[1] < rounds[0]
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-9 * np.abs(found[0]).max())


def test_dense_methods_do_not_depend_on_units():
    """Rank decisions and smallest multipliers are made in scaled rows."""
    for formulation in (*SOFT, "pseudo-inverse-1", "pseudo-inverse-2", "projection"):
        metres, other = four_bar().build(), four_bar(MILLIMETRES).build()
        a = evaluated(metres, formulation, assemble(metres))[0]
        b = evaluated(other, formulation, assemble(other))[0]
        moving = np.arange(a.size) % 6 < 3
        np.testing.assert_allclose(b, np.where(moving, 1000.0 * a, a), rtol=1e-6, atol=1e-6)


# motion

DRIVEN = "driven slider-crank"


def driven():
    """A motor turns the crank of a slider-crank as prescribed: rheonomic, no freedom left."""
    model = slider_crank(planar=False)
    model.drive("drive", "A", br.Polynomial((0.0, 5.0, 2.0)))
    return model


MECHANISMS = {
    "pendulum": pendulum,
    "four-bar": four_bar,
    "six-bar": six_bar,
    "rolling disc": rolling_disc,
    DRIVEN: driven,
}


@cache
def reference(name):
    return simulate(MECHANISMS[name](), 0.2, formulation="index1", integrator="dopri5", rtol=1e-11, output=5)


@pytest.mark.parametrize("formulation", ODES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_motion(name, formulation):
    """As index 1 with the same steps, plus what the method violates its constraints by."""
    solution = simulate(MECHANISMS[name](), 0.2, formulation=formulation, integrator="rk4", step=0.001, output=5)
    accuracy = 5e-6 if formulation == "penalty" else 2e-8 if formulation == "baumgarte" else 3e-9
    np.testing.assert_allclose(solution.q, reference(name).q, rtol=0, atol=accuracy)
    np.testing.assert_allclose(solution.v, reference(name).v, rtol=0, atol=100 * accuracy)
    assert solution.constraint_errors.position.max() <= accuracy


@pytest.mark.parametrize("name", MECHANISMS)
def test_motion_of_index3_alf(name):
    """Order 2, and all three levels hold."""
    solution = simulate(MECHANISMS[name](), 0.2, formulation="index3-alf", step=0.0005, output=5)
    np.testing.assert_allclose(solution.q, reference(name).q, rtol=0, atol=1e-4)
    errors = solution.constraint_errors
    assert errors.position.max() <= 1e-10
    assert errors.velocity.max() <= 1e-11
    assert errors.acceleration.max() <= 1e-7
    assert solution.counters["corrections"] == solution.counters["steps"] == 400


@pytest.mark.parametrize("name", ["pendulum", "four-bar", "six-bar"])
def test_order_of_index3_alf(name):
    """2 in positions, velocities and multipliers, also redundant ones: the part that exerts no force does not grow."""
    errors = []
    for step in (0.002, 0.001, 0.0005):
        solution = simulate(MECHANISMS[name](), 0.2, formulation="index3-alf", step=step, output=5)
        exact = reference(name)
        errors.append([np.abs(getattr(solution, key)[-1] - getattr(exact, key)[-1]).max() for key in ("q", "v", "lam")])
    slopes = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    np.testing.assert_allclose(slopes, 2.0, rtol=0, atol=0.3)


@pytest.mark.parametrize("formulation", ODES)
@pytest.mark.parametrize("planar", [True, False])
def test_singular_positions_are_passed(formulation, planar):
    options = {"correction": "mass"} if formulation == "penalty" else {}
    solution = simulate(
        double_four_bar(planar), 1.3, formulation=formulation, integrator="rk4", step=0.001, output=2, **options
    )
    angle = exact_angle(1.3)
    accuracy = 1e-5 if formulation in SOFT else 1e-8
    found = solution.point("bar 0", (0.5, 0, 0))[-1, :2]
    np.testing.assert_allclose(found, [np.cos(angle), np.sin(angle)], rtol=0, atol=accuracy)
    assert [round(event.t, 1) for event in solution.events] == [0.7, 1.2]


@pytest.mark.parametrize("planar", [True, False])
def test_index3_alf_passes_singular_positions(planar):
    solution = simulate(double_four_bar(planar), 1.3, formulation="index3-alf", step=0.001, output=2)
    angle = exact_angle(1.3)
    found = solution.point("bar 0", (0.5, 0, 0))[-1, :2]
    np.testing.assert_allclose(found, [np.cos(angle), np.sin(angle)], rtol=0, atol=1e-4)


def test_penalty_stops_where_violated_constraints_do_not_decide():
    with pytest.raises(SimulationError, match="the position is a singular one") as caught:
        simulate(double_four_bar(True), 1.3, formulation="penalty", integrator="rk4", step=0.001)
    assert 0.68 < caught.value.solution.t[-1] < 0.7145  # shortly before the singular position


def test_more_steps_show_the_order():
    """Augmented Lagrangian and dense methods have the order of RK4."""
    for formulation in ("augmented-lagrangian", "projection", "multiplier-elimination"):
        errors = []
        for step in (0.004, 0.002):
            solution = simulate(rssr(), 0.2, formulation=formulation, integrator="rk4", step=step, output=2)
            exact = simulate(rssr(), 0.2, formulation="index1", integrator="dopri5", rtol=1e-12, output=2)
            errors.append(np.abs(solution.q[-1] - exact.q[-1]).max())
        assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


def test_penalty_settles_at_the_predicted_violation():
    """Phi = lam / (kappa Omega^2) for a hanging body at rest, kappa in natural sizes."""
    model = br.Model("hanging")
    model.body("bob", br.Sphere((0, 0, -1), 0.1, mass=2.0))
    model.spherical("A", model.ground, "bob", (0, 0, 0))
    system = model.build()
    solution = simulate(system, 2.0, formulation="penalty", integrator="rk4", step=0.002, kappa=1e4, omega=20.0)
    found = system.constraint(2.0, solution.q[-1])
    expected = solution.lam[-1] * system.record.row_diagonal / (1e4 * 20.0**2)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3 * np.abs(expected).max())


# order of elimination


def test_velocities_are_eliminated_before_rows():
    system = six_bar().build()
    other = reordered(system, velocities_first(system))
    order = other.pattern.order
    assert (order[: system.n_v] < system.n_v).all() and (order[system.n_v :] > system.n_v).all()
    assert sorted(order.tolist()) == sorted(system.pattern.order.tolist())


def test_rows_stay_sparse():
    """Of a chain: joints couple with their neighbours only, so the factors grow with the number of bodies."""
    sizes = []
    for n in (10, 20):
        model, last = br.Model("chain"), None
        for i in range(n):
            body = model.body(f"b{i}", br.Rod((i, 0, 0), (i + 1, 0, 0), mass=1.0))
            model.spherical(f"J{i}", model.ground if last is None else last, body, (i, 0, 0))
            last = body
        system = model.build()
        sizes.append(reordered(system, velocities_first(system)).pattern.l_row.size)
    assert sizes[1] < 2.2 * sizes[0]


def test_run_goes_on_with_another_formulation():
    """The reordered system is the formulation's own affair."""
    first = simulate(four_bar(), 0.05, formulation="multiplier-elimination", integrator="rk4", step=0.001)
    both = simulate(first, 0.05, formulation="index3", integrator="generalized-alpha", step=0.0002)
    whole = simulate(four_bar(), 0.1, formulation="index1", integrator="rk4", step=0.001)
    np.testing.assert_allclose(both.q[-1], whole.q[-1], rtol=0, atol=1e-5)
    assert both.counters["rejected"] == 0


# what they take


def massless():
    """The coupler is a rod without mass, held by two ball joints and a hinge."""
    model = br.Model("massless coupler", gravity=(0, -9.81, 0))
    a, b, c, d = (0, 0, 0), (0, 0.3, 0), (0.9, 0.8, 0), (1, 0, 0)
    model.body("crank", br.Rod(a, b, mass=1.0, radius=0.02))
    model.body("link", br.Rod(b, c, mass=0.0))
    model.body("rocker", br.Rod(c, d, mass=2.0, radius=0.02))
    model.revolute("A", model.ground, "crank", a, (0, 0, 1))
    model.revolute("B", "crank", "link", b, (0, 0, 1))
    model.spherical("C", "link", "rocker", c)
    model.revolute("D", "rocker", model.ground, d, (0, 0, 1))
    model.start(joint="A", velocity=2.0)
    return model


@pytest.mark.parametrize("formulation", ["multiplier-elimination", "pseudo-inverse-1"])
def test_singular_mass_is_refused(formulation):
    with pytest.raises(IncompatibleMethods, match=r'singular.*body "link".*Use one of.*pseudo-inverse-2') as caught:
        simulate(massless(), 0.1, formulation=formulation, step=0.001, integrator="rk4")
    assert f", {formulation}" not in str(caught.value)


@pytest.mark.parametrize(
    "formulation", ["baumgarte", "projection", "pseudo-inverse-2", "augmented-lagrangian", "penalty"]
)
def test_singular_mass_is_taken_by_the_others(formulation):
    exact = simulate(massless(), 0.1, formulation="index1", integrator="rk4", step=0.001, output=2)
    solution = simulate(massless(), 0.1, formulation=formulation, integrator="rk4", step=0.001, output=2)
    np.testing.assert_allclose(solution.q, exact.q, rtol=0, atol=1e-6 if formulation == "penalty" else 1e-9)


def test_singular_mass_of_functions_is_seen():
    """A mass matrix with a full diagonal, as of Euler parameters, can be singular too."""

    def force(t, q, v):
        return 0 * v

    def phi(t, q):
        return np.array([q[0] - 2 * q[1]])

    found = []
    for coupling in (1.0, 0.9):
        mass = np.array([[1.0, coupling], [coupling, 1.0]])
        system = System.from_functions(mass, force, phi, q0=[2.0, 1.0], v0=[0.0, 0.0])
        found.append(without_inertia(system))
    assert found[0] is not None and found[1] is None


def test_euler_parameters():
    """Their mass matrix is singular: variant I is refused, variant II takes it (spec 003, table 5.1)."""
    system = pendulum().build(rotation="quaternion")
    options = {"integrator": "rk4", "step": 0.001, "output": 2}
    for formulation in ("multiplier-elimination", "pseudo-inverse-1"):
        with pytest.raises(IncompatibleMethods, match=r'singular.*body "bob"'):
            simulate(system, 0.1, formulation=formulation, **options)
    exact = simulate(pendulum(), 0.1, formulation="index1", **options).point("bob")
    for formulation in ("pseudo-inverse-2", "projection", "augmented-lagrangian"):
        found = simulate(system, 0.1, formulation=formulation, **options).point("bob")
        accuracy = 1e-10 if formulation == "augmented-lagrangian" else 1e-12  # its iteration ends at 1e-10
        np.testing.assert_allclose(found, exact, rtol=0, atol=accuracy)


def test_nonholonomic_rows_are_refused_by_name():
    system = rolling_disc().build()
    with pytest.raises(IncompatibleMethods, match=r'joint "rolls".*constrains velocities. Use one of index1'):
        check_admitted(replace(BAUMGARTE, nonholonomic=False), system)
    check_admitted(BAUMGARTE, system)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"formulation": "penalty", "kappa": -1.0}, "kappa of penalty is -1"),
        ({"formulation": "penalty", "kappa": "high"}, "kappa of penalty is 'high'"),
        ({"formulation": "baumgarte", "alpha": float("nan")}, "alpha of baumgarte is nan"),
        ({"formulation": "index3-alf", "kappa": 0.0, "integrator": "generalized-alpha"}, "between 100 and 1e"),
    ],
)
def test_numbers_are_checked(options, text):
    with pytest.raises(ModelError, match=text):
        simulate(pendulum(), 0.1, **({"integrator": "rk4", "step": 0.01} | options))


def test_unknown_options_name_those_of_both():
    with pytest.raises(IncompatibleMethods, match=r'Did you mean "kappa".*of penalty: omega, mu, kappa; of rk4: none'):
        simulate(pendulum(), 0.1, formulation="penalty", integrator="rk4", step=0.01, kapa=1.0)


def test_options_are_written_down():
    used = simulate(pendulum(), 0.02, formulation="baumgarte", integrator="rk4", step=0.01, alpha=3).provenance
    assert used["options"] == {"alpha": 3.0, "beta": 5.0}
    assert used["correction"] == "none"


@pytest.mark.parametrize("formulation", [*ODES, "index3-alf"])
def test_what_is_not_finite_is_said(formulation):
    """A force that overflows on the way: the run stops with a sentence, also where LAPACK is involved."""

    def force(t, q, v):
        return np.array([np.exp(1e4 * t) + 0 * v[0], 0 * v[1]])

    def phi(t, q):
        return np.array([q[1] - q[0] * q[0]])

    system = System.from_functions(np.eye(2), force, phi, q0=[0.0, 0.0], v0=[0.0, 0.0])
    solution = simulate(system, 0.1, formulation=formulation, step=0.01, check=False)
    assert not solution.ok
    assert "finite" in solution.status or "converge" in solution.status or "constraints" in solution.status
    if formulation != "index3-alf":  # a force, or a position, that is no number
        problem = FORMULATIONS[formulation].forms["Ode"](system, correction="none")
        work = problem.work(assemble(system))
        for t, x in ((1.0, 0.0), (0.0, np.nan)):
            y_dot = np.zeros(4)
            status = problem.functions[0](t, np.array([x, 0, 0, 0]), y_dot, problem.system.compiled, pack(work))
            assert status != RUNNING or not np.isfinite(y_dot).all()
        assert problem.functions[0](0.0, np.zeros(4), y_dot, problem.system.compiled, pack(work)) == RUNNING
        assert np.isfinite(y_dot).all()  # nothing is left of it
