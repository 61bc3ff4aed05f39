"""URDF: what becomes of its elements, notes of what has no counterpart, and errors. Without MuJoCo."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import FileFormatError, ModelError
from bricard.model import Mesh, rotation_matrix

LINK = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = f"""<robot name="two">
  <link name="base"/>
  <link name="a">{LINK}</link>
  <link name="b">{LINK}</link>
  <link name="tool">{LINK}</link>
  <joint name="A" type="revolute">
    <parent link="base"/><child link="a"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><axis xyz="0 0 2"/>
  </joint>
  <joint name="B" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint>
  <joint name="flange" type="fixed"><parent link="b"/><child link="tool"/><origin xyz="0 0 0.5" rpy="0 0 1.57"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path):
    def write(old="", new="", loops=None):
        assert old in URDF
        (tmp_path / "two.urdf").write_text(URDF.replace(old, new, 1))
        if loops is not None:
            (tmp_path / "two.loops.toml").write_text(loops)
        return tmp_path / "two.urdf"

    return write


# URDF


def test_links_joints_and_axes(urdf):
    model = br.load(urdf())
    assert list(model.bodies) == ["a", "b"]
    assert {name: type(joint).__name__ for name, joint in model.joints.items()} == {"A": "Revolute", "B": "Prismatic"}
    turn = rotation_matrix(_quaternion_rpy(0.1, 0.2, 0.3))
    np.testing.assert_allclose(model.bodies["a"].rotation, turn, atol=1e-15)
    np.testing.assert_allclose(model.joints["A"].frame_a.world_rotation[:, 2], turn[:, 2], atol=1e-15)
    np.testing.assert_allclose(
        model.joints["B"].frame_a.world_rotation[:, 2], turn[:, 0], atol=1e-15
    )  # x is the default


def _quaternion_rpy(roll, pitch, yaw):
    def about(axis, angle):
        return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.eye(3)[axis])])

    def times(p, q):
        w, v = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
        return np.array([w, *v])

    return times(about(2, yaw), times(about(1, pitch), about(0, roll)))


def test_fixed_links_weigh_as_one_body(urdf):
    body = br.load(urdf()).bodies["b"]
    assert body.mass == 4.0
    np.testing.assert_allclose(body.com, (0, 0, 0.25), atol=1e-15)
    np.testing.assert_allclose(body.inertia, np.diag([2.25, 2.25, 2.0]), atol=1e-12)  # 2 x 1 + 2 x 2 x 0.25^2


def test_free_base(urdf):
    file = urdf('<link name="base"/>', f'<link name="base">{LINK}</link>')
    assert list(br.io.from_urdf(file, base="free").bodies) == ["base", "a", "b"]
    with pytest.raises(ModelError, match="base must be"):
        br.io.from_urdf(file, base="loose")


def test_mimic_becomes_a_gear(urdf):
    mimic = '<mimic joint="A" multiplier="0.5" offset="0.1"/></joint>\n  <joint name="flange"'
    model = br.load(urdf('</joint>\n  <joint name="flange"', mimic))
    gear = model.joints["B mimic"]
    assert (gear.coordinate_1, gear.coordinate_2, gear.ratio, gear.offset.value) == ("B", "A", -0.5, 0.1)


def test_damping_becomes_a_damper_and_the_rest_a_note(urdf):
    model = br.load(urdf('<axis xyz="0 0 2"/>', '<axis xyz="0 0 2"/><dynamics damping="0.3" friction="1"/>'))
    assert model.forces["A damping"].law.damping == 0.3
    assert any(note.startswith("friction of joints (A)") for note in model.notes)
    assert any(note.startswith("limits of joints (A, B)") for note in model.notes)


@pytest.mark.parametrize(("kind", "method", "freedom"), [("floating", "free", 6), ("planar", "planar", 3)])
def test_other_joints(urdf, kind, method, freedom):
    joint = br.load(urdf('type="prismatic"', f'type="{kind}"')).joints["B"]
    assert (joint.kind, joint.freedom) == (method, freedom)


