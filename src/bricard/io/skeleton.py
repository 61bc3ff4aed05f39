"""Imported mechanisms on their way to a model: links placed in the world, one body for all that cannot move against
each other, and notes of what a model cannot express.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bricard.errors import ModelError, suggest
from bricard.model.drawing import missing_meshes
from bricard.model.model import Model
from bricard.model.shapes import Shape

__all__ = ["GROUND", "Link", "Mass", "Picture", "Pose", "Skeleton", "mass_of"]

GROUND = "ground"


@dataclass(frozen=True)
class Pose:
    """Position (3,) in m and rotation (3, 3) of a frame in another one."""

    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, other: Pose) -> Pose:
        """Return the pose of `other`, which is given in this frame, where this one is given."""
        return Pose(self.point(other.position), self.rotation @ other.rotation)

    def point(self, local: Any) -> np.ndarray:
        """Return a point (3,) of this frame where this frame is given."""
        return self.position + self.rotation @ np.asarray(local, float)

    def inverse(self) -> Pose:
        """Return how the outer frame stands in this one."""
        return Pose(-self.rotation.T @ self.position, self.rotation.T)


@dataclass(frozen=True)
class Mass:
    """Mass (kg), centre (3,) in m, and inertia (3, 3) about it (kg m^2), in the axes of some frame."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def seen_from(self, pose: Pose) -> Mass:
        """Return the same, with the frame standing at `pose`."""
        turned = pose.rotation @ self.inertia @ pose.rotation.T
        return Mass(self.mass, pose.point(self.com), 0.5 * (turned + turned.T))


def mass_of(parts: list[Mass]) -> Mass:
    """Return the mass of several parts of one body, all given in its frame."""
    if len(parts) == 1:
        return parts[0]
    total = sum(part.mass for part in parts)
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / total if total > 0.0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for part in parts:
        d = part.com - com
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    rounding = 1e-14 * sum(part.mass * float(part.com @ part.com) for part in parts)
    return Mass(total, com, np.where(np.abs(inertia) <= rounding, 0.0, inertia))


@dataclass(frozen=True)
class Picture:
    """What is seen of a link: `shape(pose)` draws it, `pose` says where it stands in the link."""

    pose: Pose
    shape: Callable[[Pose], Shape]


@dataclass
class Link:
    """A link at `pose` in the world, part of the body of the link named `carrier` (itself, another one, or the ground)."""

    name: str
    pose: Pose
    carrier: str
    masses: list[Mass] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)


class Skeleton:
    """The links of an imported mechanism as they stand with all joint coordinates zero."""

    def __init__(self, inertia_check: str) -> None:
        self.inertia_check = inertia_check
        self.links: dict[str, Link] = {GROUND: Link(GROUND, Pose(), GROUND)}
        self.notes: list[str] = []

    def add(self, name: str, pose: Pose, fixed_to: str | None = None) -> Link:
        """Add a link at a pose of the world; it moves on its own unless it is fixed to another one."""
        if name in self.links:
            raise ModelError(f'there are two links "{name}"; every one needs its own name.')
        self.links[name] = link = Link(name, pose, name if fixed_to is None else self.links[fixed_to].carrier)
        return link

    def body(self, name: str) -> str:
        """Return the name of the body that a link belongs to."""
        return self.link(name).carrier

    def link(self, name: str) -> Link:
        """Return a link by name."""
        if name not in self.links:
            raise ModelError(f'there is no link "{name}".{suggest(name, self.links)}')
        return self.links[name]

    def in_body(self, name: str) -> Pose:
        """Return how a link stands in the reference frame of its body."""
        link = self.link(name)
        return self.links[link.carrier].pose.inverse() @ link.pose if link.carrier != name else Pose()

    def fill(self, model: Model) -> None:
        """Declare all bodies and drawings, and the notes."""
        for name, link in self.links.items():
            if link.carrier == name and name != GROUND:
                total = self.mass(name)
                place: dict[str, Any] = {"position": link.pose.position, "rotation": link.pose.rotation}
                weight = {"mass": total.mass, "com": total.com, "inertia": total.inertia}
                model.body(name, **weight, inertia_check=self.inertia_check, **place)
        for name, link in self.links.items():
            here = self.in_body(name)
            for picture in link.pictures:
                model.draw(link.carrier, picture.shape(here @ picture.pose))
        model.notes.extend(self.notes)
        model.notes.extend(missing_meshes(model.drawings))

    def mass(self, name: str) -> Mass:
        """Return the mass of a body: of its link and of all that are fixed to it."""
        parts = [
            part.seen_from(self.in_body(link.name)) if link.name != name else part
            for link in self.links.values()
            if link.carrier == name
            for part in link.masses
        ]
        return mass_of(parts) if parts else Mass(0.0, np.zeros(3), np.zeros((3, 3)))

    def note(self, what: str, names: list[str], remedy: str) -> None:
        """Note that something has no counterpart, with the names of what is concerned, if there is any."""
        if names:
            shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            self.notes.append(f"{what} ({shown}): {remedy}")
