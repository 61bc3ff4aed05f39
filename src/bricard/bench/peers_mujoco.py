"""MuJoCo: a tree of hinges and slides; loops are closed by soft `connect` constraints of the stiffness that it recommends
(time constant of two steps). Its own integrators RK4 and implicitfast."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from .peers_scene import GROUND, CannotHold, Scene

HEAD = (
    '<mujoco><compiler angle="radian" boundinertia="0" boundmass="0" balanceinertia="false"/><size memory="256M"/>'
    '<option timestep="{step:.17g}" integrator="{integrator}" gravity="{gravity}" iterations="100" tolerance="1e-12" '
    'solver="Newton"><flag contact="disable"/></option><worldbody>'
)


def variants(scene: Scene, depth: bool):
    """Name -> function(steps, span) -> (seconds, poses)."""
    if scene.springs or scene.torques:
        raise CannotHold("Springs and motors are not translated for MuJoCo.")
    order, cut = scene.tree(depth)
    if not cut:
        return {f"hinge tree, {i}": _runner(scene, order, cut, i, 2) for i in ("RK4", "implicitfast")}
    ways = {
        "RK4, solref=2dt": ("RK4", 2),
        "implicitfast, solref=2dt": ("implicitfast", 2),
        "RK4, solref=4dt": ("RK4", 4),
    }
    return {f"tree+connect, {name}": _runner(scene, order, cut, *way) for name, way in ways.items()}


def _runner(scene, order, cut, integrator, factor):
    mujoco: Any = import_module("mujoco")

    def run(steps, span):
        step = span / steps
        model = _model(scene, order, cut, integrator, factor * step, step)
        data = mujoco.MjData(model)
        data.qvel[:] = [rate(scene, part, link) for part, link in order]
        mujoco.mj_forward(model, data)
        began = time.perf_counter()
        mujoco.mj_step(model, data, int(steps))
        seconds = time.perf_counter() - began
        mujoco.mj_forward(model, data)
        if abs(data.time - span) > 1e-6:
            raise CannotHold("it was reset on the way: the motion diverged")
        found = {}
        for k, part in enumerate(scene.parts):
            body = data.body(f"b{k}")
            found[part.name] = scene.pose(k, body.xpos.copy(), body.xmat.reshape(3, 3).copy())
        return seconds, found

    return run


def rate(scene, part, link):
    """Rate of a joint of the tree at the start."""
    parent = scene.parent(part, link)
    if link.kind == "revolute":
        base = np.zeros(3) if parent == GROUND else scene.parts[parent].w
        return float((scene.parts[part].w - base) @ link.axis)
    if link.kind == "prismatic" and parent == GROUND:
        return float(scene.parts[part].v @ link.axis)
    raise CannotHold(f"A joint of the type {link.kind} within the tree is not translated.")


def _numbers(values):
    return " ".join(f"{value:.17g}" for value in values)


def _model(scene, order, cut, integrator, softness, step):
    mujoco: Any = import_module("mujoco")

    head = HEAD.format(step=step, integrator=integrator, gravity=_numbers(scene.gravity))
    spec = mujoco.MjSpec.from_string(head + "</worldbody></mujoco>")
    made = {GROUND: spec.worldbody}
    for part, link in order:
        body = scene.parts[part]
        parent = scene.parent(part, link)
        x, R = (np.zeros(3), np.eye(3)) if parent == GROUND else (scene.parts[parent].x, scene.parts[parent].R)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R.T @ body.R).ravel())
        made[part] = here = made[parent].add_body(name=f"b{part}", pos=R.T @ (body.x - x), quat=quaternion)
        kind = {"revolute": mujoco.mjtJoint.mjJNT_HINGE, "prismatic": mujoco.mjtJoint.mjJNT_SLIDE}[link.kind]
        here.add_joint(type=kind, pos=body.R.T @ (link.point - body.x), axis=body.R.T @ link.axis)
        here.mass, here.ipos, here.explicitinertial = body.mass, np.zeros(3), True
        tensor = body.inertia
        here.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    for link in cut:
        for point in anchors(scene, link):
            first = scene.parts[link.a if link.a != GROUND else link.b]
            second = GROUND if GROUND in (link.a, link.b) else link.b
            connect = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
            connect.name1 = f"b{link.a if link.a != GROUND else link.b}"
            connect.name2 = "world" if second == GROUND else f"b{second}"
            data = np.zeros(len(connect.data))
            data[:3] = first.R.T @ (point - first.x)
            connect.data = data
            connect.solref, connect.solimp = [softness, 1.0], [0.9999, 0.9999, 0.001, 0.5, 2.0]
    model = spec.compile()
    model.opt.timestep = step
    model.opt.integrator = {"RK4": 1, "implicitfast": 3}[integrator]
    return model


def anchors(scene, link):
    """Points that a cut joint keeps together: one in the plane, two on the axis in space."""
    if link.kind not in ("revolute", "spherical"):
        raise CannotHold(f"A cut joint of the type {link.kind} is not translated.")
    if scene.planar or link.kind == "spherical":
        return [link.point]
    return [link.point, link.point + 0.5 * link.axis]
