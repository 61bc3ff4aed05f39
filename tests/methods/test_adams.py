"""Adams-Bashforth-Moulton: measured orders, error against tolerance, effort, restarts, corrections, output between the steps."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import ode

import bricard as br
from bricard.integrators.adams import HIGHEST, NODES, difference, integrate
from bricard.problems.double_pendulum import double_pendulum_functions
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from mechanisms import HERE, MILLIMETRES, four_bar, pendulum, rssr
from physical_pendulum import errors, exact, system

METHOD = {"formulation": "index1", "integrator": "adams"}


@cache
def reference(mechanism, end, output=2):
    return simulate(mechanism(), end, rtol=1e-13, formulation="index1", integrator="dop853", output=output)


# ---- the formulas ----

MOULTON = {1: (1 / 2, 1 / 2), 2: (5 / 12, 8 / 12, -1 / 12), 3: (9 / 24, 19 / 24, -5 / 24, 1 / 24)}
BASHFORTH = {1: (1.0,), 2: (3 / 2, -1 / 2), 3: (23 / 12, -16 / 12, 5 / 12), 4: (55 / 24, -59 / 24, 37 / 24, -9 / 24)}


@pytest.mark.parametrize("h", [0.1, 3.0])
def test_weights_are_the_classical_ones_for_equal_steps(h):
    d, w = h * np.arange(13.0), np.zeros(13)
    for last, weights in MOULTON.items():
        integrate(h, d, 0, last, w)
        np.testing.assert_allclose(w[: last + 1] / h, weights, rtol=1e-13)
    for last, weights in BASHFORTH.items():
        integrate(h, d, 1, last, w)
        np.testing.assert_allclose(w[1 : last + 1] / h, weights, rtol=1e-13)


@pytest.mark.parametrize("p", range(1, HIGHEST))
def test_weights_integrate_polynomials_over_any_steps(p):
    """Slopes of x^p at unequal times: p + 1 of them give the exact integral, and the last one what is new."""
    rng = np.random.default_rng(p)
    d = np.concatenate([[0.0], np.cumsum(rng.uniform(0.5, 2.0, 12))])
    w, less, step = np.zeros(13), np.zeros(13), d[1]
    integrate(step, d, 0, p, w)
    powers = d[: p + 1] ** p
    assert w[: p + 1] @ powers == pytest.approx(
        step ** (p + 1) / (p + 1), rel=0, abs=1e-14 * (np.abs(w[: p + 1]) @ powers)
    )
    integrate(step, d, 0, p - 1, less)
    gain = w[: p + 1].copy()
    gain[:p] -= less[:p]
    difference(step, d, p, w)
    np.testing.assert_allclose(w[: p + 1], gain, rtol=1e-7, atol=1e-12)
    assert 2 * NODES.size - 1 >= HIGHEST - 1


# ---- orders ----


@pytest.mark.parametrize("order", range(1, HIGHEST + 1))
def test_order_on_the_pendulum(order):
    """Fixed steps; the even orders do better at some times, so that the largest error of the way is judged."""
    largest = 0.01 if order <= 2 else 0.02 if order <= 6 else 0.05
    steps, found = largest * 0.5 ** np.arange(3), []
    for h in steps:
        solution = simulate(system(), 2.0, step=h, order=order, output=21, correction="none", check=False, **METHOD)
        here = [[np.abs(q - p).max() for q, p in zip((solution.q[k], solution.v[k], solution.lam[k]), exact(t), strict=True)]
                for k, t in enumerate(solution.t)]  # fmt: skip
        found.append(np.max(here, axis=0))
    slopes = np.polyfit(np.log(steps), np.log(np.array(found)), 1)[0]
    if order <= 8:
        np.testing.assert_allclose(slopes, order, rtol=0, atol=0.3)
    else:
        assert slopes.min() >= 7.5


@pytest.mark.parametrize("order", [2, 4, 5, 6])
def test_order_in_a_closed_loop_in_space(order):
    """Corrections after each step do not spoil it. The largest error of the way is judged."""
    exact, found = reference(rssr, 0.16, 9), []
    steps = {2: 0.001, 4: 0.002, 5: 0.002, 6: 0.002}[order] * 0.5 ** np.arange(3)
    for h in steps:
        solution = simulate(rssr(), 0.16, step=h, order=order, output=9, **METHOD)
        assert solution.counters["corrections"] > 0
        found.append([np.abs(getattr(solution, key) - getattr(exact, key)).max() for key in ("q", "v", "lam")])
    slopes = np.polyfit(np.log(steps), np.log(np.array(found)), 1)[0]
    np.testing.assert_allclose(slopes, order, rtol=0, atol=0.3)


def test_fixed_steps_cost_two_evaluations():
    solution = simulate(system(), 1.0, step=0.01, order=6, output=2, energy=False, **METHOD)
    assert solution.counters["steps"] == 100
    assert solution.counters["evaluations"] == 4 * 12 + 96 * 2  # four starting steps, then five slopes are there


# ---- tolerance and effort ----


def test_error_follows_the_tolerance():
    tolerances, found = 10.0 ** -np.arange(4.0, 13.0), []
    for rtol in tolerances:
        solution = simulate(system(), 2.0, rtol=rtol, output=51, **METHOD)
        found.append(max(np.abs(q - exact(t)[0]).max() for t, q in zip(solution.t, solution.q, strict=True)))
        assert found[-1] <= 30 * rtol  # also between the steps
    assert np.polyfit(np.log(tolerances), np.log(found), 1)[0] == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("mechanism", [rssr, four_bar])
@pytest.mark.parametrize("formulation", ["index1", "svd", "coordinate-partitioning"])
def test_error_follows_the_tolerance_in_closed_loops(mechanism, formulation):
    tolerances, found = 10.0 ** -np.arange(5.0, 11.0), []
    for rtol in tolerances:
        solution = simulate(mechanism(), 0.25, rtol=rtol, formulation=formulation, integrator="adams", output=2)
        found.append(np.abs(solution.q[-1] - reference(mechanism, 0.25).q[-1]).max())
        assert found[-1] <= 30 * rtol
    assert np.polyfit(np.log(tolerances), np.log(found), 1)[0] == pytest.approx(1.1, abs=0.25)


# spec 000, section 9.3, variable-order Adams (VODE): tolerance -> (Phi, energy error, evaluations) directly
SPEC = {
    1e-4: (3.7e-3, 2.1e-2, 497),
    1e-5: (1.6e-3, 1.5e-2, 682),
    1e-6: (6.3e-5, 1.7e-4, 937),
    1e-8: (1.1e-6, 1.1e-5, 1557),
}


@pytest.mark.parametrize("rtol", list(SPEC))
def test_double_pendulum_of_spec_000(rtol):
    """Drift and energy error of the direct method of the source within a factor of 12, evaluations as few as VODE's."""
    solution = simulate(
        double_pendulum_functions("A"), 5.0, rtol=rtol, output=501, correction="none", check=False, **METHOD
    )
    energy = solution.energy.total
    gap, change, evaluations = SPEC[rtol]
    assert gap / 12 <= solution.constraint_errors.position.max() <= 12 * gap
    assert change / 12 <= np.abs(energy - energy[0]).max() <= 12 * change
    assert 0.7 * evaluations <= solution.counters["evaluations"] <= 1.1 * evaluations


