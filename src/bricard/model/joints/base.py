"""What all joints share. How to add one:

1. Write one file with a frozen dataclass derived from `FrameJoint`: `kind`, `freedom`, `blocks()`, `coordinates()`.
2. Add a method of the same name as `kind` to `bricard.model.joining.Joining`; the keywords of TOML files are its own.
3. Add it to `joints/__init__.py`, to the round trip in `tests/model/` and to the samples in `tests/elements/`, which all contract
   tests read: derivatives, loads, power, both directions and coordinates, another world, files, the viewer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bricard.model.blocks import Block, Measure, flat
from bricard.model.body import FLAT, Body
from bricard.model.frames import Frame
from bricard.model.travelling import Immutable

__all__ = ["FrameJoint", "Joint", "is_normal"]

UP = np.array([0.0, 0.0, 1.0])  # normal of the plane, in the world and in every planar body


class Joint(Immutable, ABC):
    """A named set of constraint rows.

    freedom : relative degrees of freedom left between two bodies in space. planar_freedom : between two planar bodies,
    None where that depends on the axis.
    """

    kind: ClassVar[str]
    freedom: ClassVar[int]
    planar_freedom: ClassVar[int | None] = None
    name: str

    @property
    @abstractmethod
    def bodies(self) -> tuple[Body, ...]:
        """The bodies that the rows depend on."""

    @abstractmethod
    def blocks(self) -> tuple[Block, ...]:
        """Return the constraint rows as blocks of kernels."""

    def coordinates(self) -> dict[str, Measure]:
        """Return the coordinates of the joint by name."""
        return {}

    @abstractmethod
    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""


@dataclass(frozen=True, eq=False)
class FrameJoint(Joint):
    """A joint between two bodies, placed by one frame in each; its axis is the z axis of the frames.

    parallel : letters of the axes of both frames that the rows keep parallel.
    """

    parallel: ClassVar[str] = ""
    name: str
    frame_a: Frame
    frame_b: Frame

    @property
    def body_a(self) -> Body:
        """The first body."""
        return self.frame_a.body

    @property
    def body_b(self) -> Body:
        """The second body; coordinates and reactions are those of b against a."""
        return self.frame_b.body

    @property
    def bodies(self) -> tuple[Body, Body]:
        """Both bodies."""
        return self.body_a, self.body_b

    @property
    def in_plane(self) -> bool:
        """True between planar bodies (or ground), where only rows within the plane make sense."""
        return self.body_a.stays_in_plane and self.body_b.stays_in_plane

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""
        return {"type": self.kind, "bodies": self.bodies, "frame_a": self.frame_a, "frame_b": self.frame_b}

    def _coincide(self) -> Block:
        points = flat(self.frame_a.point, self.frame_b.point)
        if self.in_plane:
            return Block("coincide_planar", self.bodies, points, ("x", "y"), ("length",) * 2)
        return Block("coincide", self.bodies, points, ("x", "y", "z"), ("length",) * 3)

    def _perpendicular(self, u: np.ndarray, w: np.ndarray, label: str, cosine: float = 0.0) -> Block:
        return Block("perpendicular", self.bodies, flat(u, w, cosine), (label,), ("angle",))

    def _separation(self, direction: np.ndarray, label: str) -> Block:
        level = float(self.frame_a.point @ direction)
        return Block("separation", self.bodies, flat(direction, self.frame_b.point, level), (label,), ("length",))

    def _parallel_axes(self) -> tuple[Block, ...]:
        """Rows that keep both z axes parallel."""
        a, b = self.frame_a, self.frame_b
        if self.in_plane and is_normal(a.z) and is_normal(b.z):
            return ()
        return self._perpendicular(a.z, b.x, "tilt y"), self._perpendicular(a.z, b.y, "tilt x")

    def _same_turn(self) -> Block:
        """One row that keeps the frames from turning about z against each other."""
        return self._perpendicular(self.frame_a.x, self.frame_b.y, "turn z")

    def _sides(self) -> tuple[Block, ...]:
        """Rows that keep the origin of b on the z axis of a."""
        a = self.frame_a
        if self.in_plane and abs(a.z[2]) < FLAT:
            return (self._separation(np.cross(UP, a.z), "normal"),)
        return self._separation(a.x, "x"), self._separation(a.y, "y")

    def _slide_in_plane(self) -> tuple[Block, ...]:
        """Rows between planar bodies that leave a shift along z, an axis in the plane."""
        normal = np.cross(UP, self.frame_a.z)
        return self._separation(normal, "normal"), self._perpendicular(normal, self.frame_b.z, "turn")


def is_normal(axis: np.ndarray) -> bool:
    """Whether a direction of a planar body is normal to the plane."""
    return bool(np.abs(axis[:2]).max() < FLAT)
