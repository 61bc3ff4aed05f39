"""A thin disc that rolls on a plane of the ground without slipping: 1 row for contact, 2 nonholonomic rows for slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bricard.model.blocks import Block, flat
from bricard.model.functions import FunctionElement
from bricard.model.joints.base import FrameJoint

__all__ = ["RollingDisc"]


@dataclass(frozen=True, eq=False)
class RollingDisc(FrameJoint):
    """A sharp-edged disc of `radius` (m) about the z axis of frame b rolls on the x-y plane of frame a (ground).

    The centre stands radius sqrt(1 - (n.e)^2) above the plane, n the normal and e the axis of the disc.
    """

    kind = "rolling_disc"
    freedom = 5
    planar_freedom = 2
    radius: float

    def elements(self) -> tuple[FunctionElement, FunctionElement]:
        """Return contact and slip; parameters: e (3, body axes), n, tangents (3 each, world), radius, n.point."""
        a, b = self.frame_a, self.frame_b
        numbers = flat(b.z, a.z, a.x, a.y, self.radius, float(a.z @ a.position))
        contact = FunctionElement(self.name, "joint", "rolling_contact", a, b, numbers, 1, ("length",))
        slip = FunctionElement(self.name, "nonholonomic", "rolling_slip", a, b, numbers, 2, ("length",) * 2)
        return contact, slip

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row of contact and 2 nonholonomic rows of slip."""
        contact, slip = self.elements()
        return (
            Block("function", self.bodies, contact.parameters, ("contact",), contact.units, element=contact),
            Block("function", self.bodies, slip.parameters, ("slip x", "slip y"), slip.units, element=slip),
        )

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this disc again."""
        frames = {"frame_a": self.frame_a, "frame_b": self.frame_b}
        return {"type": self.kind, "body": self.body_b, "radius": self.radius, **frames}
