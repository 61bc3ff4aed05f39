"""Forces along one coordinate: springs and dampers between two points, torsion springs, motors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bricard.model.blocks import Measure
from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.laws import Law, Linear
from bricard.model.travelling import Immutable

__all__ = ["CoordinateForce"]


@dataclass(frozen=True, eq=False)
class CoordinateForce(Immutable):
    """A force (N) or torque (N m) given by a law, towards increasing values of a measure.

    kind : "spring" between the origins of `frame_a` and `frame_b`; "torsion" or "motor" on the `coordinate` of a joint.
    """

    kind: str
    name: str
    measure: Measure
    law: Law
    coordinate: str | None = None
    frame_a: Frame | None = None
    frame_b: Frame | None = None

    @property
    def bodies(self) -> tuple[Body, Body]:
        """Both bodies of the measure."""
        return self.measure.bodies

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this force again."""
        table: dict[str, Any] = {"type": self.kind}
        if self.coordinate is None:
            table |= {"bodies": self.bodies, "frame_a": self.frame_a, "frame_b": self.frame_b}
        else:
            table["coordinate"] = self.coordinate
        if self.kind == "motor":
            return table | {"torque": self.law}
        if not isinstance(self.law, Linear):
            return table | {"law": self.law}
        rest = "length" if self.kind == "spring" else "angle"
        return table | {"stiffness": self.law.stiffness, "damping": self.law.damping, rest: self.law.free}
