"""Users' own joints: figures of spec 001, closed forms, absolute against relative coordinates, derivatives, files, bad input."""

import math
from typing import Any

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError, UserFunctionError
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, INERTIA, MASS, five_link_joint, suspension
from bricard.system.channels import rotation_matrices
from bricard.system.user_joint import contract
from model.own_joints import arm, arm_motion, arm_position, ball, circle, screw, two_slides

Z = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
TIMES = np.linspace(0.0, 1.5, 16)
EXACT: dict[str, Any] = {"rtol": 1e-11, "integrator": "dop853"}
FIVE = five_link_joint()
SCREW = br.UserJoint.explicit(screw, {"angle": "angle"}, (0.05,))
CIRCLE = br.UserJoint.explicit(circle, {"angle": "angle"}, (0.5,))
ARM = br.UserJoint.routine(arm, {"angle": "angle"}, (0.5,))


def wheel_on(joint, height=-0.2, speed=0.3, gravity=(0, 0, 0)):
    """The wheel of spec 001 on a user's joint."""
    model = br.Model("wheel", gravity=gravity)
    wheel = model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    model.user_joint("five", model.ground, wheel, joint)
    model.start(joint="five.z", position=height, velocity=speed)
    return model


def linkage(rod_mass=0.0):
    return br.UserJoint.from_linkage(suspension(0.0, 0.0, rod_mass=rod_mass), ("ground", "wheel"), {"z": "travel.z"})


def body_on(joint, position, **velocities):
    """A body with its mass off the joint."""
    model = br.Model("body", gravity=(0.0, -9.81, -1.0))
    model.body("b", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0.05, 0.02), position=position)
    model.user_joint("J", model.ground, "b", joint)
    for name, velocity in velocities.items():
        model.start(joint=f"J.{name}", velocity=velocity)
    return model


def rod_errors(motion):
    """Largest error of the five rod lengths, m."""
    ends = np.stack([motion.point("wheel", x - CENTRE) for x in CARRIER])
    lengths = np.linalg.norm(ends - CHASSIS[:, None], axis=-1)
    return np.abs(lengths - np.linalg.norm(CARRIER - CHASSIS, axis=1)[:, None]).max()


@pytest.fixture(scope="module")
def exact():
    """The motion of absolute bodies with massless rods."""
    return br.simulate(suspension(), 1.5, output=TIMES, **EXACT)


