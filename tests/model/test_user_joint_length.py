"""The length of a users' joint is its own: it does not depend on where its frames lie, and bounds no motion."""

import numpy as np
import pytest

import bricard as br
from bricard.system.user_start import Start

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def path(s, p):
    """A circle of radius 0.3 m about (p[0], 0, 0), by its arc length."""
    return (p[0] + 0.3 * np.cos(s[0] / 0.3), 0.3 * np.sin(s[0] / 0.3), 0.0), UPRIGHT


def path_closure(d, C, s, p):
    return (
        d[0] - p[0] - 0.3 * np.cos(s[0] / 0.3),
        d[1] - 0.3 * np.sin(s[0] / 0.3),
        d[2],
        C[0][1],
        C[0][2],
        C[1][2],
    )


def slide(s, p):
    return (0.0, 0.0, s[0]), UPRIGHT


def shifted_screw(s, p):
    """A screw about z, seen from a frame that lies p[1] farther back along x."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (p[1], 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def on_a_path(make, function, far):
    model = br.Model("path", gravity=(0.0, -9.81, 0.0))
    model.body("b", mass=1.0, inertia=(1, 1, 1), position=(far + 0.3, 0, 0))
    model.user_joint("U", model.ground, "b", make(function, {"s": "length"}, (far,)))
    return model


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("shift", [0.0, 1e-16, 1e-4, 1e3])
def test_a_shift_of_frame_a_changes_nothing(coordinates, shift):
    """A screw on a tilted block: angle after 1 s from its closed form."""
    model = br.Model("screw")
    block = model.body("a", mass=5.0, inertia=(1, 1, 1), position=(0.1, 0.2, 0.3), rotation=(0.8, 0, 0.6, 0))
    model.fixed("F", model.ground, block, (0, 0, 0))
    nut = model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.7, 0.1, 0.6), rotation=block.rotation)
    place = block.point((0.7, 0.1, 0.6)) - (shift, 0.0, 0.0)
    joint = br.UserJoint.explicit(shifted_screw, {"s": "angle"}, (0.05, shift))
    model.user_joint("U", block, nut, joint, frame_a=block.frame(place), frame_b=nut.frame())
    found = br.simulate(model, 1.0, coordinates=coordinates, rtol=1e-9, output=2)
    wanted = -0.5 * 9.81 * block.rotation[2, 2] * 0.05 / (0.1 + 0.05**2)
    np.testing.assert_allclose(found.joint("U.s")[-1], wanted, rtol=1e-7)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("kind", ["explicit", "implicit"])
def test_a_path_far_away_is_the_same_path(kind, coordinates):
    """A pendulum of 0.3 m by its arc length, 1000 m from the origin of frame a: motion, energy, reactions."""
    make, function = (br.UserJoint.explicit, path) if kind == "explicit" else (br.UserJoint.implicit, path_closure)
    near, far = (
        br.simulate(on_a_path(make, function, x), 0.5, coordinates=coordinates, rtol=1e-9, output=6) for x in (0.0, 1e3)
    )
    np.testing.assert_allclose(far.joint("U"), near.joint("U"), rtol=0, atol=1e-7)
    np.testing.assert_allclose(far.reaction("U").force, near.reaction("U").force, rtol=0, atol=1e-5)
    assert np.abs(far.energy.error).max() < 1e-6


@pytest.mark.parametrize("kind", ["explicit", "implicit"])
def test_the_length_goes_with_the_bend_and_the_bodies(kind):
    make, function = (br.UserJoint.explicit, path) if kind == "explicit" else (br.UserJoint.implicit, path_closure)
    start = Start(on_a_path(make, function, 1e3).joints["U"])
    start.s, start.d = np.zeros(1), np.array([1e3 + 0.3, 0.0, 0.0])
    assert 0.1 < start.fitting_length() < 0.6
    model = br.Model("slide")
    model.body("b", mass=2.0, inertia=(1, 1, 1), position=(0, 0, 1e3))
    straight = Start(model.user_joint("U", model.ground, "b", br.UserJoint.explicit(slide, {"z": "length"})))
    np.testing.assert_allclose(straight.fitting_length(), np.sqrt(3.0 / 4.0), rtol=1e-15)


@pytest.mark.parametrize("how", [{}, {"formulation": "ggl", "integrator": "radau5", "rtol": 1e-6}])
def test_a_slide_falls_as_far_as_it_likes(how):
    """Steps that fail on the way leave the coordinates where they were."""
    model = br.Model("fall")
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, 0.1))
    model.user_joint("U", model.ground, "b", br.UserJoint.explicit(slide, {"z": "length"}))
    found = br.simulate(model, 2.0, **how)
    np.testing.assert_allclose(found.joint("U.z")[-1], 0.1 - 9.81 * 2.0, rtol=1e-9)


def test_coordinates_of_a_pose_far_from_the_last_one():
    """No limit of so many steps of so many lengths: 1e4 m in one go, as drawn and between two rows."""
    from bricard.system.user_joint import coordinates_of

    model = br.Model("far")
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1e4))
    joint = model.user_joint("U", model.ground, "b", br.UserJoint.explicit(slide, {"z": "length"}))
    d = np.array([[0.0, 0.0, 1e4], [np.nan, 0.0, 0.0], [0.0, 0.0, -1e4]])
    found = coordinates_of(joint, d, np.tile(np.eye(3), (3, 1, 1)))[0][:, 0]
    np.testing.assert_allclose(found, [1e4, np.nan, -1e4], rtol=1e-12)
