"""Gear: a fixed relation between two joint coordinates, 1 row; also rack and pinion, screw, differential ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bricard.model.blocks import Block, Measure
from bricard.model.body import Body
from bricard.model.joints.base import Joint
from bricard.model.profiles import Profile, StartValue

__all__ = ["Gear"]


@dataclass(frozen=True, eq=False)
class Gear(Joint):
    """coordinate_1 + ratio coordinate_2 = offset, where the offset is a constant profile or the value at the start."""

    kind = "gear"
    freedom = 5
    planar_freedom = 2
    name: str
    coordinate_1: str
    coordinate_2: str
    measures: tuple[Measure, Measure]
    ratio: float
    offset: Profile

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies of both coordinates, in order, perhaps with one of them twice."""
        return self.measures[0].bodies + self.measures[1].bodies

    def blocks(self) -> tuple[Block, ...]:
        """Return 1 row."""
        unit = (self.measures[0].unit,)
        return (Block("coupling", self.bodies, (), ("ratio",), unit, self.measures, (1.0, self.ratio), self.offset),)

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""
        table: dict[str, Any] = {"type": self.kind}
        table |= {"coordinate_1": self.coordinate_1, "coordinate_2": self.coordinate_2, "ratio": self.ratio}
        return table if isinstance(self.offset, StartValue) else table | {"offset": self.offset.parameters[0]}
