"""Users' own joints where their functions end, are wrong, or are asked for something: clear ends, events, sentences."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError, UserFunctionError
from model.own_joints import screw

SCREW = br.UserJoint.explicit(screw, {"angle": "angle"}, (0.05,))
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def runs_out(s, p):
    """A path that ends at s = 1, smoothly: beyond, a root of a negative number."""
    left = 1.0 - s[0]
    return (0.1 * left * left * np.sqrt(left) - 0.1, 0.0 * s[0], s[0]), UPRIGHT


def stretched(s, p):
    """A rotation at s = 0 only."""
    return (s[0], 0.0, 0.0), ((1.0 + s[0], 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def mirrored(s, p):
    """No rotation anywhere."""
    return (s[0], 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))


def one_body(joint, **options):
    model = br.Model("one", gravity=(0.0, 0.0, 10.0))
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.user_joint("U", model.ground, "b", joint, **options)
    return model


@pytest.mark.parametrize("options", [{"rtol": 1e-7}, {"step": 1e-2, "integrator": "rk4"}])
def test_a_function_that_leaves_its_domain_ends_the_run(options):
    """Beyond the end of the path nothing is a number: no wall that the body would creep along for ever."""
    model = one_body(br.UserJoint.explicit(runs_out, {"s": "length"}))
    found = br.simulate(model, 1.0, coordinates="relative", check=False, **options)
    assert not found.ok and "finite" in found.status and '"U"' in found.status
    assert 0.9 < found.joint("U")[-1] < 1.0


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_triggers_watch_coordinates_of_users_joints(coordinates):
    """A screw under its weight falls evenly: s'' = m g lead / (I + m lead^2)."""
    fall = 10.0 * 0.05 / (0.1 + 0.05**2)
    triggers = [br.Trigger("U.angle", at=7.0, name="way"), br.Trigger("U", at=3.0, velocity=True, name="speed")]
    found = br.simulate(one_body(SCREW), 2.0, coordinates=coordinates, rtol=1e-9, triggers=triggers)
    times = {event.name: event.t for event in found.events}
    np.testing.assert_allclose([times["way"], times["speed"]], [np.sqrt(14.0 / fall), 3.0 / fall], rtol=1e-7)


def test_a_rotation_only_at_the_start_is_refused():
    with pytest.raises(UserFunctionError, match=r'joint "U" gives a C that is no rotation at s = .*off by'):
        one_body(br.UserJoint.explicit(stretched, {"s": "length"})).build()


def test_a_mirror_is_no_rotation():
    with pytest.raises(UserFunctionError, match=r'joint "U".*it mirrors, det C = -1'):
        one_body(br.UserJoint.explicit(mirrored, {"s": "length"})).build()


def test_a_start_that_the_drawing_contradicts_is_refused():
    with pytest.raises(ModelError, match=r'"U" has start = \[0.5\], but as drawn its coordinates are'):
        one_body(SCREW, start=0.5).build()


def test_start_tells_the_turn():
    pure = br.UserJoint.explicit(screw, {"angle": "angle"}, (0.0,))
    model = one_body(pure, start=6.3)
    for coordinates in ("absolute", "relative"):
        found = br.simulate(model, 0.01, coordinates=coordinates, output=1)
        np.testing.assert_allclose(found.joint("U")[0], 2 * np.pi, rtol=1e-12)


def slide_linkage():
    """A carriage on a slide between the ground and a block."""
    inner = br.Model("inner")
    inner.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    inner.prismatic("slide", inner.ground, "block", (0, 0, 0), (0, 0, 1))
    return br.UserJoint.from_linkage(inner, ("ground", "block"), {"z": "slide"})


def test_a_linkage_may_contain_a_linkage():
    middle = br.Model("middle")
    middle.body("m", mass=1.0, inertia=(0.1, 0.1, 0.1))
    middle.user_joint("L", middle.ground, "m", slide_linkage())
    outer = one_body(br.UserJoint.from_linkage(middle, ("ground", "m"), {"z": "L.z"}))
    found = br.simulate(outer, 0.5, output=2)
    np.testing.assert_allclose(found.joint("U.z"), 5.0 * found.t**2, atol=1e-9)
    with pytest.raises(ModelError, match=r'"U" has no constraint rows of its own.*ask for "U/L/slide"'):
        found.reaction("U")


def test_coordinates_of_a_linkage_need_names():
    inner = br.Model("inner")
    inner.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    inner.prismatic("slide", inner.ground, "block", (0, 0, 0), (0, 0, 1))
    for name in (5, "a b"):
        with pytest.raises(ModelError, match="needs a name of letters and digits"):
            br.UserJoint.from_linkage(inner, ("ground", "block"), {name: "slide"})  # type: ignore[dict-item]
