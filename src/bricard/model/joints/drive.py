"""Drivers: a joint coordinate, or the distance of two points, follows a function of time, 1 row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bricard.model import blocks
from bricard.model.blocks import Block, Measure
from bricard.model.body import Body
from bricard.model.joints.base import FrameJoint, Joint
from bricard.model.profiles import Profile

__all__ = ["Drive", "DriveDistance"]


@dataclass(frozen=True, eq=False)
class Drive(Joint):
    """A coordinate of a joint equals profile(t)."""

    kind = "drive"
    freedom = 5
    planar_freedom = 2
    name: str
    coordinate: str
    measure: Measure
    profile: Profile

    @property
    def bodies(self) -> tuple[Body, Body]:
        """Both bodies of the coordinate."""
        return self.measure.bodies

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row."""
        return (_driven(self.measure, self.profile),)

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this driver again."""
        return {"type": self.kind, "coordinate": self.coordinate, "profile": self.profile}


@dataclass(frozen=True, eq=False)
class DriveDistance(FrameJoint):
    """The distance (m) of the origins of both frames equals profile(t): a telescopic actuator."""

    kind = "drive_distance"
    freedom = 5
    planar_freedom = 2
    profile: Profile

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row."""
        return (_driven(blocks.distance(self.frame_a, self.frame_b), self.profile),)

    def coordinates(self) -> dict[str, Measure]:
        """Return the distance."""
        return {"distance": blocks.distance(self.frame_a, self.frame_b)}

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this driver again."""
        return {**super().declaration(), "profile": self.profile}


def _driven(measure: Measure, profile: Profile) -> Block:
    return Block("coupling", measure.bodies, (), ("drive",), (measure.unit,), (measure,), (1.0,), profile)
