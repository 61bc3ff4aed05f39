"""A mechanism as other packages need it: bodies, joints placed in the world, and a spanning tree with the joints that it cuts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import BricardError
from ..model.laws import Linear, TimeLaw
from ..solution.motion import twists
from ..system.assembler import assemble
from ..system.channels import poses

GROUND = -1
KINDS = {
    "revolute": "revolute",
    "pin": "revolute",
    "prismatic": "prismatic",
    "slider": "prismatic",
    "spherical": "spherical",
}


class CannotHold(BricardError):
    """The model has something that another package, or our translation for it, does not have."""


@dataclass(frozen=True, eq=False)
class Part:
    """A body: mass (kg), inertia (3, 3) about its centre of mass in body axes, x (3,), R (3, 3), v, w (3,) of the centre at the
    start in the world; com (3,), the centre in the body's reference frame."""

    name: str
    mass: float
    inertia: np.ndarray
    com: np.ndarray
    x: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


@dataclass(frozen=True, eq=False)
class Link:
    """A joint between parts a and b (GROUND: -1) at a point (3,) with an axis (3,) of the world at the start."""

    kind: str
    a: int
    b: int
    point: np.ndarray
    axis: np.ndarray


@dataclass(frozen=True)
class Scene:
    """Parts, links, gravity (3,); springs (a, point, b, point, stiffness, length), torques about z (part, N m), planar or not."""

    parts: list[Part]
    links: list[Link]
    gravity: np.ndarray
    planar: bool
    springs: list[tuple[int, np.ndarray, int, np.ndarray, float, float]] = field(default_factory=list)
    torques: list[tuple[int, float]] = field(default_factory=list)

    def pose(self, k: int, x: np.ndarray, R: np.ndarray) -> np.ndarray:
        """(3, 4) position and rotation of the reference frame of a part whose centre of mass is at x, turned by R."""
        return np.column_stack([x - R @ self.parts[k].com, R])

    def tree(self, depth: bool = False) -> tuple[list[tuple[int, Link]], list[Link]]:
        """(part and the link to its parent, branch after branch; links that are cut). A wide tree, or a deep one."""
        seen, links, cut = {GROUND}, {}, list(self.links)
        children: dict[int, list[int]] = {}

        def grow(here):
            new = []
            for link in self.links:
                other = link.b if link.a == here else link.a
                if here in (link.a, link.b) and other not in seen and link in cut:
                    seen.add(other)
                    cut.remove(link)
                    links[other] = link
                    children.setdefault(here, []).append(other)
                    new.append(other)
                    if depth:
                        grow(other)
            return new

        level = grow(GROUND)
        while level and not depth:
            level = [other for here in level for other in grow(here)]
        if len(links) != len(self.parts):
            raise CannotHold("A body hangs on no joint.")
        order, waiting = [], list(reversed(children[GROUND]))
        while waiting:
            part = waiting.pop()
            order.append((part, links[part]))
            waiting += reversed(children.get(part, []))
        return order, cut

    def parent(self, part: int, link: Link) -> int:
        """The other part of a link."""
        return link.a if link.b == part else link.b


def scene(system: Any) -> Scene:
    """The Scene of a System that was built from a model; CannotHold where it has elements that do not translate."""
    model = system.model
    if model is None:
        raise CannotHold("The system was given by its functions.")
    state = assemble(system)
    where = poses(system, state.q[None])
    moving = twists(system, state.q[None], state.v[None], where)
    index, parts = {model.ground.name: GROUND}, []
    for body in model.bodies.values():
        x, R = where[body.name][0][0], where[body.name][1][0]
        v, w = (part[0] for part in moving[body.name])
        index[body.name] = len(parts)
        centre = R @ body.com
        inertia = np.eye(3) * body.inertia[2, 2] if body.planar else body.inertia  # a thin rod has none about its axis
        parts.append(Part(body.name, body.mass, inertia, body.com, x + centre, R, v + np.cross(w, centre), w))
    links = []
    for joint in model.joints.values():
        if joint.kind not in KINDS:
            raise CannotHold(f'Joint "{joint.name}" is of the type {joint.kind}.')
        frame = joint.frame_b if joint.body_a.is_ground else joint.frame_a
        x, R = where[frame.body.name][0][0], where[frame.body.name][1][0]
        a, b = (index[body.name] for body in joint.bodies)
        axis = np.array([0.0, 0.0, 1.0]) if joint.kind == "pin" else R @ frame.rotation[:, 2]
        links.append(Link(KINDS[joint.kind], a, b, x + R @ frame.position, axis))
    found = Scene(parts, links, np.array(model.gravity), all(body.planar for body in model.bodies.values()))
    for force in model.forces.values():
        _add_force(found, force, index, where)
    return found


def _add_force(found, force, index, where):
    law = getattr(force, "law", None)
    if getattr(force, "kind", "") == "spring" and isinstance(law, Linear) and not law.damping:
        ends = []
        for frame in (force.frame_a, force.frame_b):
            x, R = where[frame.body.name][0][0], where[frame.body.name][1][0]
            ends += [index[frame.body.name], x + R @ frame.position]
        found.springs.append((*ends, float(law.stiffness), float(law.free)))
        return
    value = getattr(getattr(law, "profile", None), "value", None)
    a, b = (index[body.name] for body in force.bodies) if hasattr(force, "bodies") else (None, None)
    if getattr(force, "kind", "") == "motor" and isinstance(law, TimeLaw) and value is not None and a == GROUND:
        found.torques.append((b, float(value)))
        return
    raise CannotHold(f'Force "{force.name}" does not translate.')
