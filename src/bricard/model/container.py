"""What a model holds, and how names are found in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any

import numpy as np

from bricard.errors import ModelError, suggest
from bricard.model import checks
from bricard.model.blocks import Measure
from bricard.model.body import Body, ground_body
from bricard.model.drawing import Drawing
from bricard.model.forces import AppliedForce, CoordinateForce
from bricard.model.frames import Frame, as_frame, as_rotation
from bricard.model.functions import FunctionElement
from bricard.model.joints import Joint
from bricard.model.wishes import Wish

__all__ = ["Container"]


class Container:
    """Bodies, joints, forces and wishes, in the order of their declaration."""

    def __init__(self, name: str, gravity: object, planar: bool):
        self.name = _checked_name(name, "model", ())
        if not isinstance(planar, bool):
            raise ModelError(f'model "{name}": planar must be true or false, not {planar!r}.')
        self.is_planar = planar
        self.gravity = ((0.0, -9.81, 0.0) if planar else (0.0, 0.0, -9.81)) if gravity is None else gravity
        self.ground: Body = ground_body(planar)
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint | FunctionElement] = {}
        self.forces: dict[str, CoordinateForce | AppliedForce | FunctionElement] = {}
        self.wishes: list[Wish] = []
        self.drawings: list[Drawing] = []
        self.notes: list[str] = []
        self.parameters: dict[str, float] = {}  # of the file it was loaded from: those that were given other values

    def copy(self):
        """Return a model with the same bodies, joints, forces and wishes, that can be changed without changing this one."""
        other = object.__new__(self._changeable)
        content = self.__dict__.items()
        other.__dict__.update({key: copy(value) if isinstance(value, dict | list) else value for key, value in content})
        return other

    @property
    def _changeable(self) -> type:
        return type(self)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]):
        return self.copy()  # what a model holds never changes

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.gravity = self._gravity  # read-only again

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration of gravity (3,) in m/s^2."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: object) -> None:
        self._gravity = checks.vector(value, f'model "{self.name}": gravity')

    def coordinate(self, name: str) -> Measure:
        """Return the measure of a joint coordinate, named `A.angle`, or `A` if the joint has only one."""
        return self._measure(name, f'coordinate "{name}"')

    def _measure(self, name: object, where: str) -> Measure:
        if not isinstance(name, str):
            raise ModelError(f'{where} must name a joint coordinate, for example "A.angle", not {name!r}.')
        joint_name, coordinate = (name, "") if name in self.joints else name.rpartition(".")[::2]
        if joint_name not in self.joints:
            unknown = joint_name or name
            near = suggest(unknown, self.joints)
            raise ModelError(f'{where}: there is no joint "{unknown}".{near} Declare joints before they are used.')
        found = self.joints[joint_name].coordinates()
        shown = ", ".join(f'"{joint_name}.{key}"' for key in found)
        if not found:
            raise ModelError(f'{where}: the joint "{joint_name}" has no coordinates.')
        if coordinate in found:
            return found[coordinate]
        if coordinate:
            near = suggest(coordinate, found)
            raise ModelError(
                f'{where}: the joint "{joint_name}" has no coordinate "{coordinate}".{near} It has {shown}.'
            )
        if len(found) > 1:
            raise ModelError(f'{where}: the joint "{joint_name}" has several coordinates; choose one of {shown}.')
        return next(iter(found.values()))

    def _new_name(self, name: object, family: str) -> str:
        taken: Collection[str] = {"body": self.bodies, "joint": self.joints, "force": self.forces}[family]
        if family == "body" and name == self.ground.name:
            raise ModelError('body "ground": this name belongs to the body that does not move, model.ground.')
        return _checked_name(name, family, taken)

    def _body(self, body: object, where: str) -> Body:
        """Return a body of this model from itself or from its name."""
        if isinstance(body, str):
            if body == self.ground.name:
                return self.ground
            if body not in self.bodies:
                near = suggest(body, [self.ground.name, *self.bodies])
                raise ModelError(f'{where}: there is no body "{body}".{near}')
            return self.bodies[body]
        if not isinstance(body, Body):
            raise ModelError(f"{where}: {body!r} is neither a body nor the name of one.")
        if body is not self.ground and self.bodies.get(body.name) is not body:
            raise ModelError(f'{where}: the body "{body.name}" does not belong to the model "{self.name}".')
        return body

    def _pair(self, body_a: object, body_b: object, where: str) -> tuple[Body, Body]:
        a, b = self._body(body_a, where), self._body(body_b, where)
        if a is b:
            raise ModelError(f'{where} connects the body "{a.name}" with itself; it needs two different bodies.')
        return a, b

    def _given_frames(
        self, bodies: tuple[Body, Body], where: str, frame_a: object, frame_b: object, world: Mapping[str, Any]
    ) -> tuple[Frame, Frame] | None:
        """Return the frames fixed in the bodies, or None where the element is placed in the world by `world`."""
        placed = [key for key, value in world.items() if value is not None]
        words = " and ".join(world)
        if frame_a is None and frame_b is None:
            missing = [key for key in world if key not in placed]
            if missing:
                raise ModelError(
                    f"{where}: {missing[0]} is missing. Give {words} in the world at the start, or frame_a and frame_b."
                )
            return None
        if placed:
            raise ModelError(f"{where}: {placed[0]} and frames are given; place it either in the world or by frames.")
        if frame_a is None or frame_b is None:
            missing_frame = "frame_a" if frame_a is None else "frame_b"
            raise ModelError(f"{where}: {missing_frame} is missing; without {words} both frames are needed.")
        return as_frame(frame_a, bodies[0], f"{where}: frame_a"), as_frame(frame_b, bodies[1], f"{where}: frame_b")

    def _point_frames(
        self,
        body_a: object,
        body_b: object,
        point_a: object,
        point_b: object,
        frame_a: object,
        frame_b: object,
        where: str,
    ) -> tuple[Frame, Frame]:
        """Return the frames of two points, one in each body, without any direction of their own."""
        bodies = self._pair(body_a, body_b, where)
        given = self._given_frames(bodies, where, frame_a, frame_b, {"point_a": point_a, "point_b": point_b})
        if given is not None:
            return given
        points = [checks.vector(p, f"{where}: {k}") for k, p in (("point_a", point_a), ("point_b", point_b))]
        return bodies[0].frame(bodies[0].point(points[0])), bodies[1].frame(bodies[1].point(points[1]))

    def start(
        self,
        *,
        joint: str | None = None,
        body: Body | str | None = None,
        point: object = None,
        position: object = None,
        velocity: object = None,
        rotation: object = None,
        angular_velocity: object = None,
        weight: object = None,
    ) -> Wish:
        """Wish something for the start; what is not wished stays as drawn and at rest, in the coordinates of the joints.

        Where a loop has to close, all of its joints move, by the least sum of squares; so do their rates.

        joint : a coordinate, `A` or `A.angle`, with position and velocity as numbers (m or rad, and per s).
        body : with position and velocity (3,) of its reference origin, rotation (3, 3) or quaternion (4,), and
        angular_velocity (3,). point : (body, (3,) in its reference frame), with position and velocity (3,). All vectors
        are in world axes. weight : None makes the wish hard, a positive number makes it count in a least-squares sense.
        """
        targets = [key for key, value in (("joint", joint), ("body", body), ("point", point)) if value is not None]
        if len(targets) != 1:
            got = " and ".join(targets) or "none of them"
            raise ModelError(f"start: give exactly one of joint, body and point, not {got}.")
        measure = owner = local = None
        if targets == ["joint"]:
            where = f'start of joint "{joint}"'
            measure = self._measure(joint, where)
        elif targets == ["body"]:
            owner = self._body(body, "start")
            where = f'start of body "{owner.name}"'
        else:
            if not isinstance(point, tuple | list) or len(point) != 2:
                raise ModelError(f"start: point must be (body, local coordinates), not {point!r}.")
            owner = self._body(point[0], "start: point")
            where = f'start of a point of body "{owner.name}"'
            local = checks.vector(point[1], f"{where}: local coordinates")
        if owner is self.ground:
            raise ModelError(f"{where}: the ground does not move.")
        if targets != ["body"] and (rotation is not None or angular_velocity is not None):
            raise ModelError(f"{where}: rotation and angular_velocity can be wished for a body only.")
        if position is None and velocity is None and rotation is None and angular_velocity is None:
            raise ModelError(f"{where}: nothing is wished; give position, velocity, rotation or angular_velocity.")

        def value(given: object, key: str) -> Any:
            if given is None:
                return None
            text = f"{where}: {key}"
            return checks.number(given, text) if measure is not None else checks.vector(given, text)

        wish = Wish(
            joint,
            measure,
            owner,
            local,
            value(position, "position"),
            value(velocity, "velocity"),
            None if rotation is None else as_rotation(rotation, f"{where}: rotation"),
            value(angular_velocity, "angular_velocity"),
            None if weight is None else checks.number(weight, f"{where}: weight", positive=True),
        )
        self.wishes.append(wish)
        return wish


def _checked_name(name: object, family: str, taken: Collection[str]) -> str:
    if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
        raise ModelError(f"{family}: a name must be a printable text without blanks around it, not {name!r}.")
    if name in taken:
        raise ModelError(f'{family} "{name}": this name is taken; every {family} needs its own.')
    return name
