"""The methods of a model that declare what is no plain joint: drivers, gears, rolling, and users' own constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bricard.errors import ModelError
from bricard.model import checks, functions, joints
from bricard.model.body import Body
from bricard.model.frames import Frame, as_frame, rotation_from_axis
from bricard.model.functions import FunctionElement
from bricard.model.joining import AnyBody, Joining
from bricard.model.joints import user
from bricard.model.joints.linkage import expanded
from bricard.model.profiles import Constant, Profile, StartValue, as_profile

__all__ = ["Constraining"]

FLAT = 1.0 - 1e-12  # cosine of the angle between a disc's axis and the normal, above which it lies flat
AnyProfile = Profile | float | str | Callable[[float], float]
AnyFunction = Callable[..., Any] | str


class Constraining(Joining):
    """Declares drivers, gears, rolling and knife edges, and constraints given by a function."""

    def gear(
        self, name: str, coordinate_1: str, coordinate_2: str, ratio: float, *, offset: float | None = None
    ) -> joints.Gear:
        """Declare coordinate_1 + ratio coordinate_2 = offset, the value at the drawn start if not given.

        Coordinates are named `A.angle`, or `A` where the joint has only one. A positive ratio lets them run opposite.
        """
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        first = self._measure(coordinate_1, f"{where}: coordinate_1")
        second = self._measure(coordinate_2, f"{where}: coordinate_2")
        if first == second:
            one, other = coordinate_1.partition(".")[0], coordinate_2.partition(".")[0]
            itself = "itself" if one == other else f'itself: joints "{one}" and "{other}" lie in the same frames'
            raise ModelError(f'{where} couples the coordinate "{coordinate_1}" with {itself}.')
        factor = checks.number(ratio, f"{where}: ratio")
        if factor == 0.0:
            raise ModelError(f"{where}: a ratio of zero couples nothing; to hold a coordinate use a drive.")
        level = StartValue() if offset is None else Constant(checks.number(offset, f"{where}: offset"))
        return self._join(joints.Gear(name, coordinate_1, coordinate_2, (first, second), factor, level))

    def drive(self, name: str, coordinate: str, profile: AnyProfile) -> joints.Drive:
        """Declare that a joint coordinate (`A.angle`, or `A`) follows a profile of time (rad or m)."""
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        measure = self._measure(coordinate, f"{where}: coordinate")
        return self._join(joints.Drive(name, coordinate, measure, as_profile(profile, f"{where}: profile")))

    def drive_distance(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point_a: object = None,
        point_b: object = None,
        profile: AnyProfile | None = None,
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.DriveDistance:
        """Declare that the distance of two points (3,) follows a profile of time (m)."""
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        frames = self._point_frames(body_a, body_b, point_a, point_b, frame_a, frame_b, where)
        if profile is None:
            raise ModelError(f"{where}: profile is missing; give the distance (m) as a function of time.")
        return self._join(joints.DriveDistance(name, *frames, as_profile(profile, f"{where}: profile")))

    def joint(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        residual: AnyFunction,
        rows: int,
        *,
        point: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
        parameters: object = (),
        units: object = None,
        jacobian: AnyFunction | None = None,
    ) -> FunctionElement:
        """Declare a joint of your own: `residual(t, a, b, p)` gives `rows` numbers that are kept zero.

        point : (3,), where it is attached to both bodies; their reference origins if not given. parameters : the
        numbers p. units : "length" or "angle", one for all rows or one each. jacobian : `jacobian(t, a, b, p)` gives the
        residual and its derivatives, (values, rows of 12): by the point of a, the turn of a in world axes, the point of b,
        the turn of b, instead of exact ones by the package. See `bricard.model.functions`.
        """
        frames = self._attached(name, "joint", body_a, body_b, point, frame_a, frame_b)
        options = {"units": units, "jacobian": jacobian}
        return self._join(functions.user_element(name, "joint", residual, frames, rows, parameters, **options))

    def nonholonomic(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        residual: AnyFunction,
        rows: int,
        *,
        point: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
        parameters: object = (),
        units: object = None,
    ) -> FunctionElement:
        """Declare a constraint of velocities: `residual(t, a, b, p)` gives `rows` numbers that are kept zero.

        The arguments are those of `joint`; a and b have velocities too.
        """
        frames = self._attached(name, "joint", body_a, body_b, point, frame_a, frame_b)
        element = functions.user_element(name, "nonholonomic", residual, frames, rows, parameters, units=units)
        return self._join(element)

    def knife_edge(
        self, name: str, body: AnyBody, point: object = None, direction: object = None, *, frame: Any = None
    ) -> FunctionElement:
        """Declare that a point (3,) of a body has no velocity along a direction (3,) fixed in the body.

        frame : instead of both, a frame of the body at the point whose z axis is the direction.
        """
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        ground, owner = self._pair(self.ground, body, where)
        if frame is None:
            if point is None or direction is None:
                raise ModelError(f"{where}: give point and direction in the world at the start, or frame.")
            frame = Frame.at(owner, point, rotation_from_axis(direction, None, f"{where}: direction"), f"{where}:")
        elif point is not None or direction is not None:
            raise ModelError(f"{where}: give either point and direction, or frame, not both.")
        frame = as_frame(frame, owner, f"{where}: frame")
        return self._join(functions.knife_edge(name, ground.frame(), frame))

    def rolling_disc(
        self,
        name: str,
        body: AnyBody,
        radius: float,
        axis: object = None,
        centre: object = None,
        *,
        plane_point: object = None,
        normal: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.RollingDisc:
        """Declare that a body rolls as a thin disc of `radius` (m) on a plane of the ground, without slipping.

        axis, centre : (3,), of the disc, in the world at the start; the centre of mass if no centre is given.
        plane_point, normal : (3,), of the plane; through the origin, upwards (z; y in a planar model) if not given.
        frame_a, frame_b : instead, frames of the ground and of the body with z axes along normal and axis.
        """
        name, where = self._new_name(name, "joint"), f'joint "{name}"'
        pair = self._pair(self.ground, body, where)
        world = {"axis": axis}
        for key, value in (("centre", centre), ("plane_point", plane_point), ("normal", normal)):
            if value is not None:
                world[key] = value
        frames = self._given_frames(pair, where, frame_a, frame_b, world)
        if frames is None:
            up = (0.0, 1.0, 0.0) if self.is_planar else (0.0, 0.0, 1.0)
            plane = rotation_from_axis(up if normal is None else normal, None, f"{where}: normal")
            at_ground = Frame.at(
                pair[0], (0.0, 0.0, 0.0) if plane_point is None else plane_point, plane, f"{where}: plane"
            )
            middle = pair[1].com_position if centre is None else centre
            disc = rotation_from_axis(axis, None, f"{where}: axis")
            frames = at_ground, Frame.at(pair[1], middle, disc, f"{where}: centre")
        if abs(float(frames[0].z @ pair[1].rotation @ frames[1].z)) > FLAT:
            raise ModelError(
                f"{where}: the disc lies flat on its plane, its axis along the normal, and touches it in no point. Give the "
                "axis that it rolls about."
            )
        return self._join(joints.RollingDisc(name, *frames, checks.number(radius, f"{where}: radius", positive=True)))

    def user_joint(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        joint: Any,
        *,
        point: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
        parameters: object = None,
        start: object = None,
    ) -> joints.User | joints.Linkage:
        """Declare a joint of your own kind, a UserJoint, between two bodies.

        point : (3,) of the world as drawn, where frames a and b stand, each with the axes of its body; or frame_a and frame_b,
        fixed in the bodies; their reference frames if neither is given. parameters : the numbers p of this joint, those of the
        UserJoint if not given. start : its coordinates at the drawn pose, found from the pose if not given.
        """
        frames = self._attached(name, "joint", body_a, body_b, point, frame_a, frame_b)
        what = user.as_user_joint(joint, f'joint "{name}": joint')
        if what.kind == "linkage":
            if parameters is not None or start is not None:
                raise ModelError(
                    f'joint "{name}": a linkage has no parameters and no start of its own; wish for its coordinates.'
                )
            return expanded(self, name, frames, what.function)
        return self._join(user.placed(name, frames, what, parameters, start))

    def linkage(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        coordinates: Mapping[str, str],
        *,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> joints.Linkage:
        """Declare that coordinates of joints together are those of one joint between two bodies: {name: coordinate}.

        `user_joint` with a linkage does this, after putting its inner parts in.
        """
        frames = self._attached(name, "joint", body_a, body_b, None, frame_a, frame_b)
        sources = dict(coordinates)
        measures = {key: self._measure(source, f'joint "{name}": {key}') for key, source in sources.items()}
        return self._join(joints.Linkage(name, *frames, sources, measures))

    def _attached(
        self, name: str, family: str, a: AnyBody, b: AnyBody, point: object, frame_a: object, frame_b: object
    ) -> tuple[Frame, Frame]:
        """Return the frames of an element that may be attached at a point, by frames, or at the reference origins."""
        where = f'{family} "{self._new_name(name, family)}"'
        pair: tuple[Body, Body] = self._pair(a, b, where)
        if point is None and frame_a is None and frame_b is None:
            return pair[0].frame(), pair[1].frame()
        frames = self._given_frames(pair, where, frame_a, frame_b, {"point": point})
        if frames is not None:
            return frames
        where_point = checks.vector(point, f"{where}: point")
        return pair[0].frame(pair[0].point(where_point)), pair[1].frame(pair[1].point(where_point))
