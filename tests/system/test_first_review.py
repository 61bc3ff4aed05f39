"""What an early review of the whole package found, one test each."""

import re

import numpy as np
import pytest
from measuring import pose, position, velocity
from test_assembler import chain, started

import bricard.model as br
from bricard.errors import SimulationError
from bricard.simulation import simulate
from bricard.system.build import build
from mechanisms import HERE, MILLIMETRES, TURNED, four_bar, pendulum, rssr

GA = {"formulation": "index3", "integrator": "generalized-alpha"}
RK4 = {"formulation": "index1", "integrator": "rk4"}
RADAU = {"formulation": "ggl", "integrator": "radau5"}


def cubic(t, x, rate):
    return -(x**3) - 0.1 * rate**3


def test_01_powers_in_a_users_law_have_their_derivatives():
    """Complex steps through Numba's ** of a negative base lost the tiny imaginary part; x**3 is x * x * x for either sign."""

    def multiplied(t, x, rate):
        return -(x * x * x) - 0.1 * rate * rate * rate

    def matrices(law):
        model = br.Model("m")
        model.body("b", br.Rod((0, 0, 0), (1, 0, 0), mass=1))
        model.revolute("A", model.ground, "b", (0, 0, 0), (0, 1, 0))
        model.torsion("T", "A", law=law)
        system = build(model)
        q = system.retract(system.start, np.array([0.0, 0.0, 0.0, 0.0, -0.7, 0.0]))
        v = np.array([0.0, 0.0, 0.0, 0.0, -0.4, 0.0])
        zeros = np.zeros(system.n_rows)
        return [part.toarray() for part in system.tangent(0.0, q, v, np.zeros(6), zeros)]

    for power, product in zip(matrices(cubic), matrices(multiplied), strict=True):
        np.testing.assert_allclose(power, product, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("integrator", ["index1", "adaptive 1e-8", "adaptive 1e-11"])
def test_02_dopri5_evaluates_its_first_stage(integrator):
    exact = simulate(pendulum(), 0.4, step=0.4 / 256, newton_tolerance=1e-13, output=2, **RADAU)
    if integrator == "index1":
        steps, errors = (0.04, 0.02, 0.01), []
        for h in steps:
            s = simulate(pendulum(), 0.4, formulation="index1", integrator="dopri5", step=h, output=2)
            errors.append(np.abs(s.v[-1] - exact.v[-1]).max())
        assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 4.7
    else:
        rtol = float(integrator.split()[1])
        s = simulate(pendulum(), 0.4, rtol=rtol, output=2)
        assert np.abs(s.q[-1] - exact.q[-1]).max() <= 5 * rtol


def six_bar():
    model = br.Model("bricard")
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    bodies = [model.ground]
    bodies += [model.body(f"b{i}", br.Rod(points[i], points[(i + 1) % 6], mass=1.0, radius=0.05)) for i in range(1, 6)]
    for i, axis in enumerate("yzxyzx"):
        model.revolute(f"J{i}", bodies[i - 1], bodies[i], points[i], np.eye(3)["xyz".index(axis)])
    return model


def test_03_reactions_of_generalized_alpha_on_a_redundant_loop():
    ga = simulate(six_bar(), 0.5, step=1e-3, output=6, **GA).reaction("J1").force[-1]
    exact = simulate(six_bar(), 0.5, step=1e-3, output=6, **RK4).reaction("J1").force[-1]
    np.testing.assert_allclose(ga, exact, rtol=0, atol=0.01 * np.abs(exact).max())


@pytest.mark.parametrize("quaternion", [(0.8, 0.4, -0.3, 0.2), (0.6, 0.8, 0, 0), (0, 1, 0, 0)])
def test_04_wished_rotation(quaternion):
    model = br.Model("free")
    model.body("body", mass=1.0, inertia=(1, 2, 2.5), com=(0.1, 0.2, 0.3))
    turn = br.rotation_matrix(quaternion)
    model.start(body="body", rotation=turn, position=(1, 2, 3))
    system, state = started(model)
    np.testing.assert_allclose(pose(system, state, "body")[1], turn, rtol=0, atol=1e-9)


@pytest.mark.parametrize("mechanism", [chain, lambda: four_bar(speed=None)])
def test_05_weighted_wish_yields_to_a_hard_one(mechanism):
    model = mechanism()
    model.start(joint="A", position=0.1)
    model.start(joint="A", position=0.5, weight=100.0)
    system, state = started(model)
    assert position(system, state, "A") == pytest.approx(0.1, abs=1e-8)


@pytest.mark.parametrize("weight", [0.1, 1.0])
def test_06_weighted_wishes_that_nothing_opposes_are_met(weight):
    model = four_bar(speed=None)
    model.start(joint="A", position=0.3, velocity=2.0, weight=weight)
    system, state = started(model)
    assert position(system, state, "A") == pytest.approx(0.3, abs=1e-6)
    assert velocity(system, state, "A") == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize("mechanism", [four_bar, rssr])
def test_07_ggl_in_millimetres(mechanism):
    here, there = (simulate(mechanism(w), 0.1, step=0.005, **RADAU) for w in (HERE, MILLIMETRES))
    assert there.counters["rejected"] == here.counters["rejected"] == 0
    assert there.counters["iterations"] <= 1.2 * here.counters["iterations"]


def test_08_reactions_of_a_redundant_loop_in_a_turned_world():
    """As test_03, at the level of Newton's tolerance: noise in the null space of G^T, divided by epsilon."""
    options = {"step": 0.005, "newton_tolerance": 1e-12} | RADAU
    here, there = (simulate(four_bar(w), 0.1, **options).reaction("B").force for w in (HERE, TURNED))
    np.testing.assert_allclose(there, here @ TURNED.R.T, rtol=0, atol=1e-7 * np.abs(here).max())


@pytest.mark.parametrize("mechanism", [pendulum, four_bar, rssr])
def test_09_continued_generalized_alpha(mechanism):
    whole = simulate(mechanism(), 0.2, step=0.005, **GA)
    halves = simulate(simulate(mechanism(), 0.1, step=0.005, **GA), 0.1, step=0.005, **GA)
    np.testing.assert_allclose(halves.q, whole.q, rtol=0, atol=1e-8)


@pytest.mark.parametrize("correction", ["mass", "none"])
def test_10_explicit_failures_name_a_body_or_joint(correction):
    model = pendulum()
    model.spring("stiff", model.ground, "bob", (2, 0, 0), (1, 0.2, 0.3), stiffness=1e12, length=0.5)
    with pytest.raises(SimulationError) as caught:
        simulate(model, 1.0, step=0.1, correction=correction, **RK4)
    assert re.search(r'(body|joint) "(bob|A)"', str(caught.value))


def test_11_failed_projection_halves_the_step():
    model = pendulum()
    model.spring("stiff", model.ground, "bob", (2, 0, 0), (1, 0.2, 0.3), stiffness=1e7, length=0.5)
    solution = simulate(model, 0.5, step=0.1, check=False, **RK4)
    assert solution.ok or solution.counters["rejected"] > 0


@pytest.mark.parametrize("mechanism", [four_bar, rssr])
def test_12_regularisation_does_not_see_a_rotation_of_the_world(mechanism):
    here, there = (build(mechanism(w)).record for w in (HERE, TURNED))
    np.testing.assert_allclose(there.regularisation, here.regularisation, rtol=1e-10)
