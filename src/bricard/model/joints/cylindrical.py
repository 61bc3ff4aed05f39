"""Cylindrical joint: rotation about and shift along one axis, 4 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, angle, displacement
from bricard.model.joints.base import FrameJoint

__all__ = ["Cylindrical"]


class Cylindrical(FrameJoint):
    """Coordinates `displacement` (m) along and `angle` (rad) about the z axis of frame a."""

    kind = "cylindrical"
    parallel = "z"
    freedom = 2

    def blocks(self) -> tuple[Block, ...]:
        """Return 4 rows."""
        return (*self._sides(), *self._parallel_axes())

    def coordinates(self) -> dict[str, Measure]:
        """Return the displacement and the angle."""
        a, b = self.frame_a, self.frame_b
        return {"displacement": displacement(a, b, a.z), "angle": angle(a, b)}
