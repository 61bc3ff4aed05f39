"""Users' own joints where their functions end, are wrong, or are asked for something: clear ends, events, sentences."""

import re

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError, UserFunctionError
from bricard.problems.suspension import CENTRE, INERTIA, MASS, five_link_joint
from model.own_joints import arm_position, screw

SCREW = br.UserJoint.explicit(screw, {"angle": "angle"}, (0.05,))
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def runs_out(s, p):
    """A path that ends at s = 1, smoothly: beyond, a root of a negative number."""
    left = 1.0 - s[0]
    return (0.1 * left * left * np.sqrt(left) - 0.1, 0.0 * s[0], s[0]), UPRIGHT


def runs_out_closed(d, C, s, p):
    """The same path, closed."""
    left = 1.0 - s[0]
    return d[0] - 0.1 * left * left * np.sqrt(left) + 0.1, d[1], d[2] - s[0], C[0][1], C[0][2], C[1][2]


RUNS_OUT = br.UserJoint.explicit(runs_out, {"s": "length"})
RUNS_OUT_CLOSED = br.UserJoint.implicit(runs_out_closed, {"s": "length"})


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


def dips(s, p):
    """A shift that turns back at s = 0: there the pose does not follow s."""
    return (0.0, 0.0, 0.5 * s[0] * s[0] - 0.125), UPRIGHT


def crossed(s, p):
    """Two coordinates of which one turns back at s[1] = 0, and an angle that does not matter."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, 0.5 * s[1] * s[1] - 0.125), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def wheel(height=None, speed=0.0, gravity=(0, 0, 0)):
    """The wheel of spec 001 on its five rods as a user's joint."""
    model = br.Model("wheel", gravity=gravity)
    model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    model.user_joint("five", model.ground, "wheel", five_link_joint())
    if height is not None:
        model.start(joint="five.z", position=height, velocity=speed)
    return model


FOLDS = {-1: -0.2139006408, 1: 0.2848253310}  # m, spec 001
HOW = [{"rtol": 1e-9}, {"step": 1e-3}, {"step": 1e-2}, {"step": 1e-3, "integrator": "rk4"}]


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("how", HOW)
def test_both_folds_are_events(side, how):
    """With the time of absolute coordinates, which pass the fold; the event comes a little before, and says so."""
    rods = br.simulate(wheel(-0.2, 0.3 * side), 1.2, rtol=1e-10, triggers=[br.Trigger("five.z", at=0.0, velocity=True)])
    passed = next(event.t for event in rods.events)
    found = br.simulate(wheel(-0.2, 0.3 * side), 1.5, coordinates="relative", **how)
    event = found.events[-1]
    assert found.ok and event.kind == "range" and event.q is not None and np.isfinite(found.q).all()
    assert f"z = {FOLDS[side]:.10g} but for" in found.status
    assert 0.0 < passed - event.t < 0.007
    assert 0.0 < side * (FOLDS[side] - event.q[0]) < 5e-5


@pytest.mark.parametrize("speed", [1.0, 3.0, -1.0])
def test_long_steps_do_not_leap_across_a_fold(speed):
    """10 ms, where the last tenth of a length takes no longer: no run comes back from a limit that is no wall."""
    found = br.simulate(wheel(-0.2, speed), 0.45 / abs(speed), coordinates="relative", step=1e-2)
    assert found.events[-1].kind == "range" and (np.sign(speed) * found.v > 0.0).all()


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_the_wheel_may_turn_round_beside_the_fold(step):
    """By its weight, about a millimetre before it: as in absolute coordinates, and with all numbers of the solution."""
    model = wheel(0.2, 0.96, (0, 0, -9.81))
    found = br.simulate(model, 0.65, coordinates="relative", step=step)
    exact = br.simulate(model, 0.65, rtol=1e-10, output=found.t)
    assert found.t[-1] == 0.65 and found.v.min() < -0.02
    assert 1e-4 < FOLDS[1] - found.q.max() < 2e-3
    np.testing.assert_allclose(found.joint("five.z"), exact.joint("five.z"), rtol=0, atol=10.0 * step**2)
    assert np.isfinite(found.reaction("five").force).all()


@pytest.mark.parametrize("how", [{}, {"step": 1e-2}])
def test_a_drive_to_the_end_of_the_range(how):
    """Steps that leave the range do not spoil those that follow."""
    model = wheel()
    model.drive("D", "five.z", br.Polynomial((0.0, 0.5)))
    found = br.simulate(model, 1.0, coordinates="relative", **how)
    assert found.events[-1].kind == "range"
    np.testing.assert_allclose(found.events[-1].t, FOLDS[1] / 0.5, rtol=0, atol=2e-4)


