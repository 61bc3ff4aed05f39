"""Point on a line: a point of b stays on a line of a, 2 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, displacement
from bricard.model.joints.base import FrameJoint

__all__ = ["PointOnLine"]


class PointOnLine(FrameJoint):
    """The origin of frame b stays on the z axis of frame a; coordinate `displacement` (m) along it."""

    kind = "point_on_line"
    freedom = 4

    def blocks(self) -> tuple[Block, ...]:
        """Return 2 rows (1 for a line in the plane)."""
        return self._sides()

    def coordinates(self) -> dict[str, Measure]:
        """Return the displacement."""
        return {"displacement": displacement(self.frame_a, self.frame_b, self.frame_a.z)}
