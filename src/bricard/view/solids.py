"""Bodies as solids of five kinds, each a unit solid with a scale, fixed in a body's reference frame.

    box (edges 1)   cylinder (radius 1, height 1, along z)   sphere (radius 1)   capsule (along z)   mesh (as in its file)

A body without a shape, or whose mesh cannot be read, is shown as the ellipsoid with its mass and inertia, and a bar to each
of its joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.body import Body
from ..model.frames import quaternion, rotation_from_axis
from ..model.shapes import Mesh, Shape
from .packing import Archive
from .timeline import Timeline

__all__ = ["attachments", "build_solids", "thickness", "unreadable"]

MOST_TRIANGLES = 40_000  # a finer mesh is made coarser
HUB = 0.22  # largest radius of the ellipsoid of a body with several joints, as a share of its reach
BAR = 0.025  # radius of the bar of a body without shape, as a share of its reach


def build_solids(model: Any, frames: Timeline, archive: Archive) -> dict[str, Any]:
    """Return the solids of a model, and the meshes that they use."""
    meshes: dict[Any, int] = {}
    stored: list[dict[str, Any]] = []
    index = {body: number for number, body in enumerate([*model.bodies.values(), model.ground])}
    drawings = [drawing for drawing in model.drawings if _reason(drawing.shape) is None]
    drawn = {drawing.body for drawing in drawings}
    ends = attachments(model)
    solids = []

    def add(body: Body, shape: Shape, position: Any, rotation: np.ndarray) -> None:
        entry = _solid(shape, frames.place(body, position), rotation)
        if isinstance(shape, Mesh):
            key = (shape.path, tuple(shape.scale))
            if key not in meshes:
                meshes[key] = len(stored)
                stored.append(_mesh(shape, archive))
            entry["mesh"] = meshes[key]
        solids.append({"body": index[body], **entry})

    for body in model.bodies.values():
        if body.shape is not None and _reason(body.shape) is None:
            add(body, body.shape, np.zeros(3), np.eye(3))
            if body.shape.kind == "point_mass":
                solids += [{"body": index[body], **entry} for entry in _bars(body, ends[body])]
        elif body not in drawn:
            solids += [{"body": index[body], **entry} for entry in _by_inertia(body, ends[body])]
    for drawing in drawings:
        add(drawing.body, drawing.shape, drawing.shape.origin, drawing.shape.rotation)
    return {"solids": solids, "meshes": stored}


def unreadable(model: Any) -> list[str]:
    """What cannot be drawn of a model: a sentence for each mesh, with the bodies that are shown without it."""
    shown = [(body, body.shape) for body in model.bodies.values() if body.shape is not None]
    shown += [(drawing.body, drawing.shape) for drawing in model.drawings]
    bodies: dict[str, list[str]] = {}
    for body, shape in shown:
        reason = _reason(shape)
        if reason is not None and body.name not in bodies.setdefault(reason, []):
            bodies[reason].append(body.name)
    return [f"{reason} The picture does without it: {', '.join(names)}." for reason, names in bodies.items()]


def attachments(model: Any) -> dict[Body, list[np.ndarray]]:
    """Points (3,) in the reference frame of each body where joints and forces take hold of it."""
    found: dict[Body, list[np.ndarray]] = {body: [] for body in [*model.bodies.values(), model.ground]}
    for element in [*model.joints.values(), *model.forces.values()]:
        for key in ("frame_a", "frame_b", "frame"):
            frame = getattr(element, key, None)
            if frame is not None:
                found[frame.body].append(frame.position)
    return found


def thickness(body: Body, ends: list[np.ndarray]) -> tuple[float, float]:
    """Half the smallest and the whole largest dimension (m) of a body, to which the signs of its joints are scaled."""
    shape = body.shape
    if shape is None or shape.kind == "point_mass" or _reason(shape) is not None:
        reach = max((float(np.linalg.norm(end - body.com)) for end in ends), default=0.0)
        reach = reach or 2.0 * float(np.sqrt(np.trace(body.inertia) / body.mass)) if body.mass > 0.0 else reach
        return BAR * reach, reach
    box = _extent(shape)
    return 0.5 * float(box.min()), float(box.max())


def _extent(shape: Any) -> np.ndarray:
    """Edges (3,) of the box around a shape along its own axes."""
    if shape.kind == "box":
        return shape.size
    if shape.kind == "ellipsoid":
        return 2.0 * shape.radii
    if shape.kind == "mesh":
        return np.ptp(shape.triangles[0], axis=0)
    across = 2.0 * shape.radius
    along = {"sphere": 0.0, "capsule": 2.0 * shape.radius}.get(shape.kind, 0.0) + getattr(shape, "length", across)
    return np.array([across, across, along])


def _solid(shape: Any, position: Any, rotation: np.ndarray) -> dict[str, Any]:
    kind = shape.kind
    if kind == "rod":  # runs along its x axis
        rotation = rotation @ np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    scales = {
        "box": lambda: shape.size,
        "rod": lambda: (shape.radius, shape.radius, shape.length),
        "cylinder": lambda: (shape.radius, shape.radius, shape.length),
        "capsule": lambda: (shape.radius, shape.radius, shape.length),
        "sphere": lambda: (shape.radius,) * 3,
        "ellipsoid": lambda: shape.radii,
        "mesh": lambda: (1.0, 1.0, 1.0),
        "point_mass": lambda: (0.0, 0.0, 0.0),  # the page gives it a size that can be seen
    }
    unit = {"rod": "cylinder", "ellipsoid": "sphere", "point_mass": "point"}.get(kind, kind)
    return _placed(unit, scales[kind](), position, rotation)


def _placed(kind: str, scale: Any, position: Any, rotation: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": kind, "scale": _list(scale)}
    if np.any(position):
        entry["p"] = _list(position)
    if not np.allclose(rotation, np.eye(3), atol=1e-12):
        entry["q"] = _list(quaternion(rotation))
    return entry


def _by_inertia(body: Body, ends: list[np.ndarray]) -> list[dict[str, Any]]:
    """The ellipsoid with the mass and inertia of a body, and bars from its centre to its joints."""
    reach = max((float(np.linalg.norm(end - body.com)) for end in ends), default=0.0)
    found = []
    moments, axes = np.linalg.eigh(body.inertia)
    if body.mass > 0.0:
        squares = 2.5 * (moments.sum() - 2.0 * moments) / body.mass
        smallest = 0.05 * max(float(np.sqrt(max(squares.max(), 0.0))), reach)
        if smallest > 0.0:
            axes = axes if np.linalg.det(axes) > 0.0 else -axes
            radii = np.maximum(np.sqrt(np.maximum(squares, 0.0)), smallest)
            if len(ends) > 1:  # a frame between joints: the bars show it, the ellipsoid must not hide them
                radii *= min(1.0, HUB * reach / float(radii.max()))
            found.append(_placed("sphere", radii, body.com, axes))
        else:
            found.append(_placed("point", np.zeros(3), body.com, np.eye(3)))
    return found + _bars(body, ends)


def _bars(body: Body, ends: list[np.ndarray]) -> list[dict[str, Any]]:
    """Bars from the centre of mass to the joints."""
    levers = [end - body.com for end in ends]
    reach = max((float(np.linalg.norm(lever)) for lever in levers), default=0.0)
    found = []
    for lever in levers:
        length = float(np.linalg.norm(lever))
        if length > 0.02 * reach:
            scale = (BAR * reach, BAR * reach, length)
            found.append(_placed("cylinder", scale, body.com + 0.5 * lever, rotation_from_axis(lever)))
    return found


def _reason(shape: Shape) -> str | None:
    """Why a shape cannot be drawn, or None."""
    if isinstance(shape, Mesh):
        try:
            _ = shape.triangles
        except ModelError as error:
            return str(error)
    return None


def _mesh(shape: Mesh, archive: Archive) -> dict[str, Any]:
    """Corners, triangles, and the box around them, low (3,) and high (3,)."""
    corners, triangles = coarser(*shape.triangles)
    low, high = corners.min(axis=0), corners.max(axis=0)
    size = float((high - low).max()) or 1.0
    return {
        "corners": archive.add(corners.T, size / 2**15),
        "triangles": archive.add(triangles.T, 1.0),
        "low": _list(low),
        "high": _list(high),
    }


def coarser(corners: np.ndarray, triangles: np.ndarray, most: int = MOST_TRIANGLES) -> tuple[np.ndarray, np.ndarray]:
    """Return a mesh of at most so many triangles: corners in the same cell of a grid become one, their mean."""
    cells = 256
    while len(triangles) > most:
        low, size = corners.min(axis=0), float(np.ptp(corners, axis=0).max()) or 1.0
        grid = np.floor((corners - low) / size * cells).astype(np.int64)
        _, cell = np.unique(grid, axis=0, return_inverse=True)
        cell = cell.ravel()
        count = np.bincount(cell)
        merged = np.stack([np.bincount(cell, corners[:, axis]) / count for axis in range(3)], 1)
        turned = cell[triangles]
        a, b, c = turned.T
        turned = turned[(a != b) & (b != c) & (c != a)]
        if len(turned) <= most:
            return merged, turned
        cells = int(cells / 1.5)
    return corners, triangles


def _list(values: Any) -> list[float]:
    return [float(f"{value:.7g}") for value in values]
