"""Kinks of users' own joints: a follower that slides along a line, then along a parabola, given in all the ways there are."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import SimulationError, UserFunctionError

EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NONE = (0.0, 0.0, 0.0)
KINK = 0.1  # m; with 1 m/s it is there after as many seconds


def profile(x, p):
    return p[0] * max(x - KINK, 0.0) ** 2


def slope(x, p):
    return 2.0 * p[0] * max(x - KINK, 0.0)


def cam(s, p):
    return (s[0], profile(s[0], p), 0.0), EYE


def cam_motion(s, p):
    return ((1.0, slope(s[0], p), 0.0, *NONE),)


def cam_closure(d, C, s, p):
    return d[0] - s[0], d[1] - profile(d[0], p), d[2], C[2][1], C[0][2], C[1][0]


def cam_routine(s, u, p):
    bend = 2.0 * p[0] if s[0] > KINK else 0.0
    way, no_turn = ((1.0,), (slope(s[0], p),), (0.0,)), ((0.0,), (0.0,), (0.0,))
    return cam(s, p)[0], (u[0], way[1][0] * u[0], 0.0), way, (0.0, bend * u[0] ** 2, 0.0), EYE, NONE, no_turn, NONE


WAY = {"s": "length"}
GIVEN = {
    "explicit": br.UserJoint.explicit(cam, WAY, (3.0,)),
    "motion": br.UserJoint.explicit(cam, WAY, (3.0,), motion=cam_motion),
    "implicit": br.UserJoint.implicit(cam_closure, WAY, (3.0,)),
    "routine": br.UserJoint.routine(cam_routine, WAY, (3.0,)),
}


def follower(joint, start=0.0):
    model = br.Model("follower", gravity=(0, 0, 0))
    model.body("follower", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(start, 3.0 * max(start - KINK, 0.0) ** 2, 0))
    model.user_joint("cam", model.ground, "follower", joint)
    model.start(joint="cam", velocity=1.0)
    return model


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("name", GIVEN)
def test_the_step_ends_where_the_curvature_jumps(name, coordinates):
    """There, to 1e-8 s, and 1 / s'^2 = 1 + (y')^2 behind it: no force does work."""
    model = follower(GIVEN[name])
    for options in ({"rtol": 1e-9}, {"step": 0.013, "kinks": "stop at"}):
        solution = br.simulate(model, 0.4, coordinates=coordinates, output=3, **options)
        found = [event.t for event in solution.events if event.kind == "kink"]
        assert found == [pytest.approx(KINK, abs=1e-8)]
        assert 'of joint "cam" left its branch' in solution.events[0].text
        if "rtol" in options:
            s, u = solution.joint("cam")[-1], solution.joint_velocity("cam")[-1]
            assert u**-2 == pytest.approx(1.0 + slope(s, (3.0,)) ** 2, rel=1e-7)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_steps_that_go_over_it_are_counted(coordinates):
    solution = br.simulate(follower(GIVEN["explicit"]), 0.4, coordinates=coordinates, step=0.013)
    assert '1 kink of the function "cam" of joint "cam" lay inside of steps' in solution.status


def bowl(s, p):
    return (s[0], abs(s[0]) ** 3 + 0.0 * abs(s[0] - p[0]), 0.0), EYE


def test_a_joint_that_stands_where_it_has_no_derivative_is_refused():
    with pytest.raises(UserFunctionError, match='"bowl" of joint "cam" stands where it has no derivative'):
        br.simulate(follower(br.UserJoint.explicit(bowl, WAY, (5.0,))), 0.1)


def test_a_joint_that_comes_to_such_a_place_ends_the_run():
    """The end of a fixed step, to the last digit: the way of a slider at 1 m/s in steps that are powers of two."""

    def straight(s, p):
        return (s[0], 0.0 * abs(s[0] - p[0]), 0.0), EYE

    joint = br.UserJoint.explicit(straight, WAY, (0.5,))
    with pytest.raises(SimulationError, match=r'"straight" of joint "cam" stands where it has no derivative'):
        br.simulate(follower(joint), 1.0, step=0.125, coordinates="relative", integrator="euler")


def iterated(s, u, p):
    """A routine that searches: its number of iterations is no branch."""
    x, square = (
        1.0,
        max(2.0 + s[0], 0.5),
    )  # not only where the run goes: the length of the joint is found by larger ways
    while abs(x * x - square) > 1e-13 * square:
        x = 0.5 * (x + square / x)
    rate, bend = 0.5 / x, -0.25 / x**3
    way, no_turn = ((1.0,), (rate,), (0.0,)), ((0.0,), (0.0,), (0.0,))
    return (s[0], x, 0.0), (u[0], rate * u[0], 0.0), way, (0.0, bend * u[0] ** 2, 0.0), EYE, NONE, no_turn, NONE


def test_a_routine_that_iterates_is_not_watched():
    model = br.Model("root", gravity=(0, 0, 0))
    model.body("follower", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, np.sqrt(2.0), 0))
    model.user_joint("root", model.ground, "follower", br.UserJoint.routine(iterated, WAY))
    model.start(joint="root", velocity=1.0)
    assert "kink" not in br.simulate(model, 0.5, step=0.01).status
