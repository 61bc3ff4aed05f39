"""Fixed joint (weld): no relative motion, 6 rows."""

from __future__ import annotations

from bricard.model.blocks import Block
from bricard.model.joints.base import FrameJoint

__all__ = ["Fixed"]


class Fixed(FrameJoint):
    """Both frames coincide; no coordinates."""

    kind = "fixed"
    parallel = "xz"
    freedom = 0
    planar_freedom = 0

    def blocks(self) -> tuple[Block, ...]:
        """Return 6 rows (3 in the plane)."""
        return (self._coincide(), *self._parallel_axes(), self._same_turn())
