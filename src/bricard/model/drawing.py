"""Drawings: shapes that are shown with a body and weigh nothing, such as the visuals of an imported robot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bricard.model.body import Body
from bricard.model.shapes import Mesh, Shape
from bricard.model.travelling import Immutable

__all__ = ["Drawing", "missing_meshes"]


@dataclass(frozen=True, eq=False)
class Drawing(Immutable):
    """A shape fixed in a body (or in the ground), placed in the body's reference frame; its mass does not count."""

    body: Body
    shape: Shape

    def declaration(self) -> dict[str, Any]:
        """Return the table that makes this drawing again."""
        return {"body": self.body, **self.shape.declaration()}


def missing_meshes(drawings: Iterable[Drawing]) -> list[str]:
    """Return a sentence for each file of a mesh that is not there, with the bodies that are to be shown by it."""
    bodies: dict[Any, dict[str, None]] = {}
    for drawing in drawings:
        if isinstance(drawing.shape, Mesh) and not drawing.shape.path.is_file():
            bodies.setdefault(drawing.shape.path, {})[drawing.body.name] = None
    return [f"mesh: there is no file {path}; not drawn with {', '.join(names)}." for path, names in bodies.items()]
