"""Planar joint: a plane of b stays on a plane of a, 3 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, angle, displacement
from bricard.model.joints.base import FrameJoint, is_normal

__all__ = ["Planar"]


class Planar(FrameJoint):
    """Coordinates `x`, `y` (m) along the axes of frame a and `angle` (rad) about its z axis, the normal."""

    kind = "planar"
    parallel = "z"
    freedom = 3

    def blocks(self) -> tuple[Block, ...]:
        """Return 3 rows; none between bodies that cannot leave the plane."""
        if self.in_plane and is_normal(self.frame_a.z) and is_normal(self.frame_b.z):
            return ()
        return (self._separation(self.frame_a.z, "normal"), *self._parallel_axes())

    def coordinates(self) -> dict[str, Measure]:
        """Return both shifts and the angle."""
        a, b = self.frame_a, self.frame_b
        return {"x": displacement(a, b, a.x), "y": displacement(a, b, a.y), "angle": angle(a, b)}
