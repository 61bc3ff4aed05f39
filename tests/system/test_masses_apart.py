"""Masses far apart in bodies that nothing joins (V12)."""

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
