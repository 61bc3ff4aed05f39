"""Constant angle: an axis of a and an axis of b keep their angle, 1 row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bricard.model.blocks import Block
from bricard.model.joints.base import FrameJoint

__all__ = ["ConstantAngle"]


@dataclass(frozen=True, eq=False)
class ConstantAngle(FrameJoint):
    """The z axes of both frames keep the angle `angle` (rad), which is neither 0 nor pi; no coordinates."""

    kind = "constant_angle"
    freedom = 5
    angle: float

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row."""
        return (self._perpendicular(self.frame_a.z, self.frame_b.z, "angle", math.cos(self.angle)),)

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""
        return {**super().declaration(), "angle": self.angle}