def test_spec_001_contract():
    """SD, CD, SDQ, CDQ, SDTT, CDTT of the compiled implicit joint, all as in kinematics of the rods."""
    wanted = br.kinematics(suspension(), {"travel.z": Z})
    joint = wheel_on(FIVE).joints["five"]
    for i, z in enumerate(Z):
        found = contract(joint, z, 0.3)
        np.testing.assert_allclose(found.SD, wanted.point("wheel")[i], rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.CD, wanted.poses["wheel"][1][i], rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.SDQ[:, 0], wanted.point_ratio("wheel")[i, :, 0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(found.CDQ[:, 0], wanted.turn_ratio("wheel")[i, :, 0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(found.SDTT, wanted.acceleration("wheel", 0.3)[i], rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.CDTT, wanted.angular_acceleration("wheel", 0.3)[i], rtol=1e-11, atol=1e-10)


def test_spec_001_contract_keeps_its_own_identities():
    """C turns with w, and SDTT, CDTT are the derivatives of SDQ, CDQ along the motion (spec 001, 5.4)."""
    joint, h = wheel_on(FIVE).joints["five"], 1e-5
    now, ahead, behind = (contract(joint, z, 1.0) for z in (0.1, 0.1 + h, 0.1 - h))
    spin = (ahead.CD - behind.CD) / (2 * h) @ now.CD.T
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], now.CDQ[:, 0], rtol=0, atol=1e-8)
    np.testing.assert_allclose((ahead.SDQ - behind.SDQ)[:, 0] / (2 * h), now.SDTT, rtol=0, atol=1e-7)
    np.testing.assert_allclose((ahead.CDQ - behind.CDQ)[:, 0] / (2 * h), now.CDTT, rtol=0, atol=1e-7)


def test_four_ways_1_implicit_joint_in_relative_coordinates(exact):
    system = wheel_on(FIVE).build(coordinates="relative")
    assert (system.n_q, system.n_v, system.n_rows) == (1, 1, 0)
    found = br.simulate(system, 1.1, output=TIMES[:12], **EXACT)
    np.testing.assert_allclose(found.joint("five.z"), exact.joint("travel.z")[:12], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.energy.kinetic, 1.91942076979646, rtol=1e-9)
    assert rod_errors(found) < 1e-12
    load = found.reaction("five")  # all rods together
    rods = [exact.reaction(f"rod {k}").force[:12] for k in range(1, 6)]
    np.testing.assert_allclose(load.force, np.sum(rods, axis=0), rtol=0, atol=1e-6)


def test_four_ways_1b_implicit_joint_in_absolute_coordinates_passes_the_limit(exact):
    system = wheel_on(FIVE).build()
    assert system.n_rows == 5
    found = br.simulate(system, 1.5, output=TIMES, **EXACT)
    np.testing.assert_allclose(found.point("wheel"), exact.point("wheel"), rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.joint("five.z"), exact.joint("travel.z"), rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.joint_velocity("five.z"), exact.joint_velocity("travel.z"), rtol=0, atol=1e-9)
    assert rod_errors(found) < 1e-12


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_four_ways_2_joint_from_a_linkage(exact, coordinates):
    found = br.simulate(wheel_on(linkage()).build(coordinates=coordinates), 1.5, output=TIMES, **EXACT)
    np.testing.assert_allclose(found.joint("five.z"), exact.joint("travel.z"), rtol=0, atol=1e-10)
    assert rod_errors(found) < 1e-12


def test_four_ways_3_and_4_rods_whose_mass_goes_to_zero(exact):
    """Error in proportion to the mass of the rods."""
    errors = []
    for mass in (1e-2, 1e-3, 1e-4):
        found = br.simulate(suspension(rod_mass=mass), 0.5, output=TIMES[:6], rtol=1e-9)
        errors.append(np.abs(found.joint("travel.z") - exact.joint("travel.z")[:6]).max())
    assert errors[0] > 1e-6
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 10.0, rtol=0.02)


def test_inner_masses_of_a_linkage_are_exact():
    """Spec 001, section 6: rods of 1 kg; and the joint is a joint like others for kinematics."""
    found = br.kinematics(wheel_on(linkage(1.0), 0.0, 0.0), {"five.z": [-0.2, 0.0, 0.2]})
    np.testing.assert_allclose(found.mass[:, 0, 0], [49.497542303099, 13.754153578608, 23.850175870784], rtol=1e-9)
    middle = found.point("five/rod 5")[0]
    np.testing.assert_allclose(middle, [0.1099032709017, 0.5194202080177, -0.2172516720776], rtol=0, atol=1e-12)


def test_springs_on_inner_links_and_several_linkages():
    """Two suspensions with a spring on the fifth rod, one in a turned frame far away: the same motion in its own frame."""
    sub = suspension(0.0, 0.0, rod_mass=0.5)
    sub.spring(
        "spring", sub.ground, "rod 5", (0.1, 0.5, 0.3), 0.5 * (CHASSIS[4] + CARRIER[4]), stiffness=2e4, damping=300.0
    )
    joint = br.UserJoint.from_linkage(sub, ("ground", "wheel"), {"z": "travel.z"})
    turn, place = rotation_matrices(np.array([0.6, 0.0, 0.8, 0.0])), np.array([1.0, 2.0, 3.0])
    model = br.Model("two", gravity=(0, 0, 0))
    for name, R, x in (("left", np.eye(3), np.zeros(3)), ("right", turn, place)):
        wheel = model.body(f"{name} wheel", mass=MASS, inertia=INERTIA, position=x + R @ CENTRE, rotation=R)
        frame = model.ground.frame(x, R)
        model.user_joint(name, model.ground, wheel, joint, frame_a=frame, frame_b=wheel.frame())
        model.start(joint=f"{name}.z", velocity=0.5)
    alone = suspension(0.0, 0.5, rod_mass=0.5)
    alone.spring(
        "spring", alone.ground, "rod 5", (0.1, 0.5, 0.3), 0.5 * (CHASSIS[4] + CARRIER[4]), stiffness=2e4, damping=300.0
    )
    both = br.simulate(model, 0.3, rtol=1e-9, output=0.05)
    one = br.simulate(alone, 0.3, rtol=1e-9, output=0.05)
    np.testing.assert_allclose(both.joint("left.z"), one.joint("travel.z"), rtol=0, atol=1e-8)
    np.testing.assert_allclose(both.joint("right.z"), one.joint("travel.z"), rtol=0, atol=1e-8)


def test_screw_falls_as_its_closed_form():
    model = br.Model("screw", gravity=(0, 0, -9.81))
    model.body("nut", mass=2.0, inertia=(0.01, 0.01, 0.02))
    model.user_joint("S", model.ground, "nut", SCREW)
    for coordinates in ("absolute", "relative"):
        found = br.simulate(model.build(coordinates=coordinates), 1.0, output=0.1, **EXACT)
        rate = -2.0 * 9.81 * 0.05 / (2.0 * 0.05**2 + 0.02)
        np.testing.assert_allclose(found.joint("S.angle"), 0.5 * rate * found.t**2, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("joint", "position", "wishes"),
    [(SCREW, (0, 0, 0), {"angle": 3.0}), (CIRCLE, (0.5, 0, 0), {"angle": 5.0}), (ARM, (0.5, 0, 0), {"angle": 4.0})],
    ids=["screw", "circle", "arm"],
)
def test_absolute_and_relative_coordinates_agree(joint, position, wishes):
    """Whole turns included: on the circle the rows of absolute coordinates turn away from those of the start."""
    model = body_on(joint, position, **wishes)
    pair = [br.simulate(model.build(coordinates=c), 2.0, output=0.1, **EXACT) for c in ("absolute", "relative")]
    np.testing.assert_allclose(
        pair[0].point("b", (0.3, 0.2, 0.1)), pair[1].point("b", (0.3, 0.2, 0.1)), rtol=0, atol=1e-7
    )
    np.testing.assert_allclose(pair[0].joint("J.angle"), pair[1].joint("J.angle"), rtol=0, atol=1e-7)
    for k in (5, 20):
        np.testing.assert_allclose(pair[0].reaction("J").force[k], pair[1].reaction("J").force[k], rtol=0, atol=1e-5)
        np.testing.assert_allclose(pair[0].reaction("J").moment[k], pair[1].reaction("J").moment[k], rtol=0, atol=1e-5)
    assert np.abs(pair[0].energy.error).max() < 1e-6


@pytest.mark.parametrize("motion", [None, arm_motion], ids=["exact", "given"])
def test_routine_and_explicit_function_are_the_same_joint(motion):
    explicit = br.UserJoint.explicit(arm_position, {"angle": "angle"}, (0.5,), motion=motion)
    pair = [
        br.simulate(body_on(joint, (0.5, 0, 0), angle=4.0).build(coordinates="relative"), 1.0, output=0.1, **EXACT)
        for joint in (ARM, explicit)
    ]
    np.testing.assert_allclose(pair[0].q, pair[1].q, rtol=0, atol=1e-8)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_quaternion_coordinates_are_a_ball_joint(coordinates):
    """Four position coordinates, three velocities."""
    own, built_in = (br.Model(name) for name in ("own", "built in"))
    for model in (own, built_in):
        model.body("b", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.3, 0.1, 0.2))
        model.start(body="b", angular_velocity=(1.0, 2.0, 3.0))
    joint = own.user_joint("J", own.ground, "b", br.UserJoint.explicit(ball, {"turn": "quaternion"}))
    built_in.spherical("J", built_in.ground, "b", (0, 0, 0))
    system = own.build(coordinates=coordinates)
    assert (joint.what.numbers, joint.what.freedom) == (4, 3)
    if coordinates == "relative":
        assert (system.n_q, system.n_v) == (4, 3)
    pair = [br.simulate(s, 1.0, output=0.1, **EXACT) for s in (system, built_in.build())]
    np.testing.assert_allclose(pair[0].point("b", (1, 0, 0)), pair[1].point("b", (1, 0, 0)), rtol=0, atol=1e-8)


