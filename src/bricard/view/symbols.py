"""Joints and forces as the page draws them: where they take hold of which bodies, how large their signs are, how far they go."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.forces import AppliedForce, CoordinateForce
from ..model.frames import Frame, quaternion
from ..model.functions import FunctionElement
from ..model.joints import Drive, Gear
from ..model.laws import Linear
from .solids import attachments, thickness
from .timeline import Timeline

__all__ = ["build_symbols"]

TRAVELLING = ("prismatic", "slider", "cylindrical", "point_on_line", "planar", "point_on_plane")


def build_symbols(model: Any, frames: Timeline) -> dict[str, Any]:
    """Return what the page draws for the joints and forces of a model."""
    index = {body: number for number, body in enumerate([*model.bodies.values(), model.ground])}
    ends = attachments(model)
    sizes = {body: thickness(body, ends[body]) for body in model.bodies.values()}
    joints, forces = [], []
    for joint in model.joints.values():
        entry = {"name": joint.name, "kind": _kind(joint)}
        if isinstance(joint, Drive | Gear):
            entry |= _on_coordinate(model, joint, frames, index, sizes)
        elif getattr(joint, "frame_b", None) is not None and joint.blocks():
            entry |= _ends(joint.frame_a, joint.frame_b, frames, index, sizes)
            if entry["kind"] in TRAVELLING:
                entry |= _travel(joint, frames)
            if entry["kind"] == "rolling_disc":
                entry["radius"] = joint.radius
        joints.append(entry)
    for force in model.forces.values():
        entry = {"name": force.name, "kind": _kind(force)}
        if isinstance(force, AppliedForce):
            pass  # its arrow says it all
        elif force.frame_a is not None and force.frame_b is not None:
            entry |= _ends(force.frame_a, force.frame_b, frames, index, sizes)
        else:
            entry |= _on_coordinate(model, force, frames, index, sizes)
        forces.append(entry)
    return {"joints": joints, "forces": forces}


def _kind(element: Any) -> str:
    if isinstance(element, FunctionElement):
        return element.function if isinstance(element.function, str) else f"own {element.kind}"
    damper = isinstance(element, CoordinateForce) and isinstance(element.law, Linear) and element.law.stiffness == 0.0
    return "damper" if damper and element.kind == "spring" else element.kind


def _ends(
    frame_a: Frame, frame_b: Frame, frames: Timeline, index: dict[Any, int], sizes: dict[Any, tuple[float, float]]
) -> dict[str, Any]:
    """Both ends of an element: body, position and quaternion in it; and r, the size (m) of its sign."""
    near = [sizes[frame.body] for frame in (frame_a, frame_b) if frame.body in sizes]
    length = min((length for _, length in near if length > 0.0), default=1.0)
    r = float(np.clip(1.3 * max((thick for thick, _ in near), default=0.0), 0.02 * length, 0.06 * length))
    found: dict[str, Any] = {"r": float(f"{r:.4g}")}
    for key, frame in (("a", frame_a), ("b", frame_b)):
        found[key] = index[frame.body]
        found[f"p{key}"] = frames.place(frame.body, frame.position)
        found[f"q{key}"] = [float(f"{x:.6g}") for x in quaternion(frame.rotation)]
    return found


def _on_coordinate(model: Any, element: Any, frames: Timeline, index: Any, sizes: Any) -> dict[str, Any]:
    """The ends of the joint whose coordinate an element drives; nothing where that joint has no frames."""
    name = getattr(element, "coordinate", None) or element.coordinate_1
    joint = model.joints.get(name) or model.joints.get(name.rpartition(".")[0])
    if getattr(joint, "frame_b", None) is None:
        return {}
    return _ends(joint.frame_a, joint.frame_b, frames, index, sizes) | {"of": joint.kind}


def _travel(joint: Any, frames: Timeline) -> dict[str, Any]:
    """How far (m) the origin of frame b gets along the axes of frame a: low (3,) and high (3,)."""
    poses = frames.solution.poses
    (xa, Ra), (xb, Rb) = (poses[body.name] for body in joint.bodies)
    gap = xb + Rb @ joint.frame_b.position - xa - Ra @ joint.frame_a.position
    local = np.einsum("nji,nj->ni", Ra @ joint.frame_a.rotation, gap)
    return {"low": _rounded(local.min(axis=0)), "high": _rounded(local.max(axis=0))}


def _rounded(values: np.ndarray) -> list[float]:
    return [float(f"{value:.6g}") for value in values]
