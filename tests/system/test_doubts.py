"""The report doubts what is hardly meant, and nothing of mechanisms that are (T18)."""

import numpy as np
import pytest

import bricard as br
from bricard.problems import PROBLEMS
from bricard.system.doubts import doubts
from lab.campaign import declaring, generator


def four_bar(crank=0.3, joint=(0.9, 0.8, 0.0), scale=1.0):
    m, corner = br.Model("four-bar"), scale * np.array((0.0, crank, 0.0))
    joint, end = scale * np.array(joint), scale * np.array((1.0, 0.0, 0.0))
    a = m.body("crank", br.Rod((0, 0, 0), corner, mass=1.0))
    b = m.body("link", br.Rod(corner, scale * np.array((0.9, 0.8, 0)), mass=2.0))
    c = m.body("rocker", br.Rod(scale * np.array((0.9, 0.8, 0)), end, mass=2.0))
    points = ((0, 0, 0), corner, joint, end)
    for name, one, other, point in zip("ABCD", (m.ground, a, b, c), (a, b, c, m.ground), points, strict=True):
        m.revolute(name, one, other, point=point, axis=(0, 0, 1))
    return m


def test_a_joint_far_from_its_bodies_is_doubted():
    (note,) = doubts(four_bar(joint=(0.9, 8.0, 0.0)))
    assert 'joint "C" stands' in note and '"link"' in note and '"rocker"' in note
    assert any("note: joint" in line for line in four_bar(joint=(0.9, 8.0, 0.0)).report().notes)


def test_along_its_axis_a_hinge_may_stand_anywhere():
    assert not doubts(four_bar(joint=(0.9, 0.8, 50.0)))


def test_millimetres_typed_as_metres_are_doubted():
    found = doubts(four_bar(crank=300.0))
    assert len(found) == 1 and '"crank" is 300 m large' in found[0] and "${300*mm}" in found[0]
    (note,) = doubts(four_bar(scale=1000.0))
    assert "crank" in note and "rocker" in note and "lengths are in m" in note


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_problem_of_the_library_is_doubted(name):
    model = PROBLEMS[name].model()
    assert not isinstance(model, br.Model) or not doubts(model)


def test_random_mechanisms_are_doubted_for_their_size_only():
    """Some of the generator's are measured in other units: a thousand times as large."""
    for index in range(60):
        try:
            model = declaring.model(generator.draw(77, index))
        except br.ModelError:  # some are refused
            continue
        found = doubts(model)
        assert not found or (len(found) == 1 and "lengths are in m" in found[0] and "median" not in found[0])


def test_points_and_massless_bodies_have_no_size():
    m = br.Model("pendulum")
    bob = m.body("bob", br.PointMass((0, 0, -9.0), mass=1.0))
    m.spherical("A", m.ground, bob, point=(0, 0, 0))
    assert doubts(m) == []
