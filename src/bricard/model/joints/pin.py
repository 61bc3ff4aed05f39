"""Pin: the hinge between planar bodies, 2 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, angle
from bricard.model.joints.base import FrameJoint

__all__ = ["Pin"]


class Pin(FrameJoint):
    """The origins of both frames coincide in x and y; coordinate `angle` (rad) about z."""

    kind = "pin"
    freedom = 4
    planar_freedom = 1

    def blocks(self) -> tuple[Block, ...]:
        """Return 2 rows."""
        return (self._coincide(),)

    def coordinates(self) -> dict[str, Measure]:
        """Return the angle."""
        return {"angle": angle(self.frame_a, self.frame_b)}
