"""Universal joint (Cardan, Hooke): two points stay together, one axis of each body stay perpendicular, 4 rows."""

from __future__ import annotations

from bricard.model.blocks import Block, Measure, flat
from bricard.model.joints.base import FrameJoint

__all__ = ["Universal"]


class Universal(FrameJoint):
    """The cross turns about z of frame a (fixed in a) and about z of frame b (fixed in b).

    Coordinates `angle_a`, the turn of the cross against a, and `angle_b`, the turn of b against the cross (rad).
    """

    kind = "universal"
    freedom = 2

    def blocks(self) -> tuple[Block, ...]:
        """Return 4 rows."""
        return self._coincide(), self._perpendicular(self.frame_a.z, self.frame_b.z, "cross")

    def coordinates(self) -> dict[str, Measure]:
        """Return both angles."""
        a, b = self.frame_a, self.frame_b
        # seen from b the cross turns backwards, hence -y
        return {
            "angle_a": Measure("angle", (self.body_a, self.body_b), flat(a.x, a.y, b.z)),
            "angle_b": Measure("angle", (self.body_b, self.body_a), flat(b.x, -b.y, a.z)),
        }
