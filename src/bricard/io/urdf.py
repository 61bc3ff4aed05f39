"""Models from URDF files, the format of the robot operating system ROS.

    model = br.io.from_urdf("arm.urdf")          # and arm.loops.toml beside it, if there is one

A URDF file is a tree of links, so it cannot close a loop. Loop joints, springs, drives, wishes and gravity stand in a small
TOML file beside it, in the words of a model file, with the names of the links for bodies and frames in the axes of the links:

    [joints.closing]
    type = "spherical"
    bodies = ["rod", "arm"]
    frame_a = {position = [0, 0, 0.2]}
    frame_b = {position = [0, 0, 0.3]}

Links that are fixed to each other become one body, with the name of the first. The model stands as with all joint values
zero. Joints that mimic others become gears, damping becomes a damper; limits, friction, and what simulators add to a file
have no counterpart: `model.notes` lists them.

Reference: the URDF specification, wiki.ros.org/urdf/XML.
"""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from bricard.errors import FileFormatError, ModelError
from bricard.interrupts import heard
from bricard.io import toml
from bricard.io.skeleton import GROUND, Mass, Picture, Pose, Skeleton
from bricard.io.xml import Source, read
from bricard.model import checks
from bricard.model.checks import unit
from bricard.model.frames import as_rotation
from bricard.model.model import Model
from bricard.model.shapes import SHAPES, Box, Cylinder, Mesh, Shape, Sphere

__all__ = ["from_urdf", "read_urdf"]

IGNORED = ("transmission", "gazebo", "sensor", "plugin")
MACROS = ("macro", "property", "include", "arg", "if", "unless", "insert_block")
MOVING = ("revolute", "continuous", "prismatic", "floating", "planar")


def from_urdf(
    path: str | os.PathLike[str],
    *,
    loops: str | os.PathLike[str] | None = None,
    base: str = "fixed",
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    inertia_check: str = "warn",
    code: bool = True,
) -> Model:
    """Return the model of a URDF file.

    loops : a TOML file with what a tree cannot say; `NAME.loops.toml` beside `NAME.urdf` is used if it is there.
    base : whether the first link is "fixed" to the ground or "free". packages : folders of `package://NAME/...` in paths of
    meshes; else they are looked for in the folders around the file. inertia_check : as in `Model.body`. code :
    False refuses functions that the TOML file names, as in `bricard.load`.
    """
    return read_urdf(path, loops=loops, base=base, packages=packages, inertia_check=inertia_check, code=code)[0]


@heard
def read_urdf(
    path: str | os.PathLike[str],
    *,
    loops: str | os.PathLike[str] | None = None,
    base: str = "fixed",
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    parameters: Mapping[str, float] | None = None,
    inertia_check: str = "warn",
    code: bool = True,
) -> tuple[Model, dict[str, Any]]:
    """Return what `from_urdf` does, and the table `simulation` of the file with the loops."""
    if base not in ("fixed", "free"):
        raise ModelError(f'from_urdf: base must be "fixed" or "free", not {base!r}.')
    file = Path(path)
    robot = read(file)
    if robot.tag != "robot":
        raise FileFormatError(f"{file}: this is no URDF file: it begins with <{robot.tag}>, not with <robot>.")
    beside = file.with_name(f"{file.stem}.loops.toml")
    side = Path(loops) if loops is not None else beside if beside.is_file() else None
    source = Source(file)
    with source.complaining():
        tree = _Tree(robot, source, base, packages or {}, inertia_check)
        model = tree.model()
    if side is None:
        if parameters:
            raise ModelError(f"{file}: only a TOML file has parameters, and there is no {beside.name} beside it.")
        return model, {}
    return model, toml.extend(model, side, parameters, lambda tables: _in_bodies(tables, tree.skeleton), code=code)


