"""Shapes: uniform solids drawn where they stand at the start; mass, centre of mass and inertia follow."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks
from bricard.model.frames import as_rotation, rotation_from_axis
from bricard.model.inertia import checked_inertia
from bricard.model.travelling import Immutable

__all__ = ["SHAPES", "Box", "Capsule", "Cylinder", "Ellipsoid", "Mesh", "PointMass", "Rod", "Shape", "Sphere"]


class Shape(Immutable, ABC):
    """A uniform solid.

    mass : kg. density : kg/m^3 where the user gave it, else None. origin, rotation : (3,), (3, 3), the reference frame
    of the shape in the world (m). com : (3,), centre of mass in that frame (m). inertia : (3, 3) about the centre of mass,
    in the axes of that frame (kg m^2).
    """

    kind: ClassVar[str]
    mass: float
    density: float | None
    origin: np.ndarray
    com: np.ndarray
    rotation: np.ndarray
    inertia: np.ndarray

    def __setattr__(self, name: str, value: object) -> None:
        if "inertia" in self.__dict__:  # set last
            raise AttributeError(f"A shape does not change ({name} = {value!r}): make a new one.")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        ours, theirs = self.declaration(), other.declaration()  # pyright: ignore[reportAttributeAccessIssue]
        return ours.keys() == theirs.keys() and all(np.array_equal(ours[key], theirs[key]) for key in ours)

    def __hash__(self) -> int:
        return hash((self.kind, self.mass))

    def _weigh(self, volume: float, mass: object, density: object) -> None:
        where = self.kind
        if (mass is None) == (density is None):
            raise ModelError(f"{where}: give either mass (kg) or density (kg/m^3), and not both.")
        if density is None:
            self.mass, self.density = checks.number(mass, f"{where}: mass", nonnegative=True), None
        else:
            self.density = checks.number(density, f"{where}: density", nonnegative=True)
            self.mass = self.density * volume

    def _settle(self, origin: np.ndarray, rotation: np.ndarray, inertia: object, com: object = (0.0, 0.0, 0.0)) -> None:
        self.origin, self.rotation, self.com = origin, rotation, checks.frozen(com)
        self.inertia = checked_inertia(inertia, f"{self.kind}: inertia")

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
    if isinstance(value, str):
        return value
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
        return {"size": self.size, "position": self.origin, **turned}


class Sphere(Shape):
    """A solid ball of `radius` (m) at `position` (3,)."""

    kind = "sphere"

    def __init__(self, position: object, radius: object, *, mass: object = None, density: object = None):
        self.radius = checks.number(radius, "sphere: radius", positive=True)
        self._weigh(4.0 / 3.0 * np.pi * self.radius**3, mass, density)
        moment = 0.4 * self.mass * self.radius**2
        self._settle(checks.vector(position, "sphere: position"), checks.frozen(np.eye(3)), (moment, moment, moment))

    def _dimensions(self) -> dict[str, Any]:
        return {"position": self.origin, "radius": self.radius}


class PointMass(Shape):
    """All mass (kg) at `position` (3,), no inertia against rotation."""

    kind = "point_mass"

    def __init__(self, position: object, mass: object):
        self._weigh(0.0, mass, None)
        self._settle(checks.vector(position, "point_mass: position"), checks.frozen(np.eye(3)), (0.0, 0.0, 0.0))

    def _dimensions(self) -> dict[str, Any]:
        return {"position": self.origin}


class Capsule(Shape):
    """A cylinder with half a ball on each face, between the centres `start` and `end` (3,) of the balls (m); z is its axis."""

    kind = "capsule"

    def __init__(self, start: object, end: object, radius: object, *, mass: object = None, density: object = None):
        self.start, self.end = checks.vector(start, "capsule: start"), checks.vector(end, "capsule: end")
        self.length = checks.distance(self.start, self.end, "capsule")
        self.radius = r = checks.number(radius, "capsule: radius", positive=True)
        tube, ball = np.pi * r**2 * self.length, 4.0 / 3.0 * np.pi * r**3
        self._weigh(tube + ball, mass, density)
        along, across = _round_bar(self.mass * tube / (tube + ball), r, self.length)
        ends = self.mass * ball / (tube + ball)
        along += ends * 0.4 * r**2
        across += ends * (0.4 * r**2 + self.length**2 / 4.0 + 0.375 * self.length * r)
        rotation = rotation_from_axis(self.end - self.start)
        self._settle(checks.frozen(0.5 * (self.start + self.end)), rotation, (across, across, along))

    def _dimensions(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, "radius": self.radius}


class Ellipsoid(Shape):
    """A solid ellipsoid with half axes `radii` (3,) in m along its own axes `rotation`, centred at `position` (3,)."""

    kind = "ellipsoid"

    def __init__(
        self,
        radii: object,
        *,
        mass: object = None,
        density: object = None,
        position: object = (0.0, 0.0, 0.0),
        rotation: object = None,
    ):
        self.radii = checks.vector(radii, "ellipsoid: radii")
        if np.any(self.radii <= 0.0):
            raise ModelError(f"ellipsoid: every one of radii must be greater than zero, not {_shown(self.radii)}.")
        self._weigh(4.0 / 3.0 * np.pi * float(np.prod(self.radii)), mass, density)
        x2, y2, z2 = (self.mass / 5.0 * self.radii**2).tolist()
        turn = as_rotation(rotation, "ellipsoid: rotation")
        self._settle(checks.vector(position, "ellipsoid: position"), turn, (y2 + z2, x2 + z2, x2 + y2))

    def _dimensions(self) -> dict[str, Any]:
        turned = {} if np.array_equal(self.rotation, np.eye(3)) else {"rotation": self.rotation}
        return {"radii": self.radii, "position": self.origin, **turned}


class Mesh(Shape):
    """A surface of triangles from a file (STL, OBJ, GLB, PLY) whose frame stands at `position` (3,) m, `rotation`.

    scale : m per unit of the file, one number or three. With mass or density the inertia is that of the solid inside, for
    which the file is read with trimesh (`pip install bricard[mesh]`); the surface must be closed then. With `mass=0` the
    mesh is only drawn and nothing is read before.
    """

    kind = "mesh"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mass: object = None,
        density: object = None,
        scale: object = 1.0,
        position: object = (0.0, 0.0, 0.0),
        rotation: object = None,
    ):
        if not isinstance(path, str | os.PathLike):
            raise ModelError(f"mesh: path must name a file, not {path!r}.")
        self.path = Path(os.path.abspath(path))
        single = checks.shape(scale) == ()
        factors = [checks.number(scale, "mesh: scale")] * 3 if single else checks.vector(scale, "mesh: scale")
        self.scale = checks.frozen(factors)
        if np.any(self.scale == 0.0):
            raise ModelError(f"mesh: scale must not be zero, but is {_shown(self.scale)}.")
        turn = as_rotation(rotation, "mesh: rotation")
        if density is None and mass is not None and checks.number(mass, "mesh: mass") == 0.0:
            self._weigh(0.0, mass, density)
            centre, moments = np.zeros(3), np.zeros(3)
        else:
            volume, centre, moments = self._solid()
            self._weigh(volume, mass, density)
            moments = self.mass / volume * moments
        self._settle(checks.vector(position, "mesh: position"), turn, moments, centre)

    @cached_property
    def _content(self) -> Any:
        """The mesh as trimesh reads it, in m."""
        try:
            import trimesh
        except ImportError:
            raise ModelError(
                f"mesh: {self.path.name} is read with the package trimesh: pip install 'bricard[mesh]'."
            ) from None
        if not self.path.is_file():
            raise ModelError(f"mesh: there is no file {self.path}.")
        try:
            found: Any = trimesh.load(self.path, force="mesh", skip_materials=True)
        except Exception as error:  # whatever the reader of one of many formats does with a damaged file
            raise ModelError(f"mesh: {self.path} cannot be read: {type(error).__name__}: {error}.") from error
        if not len(getattr(found, "faces", ())):
            raise ModelError(f"mesh: {self.path} holds no triangles.")
        found.apply_transform(np.diag([*self.scale, 1.0]))  # turns the triangles round if the scale mirrors
        return found

    def _solid(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume (m^3), its centre (3,) in m, and its inertia (3, 3) about that for density 1."""
        solid = self._content
        if not solid.is_volume:
            raise ModelError(
                f"mesh: the surface of {self.path.name} is not closed or its triangles are not turned alike, so it has no "
                "volume. Repair it, or give the body its mass and inertia and draw the mesh with model.draw()."
            )
        properties = solid.mass_properties
        return float(properties.volume), np.array(properties.center_mass), np.array(properties.inertia)

    @property
    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners (n, 3) in the reference frame (m), and the numbers (m, 3) of the three corners of each triangle."""
        return np.asarray(self._content.vertices, float), np.asarray(self._content.faces)

    def _dimensions(self) -> dict[str, Any]:
        turned = {} if np.array_equal(self.rotation, np.eye(3)) else {"rotation": self.rotation}
        return {"path": str(self.path), "scale": self.scale, "position": self.origin, **turned}


def _round_bar(mass: float, radius: float, length: float) -> tuple[float, float]:
    """Moments of a solid cylinder along and across its axis."""
    return 0.5 * mass * radius**2, mass * (radius**2 / 4.0 + length**2 / 12.0)


SHAPES: dict[str, type[Shape]] = {
    shape.kind: shape for shape in (Rod, Box, Cylinder, Capsule, Sphere, Ellipsoid, Mesh, PointMass)
}
