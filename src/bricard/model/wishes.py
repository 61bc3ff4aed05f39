"""Wishes for the start: what the assembler keeps (hard) or comes near to (weighted) when it closes all loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bricard.model.blocks import Measure
from bricard.model.body import Body
from bricard.model.travelling import Immutable

__all__ = ["Wish"]


@dataclass(frozen=True, eq=False)
class Wish(Immutable):
    """A wish for one joint coordinate, one body, or one point of a body.

    joint, measure : name (`A` or `A.angle`) and measure of a coordinate; position and velocity are numbers then.
    body : the body, with position and velocity (3,) of its reference origin, rotation (3, 3) and angular velocity (3,).
    point : (3,) in the reference frame of the body, to which position and velocity refer instead, or None.
    All vectors are in world axes. weight : None for a hard wish, else its weight in the least squares of the assembler.
    """

    joint: str | None = None
    measure: Measure | None = None
    body: Body | None = None
    point: np.ndarray | None = None
    position: float | np.ndarray | None = None
    velocity: float | np.ndarray | None = None
    rotation: np.ndarray | None = None
    angular_velocity: np.ndarray | None = None
    weight: float | None = None

    def declaration(self) -> dict[str, Any]:
        """Return the keywords of `model.start(...)` that make this wish again."""
        target: dict[str, Any]
        if self.joint is not None:
            target = {"joint": self.joint}
        elif self.point is not None:
            target = {"point": (self.body, self.point)}
        else:
            target = {"body": self.body}
        keys = ("position", "velocity", "rotation", "angular_velocity", "weight")
        return target | {key: getattr(self, key) for key in keys if getattr(self, key) is not None}
