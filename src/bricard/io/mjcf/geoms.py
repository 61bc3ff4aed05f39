"""Geoms of MJCF: what they weigh and how they look. Sizes are half lengths there, lengths here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from bricard.errors import ModelError
from bricard.io.mjcf.document import Document
from bricard.io.skeleton import Mass, Picture, Pose
from bricard.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere

__all__ = ["Geoms"]

DENSITY = 1000.0  # kg/m^3, MuJoCo's default
FLAT = ("plane", "hfield", "sdf")
NUMBERS = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}

Draw = Callable[..., Shape]


class Geoms:
    """Reads geoms; remembers those that cannot be drawn."""

    def __init__(self, document: Document):
        self.document = document
        self.left_out: list[str] = []
        self.approximated: list[str] = []  # meshes for which the file wants another inertia than that of their volume
        self.meshes = self._meshes()
        least, most = document.numbers(document.compiler, "inertiagrouprange", 2, (0, 5))
        self.weighing = range(int(least), int(most) + 1)

    def _meshes(self) -> dict[str, Element]:
        found = {}
        for asset in self.document.root.findall("asset"):
            for mesh in asset.findall("mesh"):
                whole = self.document.complete(mesh, "main")
                found[whole.get("name") or Path(whole.get("file", "")).stem] = whole
        return found

    def read(self, geom: Element, weigh: bool) -> tuple[Mass | None, Picture | None]:
        """Return the mass of a geom, if it should be weighed, and its picture, both in the frame of its body."""
        kind = geom.get("type", "sphere")
        where = f'<geom "{geom.get("name", kind)}">'
        if kind in FLAT:
            if kind != "plane":
                self.left_out.append(geom.get("name", kind))
            return None, None
        pose, size = self._placed(geom, kind, where)
        try:
            draw = self._draw(geom, kind, size)
            picture = Picture(pose, lambda at: draw(at, mass=0.0))
            return self._mass(geom, draw, pose) if weigh else None, picture
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from error

    def _placed(self, geom: Element, kind: str, where: str) -> tuple[Pose, np.ndarray]:
        """The pose of a geom and its full list of sizes."""
        document = self.document
        if "fromto" not in geom.attrib:
            wanted = NUMBERS.get(kind, 0)
            size = document.numbers(geom, "size", None, (0.0,) * wanted)
            if len(size) < wanted:
                raise ModelError(f"{where}: a {kind} has {wanted} sizes, not {len(size)}.")
            return document.pose(geom), size
        ends = document.numbers(geom, "fromto", 6)
        half = 0.5 * float(np.linalg.norm(ends[3:] - ends[:3]))
        given = document.numbers(geom, "size", None)
        if not len(given):
            raise ModelError(f"{where}: size is empty; with fromto it is the radius.")
        radius = float(given[0])
        size = np.array([radius, half] if kind in ("capsule", "cylinder") else [radius, radius, half])
        return document.pose(geom), size

    def _draw(self, geom: Element, kind: str, size: np.ndarray) -> Draw:
        """Return how to make the shape at a pose, with a mass or a density."""
        if kind == "mesh":
            return self._mesh(geom)
        if "mesh" in geom.attrib:
            raise ModelError(f'a {kind} fitted to a mesh cannot be read; write its size, or type="mesh".')
        match kind:
            case "sphere":
                return lambda at, **weight: Sphere(at.position, size[0], **weight)
            case "capsule" | "cylinder":
                shape, end = {"capsule": Capsule, "cylinder": Cylinder}[kind], np.array([0.0, 0.0, size[1]])
                return lambda at, **weight: shape(at.point(-end), at.point(end), size[0], **weight)
            case "box":
                return lambda at, **weight: Box(2 * size[:3], position=at.position, rotation=at.rotation, **weight)
            case "ellipsoid":
                return lambda at, **weight: Ellipsoid(size[:3], position=at.position, rotation=at.rotation, **weight)
        raise ModelError(f'unknown type "{kind}". Known: {", ".join((*NUMBERS, "mesh", *FLAT))}.')

    def _mesh(self, geom: Element) -> Draw:
        name = geom.get("mesh", "")
        mesh = self.meshes.get(name)
        if mesh is None or "file" not in mesh.attrib:
            raise ModelError(f'there is no mesh "{name}" with a file.')
        compiler = self.document.compiler
        folder = self.document.file.parent / compiler.get("meshdir", compiler.get("assetdir", ""))
        path = folder / (
            Path(mesh.get("file", "")).name if self.document.flag(compiler, "strippath") else mesh.get("file", "")
        )
        scale = self.document.numbers(mesh, "scale", 3, (1.0, 1.0, 1.0))
        reference = Element(
            "mesh",
            {old: mesh.get(new, "") for old, new in (("pos", "refpos"), ("quat", "refquat")) if new in mesh.attrib},
        )
        inner = self.document.pose(reference).inverse()

        def draw(at: Pose, **weight: Any) -> Shape:
            place = at @ inner
            return Mesh(path, scale=scale, position=place.position, rotation=place.rotation, **weight)

        return draw

    def _mass(self, geom: Element, draw: Draw, pose: Pose) -> Mass | None:
        if int(self.document.number(geom, "group", 0)) not in self.weighing:
            return None
        mesh = self.meshes.get(geom.get("mesh", ""), geom)
        if self.document.flag(geom, "shellinertia") or mesh.get("inertia") == "shell":
            raise ModelError("the inertia of a shell has no counterpart; give the body an <inertial>.")
        given = "mass" if "mass" in geom.attrib else "density"
        value = self.document.number(geom, given, DENSITY)
        if value == 0.0:
            return None
        if mesh.get("inertia") in ("convex", "legacy"):
            self.approximated.append(geom.get("mesh", ""))
        shape = draw(Pose(), **{given: value})
        local = Pose(shape.origin, shape.rotation)
        return Mass(shape.mass, shape.com, shape.inertia).seen_from(pose @ local)
