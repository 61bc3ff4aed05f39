"""MJCF: what becomes of its elements, notes of what has no counterpart, and errors. Without MuJoCo."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import FileFormatError

GEOM = '<geom type="box" size="0.1 0.2 0.3" mass="1"/>'


@pytest.fixture
def mjcf(tmp_path):
    def load(world, rest="", **options):
        (tmp_path / "m.xml").write_text(f"<mujoco>{rest}<worldbody>{world}</worldbody></mujoco>")
        return br.io.from_mjcf(tmp_path / "m.xml", **options)

    return load


def test_joints_of_mjcf(mjcf):
    kinds = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
    world = "".join(f'<body name="{k}"><joint name="{k}" type="{k}"/>{GEOM}</body>' for k in kinds)
    assert {name: joint.kind for name, joint in mjcf(world).joints.items()} == kinds


def test_several_joints_hang_on_massless_carriers(mjcf):
    model = mjcf(f'<body name="b"><joint type="slide" axis="1 0 0"/><joint axis="0 1 0"/>{GEOM}</body>')
    assert {name: body.mass for name, body in model.bodies.items()} == {"b carrier 1": 0.0, "b": 1.0}
    assert list(model.joints) == ["b slide", "b hinge"]


def test_equalities_become_exact_joints(mjcf):
    two = "".join(f'<body name="{n}"><joint name="j{n}"/>{GEOM}<site name="s{n}" pos="0 0 1"/></body>' for n in "ab")
    model = mjcf(
        two,
        """<equality>
          <connect name="c" body1="a" body2="b" anchor="1 0 0"/><connect name="cs" site1="sa" site2="sb"/>
          <weld name="w" body1="a" body2="b"/><weld name="ground" body1="b"/>
          <joint name="g" joint1="ja" joint2="jb" polycoef="0.1 2"/><joint name="d" joint1="ja" polycoef="0.3 0 0 0 0"/>
          <joint name="curved" joint1="ja" joint2="jb" polycoef="0 1 2 0 0"/>
          <connect name="off" body1="a" body2="b" anchor="0 0 0" active="false"/>
          <tendon name="t" tendon1="x"/></equality>""",
    )
    kinds = {name: joint.kind for name, joint in model.joints.items() if name not in ("ja", "jb")}
    assert kinds == {"c": "spherical", "cs": "spherical", "w": "fixed", "ground": "fixed", "g": "gear", "d": "drive"}
    assert (model.joints["g"].ratio, model.joints["g"].offset.value) == (-2.0, 0.1)
    assert model.joints["d"].profile.value == 0.3
    notes = "\n".join(model.notes)
    assert all(f'equality "{name}"' in notes for name in ("curved", "off", "t"))


def test_notes_of_what_has_no_counterpart(mjcf):
    model = mjcf(
        f'<body name="b"><joint name="j" range="-1 1" armature="0.1" frictionloss="1"/>{GEOM}</body>',
        '<option density="1.2"/><actuator><motor name="m" joint="j"/></actuator>'
        '<tendon><fixed name="t"/></tendon><sensor><jointpos name="s" joint="j"/></sensor>',
    )
    text = "\n".join(model.notes)
    for words in ("limits of joints (j)", "armature (j)", "dry friction of joints (j)", "actuators (m)", "tendons (t)"):
        assert words in text
    assert "sensors (s)" in text and "contacts" in text and "the fluid (density" in text


def test_keyframe(mjcf):
    world = f'<body name="b"><joint name="j" ref="10"/>{GEOM}</body><body name="c"><freejoint/>{GEOM}</body>'
    rest = '<keyframe><key name="home" qpos="0.5 1 2 3 1 0 0 0" qvel="1 2 3 4 0 0 0"/></keyframe>'
    model = mjcf(world, rest, keyframe="home")
    assert model.wishes[0].position == pytest.approx(0.5 - np.radians(10))
    assert (model.wishes[0].velocity, model.wishes[1].position.tolist()) == (1.0, [1, 2, 3])
    with pytest.raises(FileFormatError, match='Did you mean "home"'):
        mjcf(world, rest, keyframe="hom")


def test_keyframe_of_a_free_body_spins_about_its_own_axes(mjcf):
    world = f'<body name="c"><freejoint/>{GEOM}</body>'
    key = '<keyframe><key name="k" qpos="0 0 0 1 1 0 0" qvel="0 0 0 0 5 0"/></keyframe>'
    wish = mjcf(world, key, keyframe="k").wishes[0]
    np.testing.assert_allclose(wish.angular_velocity, (0, 0, 5), atol=1e-14)  # its y axis points along z


def test_sites_between_two_points(mjcf):
    site = '<site name="s" type="capsule" size="0.1" fromto="0 0 0 0.4 0 0.6"/>'
    world = (
        f'<body name="b"><joint name="h"/>{GEOM}{site}</body><body name="c"><freejoint/>{GEOM}<site name="t"/></body>'
    )
    model = mjcf(world, '<equality><connect name="c" site1="s" site2="t"/></equality>')
    np.testing.assert_allclose(model.joints["c"].frame_a.position, (0.2, 0, 0.3))


def test_flags_switch_off_equalities_springs_and_gravity(mjcf):
    world = f'<body name="b"><joint name="h" stiffness="3" damping="2"/>{GEOM}</body>'
    equality = '<equality><weld name="w" body1="b"/></equality>'
    model = mjcf(world, equality + '<option><flag spring="disable" equality="disable" gravity="disable"/></option>')
    assert (model.forces["h spring"].law.stiffness, model.forces["h spring"].law.damping) == (0.0, 2.0)
    assert list(model.joints) == ["h"] and not model.gravity.any()
    assert any('equality "w": a flag of <option>' in note for note in model.notes)


def test_body_with_the_name_of_the_ground(mjcf):
    model = mjcf(
        f'<body name="ground"><freejoint/>{GEOM}</body>', '<equality><weld name="w" body1="ground"/></equality>'
    )
    assert list(model.bodies) == ["ground body"]
    assert [body.name for body in model.joints["w"].bodies] == ["ground body", "ground"]
    assert any('the body "ground" is called' in note for note in model.notes)


def test_included_files(tmp_path):
    (tmp_path / "part.xml").write_text(f'<mujocoinclude><body name="b"><joint name="j"/>{GEOM}</body></mujocoinclude>')
    (tmp_path / "m.xml").write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    assert list(br.load(tmp_path / "m.xml").bodies) == ["b"]
    (tmp_path / "part.xml").write_text('<mujocoinclude><include file="m.xml"/></mujocoinclude>')
    with pytest.raises(FileFormatError, match=r"includes m\.xml a second time"):
        br.load(tmp_path / "m.xml")


def test_mesh_of_mjcf_weighs_and_is_drawn(mjcf, tmp_path):
    from pathlib import Path

    stl = Path(__file__).parents[1] / "model" / "tetrahedron.stl"
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "tetra.stl").write_text(stl.read_text())
    rest = '<compiler meshdir="meshes"/><asset><mesh file="tetra.stl" scale="0.1 0.1 0.1"/></asset>'
    model = mjcf('<body name="b"><joint/><geom type="mesh" mesh="tetra" density="600" pos="0 0 1"/></body>', rest)
    assert model.bodies["b"].mass == pytest.approx(0.1)
    np.testing.assert_allclose(model.bodies["b"].com, (0.025, 0.025, 1.025))
    assert model.drawings[0].shape.path == tmp_path / "meshes" / "tetra.stl"
    with pytest.raises(FileFormatError, match="inertia of a shell has no counterpart"):
        mjcf('<body><joint/><geom type="mesh" mesh="tetra"/></body>', rest.replace("<mesh", '<mesh inertia="shell"'))


@pytest.mark.parametrize(
    ("world", "rest", "words"),
    [
        ("", "<compilr/>", 'no section "compilr" in MJCF. Did you mean "compiler"'),
        ("<boddy/>", "", '<worldbody>: there is no element "boddy"'),
        ('<body name="b" eulr="1 2 3"/>', "", '<body "b">: there is no attribute "eulr" in MJCF. Did you mean "euler"'),
        ('<frame><geom name="g" masss="1"/></frame>', "", '<geom "g">: there is no attribute "masss"'),
        ("", '<default><joint dampng="1"/></default>', 'no attribute "dampng" in MJCF. Did you mean "damping"'),
        ("", '<compiler angle="radians"/>', 'angle must be one of degree, radian, not "radians"'),
        ("", '<compiler inertiafromgeom="True"/>', 'inertiafromgeom must be one of .* not "True"'),
        ("", '<option><flag spring="off"/></option>', 'spring must be one of enable, disable, not "off"'),
        ("", '<option gravty="0 0 0"/>', 'no attribute "gravty"'),
        ("", '<equality><weld body="a"/></equality>', 'no attribute "body" in MJCF. Did you mean "body."'),
        ("", '<equality><weld body1="a" active="no"/></equality>', 'active must be one of true, false, not "no"'),
        ('<site name="s"/><site name="s"/>', "", 'two sites "s"'),
        ('<site name="s" fromto="0 0 0 0 0 0"/>', "", "both points of fromto"),
        (f'<body><joint name="j"/>{GEOM}</body><body><joint name="j"/>{GEOM}</body>', "", '2 joints "j"'),
        ("", '<include file="none.xml"/>', 'm.xml includes "none.xml", but there is no file'),
        (f'<body name="b"><joint type="screw"/>{GEOM}</body>', "", 'unknown type "screw"'),
        (f'<body name="b">{GEOM}</body><body name="b">{GEOM}</body>', "", 'two bodies "b"'),
        ('<geom class="steel" size="1"/>', "", 'no default class "steel"'),
        ('<geom type="cone" size="1"/>', "", 'unknown type "cone"'),
        ('<geom type="box" size="1 1"/>', "", "a box has 3 sizes, not 2"),
        ('<geom type="capsule" size="1" fromto="0 0 0 0 0 0"/>', "", "both points of fromto"),
        ('<geom type="mesh" mesh="none"/>', "", 'no mesh "none"'),
        ('<geom type="box" mesh="none" size="1 1 1"/>', "", "fitted to a mesh"),
        ('<geom type="sphere" size="x"/>', "", "size must be numbers"),
        ("<composite/>", "", "<composite> in the body"),
        ("", '<compiler eulerseq="abc"/>', "eulerseq"),
        ("", '<compiler coordinate="global"/>', "global coordinates"),
        ("", "<default><default/></default>", "needs a class"),
        ("", '<equality><connect body1="x" anchor="0 0 0"/></equality>', 'no body "x"'),
        ("", '<equality><weld site1="x" site2="y"/></equality>', 'no site "x"'),
        ("", '<equality><joint joint1="x"/></equality>', 'no joint "x"'),
    ],
)
def test_errors_of_mjcf_name_the_file(mjcf, world, rest, words):
    with pytest.raises(FileFormatError, match=words) as caught:
        mjcf(world, rest)
    assert "m.xml" in str(caught.value)


def test_no_mjcf_at_all(tmp_path):
    (tmp_path / "x.xml").write_text("<html/>")
    with pytest.raises(FileFormatError, match="no MJCF file: it begins with <html>"):
        br.load(tmp_path / "x.xml")


def test_a_geom_between_two_points_needs_its_radius(tmp_path):
    text = '<mujoco><worldbody><body><geom type="capsule" fromto="0 0 0 0 0 1" size=""/></body></worldbody></mujoco>'
    (tmp_path / "m.xml").write_text(text)
    with pytest.raises(FileFormatError, match="size is empty"):
        br.load(tmp_path / "m.xml")
