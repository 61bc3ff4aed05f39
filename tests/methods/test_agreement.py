"""Independent formulations give the same motion and the same reactions; corrections and continued runs."""

from functools import cache

import numpy as np
import pytest

import bricard.model as br
from bricard.simulation import simulate
from mechanisms import four_bar, pendulum, rssr

MECHANISMS = {"pendulum": pendulum, "four-bar": four_bar, "rssr": rssr}
METHODS = {
    "index1": {"formulation": "index1", "integrator": "rk4", "step": 0.1 / 512},
    "ggl": {"formulation": "ggl", "integrator": "radau5", "step": 0.1 / 64, "newton_tolerance": 1e-13},
    "index3": {"formulation": "index3", "integrator": "generalized-alpha", "step": 0.1 / 4096},
}
every = pytest.mark.parametrize("name", list(MECHANISMS))


@cache
def solved(name, method):
    return simulate(MECHANISMS[name](), 0.1, output=9, **METHODS[method])


@every
def test_motion_of_index1_and_ggl(name):
    first, second = (solved(name, method) for method in ("index1", "ggl"))
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(first.v, second.v, rtol=0, atol=1e-8)


@every
def test_motion_of_index3_and_ggl(name):
    """Order 2: with 4096 steps the error is of the order (1/4096)^2 times some hundred."""
    first, second = (solved(name, method) for method in ("index3", "ggl"))
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=1e-5)


@every
def test_reactions_of_index1_and_ggl(name):
    first, second = (solved(name, method) for method in ("index1", "ggl"))
    for joint in (j for j in "ABCD" if j in first.system.model.joints):
        a, b = first.reaction(joint), second.reaction(joint)
        np.testing.assert_allclose(a.force, b.force, rtol=0, atol=1e-5 * np.abs(a.force).max())
        np.testing.assert_allclose(a.moment, b.moment, rtol=0, atol=1e-5 * np.abs(a.force).max())