def test_chain_of_different_joints_with_a_motor_and_a_drive():
    """Two freedoms, then one; a motor and a driver act on coordinates of users' joints."""
    model = br.Model("chain")
    model.body("a", br.Box((0.2, 0.2, 0.1), mass=1.0))
    model.body("b", br.Box((0.1, 0.1, 0.4), mass=0.5, position=(0.5, 0, 0)))
    model.user_joint("P", model.ground, "a", br.UserJoint.explicit(two_slides, {"x": "length", "y": "length"}, (0.3,)))
    model.user_joint("C", "a", "b", CIRCLE)
    model.motor("push", "P.x", 2.0)
    model.drive("turn", "C.angle", br.Sine(0.7, 0.5))
    pair = [br.simulate(model.build(coordinates=c), 1.0, rtol=1e-9, output=0.1) for c in ("absolute", "relative")]
    np.testing.assert_allclose(pair[0].point("b"), pair[1].point("b"), rtol=0, atol=1e-7)
    np.testing.assert_allclose(pair[0].joint("C.angle"), 0.7 * np.sin(np.pi * pair[0].t), rtol=0, atol=1e-9)
    assert np.abs(pair[1].energy.error).max() < 1e-4


def test_kinematics_and_inverse_dynamics_of_a_users_joint():
    """Limits of its coordinate are found, and loads on it are those on the height of the wheel."""
    model = wheel_on(FIVE, 0.0, 0.0)
    curve = br.kinematics(model, "five.z")
    np.testing.assert_allclose(curve.range["five.z"], [-0.2139006408009, 0.2848253309876], rtol=0, atol=1e-10)
    motion, times = br.Polynomial((-0.2, 0.4)), np.linspace(0.0, 1.0, 5)
    own = br.inverse_dynamics(model, {"five.z": motion}, times).load("five.z")
    rods = br.inverse_dynamics(suspension(0.0, 0.0), {"travel.z": motion}, times).load("travel.z")
    np.testing.assert_allclose(own, rods, rtol=1e-9)


