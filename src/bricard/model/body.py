"""A rigid body: mass, inertia, and where its reference frame stands at the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks
from bricard.model.frames import Frame, as_rotation, rotation_from_axis
from bricard.model.inertia import checked_inertia
from bricard.model.shapes import SHAPES, Shape
from bricard.model.travelling import Immutable

__all__ = ["Body", "ground_body", "make_body"]

FLAT = 1e-9  # how far (m, and as a direction) a planar body may stand off the plane


@dataclass(frozen=True, eq=False)
class Body(Immutable):
    """A rigid body, equal only to itself.

    mass : kg. inertia : (3, 3) about the centre of mass, in body axes (kg m^2). com : (3,), centre of mass in the
    reference frame of the body (m). position, rotation : (3,), (3, 3), the reference frame in the world at the start.
    shape : what it was drawn as, or None. planar : it moves in the world's x-y plane only.
    """

    name: str
    mass: float
    inertia: np.ndarray
    com: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    shape: Shape | None = None
    planar: bool = False
    is_ground: bool = False

    @property
    def com_position(self) -> np.ndarray:
        """Centre of mass (3,) in the world at the start (m)."""
        return self.position + self.rotation @ self.com

    @property
    def stays_in_plane(self) -> bool:
        """True for a planar body and for the ground."""
        return self.planar or self.is_ground

    def frame(
        self, position: object = (0.0, 0.0, 0.0), rotation: object = None, *, axis: object = None, x: object = None
    ) -> Frame:
        """Return a frame fixed in this body, given in the body's reference frame.

        position : (3,), m. rotation : (3, 3) or quaternion (4,); or else `axis` (3,), the z axis of the frame, and
        perhaps the direction `x` (3,) that its x axis should have.
        """
        where = f'frame of body "{self.name}"'
        if axis is None:
            if x is not None:
                raise ModelError(f"{where}: an x direction needs an axis; or give the rotation.")
            turned = as_rotation(rotation, f"{where}: rotation")
        elif rotation is not None:
            raise ModelError(f"{where}: give either rotation or axis, not both.")
        else:
            turned = rotation_from_axis(axis, x, f"{where}: axis")
        return Frame(self, checks.vector(position, f"{where}: position"), turned)

    def point(self, world_point: object) -> np.ndarray:
        """Return the coordinates (3,) in the body's reference frame of a point of the world at the start (m)."""
        target = checks.vector(world_point, f'point of body "{self.name}"')
        return checks.frozen(self.rotation.T @ (target - self.position))

    def declaration(self) -> dict[str, Any]:
        """Return the keywords that make this body again with `model.body(...)`, the shape's own among them."""
        table: dict[str, Any]
        if self.shape is None:
            table = {"mass": self.mass, "inertia": self.inertia, "com": self.com, "position": self.position}
            drawn, turn = np.eye(3), None
        else:
            table = self.shape.declaration()
            drawn, turn = self.shape.rotation, table.pop("rotation", None)
            if not np.array_equal(self.position, self.shape.origin):
                table["position"] = self.position
        if not np.array_equal(self.rotation, drawn):
            turn = self.rotation
        if turn is not None:
            table["rotation"] = turn
        table["planar"] = self.planar
        return table

    def __repr__(self) -> str:
        return f'<body "{self.name}", mass {self.mass:g} kg>'


def ground_body(planar: bool) -> Body:
    """Return the body that does not move; its reference frame is the world."""
    zero, still = checks.frozen(np.zeros(3)), checks.frozen(np.eye(3))
    return Body("ground", float("inf"), checks.frozen(np.zeros((3, 3))), zero, zero, still, None, planar, True)


def make_body(
    name: str,
    shape: Shape | None,
    planar: bool,
    *,
    mass: object,
    inertia: object,
    com: object,
    inertia_axes: object,
    position: object,
    rotation: object,
    inertia_check: str = "warn",
) -> Body:
    """Return a checked body; see `Model.body` for the meaning of the arguments."""
    where = f'body "{name}"'
    if shape is not None:
        if not isinstance(shape, Shape):
            raise ModelError(
                f"{where}: shape must be a {', '.join(kind.__name__ for kind in SHAPES.values())}, not {shape!r}."
            )
        given = {"mass": mass, "inertia": inertia, "com": com, "inertia_axes": inertia_axes}
        given["inertia_check"] = None if inertia_check == "warn" else inertia_check
        double = [key for key, value in given.items() if value is not None]
        if double:
            raise ModelError(
                f"{where}: {double[0]} follows from the shape; give it to the shape, or leave the shape out."
            )
        kilograms, tensor, centre = shape.mass, shape.inertia, shape.com
        place = shape.origin if position is None else checks.vector(position, f"{where}: position")
        turn = shape.rotation if rotation is None else as_rotation(rotation, f"{where}: rotation")
    else:
        for key, value in (("mass", mass), ("inertia", inertia)):
            if value is None:
                raise ModelError(
                    f"{where}: {key} is missing. Give a shape, or mass and inertia (PointMass: no inertia)."
                )
        kilograms = checks.number(mass, f"{where}: mass", nonnegative=True)
        if planar and checks.shape(inertia) == ():
            about_z = checks.number(inertia, f"{where}: inertia", nonnegative=True)
            inertia = (0.5 * about_z, 0.5 * about_z, about_z)
        tensor = checked_inertia(inertia, f"{where}: inertia", inertia_check, planar=planar)
        if inertia_axes is not None:
            axes = as_rotation(inertia_axes, f"{where}: inertia_axes")
            turned = axes @ tensor @ axes.T
            tensor = checks.frozen(0.5 * (turned + turned.T))
        centre = checks.vector((0.0, 0.0, 0.0) if com is None else com, f"{where}: com")
        place = checks.vector((0.0, 0.0, 0.0) if position is None else position, f"{where}: position")
        turn = as_rotation(rotation, f"{where}: rotation")
    body = Body(name, kilograms, tensor, centre, place, turn, shape, planar)
    if planar:
        _check_flat(body)
    return body


def _check_flat(body: Body) -> None:
    height = body.com_position[2]
    if abs(height) > FLAT * max(1.0, np.abs(body.com_position).max()):
        raise ModelError(
            f'body "{body.name}" is planar, but its centre of mass stands at z = {height:g} m; it must be at z = 0.'
        )
    tilt = np.abs(body.rotation[:, 2] - (0.0, 0.0, 1.0)).max()
    if tilt > FLAT:
        raise ModelError(
            f'body "{body.name}" is planar, but its z axis is tilted against the world z axis by {tilt:.3g}; only '
            "rotations about z are possible. Draw a bar in the plane as a Rod, a disc as a Cylinder along z."
        )
