"""A warning names the line of the user that it is about, however deep in the package it is found."""

import warnings

import pytest

import bricard as br
from mechanisms import four_bar


def unreal():
    br.Model("m").body("b", mass=1.0, inertia=(1.0, 1.0, 2.1))


def changed():
    model = four_bar()
    system = model.build()
    model.gravity = (0, 0, -1.0)
    br.simulate(system, 0.01)


def far():
    model = br.Model("apart", planar=True)
    model.body("crank", br.Rod((0, 0, 0), (0, 1, 0), mass=1.0))
    model.body("rocker", br.Rod((3, 0, 0), (3, 2, 0), mass=1.0))
    model.pin("A", model.ground, "crank", (0, 0, 0))
    model.pin("D", model.ground, "rocker", (3, 0, 0))
    model.distance("coupler", "crank", "rocker", (0, 1, 0), (3, 2, 0), length=3.4)
    br.simulate(model, 0.01)


def turning():
    model = br.Model("fast")
    rod = model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("A", model.ground, rod, point=(0, 0, 0), axis=(0, 0, 1))
    model.start(joint="A", velocity=1e4)
    br.simulate(model, 1.0, step=0.1, integrator="rk4", output=3, check=False).joint("A")


@pytest.mark.parametrize("told", [unreal, changed, far, turning], ids=lambda f: f.__name__)
def test_a_warning_names_the_line_of_the_user(told):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        told()
    assert found and {warning.filename for warning in found} == {__file__}
