"""Drawings: shapes that are shown with a body and weigh nothing, such as the visuals of an imported robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bricard.model.body import Body
from bricard.model.shapes import Shape

__all__ = ["Drawing"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A shape fixed in a body (or in the ground), placed in the body's reference frame; its mass does not count."""

    body: Body
    shape: Shape

    def declaration(self) -> dict[str, Any]:
        """Return the table that makes this drawing again."""
        return {"body": self.body, **self.shape.declaration()}
