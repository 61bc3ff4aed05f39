"""Distance constraint (massless rod with ball ends): two points keep their distance, 1 row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bricard.model import blocks
from bricard.model.blocks import Block, Measure, flat
from bricard.model.joints.base import FrameJoint

__all__ = ["Distance"]


@dataclass(frozen=True, eq=False)
class Distance(FrameJoint):
    """The origins of both frames stay `length` (m) apart; coordinate `distance` (m)."""

    kind = "distance"
    freedom = 5
    planar_freedom = 2
    length: float

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row."""
        parameters = flat(self.frame_a.point, self.frame_b.point, self.length)
        return (Block("distance", self.bodies, parameters, ("along",), ("length",)),)

    def coordinates(self) -> dict[str, Measure]:
        """Return the distance."""
        return {"distance": blocks.distance(self.frame_a, self.frame_b)}

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""
        return {**super().declaration(), "length": self.length}
