"""Exudyn: bodies in absolute coordinates with joints (index-3 generalized-alpha, index-2 trapezoidal rule), planar bodies where
the model is planar; redundant rows in space by its dense solver that ignores them; and, for open planar chains of hinges, its
kinematic tree with the explicit method RK67. Modified Newton and its other recommended settings."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from .peers_scene import GROUND, CannotHold, Scene

TREE = 200  # parts up to which the kinematic tree, with its dense mass matrix, is tried
TIGHT = 1e-11  # Newton tolerance of the tight variants
SOLVERS = {"index-2 trapezoidal": "TrapezoidalIndex2", "index-3 generalized-alpha": "GeneralizedAlpha"}


def variants(scene: Scene, depth: bool):
    """Name -> function(steps, span) -> (seconds, poses)."""
    order, cut = scene.tree()
    ways = {}
    if scene.planar and not cut and _hinges(scene, order) and len(scene.parts) <= TREE:
        ways["kinematic tree, RK67"] = _tree_runner(scene, order)
    for name, solver in SOLVERS.items():
        if scene.planar:
            ways[f"2D, {name}"] = _runner(scene, _planar, solver)
            ways[f"2D, {name}, Newton tol 1e-11"] = _runner(scene, _planar, solver, tolerance=TIGHT)
        else:
            ways[f"3D redundant, dense, {name}"] = _runner(scene, _spatial, solver, dense=True)
    return ways


def _hinges(scene, order):
    plain = all(link.kind == "revolute" for _, link in order) and not (scene.springs or scene.torques)
    return plain and all(scene.parent(part, link) == (k - 1 if k else GROUND) for k, (part, link) in enumerate(order))


def _settings(steps, span, dense=False, tolerance=None):
    exudyn: Any = import_module("exudyn")

    s = exudyn.SimulationSettings()
    s.timeIntegration.numberOfSteps, s.timeIntegration.endTime = int(steps), span
    s.timeIntegration.verboseMode, s.displayComputationTime = 0, False
    s.solutionSettings.writeSolutionToFile, s.solutionSettings.sensorsWritePeriod = False, span
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    if tolerance is not None:
        s.timeIntegration.newton.relativeTolerance = tolerance
    kinds = exudyn.LinearSolverType
    s.linearSolver.solverType = kinds.EigenDense if dense else kinds.EigenSparse
    s.linearSolver.ignoreSingularJacobian = dense
    s.linearSolver.reuseAnalyzedPattern = not dense
    return s


def _solve(mbs, settings, solver):
    exudyn: Any = import_module("exudyn")

    kind = getattr(exudyn.DynamicSolverType, solver)
    began = time.perf_counter()
    try:
        ok = mbs.SolveDynamic(settings, solverType=kind)
    except Exception as error:  # exudyn raises plain exceptions of many kinds
        raise CannotHold(str(error).strip().splitlines()[0][:120]) from None
    seconds = time.perf_counter() - began
    if not ok:
        raise CannotHold("its solver gave up")
    return seconds


def _runner(scene, build, solver, dense=False, tolerance=None):
    def run(steps, span):
        _container, mbs, read = build(scene)  # it must live as long as its system
        seconds = _solve(mbs, _settings(steps, span, dense, tolerance), solver)
        return seconds, read()

    return run


def _new():
    exudyn: Any = import_module("exudyn")

    exudyn.SetWriteToConsole(False)
    container = exudyn.SystemContainer()
    return container, container.AddSystem()


def _planar(scene):
    """Bodies with x, y and an angle."""
    exudyn: Any = import_module("exudyn")
    u: Any = import_module("exudyn.utilities")

    container, mbs = _new()
    ground, nodes, bodies = mbs.AddObject(u.ObjectGround()), [], []
    for part in scene.parts:
        angle = np.arctan2(part.R[1, 0], part.R[0, 0])
        rates = [part.v[0], part.v[1], part.w[2]]
        nodes.append(mbs.AddNode(u.NodeRigidBody2D(referenceCoordinates=[*part.x[:2], angle], initialVelocities=rates)))
        inertia = part.inertia[2, 2]
        bodies.append(mbs.AddObject(u.RigidBody2D(nodeNumber=nodes[-1], physicsMass=part.mass, physicsInertia=inertia)))
        if np.any(scene.gravity):
            marker = mbs.AddMarker(u.MarkerBodyMass(bodyNumber=bodies[-1]))
            mbs.AddLoad(u.LoadMassProportional(markerNumber=marker, loadVector=list(scene.gravity)))

    def at(k, point):
        if k == GROUND:
            return mbs.AddMarker(u.MarkerBodyPosition(bodyNumber=ground, localPosition=list(point)))
        place = scene.parts[k].R.T @ (point - scene.parts[k].x)
        return mbs.AddMarker(u.MarkerBodyPosition(bodyNumber=bodies[k], localPosition=[place[0], place[1], 0.0]))

    fixed = None
    for link in scene.links:
        if link.kind == "revolute":
            mbs.AddObject(u.RevoluteJoint2D(markerNumbers=[at(link.a, link.point), at(link.b, link.point)]))
        elif link.kind == "prismatic" and link.a == GROUND and abs(link.axis[0]) > 1.0 - 1e-12:
            fixed = mbs.AddNode(u.NodePointGround()) if fixed is None else fixed
            for coordinate in (1, 2):  # y and the angle stay
                pair = [mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))]
                pair += [mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=nodes[link.b], coordinate=coordinate))]
                mbs.AddObject(u.CoordinateConstraint(markerNumbers=pair))
        else:
            raise CannotHold(f"A planar joint of the type {link.kind} is only translated along x against the ground.")
    for a, p, b, q, stiffness, length in scene.springs:
        mbs.AddObject(
            u.SpringDamper(markerNumbers=[at(a, p), at(b, q)], stiffness=stiffness, damping=0, referenceLength=length)
        )
    for k, torque in scene.torques:
        marker = mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=bodies[k]))
        mbs.AddLoad(u.LoadTorqueVector(markerNumber=marker, loadVector=[0, 0, torque]))
    mbs.Assemble()

    def read():
        found = {}
        for k, (part, node) in enumerate(zip(scene.parts, nodes, strict=True)):
            x, y, angle = mbs.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates)
            c, s = np.cos(angle), np.sin(angle)
            turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            found[part.name] = scene.pose(k, part.x + [x, y, 0.0], turn @ part.R)
        return found

    return container, mbs, read


def _spatial(scene):
    """Rigid bodies in space, hinges with five rows each."""
    exudyn: Any = import_module("exudyn")
    u: Any = import_module("exudyn.utilities")

    if scene.springs or scene.torques or any(link.kind != "revolute" for link in scene.links):
        raise CannotHold("In space only hinges are translated for Exudyn.")
    container, mbs = _new()
    bodies = {GROUND: mbs.CreateGround()}
    for k, part in enumerate(scene.parts):
        bodies[k] = mbs.CreateRigidBody(
            inertia=u.RigidBodyInertia(mass=part.mass, inertiaTensor=part.inertia, com=[0, 0, 0]),
            referencePosition=list(part.x),
            referenceRotationMatrix=part.R,
            initialVelocity=list(part.v),
            initialAngularVelocity=list(part.w),
            gravity=list(scene.gravity),
        )
    for link in scene.links:
        mbs.CreateRevoluteJoint(
            bodyNumbers=[bodies[link.a], bodies[link.b]],
            position=list(link.point),
            axis=list(link.axis),
            useGlobalFrame=True,
            show=False,
        )
    mbs.Assemble()

    def read():
        found, kinds = {}, exudyn.OutputVariableType
        for k, part in enumerate(scene.parts):
            x = np.array(mbs.GetObjectOutputBody(bodies[k], kinds.Position, [0, 0, 0]))
            R = np.array(mbs.GetObjectOutputBody(bodies[k], kinds.RotationMatrix, [0, 0, 0])).reshape(3, 3)
            found[part.name] = scene.pose(k, x, R)
        return found

    return container, mbs, read


def _tree_runner(scene, order):
    """A serial chain of hinges about z in joint angles."""
    exudyn: Any = import_module("exudyn")
    u: Any = import_module("exudyn.utilities")

    n = len(order)

    def run(steps, span):
        _container, mbs = _new()
        zeros = [0.0] * n
        node = mbs.AddNode(
            u.NodeGenericODE2(
                referenceCoordinates=zeros,
                initialCoordinates=zeros,
                initialCoordinates_t=_rates(scene, order),
                numberOfODE2Coordinates=n,
            )
        )
        turns, offsets, inertias, centres, masses = _lists(scene, order)
        mbs.AddObject(
            u.ObjectKinematicTree(
                nodeNumber=node,
                jointTypes=[exudyn.JointType.RevoluteZ] * n,
                linkParents=list(range(-1, n - 1)),
                jointTransformations=turns,
                jointOffsets=offsets,
                linkInertiasCOM=inertias,
                linkCOMs=centres,
                linkMasses=masses,
                baseOffset=[0, 0, 0],
                gravity=list(scene.gravity),
            )
        )
        mbs.Assemble()
        seconds = _solve(mbs, _settings(steps, span), "RK67")
        angles = np.cumsum(mbs.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates))
        return seconds, _chain_poses(scene, order, np.atleast_1d(angles))

    return run


def _rates(scene, order):
    spins = [scene.parts[part].w[2] for part, _ in order]
    return list(np.diff([0.0, *spins]))


def _lists(scene, order):
    """Joint frames have the axes of the world at the start."""
    exudyn: Any = import_module("exudyn")

    turns, offsets, inertias = exudyn.Matrix3DList(), exudyn.Vector3DList(), exudyn.Matrix3DList()
    centres, masses, before = exudyn.Vector3DList(), [], np.zeros(3)
    for part, link in order:
        body = scene.parts[part]
        turns.Append(np.eye(3))
        offsets.Append(list(link.point - before))
        inertias.Append(body.R @ body.inertia @ body.R.T)
        centres.Append(list(body.x - link.point))
        masses.append(body.mass)
        before = link.point
    return turns, offsets, inertias, centres, masses


def _chain_poses(scene, order, angles):
    found, where, before = {}, np.zeros(3), None
    for (part, link), angle in zip(order, angles, strict=True):
        body = scene.parts[part]
        if before is not None:
            where = where + before[1] @ (link.point - before[0])
        else:
            where = link.point
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        found[body.name] = scene.pose(part, where + turn @ (body.x - link.point), turn @ body.R)
        before = (link.point, turn)
    return found
