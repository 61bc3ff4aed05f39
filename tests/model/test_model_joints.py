"""Joints: rows and coordinates evaluated from their blocks, independent of the compiled code."""

import math

import numpy as np
import pytest
from everything import everything

import bricard.model as br
from bricard.errors import ModelError, UserFunctionError

POINT, AXIS = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -2.0]) / 3.0
SIDE = np.array([2.0, -2.0, -1.0]) / 3.0  # perpendicular to AXIS


def turn(axis, angle):
    return br.rotation_matrix((math.cos(angle / 2), *(math.sin(angle / 2) * np.asarray(axis))))


def start_poses(bodies):
    return {body: (body.com_position, body.rotation) for body in bodies}


def moved(pose, axis=AXIS, angle=0.0, about=POINT, shift=(0, 0, 0)):
    """Turn a pose about an axis through a point of the world, then shift it."""
    x, R = pose
    Q = turn(axis, angle)
    return about + Q @ (x - about) + np.asarray(shift), Q @ R


def measure(m, poses):
    (xa, Ra), (xb, Rb) = poses[m.bodies[0]], poses[m.bodies[1]]
    p = np.array(m.parameters)
    if m.kind == "angle":
        x_b = Rb @ p[6:]
        return math.atan2(x_b @ Ra @ p[3:6], x_b @ Ra @ p[:3])
    if m.kind == "displacement":
        return (xb + Rb @ p[3:6] - xa) @ Ra @ p[:3] - p[6]
    return np.linalg.norm(xb + Rb @ p[3:] - xa - Ra @ p[:3])


def rows(block, poses, t=0.0):
    p = np.array(block.parameters)
    if block.kernel == "coupling":
        start = start_poses(block.bodies)
        terms = [
            r * (measure(m, poses) - (measure(m, start) if block.profile.kind == "start" else 0.0))
            for r, m in zip(block.ratios, block.measures, strict=True)
        ]
        return [sum(terms) - (0.0 if block.profile.kind == "start" else block.profile(t))]
    (xa, Ra), (xb, Rb) = poses[block.bodies[0]], poses[block.bodies[1]]
    if block.kernel.startswith("coincide"):
        return (xb + Rb @ p[3:] - xa - Ra @ p[:3])[: block.rows]
    if block.kernel == "perpendicular":
        return [Ra @ p[:3] @ Rb @ p[3:6] - p[6]]
    if block.kernel == "separation":
        return [(xb + Rb @ p[3:6] - xa) @ Ra @ p[:3] - p[6]]
    assert block.kernel == "distance"
    return [np.linalg.norm(xb + Rb @ p[3:6] - xa - Ra @ p[:3]) - p[6]]


def residual(joint, poses):
    return np.concatenate([rows(block, poses) for block in joint.blocks()])


def pair():
    """A model with two bodies that stand anywhere, centre of mass off the origin."""
    model = br.Model()
    for name, position, rotation in (("a", (1, 2, 3), (1, 0.2, 0.3, 0.4)), ("b", (-1, 0.5, 1), (1, -0.7, 0.3, 0.1))):
        options = {"position": position, "rotation": rotation, "com": (0.1, -0.2, 0.3)}
        model.body(name, mass=1, inertia=(1, 1, 1), **options)
    return model


JOINTS = {
    "spherical": lambda m: m.spherical("J", "a", "b", POINT),
    "revolute": lambda m: m.revolute("J", "a", "b", POINT, AXIS),
    "cylindrical": lambda m: m.cylindrical("J", "a", "b", POINT, AXIS),
    "prismatic": lambda m: m.prismatic("J", "a", "b", POINT, AXIS),
    "universal": lambda m: m.universal("J", "a", "b", POINT, AXIS, SIDE),
    "planar": lambda m: m.planar("J", "a", "b", POINT, AXIS, x=SIDE),
    "fixed": lambda m: m.fixed("J", "a", "b", POINT),
    "distance": lambda m: m.distance("J", "a", "b", POINT, POINT + AXIS),
    "point_on_line": lambda m: m.point_on_line("J", "a", "b", POINT, AXIS, point_b=POINT + 0.2 * AXIS),
    "point_on_plane": lambda m: m.point_on_plane("J", "a", "b", POINT, AXIS),
    "constant_angle": lambda m: m.constant_angle("J", "a", "b", AXIS, (0, 0, 1)),
}


@pytest.fixture(params=JOINTS)
def drawn(request):
    model = pair()
    return JOINTS[request.param](model), start_poses(model.bodies.values()), model.bodies["b"]


def test_drawn_joint_is_closed(drawn):
    joint, poses, _ = drawn
    np.testing.assert_allclose(residual(joint, poses), 0.0, atol=1e-14)


