"""Planar and 3-D models of the same planar mechanism agree."""

from functools import cache

import numpy as np
import pytest

from bricard.simulation import simulate
from mechanisms import four_bar, slider_crank

MODELS = {"four-bar": lambda planar: four_bar(planar=planar), "slider-crank": slider_crank}
every = pytest.mark.parametrize("name", list(MODELS))


@cache
def pair(name):
    """Planar and 3-D; the errors of the two differ (quaternions), but are far below the tolerance of the comparison."""
    return [simulate(MODELS[name](planar), 0.5, rtol=1e-11, output=21) for planar in (True, False)]


@every
def test_same_angles(name):
    flat, spatial = pair(name)
    for joint in "ABC":
        np.testing.assert_allclose(flat.joint(joint), spatial.joint(joint), rtol=0, atol=1e-8)


@every
def test_same_energy(name):
    flat, spatial = (s.energy for s in pair(name))
    np.testing.assert_allclose(flat.total, spatial.total, rtol=0, atol=1e-7 * np.abs(spatial.kinetic).max())


@every
def test_same_reactions_in_the_plane(name):
    flat, spatial = pair(name)
    for joint in "ABC":
        expected = spatial.reaction(joint).force[:, :2]
        np.testing.assert_allclose(
            flat.reaction(joint).force[:, :2], expected, rtol=0, atol=1e-7 * np.abs(expected).max()
        )


@every
def test_redundant_rows_out_of_the_plane_carry_nothing(name):
    """Smallest reactions: nothing loads the mechanism out of its plane."""
    spatial = pair(name)[1]
    assert np.abs(spatial.reaction("B").force[:, 2]).max() <= 1e-8 * np.abs(spatial.reaction("B").force).max()


@every
def test_planar_reactions_are_unique(name):
    flat, _ = pair(name)
    assert flat.reaction("A").unique
    assert flat.system.record.refinements == 0


def test_generalized_alpha_takes_the_same_steps():
    """Turns about one axis commute: the Lie-group steps are those of the planar method, up to Newton's tolerance."""
    options = {"formulation": "index3", "integrator": "generalized-alpha", "step": 0.002, "newton_tolerance": 1e-13}
    flat, spatial = (simulate(four_bar(planar=planar), 0.2, **options) for planar in (True, False))
    np.testing.assert_allclose(flat.joint("A"), spatial.joint("A"), rtol=0, atol=1e-9)
