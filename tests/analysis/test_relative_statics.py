"""Equilibria of relative coordinates, and what the analyses say to input that is none."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError
from mechanisms import four_bar


def sprung():
    model = four_bar()
    joint = next(iter(model.joints))
    model.torsion("hold", joint, stiffness=300.0, angle=0.2)
    return model, joint


def test_stiffness_of_relative_coordinates_is_that_of_absolute_ones():
    model, joint = sprung()
    found = [br.equilibrium(model.build(coordinates=kind)) for kind in ("absolute", "relative")]
    for coordinate in [joint, list(model.joints)[-1]]:
        stiffness = [each.stiffness_of(coordinate) for each in found]
        np.testing.assert_allclose(stiffness[1], stiffness[0], rtol=1e-6)
        assert stiffness[0] > 0.0


@pytest.mark.parametrize(
    ("motion", "times", "match"),
    [
        (None, [0.0, 1.0], "motion must be"),
        ({"A": 0.0}, "x", "times must be"),
        ({"A": br.Polynomial((0.0, 1e9))}, [0.0, 1.0], "too far to be followed"),
    ],
)
def test_inverse_dynamics_says_what_it_needs(motion, times, match):
    with pytest.raises(ModelError, match=match):
        br.inverse_dynamics(four_bar(), motion, times)


def test_kinematics_says_what_it_needs():
    found = br.kinematics(four_bar(), {"A": (0.0, 0.1)}, points=2)
    for call in (
        lambda: found.point("link", (1, 2)),
        lambda: found.velocity("link", 1.0, point="p"),
        lambda: found.velocity("link", "a"),
        lambda: found.acceleration("link", np.nan),
    ):
        with pytest.raises(ModelError, match=r"must be (3|finite) numbers"):
            call()
    with pytest.raises(ModelError, match="takes a Model, not <System 'four-bar', relative coordinates: 3 positions"):
        br.kinematics(four_bar().build(coordinates="relative"), "A")


def test_linearise_refuses_inputs_that_are_none():
    with pytest.raises(ModelError, match="An input must be"):
        br.linearise(four_bar(), object())
