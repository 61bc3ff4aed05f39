"""Spherical joint (ball and socket): two points stay together, 3 rows."""

from __future__ import annotations

from bricard.model.blocks import Block
from bricard.model.joints.base import FrameJoint

__all__ = ["Spherical"]


class Spherical(FrameJoint):
    """The origins of both frames coincide; no coordinates."""

    kind = "spherical"
    freedom = 3
    planar_freedom = 1

    def blocks(self) -> tuple[Block, ...]:
        """Return 3 rows (2 in the plane)."""
        return (self._coincide(),)