@pytest.mark.parametrize("height", [-0.2129, -0.2138, 0.2847])
def test_a_start_shortly_before_the_fold(height):
    """Accelerations under gravity, in relative as in absolute coordinates."""
    model = wheel(height, 0.0, (1.0, 2.0, -9.81))
    pair = [
        br.simulate(model.build(coordinates=c), 1e-4, output=2, rtol=1e-9).joint("five.z")
        for c in ("absolute", "relative")
    ]
    np.testing.assert_allclose(pair[1], pair[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("height", [-0.21389, 0.28482])
def test_a_start_at_the_fold_is_told_from_missing_mass(height):
    with pytest.raises(br.AssemblyError, match=r'"five" has come to z = -?0\.2.* but for .* m, the end of its range'):
        br.simulate(wheel(height), 0.1, coordinates="relative")


def test_an_equilibrium_at_the_fold_is_told_from_missing_mass():
    with pytest.raises(br.AssemblyError, match=r'"five" has come to z = -0\.2139006408.*the end of its range'):
        br.equilibrium(wheel(0.0, 0.0, (0, 0, -9.81)).build(coordinates="relative"))


@pytest.mark.parametrize("height", [-0.2138, -0.21144, -0.21, -0.2, 0.0, 0.2847])
def test_tangent_towards_the_folds(height):
    """K of M(q) a - f(q, v) against differences of sixth order, with steps that go with the distance to the fold."""
    model = wheel(gravity=(0, 0, -9.81))
    model.spring("S", model.ground, "wheel", (0.0, 0.4, 0.5), (0.05, 0.7, 0.1), stiffness=2e4)
    system, a, v = model.build(coordinates="relative"), np.array([2.0]), np.array([0.3])
    h = 0.01 * min(abs(height - fold) for fold in (*FOLDS.values(), 0.1))

    def residual(z):
        q = np.array([z])
        return float((system.mass(q) @ a - system.force(0.0, q, v))[0])

    weights = ((1, 0.75), (2, -0.15), (3, 1 / 60))
    wanted = sum(w * (residual(height + n * h) - residual(height - n * h)) / h for n, w in weights)
    found = system.tangent(0.0, np.array([height]), v, a, np.zeros(0)).K.toarray()[0, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)


@pytest.mark.parametrize("how", [{}, {"step": 1e-3, "integrator": "rk4"}])
def test_a_singular_transmission_on_the_way_ends_the_run(how):
    """The body reaches the bottom of its path at sqrt(0.25 / g): no step leaps over it to anywhere."""
    model = br.Model("dip")
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.user_joint("U", model.ground, "b", br.UserJoint.explicit(dips, {"s": "length"}), start=0.5)
    found = br.simulate(model, 1.0, coordinates="relative", check=False, **how)
    assert not found.ok and np.isfinite(found.q).all()
    assert 'Joint "U" comes to a singular transmission at s = ' in found.status
    np.testing.assert_allclose(found.t[-1], np.sqrt(0.25 / 9.81), atol=2e-3)


def test_a_singular_transmission_of_two_coordinates():
    model = br.Model("dip")
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = br.UserJoint.explicit(crossed, {"turn": "angle", "s": "length"})
    model.user_joint("U", model.ground, "b", joint, start=(0.0, 0.5))
    model.start(joint="U.turn", velocity=3.0)
    found = br.simulate(model, 1.0, coordinates="relative", check=False, step=1e-3, integrator="rk4")
    assert not found.ok and 'Joint "U" comes to a singular transmission at turn = ' in found.status


def test_a_motion_that_only_turns_is_not_singular():
    """More than a quarter of a turn between two evaluations."""
    model = br.Model("arm", gravity=(0, 0, 0))
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    model.user_joint("U", model.ground, "b", br.UserJoint.explicit(arm_position, {"angle": "angle"}, (0.5,)))
    model.start(joint="U", velocity=100.0)
    found = br.simulate(model, 1.0, coordinates="relative", step=0.05, integrator="rk4")
    np.testing.assert_allclose(found.q[-1], [100.0], rtol=1e-9)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("joint", [RUNS_OUT, RUNS_OUT_CLOSED], ids=["explicit", "implicit"])
@pytest.mark.parametrize("options", [{"rtol": 1e-7}, {"step": 1e-2, "integrator": "rk4"}])
def test_a_function_that_leaves_its_domain_ends_the_run(options, joint, coordinates):
    """Beyond the end of the path nothing is a number: no wall that the body would creep along for ever."""
    found = br.simulate(one_body(joint), 1.0, coordinates=coordinates, check=False, **options)
    stands = re.search(r'Joint "U" stands at s = ([\d.]+), where its own function ends', found.status)
    assert not found.ok and stands and 0.9 < float(stands[1]) <= 1.0  # as printed: it comes as near as rounding lets it
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
        found = br.simulate(model, 0.01, coordinates=coordinates, output=2)
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
    found = br.simulate(outer, 0.5, output=3)
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
