"""Stiff models under an explicit integrator are told of, with the remedy; others are not."""

import warnings

import numpy as np
import pytest

import bricard as br
from bricard.errors import StiffSystem
from bricard.problems import PROBLEMS

INERTIA = 1.0 / 3.0 + 1e-12  # kg m^2 of the rod about its end


def rod(stiffness, damping):
    """A thin rod of 1 m and 1 kg on a hinge with a spring and a damper, 1 rad from where both are at rest."""
    model = br.Model("rod", gravity=(0, -9.81, 0))
    model.body("rod", mass=1.0, inertia=(1 / 12, 1e-4, 1 / 12), position=(0, -0.5, 0))
    model.revolute("A", model.ground, "rod", (0, 0, 0), (0, 0, 1))
    model.torsion("S", "A", stiffness=stiffness, damping=damping)
    model.start(joint="A", position=1.0)
    return model


def told(model, duration, **options):
    """The sentence of the warning, which ends the run here, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", StiffSystem)
        try:
            br.simulate(model, duration, output=3, **options)
        except StiffSystem as warning:
            return str(warning)
    return None


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "rkf45", "adams"])
def test_a_stiff_damper_is_told_of(integrator):
    """Its rate, c / J = 3e9 1/s, is estimated; the run would take ten thousand million steps."""
    sentence = told(rod(0.0, 1e9), 10.0, integrator=integrator)
    assert f"steps of {integrator} are" in sentence and "needs far larger ones" in sentence
    assert "rates up to 3e+09 1/s" in sentence and 'integrator="radau5"' in sentence


def test_a_stiff_spring_that_came_to_rest_is_told_of():
    """sqrt(k / J) = 5.5e4 1/s."""
    sentence = told(rod(1e9, 1e3), 10.0)
    rate = float(sentence.split("rates up to ")[1].split(" 1/s")[0])
    assert rate == pytest.approx(np.sqrt(1e9 / INERTIA), rel=0.3) and "needs far larger ones" in sentence


def test_a_fast_vibration_is_told_of_where_it_takes_millions_of_steps():
    sentence = told(rod(1e9, 0.0), 100.0)
    assert "vibrates so fast" in sentence and "generalized-alpha" in sentence and "radau5" not in sentence


def test_the_remedy_is_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = br.simulate(rod(0.0, 1e9), 10.0, formulation="ggl", integrator="radau5")
    assert solution.ok and solution.counters["steps"] < 100


@pytest.mark.parametrize("name", ["rssr", "double-pendulum", "andrews-testset"])
@pytest.mark.parametrize("rtol", [1e-4, 1e-12])
def test_other_motions_are_not(name, rtol):
    """Coarse or fine, with many samples or none."""
    problem = PROBLEMS[name]
    assert told(problem.system(), 3 * problem.span, rtol=rtol) is None


def test_the_run_goes_on():
    """One warning; the result is that of the run."""
    with pytest.warns(StiffSystem) as caught:
        solution = br.simulate(rod(1e6, 3e4), 3.0, output=4, rtol=1e-4)
    assert len(caught) == 1 and solution.ok
    assert solution.joint("A")[-1] == pytest.approx(0.0, abs=1e-6)
