"""An MJCF document: included files, default classes, settings of the compiler, orientations.

An element takes what it does not say from its default class: its own `class`, else the `childclass` of the nearest body
around it, else the outermost class; a class takes what it does not say from the class around it.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from bricard.errors import ModelError, suggest
from bricard.io.content import LARGEST
from bricard.io.mjcf.words import check
from bricard.io.skeleton import Pose
from bricard.io.xml import DEEPEST, Source, read, shown
from bricard.model.checks import unit
from bricard.model.frames import rotation_from_axis, rotation_matrix

__all__ = ["MAIN", "WORLD", "Document"]

MAIN, WORLD = "main", "world"  # the outermost class, and the body that does not move
ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto")


class Document(Source):
    """The root element with all files included, and how to read its attributes."""

    def __init__(self, file: Path):
        super().__init__(file)
        self.root = read(file)
        if self.root.tag not in ("mujoco", "mujocoinclude"):
            raise ModelError(f"this is no MJCF file: it begins with <{self.root.tag}>, not with <mujoco>.")
        self._left, self._included = LARGEST - file.stat().st_size, {Path(os.path.realpath(file))}
        self._include(self.root, file, 1)
        check(self.root)
        self.compiler = self._merged("compiler")
        self.option = self._merged("option")
        if self.compiler.get("coordinate", "local") != "local":
            raise ModelError("<compiler>: global coordinates cannot be read; MuJoCo gave them up, too.")
        self.degrees = self.compiler.get("angle", "degree") == "degree"
        self.sequence = self.compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or any(letter not in "xyzXYZ" for letter in self.sequence):
            raise ModelError(f'<compiler>: eulerseq must be three of the letters x, y, z, not "{self.sequence}".')
        self.classes: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for default in self.root.findall("default"):
            self._class(default, MAIN, {})

    def _include(self, element: Element, file: Path, depth: int) -> None:
        """Put the content of included files in the place of <include file=...>; paths count from the main file.

        As in MuJoCo each file is included once at most: two that each include the next one twice would double the model.
        """
        if depth > DEEPEST:
            raise ModelError(f"{file.name}: more than {DEEPEST} elements in each other, with those of included files.")
        for child in list(element):
            if child.tag != "include":
                self._include(child, file, depth + 1)
                continue
            name = child.get("file", "")
            path = Path(os.path.realpath(self.file.parent / name))
            if not path.is_file():
                raise ModelError(f'{file.name} includes "{name}", but there is no file {path}.')
            if path in self._included:
                raise ModelError(f"{file.name} includes {path.name} a second time: each file can be included once.")
            self._included.add(path)
            content = read(path, self._left)
            self._left -= path.stat().st_size
            self._include(content, path, depth + 1)
            index = list(element).index(child)
            element[index : index + 1] = list(content)

    def _merged(self, tag: str) -> Element:
        """A section may stand several times; what comes later goes before."""
        merged = Element(tag)
        for section in self.root.findall(tag):
            merged.attrib.update(section.attrib)
            merged.extend(list(section))
        return merged

    def _class(self, default: Element, name: str, around: dict[str, dict[str, str]]) -> None:
        settings = {tag: dict(values) for tag, values in around.items()}
        for tag, values in self.classes.get(name, {}).items():
            settings.setdefault(tag, {}).update(values)
        for child in default:
            if child.tag != "default":
                settings.setdefault(child.tag, {}).update(child.attrib)
        self.classes[name] = settings
        for child in default.findall("default"):
            inner = child.get("class")
            if not inner:
                raise ModelError("a <default> within another one needs a class.")
            self._class(child, inner, settings)

    def complete(self, element: Element, around: str) -> Element:
        """Return the element with what its default class adds; `around` is the class of the body around it."""
        name = element.get("class", around)
        if name not in self.classes:
            raise ModelError(f'<{element.tag}>: there is no default class "{name}".{suggest(name, self.classes)}')
        whole = Element(element.tag, self.classes[name].get(element.tag, {}) | element.attrib)
        if any(key in element.attrib for key in ORIENTATIONS):  # its own, in other words than the class has it
            for key in ORIENTATIONS:
                if key not in element.attrib:
                    whole.attrib.pop(key, None)
        whole.extend(list(element))
        return whole

    def flag(self, element: Element, key: str, default: bool = False) -> bool:
        """Return an attribute that is true or false."""
        return element.get(key, "true" if default else "false") == "true"

    def disabled(self, *flags: str) -> bool:
        """Whether one of these flags of <option> switches something off."""
        return any(section.get(flag) == "disable" for section in self.option.findall("flag") for flag in flags)

    def angle(self, value: float) -> float:
        """Return an angle of the file in rad."""
        return math.radians(value) if self.degrees else value

    def pose(self, element: Element) -> Pose:
        """Return the pose that pos and one of quat, axisangle, euler, xyaxes, zaxis give, or that of the middle of fromto."""
        if "fromto" in element.attrib:
            ends = self.numbers(element, "fromto", 6)
            start, end = ends[:3], ends[3:]
            if np.array_equal(start, end):
                raise ModelError(f"{shown(element)}: both points of fromto are the same.")
            return Pose(0.5 * (start + end), shortest_turn(start - end))
        return Pose(self.numbers(element, "pos", 3, (0.0, 0.0, 0.0)), self._rotation(element))

    def _rotation(self, element: Element) -> np.ndarray:
        if "quat" in element.attrib:
            return rotation_matrix(self.numbers(element, "quat", 4), f"<{element.tag}>: quat")
        if "axisangle" in element.attrib:
            *axis, angle = self.numbers(element, "axisangle", 4)
            return _about(unit(axis, f"<{element.tag}>: axisangle"), self.angle(angle))
        if "euler" in element.attrib:
            return self._euler(self.numbers(element, "euler", 3))
        if "xyaxes" in element.attrib:
            values = self.numbers(element, "xyaxes", 6)
            x = unit(values[:3], f"<{element.tag}>: xyaxes")
            y = unit(values[3:] - (values[3:] @ x) * x, f"<{element.tag}>: xyaxes")
            return np.column_stack([x, y, np.cross(x, y)])
        if "zaxis" in element.attrib:
            return shortest_turn(self.numbers(element, "zaxis", 3))
        return np.eye(3)

    def _euler(self, angles: np.ndarray) -> np.ndarray:
        """Small letters turn about the axes that turn along, capital ones about the fixed axes."""
        turn = np.eye(3)
        for letter, angle in zip(self.sequence, angles, strict=True):
            single = _about(np.eye(3)["xyz".index(letter.lower())], self.angle(angle))
            turn = turn @ single if letter.islower() else single @ turn
        return turn


def _about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation (3, 3) about a unit axis (3,) by an angle (rad)."""
    return rotation_matrix((math.cos(0.5 * angle), *(math.sin(0.5 * angle) * axis)))


def shortest_turn(z: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) that takes the z axis to `z` on the shortest way."""
    direction = unit(z, "zaxis")
    axis = np.cross((0.0, 0.0, 1.0), direction)
    size = float(np.linalg.norm(axis))
    if size < 1e-14:
        return np.eye(3) if direction[2] > 0.0 else rotation_from_axis((0.0, 0.0, -1.0), (1.0, 0.0, 0.0))
    return _about(axis / size, math.atan2(size, float(direction[2])))
