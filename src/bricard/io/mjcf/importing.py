"""Models from MJCF files, the format of MuJoCo.

    model = br.io.from_mjcf("leg.xml")

Bodies without a joint belong to the body around them. A body with several joints hangs on massless ones, one joint each.
The model stands in the pose of the file (all coordinates at their `ref`), where coordinates of the model are zero.

    hinge, slide, ball, free        revolute, prismatic, spherical, free
    stiffness, damping, springref   a torsion force
    gravcomp                        a force against the weight
    equality connect, weld          spherical, fixed: exact, where MuJoCo's give way
    equality joint                  a gear, or a drive where one coordinate is held; a straight polynomial only
    geom                            mass and inertia where there is no <inertial>, and a drawing
    keyframe (on demand)            wishes for the start

Contacts, limits, friction, armature, actuators, tendons, sensors and the fluid have no counterpart: `model.notes` says what
of them the file has.

Reference: the XML reference of MuJoCo, mujoco.readthedocs.io.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from bricard.errors import FileFormatError, ModelError, suggest
from bricard.interrupts import heard
from bricard.io.content import shortened
from bricard.io.mjcf.document import MAIN, WORLD, Document
from bricard.io.mjcf.equality import Equalities
from bricard.io.mjcf.geoms import Geoms
from bricard.io.skeleton import GROUND, Mass, Picture, Pose, Skeleton, mass_of
from bricard.model.checks import unit
from bricard.model.frames import rotation_matrix
from bricard.model.model import Model

__all__ = ["Joint", "Tree", "from_mjcf"]

JOINTS = ("joint", "freejoint")
MOST_JOINTS = 6  # of one body, as in MuJoCo
METHODS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
PARTS = ("composite", "flexcomp", "attach", "replicate", "plugin")
LEFT_OUT = {
    "actuator": ("actuators", "left out; declare motors or drives."),
    "tendon": ("tendons", "left out; declare springs."),
    "sensor": ("sensors", "left out; a solution has channels, points and reactions."),
    "deformable": ("deformable bodies", "left out; bodies are rigid."),
}


class Joint(NamedTuple):
    """A joint of the file: the element, the bodies it connects, where it stands in the world, and its `ref` (rad or m)."""

    name: str
    kind: str
    element: Element
    parent: str
    child: str
    point: np.ndarray
    axis: np.ndarray
    ref: float


@heard
def from_mjcf(path: str | os.PathLike[str], *, keyframe: str | None = None, inertia_check: str = "warn") -> Model:
    """Return the model of an MJCF file.

    keyframe : name of the one of the file to start from. inertia_check : as in `Model.body`.
    """
    file = Path(path)
    try:
        document = Document(file)
        return Tree(document, inertia_check).model(keyframe)
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(shortened(f"{file}: {error}")) from error


class Tree:
    """The bodies and joints of a document."""

    def __init__(self, document: Document, inertia_check: str):
        self.document, self.geoms, self.skeleton = document, Geoms(document), Skeleton(inertia_check)
        self.joints: dict[str, Joint] = {}
        self.names = {WORLD: GROUND}  # what the file calls a body: its link
        self.unnamed: Counter[str] = Counter()  # link: how many bodies without a name are on it
        self.carried: dict[str, float] = {}  # link: which part of its weight is compensated
        self.sites: dict[str, tuple[str, Pose]] = {}  # body, and pose in it
        self.noted: dict[str, list[str]] = {}
        self.given = self._given()
        for world in document.root.findall("worldbody"):
            self._fill(world, GROUND, MAIN, Pose(), weigh=False)
        self._settle_total_mass()

    def _given(self) -> set[str]:
        """The names of joints in the file; two of the same are an error."""
        worlds = self.document.root.findall("worldbody")
        names = Counter(part.get("name") for world in worlds for part in world.iter() if part.tag in JOINTS)
        for name, count in names.items():
            if name and count > 1:
                raise ModelError(f'there are {count} joints "{name}"; every one needs its own name.')
        return {name for name in names if name}

    # Bodies

    def _fill(self, element: Element, name: str, around: str, offset: Pose, weigh: bool) -> None:
        """Read what stands in a body (or in a frame of it, at `offset` in the body); `weigh`: its geoms are its mass."""
        link, document = self.skeleton.link(name), self.document
        for child in element:
            if child.tag == "geom":
                mass, picture = self.geoms.read(document.complete(child, around), weigh)
                if mass is not None:
                    link.masses.append(mass.seen_from(offset))
                if picture is not None:
                    link.pictures.append(Picture(offset @ picture.pose, picture.shape))
            elif child.tag == "site":
                site = document.complete(child, around)
                if site.get("name") in self.sites:
                    raise ModelError(f'there are two sites "{site.get("name")}"; every one needs its own name.')
                self.sites[site.get("name") or f"site {len(self.sites)} without a name"] = (
                    name,
                    offset @ document.pose(site),
                )
            elif child.tag == "frame":
                inner = offset @ document.pose(child)
                self._fill(child, name, child.get("childclass", around), inner, weigh)
            elif child.tag == "body":
                self._body(child, name, around, offset)
            elif child.tag in PARTS:
                raise ModelError(
                    f'<{child.tag}> in the body "{name}" cannot be read; expand it in MuJoCo and save the XML.'
                )

    def _inertial(self, inertial: Element, frame: Pose) -> Mass:
        document = self.document
        if "fullinertia" in inertial.attrib:
            xx, yy, zz, xy, xz, yz = document.numbers(inertial, "fullinertia", 6)
            moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            moments = np.diag(document.numbers(inertial, "diaginertia", 3, (0.0, 0.0, 0.0)))
        return Mass(document.number(inertial, "mass"), np.zeros(3), moments).seen_from(frame @ document.pose(inertial))

    def _body(self, body: Element, parent: str, around: str, offset: Pose) -> None:
        name = self._body_name(body, parent)
        around, document = body.get("childclass", around), self.document
        pose = self.skeleton.link(parent).pose @ offset @ document.pose(body)
        own = list(self._own(body, Pose(), around))
        joints = [part for part in own if part[0].tag in JOINTS]
        if len(joints) > MOST_JOINTS:
            raise ModelError(f'the body "{name}" has {len(joints)} joints, but {MOST_JOINTS} let it move in every way.')
        if document.flag(body, "mocap"):
            self._remember("bodies moved by hand (mocap)", name)
        if not joints:
            self.skeleton.add(name, pose, parent)
        for number, (joint, frame, style) in enumerate(joints, 1):
            last = number == len(joints)
            child = name if last else self._new_name(f"{name} carrier {number}")
            self.skeleton.add(child, pose)
            self._joint(joint, parent, child, pose @ frame if joint.tag == "joint" else pose, style, name)
            parent = child
        inertials = [self._inertial(part, frame) for part, frame, _ in own if part.tag == "inertial"]
        source = document.compiler.get("inertiafromgeom", "auto")
        weigh = source == "true" or (source == "auto" and not inertials)
        if inertials and not weigh:
            self.skeleton.link(name).masses.append(inertials[-1])  # of several the last one counts
        self.carried[name] = document.number(body, "gravcomp", 0.0)
        self._fill(body, name, around, Pose(), weigh)

    def _own(self, body: Element, offset: Pose, around: str) -> Iterator[tuple[Element, Pose, str]]:
        """The elements of a body and of the frames within it: each with the pose of its frame and its default class."""
        for child in body:
            if child.tag == "frame":
                inner = offset @ self.document.pose(child)
                yield from self._own(child, inner, child.get("childclass", around))
            else:
                yield child, offset, around

    def _body_name(self, body: Element, parent: str) -> str:
        """The name of the link; that of the ground is taken."""
        given = body.get("name")
        if not given:
            self.unnamed[parent] += 1
            return self._new_name(f"{parent} {self.unnamed[parent]}")
        name = given
        if given == GROUND:
            name = self._new_name("ground body")
            self.skeleton.notes.append(f'the body "{GROUND}" is called "{name}", for "{GROUND}" is what does not move.')
        if given in self.names:
            raise ModelError(f'there are two bodies "{given}"; every one needs its own name.')
        self.names[given] = name
        return name

    def _new_name(self, name: str) -> str:
        while name in self.skeleton.links:
            name += "'"
        return name

    def _joint(self, element: Element, parent: str, child: str, pose: Pose, around: str, body: str) -> None:
        document = self.document
        joint = document.complete(element, around) if element.tag == "joint" else element
        kind = "free" if joint.tag == "freejoint" else joint.get("type", "hinge")
        name = joint.get("name") or f"{body} {kind}"
        if kind not in METHODS:
            raise ModelError(f'joint "{name}": unknown type "{kind}". Known: {", ".join(METHODS)}.')
        while name in self.joints or (name in self.given and not joint.get("name")):
            name += "'"
        point = pose.point(document.numbers(joint, "pos", 3, (0.0, 0.0, 0.0)) if kind != "free" else (0.0, 0.0, 0.0))
        axis = pose.rotation @ unit(document.numbers(joint, "axis", 3, (0.0, 0.0, 1.0)), f'joint "{name}": axis')
        ref = document.number(joint, "ref", 0.0)
        ref = document.angle(ref) if kind == "hinge" else ref
        self.joints[name] = Joint(name, kind, joint, self.skeleton.body(parent), child, point, axis, ref)

    def _settle_total_mass(self) -> None:
        total = self.document.number(self.document.compiler, "settotalmass", -1.0)
        links = self.skeleton.links.values()  # those that stand still count, too
        now = sum(part.mass for link in links for part in link.masses)
        if total > 0.0 and now > 0.0:
            for link in links:
                link.masses = [Mass(m.mass * total / now, m.com, m.inertia * total / now) for m in link.masses]

    # The model

    def model(self, keyframe: str | None = None) -> Model:
        """Return the model, perhaps with the wishes of a keyframe."""
        document = self.document
        model = Model(document.root.get("model") or document.file.stem, self._gravity())
        equalities = Equalities(self)
        self._note()
        self.skeleton.fill(model)
        for joint in self.joints.values():
            place: dict[str, Any] = {"point": joint.point}
            if joint.kind in ("hinge", "slide"):
                place["axis"] = joint.axis
            getattr(model, METHODS[joint.kind])(joint.name, joint.parent, joint.child, **place)
            self._spring(model, joint)
        self._carry(model)
        equalities.declare(model)
        model.notes.extend(equalities.notes)
        if keyframe is not None:
            self._start(model, keyframe)
        return model

    def _gravity(self) -> np.ndarray:
        if self.document.disabled("gravity"):
            return np.zeros(3)
        return self.document.numbers(self.document.option, "gravity", 3, (0.0, 0.0, -9.81))

    def _spring(self, model: Model, joint: Joint) -> None:
        document = self.document
        stiffness, damping = (
            0.0 if document.disabled(flag, "passive") else document.number(joint.element, key, 0.0)
            for key, flag in (("stiffness", "spring"), ("damping", "damper"))
        )
        if stiffness == 0.0 and damping == 0.0:
            return
        if joint.kind not in ("hinge", "slide"):
            self._remember("springs and dampers of balls and free bodies", joint.name, model)
            return
        rest = document.number(joint.element, "springref", 0.0)
        rest = document.angle(rest) if joint.kind == "hinge" else rest
        model.torsion(f"{joint.name} spring", joint.name, stiffness=stiffness, damping=damping, angle=rest - joint.ref)

    def _carry(self, model: Model) -> None:
        """Forces against the weight of bodies with `gravcomp`, each at the centre of mass of its link."""
        for name, part in self.carried.items():
            link, body = self.skeleton.link(name), self.skeleton.body(name)
            if part != 0.0 and link.masses and body != GROUND and np.any(model.gravity):
                own = mass_of(link.masses)
                frame = {"position": self.skeleton.in_body(name).point(own.com)}
                model.force(f"{name} gravcomp", body, force=-part * own.mass * model.gravity, frame=frame)

    def _start(self, model: Model, keyframe: str) -> None:
        """Wish for the positions and velocities of a keyframe."""
        keys = {key.get("name", ""): key for section in self.document.root.findall("keyframe") for key in section}
        if keyframe not in keys:
            raise ModelError(f'there is no keyframe "{keyframe}".{suggest(keyframe, keys)}')
        sizes = {"hinge": (1, 1), "slide": (1, 1), "ball": (4, 3), "free": (7, 6)}
        counts = [sum(sizes[joint.kind][level] for joint in self.joints.values()) for level in (0, 1)]
        key = keys[keyframe]
        qpos = self.document.numbers(key, "qpos", counts[0]) if "qpos" in key.attrib else None
        qvel = self.document.numbers(key, "qvel", counts[1], np.zeros(counts[1]).tolist())
        at_q = at_v = 0
        for joint in self.joints.values():
            n_q, n_v = sizes[joint.kind]
            q, v = None if qpos is None else qpos[at_q : at_q + n_q], qvel[at_v : at_v + n_v]
            at_q, at_v = at_q + n_q, at_v + n_v
            if joint.kind in ("hinge", "slide"):
                model.start(
                    joint=joint.name, position=None if q is None else float(q[0]) - joint.ref, velocity=float(v[0])
                )
            elif joint.kind == "free":
                pose: dict[str, Any] = {} if q is None else {"position": q[:3], "rotation": q[3:]}
                turn = self.skeleton.link(joint.child).pose.rotation if q is None else rotation_matrix(q[3:])
                model.start(body=joint.child, velocity=v[:3], angular_velocity=turn @ v[3:], **pose)  # spin: body axes
            else:
                model.notes.append(f'keyframe "{keyframe}": the ball joint "{joint.name}" starts as drawn.')

    # Notes

    def _remember(self, what: str, name: str, model: Model | None = None) -> None:
        if model is not None:
            model.notes.append(f"{what} ({name}): left out.")
        else:
            self.noted.setdefault(what, []).append(name)

    def _note(self) -> None:
        """Say what has no counterpart."""
        document, note = self.document, self.skeleton.note
        automatic = document.flag(document.compiler, "autolimits", True)
        found: dict[str, list[str]] = {"limited": [], "armature": [], "frictionloss": [], "springdamper": []}
        for joint in self.joints.values():
            limited = joint.element.get("limited", "auto")
            if limited == "true" or (limited == "auto" and automatic and "range" in joint.element.attrib):
                found["limited"].append(joint.name)
            for key in ("armature", "frictionloss", "springdamper"):
                if np.any(document.numbers(joint.element, key, None, (0.0,)) != 0.0):
                    found[key].append(joint.name)
        note("limits of joints", found["limited"], "joints move without limits; stop a run with a trigger.")
        note("armature", found["armature"], "left out: the inertia of a geared rotor has no counterpart in a body.")
        note("dry friction of joints", found["frictionloss"], "left out; declare a force of your own.")
        note("springs given by their time constants", found["springdamper"], "left out; declare torsions.")
        for what, names in self.noted.items():
            note(what, names, "they stand still.")
        note("meshes not weighed by their volume", self.geoms.approximated, "they are weighed by their volume.")
        note("geoms without a shape here", self.geoms.left_out, "left out.")
        for tag, (what, remedy) in LEFT_OUT.items():
            names = [part.get("name", part.tag) for section in document.root.findall(tag) for part in section]
            note(what, names, remedy)
        touching = [
            geom for geom in document.root.iter("geom") if geom.get("contype") != "0" or geom.get("conaffinity") != "0"
        ]
        if touching and len(self.joints) > 0:
            self.skeleton.notes.append(
                "contacts: there are none; bodies pass through each other and through the floor."
            )
        for key in ("density", "viscosity"):
            if document.number(document.option, key, 0.0) != 0.0:
                self.skeleton.notes.append(f"the fluid ({key} of <option>): left out; declare forces of your own.")
        for key in ("balanceinertia", "boundmass", "boundinertia"):
            if key in document.compiler.attrib:
                self.skeleton.notes.append(f"{key} of <compiler>: not applied; masses are as written.")