def test_freedom_and_rows_make_six(drawn):
    joint, poses, _ = drawn
    assert len(residual(joint, poses)) + joint.freedom == 6
    for block in joint.blocks():
        assert block.rows == len(block.units) == len(block.labels)


def test_rows_are_independent(drawn):
    joint, poses, b = drawn
    h, columns = 1e-6, []
    for motion in [{"shift": h * e} for e in np.eye(3)] + [{"axis": e, "angle": h} for e in np.eye(3)]:
        columns.append((residual(joint, poses | {b: moved(poses[b], **motion)}) - residual(joint, poses)) / h)
    assert np.linalg.svd(np.array(columns), compute_uv=False).min() > 0.1


FREE_MOTIONS = [
    ("spherical", {"axis": (0, 0.6, 0.8), "angle": 0.7}, {}),
    ("revolute", {"angle": 0.7}, {"angle": 0.7}),
    ("revolute", {"angle": -2.7}, {"angle": -2.7}),
    ("cylindrical", {"angle": 0.7, "shift": 0.3 * AXIS}, {"angle": 0.7, "displacement": 0.3}),
    ("prismatic", {"shift": -0.3 * AXIS}, {"displacement": -0.3}),
    ("universal", {"angle": 0.7}, {"angle_a": 0.7, "angle_b": 0.0}),
    ("universal", {"axis": SIDE, "angle": 0.7}, {"angle_a": 0.0, "angle_b": 0.7}),
    ("planar", {"angle": 0.7}, {"x": 0.0, "y": 0.0, "angle": 0.7}),
    ("planar", {"shift": 0.3 * SIDE + 0.2 * np.cross(AXIS, SIDE)}, {"x": 0.3, "y": 0.2, "angle": 0.0}),
    ("distance", {"axis": (0, 0.6, 0.8), "angle": 0.7}, {"distance": 1.0}),
    ("point_on_line", {"shift": 0.3 * AXIS}, {"displacement": 0.5}),
    ("point_on_plane", {"shift": 0.3 * SIDE}, {}),
    ("constant_angle", {"angle": 0.7, "shift": (1, 2, 3)}, {}),
]


@pytest.mark.parametrize(("kind", "motion", "expected"), FREE_MOTIONS)
def test_free_motion_keeps_the_rows_and_shows_in_the_coordinates(kind, motion, expected):
    model = pair()
    joint = JOINTS[kind](model)
    poses = start_poses(model.bodies.values())
    poses[model.bodies["b"]] = moved(poses[model.bodies["b"]], **motion)
    np.testing.assert_allclose(residual(joint, poses), 0.0, atol=1e-14)
    for name, value in expected.items():
        assert measure(joint.coordinates()[name], poses) == pytest.approx(value, abs=1e-14)
        assert model.coordinate(f"J.{name}") == joint.coordinates()[name]


def test_coordinates_do_not_change_when_the_world_is_moved(drawn):
    joint, poses, b = drawn
    poses[b] = moved(poses[b], (0, 0, 1), 0.3, shift=(0.1, 0.2, 0.3))
    elsewhere = {body: moved(pose, (0, 0.6, 0.8), 1.0, shift=(3, 2, 1)) for body, pose in poses.items()}
    for name in joint.coordinates():
        one, other = (measure(joint.coordinates()[name], where) for where in (poses, elsewhere))
        assert one == pytest.approx(other, abs=1e-14)


def planar_pair():
    model = br.Model(planar=True)
    model.body("a", br.Rod((0, 0, 0), (1, 0.5, 0), mass=1))
    model.body("b", br.Rod((1, 0.5, 0), (2, 0, 0), mass=1))
    return model


PLANAR_JOINTS = {
    "pin": lambda m: m.pin("J", "a", "b", (1, 0.5, 0)),
    "slider": lambda m: m.slider("J", "a", "b", (1, 0.5, 0), (0.6, 0.8, 0)),
    "spherical": lambda m: m.spherical("J", "a", "b", (1, 0.5, 0)),
    "revolute": lambda m: m.revolute("J", "a", "b", (1, 0.5, 0), (0, 0, -1)),
    "prismatic": lambda m: m.prismatic("J", "a", "b", (1, 0.5, 0), (0.6, 0.8, 0)),
    "fixed": lambda m: m.fixed("J", "a", "b", (1, 0.5, 0)),
    "distance": lambda m: m.distance("J", "a", "b", (0, 0, 0), (2, 0, 0)),
}


