"""A symmetric top on a fixed tip (data of Urkullu): 5000 turns a minute about its axis, leaning by 0.3 rad.

Energy, the spin s about its own axis and the angular momentum about the vertical never change. Released without
precession it nutates; with the turn W about the vertical that solves

    A W^2 cos(lean) - C s W + m g l = 0        (A about the tip, C along the axis)

it precesses steadily.
"""

import numpy as np

import bricard as br

MASS, OFFSET, GRAVITY = 1.7355017e-2, 0.03993, 9.81  # kg; m from the tip to the centre of mass; m/s^2
ACROSS, ALONG = 3.256544e-6, 1.99486e-6  # kg m^2 about the centre of mass
SPIN, LEAN = 523.6, 0.3  # rad/s, rad
AXIS = np.array([np.sin(LEAN), 0.0, np.cos(LEAN)])


def slow_precession():
    """The smaller turn W (rad/s) of steady precession."""
    about_tip, load = (ACROSS + MASS * OFFSET**2) * np.cos(LEAN), MASS * GRAVITY * OFFSET
    return (ALONG * SPIN - np.sqrt((ALONG * SPIN) ** 2 - 4.0 * about_tip * load)) / (2.0 * about_tip)


def build(turn=0.0):
    """The top with its spin and a turn (rad/s) about the vertical that does not change the spin."""
    model = br.Model("spinning top", gravity=(0, 0, -GRAVITY))
    upright = (np.cos(0.5 * LEAN), 0.0, np.sin(0.5 * LEAN), 0.0)
    top = model.body("top", mass=MASS, inertia=(ACROSS, ACROSS, ALONG), position=OFFSET * AXIS, rotation=upright)
    model.spherical("tip", model.ground, top, point=(0, 0, 0))
    across = np.array([0.0, 0.0, 1.0]) - np.cos(LEAN) * AXIS
    model.start(body="top", angular_velocity=SPIN * AXIS + turn * across)
    return model


def check():
    released = br.simulate(build(), 0.2, rtol=1e-9)
    x, R = released.poses["top"]
    omega = released.angular_velocity("top")
    assert np.ptp(x[:, 2]) > 1e-3  # it nutates
    assert np.abs(released.energy.error).max() < 1e-6 * MASS * GRAVITY * OFFSET
    assert released.constraint_errors.position.max() < 1e-10

    spin = np.sum(R[:, :, 2] * omega, 1)
    assert np.abs(spin / SPIN - 1.0).max() < 1e-7

    inertia = R @ np.diag([ACROSS, ACROSS, ALONG]) @ R.transpose(0, 2, 1)
    momentum = np.einsum("nij,nj->ni", inertia, omega) + MASS * np.cross(x, released.velocity("top"))
    assert np.abs(momentum[:, 2] / momentum[0, 2] - 1.0).max() < 1e-7

    turn = slow_precession()
    steady = br.simulate(build(turn), 0.2, rtol=1e-9)
    x = steady.point("top")
    assert np.ptp(x[:, 2]) < 1e-7 * OFFSET
    assert np.abs(np.unwrap(np.arctan2(x[:, 1], x[:, 0])) - turn * steady.t).max() < 1e-6
    return released


if __name__ == "__main__":
    print(check())
