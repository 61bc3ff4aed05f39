"""The methods of a model that declare joints.

All joints can be placed in two ways, never both: by points and axes in world coordinates of the drawn start, or by
`frame_a` and `frame_b` fixed in the bodies, whose z axis is the joint axis; then the assembler closes the gaps.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks, joints
from bricard.model.body import FLAT, Body
from bricard.model.container import Container
from bricard.model.frames import Frame, rotation_from_axis
from bricard.model.functions import FunctionElement

__all__ = ["Joining"]

AnyJoint = TypeVar("AnyJoint", bound="joints.Joint | FunctionElement")
AnyBody = Body | str


class Joining(Container):
    """Declares joints; `body_a` and `body_b` are bodies of the model or their names."""

    def _join(self, joint: AnyJoint) -> AnyJoint:
        self.joints[joint.name] = joint
        return joint

    def _placed(
        self, name: str, a: AnyBody, b: AnyBody, frame_a: object, frame_b: object, x: object = None, **world: object
    ) -> tuple[str, Frame, Frame]:
        """Return the new name and the frames of a joint; `world` holds a point, and perhaps an axis."""
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        bodies = self._pair(a, b, where)
        given = self._given_frames(bodies, where, frame_a, frame_b, world)
        if given is not None:
            return name, *given
        turn = rotation_from_axis(world["axis"], x, f"{where}: axis") if "axis" in world else None
        point, (first, second) = world["point"], bodies
        return name, Frame.at(first, point, turn, f"{where}:"), Frame.at(second, point, turn, f"{where}:")

    def spherical(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Spherical:
        """Declare a ball and socket at a point (3,)."""
        return self._join(joints.Spherical(*self._placed(name, body_a, body_b, frame_a, frame_b, point=point)))

    def revolute(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Revolute:
        """Declare a hinge at a point (3,) about an axis (3,); its angle is zero as drawn."""
        placed = self._placed(name, body_a, body_b, frame_a, frame_b, point=point, axis=axis)
        return self._join(joints.Revolute(*placed))

    def cylindrical(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Cylindrical:
        """Declare a rotation about and a shift along an axis (3,) through a point (3,)."""
        placed = self._placed(name, body_a, body_b, frame_a, frame_b, point=point, axis=axis)
        return self._join(joints.Cylindrical(*placed))

    def prismatic(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Prismatic:
        """Declare a slide along an axis (3,) through a point (3,); its displacement is zero as drawn."""
        placed = self._placed(name, body_a, body_b, frame_a, frame_b, point=point, axis=axis)
        return self._join(joints.Prismatic(*placed))

    def universal(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis_a: object = None,
        axis_b: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Universal:
        """Declare a Cardan joint at a point (3,): axis_a (3,) fixed in a, axis_b (3,) fixed in b, perpendicular."""
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        a, b = self._pair(body_a, body_b, where)
        world = {"point": point, "axis_a": axis_a, "axis_b": axis_b}
        frames = self._given_frames((a, b), where, frame_a, frame_b, world)
        if frames is None:
            z_a, z_b = checks.unit(axis_a, f"{where}: axis_a"), checks.unit(axis_b, f"{where}: axis_b")
            if abs(z_a @ z_b) > 1e-9:
                degrees = math.degrees(math.acos(np.clip(z_a @ z_b, -1.0, 1.0)))
                raise ModelError(
                    f"{where}: axis_a and axis_b must be perpendicular, but make an angle of {degrees:.6g} degrees."
                )
            at_a = Frame.at(a, point, rotation_from_axis(z_a, z_b), f"{where}:")
            frames = at_a, Frame.at(b, point, rotation_from_axis(z_b, z_a), f"{where}:")
        return self._join(joints.Universal(name, *frames))

    def planar(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        x: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Planar:
        """Declare a motion in the plane through a point (3,) with normal `axis` (3,); `x` (3,): direction of x."""
        placed = self._placed(name, body_a, body_b, frame_a, frame_b, x, point=point, axis=axis)
        return self._join(joints.Planar(*placed))

    def fixed(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Fixed:
        """Declare a weld at a point (3,)."""
        return self._join(joints.Fixed(*self._placed(name, body_a, body_b, frame_a, frame_b, point=point)))

    def free(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Free:
        """Declare that b moves freely against a: no rows, but coordinates x, y, z of a point (3,) to wish for, drive or sweep."""
        return self._join(joints.Free(*self._placed(name, body_a, body_b, frame_a, frame_b, point=point)))

    def distance(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point_a: object = None,
        point_b: object = None,
        *,
        length: float | None = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Distance:
        """Declare a massless rod between two points (3,); its length (m) is that at the start if not given."""
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        frames = self._point_frames(body_a, body_b, point_a, point_b, frame_a, frame_b, where)
        if length is None:
            length = checks.distance(frames[0].world_position, frames[1].world_position, where)
        return self._join(joints.Distance(name, *frames, checks.number(length, f"{where}: length", positive=True)))

    def point_on_line(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        point_b: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.PointOnLine:
        """Declare that a point of b stays on the line of a through `point` (3,) along `axis` (3,).

        point_b : (3,), the point of b; the point of the line if not given.
        """
        return self._join(joints.PointOnLine(*self._on(name, body_a, body_b, point, axis, point_b, frame_a, frame_b)))

    def point_on_plane(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        point_b: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.PointOnPlane:
        """Declare that a point of b stays on the plane of a through `point` (3,) with normal `axis` (3,).

        point_b : (3,), the point of b; the point of the plane if not given.
        """
        return self._join(joints.PointOnPlane(*self._on(name, body_a, body_b, point, axis, point_b, frame_a, frame_b)))

    def _on(
        self,
        name: str,
        a: AnyBody,
        b: AnyBody,
        point: object,
        axis: object,
        point_b: object,
        frame_a: Any,
        frame_b: Any,
    ) -> tuple[str, Frame, Frame]:
        if point_b is not None and (frame_a is not None or frame_b is not None):
            raise ModelError(
                f'joint "{name}": point_b and frames are given; place it either in the world or by frames.'
            )
        name, at_a, at_b = self._placed(name, a, b, frame_a, frame_b, point=point, axis=axis)
        if point_b is not None:
            at_b = Frame.at(at_b.body, checks.vector(point_b, f'joint "{name}": point_b'), at_a.world_rotation, "")
        return name, at_a, at_b

    def constant_angle(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        axis_a: object = None,
        axis_b: object = None,
        *,
        angle: float | None = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.ConstantAngle:
        """Declare that axis_a (3,) of a and axis_b (3,) of b keep their angle (rad), that at the start if not given."""
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        a, b = self._pair(body_a, body_b, where)
        frames = self._given_frames((a, b), where, frame_a, frame_b, {"axis_a": axis_a, "axis_b": axis_b})
        if frames is None:
            turn_a = rotation_from_axis(axis_a, None, f"{where}: axis_a")
            turn_b = rotation_from_axis(axis_b, None, f"{where}: axis_b")
            frames = Frame.at(a, a.position, turn_a, where), Frame.at(b, b.position, turn_b, where)
        if angle is None:
            z_a, z_b = (frame.world_rotation[:, 2] for frame in frames)
            angle = math.atan2(float(np.linalg.norm(np.cross(z_a, z_b))), float(z_a @ z_b))
        angle = checks.number(angle, f"{where}: angle")
        if not 1e-6 < angle < math.pi - 1e-6:
            raise ModelError(
                f"{where}: the angle of {angle:g} rad must lie between 0 and pi. Parallel axes take two rows: use a "
                "planar joint, or two constant angles to perpendicular axes."
            )
        return self._join(joints.ConstantAngle(name, *frames, angle))

    def pin(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Pin:
        """Declare a hinge at a point (3,) between planar bodies."""
        self._check_planar(name, body_a, body_b, "a pin", "revolute")
        return self._join(joints.Pin(*self._placed(name, body_a, body_b, frame_a, frame_b, point=point)))

    def slider(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        axis: object = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Slider:
        """Declare a slide between planar bodies, along an axis (3,) in the plane, through a point (3,)."""
        self._check_planar(name, body_a, body_b, "a slider", "prismatic")
        placed = self._placed(name, body_a, body_b, frame_a, frame_b, point=point, axis=axis)
        for frame in placed[1:]:
            if abs(frame.z[2]) > FLAT:
                raise ModelError(f'joint "{name}": the axis of a slider must lie in the x-y plane.')
        return self._join(joints.Slider(*placed))

    def _check_planar(self, name: object, body_a: AnyBody, body_b: AnyBody, what: str, other: str) -> None:
        for body in self._pair(body_a, body_b, f'joint "{name}"'):
            if not body.stays_in_plane:
                raise ModelError(
                    f'joint "{name}": {what} joins planar bodies, but "{body.name}" moves in space. '
                    f"Use {other}, or declare the body with planar=True."
                )
