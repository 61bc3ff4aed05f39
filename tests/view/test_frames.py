"""Frames of the animation: poses between samples, both sides of a bounce, playing speed."""

import numpy as np
import pytest

import bricard as br
import mechanisms
from bricard.system.channels import poses
from bricard.view.timeline import frames_for, playing_speed, quaternions, timeline


@pytest.fixture(scope="module")
def solution():
    return br.simulate(mechanisms.four_bar(), 1.0, step=2e-3, progress=False)


def test_poses_between_samples(solution):
    frames = timeline(solution, 123)
    positions, rotations = frames.poses
    for k in (0, 17, 61, 122):
        state = solution.at(frames.t[k])
        for number, (x, R) in enumerate(list(poses(solution.system, state.q[None]).values())[:-1]):
            assert np.abs(positions[number, :, k] - x[0]).max() < 1e-8
            assert abs(abs(rotations[number, :, k] @ quaternions(R[0])) - 1.0) < 1e-12


def test_quaternions_never_jump(solution):
    _, rotations = timeline(solution, 400).poses
    assert np.sum(rotations[:, :, 1:] * rotations[:, :, :-1], 1).min() > 0.9


def test_only_samples_near_frames_are_kept(solution):
    assert timeline(solution, 11).solution.t.size <= 22


def test_straight_values(solution):
    frames = timeline(solution, 77)
    assert np.abs(frames.values(solution.t[np.searchsorted(solution.t, frames.solution.t)]) - frames.t).max() < 1e-12


@pytest.mark.parametrize(
    ("duration", "speed"), [(10.0, 1.0), (2.0, 1.0), (1.0, 0.2), (0.4, 0.1), (0.05, 0.01), (1e-4, 2e-5), (0.0, 1.0)]
)
def test_short_runs_are_played_slowly(duration, speed):
    assert playing_speed(duration) == pytest.approx(speed)


def test_fast_rotations_get_more_frames():
    model = br.Model("rotor", gravity=(0, 0, 0))
    model.body("rotor", br.Box((1, 1, 0.1), mass=1.0))
    model.start(body="rotor", angular_velocity=(0, 0, 200.0))
    solution = br.simulate(model, 2.0, step=1e-3, progress=False)
    count = frames_for(solution, 60.0)
    assert 200.0 * 2.0 / count < 0.55
    assert frames_for(solution, 30.0) < count


def test_a_bounce_stays_sharp():
    """A ball that falls from 1 m: at the bounce, between two coarse samples, it touches the floor."""
    model = br.Model("ball")
    model.body("ball", br.Sphere((0, 0, 1.0), 0.1, mass=1.0))

    def floor(t, q, v):
        return q[2]

    bounce = br.Trigger(floor, direction="falling", action=lambda t, q, v: -v)
    solution = br.simulate(model, 0.8, triggers=[bounce], output=10, progress=False)
    hit = np.sqrt(2 / 9.81)
    frames = timeline(solution, 801)
    height = frames.poses[0][0, 2]
    after = frames.t - hit
    exact = np.where(after < 0, 1 - 0.5 * 9.81 * frames.t**2, 9.81 * hit * after - 0.5 * 9.81 * after**2)
    assert np.abs(height - exact).max() < 1e-7
