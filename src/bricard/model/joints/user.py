"""Users' own joints: relative motion given by functions of joint coordinates.

A `UserJoint` says how frame b moves against frame a; `model.user_joint(...)` puts it between two bodies, as often as you like.
With joint coordinates s (1 to 6 freedoms), all components in the axes of frame a:

    explicit   position(s, p) -> d, C              origin of b (3 numbers) and rotation (3 rows), x_a = C x_b
    implicit   closure(d, C, s, p) -> 6 residuals  zero where the joint closes: hidden rods, cams, gears
    routine    routine(s, u, p) -> SD, SDT, SDQ, SDTT, CD, CDT, CDQ, CDTT   the contract of spec 001, section 1.1
    linkage    a Model: whatever it holds between two of its bodies, with masses, springs and dampers (linkage.py)

Functions take tuples and return tuples, written as docs/user-joints.md says; they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bricard.errors import ModelError, suggest
from bricard.model import checks
from bricard.model.blocks import Block, Measure
from bricard.model.frames import Frame
from bricard.model.joints.base import FrameJoint
from bricard.model.profiles import as_function
from bricard.model.travelling import Immutable

__all__ = ["User", "UserJoint"]

KINDS = ("explicit", "implicit", "routine", "linkage")
UNITS = ("length", "angle")
BALL = "quaternion"  # unit of the last coordinate: four numbers, three angular velocities in the axes of b


@dataclass(frozen=True, eq=False)
class UserJoint(Immutable):
    """What a joint of your own does; made by `explicit`, `implicit`, `routine` or `from_linkage`.

    coordinates : name -> "length", "angle", or for the last one "quaternion": a unit quaternion, scalar first, which has three
    velocities, the angular velocity in the axes of b. parameters : numbers p for the function, unless a joint brings its own.
    motion : of an explicit one, its derivatives if they are given.
    """

    kind: str
    function: Any
    coordinates: dict[str, str]
    parameters: tuple[float, ...] = ()
    motion: Any = None

    @classmethod
    def explicit(
        cls,
        position: Callable[..., Any] | str,
        coordinates: Mapping[str, str],
        parameters: object = (),
        motion: Callable[..., Any] | str | None = None,
    ) -> UserJoint:
        """position(s, p) -> d, C. Derivatives are exact; docs/functions.md says what it may contain.

        motion : motion(s, p) -> for each velocity a row (d', w) of six numbers, if you have the derivatives yourself.

        >>> import numpy as np
        >>> def screw(s, p):
        ...     c, z = np.cos(s[0]), np.sin(s[0])
        ...     return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))
        >>> UserJoint.explicit(screw, {"angle": "angle"}, parameters=(0.01,)).freedom
        1
        """
        made = cls._made("explicit", position, coordinates, parameters)
        if motion is None:
            return made
        if made.ball:
            raise ModelError("UserJoint.explicit: with a quaternion leave motion= out, or give a routine.")
        return replace(made, motion=as_function(motion, "UserJoint.explicit: motion"))

    @classmethod
    def implicit(
        cls, closure: Callable[..., Any] | str, coordinates: Mapping[str, str], parameters: object = ()
    ) -> UserJoint:
        """closure(d, C, s, p) -> six numbers, zero where the joint closes."""
        return cls._made("implicit", closure, coordinates, parameters)

    @classmethod
    def routine(
        cls, routine: Callable[..., Any] | str, coordinates: Mapping[str, str], parameters: object = ()
    ) -> UserJoint:
        """routine(s, u, p) -> SD (3), SDT (3), SDQ (3 rows of n), SDTT (3), CD (3 rows), CDT (3), CDQ (3 rows of n), CDTT (3).

        d' = SDT = SDQ u, d'' = SDQ u' + SDTT; w = CDT = CDQ u, w' = CDQ u' + CDTT. Real numbers only.
        """
        return cls._made("routine", routine, coordinates, parameters)

    @classmethod
    def from_linkage(cls, model: Any, between: tuple[Any, Any], coordinates: Mapping[str, str]) -> UserJoint:
        """A model as a joint between two of its bodies (or names): everything else in it comes along, see linkage.py.

        coordinates : name -> coordinate of the model ("travel.z"), as many as the linkage leaves freedoms between the two.
        """
        from bricard.model.joints.linkage import checked_linkage

        return cls("linkage", checked_linkage(model, between, coordinates), dict(coordinates))

    @classmethod
    def _made(cls, kind, function, coordinates, parameters):
        where = f"UserJoint.{kind}"
        if not isinstance(coordinates, Mapping) or not coordinates:
            raise ModelError(f'{where}: coordinates must be {{name: "length" or "angle"}}, not {coordinates!r}.')
        names = list(coordinates)
        for place, (name, unit) in enumerate(coordinates.items()):
            if not isinstance(name, str) or not name.isidentifier():
                raise ModelError(f"{where}: a coordinate needs a name of letters and digits, not {name!r}.")
            if unit == BALL and place != len(names) - 1:
                raise ModelError(f'{where}: only the last coordinate can be a quaternion, but "{name}" is one.')
            if unit not in (*UNITS, BALL):
                raise ModelError(
                    f'{where}: the unit of "{name}" must be "length", "angle" or "quaternion", not {unit!r}.'
                )
        made = cls(
            kind,
            as_function(function, f"{where}: {kind}"),
            dict(coordinates),
            checks.numbers(parameters, f"{where}: parameters"),
        )
        if made.freedom > 6:
            raise ModelError(f"{where}: {made.freedom} freedoms are given; two bodies have at most 6.")
        return made

    @property
    def ball(self) -> bool:
        """Whether the last coordinate is a quaternion."""
        return BALL in self.coordinates.values()

    @property
    def freedom(self) -> int:
        """Number of velocities."""
        return len(self.coordinates) + 2 * self.ball

    @property
    def numbers(self) -> int:
        """Number of position coordinates."""
        return len(self.coordinates) + 3 * self.ball

    def declaration(self) -> dict[str, Any]:
        """Return the table that `as_user_joint` turns into this joint again."""
        table = {self.kind: self.function, "coordinates": self.coordinates, "parameters": self.parameters}
        return table if self.motion is None else table | {"motion": self.motion}


@dataclass(frozen=True, eq=False)
class User(FrameJoint):
    """A joint of the user's own between two bodies. start : s at which it begins, found from the drawn pose if None."""

    kind = "user"
    what: UserJoint
    parameters: tuple[float, ...]
    start: tuple[float, ...] | None

    @property
    def freedom(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Relative degrees of freedom."""
        return self.what.freedom

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each velocity."""
        found = [unit for unit in self.what.coordinates.values() if unit != BALL]
        return (*found, *("angle",) * (3 * self.what.ball))

    @property
    def labels(self) -> tuple[str, ...]:
        """A word for each velocity."""
        found = [name for name, unit in self.what.coordinates.items() if unit != BALL]
        return (*found, *(("wx", "wy", "wz") if self.what.ball else ()))

    def blocks(self) -> tuple[Block, ...]:
        """Return the rows of all motion that the joint does not leave."""
        rows = 6 - self.freedom
        if rows == 0:
            return ()
        labels = tuple(f"across {row + 1}" for row in range(rows))
        return (Block("user", self.bodies, (), labels, ("length",) * rows, element=self),)

    def coordinates(self) -> dict[str, Measure]:
        """Return the joint coordinates; a quaternion is none."""
        plain = [name for name, unit in self.what.coordinates.items() if unit != BALL]
        return {name: Measure("user", self.bodies, (float(k),), self) for k, name in enumerate(plain)}

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""
        table = {"type": "user_joint", "bodies": self.bodies, "frame_a": self.frame_a, "frame_b": self.frame_b}
        table |= {"joint": self.what.declaration(), "parameters": self.parameters}
        return table if self.start is None else table | {"start": self.start}


def as_user_joint(value: object, where: str) -> UserJoint:
    """Return a UserJoint from itself or from the table of a file."""
    if isinstance(value, UserJoint):
        return value
    if not isinstance(value, Mapping):
        raise ModelError(f"{where} must be a UserJoint (UserJoint.explicit(...), ...), not {value!r}.")
    kinds = [kind for kind in KINDS[:3] if kind in value]
    rest = {key: item for key, item in value.items() if key not in kinds}
    for key in rest:
        if key not in ("coordinates", "parameters", *(("motion",) if "explicit" in kinds else ())):
            known = (*KINDS[:3], "coordinates", "parameters", "motion")
            raise ModelError(f'{where}: unknown key "{key}".{suggest(key, known)} Known keys: {", ".join(known)}.')
    if len(kinds) != 1:
        raise ModelError(f"{where}: give one of explicit, implicit, routine.")
    return getattr(UserJoint, kinds[0])(value[kinds[0]], **rest)


def placed(name: str, frames: tuple[Frame, Frame], what: UserJoint, parameters: object, start: object) -> User:
    """Return the checked joint between two frames."""
    where = f'joint "{name}"'
    for frame in frames:
        if frame.body.planar:
            raise ModelError(f'{where}: a user\'s joint joins bodies in space, but "{frame.body.name}" is planar.')
    numbers = what.parameters if parameters is None else checks.numbers(parameters, f"{where}: parameters")
    if start is None:
        return User(name, *frames, what, numbers, None)
    begin = np.atleast_1d(
        np.asarray(checks.numbers([start] if checks.shape(start) == () else start, f"{where}: start"))
    )
    if begin.size != what.numbers:
        raise ModelError(f"{where}: start has {begin.size} numbers, the joint has {what.numbers} coordinates.")
    return User(name, *frames, what, numbers, tuple(begin.tolist()))
