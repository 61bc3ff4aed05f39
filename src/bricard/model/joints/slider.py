"""Slider: the slide between planar bodies, 2 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, displacement
from bricard.model.joints.base import FrameJoint

__all__ = ["Slider"]


class Slider(FrameJoint):
    """Shift along the z axis of frame a, which lies in the plane; coordinate `displacement` (m)."""

    kind = "slider"
    freedom = 4
    planar_freedom = 1

    def blocks(self) -> tuple[Block, ...]:
        """Return 2 rows."""
        return self._slide_in_plane()

    def coordinates(self) -> dict[str, Measure]:
        """Return the displacement."""
        return {"displacement": displacement(self.frame_a, self.frame_b, self.frame_a.z)}
