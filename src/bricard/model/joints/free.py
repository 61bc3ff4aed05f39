"""Free joint: nothing is held, 0 rows. It gives names to how one body stands to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bricard.model.blocks import Block, Measure, angle, displacement, flat
from bricard.model.joints.base import FrameJoint, is_normal

__all__ = ["Free"]


@dataclass(frozen=True, eq=False)
class Free(FrameJoint):
    """The frames move freely; coordinates x, y, z (m) of the origin of b along the axes of frame a.

    Between planar bodies x, y and the angle (rad) of b against a: that of the frames where their z axes are normal to the plane,
    else that of the bodies.
    """

    kind = "free"
    freedom = 6
    planar_freedom = 3

    def blocks(self) -> tuple[Block, ...]:
        """Return no rows."""
        return ()

    def coordinates(self) -> dict[str, Measure]:
        """Return the three displacements; between planar bodies two and the angle."""
        a, b = self.frame_a, self.frame_b
        if not self.in_plane:
            return {name: displacement(a, b, axis) for name, axis in (("x", a.x), ("y", a.y), ("z", a.z))}
        turn = Measure("angle", self.bodies, flat(*np.eye(3)[:2], np.eye(3)[0]))
        if is_normal(a.z) and is_normal(b.z):
            turn = angle(a, b)
        return {"x": displacement(a, b, a.x), "y": displacement(a, b, a.y), "angle": turn}
