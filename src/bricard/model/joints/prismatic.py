"""Prismatic joint (slide): shift along one axis, 5 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, displacement
from bricard.model.body import FLAT
from bricard.model.joints.base import FrameJoint

__all__ = ["Prismatic"]


class Prismatic(FrameJoint):
    """Coordinate `displacement` (m) along the z axis of frame a."""

    kind = "prismatic"
    parallel = "xz"
    freedom = 1
    planar_freedom = 1

    def blocks(self) -> tuple[Block, ...]:
        """Return 5 rows (2 in the plane)."""
        if self.in_plane and abs(self.frame_a.z[2]) < FLAT:
            return self._slide_in_plane()
        return (*self._sides(), *self._parallel_axes(), self._same_turn())

    def coordinates(self) -> dict[str, Measure]:
        """Return the displacement."""
        return {"displacement": displacement(self.frame_a, self.frame_b, self.frame_a.z)}
