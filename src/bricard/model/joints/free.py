"""Free joint: nothing is held, 0 rows. It gives names to how one body stands to another."""

from __future__ import annotations

from dataclasses import dataclass

from bricard.model.blocks import Block, Measure, displacement
from bricard.model.joints.base import FrameJoint

__all__ = ["Free"]


@dataclass(frozen=True, eq=False)
class Free(FrameJoint):
    """The frames move freely; coordinates x, y, z (m) of the origin of b along the axes of frame a."""

    kind = "free"
    freedom = 6
    planar_freedom = 3

    def blocks(self) -> tuple[Block, ...]:
        """Return no rows."""
        return ()

    def coordinates(self) -> dict[str, Measure]:
        """Return the three displacements; two between planar bodies."""
        a, b = self.frame_a, self.frame_b
        axes = {"x": a.x, "y": a.y} if self.in_plane else {"x": a.x, "y": a.y, "z": a.z}
        return {name: displacement(a, b, axis) for name, axis in axes.items()}
