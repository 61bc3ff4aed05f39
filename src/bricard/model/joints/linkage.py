"""A linkage between two bodies: another model, put in as one joint. Its inner bodies, joints, springs and dampers come along.

Nothing is approximated: inner links are bodies with their masses (or massless rods, `model.distance`), so that their inertia,
their weight and the forces on them act as they do, and the joint passes its limit points. The two bodies that the linkage stands
between are those of the host; masses that they have in the linkage's own model do not count, nor do wishes for its start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bricard.errors import ModelError
from bricard.model.blocks import Block, Measure
from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.joints.base import FrameJoint
from bricard.model.unchanging import FrozenDict

__all__ = ["Linkage", "Source", "checked_linkage", "expanded"]

SINGULAR = 1e-9  # smallest singular value, of the largest
NAMED = ("coordinate", "coordinate_1", "coordinate_2")  # keywords of declarations that name coordinates


class Source(NamedTuple):
    """The model of a linkage, the two bodies that it stands between, and its coordinates by name."""

    model: Any
    between: tuple[Body, Body]
    coordinates: dict[str, str]


@dataclass(frozen=True, eq=False)
class Linkage(FrameJoint):
    """The joint that a linkage makes: no rows of its own, the coordinates of the linkage. sources : their full names."""

    kind = "linkage"
    freedom = 6
    sources: dict[str, str]
    measures: dict[str, Measure]

    def blocks(self) -> tuple[Block, ...]:
        """Return no rows: those of the inner joints do the work."""
        return ()

    def coordinates(self) -> dict[str, Measure]:
        """Return the coordinates of the linkage."""
        return self.measures

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this joint again."""
        return {**super().declaration(), "coordinates": self.sources}


def checked_linkage(model: Any, between: object, coordinates: object) -> Source:
    """Return the Source of a linkage whose coordinates are as many as its freedoms, and determine its motion as drawn."""
    where = "UserJoint.from_linkage"
    if not hasattr(model, "bodies") or not hasattr(model, "report"):
        raise ModelError(f"{where}: the linkage must be a Model, not {model!r}.")
    if not isinstance(between, tuple | list) or len(between) != 2:
        raise ModelError(f"{where}: between must be two bodies of the linkage, not {between!r}.")
    a, b = (model._body(body, f"{where}: between") for body in between)
    if a is b or b.is_ground:
        raise ModelError(f"{where}: between must be two different bodies, the ground only as the first of them.")
    if not isinstance(coordinates, Mapping) or not coordinates:
        raise ModelError(
            f'{where}: coordinates must be {{name: coordinate of the linkage}}, for example {{"z": "travel.z"}}.'
        )
    for name in coordinates:
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"{where}: a coordinate needs a name of letters and digits, not {name!r}.")
    measures = [model._measure(source, f'{where}: coordinate "{name}"') for name, source in coordinates.items()]
    families = (("joint", model.joints), ("force", model.forces))
    tied = [f'{family} "{e.name}"' for family, elements in families for e in elements.values() if _on_ground(e)]
    if not a.is_ground and tied:
        raise ModelError(
            f'{where}: model "{model.name}" is held by its ground ({tied[0]}), which is neither of the two bodies. Let '
            "the ground be the first of them, or leave it out of the linkage."
        )
    report = model.report()
    own = 0 if a.is_ground else 6
    if not report.assembled:
        raise ModelError(f'{where}: model "{model.name}" cannot be assembled as drawn. {report.problem}')
    if report.freedom - own != len(measures):
        raise ModelError(
            f'{where}: model "{model.name}" has {report.freedom - own} freedoms between "{a.name}" and "{b.name}", but '
            f"{len(measures)} coordinates are given ({', '.join(coordinates)}). Give as many as there are freedoms; a rod "
            "between two balls turns about itself: make it massless (model.distance), or one of its joints universal."
        )
    _refuse_singular(model, a, coordinates, measures, where)
    from bricard.model.frozen import frozen

    return Source(frozen(model), (a, b), FrozenDict(coordinates))


def _on_ground(element):
    """Whether a joint or force is fixed to the ground."""
    table = element.declaration()
    places = [*(table.get("bodies") or ()), *(value.body for value in table.values() if isinstance(value, Frame))]
    return any(body.is_ground for body in places)


