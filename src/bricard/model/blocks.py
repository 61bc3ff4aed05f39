"""What a joint consists of: blocks of constraint rows, and measures of relative motion.

Joints are put together from a few kernels. The compiled code knows kernels, not joints. All local points are relative
to the centre of mass, all local directions in body axes; R and x are rotation and centre of mass of a body.

Measures (`kind`: parameters, value):
    angle         x_a y_a x_b   atan2(R_b x_b . R_a y_a, R_b x_b . R_a x_a)
    displacement  n_a p_b c     (x_b + R_b p_b - x_a) . R_a n_a - c
    distance      p_a p_b       |x_b + R_b p_b - x_a - R_a p_a|
    user          k             coordinate k of the user's joint `joint`
Kernels (`kernel`: parameters, rows = 0):
    coincide         p_a p_b    x_b + R_b p_b - x_a - R_a p_a             3 rows; coincide_planar: the first two
    perpendicular    u_a w_b c  R_a u_a . R_b w_b - c
    separation       n_a p_b c  as the displacement
    distance         p_a p_b L  as the distance, minus L
    coupling         -          sum of ratios times measures, minus profile(t)
    function         -          the user's or built-in function of `element`
    user             -          the user's joint `element`, see bricard.model.joints.user
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bricard.model.travelling import Immutable

if TYPE_CHECKING:
    from bricard.model.body import Body
    from bricard.model.frames import Frame
    from bricard.model.profiles import Profile

__all__ = ["Block", "Measure", "angle", "displacement", "distance", "flat"]


@dataclass(frozen=True)
class Measure(Immutable):
    """A number that describes how body b stands to body a: an angle (rad) or a length (m)."""

    kind: str
    bodies: tuple[Body, Body]
    parameters: tuple[float, ...]
    joint: Any = None  # of a coordinate of a user's joint

    @property
    def unit(self) -> str:
        """Either "angle" or "length"."""
        if self.joint is not None:
            return self.joint.units[int(self.parameters[0])]
        return "angle" if self.kind == "angle" else "length"


@dataclass(frozen=True)
class Block(Immutable):
    """Some rows of constraints of one kernel.

    labels : one short word per row, for reports. units : "length" or "angle" per row, for scaling.
    measures, ratios, profile : of a coupling only. element : of a function only.
    """

    kernel: str
    bodies: tuple[Body, ...]
    parameters: tuple[float, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    measures: tuple[Measure, ...] = ()
    ratios: tuple[float, ...] = ()
    profile: Profile | None = None
    element: Any = None

    @property
    def rows(self) -> int:
        """Number of constraint rows."""
        return len(self.labels)


def flat(*parts: np.ndarray | float) -> tuple[float, ...]:
    """Return arrays and numbers one after the other as a tuple of floats."""
    return tuple(np.concatenate([np.atleast_1d(part) for part in parts]).tolist())


def angle(frame_a: Frame, frame_b: Frame) -> Measure:
    """Return the turn of frame b about the z axis of frame a."""
    return Measure("angle", (frame_a.body, frame_b.body), flat(frame_a.x, frame_a.y, frame_b.x))


def displacement(frame_a: Frame, frame_b: Frame, direction: np.ndarray) -> Measure:
    """Return the way of frame b from frame a along a direction (3,) given in the axes of body a."""
    level = float(frame_a.point @ direction)
    return Measure("displacement", (frame_a.body, frame_b.body), flat(direction, frame_b.point, level))


def distance(frame_a: Frame, frame_b: Frame) -> Measure:
    """Return the distance between the origins of two frames."""
    return Measure("distance", (frame_a.body, frame_b.body), flat(frame_a.point, frame_b.point))