@pytest.mark.parametrize(
    ("joint", "position"), [(FIVE, CENTRE), (CIRCLE, (0.5, 0, 0)), (ARM, (0.5, 0, 0))], ids=["five", "circle", "arm"]
)
def test_derivatives_of_the_rows(joint, position):
    """On the constraints: G and dG/dt against differences of Phi and G, gamma against that of G v, K against that of G^T lam."""
    model = br.Model("rows", gravity=(0, 0, 0))
    model.body("a", mass=1.0, inertia=(1, 1, 1), position=(0.1, 0.2, 0.3), rotation=(0.8, 0.6, 0, 0))
    turn = rotation_matrices(np.array([0.8, 0.6, 0.0, 0.0]))
    model.body("b", mass=1.0, inertia=(1, 1, 1), position=(0.1, 0.2, 0.3) + turn @ np.asarray(position), rotation=turn)
    model.user_joint("J", "a", "b", joint)
    model.start(body="a", velocity=(0.1, -0.2, 0.3), angular_velocity=(0.3, 0.2, -0.4))
    model.start(joint=f"J.{next(iter(joint.coordinates))}", velocity=0.4)
    system = model.build()
    from bricard.system.assembler import assemble

    state = assemble(system)
    q, v, n, h = state.q, state.v, system.n_v, 1e-6
    lam = np.random.default_rng(0).normal(size=system.n_rows)
    tangent = system.tangent(0.0, q, v, np.zeros(n), lam)
    G = system.jacobian(0.0, q).toarray()
    for k in range(n):
        step = h * np.eye(n)[k]
        ahead, behind = system.retract(q, step), system.retract(q, -step)
        change = (system.constraint(0.0, ahead) - system.constraint(0.0, behind)) / (2 * h)
        np.testing.assert_allclose(G[:, k], change, rtol=0, atol=2e-8)
        rows = (system.jacobian(0.0, ahead).toarray() - system.jacobian(0.0, behind).toarray()) / (2 * h)
        np.testing.assert_allclose(tangent.K.toarray()[:, k], rows.T @ lam, rtol=0, atol=2e-6)
        np.testing.assert_allclose(tangent.rate.toarray()[:, k], rows @ v, rtol=0, atol=2e-6)
    later, earlier = (system.jacobian(0.0, system.retract(q, s * h * v)) for s in (1, -1))
    np.testing.assert_allclose(
        system.jacobian_rate(0.0, q, v).toarray(), (later - earlier).toarray() / (2 * h), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(system.gamma(0.0, q, v), -(later - earlier) @ v / (2 * h), rtol=0, atol=1e-6)


@pytest.mark.parametrize("how", [{"rtol": 1e-9}, {"step": 1e-3}, {"step": 1e-2}, {"step": 1e-3, "integrator": "rk4"}])
def test_the_end_of_the_range_of_motion_is_an_event(how):
    found = br.simulate(wheel_on(FIVE).build(coordinates="relative"), 1.5, **how)
    event = found.events[-1]
    assert event.kind == "range"
    assert abs(event.t - 1.1538) < 0.015
    assert 'joint "five" has come to z = 0.284825331' in found.status
    assert found.ok and np.isfinite(found.q).all()


def test_a_range_is_reported_with_its_end():
    joint = wheel_on(FIVE).joints["five"]
    with pytest.raises(
        ModelError, match=r'"five" has no pose at z = 0.3: its range of motion ends at z = 0.284825331\b'
    ):
        contract(joint, 0.3)


def test_start_outside_the_range_of_motion():
    model = br.Model("wheel")
    model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    model.user_joint("five", model.ground, "wheel", FIVE, start=0.4)
    with pytest.raises(ModelError, match=r'"five" cannot be closed.*z = 0.4.*start=\.\.\. inside'):
        model.build()
    with pytest.raises(br.AssemblyError, match=r"five.z = 0.4 m; from 0 m as drawn it gets to 0.284825 m"):
        br.simulate(wheel_on(FIVE, 0.4, 0.0), 0.1)


def no_number(d, C, s, p):
    return d[0] / (s[0] - s[0]), d[1], d[2], C[0][1], C[0][2], C[1][2]


def too_few(d, C, s, p):
    return d[0], d[1], d[2] - s[0], C[0][1], C[0][2]


def with_kinks(d, C, s, p):
    """A slider along z, written with what has no complex derivative: the residuals of y and z are those without it, halved."""
    return d[0], 0.5 * d[1] + max(d[1] - 3.0, 0.0), math.tanh(0.5 * (d[2] - s[0])), C[0][1], C[0][2], C[1][2]


def test_closures_with_branches():
    model = br.Model("slider")
    model.body("b", br.Box((1, 1, 1), mass=1.0))
    model.user_joint("J", model.ground, "b", br.UserJoint.implicit(with_kinks, {"z": "length"}))
    for coordinates in ("absolute", "relative"):
        solution = br.simulate(model, 1.0, coordinates=coordinates, rtol=1e-9)
        np.testing.assert_allclose(solution.joint("J.z")[-1], -0.5 * 9.81, rtol=1e-9)


def deaf(d, C, s, p):
    return d[0], d[1], d[2], C[0][1], C[0][2], C[1][2]


def loose(d, C, s, p):
    return d[0], d[1], d[2] - s[0], C[0][1], C[0][2], C[0][1] + C[0][2]


def fails(d, C, s, p):
    return d[7], d[1], d[2], 0.0, 0.0, 0.0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (no_number, 'implicit function of joint "J" is not finite at the start'),
        (too_few, r"shape \(\(5,\),\), needed is 6 residuals"),
        (deaf, "singular transmission.*do not depend on the coordinates"),
        (loose, "singular transmission.*do not determine the pose"),
        (fails, "fails at the start: IndexError"),
    ],
)
def test_bad_closures(function, words):
    model = br.Model("bad")
    model.body("b", br.Box((1, 1, 1), mass=1.0))
    model.user_joint("J", model.ground, "b", br.UserJoint.implicit(function, {"z": "length"}))
    with pytest.raises((UserFunctionError, ModelError), match=words):
        model.build()


