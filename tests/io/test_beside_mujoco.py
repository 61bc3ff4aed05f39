"""Imported files beside MuJoCo: poses, mass matrix, and a simulated second. Real robots first, then ours with loops."""

from importlib.util import find_spec
from pathlib import Path

import beside_mujoco as beside
import numpy as np
import pytest
from beside_mujoco import mujoco

import bricard as br
from bricard.model import quaternion

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "talos arm": "talos_data/robots/talos_left_arm.urdf",
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the working folder."""
    monkeypatch.chdir(tmp_path)


def gymnasium_file(name):
    spec = find_spec("gymnasium")
    if spec is None:
        pytest.skip("these models come with gymnasium: pip install gymnasium")
    return Path(spec.origin).parent / "envs" / "mujoco" / "assets" / f"{name}.xml"


def robot_file(name):
    for spec in (find_spec("pinocchio"), find_spec("trimesh")):
        if spec is not None:
            file = (
                Path(spec.origin).parents[1] / "cmeel.prefix" / "share" / "example-robot-data" / "robots" / ROBOTS[name]
            )
            if not file.is_file():  # pinocchio lives inside of the prefix
                file = Path(spec.origin).parents[5] / "cmeel.prefix/share/example-robot-data/robots" / ROBOTS[name]
            if file.is_file():
                return file
    pytest.skip("these robots come with a large package: pip install example-robot-data")


def agree(file, seed=1, duration=1.0):
    """The three comparisons, at random coordinates and velocities."""
    compiled, model = beside.in_mujoco(file), br.load(file)
    data, system, state = beside.posed(compiled, model, seed)
    assert beside.pose_errors(compiled, data, model, system, state) < 1e-9
    theirs, ours = beside.mass_matrices(compiled, data, model, system, state)
    assert np.abs(theirs - ours).max() < 1e-9 * np.abs(theirs).max()
    before = data.qpos.copy()
    theirs, ours = beside.simulated(compiled, data, model, duration, rtol=1e-9, output=0.02)
    assert np.abs(data.qpos - before).max() > 0.1
    assert np.abs(theirs - ours).max() < 1e-7


@pytest.mark.filterwarnings("ignore:.*turns cannot be counted")
@pytest.mark.parametrize("name", ["half_cheetah", "hopper", "humanoid", "inverted_double_pendulum", "walker2d", "ant"])
def test_real_mjcf(name):
    agree(gymnasium_file(name))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*turns cannot be counted")
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "panda"])
def test_real_urdf(name):
    agree(robot_file(name), duration=0.5)


def gaps(compiled, solution, start):
    """Largest differences of the joint coordinates, with equalities of MuJoCo at two stiffnesses (1/s^2), ten times apart."""
    found = []
    for stiffness in (1e5, 1e6):
        compiled.eq_solref[:] = -stiffness, -2.0 * stiffness**0.5  # critically damped
        compiled.eq_solimp[:] = 0.9999, 0.9999, 0.001, 0.5, 2.0
        data, theirs = mujoco.MjData(compiled), []
        for joint, velocity in start.items():
            data.qvel[compiled.joint(joint).dofadr] = velocity
        for t in solution.t:
            while data.time < t - 0.5 * beside.STEP:
                mujoco.mj_step(compiled, data)
            theirs.append([data.qpos[q] for _, _, q, _ in beside.names(compiled)])
        ours = np.column_stack([solution.joint(name) for name, *_ in beside.names(compiled)])
        found.append(np.abs(np.array(theirs) - ours).max())
    return found


def test_leg_is_the_limit_of_stiff_equalities():
    """MuJoCo comes ten times nearer to our joints with each factor of ten in the stiffness of its equalities."""
    solution = br.simulate(br.load(EXAMPLES / "leg.xml"), 1.0, rtol=1e-9, output=0.05)
    soft, stiff = gaps(beside.in_mujoco(EXAMPLES / "leg.xml"), solution, {})
    assert soft < 1e-6
    assert stiff < 0.2 * soft


def test_arm_with_its_parallelogram_is_such_a_limit():
    """The loop of the TOML file, given to MuJoCo as `connect`; at 0.65 s the parallelogram lies flat, where it could change."""
    spec = mujoco.MjSpec.from_string((EXAMPLES / "arm.urdf").read_text())
    loop = spec.add_equality()
    loop.type, loop.objtype = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_BODY
    loop.name1, loop.name2 = "rod", "forearm"
    loop.data[:3] = 0.0, 0.0, 0.6
    compiled = beside.stripped(spec.compile())
    solution = br.simulate(br.load(EXAMPLES / "arm.urdf"), 0.5, rtol=1e-9, output=0.05)
    soft, stiff = gaps(compiled, solution, {"turn": 1.5})
    assert soft < 1e-6
    assert stiff < 0.2 * soft


# Small files, one feature each

BODY = '<body name="b" {pose}>{joints}<geom type="box" size="0.1 0.2 0.3" mass="1"/>{more}</body>'


def small(tmp_path, body="", compiler="", more="", defaults=""):
    text = f"<mujoco><compiler {compiler}/>{defaults}<worldbody>{body}</worldbody>{more}</mujoco>"
    file = tmp_path / "small.xml"
    file.write_text(text)
    return file


HINGES = '<joint name="h" axis="1 2 3" pos="0.1 0.2 0"/>'
FEATURES = {
    "quat": {"pose": 'pos="1 2 3" quat="1 2 3 4"'},
    "axisangle in degrees": {"pose": 'axisangle="1 1 0 50"'},
    "euler xyz": {"pose": 'euler="10 20 30"'},
    "euler about fixed axes": {"pose": 'euler="0.1 0.2 0.3"', "compiler": 'eulerseq="XYZ" angle="radian"'},
    "euler zyx": {"pose": 'euler="0.1 0.2 0.3"', "compiler": 'eulerseq="zyx" angle="radian"'},
    "xyaxes": {"pose": 'xyaxes="1 2 0 0 1 1"'},
    "zaxis": {"pose": 'zaxis="1 2 3"'},
    "zaxis down": {"pose": 'zaxis="0 0 -1"'},
    "slide": {"joints": '<joint name="h" type="slide" axis="0 1 1"/>'},
    "two joints": {"joints": HINGES + '<joint name="s" type="slide" axis="1 0 0"/>'},
    "three hinges": {"joints": HINGES + '<joint name="i" axis="0 1 0"/><joint name="j" axis="1 0 0" pos="0 0 0.3"/>'},
    "ref": {"joints": '<joint name="h" ref="20" stiffness="3" springref="50" damping="0.1"/>'},
    "welded child": {"more": '<body pos="0 0 1" euler="0 30 0"><geom type="sphere" size="0.2"/></body>'},
    "child": {
        "more": '<body name="c" pos="0 0 1" euler="0 30 0"><joint name="k"/><geom type="sphere" size="0.2"/></body>'
    },
    "frame": {"more": '<frame pos="0 0 1" euler="0 30 0"><geom type="box" size="0.1 0.2 0.1"/></frame>'},
    "body in a frame": {
        "more": '<frame pos="0 0 1" euler="0 30 0"><body name="c" pos="0.1 0 0"><joint name="k"/>'
        '<geom size="0.1"/></body></frame>'
    },
    "capsule": {"more": '<geom type="capsule" size="0.1 0.3" pos="1 0 0" euler="0 40 0"/>'},
    "capsule from to": {"more": '<geom type="capsule" size="0.1" fromto="0 0 0 1 2 3"/>'},
    "cylinder from to": {"more": '<geom type="cylinder" size="0.1" fromto="0 0 0 1 2 3"/>'},
    "box from to": {"more": '<geom type="box" size="0.1" fromto="0 0 0 1 2 3"/>'},
    "ellipsoid": {"more": '<geom type="ellipsoid" size="0.1 0.2 0.3" euler="0 0 40" density="500"/>'},
    "group that does not weigh": {"more": '<geom size="0.3" group="3"/>', "compiler": 'inertiagrouprange="0 2"'},
    "inertial, and a geom in a frame that does not weigh": {
        "more": '<inertial pos="0.1 0 0" mass="2" diaginertia="1 2 2.5"/><frame pos="0 0 1"><geom size="0.3"/></frame>'
    },
    "inertial": {"more": '<inertial pos="0.1 0 0" mass="2" diaginertia="1 2 2.5" euler="10 0 0"/>'},
    "full inertia": {"more": '<inertial pos="0 0 0" mass="2" fullinertia="1 2 2.5 0.1 0.2 0.3"/>'},
    "inertia from geoms": {
        "more": '<inertial pos="0.1 0 0" mass="2" diaginertia="1 2 2.5"/>',
        "compiler": 'inertiafromgeom="true"',
    },
    "default classes": {
        "defaults": '<default><geom density="300"/><default class="x"><geom type="capsule" size="0.1 0.2"/>'
        '<default class="y"><geom density="700"/></default></default></default>',
        "more": '<geom class="x"/><body name="c" childclass="y" pos="1 0 0"><joint name="k"/><geom/></body>',
    },
    "its own orientation before that of the class": {
        "defaults": '<default><geom quat="1 1 0 0"/></default>',
        "more": '<geom type="capsule" size="0.1 0.2" euler="0 30 0"/>',
    },
    "no gravity": {"option": '<option><flag gravity="disable"/></option>'},
    "gravity": {"option": '<option gravity="1 2 3"/>'},
}


@pytest.mark.parametrize("what", FEATURES)
def test_feature_of_mjcf(tmp_path, what):
    options = {"pose": "", "joints": HINGES, "more": "", "compiler": "", "defaults": "", "option": "", **FEATURES[what]}
    body = BODY.format(pose=options["pose"], joints=options["joints"], more=options["more"])
    file = small(tmp_path, body, options["compiler"], options["option"], options["defaults"])
    compiled, model = beside.in_mujoco(file), br.load(file)
    data, system, state = beside.posed(compiled, model, 3)
    assert beside.pose_errors(compiled, data, model, system, state) < 1e-9
    theirs, ours = beside.mass_matrices(compiled, data, model, system, state)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
    solution = br.simulate(model, 0.1, rtol=1e-9, output=0.1)
    while data.time < 0.1 - 0.5 * beside.STEP:
        mujoco.mj_step(compiled, data)
    for name, _, q, _ in beside.names(compiled):
        assert solution.joint(name)[-1] == pytest.approx(data.qpos[q] - compiled.qpos0[q], abs=1e-8)


CLASSES = '<default><default class="x"><joint axis="1 0 0" damping="0.1"/></default></default>'
INERTIAL = '<inertial pos="0 0.1 0" mass="3" diaginertia="1 1 1"/>'


@pytest.mark.parametrize(
    ("joints", "more", "rest"),
    [
        (f'<frame pos="0 0 0.5" euler="0 40 0">{HINGES}</frame>', "", ""),
        ('<frame childclass="x"><joint name="h"/></frame>', "", CLASSES),
        (HINGES, f'<frame pos="0 0 1" euler="0 40 0">{INERTIAL}</frame>', ""),
        (HINGES, '<body pos="0.5 0 0" gravcomp="0.7"><geom size="0.1"/></body>', ""),
        (HINGES, "", '<option><flag spring="disable" damper="disable"/></option>'),
    ],
)
def test_frames_compensated_weight_and_flags(tmp_path, joints, more, rest):
    agree(small(tmp_path, BODY.format(pose="", joints=joints, more=more), more=rest), duration=0.3)


def test_total_mass(tmp_path):
    file = small(tmp_path, BODY.format(pose="", joints=HINGES, more=""), 'settotalmass="7"')
    assert br.load(file).bodies["b"].mass == pytest.approx(7.0)
    still = '<body name="still"><geom type="box" size="0.1 0.2 0.3"/></body>'
    file = small(tmp_path, still + BODY.format(pose="", joints=HINGES, more=""), 'settotalmass="7"')
    compiled = mujoco.MjModel.from_xml_path(str(file))
    assert br.load(file).bodies["b"].mass == pytest.approx(compiled.body("b").mass[0])


WELD = '<body name="c" pos="0 0 1"><freejoint/><geom size="0.1"/></body>'


@pytest.mark.parametrize(
    "equality",
    [
        '<weld body1="b" body2="c"/>',
        '<weld body1="b" body2="c" relpose="0.1 0.2 0.9 1 0.1 0.2 0"/>',
        '<weld body1="c"/>',
        '<connect body1="b" body2="c" anchor="0.1 0.2 0.9"/>',
    ],
)
def test_equalities_hold_where_those_of_mujoco_do(tmp_path, equality):
    """At the assembled start every row of MuJoCo's own residual of the equality is zero."""
    file = small(tmp_path, BODY.format(pose="", joints=HINGES, more="") + WELD, more=f"<equality>{equality}</equality>")
    compiled, model = beside.in_mujoco(file), br.load(file)
    model.start(joint="h", position=0.3)
    solution = br.simulate(model, 0.01, step=0.01)
    data = mujoco.MjData(compiled)
    data.qpos[0] = solution.joint("h")[0]
    position, rotation = (part[0] for part in solution.poses["c"])
    data.qpos[1:4], data.qpos[4:8] = position, quaternion(rotation)
    mujoco.mj_forward(compiled, data)
    assert data.efc_pos.size in (3, 6)
    assert np.abs(data.efc_pos).max() < 1e-9