class _Tree:
    """The links and joints of a robot."""

    def __init__(self, robot: Element, source: Source, base: str, packages: Mapping[str, Any], inertia_check: str):
        self.robot, self.source, self.packages = robot, source, packages
        self.skeleton = Skeleton(inertia_check)
        self.moving: list[tuple[Element, str, str, Pose]] = []  # joint, parent, child, pose of the joint in the world
        self._expanded()
        links, joints = self._named("link"), self._named("joint")
        if not links:
            raise ModelError("the robot has no links.")
        self.ends = {
            name: (self._end(joint, "parent", links), self._end(joint, "child", links))
            for name, joint in joints.items()
        }
        children = Counter(child for _, child in self.ends.values())
        for child, count in children.items():
            if count > 1:
                raise ModelError(
                    f'the link "{child}" is the child of {count} joints: a URDF file is a tree. Keep one of them and write the '
                    "other to the TOML file of the loops."
                )
        roots = [name for name in links if name not in children]
        if len(roots) != 1:
            raise ModelError(f"there must be exactly one link that is no child, not {len(roots)}: {', '.join(roots)}.")
        order = [roots[0]]
        if roots != [GROUND] or base == "free":
            self._add(roots[0], Pose(), GROUND if base == "fixed" else None)
        below: dict[str, list[str]] = {}
        for joint_name, (parent, _) in self.ends.items():
            below.setdefault(parent, []).append(joint_name)
        for name in order:
            self._fill(links[name], name)
            for joint_name in below.get(name, ()):
                child = self.ends[joint_name][1]
                self._place(joints[joint_name], joint_name, name, child)
                order.append(child)

    def _expanded(self) -> None:
        """Macros are refused: what they stand for is not in the file."""
        for element in self.robot.iter():
            space, _, tag = element.tag.rpartition("}")
            macro = "xacro" in space or (space and tag in MACROS)
            if macro or any("${" in text for text in element.attrib.values()):
                what = f"<xacro:{tag}>" if macro else f"<{tag}> with an expression ${{...}}"
                raise ModelError(
                    f"{what}: this is a xacro file, which URDF is made from; expand it first: xacro {self.source.file.name} "
                    "> robot.urdf."
                )

    def _named(self, tag: str) -> dict[str, Element]:
        """The links or the joints of the robot by name."""
        found: dict[str, Element] = {}
        for element in self.robot.findall(tag):
            name = self.source.name(element)
            if name in found:
                raise ModelError(f'there are two {tag}s "{name}"; every one needs its own name.')
            found[name] = element
        return found

    def _add(self, name: str, pose: Pose, fixed_to: str | None) -> None:
        if name == GROUND:
            raise ModelError('the link "ground" has the name of the body that does not move; rename it.')
        self.skeleton.add(name, pose, fixed_to)

    def _end(self, joint: Element, tag: str, links: Mapping[str, Element]) -> str:
        end = joint.find(tag)
        name = "" if end is None else end.get("link", "")
        if name not in links:
            raise ModelError(f'joint "{joint.get("name")}": its {tag} "{name}" is no link of the robot.')
        return name

    def _place(self, joint: Element, name: str, parent: str, child: str) -> None:
        kind = joint.get("type", "")
        if kind not in (*MOVING, "fixed"):
            raise ModelError(f'joint "{name}": unknown type "{kind}". Known: {", ".join((*MOVING, "fixed"))}.')
        pose = self.skeleton.link(parent).pose @ self._origin(joint)
        self._add(child, pose, parent if kind == "fixed" else None)
        if kind != "fixed":
            self.moving.append((joint, parent, child, pose))

    def _origin(self, element: Element) -> Pose:
        origin = element.find("origin")
        if origin is None:
            return Pose()
        xyz, rpy = (self.source.numbers(origin, key, 3, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
        return Pose(xyz, _roll_pitch_yaw(*rpy))

    def _fill(self, link: Element, name: str) -> None:
        inertial = link.find("inertial")
        if inertial is not None:
            mass, tensor = inertial.find("mass"), inertial.find("inertia")
            kilograms = 0.0 if mass is None else self.source.number(mass, "value", 0.0)
            moments = np.zeros((3, 3))
            if tensor is not None:
                xx, xy, xz, yy, yz, zz = (
                    self.source.number(tensor, key, 0.0) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
                )
                moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            part = Mass(kilograms, np.zeros(3), moments).seen_from(self._origin(inertial))
            self.skeleton.link(name).masses.append(part)
        for visual in link.findall("visual"):
            shape = self._shape(visual.find("geometry"), name)
            if shape is not None:
                self.skeleton.link(name).pictures.append(Picture(self._origin(visual), shape))

    def _shape(self, geometry: Element | None, link: str) -> Any:
        """Return how to draw a geometry at a pose, or None where there is nothing to draw."""
        found = geometry[0] if geometry is not None and len(geometry) else None
        if found is None:
            return None
        if found.tag == "box":
            size = self.source.numbers(found, "size", 3)
            return lambda pose: Box(size, mass=0.0, position=pose.position, rotation=pose.rotation)
        if found.tag == "sphere":
            radius = self.source.number(found, "radius")
            return lambda pose: Sphere(pose.position, radius, mass=0.0)
        if found.tag == "cylinder":
            radius, half = self.source.number(found, "radius"), 0.5 * self.source.number(found, "length")
            return lambda pose: _cylinder(pose, radius, half)
        if found.tag == "mesh":
            file, scale = self._file(found.get("filename", "")), self.source.numbers(found, "scale", 3, (1.0, 1.0, 1.0))
            return lambda pose: Mesh(file, mass=0.0, scale=scale, position=pose.position, rotation=pose.rotation)
        self.skeleton.notes.append(f'link "{link}": its visual <{found.tag}> cannot be drawn.')
        return None

    def _file(self, name: str) -> Path:
        """Where a mesh lies: `package://NAME/rest` in the folder of that package, which is often one of those around."""
        if name.startswith("package://"):
            package, _, rest = name.removeprefix("package://").partition("/")
            if package in self.packages:
                return Path(self.packages[package]) / rest
            around = [folder / package / rest for folder in self.source.file.resolve().parents]
            around += [folder / rest for folder in self.source.file.resolve().parents if folder.name == package]
            return next((file for file in around if file.is_file()), around[0])
        return self.source.file.parent / name.removeprefix("file://")

    def model(self) -> Model:
        """Return the model of the tree."""
        model = Model(self.robot.get("name") or self.source.file.stem)
        self._note()
        self.skeleton.fill(model)
        for joint, parent, child, pose in self.moving:
            self._declare(model, joint, self.skeleton.body(parent), child, pose)
        for joint, *_ in self.moving:
            mimic = joint.find("mimic")
            if mimic is not None:
                factor, offset = self.source.number(mimic, "multiplier", 1.0), self.source.number(mimic, "offset", 0.0)
                name = self.source.name(joint)
                model.gear(f"{name} mimic", name, mimic.get("joint", ""), -factor, offset=offset)
        return model

    def _declare(self, model: Model, joint: Element, parent: str, child: str, pose: Pose) -> None:
        """Declare a joint, and its damper."""
        name, kind = self.source.name(joint), joint.get("type", "")
        place: dict[str, Any] = {"point": pose.position}
        if kind != "floating":
            element = joint.find("axis")
            axis = np.array([1.0, 0.0, 0.0]) if element is None else self.source.numbers(element, "xyz", 3)
            place["axis"] = pose.rotation @ unit(axis, f'joint "{name}": axis')
        method = {"continuous": "revolute", "floating": "free"}.get(kind, kind)
        getattr(model, method)(name, parent, child, **place)
        dynamics = joint.find("dynamics")
        damping = 0.0 if dynamics is None else self.source.number(dynamics, "damping", 0.0)
        if damping != 0.0 and kind in ("revolute", "continuous", "prismatic"):
            model.torsion(f"{name} damping", name, damping=damping)

    def _note(self) -> None:
        """Say what has no counterpart."""
        joints = {self.source.name(joint): joint for joint, *_ in self.moving}
        limited = [name for name, joint in joints.items() if joint.get("type") in ("revolute", "prismatic")]
        rubbing = []
        for name, joint in joints.items():
            dynamics = joint.find("dynamics")
            if dynamics is not None and self.source.number(dynamics, "friction", 0.0) != 0.0:
                rubbing.append(name)
        note = self.skeleton.note
        note("limits of joints", limited, "joints move without limits; stop a run with a trigger, or add a force law.")
        note("friction of joints", rubbing, "left out; declare a force of your own.")
        note("elements of simulators", sorted({e.tag for e in self.robot if e.tag in IGNORED}), "left out.")


def _cylinder(pose: Pose, radius: float, half: float) -> Shape:
    return Cylinder(pose.point((0.0, 0.0, -half)), pose.point((0.0, 0.0, half)), radius, mass=0.0)


def _roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Return the rotation (3, 3) about the fixed axes x, y, z, in this order (rad)."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _in_bodies(data: dict[str, Any], skeleton: Skeleton) -> dict[str, Any]:
    """Return tables that name bodies in place of links, with frames in the axes of the bodies."""
    for family in ("joints", "forces"):
        for table in data.get(family, {}).values():
            if isinstance(table, dict):
                pair = table.get("bodies")
                if isinstance(pair, list) and len(pair) == 2:
                    for index, key in enumerate(("frame_a", "frame_b")):
                        pair[index] = _moved(table, key, pair[index], skeleton)
                if "body" in table:
                    table["body"] = _moved(table, "frame", table["body"], skeleton)
    for drawing in data.get("drawings", []):
        if isinstance(drawing, dict) and drawing.get("body") in skeleton.links:
            _draw_in_body(drawing, skeleton)
    for wish in data.get("start", []):
        if isinstance(wish, dict) and wish.get("body") in skeleton.links:
            _free_of_others(wish["body"], skeleton)
    return data


def _moved(table: dict[str, Any], key: str, name: Any, skeleton: Skeleton) -> Any:
    """Return the body of the link `name`; the frame under `key`, if any, is moved into it."""
    if name not in skeleton.links:
        return name
    here, frame = skeleton.in_body(name), table.get(key)
    if isinstance(frame, dict) and skeleton.body(name) != name:
        model = Model()
        body = model.body("link", mass=1.0, inertia=(1.0, 1.0, 1.0))
        given = body.frame(**frame)
        placed = here @ Pose(given.position, given.rotation)
        table[key] = {"position": placed.position.tolist(), "rotation": placed.rotation.tolist()}
    return skeleton.body(name)


def _draw_in_body(drawing: dict[str, Any], skeleton: Skeleton) -> None:
    """Move a drawing that is given in the axes of a link into the body of that link."""
    name, kind = drawing["body"], SHAPES.get(str(drawing.get("shape")))
    drawing["body"] = skeleton.body(name)
    if kind is None or skeleton.body(name) == name:
        return
    here, known = skeleton.in_body(name), inspect.signature(kind).parameters
    for key in ("start", "end", "position"):
        if key in drawing or (key == "position" and key in known):
            point = checks.vector(drawing.get(key, (0.0, 0.0, 0.0)), f"[[drawings]] {key}")
            drawing[key] = here.point(point).tolist()
    if "rotation" in known:
        turn = as_rotation(drawing.get("rotation"), "[[drawings]] rotation")
        drawing["rotation"] = (here.rotation @ turn).tolist()


def _free_of_others(name: str, skeleton: Skeleton) -> None:
    if skeleton.body(name) != name:
        raise ModelError(f'start: the link "{name}" is part of "{skeleton.body(name)}"; wish something for that one.')
