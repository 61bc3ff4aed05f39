"""Every formulation of the registry on five mechanisms: the same motion as the reference, within the method's own accuracy.

Pendulum, four-bar (redundant in space), Bricard's six-bar, rolling disc (nonholonomic), and driven (rheonomic) mechanisms with
one and with no degree of freedom left. A method that does not admit a mechanism has to refuse it with a sentence.
"""

from functools import cache

import numpy as np
import pytest
from test_agreement import rolling_disc

import bricard.model as br
from bricard.errors import IncompatibleMethods
from bricard.pairing import choose
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from mechanisms import four_bar, pendulum, six_bar

DURATION = 0.4
RTOL, STEP = 1e-10, 1e-3  # of adaptive integrators, of those with a fixed step
ACCURACY = 5e-7  # of q, m or parts of a rotation
# methods whose own error is larger, with the reason
OWN = {
    "penalty": 5e-5,  # error proportional to 1/kappa
    "index3-alf": 2e-4,  # order 2 with a fixed step
    "overdetermined": 2e-6,  # the same
}


def driven_pendulum():
    """A crank that a driver turns, with a pendulum on it in another plane."""
    model = br.Model("driven pendulum")
    model.body("crank", br.Rod((0, 0, 0), (0.3, 0, 0), mass=1.0, radius=0.02))
    model.body("bob", br.Rod((0.3, 0, 0), (0.4, 0.2, -0.5), mass=1.0, radius=0.02))
    model.revolute("A", model.ground, "crank", (0, 0, 0), (0, 0, 1))
    model.revolute("B", "crank", "bob", (0.3, 0, 0), (0.3, 1, 0))
    model.drive("D", "A", br.Sine(0.5, 0.5))
    return model


def driven_four_bar():
    """No freedom is left: everything follows the driver."""
    model = four_bar(speed=None)
    model.drive("drive", "A", br.Polynomial((0.0, -2.0, -1.5)))
    return model


MECHANISMS = {
    "pendulum": pendulum,
    "four-bar": four_bar,
    "six-bar": six_bar,
    "rolling disc": rolling_disc,
    "driven pendulum": driven_pendulum,
    "driven four-bar": driven_four_bar,
}
USABLE = [name for name, formulation in FORMULATIONS.items() if not formulation.needs]


@cache
def system_of(mechanism):
    return MECHANISMS[mechanism]().build()


@cache
def reference(mechanism):
    return simulate(system_of(mechanism), DURATION, formulation="index1", integrator="dopri5", rtol=1e-11, output=5)


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
@pytest.mark.parametrize("formulation", USABLE)
def test_same_motion(formulation, mechanism):
    exact, f = reference(mechanism), FORMULATIONS[formulation]
    _, integrator, _ = choose(formulation, None, None)
    options = {"rtol": RTOL} if integrator.adaptive else {"step": STEP}
    system = system_of(mechanism)
    if not f.nonholonomic and system.record.velocity_level.any():
        with pytest.raises(IncompatibleMethods, match="nonholonomic"):
            simulate(system, DURATION, formulation=formulation, integrator=integrator.name, **options)
        return
    found = simulate(system, DURATION, formulation=formulation, integrator=integrator.name, output=5, **options)
    accuracy = OWN.get(formulation, ACCURACY)
    assert found.ok, found.status
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=accuracy)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=20 * accuracy * max(1.0, np.abs(exact.v).max()))


@pytest.mark.parametrize("formulation", USABLE)
def test_same_reactions(formulation):
    """Reactions come from the acceleration level at the method's own q and v."""
    exact, (_, integrator, _) = reference("four-bar"), choose(formulation, None, None)
    options = {"rtol": RTOL} if integrator.adaptive else {"step": STEP}
    found = simulate(
        system_of("four-bar"), DURATION, formulation=formulation, integrator=integrator.name, output=5, **options
    )
    accuracy = 100 * OWN.get(formulation, ACCURACY)
    for joint in "ABCD":
        a, b = exact.reaction(joint).force, found.reaction(joint).force
        np.testing.assert_allclose(b, a, rtol=0, atol=accuracy * np.abs(a).max())


@pytest.mark.parametrize("formulation", list(FORMULATIONS))
def test_registry_says_what_it_is(formulation):
    f = FORMULATIONS[formulation]
    assert f.title and f.references and f.forms and f.cost
    assert set(f.keeps) | set(f.drifts) <= {"position", "velocity", "acceleration"}
    assert not set(f.keeps) & set(f.drifts)
    assert bool(f.bounds) == (not f.keeps and not f.drifts)  # what neither holds nor drifts says what bounds it


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("name", [name for name, chosen in FORMULATIONS.items() if not chosen.needs])
def test_body_that_cannot_move_stays_where_it_is(name, coordinates):
    """What a wish leaves of a velocity there is round-off, and no error can be small beside it."""
    model = br.Model("held", gravity=(0, 0, 0))
    body = model.body("b", mass=0.4, inertia=(0.9, 0.85, 0.9), position=(0.3, -0.2, 0.8))
    model.planar("A", body, model.ground, (-0.3, -0.04, 0.5), (-0.07, -0.09, -1.0))
    model.prismatic("B", body, model.ground, (-0.2, -0.3, 0.4), (-0.5, -0.9, 0.1))
    model.start(body=body, velocity=(1.0, 0.3, -0.5), weight=1.0)
    solution = simulate(model, 0.1, formulation=name, coordinates=coordinates, step=0.01, output=3)
    assert np.abs(solution.v).max() < 1e-11  # False for NaN
