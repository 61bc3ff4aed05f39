"""The same file in MuJoCo and in Bricard, stripped of what only MuJoCo knows: contacts, limits, friction, armature, motors."""

import re
from pathlib import Path

import numpy as np
import pytest

import bricard as br
from bricard.model.frames import rotation_matrix
from bricard.system.assembler import assemble
from bricard.system.channels import poses

mujoco = pytest.importorskip("mujoco", reason="imports are compared with MuJoCo: pip install mujoco")

HINGE, SLIDE = 3, 2
STEP = 2e-4


def in_mujoco(file):
    """The model of a file; a URDF file is read without its meshes, which do not weigh anything."""
    text = Path(file).read_text()
    if file.suffix == ".urdf":
        text = re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)
        return stripped(mujoco.MjModel.from_xml_string(text))
    return stripped(mujoco.MjModel.from_xml_path(str(file)))


def stripped(compiled):
    """The same without contacts, limits, friction, armature, motors, fluid and tendons, with RK4 and a small step."""
    off = ("CONTACT", "LIMIT", "FRICTIONLOSS", "ACTUATION", "CLAMPCTRL")
    for flag in off:
        compiled.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
    compiled.dof_armature[:] = 0.0
    compiled.dof_frictionloss[:] = 0.0
    compiled.opt.density = compiled.opt.viscosity = 0.0
    compiled.tendon_stiffness[:] = 0.0
    compiled.tendon_damping[:] = 0.0
    compiled.opt.timestep = STEP
    compiled.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return compiled


def names(compiled):
    """Name, number, address in qpos and in qvel of the joints with one coordinate."""
    found = []
    for joint in range(compiled.njnt):
        if compiled.jnt_type[joint] in (HINGE, SLIDE):
            name = mujoco.mj_id2name(compiled, mujoco.mjtObj.mjOBJ_JOINT, joint)
            body = mujoco.mj_id2name(compiled, mujoco.mjtObj.mjOBJ_BODY, compiled.jnt_bodyid[joint])
            kind = "hinge" if compiled.jnt_type[joint] == HINGE else "slide"
            q, v = compiled.jnt_qposadr[joint], compiled.jnt_dofadr[joint]
            found.append((name or f"{body} {kind}", joint, q, v))
    return found


def posed(compiled, model, seed):
    """Both at the same random coordinates: the data of MuJoCo and the assembled state of ours."""
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(compiled)
    for name, _, q, v in names(compiled):
        change, rate = rng.uniform(-0.5, 0.5), rng.uniform(-1.0, 1.0)
        data.qpos[q] = compiled.qpos0[q] + change
        data.qvel[v] = rate
        model.start(joint=name, position=change, velocity=rate)
    for joint in range(compiled.njnt):
        if compiled.jnt_type[joint] == 0:
            place, turn = rng.uniform(-1.0, 1.0, 3), np.append(1.0, rng.uniform(-0.3, 0.3, 3))
            q, v = compiled.jnt_qposadr[joint], compiled.jnt_dofadr[joint]
            data.qpos[q : q + 7] = *place, *(turn / np.linalg.norm(turn))
            speed, spin = rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3)
            data.qvel[v : v + 6] = *speed, *spin  # the spin is in body axes there
            body = mujoco.mj_id2name(compiled, mujoco.mjtObj.mjOBJ_BODY, compiled.jnt_bodyid[joint])
            rotation = rotation_matrix(turn)
            model.start(body=body, position=place, rotation=rotation, velocity=speed, angular_velocity=rotation @ spin)
    mujoco.mj_forward(compiled, data)
    system = model.build()
    return data, system, assemble(system)


def number_of(compiled, model, name):
    """The number of our body in MuJoCo, by its name or by that of its joint; -1 for a massless carrier."""
    number = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, name)
    if number < 0 and " carrier " not in name:
        joint = next(key for key, joint in model.joints.items() if joint.bodies[-1].name == name)
        number = compiled.jnt_bodyid[mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_JOINT, joint)]
    return number


def pose_errors(compiled, data, model, system, state):
    """Largest difference of the positions (m) and rotation matrices of all bodies that both have."""
    ours = poses(system, state.q[None, :])
    worst, compared = 0.0, 0
    for name in model.bodies:
        body = number_of(compiled, model, name)
        if body > 0:
            position, rotation = ours[name][0][0], ours[name][1][0]
            worst = max(worst, np.abs(position - data.xpos[body]).max())
            worst = max(worst, np.abs(rotation - data.xmat[body].reshape(3, 3)).max())
            compared += 1
    assert compared == len([name for name in model.bodies if " carrier " not in name])
    return worst


def mass_matrices(compiled, data, model, system, state):
    """The mass matrix of MuJoCo, and ours seen through the velocities of the bodies in MuJoCo."""
    theirs = np.zeros((compiled.nv, compiled.nv))
    for column, direction in enumerate(np.eye(compiled.nv)):
        mujoco.mj_mulM(compiled, data, theirs[column], direction)
    velocities = np.zeros((system.n_v, compiled.nv))
    for index, (name, body) in enumerate(model.bodies.items()):
        number = number_of(compiled, model, name)
        if number > 0:
            q, v = int(system.record.q_start[index]), 6 * index  # all bodies move in space
            shift, turn = np.zeros((3, compiled.nv)), np.zeros((3, compiled.nv))
            mujoco.mj_jac(compiled, data, shift, turn, state.q[q : q + 3], number)
            velocities[v : v + 3] = shift
            velocities[v + 3 : v + 6] = rotation_matrix(state.q[q + 3 : q + 7]).T @ turn
        else:
            assert body.mass == 0.0
    return theirs, velocities.T @ system.mass(state.q) @ velocities


def simulated(compiled, data, model, duration, **options):
    """Joint coordinates (steps, joints) of both after the same times."""
    solution = br.simulate(model, duration, **options)
    joints = names(compiled)
    theirs, times = [], solution.t
    for t in times:
        while data.time < t - 0.5 * STEP:
            mujoco.mj_step(compiled, data)
        theirs.append([data.qpos[q] - compiled.qpos0[q] for _, _, q, _ in joints])
    ours = np.column_stack([solution.joint(name) for name, *_ in joints])
    return np.array(theirs), ours