@pytest.mark.parametrize("kind", PLANAR_JOINTS)
def test_planar_bodies_get_rows_of_the_plane_only(kind):
    model = planar_pair()
    joint = PLANAR_JOINTS[kind](model)
    poses = start_poses(model.bodies.values())
    values = residual(joint, poses)
    np.testing.assert_allclose(values, 0.0, atol=1e-14)
    assert len(values) + joint.planar_freedom == 3


@pytest.mark.parametrize("kind", ["slider", "prismatic"])
def test_planar_slide(kind):
    model = planar_pair()
    joint = PLANAR_JOINTS[kind](model)
    poses = start_poses(model.bodies.values())
    b = model.bodies["b"]
    poses[b] = moved(poses[b], shift=(0.06, 0.08, 0))
    np.testing.assert_allclose(residual(joint, poses), 0.0, atol=1e-14)
    assert measure(model.coordinate("J"), poses) == pytest.approx(0.1)


def test_gear_and_drive_rows():
    model = pair()
    model.revolute("A", "ground", "a", POINT, AXIS)
    model.cylindrical("B", "ground", "b", POINT, AXIS)
    gear = model.gear("gear", "A", "B.angle", 2.0)
    rack = model.gear("rack", "A", "B.displacement", 0.5, offset=0.1)
    drive = model.drive("drive", "A", br.Constant(0.25))
    poses = start_poses([model.ground, *model.bodies.values()])
    a, b = model.bodies.values()
    poses[a], poses[b] = moved(poses[a], angle=0.4), moved(poses[b], angle=-0.3, shift=0.2 * AXIS)
    assert residual(gear, poses)[0] == pytest.approx(0.4 - 0.6)
    assert residual(rack, poses)[0] == pytest.approx(0.4 + 0.1 - 0.1)
    assert residual(drive, poses)[0] == pytest.approx(0.4 - 0.25)
    assert [gear.blocks()[0].units, drive.blocks()[0].units] == [("angle",), ("angle",)]
    assert [body.name for body in gear.bodies] == ["ground", "a", "ground", "b"]


def test_rolling_disc_parameters():
    model = br.Model()
    model.body("wheel", br.Cylinder((-0.01, 0, 1), (0.01, 0, 1), 1.0, mass=1))
    contact, slip = model.rolling_disc("disc", "wheel", 1.0, (1, 0, 0)).elements()
    assert (contact.kind, contact.rows, slip.kind, slip.rows) == ("joint", 1, "nonholonomic", 2)
    axis, normal, one, two = np.reshape(contact.parameters[:12], (4, 3))
    assert np.linalg.det([one, two, normal]) == pytest.approx(1.0)
    np.testing.assert_allclose(model.bodies["wheel"].rotation @ axis, (1, 0, 0), atol=1e-15)
    assert contact.parameters[12:] == (1.0, 0.0)


def test_knife_edge_and_user_joint_are_blocks_of_functions():
    model = everything()
    for name, kind, count in (("knife", "nonholonomic", 1), ("own", "joint", 2), ("no slip", "nonholonomic", 1)):
        (block,) = model.joints[name].blocks()
        assert (block.kernel, block.element.kind, block.rows) == ("function", kind, count)


def wrong_model():
    model = pair()
    model.revolute("A", "ground", "a", POINT, AXIS)
    model.cylindrical("C", "a", "b", POINT, AXIS)
    model.spherical("S", "a", "b", POINT)
    return model


