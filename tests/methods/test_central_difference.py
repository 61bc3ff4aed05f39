"""central-difference and the conditionally explicit family: tables 9.1, 9.2 and 9.5 to 9.10 of spec 004, orders, stability."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from spec_systems import random_system
from test_agreement import rolling_disc
from test_every_formulation import driven_pendulum

import bricard.model as br
from bricard.problems import PROBLEMS
from bricard.simulation import simulate
from bricard.system.system import System
from mechanisms import four_bar, pendulum, rssr, six_bar

GRAVITY = 9.81
ODE: dict[str, Any] = {"formulation": "index1"}
SHAKE: dict[str, Any] = {"formulation": "overdetermined", "integrator": "central-difference"}


@cache
def swing(angle=0.0, speed=0.0):
    """A01 as theta'' = g / L cos theta, L = 1 m, theta from the horizontal (9.98)."""
    return System.from_functions(
        np.eye(1),
        lambda t, q, v: np.array([GRAVITY * np.cos(q[0]) + 0 * v[0]]),
        q0=[angle],
        v0=[speed],
        potential=lambda q: -GRAVITY * np.sin(q[0]),
    )


@cache
def oscillator(damping=0.0):
    return System.from_functions(
        np.eye(1),
        lambda t, q, v: np.array([-q[0] - damping * v[0]]),
        q0=[0.3],
        v0=[0.7],
        potential=lambda q: 0.5 * q[0] ** 2,
    )


def drift(integrator, step, without=0, **options):
    """The largest energy error in 10 s, the last `without` steps not counted (the source's code left them out)."""
    solution = simulate(
        swing(), 10.0, step=step, integrator=integrator, output=round(10.0 / step) + 1, **ODE, **options
    )
    energy = 0.5 * solution.v[:, 0] ** 2 - GRAVITY * np.sin(solution.q[:, 0])
    return np.abs(energy[: energy.size - without]).max()


@pytest.mark.parametrize(("step", "figure"), [(1e-3, 2.00492e-05), (1e-4, 2.00492e-07)])
def test_table_9_5_without_cancellation(step, figure):
    """Claim 16."""
    assert drift("central-difference", step) == pytest.approx(figure, rel=1e-5)


def test_table_9_5_classic_form():
    assert drift("central-difference", 1e-3, classic=True) == pytest.approx(2.00492e-05, rel=1e-5)
    assert drift("central-difference", 1e-4, classic=True) == pytest.approx(2.00597e-07, rel=0.01)


@pytest.mark.slow
def test_table_9_5_rounding_rules_the_classic_form():
    assert drift("central-difference", 1e-5) == pytest.approx(
        2.01358e-09, rel=5e-3
    )  # a million steps: rounding of 1e-11
    assert drift("central-difference", 1e-5, classic=True) >= 1e-8


@pytest.mark.parametrize(
    ("alpha", "coarse", "fine"),
    [(1.0, 2.00492e-05, 2.00492e-07), (4 / 3, 1.27955e-05, 1.21061e-07), (2.0, 3.85689e-06, 3.99453e-08)],
)
def test_table_9_6(alpha, coarse, fine):
    """Claim 17."""
    assert drift("ce3", 1e-3, alpha=alpha) == pytest.approx(coarse, rel=1e-5)
    assert drift("ce3", 1e-4, alpha=alpha) == pytest.approx(fine, rel=1e-4)


@pytest.mark.parametrize(
    ("alpha", "coarse", "fine"), [(0.25, 8.67265e-07, 8.67649e-10), (0.75, 4.33641e-07, 4.33944e-10)]
)
def test_table_9_8(alpha, coarse, fine):
    """Claim 18. At 1e-4 the table itself has rounding errors of 4e-13."""
    assert drift("ce4", 1e-3, without=2, alpha=alpha) == pytest.approx(coarse, rel=5e-6)
    assert drift("ce4", 1e-4, without=2, alpha=alpha) == pytest.approx(fine, rel=2e-3)


def test_table_9_8_with_the_best_local_error():
    assert drift("ce4", 1e-3, alpha=1.25) == pytest.approx(5.54996e-11, rel=0.01)


@pytest.mark.parametrize(("step", "figure"), [(1e-3, 6.71276e-11), (8e-4, 2.73115e-11), (6e-4, 8.56559e-12)])
def test_table_9_10(step, figure):
    """Claim 19: the published parameters, over 10 s, in which their instability does not show."""
    assert drift("ce5", step, alpha=0.8) == pytest.approx(figure, rel=0.02)


@pytest.mark.parametrize(("step", "figure"), [(1e-3, 1.14e-10), (2e-3, 1.93e-9), (4e-3, 3.43e-8)])
def test_corrected_snap_method(step, figure):
    assert drift("ce5", step) == pytest.approx(figure, rel=0.01)


def amplitude(integrator, step, steps, **options):
    """sqrt(x^2 + v^2) of the undamped oscillator, omega = 1."""
    solution = simulate(
        oscillator(), steps * step, step=step, integrator=integrator, output=steps + 1, check=False, **ODE, **options
    )
    return np.hypot(solution.q[:, 0], solution.v[:, 0])


@pytest.mark.parametrize(
    ("integrator", "options", "stable", "unstable"),
    [
        ("central-difference", {}, 1.99, 2.01),
        ("central-difference", {"classic": True}, 1.99, 2.01),
        ("ce3", {}, 1.99, 2.01),
        ("ce3", {"alpha": 4 / 3}, 1.54, 1.56),
        ("ce3", {"alpha": 2.0}, 1.15, 1.16),
        ("ce4", {}, 1.72, 1.74),
        ("ce4", {"alpha": 0.25}, 1.26, 1.27),
        ("ce5", {}, 1.41, 1.42),
    ],
)
def test_stability_limits(integrator, options, stable, unstable):
    """Tables 9.7 and 9.9, claims 17, 18, 20."""
    assert amplitude(integrator, stable, 2000, **options).max() <= 20.0
    assert amplitude(integrator, unstable, 2000, **options).max() >= 1e4


@pytest.mark.parametrize(
    ("integrator", "alpha", "step", "radius"),
    [("ce4", 1.25, 0.1, 1.0033389), ("ce5", 0.8, 0.1, 1.00267), ("ce5", 0.8, 0.5, 1.0708)],
)
def test_parameters_that_are_never_stable(integrator, alpha, step, radius):
    """Table 9.9, and the published set of the snap method: the amplitude grows by the spectral radius in each step."""
    steps = round(80.0 / np.log(radius))
    size = amplitude(integrator, step, steps, alpha=alpha)
    growth = (size[-1] / size[3 * steps // 4]) ** (1.0 / (steps - 3 * steps // 4))
    assert growth - 1.0 == pytest.approx(radius - 1.0, rel=0.02)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("classic", [True, False])
@pytest.mark.parametrize(("angle", "figure"), [(0.0, 3.60886e-05), (np.pi / 4, 8.0787e-06)])
def test_shake_has_the_figures_of_tables_8_2_and_9_1(angle, figure, classic, planar):
    """Claim 14: pendulum with constraints at the end of the step, 4 s."""
    model = br.Model("pendulum", gravity=(0, -GRAVITY, 0), planar=planar)
    model.body("bob", mass=1.0, inertia=(0, 0, 0), position=(np.cos(angle), -np.sin(angle), 0))
    model.revolute("A", model.ground, "bob", (0, 0, 0), (0, 0, 1))
    solution = simulate(model, 4.0, step=1e-3, classic=classic, **SHAKE)
    assert np.abs(solution.energy.error).max() == pytest.approx(figure, rel=1e-5)
    assert solution.constraint_errors.position.max() <= 2e-15


def test_shake_passes_the_singular_positions_of_the_slider_crank():
    """From rest, 10 s with 3 ms: 5.6e-4 J in the spec, the bound is 1e-3 J."""
    model = PROBLEMS["slider-crank-thesis"].model()
    model.wishes.clear()
    solution = simulate(model, 10.0, step=3e-3, **SHAKE)
    assert np.abs(solution.energy.error).max() == pytest.approx(5.6e-4, rel=0.01)


def test_shake_is_what_it_says():
    """M a + G^T lam = f at every step, velocities are differences of positions, and classic is the same but for rounding."""
    system = four_bar(planar=True).build()
    solution = simulate(system, 0.2, step=2e-3, **SHAKE)
    assert solution.own_a is not None
    np.testing.assert_allclose((solution.q[2:] - solution.q[:-2]) / 4e-3, solution.v[1:-1], atol=1e-10)
    np.testing.assert_allclose(
        (solution.q[2:] - 2 * solution.q[1:-1] + solution.q[:-2]) / 4e-6, solution.own_a[1:-1], atol=1e-6
    )
    for k in (1, 50, 100):
        work, r = system.evaluated(solution.t[k], solution.q[k], solution.v[k]), system.record
        force = np.zeros(r.n_v + 1)
        np.add.at(force, r.m_row.astype(int), work.m * np.append(solution.own_a[k], 0)[r.m_column.astype(int)])
        np.add.at(force, r.g_column.astype(int), work.g * solution.lam[k][r.g_row.astype(int)])
        np.testing.assert_allclose(force[:-1], work.f[: r.n_v], atol=1e-8)
    classic = simulate(system, 0.2, step=2e-3, classic=True, **SHAKE)
    np.testing.assert_allclose(classic.q, solution.q, atol=1e-10)


ORDERS = {"central-difference": 2, "ce3": 2, "ce4": 3, "ce5": 4}
MECHANISMS = {
    "pendulum": (pendulum, 0.4, 0.005),
    "rssr": (lambda: rssr(speed=2.0), 0.16, 0.0025),
    "six-bar": (six_bar, 0.4, 0.01),
    "rolling disc": (rolling_disc, 0.4, 0.01),
    "driven pendulum": (driven_pendulum, 0.4, 0.01),
}


@cache
def reference(name):
    mechanism, duration, _ = MECHANISMS[name]
    return simulate(mechanism(), duration, formulation="index1", integrator="dopri5", rtol=1e-13, output=2)


def slopes(name, keys=("q", "v"), **options):
    mechanism, duration, largest = MECHANISMS[name]
    exact, sizes, found = reference(name), largest * 0.5 ** np.arange(1, 4), []
    for h in sizes:
        solution = simulate(mechanism(), duration, step=float(h), output=2, **options)
        assert solution.counters["rejected"] == 0
        found.append([np.abs(getattr(solution, key)[-1] - getattr(exact, key)[-1]).max() for key in keys])
    return [np.polyfit(np.log(sizes), np.log(column), 1)[0] for column in np.array(found).T]


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("integrator", list(ORDERS))
def test_order_with_constraints(name, integrator):
    """What the source left open: the family on DAEs."""
    assert slopes(name, integrator=integrator, **ODE) == pytest.approx([ORDERS[integrator]] * 2, abs=0.3)


@pytest.mark.parametrize("name", ["pendulum", "rssr"])
@pytest.mark.parametrize("integrator", list(ORDERS))
def test_order_of_the_multipliers(name, integrator):
    found = slopes(name, ("lam",), integrator=integrator, **ODE)
    assert found == pytest.approx([ORDERS[integrator]], abs=0.3)


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("classic", [False, True])
def test_order_of_shake(name, classic):
    keys = ("q", "v") if name == "six-bar" else ("q", "v", "lam")  # its multipliers are not unique
    assert slopes(name, keys, classic=classic, **SHAKE) == pytest.approx([2] * len(keys), abs=0.3)


@pytest.mark.parametrize(("integrator", "order"), list(ORDERS.items()))
def test_order_from_a_moving_start(integrator, order):
    """j = s = 0 at the start, as the source has it, would cost the order here."""
    system, found = swing(0.3, 2.0), []
    exact = simulate(system, 1.0, formulation="index1", integrator="dop853", rtol=1e-13, output=2)
    sizes = 0.02 * 0.5 ** np.arange(4)
    for h in sizes:
        solution = simulate(system, 1.0, step=float(h), integrator=integrator, output=2, **ODE)
        found.append(abs(solution.q[-1, 0] - exact.q[-1, 0]))
    assert np.polyfit(np.log(sizes), np.log(found), 1)[0] == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("integrator", list(ORDERS))
def test_redundant_rows_of_functions(integrator):
    exact = simulate(random_system(), 0.4, formulation="index1", integrator="dopri5", rtol=1e-12, output=2)
    solution = simulate(random_system(redundant=True), 0.4, step=2e-3, integrator=integrator, output=2, **ODE)
    np.testing.assert_allclose(solution.q[-1], exact.q[-1], atol=1e-7)


def test_explicit_where_no_force_depends_on_velocity():
    model = br.Model("thrown", planar=True)
    model.body("disc", mass=1.0, inertia=0.1)
    model.start(body="disc", velocity=(1, 2, 0), angular_velocity=(0, 0, 3))
    for integrator in ("central-difference", "ce3", "ce4", "ce5"):
        solution = simulate(model, 1.0, step=0.01, integrator=integrator, **ODE)
        assert solution.counters["evaluations"] <= solution.counters["steps"] + 8
        np.testing.assert_allclose(solution.q[-1], [1.0, 2.0 - GRAVITY / 2, 3.0], atol=1e-12)


@pytest.mark.parametrize("integrator", list(ORDERS))
def test_damping_is_found_by_iteration(integrator):
    exact = simulate(oscillator(0.4), 2.0, formulation="index1", integrator="dop853", rtol=1e-12, output=2)
    solution = simulate(oscillator(0.4), 2.0, step=0.01, integrator=integrator, output=2, **ODE)
    assert solution.q[-1, 0] == pytest.approx(exact.q[-1, 0], abs=2e-5)


@pytest.mark.parametrize("integrator", list(ORDERS))
def test_damping_that_is_too_strong_ends_with_a_sentence(integrator):
    solution = simulate(oscillator(1e6), 1.0, step=0.1, integrator=integrator, check=False, **ODE)
    assert not solution.ok
    assert "did not converge" in solution.status or "finite" in solution.status
