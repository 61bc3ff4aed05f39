"""Pinocchio: a tree in joint coordinates (articulated-body algorithm); loops by its proximal constraint solver with Baumgarte
gains. It has no integrator: the classical Runge-Kutta method in a Python loop, as its examples do."""

from __future__ import annotations

import math
import time
from importlib import import_module
from typing import Any

import numpy as np

from .peers_mujoco import anchors, rate
from .peers_scene import GROUND, CannotHold, Scene

LARGEST = 300  # joints; its tables grow with the third power
GAINS = (1e4, 100.0, 0.0)


def variants(scene: Scene, depth: bool):
    """Name -> function(steps, span) -> (seconds, poses)."""
    if scene.springs or scene.torques:
        raise CannotHold("Springs and motors are not translated for Pinocchio.")
    if len(scene.parts) > LARGEST:
        raise CannotHold(
            f"It needs memory with the third power of the number of joints; {len(scene.parts)} are too many."
        )
    order, cut = scene.tree(depth)
    if not cut:
        return {"aba, RK4": _runner(scene, order, cut, 0.0)}
    return {f"constraintDynamics, Baumgarte Kp={gain:g}, RK4": _runner(scene, order, cut, gain) for gain in GAINS}


def _runner(scene, order, cut, gain):
    pin: Any = import_module("pinocchio")

    model, joints, rates = _tree(scene, order)
    start = np.array(rates)

    def run(steps, span):
        data = model.createData()
        acceleration = _acceleration(scene, model, data, joints, cut, gain)
        q, v, h = np.zeros(model.nq), start.copy(), span / steps
        began = time.perf_counter()
        for _ in range(int(steps)):
            a1 = acceleration(q, v).copy()
            v2 = v + 0.5 * h * a1
            a2 = acceleration(q + 0.5 * h * v, v2).copy()
            v3 = v + 0.5 * h * a2
            a3 = acceleration(q + 0.5 * h * v2, v3).copy()
            v4 = v + h * a3
            a4 = acceleration(q + h * v3, v4)
            q, v = q + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        seconds = time.perf_counter() - began
        if not np.isfinite(q).all():
            raise CannotHold("it diverged")
        pin.forwardKinematics(model, data, q)
        found = {}
        for part, (joint, centre) in joints.items():
            placed = data.oMi[joint]
            found[scene.parts[part].name] = scene.pose(part, placed.act(centre), placed.rotation.copy())
        return seconds, found

    return run


def _tree(scene, order):
    """(model, part -> joint number and centre of mass in the joint's frame, rates). Joint frames have the axes of the body."""
    pin: Any = import_module("pinocchio")

    model = pin.Model()
    model.gravity.linear = np.array(scene.gravity)
    joints: dict[int, tuple[int, np.ndarray]] = {}
    frames = {GROUND: (0, np.zeros(3), np.eye(3))}
    rates = []
    for part, link in order:
        body = scene.parts[part]
        parent, origin, R = frames[scene.parent(part, link)]
        placement = pin.SE3(R.T @ body.R, R.T @ (link.point - origin))
        axis = body.R.T @ link.axis
        along = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}
        simple = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPX}
        which = 2 if link.kind == "revolute" else 0
        kind = simple[link.kind]() if axis[which] > 1.0 - 1e-14 else along[link.kind](axis)
        number = model.addJoint(parent, kind, placement, f"j{part}")
        centre = body.R.T @ (body.x - link.point)
        model.appendBodyToJoint(number, pin.Inertia(body.mass, centre, np.array(body.inertia)), pin.SE3.Identity())
        joints[part], frames[part] = (number, centre), (number, link.point, body.R)
        rates.append(rate(scene, part, link))
    return model, joints, rates


def _acceleration(scene, model, data, joints, cut, gain):
    pin: Any = import_module("pinocchio")

    none = np.zeros(model.nv)
    if not cut:
        return lambda q, v: pin.aba(model, data, q, v, none)
    models, states = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for link in cut:
        for point in anchors(scene, link):
            sides = []
            for part in (link.a, link.b):
                body = None if part == GROUND else scene.parts[part]
                where = point if body is None else body.R.T @ (point - body.x) + joints[part][1]
                sides += [0 if part == GROUND else joints[part][0], pin.SE3(np.eye(3), np.array(where))]
            constraint = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *sides, pin.ReferenceFrame.LOCAL)
            gains = constraint.m_baumgarte_parameters
            gains.Kp, gains.Kd = gain, 2.0 * math.sqrt(gain)
            models.append(constraint)
    for constraint in models:
        states.append(constraint.createData())
    pin.initConstraintDynamics(model, data, models, states)
    settings = pin.ProximalSettings(1e-12, 1e-10, 20)
    return lambda q, v: pin.constraintDynamics(model, data, q, v, none, models, states, settings)
