"""Shapes: uniform solids drawn where they stand at the start; mass, centre of mass and inertia follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks
from bricard.model.frames import as_rotation, rotation_from_axis
from bricard.model.inertia import checked_inertia

__all__ = ["SHAPES", "Box", "Cylinder", "PointMass", "Rod", "Shape", "Sphere"]


class Shape(ABC):
    """A uniform solid.

    mass : kg. density : kg/m^3 where the user gave it, else None. com : (3,), centre of mass in the world (m).
    rotation : (3, 3), shape axes in the world. inertia : (3, 3) about the centre of mass in shape axes (kg m^2).
    """

    kind: ClassVar[str]
    mass: float
    density: float | None
    com: np.ndarray
    rotation: np.ndarray
    inertia: np.ndarray

    def _weigh(self, volume: float, mass: object, density: object) -> None:
        where = self.kind
        if (mass is None) == (density is None):
            raise ModelError(f"{where}: give either mass (kg) or density (kg/m^3), and not both.")
        if density is None:
            self.mass, self.density = checks.number(mass, f"{where}: mass", nonnegative=True), None
        else:
            self.density = checks.number(density, f"{where}: density", nonnegative=True)
            self.mass = self.density * volume

    def _settle(self, com: np.ndarray, rotation: np.ndarray, moments: tuple[float, float, float]) -> None:
        self.com, self.rotation = com, rotation
        self.inertia = checked_inertia(moments, f"{self.kind}: inertia")

    @abstractmethod
    def _dimensions(self) -> dict[str, Any]:
        """Keywords of the geometry, without mass and density."""

    def declaration(self) -> dict[str, Any]:
        """Return the keywords that make this shape again."""
        weight = {"mass": self.mass} if self.density is None else {"density": self.density}
        return {"shape": self.kind, **self._dimensions(), **weight}

    def describe(self) -> str:
        """Return one line with all dimensions (m) and the mass (kg)."""
        parts = [f"{key} {_shown(value)}" for key, value in self._dimensions().items() if np.shape(value) != (3, 3)]
        return f"{self.kind}: {', '.join(parts)}, mass {self.mass:g} kg"

    def __repr__(self) -> str:
        return f"<{self.describe()}>"


def _shown(value: Any) -> str:
    return f"{value:g} m" if np.ndim(value) == 0 else f"({', '.join(f'{x:g}' for x in value)})"


class Rod(Shape):
    """A solid round bar from `start` to `end` (3,) in m; x runs along it, z is as near to the world z as can be.

    radius : m, one hundredth of the length if not given. A massless link has `mass=0`.
    """

    kind = "rod"

    def __init__(
        self, start: object, end: object, *, mass: object = None, density: object = None, radius: object = None
    ):
        self.start, self.end = checks.vector(start, "rod: start"), checks.vector(end, "rod: end")
        self.length = checks.distance(self.start, self.end, "rod")
        self.radius = self.length / 100.0 if radius is None else checks.number(radius, "rod: radius", positive=True)
        self._weigh(np.pi * self.radius**2 * self.length, mass, density)
        x = checks.unit(self.end - self.start, "rod")
        z = rotation_from_axis(x, (0, 0, 1) if abs(x[2]) < 0.9 else (1, 0, 0))[:, 0]
        along, across = _round_bar(self.mass, self.radius, self.length)
        rotation = checks.frozen(np.column_stack([x, np.cross(z, x), z]))
        self._settle(checks.frozen(0.5 * (self.start + self.end)), rotation, (along, across, across))

    def _dimensions(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, "radius": self.radius}


class Cylinder(Shape):
    """A solid cylinder or disc between the centres `start` and `end` (3,) of its faces (m); z is its axis."""

    kind = "cylinder"

    def __init__(self, start: object, end: object, radius: object, *, mass: object = None, density: object = None):
        self.start, self.end = checks.vector(start, "cylinder: start"), checks.vector(end, "cylinder: end")
        self.length = checks.distance(self.start, self.end, "cylinder")
        self.radius = checks.number(radius, "cylinder: radius", positive=True)
        self._weigh(np.pi * self.radius**2 * self.length, mass, density)
        along, across = _round_bar(self.mass, self.radius, self.length)
        rotation = rotation_from_axis(self.end - self.start)
        self._settle(checks.frozen(0.5 * (self.start + self.end)), rotation, (across, across, along))

    def _dimensions(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, "radius": self.radius}


class Box(Shape):
    """A solid block with edges `size` (3,) in m along its own axes `rotation`, centred at `position` (3,)."""

    kind = "box"

    def __init__(
        self,
        size: object,
        *,
        mass: object = None,
        density: object = None,
        position: object = (0.0, 0.0, 0.0),
        rotation: object = None,
    ):
        self.size = checks.vector(size, "box: size")
        if np.any(self.size <= 0.0):
            raise ModelError(f"box: every edge of size must be greater than zero, not {_shown(self.size)}.")
        self._weigh(float(np.prod(self.size)), mass, density)
        x2, y2, z2 = (self.mass / 12.0 * self.size**2).tolist()
        turn = as_rotation(rotation, "box: rotation")
        self._settle(checks.vector(position, "box: position"), turn, (y2 + z2, x2 + z2, x2 + y2))

    def _dimensions(self) -> dict[str, Any]:
        turned = {} if np.array_equal(self.rotation, np.eye(3)) else {"rotation": self.rotation}
        return {"size": self.size, "position": self.com, **turned}


class Sphere(Shape):
    """A solid ball of `radius` (m) at `position` (3,)."""

    kind = "sphere"

    def __init__(self, position: object, radius: object, *, mass: object = None, density: object = None):
        self.radius = checks.number(radius, "sphere: radius", positive=True)
        self._weigh(4.0 / 3.0 * np.pi * self.radius**3, mass, density)
        moment = 0.4 * self.mass * self.radius**2
        self._settle(checks.vector(position, "sphere: position"), checks.frozen(np.eye(3)), (moment, moment, moment))

    def _dimensions(self) -> dict[str, Any]:
        return {"position": self.com, "radius": self.radius}


class PointMass(Shape):
    """All mass (kg) at `position` (3,), no inertia against rotation."""

    kind = "point_mass"

    def __init__(self, position: object, mass: object):
        self._weigh(0.0, mass, None)
        self._settle(checks.vector(position, "point_mass: position"), checks.frozen(np.eye(3)), (0.0, 0.0, 0.0))

    def _dimensions(self) -> dict[str, Any]:
        return {"position": self.com}


def _round_bar(mass: float, radius: float, length: float) -> tuple[float, float]:
    """Moments of a solid cylinder along and across its axis."""
    return 0.5 * mass * radius**2, mass * (radius**2 / 4.0 + length**2 / 12.0)


SHAPES: dict[str, type[Shape]] = {shape.kind: shape for shape in (Rod, Box, Cylinder, Sphere, PointMass)}