def test_effort_is_that_of_vode():
    """On the same ODE: as many evaluations for as much accuracy."""
    problem, end, rtol = br.problem(pendulum(), "index1", correction="none"), 2.0, 1e-8
    vode = ode(problem.rhs).set_integrator("vode", method="adams", rtol=rtol, atol=rtol, nsteps=10_000)
    calls = []
    vode.f = lambda t, y: (calls.append(t), problem.rhs(t, y))[1]
    other = vode.set_initial_value(problem.initial(), 0.0).integrate(end)
    n_q = 7
    exact = simulate(pendulum(), end, rtol=1e-13, formulation="index1", integrator="dop853", output=2).q[-1]
    solution = simulate(pendulum(), end, rtol=rtol, correction="none", output=2, **METHOD)
    assert solution.counters["evaluations"] <= 1.1 * len(calls)
    assert np.abs(solution.q[-1] - exact).max() <= np.abs(other[:n_q] - exact).max()


def test_highest_order_is_an_option():
    counts = [simulate(system(), 1.0, rtol=1e-7, order=k, output=2, **METHOD).counters["steps"] for k in (2, 3, 5, 8)]
    assert counts[0] > 3 * counts[1] > 6 * counts[2] > 6 * counts[3]
    first = simulate(system(), 1.0, rtol=1e-5, order=1, output=2, **METHOD)
    assert first.counters["steps"] > 200 and errors(first, 1.0)[0] <= 2e-2


def test_output_between_steps_is_as_good_as_the_steps():
    dense = simulate(system(), 1.0, rtol=1e-9, output=1001, **METHOD)
    assert dense.counters["steps"] < 150
    off = np.array([np.abs(v - exact(t)[1]).max() for t, v in zip(dense.t, dense.v, strict=True)])
    assert off.max() <= 1e-7
    sparse = simulate(system(), 1.0, rtol=1e-9, output=2, **METHOD)
    assert sparse.counters["evaluations"] == dense.counters["evaluations"]
    for order in (1, 5, 9):  # also of the starting steps
        largest = []
        for output in (51, np.linspace(0, 1, 301)):
            solution = simulate(system(), 1.0, step=0.02, order=order, output=output, **METHOD)
            off = np.array([np.abs(q - exact(t)[0]).max() for t, q in zip(solution.t, solution.q, strict=True)])
            largest.append(off.max())
        assert largest[1] <= 1.02 * largest[0]
    assert off[solution.t < 0.1].max() <= 1e-12  # the last one is of order 9


# ---- restarts ----


