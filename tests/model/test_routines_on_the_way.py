"""T10: routines of users' joints are held to their own derivatives at accepted steps, not only at the start."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import UserFunctionError
from model.own_joints import arm, arm_motion, arm_position

LENGTH, START, SPEED = 1.0, 0.6, 0.7  # of the rod, m; where z starts, m; along the circle, m/s
END = (
    LENGTH * (np.pi / 2 - np.arcsin(START / LENGTH)) / SPEED
)  # when the mass is above the pivot, s: z turns back there
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
STILL, COLUMN = (0.0, 0.0, 0.0), ((0.0,), (0.0,), (0.0,))


def rod(s, u, p):
    """A mass on a rod by its height: Newton's method from a cold start, which does not ask whether it has converged."""
    x = p[0]
    for _ in range(12):
        x = x - (x * x + s[0] * s[0] - p[0] * p[0]) / (2.0 * x)
    slope = -s[0] / x
    bias = -(1.0 + slope * slope) / x * u[0] * u[0]
    return (
        (x, 0.0, s[0]),
        (slope * u[0], 0.0, u[0]),
        ((slope,), (0.0,), (1.0,)),
        (bias, 0.0, 0.0),
        UPRIGHT,
        STILL,
        COLUMN,
        STILL,
    )


def careful_rod(s, u, p):
    """The same, which raises beyond its range."""
    if s[0] > p[0]:
        raise ValueError("beyond the rod")
    return rod(s, u, p)


def solved_rod(s, u, p):
    """The same by a linear system, singular where NumPy says so."""
    x = p[0]
    for _ in range(40):
        x = x - np.linalg.solve(np.array([[2.0 * x]]), np.array([x * x + s[0] * s[0] - p[0] * p[0]]))[0]
        x = x if x * x > 1e-4 else 0.0
    slope = -s[0] / x
    bias = -(1.0 + slope * slope) / x * u[0] * u[0]
    return (
        (x, 0.0, s[0]),
        (slope * u[0], 0.0, u[0]),
        ((slope,), (0.0,), (1.0,)),
        (bias, 0.0, 0.0),
        UPRIGHT,
        STILL,
        COLUMN,
        STILL,
    )


def late_motion(s, p):
    """The derivatives of arm_position, up to 1 rad."""
    r = p[0] if s[0] < 1.0 else 1.05 * p[0]
    return ((-r * np.sin(s[0]), r * np.cos(s[0]), 0.0, 0.0, 0.0, 1.0),)


def mass_on(function, height=START, speed=SPEED, gravity=(0.0, 0.0, 0.0)):
    model = br.Model("rod", gravity=gravity)
    x = np.sqrt(LENGTH**2 - height**2)
    model.body("mass", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(float(x), 0.0, height))
    model.user_joint("U", model.ground, "mass", br.UserJoint.routine(function, {"z": "length"}, (LENGTH,)))
    model.start(joint="U.z", velocity=speed * x / LENGTH)
    return model


HOW = [
    {"rtol": 1e-9},
    {"rtol": 1e-5, "integrator": "dop853"},
    {"step": 1e-2},
    {"step": 1e-3, "integrator": "rk4"},
    {"rtol": 1e-6, "formulation": "ggl", "integrator": "radau5"},
]


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("function", [rod, careful_rod, solved_rod])
@pytest.mark.parametrize("how", HOW, ids=str)
def test_a_routine_that_runs_past_its_range_ends_the_run(function, how, coordinates):
    """With name, time and number: never by an error of NumPy, never as if all were well, nor long behind the end of the range."""
    found = br.simulate(mass_on(function), 3.0 * END, coordinates=coordinates, check=False, **how)
    assert not found.ok and 'routine of joint "U"' in found.status and " z = " in found.status
    assert found.t[-1] <= END + 2.0 * how.get("step", 0.05)
    assert np.isfinite(found.q).all()


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("height", [1.2, 3.0])
def test_a_start_beyond_the_range_is_refused_with_the_name(height, coordinates):
    model = mass_on(careful_rod)
    model.start(joint="U.z", position=height)
    with pytest.raises(br.BricardError, match='"U'):
        br.simulate(model, 0.1, coordinates=coordinates)


def test_a_sweep_beyond_the_range_names_the_joint():
    with pytest.raises(br.BricardError, match='"U'):
        br.kinematics(mass_on(careful_rod), {"U.z": (0.6, 1.2)})


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("how", HOW, ids=str)
def test_a_routine_inside_of_its_range_is_left_alone(how, coordinates):
    """The weight turns the mass round, 1 % of its rod below the end of the range."""
    height = 0.99 * LENGTH
    speed = float(np.sqrt(2.0 * 9.81 * (height - START)))
    found = br.simulate(mass_on(rod, speed=speed, gravity=(0.0, 0.0, -9.81)), 0.8, coordinates=coordinates, **how)
    assert found.ok and found.joint("U.z").max() > 0.98 * height
    assert np.abs(found.energy.error).max() < 0.05 * found.energy.kinetic.max()


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_many_turns_of_a_right_routine_are_left_alone(coordinates):
    model = br.Model("arm", gravity=(0, -9.81, 0))
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    model.user_joint("U", model.ground, "b", br.UserJoint.routine(arm, {"angle": "angle"}, (0.5,)))
    model.start(joint="U", velocity=20.0)
    found = br.simulate(model, 5.0, coordinates=coordinates, rtol=1e-8)
    assert found.ok and found.joint("U")[-1] > 60.0


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize(("motion", "ok"), [(arm_motion, True), (late_motion, False)])
def test_a_motion_that_is_wrong_from_somewhere_on_is_found(motion, ok, coordinates):
    """Five per cent of a velocity, and energy is kept: nothing else would see it in relative coordinates."""
    model = br.Model("arm", gravity=(0, 0, 0))
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    model.user_joint("U", model.ground, "b", br.UserJoint.explicit(arm_position, {"angle": "angle"}, (0.5,), motion))
    model.start(joint="U", velocity=1.0)
    found = br.simulate(model, 3.0, coordinates=coordinates, rtol=1e-8, max_step=0.01, check=False)
    assert found.ok == ok
    if not ok:
        assert 'the motion of joint "U" is not that of a joint at angle = 1.' in found.status
        assert 1.0 < found.end.t < 1.4


def test_a_routine_that_is_wrong_at_the_start_is_refused_in_any_size():
    """A bias of 1 % in a joint of a micrometre: measured by its own size."""

    def small(s, u, p):
        found = arm(s, u, p)
        wrong = tuple(1.01 * x for x in found[3])
        return found[0], found[1], found[2], wrong, found[4], found[5], found[6], found[7]

    model = br.Model("small")
    model.body("b", mass=1e-9, inertia=(1e-22, 1e-22, 1e-22), position=(1e-6, 0, 0))
    model.user_joint("U", model.ground, "b", br.UserJoint.routine(small, {"angle": "angle"}, (1e-6,)))
    with pytest.raises(UserFunctionError, match="contradicts itself at the start: SDTT"):
        model.build()
