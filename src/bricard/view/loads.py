"""Arrows: reactions in joints, applied loads, and the forces of springs, dampers and motors, at every frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..hyperdual.gradient import gradient
from ..hyperdual.rebuild import plain_copy, plain_of
from ..kernels.functions import Motion
from ..model.forces import AppliedForce, CoordinateForce
from ..model.functions import FunctionElement
from ..solution.motion import coordinate, coordinate_speed
from .packing import Archive
from .timeline import Timeline

__all__ = ["build_loads"]

MOST = 200  # joints, and forces, that get arrows
FINE = 2**13  # steps of an arrow's length


def build_loads(solution: Any, frames: Timeline, archive: Archive) -> list[dict[str, Any]]:
    """Return the arrows: name, what ("reaction" or "load"), kind ("force" or "torque"), body, point, vectors (3, n)."""
    model = solution.system.model
    index = {body: number for number, body in enumerate([*model.bodies.values(), model.ground])}
    found = []
    for what, name, kind, frame, values in [*_reactions(model, frames), *_forces(solution, frames)]:
        vectors = np.nan_to_num(frames.values(values)).T
        top = float(np.abs(vectors).max(initial=0.0))
        if top > 0.0:
            entry = {"what": what, "name": name, "kind": kind, "body": index[frame.body]}
            entry["p"] = frames.place(frame.body, frame.position)
            found.append(entry | {"vectors": archive.add(vectors, top / FINE)})
    return found


def _reactions(model: Any, frames: Timeline) -> Iterator[tuple[Any, ...]]:
    joints = [
        joint for joint in model.joints.values() if getattr(joint, "frame_b", None) is not None and joint.blocks()
    ]
    if len(joints) <= MOST:
        for joint in joints:
            yield "reaction", joint.name, "force", joint.frame_b, frames.solution.reaction(joint.name).force


def _forces(solution: Any, frames: Timeline) -> Iterator[tuple[Any, ...]]:
    forces = list(solution.system.model.forces.values())
    for force in forces if len(forces) <= MOST else ():
        if isinstance(force, AppliedForce):
            yield from _applied(force, frames.solution)
        elif isinstance(force, CoordinateForce):
            yield from _along(force, solution, frames.solution)
        elif isinstance(force, FunctionElement) and not isinstance(force.function, str):
            load = _own(force, frames.solution)
            yield "load", force.name, "force", force.frame_b, load[:, :3]
            yield "load", force.name, "torque", force.frame_b, load[:, 3:]


def _applied(force: AppliedForce, solution: Any) -> Iterator[tuple[Any, ...]]:
    for kind, profiles in (("force", force.force), ("torque", force.torque)):
        values = np.array([[float(profile(t)) for profile in profiles] for t in solution.t])
        if force.axes == "body":
            values = np.einsum("nij,nj->ni", solution.poses[force.body.name][1], values)
        yield "load", force.name, kind, force.frame, values


def _along(force: CoordinateForce, whole: Any, solution: Any) -> Iterator[tuple[Any, ...]]:
    """The force of a spring at both of its ends, or the torque of a motor about the axis of its joint.

    The turns of an angle are counted along the samples of the `whole` solution.
    """
    x = np.interp(solution.t, whole.t, coordinate(whole, force.measure))
    rate, model = coordinate_speed(solution, force.measure), solution.system.model
    size = np.array([float(force.law(*state)) for state in zip(solution.t, x, rate, strict=True)])[:, None]
    if force.frame_a is not None and force.frame_b is not None:
        way = _world(force.frame_b, solution) - _world(force.frame_a, solution)
        length = np.linalg.norm(way, axis=1, keepdims=True)
        push = size * way / np.where(length > 0.0, length, 1.0)
        yield "load", force.name, "force", force.frame_b, push
        yield "load", force.name, "force", force.frame_a, -push
        return
    name = force.coordinate or ""
    joint: Any = model.joints.get(name) or model.joints.get(name.rpartition(".")[0])
    if getattr(joint, "frame_b", None) is not None:
        frame = joint.frame_b if name.endswith("angle_b") else joint.frame_a
        axis = solution.poses[frame.body.name][1] @ frame.z
        yield "load", force.name, "torque" if force.measure.kind == "angle" else "force", joint.frame_b, size * axis


def _own(force: FunctionElement, solution: Any) -> np.ndarray:
    """Loads (samples, 6) of a user's function on its second body."""
    sides = []
    for frame in (force.frame_a, force.frame_b):
        R = solution.poses[frame.body.name][1]
        velocity = (
            solution.velocity(frame.body.name, frame.position) if not frame.body.is_ground else np.zeros((len(R), 3))
        )
        spin = solution.angular_velocity(frame.body.name) if not frame.body.is_ground else np.zeros((len(R), 3))
        sides.append((_world(frame, solution), R, velocity, spin))

    def attachment(side: tuple[np.ndarray, ...], k: int) -> Motion:
        x, R, v, w = (values[k] for values in side)
        return Motion(tuple(x), tuple(map(tuple, R)), tuple(v), tuple(w))

    function, stored = plain_of(force.function), plain_copy(force.potential)

    def load(t: float, a: Motion, b: Motion) -> Any:
        if function is None:
            return -gradient(stored, a, b, np.array(force.parameters))[0][6:]
        return function(t, a, b, force.parameters)

    a, b = sides
    rows = [load(t, attachment(a, k), attachment(b, k)) for k, t in enumerate(solution.t)]
    return np.array(rows, float).reshape(-1, 6)


def _world(frame: Any, solution: Any) -> np.ndarray:
    """Way (samples, 3) of the origin of a frame."""
    x, R = solution.poses[frame.body.name]
    return x + R @ frame.position
