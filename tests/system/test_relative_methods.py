"""Every formulation, and integrators of all kinds, in relative coordinates: the motion of the absolute model."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import bricard as br
from bricard.errors import IncompatibleMethods, ModelError
from bricard.pairing import choose
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from mechanisms import four_bar
from trees import cart, chain

DURATION = 0.4
MECHANISMS = {"cart": cart, "four-bar": four_bar}
ACCURACY = 5e-7  # m
# methods whose own error is larger, with the reason
OWN = {"penalty": 5e-5, "index3-alf": 2e-5, "overdetermined": 5e-6}  # 1/kappa; order 2 with a fixed step, both
USABLE = [name for name, formulation in FORMULATIONS.items() if not formulation.needs]
STEPPED = {"radau": 1e-8, "bdf": 5e-5, "generalized-alpha": 2e-5, "energy-momentum": 2e-5, "rattle": 2e-5, "ce4": 1e-6}


@cache
def system_of(mechanism):
    return MECHANISMS[mechanism]().build(coordinates="relative")


@cache
def reference(mechanism):
    return simulate(MECHANISMS[mechanism](), DURATION, formulation="index1", integrator="dopri5", rtol=1e-11, output=5)


def error(solution, mechanism):
    """Largest distance of a body from where it is in absolute coordinates, m."""
    exact = reference(mechanism)
    return max(np.abs(solution.poses[name][0] - exact.poses[name][0]).max() for name in exact.system.model.bodies)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("formulation", USABLE)
def test_every_formulation(formulation, mechanism):
    _, integrator, _ = choose(formulation, None, None)
    options: dict[str, Any] = {"rtol": 1e-10} if integrator.adaptive else {"step": 1e-3}
    solution = simulate(
        system_of(mechanism), DURATION, formulation=formulation, integrator=integrator.name, output=5, **options
    )
    assert error(solution, mechanism) < OWN.get(formulation, ACCURACY)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("integrator", STEPPED)
def test_integrators_of_all_kinds(integrator, mechanism):
    solution = simulate(system_of(mechanism), DURATION, integrator=integrator, step=1e-3, output=5)
    assert error(solution, mechanism) < STEPPED[integrator]


def test_newton_has_the_full_tangent():
    """Generalized-alpha takes about as few iterations as in absolute coordinates."""
    counts = [
        simulate(what, DURATION, integrator="generalized-alpha", step=1e-3).counters["iterations"]
        for what in (system_of("four-bar"), four_bar())
    ]
    assert counts[0] <= 1.1 * counts[1]


def test_coordinates_are_a_choice_of_simulate():
    solution = br.simulate(cart(), DURATION, coordinates="relative", rtol=1e-10, output=5)
    assert solution.system.coordinates == solution.provenance["coordinates"] == "relative"
    assert error(solution, "cart") < ACCURACY


def test_a_system_keeps_its_coordinates():
    with pytest.raises(ModelError, match=r'model\.build\(coordinates="relative"\)'):
        br.simulate(cart().build(), DURATION, coordinates="relative")


def test_what_cannot_be_factorised_is_refused():
    system = chain(700).build(coordinates="relative")
    with pytest.raises(IncompatibleMethods, match="use index1 with an explicit integrator"):
        br.simulate(system, 0.01, step=1e-3)
    solution = br.simulate(system, 0.01, integrator="dopri5", rtol=1e-8, output=3)
    assert np.abs(solution.energy.error).max() < 1e-5


def test_loops_have_no_dead_points_that_the_mechanism_has_not():
    """Rows of a loop are eliminated behind all coordinates that move it: a part of it may be at a dead point of its own."""
    model = br.Model("loop")
    model.body("c", br.Cylinder((0, 0, 0), (0, 0, 0.2), 0.05, mass=1.0))
    model.body("l", br.Cylinder((0, 0, 0.2), (1, 0.5, 0.6), 0.03, mass=1.0))
    model.body("o", br.Cylinder((1, 0.5, 0.6), (1, 0.5, 0), 0.05, mass=1.0))
    model.revolute("A", model.ground, "c", (0, 0, 0), (0, 1, 0))
    model.spherical("B", "c", "l", (0, 0, 0.2))
    model.universal("C", "l", "o", (1, 0.5, 0.6), (0, 1, 0), (1, 0, 0))
    model.revolute("D", model.ground, "o", (1, 0.5, 0), (1, 0, 0))
    model.start(joint="A", velocity=4.0)
    system = model.build(coordinates="relative")
    assert not [event for event in br.simulate(system, 0.6, output=3).events if event.kind == "singular"]
    assert br.simulate(system, 0.3, formulation="penalty", integrator="rk4", step=1e-3, output=3).ok
