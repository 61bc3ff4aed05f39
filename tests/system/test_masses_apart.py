"""Masses far apart in bodies that nothing joins (V12), and in a chain (T25)."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import SingularMassError


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("ratio", [1e12, 1e15, 1e18, 1e30])
def test_v12_bodies_that_nothing_joins_may_differ_by_any_ratio(ratio, coordinates):
    model = br.Model("ratio", gravity=(0, 0, 0))
    model.body("big", mass=ratio, inertia=(ratio,) * 3)
    model.body("small", mass=1.0, inertia=(1.0, 2.0, 1.5), position=(3, 0, 0))
    model.start(body="small", velocity=(0, 1, 0), angular_velocity=(0, 0.5, 0))
    model.force("push", "small", force=(2.0, 0, 0))
    s = br.simulate(model, 1.0, coordinates=coordinates, rtol=1e-9)
    np.testing.assert_allclose(s.point("small")[-1], (4, 1, 0), atol=1e-8)
    np.testing.assert_allclose(s.point("big")[-1], 0.0, atol=1e-12)


def test_a_body_without_mass_is_refused_beside_a_heavy_one_as_alone():
    model = br.Model("none")
    model.body("big", mass=1e15, inertia=(1e15,) * 3)
    model.body("none", mass=0.0, inertia=(0.0,) * 3, position=(3, 0, 0))
    with pytest.raises(SingularMassError, match='"none"'):
        br.simulate(model, 1.0)


def three_rods(ratio, closed):
    """A chain of 1 kg, 1 kg / ratio, and 1 kg that swings; or a four-bar of them, in space."""
    model, axis = br.Model("three rods", gravity=(0, -9.81, 0)), (0, 0, 1)
    model.body("a", br.Rod((0, 0, 0), (0, 1, 0), mass=1.0))
    model.body("b", br.Rod((0, 1, 0), (1.2, 1.3, 0), mass=1.0 / ratio))
    model.body("c", br.Rod((1.2, 1.3, 0), (1, 0, 0), mass=1.0))
    model.revolute("A", model.ground, "a", (0, 0, 0), axis)
    model.revolute("B", "a", "b", (0, 1, 0), axis)
    model.revolute("C", "b", "c", (1.2, 1.3, 0), axis)
    if closed:
        model.revolute("D", "c", model.ground, (1, 0, 0), axis)
        model.start(joint="A", velocity=1.0)
    return model


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("ratio", [2e5, 5e-6])
def test_t25_sdirk_in_index_3_is_as_exact_as_with_equal_masses(ratio, closed):
    """Positions were off by 0.1 at rtol = 1e-8."""
    errors = []
    for r in (1.0, ratio):
        exact = br.simulate(three_rods(r, closed), 1.0, integrator="dop853", rtol=1e-12, output=11)
        run = br.simulate(three_rods(r, closed), 1.0, formulation="index3", integrator="sdirk", rtol=1e-8, output=11)
        errors.append(np.abs(run.q - exact.q).max())
    assert errors[1] <= 10.0 * errors[0] <= 1e-3
