"""A mechanism as plain numbers, from which the package's Model and the oracle's system are both made.

All places and directions are in world coordinates of the drawn pose.

bodies : name, mass, inertia (3 x 3 about the centre of mass, body axes), com (3, in the reference frame), position (3),
rotation (quaternion, scalar first), planar. elements : kind (the method of the Model that declares it), name, a and b (names of
bodies, "ground" among them) and its own numbers. starts : keywords of `Model.start`. shape : what it was drawn as.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

GROUND = "ground"


@dataclass
class Mechanism:
    """Bodies, elements in the order of their declaration, starts; gravity (3), duration (s)."""

    name: str
    shape: str
    planar: bool
    gravity: list[float]
    duration: float
    bodies: list[dict[str, Any]] = field(default_factory=list)
    elements: list[dict[str, Any]] = field(default_factory=list)
    starts: list[dict[str, Any]] = field(default_factory=list)

    def copy(self) -> Mechanism:
        """Return a copy that shares nothing."""
        return deepcopy(self)

    def body(self, name: str) -> dict[str, Any]:
        """Return a body by its name."""
        return next(body for body in self.bodies if body["name"] == name)

    def dumps(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def loads(text: str) -> Mechanism:
        """Return the mechanism of a line of JSON."""
        return Mechanism(**json.loads(text))