def test_visuals_are_drawn_in_their_body(urdf, tmp_path):
    shapes = "".join(
        f'<visual><origin xyz="0 0 1"/><geometry>{text}</geometry></visual>'
        for text in (
            '<box size="1 2 3"/>',
            '<sphere radius="0.1"/>',
            '<cylinder radius="0.1" length="2"/>',
            '<mesh filename="package://robot/meshes/arm.stl" scale="0.001 0.001 0.001"/>',
            '<mesh filename="meshes/arm.stl"/>',
            "<torus/>",
        )
    )
    file = urdf('<link name="tool">', f'<link name="tool">{shapes}')
    model = br.io.from_urdf(file, packages={"robot": tmp_path / "here"})
    assert [drawing.shape.kind for drawing in model.drawings] == ["box", "sphere", "cylinder", "mesh", "mesh"]
    assert {drawing.body.name for drawing in model.drawings} == {"b"}
    np.testing.assert_allclose(model.drawings[0].shape.origin, (0, 0, 1.5), atol=1e-15)
    meshes = [drawing.shape for drawing in model.drawings if isinstance(drawing.shape, Mesh)]
    assert meshes[0].path == tmp_path / "here" / "meshes" / "arm.stl"
    assert meshes[1].path == tmp_path / "meshes" / "arm.stl"
    assert [note for note in model.notes if "no file" in note and "arm.stl" in note] == model.notes[-2:]
    assert any("<torus> cannot be drawn" in note for note in model.notes)


def test_packages_are_found_around_the_file(tmp_path):
    (tmp_path / "robot" / "meshes").mkdir(parents=True)
    (tmp_path / "robot" / "urdf").mkdir()
    (tmp_path / "robot" / "meshes" / "a.stl").write_text("")
    visual = '<visual><geometry><mesh filename="package://robot/meshes/a.stl"/></geometry></visual>'
    file = tmp_path / "robot" / "urdf" / "two.urdf"
    file.write_text(URDF.replace('<link name="b">', f'<link name="b">{visual}'))
    assert br.load(file).drawings[0].shape.path == tmp_path / "robot" / "meshes" / "a.stl"


LOOPS = """
gravity = [0, 0, -1.62]
[parameters]
k = 50
[joints.end]
type = "spherical"
bodies = ["ground", "tool"]
frame_a = {position = [1, 0, 2]}
frame_b = {position = [0.1, 0, 0.2]}
[forces.S]
type = "spring"
bodies = ["base", "tool"]
point_a = [0, 0, 0]
point_b = [1, 0, 1]
stiffness = "${k}"
[simulation]
duration = 2
"""


def test_loops_name_links_and_frames_of_links(urdf):
    """The frame of the tool is carried over to the body that the tool is fixed to."""
    file = urdf(loops=LOOPS)
    model = br.load(file)
    joint = model.joints["end"]
    assert [body.name for body in joint.bodies] == ["ground", "b"]
    c, s = np.cos(1.57), np.sin(1.57)
    np.testing.assert_allclose(joint.frame_b.position, (0.1 * c, 0.1 * s, 0.7), atol=1e-15)
    assert model.gravity.tolist() == [0, 0, -1.62]
    assert [body.name for body in model.forces["S"].bodies] == ["ground", "b"]
    assert br.load(file, {"k": 70.0}).forces["S"].law.stiffness == 70.0