def shear(s, p):
    return (s[0], 0.0, 0.0), ((1.0, 0.1, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def wrong_motion(s, p):
    return ((0.0, 0.0, 0.0, 0.0, 0.0, 1.0),)


def wrong_rest(s, u, p):
    parts = list(arm(s, u, p))
    parts[3] = (0.0, 0.0, 0.0)
    return tuple(parts)


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (br.UserJoint.explicit(shear, {"x": "length"}), "no rotation"),
        (
            br.UserJoint.explicit(arm_position, {"angle": "angle"}, (0.5,), wrong_motion),
            "Row 1 of the motion.*by differences",
        ),
        (br.UserJoint.routine(wrong_rest, {"angle": "angle"}, (0.5,)), r"contradicts itself.*SDTT.*\(d SDQ/dt\) u"),
    ],
)
def test_bad_functions(joint, words):
    model = br.Model("bad")
    model.body("b", br.Box((1, 1, 1), mass=1.0))
    model.user_joint("J", model.ground, "b", joint)
    with pytest.raises(UserFunctionError, match=words):
        model.build()


@pytest.mark.parametrize(
    ("coordinates", "words"),
    [
        ({}, "coordinates must be"),
        ({"z": "metre"}, '"length", "angle" or "quaternion"'),
        ({"turn": "quaternion", "z": "length"}, "only the last"),
        ({f"x{k}": "length" for k in range(7)}, "7 freedoms"),
    ],
)
def test_bad_coordinates(coordinates, words):
    with pytest.raises(ModelError, match=words):
        br.UserJoint.explicit(screw, coordinates)


