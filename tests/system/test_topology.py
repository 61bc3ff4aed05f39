"""Degrees of freedom, loops and redundant rows of mechanisms whose mobility is known."""

from functools import cache

import numpy as np
import pytest

import bricard.model as br
from bricard.simulation import simulate
from bricard.system.report import report
from mechanisms import HERE, MILLIMETRES, TURNED, four_bar, pendulum, rssr, six_bar, slider_crank

# freedom, Gruebler's count, redundant rows, closed loops
KNOWN = {
    "pendulum": (pendulum, 1, 1, 0, 0),
    "four-bar": (four_bar, 1, -2, 3, 1),
    "planar four-bar": (lambda: four_bar(planar=True), 1, 1, 0, 1),
    "slider-crank": (lambda: slider_crank(planar=False), 1, -2, 3, 1),
    "rssr": (rssr, 2, 2, 0, 1),  # the coupler may spin about its own axis
    "six-bar": (six_bar, 1, 0, 1, 1),
}
every = pytest.mark.parametrize("name", list(KNOWN))


@cache
def known(name):
    mechanism, *numbers = KNOWN[name]
    return report(mechanism()), numbers


@every
def test_degrees_of_freedom(name):
    found, (freedom, *_) = known(name)
    assert found.freedom == freedom


@every
def test_count(name):
    found, (_, count, *_) = known(name)
    assert found.gruebler == count


@every
def test_redundant_rows(name):
    found, (_, _, redundant, _) = known(name)
    assert len(found.redundant) == redundant


@every
def test_loops(name):
    found, (*_, loops) = known(name)
    assert len(found.loops) == loops


@every
def test_none_of_these_starts_is_singular(name):
    assert not known(name)[0].singular


@pytest.mark.parametrize("world", [TURNED, MILLIMETRES])
def test_redundancy_that_depends_on_exact_geometry_is_found_in_every_world(world):
    """Rounded to other axes and units, the six-bar is still mobile."""
    assert report(six_bar(world)).freedom == report(six_bar(HERE)).freedom == 1


def test_six_bar_that_is_not_quite_one_cannot_move():
    """A link turned by a degree: no freedom is left, and nothing is redundant."""
    model = six_bar()
    tilted = br.Model("tilted")
    for name, body in model.bodies.items():
        tilted.body(name, body.shape)
    for name, joint in model.joints.items():
        point, axis = joint.frame_a.world_position, joint.frame_a.world_rotation[:, 2]
        bodies = [b.name for b in joint.bodies]
        tilted.revolute(name, *bodies, point, axis + (0.02 if name == "J3" else 0.0) * np.array([1.0, 0, 0]))
    assert report(tilted).freedom == 0


def test_parallelogram_stretched_out_is_singular():
    model = br.Model("parallelogram", planar=True)
    points = [(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)]
    for i, name in enumerate(("left", "coupler", "right")):
        model.body(name, br.Rod(points[i], points[i + 1], mass=1.0))
    model.pin("A", model.ground, "left", points[0])
    model.pin("B", "left", "coupler", points[1])
    model.pin("C", "coupler", "right", points[2])
    model.pin("D", "right", model.ground, points[3])
    assert report(model).singular


@pytest.mark.parametrize(("options", "accuracy"), [({"formulation": "ggl"}, 1e-6), ({"formulation": "index3"}, 1e-5)])
def test_formulations_agree_on_the_six_bar(options, accuracy):
    first = simulate(six_bar(), 0.3, formulation="index1", integrator="rk4", step=0.001)
    other = simulate(six_bar(), 0.3, step=0.001, **options)
    np.testing.assert_allclose(other.joint("J1"), first.joint("J1"), rtol=0, atol=accuracy)