def test_drawings_of_loops_stand_in_their_link(urdf):
    text = """
    [[drawings]]
    body = "tool"
    shape = "box"
    size = [1, 1, 1]
    position = [0.1, 0, 0.2]
    mass = 0
    [[drawings]]
    body = "tool"
    shape = "cylinder"
    start = [0.1, 0, 0.2]
    end = [0.1, 0, 0.4]
    radius = 0.1
    mass = 0
    """
    box, cylinder = br.load(urdf(loops=text)).drawings
    c, s = np.cos(1.57), np.sin(1.57)
    assert {box.body.name, cylinder.body.name} == {"b"}
    np.testing.assert_allclose(box.shape.origin, (0.1 * c, 0.1 * s, 0.7), atol=1e-15)
    np.testing.assert_allclose(box.shape.rotation, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(cylinder.shape.end, (0.1 * c, 0.1 * s, 0.9), atol=1e-15)


def test_loops_of_another_file(urdf, tmp_path):
    (tmp_path / "other.toml").write_text(LOOPS)
    assert "end" in br.io.from_urdf(urdf(), loops=tmp_path / "other.toml").joints


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"ground", "tool"]', '"ground", "tol"]', 'line 7: .*there is no body "tol"'),
        ("gravity", "gravty", 'line 2: unknown key "gravty"'),
        ("[parameters]", 'name = "x"\n[parameters]', "belongs to the model"),
    ],
)
def test_errors_in_loops_name_that_file(urdf, old, new, words):
    with pytest.raises(FileFormatError, match=f"two.loops.toml, {words}" if "line" in words else words):
        br.load(urdf(loops=LOOPS.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<robot", "<robott", "not a valid XML file"),
        ('<link name="b">', '<link name="a">', 'two links "a"'),
        ('<joint name="B"', '<joint name="A"', 'two joints "A"'),
        (
            "<link",
            '<xacro:arm xmlns:xacro="http://ros.org/wiki/xacro"/><link',
            "<xacro:arm>: this is a xacro file.*expand",
        ),
        ('xyz="0 0 1"', 'xyz="0 0 ${l}"', "<origin> with an expression .* xacro file"),
        ('type="revolute"', 'type="hinge"', 'joint "A": unknown type "hinge"'),
        ('<parent link="base"/>', '<parent link="bas"/>', 'its parent "bas" is no link'),
        ('<child link="b"/>', '<child link="a"/>', 'the link "a" is the child of 2 joints'),
        ('<link name="base"/>', '<link name="base"/><link name="lost"/>', "exactly one link"),
        ('<link name="b">', "<link>", "<link> has no name"),
        ('xyz="0 0 2"', 'xyz="0 0 0"', "no direction"),
        ('xyz="0 0 2"', 'xyz="0 0"', 'xyz must be 3 numbers, not "0 0"'),
        ('xyz="0 0 2"', 'xyz="0 0 z"', 'xyz must be 3 numbers, not "0 0 z"'),
        ('izz="1"', 'izz="9"', 'body "a": inertia belongs to no real body'),
        ('value="2"', 'value="-2"', 'body "a": mass must not be negative'),
    ],
)
def test_errors_of_urdf_name_the_file(urdf, old, new, words):
    with pytest.raises(FileFormatError, match=words) as caught:
        br.load(urdf(old, new))
    assert "two.urdf" in str(caught.value)


def test_no_urdf_at_all(tmp_path):
    (tmp_path / "x.urdf").write_text("<html/>")
    with pytest.raises(FileFormatError, match="no URDF file: it begins with <html>"):
        br.load(tmp_path / "x.urdf")
    (tmp_path / "empty.urdf").write_text("<robot/>")
    with pytest.raises(FileFormatError, match="no links"):
        br.load(tmp_path / "empty.urdf")


def test_formats_by_the_end_of_the_name(tmp_path, urdf):
    urdf().rename(tmp_path / "robot.xml")
    assert br.load(tmp_path / "robot.xml").name == "two"
    with pytest.raises(FileFormatError, match=r'models are read from \.toml .* not from "\.step"'):
        br.load("arm.step")
    with pytest.raises(ModelError, match="only a TOML file has parameters"):
        br.load(tmp_path / "robot.xml", {"k": 1.0})
