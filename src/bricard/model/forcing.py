"""The methods of a model that declare forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bricard.errors import ModelError
from bricard.model import blocks, checks, functions
from bricard.model.constraining import AnyFunction, AnyProfile, Constraining
from bricard.model.forces import AppliedForce, CoordinateForce
from bricard.model.frames import Frame, as_frame, as_rotation
from bricard.model.functions import FunctionElement
from bricard.model.joining import AnyBody
from bricard.model.laws import Law, Linear, as_law
from bricard.model.profiles import Profile, as_profile

__all__ = ["Forcing"]


class Forcing(Constraining):
    """Declares springs, motors, applied loads and forces given by a function."""

    def spring(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point_a: object = None,
        point_b: object = None,
        *,
        stiffness: float | None = None,
        damping: float | None = None,
        length: float | None = None,
        law: Law | AnyFunction | None = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> CoordinateForce:
        """Declare a spring and damper between two points (3,).

        stiffness : N/m. damping : N s/m. length : m, without spring force; that at the start if not
        given. With 0, or a law that vanishes there, the ends may meet.
        law : instead of these, the force (N) that pushes the points apart, a Law or a function (t, distance, rate).
        """
        name, where = self._new_name(name, "force"), f'force "{name}"'
        frames = self._point_frames(body_a, body_b, point_a, point_b, frame_a, frame_b, where)
        if law is None:
            if length is None:
                length = checks.distance(frames[0].world_position, frames[1].world_position, where)
            length = checks.number(length, f"{where}: length", nonnegative=True)
        chosen = _law(where, law, {"stiffness": stiffness, "damping": damping}, "length", length)
        return self._add(CoordinateForce("spring", name, blocks.distance(*frames), chosen, None, *frames))

    def torsion(
        self,
        name: str,
        coordinate: str,
        *,
        stiffness: float | None = None,
        damping: float | None = None,
        angle: float | None = None,
        law: Law | AnyFunction | None = None,
    ) -> CoordinateForce:
        """Declare a spring and damper on a joint coordinate (`A.angle`, or `A`).

        stiffness : N m/rad. damping : N m s/rad. angle : rad, without spring torque, 0 if not given. On a displacement
        the units are N/m, N s/m, m. law : instead of these, a Law or a function (t, coordinate, its rate).
        """
        name, where = self._new_name(name, "force"), f'force "{name}"'
        measure = self._measure(coordinate, f"{where}: coordinate")
        chosen = _law(where, law, {"stiffness": stiffness, "damping": damping}, "angle", angle)
        return self._add(CoordinateForce("torsion", name, measure, chosen, coordinate))

    def motor(self, name: str, coordinate: str, torque: Law | AnyProfile | AnyFunction) -> CoordinateForce:
        """Declare a torque (N m; force in N on a displacement) on a joint coordinate (`A.angle`, or `A`).

        torque : a number, a profile of time, a Law, or a function (t, coordinate, its rate).
        """
        name, where = self._new_name(name, "force"), f'force "{name}"'
        measure = self._measure(coordinate, f"{where}: coordinate")
        return self._add(CoordinateForce("motor", name, measure, as_law(torque, f"{where}: torque"), coordinate))

    def force(
        self,
        name: str,
        body: AnyBody,
        point: object = None,
        force: object = None,
        torque: object = None,
        *,
        axes: str = "world",
        function: AnyFunction | None = None,
        parameters: object = (),
        frame: Any = None,
    ) -> AppliedForce | FunctionElement:
        """Declare a load on a body: a force (N) at a point (3,) and a torque (N m).

        force, torque : three numbers or profiles each. point : in the world at the start, the centre of mass if not
        given; or else `frame`, fixed in the body. axes : "world", or "body" for loads that turn with the body.
        function : instead of force and torque, `f(t, a, b, p)` with a the ground, see `bricard.model.functions`.
        """
        name, where = self._new_name(name, "force"), f'force "{name}"'
        if self._body(body, where) is self.ground:
            raise ModelError(
                f"{where}: the ground does not move, so that a load on it does nothing. Name another body."
            )
        ground, owner = self._pair(self.ground, body, where)
        if frame is None:
            frame = owner.frame(owner.com if point is None else owner.point(checks.vector(point, f"{where}: point")))
        elif point is not None:
            raise ModelError(f"{where}: give either point or frame, not both.")
        frame = as_frame(frame, owner, f"{where}: frame")
        if (function is None) == (force is None and torque is None):
            raise ModelError(f"{where}: give force and torque (or one of them), or else a function.")
        if axes not in ("world", "body"):
            raise ModelError(f'{where}: axes must be "world" or "body", not {axes!r}.')
        if function is not None:
            frames = ground.frame(frame.world_position), frame
            return self._add(functions.user_force(name, frames, function, None, parameters))
        return self._add(
            AppliedForce(name, frame, _three(force, where, "force"), _three(torque, where, "torque"), axes)
        )

    def user_force(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        load: AnyFunction | None = None,
        *,
        potential: AnyFunction | None = None,
        point: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
        parameters: object = (),
    ) -> FunctionElement:
        """Declare a force of your own between two bodies: `load(t, a, b, p)` gives Fx, Fy, Fz, Mx, My, Mz in world axes.

        They act on body b at the point b.x, the opposite on body a at the same point b.x (not at a.x), so that no moment is lost.
        potential : `U(a, b, p)` (J) of the poses; alone, the load is minus its gradient. With a load, the load at rest must be
        that, and only what it adds with velocities is work.
        point : (3,), where it is attached to both bodies; their reference origins if not given.
        """
        frames = self._attached(name, "force", body_a, body_b, point, frame_a, frame_b)
        return self._add(functions.user_force(name, frames, load, potential, parameters))

    def bushing(
        self,
        name: str,
        body_a: AnyBody,
        body_b: AnyBody,
        point: object = None,
        *,
        stiffness: object,
        damping: object = (0.0,) * 6,
        rotation: object = None,
        frame_a: Any = None,
        frame_b: Any = None,
    ) -> FunctionElement:
        """Declare an elastic bearing at a point (3,): linear along and about three axes, without load as drawn.

        stiffness, damping : (6,), three along (N/m, N s/m) and three about (N m/rad, N m s/rad) the axes, of the shift and the
        rotation vector in axes of a, up to half a turn. rotation : the axes (3, 3) or quaternion (4,) in the world at the start.
        """
        name, where = self._new_name(name, "force"), f'force "{name}"'
        pair = self._pair(body_a, body_b, where)
        frames = self._given_frames(pair, where, frame_a, frame_b, {"point": point})
        if frames is None:
            turn = as_rotation(rotation, f"{where}: rotation")
            frames = Frame.at(pair[0], point, turn, f"{where}:"), Frame.at(pair[1], point, turn, f"{where}:")
        elif rotation is not None:
            raise ModelError(f"{where}: rotation and frames are given; place it either in the world or by frames.")
        return self._add(functions.bushing(name, *frames, stiffness, damping))

    def _add(self, force: Any) -> Any:
        self.forces[force.name] = force
        return force


def _law(where: str, law: object, linear: Mapping[str, object], rest: str, free: object) -> Law:
    """Return the given law, or else the linear one."""
    given = {**linear, rest: free}
    if law is not None:
        double = [key for key, value in given.items() if value is not None]
        if double:
            raise ModelError(f"{where}: {double[0]} and law are given; give one or the other.")
        return as_law(law, f"{where}: law")
    values = {key: 0.0 if value is None else checks.number(value, f"{where}: {key}") for key, value in given.items()}
    if values["stiffness"] == 0.0 and values["damping"] == 0.0:
        raise ModelError(f"{where}: give stiffness, damping or a law; so far it exerts no force.")
    return Linear(values["stiffness"], values["damping"], values[rest])


def _three(values: object, where: str, key: str) -> tuple[Profile, Profile, Profile]:
    if values is None:
        values = (0.0, 0.0, 0.0)
    try:
        x, y, z = values  # pyright: ignore[reportGeneralTypeIssues]
    except (TypeError, ValueError):
        raise ModelError(f"{where}: {key} must be three numbers or profiles, not {values!r}.") from None
    return as_profile(x, f"{where}: {key} x"), as_profile(y, f"{where}: {key} y"), as_profile(z, f"{where}: {key} z")
