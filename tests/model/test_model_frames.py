"""Rotations and frames."""

import numpy as np
import pytest

import bricard.model as br
from bricard.errors import ModelError

rng = np.random.default_rng(3)
QUATERNIONS = [*rng.normal(size=(20, 4)), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1e-9, 1, 0, 0)]


@pytest.mark.parametrize("q", QUATERNIONS)
def test_matrix_and_quaternion_are_inverse(q):
    unit = np.array(q) / np.linalg.norm(q)
    R = br.rotation_matrix(q)
    back = br.quaternion(R)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(back * np.sign(back @ unit), unit, atol=1e-15)


def test_quaternion_turns_the_right_way():
    quarter = br.rotation_matrix((1, 0, 0, 1))
    np.testing.assert_allclose(quarter @ (1, 0, 0), (0, 1, 0), atol=1e-15)


AXES = [*rng.normal(size=(20, 3)), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1e-300, 0, 0), (1e300, 1e300, 0)]


@pytest.mark.parametrize("axis", AXES)
def test_rotation_from_axis(axis):
    R = br.rotation_from_axis(axis)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(
        R[:, 2] * np.abs(axis).max(), axis / np.linalg.norm(axis / np.abs(axis).max()), rtol=1e-14
    )


def test_x_direction_is_kept_in_the_plane():
    R = br.rotation_from_axis((0, 0, 2), x=(1, 1, 5))
    np.testing.assert_allclose(R[:, 0], np.array([1, 1, 0]) / np.sqrt(2), atol=1e-15)


def test_z_gives_no_rotation():
    assert br.rotation_from_axis((0, 0, 1)).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("axis", "x", "expected"),
    [
        ((0, 0, 0), None, "no direction"),
        ((0, 0, float("nan")), None, "finite"),
        ((0, 0, 1), (0, 0, 1), "parallel to the axis"),
        ((0, 0, 1), (0, 0, 0), "no direction"),
    ],
)
def test_wrong_axes(axis, x, expected):
    with pytest.raises(ModelError, match=expected):
        br.rotation_from_axis(axis, x)


def test_rounded_matrix_becomes_orthonormal_and_an_exact_one_stays():
    exact = br.rotation_matrix((1, 0.2, 0.3, 0.4))
    model = br.Model()
    rounded = model.ground.frame(rotation=np.round(exact, 7)).rotation
    np.testing.assert_allclose(rounded.T @ rounded, np.eye(3), atol=1e-15)
    assert model.ground.frame(rotation=exact).rotation.tolist() == exact.tolist()


def tilted():
    model = br.Model()
    options = {"position": (1, 2, 3), "rotation": (1, 0.2, 0.3, 0.4), "com": (0.1, 0.2, 0.3)}
    return model, model.body("bob", mass=1, inertia=(1, 1, 1), **options)


def test_frame_of_a_body_stands_where_it_should():
    _, bob = tilted()
    frame = bob.frame((0.5, 0, 0), axis=(0, 1, 0))
    np.testing.assert_allclose(frame.world_position, bob.position + 0.5 * bob.rotation[:, 0], atol=1e-15)
    np.testing.assert_allclose(frame.world_rotation[:, 2], bob.rotation[:, 1], atol=1e-15)
    np.testing.assert_allclose(frame.point, (0.4, -0.2, -0.3), atol=1e-15)


def test_point_is_the_inverse_of_placing():
    _, bob = tilted()
    np.testing.assert_allclose(bob.frame(bob.point((4, 5, 6))).world_position, (4, 5, 6), atol=1e-14)


def test_joint_by_point_and_axis_equals_joint_by_frames():
    model, bob = tilted()
    drawn = model.revolute("drawn", "ground", "bob", point=(0.3, 0.2, 0.1), axis=(1, 2, 3))
    turn = br.rotation_from_axis((1, 2, 3))
    by_hand = model.revolute(
        "by hand",
        model.ground,
        bob,
        frame_a=model.ground.frame((0.3, 0.2, 0.1), turn),
        frame_b=bob.frame(bob.point((0.3, 0.2, 0.1)), bob.rotation.T @ turn),
    )
    for one, other in zip(drawn.blocks(), by_hand.blocks(), strict=True):
        np.testing.assert_allclose(one.parameters, other.parameters, atol=1e-15)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"position": (1, 2)}, "position must be 3 numbers"),
        ({"rotation": np.eye(3), "axis": (0, 0, 1)}, "either rotation or axis"),
        ({"x": (1, 0, 0)}, "needs an axis"),
        ({"axis": (0, 0, 0)}, "no direction"),
    ],
)
def test_wrong_frames(options, expected):
    _, bob = tilted()
    with pytest.raises(ModelError) as caught:
        bob.frame(**options)
    assert 'body "bob"' in str(caught.value)
    assert expected in str(caught.value)
