"""The trees of trees.py in Pinocchio and MuJoCo: models made from our `system.tree`, marches with Runge-Kutta steps."""

import math
import time

import numpy as np

from bricard.kernels import tree_joints as kinds
from bricard.model.frames import quaternion


def frames(system):
    """For each node: its parent's node (-1: ground), place of frame A in the parent's frame B, and of the centre of mass in B."""
    number = {node.body: i for i, node in enumerate(system.tree)}
    for node in system.tree:
        parent = number.get(node.parent, -1)
        (p_a, A), (p_b, B) = node.motion.frame_a, node.motion.frame_b
        point, axes = p_a, A
        if parent >= 0:
            own_point, own_axes = system.tree[parent].motion.frame_b
            point, axes = own_axes.T @ (p_a - own_point), own_axes.T @ A
        yield parent, point, axes, B.T @ -p_b, B.T @ node.body.inertia @ B


def pinocchio_model(system):
    """Its model; the coordinates are ours but for the order of quaternions."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model = pin.Model()
    model.gravity.linear = np.array(system.model.gravity)
    for i, (node, (parent, point, axes, centre, inertia)) in enumerate(zip(system.tree, frames(system), strict=True)):
        kernel, motion = node.motion.kernel, node.motion.motion
        if kernel is kinds.turning:
            joint = (
                pin.JointModelRZ() if motion[0, 5] > 0.0 else pin.JointModelRevoluteUnaligned(np.array([0, 0, -1.0]))
            )
        elif kernel is kinds.rolling_ball:
            joint = pin.JointModelSpherical()
        elif kernel is kinds.floating:
            joint = pin.JointModelFreeFlyer()
        else:
            raise SystemExit(f"the joint {node.name} is not translated")
        number = model.addJoint(parent + 1, joint, pin.SE3(axes, point), f"{i}")
        model.appendBodyToJoint(number, pin.Inertia(node.body.mass, centre, inertia), pin.SE3.Identity())
    return model


def pinocchio_loops(model, system, gain):
    """(constraint models, their data, settings) of the cut joints: balls, and hinges by two points of their axes."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    number = {node.body: i + 1 for i, node in enumerate(system.tree)}
    models, states = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for name in dict.fromkeys(row.joint for row in system.rows):
        joint = system.model.joints[name]
        for shift in (0.5, -0.5) if joint.kind == "revolute" else (0.0,):
            sides = []
            for frame in (joint.frame_a, joint.frame_b):
                point, body = frame.point + shift * frame.z, frame.body
                if body.is_ground:
                    sides += [0, pin.SE3(np.eye(3), point)]
                else:
                    own_point, own_axes = system.tree[number[body] - 1].motion.frame_b
                    sides += [number[body], pin.SE3(np.eye(3), own_axes.T @ (point - own_point))]
            constraint = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *sides, pin.ReferenceFrame.LOCAL)
            constraint.m_baumgarte_parameters.Kp, constraint.m_baumgarte_parameters.Kd = gain, 2.0 * math.sqrt(gain)
            models.append(constraint)
    for constraint in models:
        states.append(constraint.createData())
    return models, states, pin.ProximalSettings(1e-12, 1e-10, 20)


def pinocchio_state(system, state):
    """q with quaternions scalar last, and v: of a free joint its velocity in the axes of B."""
    tree, q, v = system.record.tree, state.q.copy(), state.v.copy()
    for o, u in zip(system.record.turn_q.astype(int), system.record.turn_v.astype(int), strict=True):
        w, x, y, z = state.q[o : o + 4]
        q[o : o + 4] = x, y, z, w
        if u >= 3 and system.tree[int(tree.node_of[u])].motion.n_v == 6:
            s = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            v[u - 3 : u] = (np.eye(3) + 2 * w * s + 2 * s @ s).T @ state.v[u - 3 : u]
    return q, v


def pinocchio_closing(model, data, constraints):
    """Its loops closed as its examples do it, by Newton's method with its own Jacobian: positions to 1e-10 m, then velocities."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    def gaps():
        for item in constraints:
            first = data.oMi[item.joint1_id] * item.joint1_placement
            second = data.oMi[item.joint2_id] * item.joint2_placement
            yield first.rotation.T @ (first.translation - second.translation)

    def least(jacobian, right):
        """Least change with J x = right; rows may depend on each other."""
        product = jacobian @ jacobian.T
        product.flat[:: len(product) + 1] += 1e-10
        return jacobian.T @ np.linalg.solve(product, right)

    def close(q, v, states):
        for _ in range(10):
            pin.computeJointJacobians(model, data, q)
            jacobian = pin.getConstraintsJacobian(model, data, constraints, states)
            gap = np.concatenate(list(gaps()))
            if np.abs(gap).max() < 1e-10:
                break
            q = pin.integrate(model, q, -least(jacobian, gap))
        else:
            raise SystemExit("Pinocchio's loops do not close")
        return q, v - least(jacobian, jacobian @ v)

    return close


def pinocchio_march(system, state, steps, h, gain=None, closing=False):
    """CPU seconds of a Python loop with the classical Runge-Kutta method, and the final q; `closing` loops in every step."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model = pinocchio_model(system)
    data, none = model.createData(), np.zeros(model.nv)
    if gain is None:

        def push(q, v):
            return pin.aba(model, data, q, v, none).copy()
    else:
        loops = pinocchio_loops(model, system, gain)
        pin.initConstraintDynamics(model, data, loops[0], loops[1])

        def push(q, v):
            return pin.constraintDynamics(model, data, q, v, none, *loops).copy()

        close = pinocchio_closing(model, data, loops[0])

    flat = model.nq == model.nv

    def moved(q, way):
        return q + way if flat else pin.integrate(model, q, way)

    q, v = pinocchio_state(system, state)
    began = time.process_time()
    for _ in range(steps):
        a1 = push(q, v)
        v2 = v + 0.5 * h * a1
        a2 = push(moved(q, 0.5 * h * v), v2)
        v3 = v + 0.5 * h * a2
        a3 = push(moved(q, 0.5 * h * v2), v3)
        v4 = v + h * a3
        a4 = push(moved(q, h * v3), v4)
        q, v = moved(q, h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)), v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if closing:
            q, v = close(q, v, loops[1])
    return time.process_time() - began, q


def mujoco_model(system, h):
    """Its compiled model; by its own interface, because files may not be nested as deep as a long chain is."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = h, mujoco.mjtIntegrator.mjINT_RK4
    spec.option.gravity = system.model.gravity
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    spec.memory = 1 << 30
    places = [spec.worldbody]
    for node, (parent, point, axes, centre, inertia) in zip(system.tree, frames(system), strict=True):
        body = places[parent + 1].add_body(pos=point, quat=quaternion(axes))
        body.explicitinertial, body.mass, body.ipos = True, node.body.mass, centre
        body.fullinertia = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        if node.motion.kernel is kinds.turning:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0, 0, node.motion.motion[0, 5]))
        elif node.motion.kernel is kinds.floating:
            body.add_freejoint()
        else:
            raise SystemExit(f"the joint {node.name} is not translated")
        places.append(body)
    return spec.compile()


def mujoco_march(system, state, steps, h):
    """CPU seconds of its own Runge-Kutta steps, called from Python one by one, and the final q."""
    import mujoco

    model = mujoco_model(system, h)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    began = time.process_time()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return time.process_time() - began, data.qpos.copy()