@pytest.mark.parametrize("formulation", ["svd", "coordinate-partitioning"])
def test_new_coordinates_mean_a_new_start(formulation):
    """Restarts are counted, cost some refused and small steps, and leave the accuracy."""
    plain = simulate(rssr(), 0.5, rtol=1e-8, output=2, **METHOD)
    solution = simulate(rssr(), 0.5, rtol=1e-8, formulation=formulation, integrator="adams", output=2)
    assert solution.counters["rebasings"] >= 2
    extra = solution.counters["evaluations"] - plain.counters["evaluations"]
    assert 0 < extra <= 40 * solution.counters["rebasings"]
    np.testing.assert_allclose(solution.q[-1], reference(rssr, 0.5).q[-1], rtol=0, atol=1e-6)
    fixed = simulate(rssr(), 0.5, step=0.0005, order=6, formulation=formulation, integrator="adams", output=2)
    assert fixed.counters["rebasings"] >= 2
    np.testing.assert_allclose(fixed.q[-1], reference(rssr, 0.5).q[-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("formulation", [f.name for f in FORMULATIONS.values() if "Ode" in f.forms and not f.needs])
@pytest.mark.parametrize("mechanism", [system, double_pendulum_functions], ids=["pendulum", "double pendulum"])
def test_no_formulation_has_new_coordinates_all_the_time(mechanism, formulation):
    """Basis and rows are changed now and then at most: the history lasts, and the effort is that of index1."""
    plain, solution = (
        simulate(mechanism(), 2.0, rtol=1e-6, formulation=f, integrator="adams", output=2)
        for f in ("index1", formulation)
    )
    assert solution.counters["rebasings"] <= 0.1 * solution.counters["steps"]
    assert solution.counters["evaluations"] <= 2 * plain.counters["evaluations"]


@pytest.mark.parametrize("order", [4, 6])
def test_order_with_gram_schmidt(order):
    """Two freedoms. The basis is kept while it is good, so that this is the order of the method, not of its starting steps."""
    steps, found = (0.0025 if order == 4 else 0.01) * 0.5 ** np.arange(3), []
    exact = reference(double_pendulum_functions, 2.0, 11)
    for h in steps:
        options = {"formulation": "gram-schmidt", "integrator": "adams", "step": h, "order": order, "output": 11}
        found.append(np.abs(simulate(double_pendulum_functions(), 2.0, **options).q - exact.q).max())
    assert np.polyfit(np.log(steps), np.log(found), 1)[0] == pytest.approx(order, abs=0.3)


def test_one_freedom_has_one_direction():
    """Another B does not change u': no restart, even with a new one after every step."""
    often, seldom = (
        simulate(four_bar(), 0.5, rtol=1e-8, formulation="gram-schmidt", integrator="adams", output=2, rebase=rebase)
        for rebase in ("always", "on weakness")
    )
    assert often.counters == seldom.counters
    np.testing.assert_allclose(often.q[-1], seldom.q[-1], rtol=0, atol=1e-11)


def test_corrections_need_no_restart():
    """The same steps with and without them, to a few."""
    with_, without = (
        simulate(double_pendulum_functions("A"), 5.0, rtol=1e-8, output=2, correction=name, **METHOD)
        for name in ("mass", "none")
    )
    assert with_.counters["corrections"] > 0
    assert with_.counters["steps"] == pytest.approx(without.counters["steps"], rel=0.05)
    assert with_.constraint_errors.position.max() <= 1e-11 < without.constraint_errors.position.max()


def test_a_jump_of_the_force_is_passed():
    model = pendulum()
    model.motor("M", "A", br.SmoothStep(0.0, 20.0, 0.3, 0.300001))
    exact = simulate(model, 0.6, rtol=1e-11, formulation="index1", integrator="dopri5", output=2)
    solution = simulate(model, 0.6, rtol=1e-7, output=2, **METHOD)
    assert np.abs(solution.q[-1] - exact.q[-1]).max() <= 1e-5
    assert solution.counters["steps"] <= 300
    assert np.diff(solution.step_times[solution.step_times > 0.45]).max() > 5e-3


def test_a_run_can_go_on():
    whole = simulate(system(), 1.0, rtol=1e-9, output=3, **METHOD)
    half = simulate(system(), 0.5, rtol=1e-9, output=2, **METHOD)
    again = simulate(half, 0.5, rtol=1e-9, output=2, **METHOD)
    np.testing.assert_allclose(again.q, whole.q, rtol=0, atol=1e-7)


def test_units_do_not_matter():
    one, two = (simulate(rssr(world), 0.25, rtol=1e-7, output=2, **METHOD) for world in (HERE, MILLIMETRES))
    assert one.counters == two.counters
    np.testing.assert_allclose(two.v[-1, :3] / 1000, one.v[-1, :3], rtol=0, atol=1e-7)


def test_stiffness_stops_it_with_a_sentence_or_many_steps():
    """Explicit: the step follows the fastest damping, and the run says so by its count."""
    model = four_bar(speed=0.0)
    model.torsion("thick", "A", stiffness=0.0, damping=20.0)
    solution = simulate(model, 0.05, rtol=1e-5, output=2, **METHOD)
    stiff = np.abs(np.linalg.eigvals(br.linearise(model).A)).max()
    assert solution.counters["steps"] >= 0.05 * stiff / 4