NAN = float("nan")
OTHER = br.Model().body("a", br.PointMass((0, 0, 0), 1))
WRONG = [
    (lambda m: m.revolute("J", "a", "a", POINT, AXIS), 'connects the body "a" with itself'),
    (lambda m: m.revolute("J", OTHER, "b", POINT, AXIS), 'the body "a" does not belong to the model'),
    (lambda m: m.revolute("J", 3, "b", POINT, AXIS), "neither a body nor the name"),
    (lambda m: m.revolute("J", "aa", "b", POINT, AXIS), 'there is no body "aa". Did you mean "a"?'),
    (lambda m: m.revolute("J", "a", "b", POINT), "axis is missing"),
    (lambda m: m.revolute("J", "a", "b", axis=AXIS), "point is missing"),
    (lambda m: m.revolute("J", "a", "b", POINT, (0, 0, 0)), "axis has no direction"),
    (lambda m: m.revolute("J", "a", "b", POINT, (0, 0, NAN)), "axis must be 3 numbers, all finite"),
    (lambda m: m.revolute("J", "a", "b", (0, NAN, 0), AXIS), "point must be 3 numbers, all finite"),
    (lambda m: m.revolute("J", "a", "b", "here", AXIS), "point must be 3 numbers"),
    (lambda m: m.revolute("J", "a", "b", frame_a=m.bodies["a"].frame()), "frame_b is missing"),
    (
        lambda m: m.revolute("J", "a", "b", POINT, frame_a=m.bodies["a"].frame(), frame_b=m.bodies["b"].frame()),
        "point and frames are given",
    ),
    (
        lambda m: m.revolute("J", "a", "b", frame_a=m.bodies["b"].frame(), frame_b=m.bodies["b"].frame()),
        'frame_a is fixed in the body "b"',
    ),
    (lambda m: m.revolute("J", "a", "b", frame_a=1, frame_b=2), "frame_a must be a frame"),
    (lambda m: m.universal("J", "a", "b", POINT, AXIS, (0, 0, 1)), "perpendicular, but make an angle of 131.8"),
    (lambda m: m.planar("J", "a", "b", POINT, AXIS, x=AXIS), "parallel to the axis"),
    (lambda m: m.distance("J", "a", "b", POINT, POINT), "the two points coincide"),
    (lambda m: m.distance("J", "a", "b", POINT, AXIS, length=0), "length must be greater than zero"),
    (lambda m: m.distance("J", "a", "b", POINT, AXIS, length=NAN), "length must be a finite number"),
    (lambda m: m.constant_angle("J", "a", "b", AXIS, AXIS), "must lie between 0 and pi"),
    (lambda m: m.constant_angle("J", "a", "b", AXIS, SIDE, angle=4), "must lie between 0 and pi"),
    (lambda m: m.pin("J", "a", "b", POINT), '"a" moves in space. Use revolute'),
    (lambda m: m.slider("J", "a", "b", POINT, AXIS), '"a" moves in space. Use prismatic'),
    (lambda m: m.gear("J", "A", "A", 1), "with itself"),
    (lambda m: m.gear("J", "A", "A.angle", 1), "with itself"),
    (lambda m: m.gear("J", "A", "C", 1), 'several coordinates; choose one of "C.displacement", "C.angle"'),
    (lambda m: m.gear("J", "A", "C.angel", 1), 'no coordinate "angel". Did you mean "angle"?'),
    (lambda m: m.gear("J", "A", "S", 1), 'the joint "S" has no coordinates'),
    (lambda m: m.gear("J", "A", "C.angle", 0), "ratio of zero"),
    (lambda m: m.gear("J", "A", "C.angle", NAN), "ratio must be a finite number"),
    (lambda m: m.drive("J", "B", 1), 'there is no joint "B"'),
    (lambda m: m.drive("J", 3, 1), "must name a joint coordinate"),
    (lambda m: m.drive("J", "A", NAN), "profile must be a finite number"),
    (lambda m: m.drive("J", "A", [1]), "profile must be a number"),
    (lambda m: m.drive_distance("J", "a", "b", POINT, AXIS), "profile is missing"),
    (lambda m: m.joint("J", "a", "b", 3, 1), "residual must be a function"),
    (lambda m: m.joint("J", "a", "b", "nowhere", 1), "must have the form"),
    (lambda m: m.joint("J", "a", "b", len, 0), "rows must be an integer of at least 1"),
    (lambda m: m.joint("J", "a", "b", len, 2, units=("length",)), "one for each of 2 rows"),
    (lambda m: m.joint("J", "a", "b", len, 2, units="metre"), 'units must be "length" or "angle"'),
    (lambda m: m.joint("J", "a", "b", len, 2, parameters=(NAN,)), "parameters must be"),
    (lambda m: m.knife_edge("J", "a", POINT), "give point and direction"),
    (lambda m: m.knife_edge("J", "a", POINT, (0, 0, 0)), "direction has no direction"),
    (lambda m: m.knife_edge("J", "ground", POINT, AXIS), "with itself"),
    (lambda m: m.rolling_disc("J", "a", -1, AXIS), "radius must be greater than zero"),
    (lambda m: m.rolling_disc("J", "a", 1), "axis is missing"),
]


@pytest.mark.parametrize(("declare", "expected"), WRONG)
def test_wrong_joints(declare, expected):
    model = wrong_model()
    with pytest.raises((ModelError, UserFunctionError)) as caught:
        declare(model)
    assert 'joint "J"' in str(caught.value)
    assert expected in str(caught.value)
    assert "J" not in model.joints


def test_slider_axis_out_of_the_plane():
    with pytest.raises(ModelError, match='joint "J": the axis of a slider must lie in the x-y plane'):
        planar_pair().slider("J", "a", "b", (0, 0, 0), (1, 0, 0.1))


def test_names_of_joints_are_unique():
    model = wrong_model()
    with pytest.raises(ModelError, match='joint "A": this name is taken'):
        model.spherical("A", "a", "b", POINT)