def rolling_disc():
    """A disc that rolls on a slightly inclined plane: one row of contact, two nonholonomic ones."""
    model = br.Model("disc", gravity=(0.3, 0, -9.81))
    lean = np.array([0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    centre, axis = 0.5 * lean, (1.0, 0.0, -0.3)
    model.body("disc", br.Cylinder(centre - 0.01 * np.array(axis), centre + 0.01 * np.array(axis), 0.5, mass=2.0))
    model.rolling_disc("rolls", "disc", 0.5, axis, centre, plane_point=(0, 0, centre[2] - 0.5 * lean[2]))
    model.start(body="disc", angular_velocity=(6.0, 0.0, -1.0), weight=100.0)
    return model


@pytest.mark.parametrize(("method", "accuracy"), [("ggl", 1e-8), ("index3", 1e-5)])
def test_rolling_disc(method, accuracy):
    exact, other = (simulate(rolling_disc(), 0.1, output=9, **METHODS[m]) for m in ("index1", method))
    np.testing.assert_allclose(other.q, exact.q, rtol=0, atol=accuracy)


def test_rolling_disc_conserves_energy():
    """Nonholonomic constraints do no work."""
    energy = simulate(rolling_disc(), 0.1, **METHODS["index1"]).energy
    assert np.abs(energy.total - energy.total[0]).max() <= 1e-9 * energy.kinetic.max()


@pytest.mark.parametrize("name", ["pendulum", "rssr"])
def test_own_multipliers_are_those_of_the_acceleration_level(name):
    """What the implicit methods carry as lam converges to what index 1 computes (first sample left out: given)."""
    exact = solved(name, "index1").reaction_multipliers
    for method, accuracy in (("ggl", 1e-4), ("index3", 1e-3)):
        found = solved(name, method).lam
        np.testing.assert_allclose(found[1:], exact[1:], rtol=0, atol=accuracy * np.abs(exact).max())


def test_reaction_of_a_resting_body_is_its_weight():
    model = br.Model("resting")
    model.body("block", br.Box((1, 1, 1), mass=3.0, position=(2, 0, 0)))
    model.fixed("clamp", model.ground, "block", (0, 0, 0))
    reaction = simulate(model, 0.01, step=0.005).reaction("clamp")
    np.testing.assert_allclose(reaction.force[-1], (0, 0, 3 * 9.81), rtol=0, atol=1e-10)
    np.testing.assert_allclose(reaction.moment[-1], (0, -2 * 3 * 9.81, 0), rtol=0, atol=1e-10)


@every
def test_mass_correction_keeps_the_constraints_at_round_off(name):
    errors = simulate(MECHANISMS[name](), 0.3, formulation="index1", integrator="rk4", step=0.003).constraint_errors
    assert errors.position.max() <= 1.01e-12  # the tolerance of the projection
    assert errors.velocity.max() <= 1e-12


@every
def test_without_correction_they_drift(name):
    options = {"formulation": "index1", "integrator": "rk4", "step": 0.003, "correction": "none"}
    errors = simulate(MECHANISMS[name](), 0.3, **options).constraint_errors
    assert errors.position[-1] > 1e-11


@every
def test_correction_does_not_cost_accuracy(name):
    errors = []
    for correction in ("mass", "none"):
        options = {"formulation": "index1", "integrator": "rk4", "step": 0.1 / 32, "correction": correction}
        solution = simulate(MECHANISMS[name](), 0.1, output=9, **options)
        errors.append(np.abs(solution.q - solved(name, "ggl").q).max())
    assert errors[0] <= 3 * errors[1]


@every
@pytest.mark.parametrize(("method", "accuracy"), [("index1", 1e-13), ("ggl", 1e-9)])
def test_continued_run_equals_one_run(name, method, accuracy):
    """Exactly the same steps; an implicit method starts its Newton iteration afresh, within its tolerance of 1e-10."""
    options = METHODS[method] | {"step": 0.005}
    whole = simulate(MECHANISMS[name](), 0.1, **options)
    continued = simulate(simulate(MECHANISMS[name](), 0.05, **options), 0.05, **options)
    np.testing.assert_allclose(continued.t, whole.t, rtol=0, atol=1e-15)
    np.testing.assert_allclose(continued.q, whole.q, rtol=0, atol=accuracy)
    np.testing.assert_allclose(continued.v, whole.v, rtol=0, atol=100 * accuracy)


def test_continued_run_keeps_time_and_turns():
    """A driven hinge goes on where it was, with its turns counted."""
    model = br.Model("wheel")
    model.body("wheel", br.Cylinder((0, 0, 0), (0, 0, 0.1), 0.5, mass=1.0))
    model.revolute("A", model.ground, "wheel", (0, 0, 0), (0, 0, 1))
    model.drive("drive", "A", br.Polynomial((0.0, 20.0, 3.0)))
    options = {"formulation": "index1", "integrator": "rk4", "step": 0.01}
    solution = simulate(simulate(model, 0.5, **options), 0.5, **options)
    np.testing.assert_allclose(solution.joint("A"), 20 * solution.t + 3 * solution.t**2, rtol=0, atol=1e-7)


def test_continued_run_adds_its_counters():
    options = METHODS["index1"] | {"step": 0.01}
    half = simulate(pendulum(), 0.05, **options)
    assert simulate(half, 0.05, **options).counters["steps"] == 2 * half.counters["steps"] == 10


@every
def test_energy_error_falls_with_the_order(name):
    """Power balance, work of motors, springs and dampers included."""
    found = []
    for steps in (100, 200):
        solution = simulate(MECHANISMS[name](), 0.1, formulation="index1", integrator="rk4", step=0.1 / steps)
        found.append(np.abs(solution.energy.error).max())
    assert found[1] <= max(found[0] / 10, 1e-12 * np.abs(solution.energy.total).max())