def test_linkages_that_do_not_define_the_joint():
    sub = suspension(0.0, 0.0)
    with pytest.raises(ModelError, match=r"1 freedoms between.*but 2 coordinates"):
        br.UserJoint.from_linkage(sub, ("ground", "wheel"), {"z": "travel.z", "y": "travel.y"})
    sub.joints.pop("rod 5")
    with pytest.raises(ModelError, match=r"2 freedoms between.*but 1 coordinates"):
        br.UserJoint.from_linkage(sub, ("ground", "wheel"), {"z": "travel.z"})
    with pytest.raises(ModelError, match="two different bodies"):
        br.UserJoint.from_linkage(suspension(), ("wheel", "wheel"), {"z": "travel.z"})


def test_linkage_with_a_singular_transmission():
    """A crank in its dead point: the slide does not determine its turn."""
    sub = br.Model("crank")
    sub.body("crank", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    sub.body("rod", br.Rod((1, 0, 0), (3, 0, 0), mass=1.0))
    sub.body("block", br.Box((0.2, 0.2, 0.2), mass=1.0, position=(3, 0, 0)))
    sub.revolute("A", sub.ground, "crank", (0, 0, 0), (0, 0, 1))
    sub.revolute("B", "crank", "rod", (1, 0, 0), (0, 0, 1))
    sub.spherical("C", "rod", "block", (3, 0, 0))
    sub.prismatic("D", sub.ground, "block", (3, 0, 0), (1, 0, 0))
    with pytest.raises(ModelError, match="singular as drawn"):
        br.UserJoint.from_linkage(sub, ("ground", "block"), {"x": "D"})
    assert br.UserJoint.from_linkage(sub, ("ground", "block"), {"angle": "A"}).kind == "linkage"


def slide(grounded):
    """A slide between two plates, with something on the ground, which is neither of them."""
    sub = br.Model("slide")
    for name in ("base", "top"):
        sub.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    sub.prismatic("A", "base", "top", (0, 0, 0), (1, 0, 0))
    if grounded == "spring":
        sub.spring("pull", sub.ground, "top", (0, 0, 0), (0, 0, 1), stiffness=1.0)
    if grounded == "coordinates":
        sub.free("place", sub.ground, "top", (0, 0, 0))
    return sub


@pytest.mark.parametrize(("grounded", "words"), [("spring", 'force "pull"'), ("coordinates", 'joint "place"')])
def test_linkages_between_moving_bodies_leave_the_ground_out(grounded, words):
    with pytest.raises(ModelError, match=rf'"slide" is held by its ground \({words}\)'):
        br.UserJoint.from_linkage(slide(grounded), ("base", "top"), {"x": "A"})


def test_a_linkage_that_does_not_fit_leaves_the_host_as_it_was():
    sub = br.Model("arm", planar=True)
    for name, end in (("t", 1.0), ("inner", 2.0)):
        sub.body(name, br.Rod((end - 1.0, 0, 0), (end, 0, 0), mass=1.0))
    sub.pin("B", "t", "inner", (1, 0, 0))
    sub.pin("A", sub.ground, "t", (0, 0, 0))
    joint = br.UserJoint.from_linkage(sub, ("ground", "t"), {"a": "A", "b": "B"})
    host = br.Model("host")
    host.body("b", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    with pytest.raises(ModelError, match="a pin joins planar bodies"):
        host.user_joint("L", host.ground, "b", joint)
    assert (list(host.bodies), list(host.joints), list(host.forces)) == (["b"], [], [])


def test_planar_bodies_are_refused():
    model = br.Model("flat", planar=True)
    model.body("b", br.PointMass((0, 0, 0), mass=1.0))
    with pytest.raises(ModelError, match="planar"):
        model.user_joint("J", model.ground, "b", SCREW)


def test_files(tmp_path):
    """Users' joints and linkages survive a file."""
    model = wheel_on(FIVE)
    other = model.body("nut", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    model.user_joint(
        "S", model.ground, other, SCREW, frame_a=model.ground.frame((1, 0, 0)), frame_b=other.frame(), start=[0.0]
    )
    third = model.body("third", mass=MASS, inertia=INERTIA, position=CENTRE)
    model.user_joint("L", model.ground, third, linkage())
    model.save(tmp_path / "own.toml")
    loaded = br.Model.load(tmp_path / "own.toml")
    assert np.array_equal(loaded.build().start, model.build().start)
    assert loaded.joints["S"].start == (0.0,)
    assert set(loaded.joints["L"].coordinates()) == {"z"}
