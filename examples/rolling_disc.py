"""A thin disc that rolls on a table without slipping: one row of contact and two nonholonomic rows.

Leaning by a constant angle it can roll steadily, its centre on a circle, if the turn W about the vertical and the
rate n about its own axis fit together (moments about the centre; A, C across and along the axis):

    (C + m r^2) W n cos(lean) - A W^2 sin(lean) cos(lean) + m g r sin(lean) = 0
"""

import numpy as np

import bricard as br

MASS, RADIUS, GRAVITY = 1.0, 0.5, 9.81
ACROSS, ALONG = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2
LEAN, TURN = 0.3, 1.0  # rad towards the centre of the circle; rad/s
RATE = (ACROSS * TURN**2 * np.cos(LEAN) - MASS * GRAVITY * RADIUS) * np.tan(LEAN) / ((ALONG + MASS * RADIUS**2) * TURN)
CIRCLE = -RADIUS * RATE / TURN  # radius of the path of the centre (m)


def build(push=0.0):
    """The disc in steady rolling about the origin; `push` (rad/s) rocks it out of that motion."""
    model = br.Model("rolling disc", gravity=(0, 0, -GRAVITY))
    axis, up = np.array([np.cos(LEAN), 0.0, np.sin(LEAN)]), np.array([-np.sin(LEAN), 0.0, np.cos(LEAN)])
    half = 0.5 * (0.5 * np.pi - LEAN)
    disc = model.body(
        "disc",
        mass=MASS,
        inertia=(ACROSS, ACROSS, ALONG),
        position=(CIRCLE, 0, RADIUS * np.cos(LEAN)),
        rotation=(np.cos(half), 0, np.sin(half), 0),  # z of the body along the axis
    )
    model.rolling_disc("rolling", disc, RADIUS, axis=axis)
    spin = TURN * np.cos(LEAN) * up + RATE * axis + np.array([0.0, push, 0.0])
    model.start(body="disc", angular_velocity=spin)
    return model


def slip(solution):
    """Velocity (n, 3) of the point of the disc that touches the table."""
    axis = solution.poses["disc"][1][:, :, 2]
    down = axis * axis[:, 2:] - [0.0, 0.0, 1.0]
    down *= RADIUS / np.linalg.norm(down, axis=1, keepdims=True)
    return solution.velocity("disc") + np.cross(solution.angular_velocity("disc"), down)


def check():
    steady = br.simulate(build(), 2.0 * np.pi / TURN, rtol=1e-10)
    centre = steady.point("disc")
    assert np.abs(centre[:, 2] - RADIUS * np.cos(LEAN)).max() < 1e-8
    assert np.abs(np.hypot(centre[:, 0], centre[:, 1]) - CIRCLE).max() < 1e-7
    assert np.linalg.norm(centre[-1] - centre[0]) < 1e-7  # once round
    assert np.abs(slip(steady)).max() < 1e-10

    rocking = br.simulate(build(push=0.5), 5.0, rtol=1e-10)
    assert np.ptp(rocking.point("disc")[:, 2]) > 1e-3
    assert np.abs(rocking.energy.error).max() < 1e-8
    assert np.abs(slip(rocking)).max() < 1e-10
    return rocking


if __name__ == "__main__":
    print(check())