def _refuse_singular(model, a, coordinates, measures, where):
    """Raise where the coordinates do not determine the motion of the linkage as drawn."""
    from bricard.model.profiles import Constant

    rows = [
        (f"coordinate {name}", (Block("coupling", m.bodies, (), ("s",), (m.unit,), (m,), (1.0,), Constant(0.0)),))
        for name, m in zip(coordinates, measures, strict=True)
    ]
    system = model.build(extra=rows)
    r = system.record
    G = system.jacobian(0.0, system.start).toarray() * r.row_scale[:, None] * np.sqrt(r.metric[: r.n_v]) * r.length
    values = np.linalg.svd(G, compute_uv=False)
    needed = r.n_v - (0 if a.is_ground else 6)
    if values.size < needed or not values[needed - 1] > SINGULAR * values[0]:
        raise ModelError(
            f'{where}: the transmission of model "{model.name}" is singular as drawn: {", ".join(coordinates.values())} do not '
            f"determine its motion there (smallest singular value {values[needed - 1]:.2g}). Take other coordinates, or draw it "
            "elsewhere."
        )


def expanded(host: Any, name: str, frames: tuple[Frame, Frame], source: Source) -> Linkage:
    """Put a linkage into the host between two frames, which stand for the reference frames of its two bodies: all of it, or
    nothing where something does not fit."""
    families = (host.bodies, host.joints, host.forces)
    before = [set(family) for family in families]
    try:
        return Expansion(host, name, frames, source).made()
    except BaseException:
        for family, names in zip(families, before, strict=True):
            for added in set(family) - names:
                del family[added]
        raise


class Expansion:
    """A linkage on its way into another model. Inner names are "joint/inner"."""

    def __init__(self, host, name, frames, source):
        self.host, self.name, self.source = host, name, source
        self.ends = dict(zip(source.between, frames, strict=True))
        self.bodies = {body: frame.body for body, frame in self.ends.items()}

    def made(self):
        """Add bodies, joints and forces; return the joint itself."""
        model, host = self.source.model, self.host
        for body in model.bodies.values():
            if body not in self.ends:
                self.bodies[body] = self._body(body)
        for family, elements in (("joint", model.joints), ("force", model.forces)):
            for element in elements.values():
                self._element(element, family)
        sources = {key: self._inner(coordinate) for key, coordinate in self.source.coordinates.items()}
        return host.linkage(
            self.name,
            *(f.body for f in self.ends.values()),
            sources,
            **dict(zip(("frame_a", "frame_b"), self.ends.values(), strict=True)),
        )

    def _inner(self, name):
        return f"{self.name}/{name}"

    def _body(self, body):
        """An inner body, where it stands to the first frame of the host as it stands to the first body of the linkage."""
        a, frame = self.source.between[0], self.ends[self.source.between[0]]
        turn = frame.world_rotation @ a.rotation.T
        place = frame.world_position + turn @ (body.position - a.position)
        name = self.host._new_name(self._inner(body.name), "body")
        moved = replace(body, name=name, position=place, rotation=turn @ body.rotation)
        self.host.bodies[name] = moved
        return moved

    def _frame(self, frame):
        """A frame of the linkage as a frame of the host."""
        body = self._owner(frame.body)
        if frame.body not in self.ends:
            return body.frame(frame.position, frame.rotation)
        end = self.ends[frame.body]
        return body.frame(end.position + end.rotation @ frame.position, end.rotation @ frame.rotation)

    def _owner(self, body):
        if body not in self.bodies:
            raise ModelError(
                f'joint "{self.name}": an element of the linkage is fixed to its ground, which is neither of the two bodies '
                "between which it stands."
            )
        return self.bodies[body]

    def _value(self, method, key, value):
        if isinstance(value, Frame):
            return self._frame(value)
        if isinstance(value, Body):
            return self._owner(value)
        if key == "coordinates" and method == "linkage":
            return {name: self._inner(source) for name, source in value.items()}
        return self._inner(value) if key in NAMED and value is not None else value

    def _element(self, element, family):
        table = element.declaration()
        method, bodies = table.pop("type"), table.pop("bodies", None)
        keywords = {key: self._value(method, key, value) for key, value in table.items()}
        if bodies is not None:
            keywords["body_a"], keywords["body_b"] = (self._owner(body) for body in bodies)
        getattr(self.host, method)(self._inner(element.name), **keywords)
