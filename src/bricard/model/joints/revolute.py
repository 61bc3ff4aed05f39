"""Revolute joint (hinge): two points stay together and two axes stay parallel, 5 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, angle
from bricard.model.joints.base import FrameJoint

__all__ = ["Revolute"]


class Revolute(FrameJoint):
    """Rotation about z; coordinate `angle` (rad) of b against a, zero where the x axes coincide."""

    kind = "revolute"
    parallel = "z"
    freedom = 1
    planar_freedom = 1

    def blocks(self) -> tuple[Block, ...]:
        """Return 5 rows (2 in the plane)."""
        return (self._coincide(), *self._parallel_axes())

    def coordinates(self) -> dict[str, Measure]:
        """Return the angle."""
        return {"angle": angle(self.frame_a, self.frame_b)}
