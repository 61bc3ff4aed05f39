"""Equality constraints of MJCF: `connect`, `weld` and `joint` become exact joints."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from bricard.errors import ModelError, suggest
from bricard.io.mjcf.document import MAIN, WORLD
from bricard.io.skeleton import Pose
from bricard.model.frames import rotation_matrix
from bricard.model.model import Model

if TYPE_CHECKING:
    from bricard.io.mjcf.importing import Tree

__all__ = ["Equalities"]


class Equalities:
    """The section <equality> of a document."""

    def __init__(self, tree: Tree):
        self.tree, self.document = tree, tree.document
        self.notes: list[str] = []
        sections = self.document.root.findall("equality")
        self.elements = [self._complete(element) for section in sections for element in section]

    def _complete(self, element: Element) -> Element:
        """Defaults of all kinds of equality stand under the tag `equality`."""
        whole = self.document.complete(Element("equality", element.attrib), MAIN)
        whole.tag = element.tag
        return whole

    def declare(self, model: Model) -> None:
        """Declare a joint for each one that is active."""
        off = self.document.disabled("equality", "constraint")
        for element in self.elements:
            name = self._name(element, model)
            if off:
                self.notes.append(f'equality "{name}": a flag of <option> switches it off, so it is left out.')
                continue
            if element.get("active", "true") == "false":
                self.notes.append(f'equality "{name}": it is not active, so it is left out.')
                continue
            match element.tag:
                case "connect":
                    self._connect(model, element, name)
                case "weld":
                    self._weld(model, element, name)
                case "joint":
                    self._couple(model, element, name)
                case _:
                    self.notes.append(f'equality "{name}" ({element.tag}): it has no counterpart and is left out.')

    def _name(self, element: Element, model: Model) -> str:
        ends = [element.get(key, "") for key in ("body1", "site1", "joint1", "body2", "site2", "joint2")]
        name = element.get("name") or " ".join([element.tag, *(end for end in ends if end)])
        while name in model.joints:
            name += "'"
        return name

    def _connect(self, model: Model, element: Element, name: str) -> None:
        """Two points stay together: those of two sites, or the anchor of body1 and what is there of body2."""
        if "site1" in element.attrib:
            (body_a, pose_a), (body_b, pose_b) = self._site(element, "site1"), self._site(element, "site2")
            frames = {"frame_a": _frame(pose_a), "frame_b": _frame(pose_b)}
            model.spherical(name, body_a, body_b, **frames)
            return
        first, second = self._body(element, "body1"), self._body(element, "body2")
        anchor = self.tree.skeleton.link(first).pose.point(self.document.numbers(element, "anchor", 3))
        skeleton = self.tree.skeleton
        model.spherical(name, skeleton.body(first), skeleton.body(second), point=anchor)

    def _weld(self, model: Model, element: Element, name: str) -> None:
        """Two frames stay together: of two sites, or body2 at `relpose` in body1, its drawn pose if that is not given."""
        skeleton = self.tree.skeleton
        if "site1" in element.attrib:
            (body_a, pose_a), (body_b, pose_b) = self._site(element, "site1"), self._site(element, "site2")
            model.fixed(name, body_a, body_b, frame_a=_frame(pose_a), frame_b=_frame(pose_b))
            return
        first, second = self._body(element, "body1"), self._body(element, "body2")
        relative = self.document.numbers(element, "relpose", 7, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if np.any(relative[3:]):
            target = Pose(relative[:3], rotation_matrix(relative[3:], f"{name}: relpose"))
        else:
            target = skeleton.link(first).pose.inverse() @ skeleton.link(second).pose
        frame_a, frame_b = skeleton.in_body(first) @ target, skeleton.in_body(second)
        model.fixed(name, skeleton.body(first), skeleton.body(second), frame_a=_frame(frame_a), frame_b=_frame(frame_b))

    def _couple(self, model: Model, element: Element, name: str) -> None:
        """q1 - ref1 = c0 + c1 (q2 - ref2) + ...; coordinates of the model are zero at the refs."""
        first = self._joint(element, "joint1")
        coefficients = self.document.numbers(element, "polycoef", None, (0.0, 1.0, 0.0, 0.0, 0.0))
        if "joint2" not in element.attrib:
            model.drive(name, first, float(coefficients[0]))
            return
        second = self._joint(element, "joint2")
        offset, factor, *higher = np.append(coefficients, np.zeros(max(0, 2 - len(coefficients)))).tolist()
        if any(higher):
            self.notes.append(
                f'equality "{name}": its polynomial is not straight, so it is left out; declare a joint of your own.'
            )
        elif factor == 0.0:
            model.drive(name, first, offset)
        else:
            model.gear(name, first, second, -factor, offset=offset)

    def _body(self, element: Element, key: str) -> str:
        name = element.get(key, WORLD if key == "body2" else "")
        if name not in self.tree.names:
            raise ModelError(f'<{element.tag}>: there is no body "{name}".{suggest(name, self.tree.names)}')
        return self.tree.names[name]

    def _site(self, element: Element, key: str) -> tuple[str, Pose]:
        """The body of a site, and where the site stands in it."""
        name = element.get(key, "")
        if name not in self.tree.sites:
            raise ModelError(f'<{element.tag}>: there is no site "{name}".{suggest(name, self.tree.sites)}')
        link, pose = self.tree.sites[name]
        return self.tree.skeleton.body(link), self.tree.skeleton.in_body(link) @ pose

    def _joint(self, element: Element, key: str) -> str:
        name = element.get(key, "")
        if name not in self.tree.joints:
            raise ModelError(f'<{element.tag}>: there is no joint "{name}".{suggest(name, self.tree.joints)}')
        return name


def _frame(pose: Pose) -> dict[str, np.ndarray]:
    return {"position": pose.position, "rotation": pose.rotation}
