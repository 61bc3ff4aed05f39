"""Point on a plane: a point of b stays on a plane of a, 1 row."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, displacement
from bricard.model.joints.base import FrameJoint

__all__ = ["PointOnPlane"]


class PointOnPlane(FrameJoint):
    """The origin of frame b stays on the x-y plane of frame a; coordinates `x`, `y` (m) in it."""

    kind = "point_on_plane"
    freedom = 5

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row."""
        return (self._separation(self.frame_a.z, "normal"),)

    def coordinates(self) -> dict[str, Measure]:
        """Return both shifts."""
        a, b = self.frame_a, self.frame_b
        return {"x": displacement(a, b, a.x), "y": displacement(a, b, a.y)}
