"""Wishes for the start as constraint rows: at position level, and at velocity level."""

from dataclasses import dataclass, field

import numpy as np

from ..model.blocks import Block, Measure, flat
from ..model.functions import FunctionElement
from ..model.profiles import Constant, Polynomial


@dataclass
class WishRows:
    """Blocks by name, the softness of each row (0 for a hard wish), and wished values by measure."""

    blocks: list = field(default_factory=list)
    softness: list = field(default_factory=list)
    targets: dict = field(default_factory=dict)

    def add(self, wish, what, blocks):
        """Add the rows of one wish."""
        rows = sum(block.rows for block in blocks)
        target = f'joint "{wish.joint}"' if wish.joint is not None else f'body "{wish.body.name}"'
        self.blocks.append((f"wish for the {what} of {target}", tuple(blocks)))
        self.softness += [0.0 if wish.weight is None else 1.0 / wish.weight] * rows


def position_rows(model):
    """Rows of all wishes for positions and rotations."""
    rows = WishRows()
    for wish in model.wishes:
        if wish.measure is not None and wish.position is not None:
            profile = Constant(float(wish.position))
            rows.targets[wish.measure] = float(wish.position)
            rows.add(wish, "position", [coupling(wish.measure, profile)])
        if wish.body is not None and wish.position is not None:
            rows.add(wish, "position", [_at(model, wish)])
        if wish.body is not None and wish.rotation is not None:
            rows.add(wish, "rotation", _turned(model, wish))
    return rows


def velocity_rows(model, q, system):
    """Rows of all wishes for velocities; only their velocity level counts."""
    rows = WishRows()
    for wish in model.wishes:
        if wish.measure is not None and wish.velocity is not None:
            rows.add(wish, "velocity", [coupling(wish.measure, Polynomial((0.0, float(wish.velocity))))])
        if wish.body is not None and wish.velocity is not None:
            rows.add(wish, "velocity", [_moving(model, wish, "wished_velocity", wish.velocity, ("length",) * 3)])
        if wish.body is not None and wish.angular_velocity is not None:
            rows.add(
                wish, "angular velocity", [_moving(model, wish, "wished_spin", wish.angular_velocity, ("angle",) * 3)]
            )
    return rows


def coupling(measure: Measure, profile):
    """One row that asks a measure to be as a profile."""
    return Block("coupling", measure.bodies, (), ("wish",), (measure.unit,), (measure,), (1.0,), profile)


def _point(wish):
    """The wished point from the centre of mass, in body axes."""
    local = np.zeros(3) if wish.point is None else np.asarray(wish.point, float)
    return local - wish.body.com


def _at(model, wish):
    parameters = flat(np.asarray(wish.position, float), _point(wish))
    kernel, labels = ("coincide_planar", ("x", "y")) if wish.body.planar else ("coincide", ("x", "y", "z"))
    return Block(kernel, (model.ground, wish.body), parameters, labels, ("length",) * len(labels))


def _turned(model, wish):
    """Three rows that make the body axes those of the wished rotation."""
    R, axes, blocks = np.asarray(wish.rotation, float), np.eye(3), []
    pairs = ((0, 1),) if wish.body.planar else ((0, 1), (1, 2), (2, 0))
    for i, j in pairs:
        parameters = flat(R[:, i], axes[:, j], 0.0)
        blocks.append(Block("perpendicular", (model.ground, wish.body), parameters, (f"turn {i}{j}",), ("angle",)))
    return blocks


def _moving(model, wish, function, target, units):
    frames = model.ground.frame(), wish.body.frame(np.zeros(3) if wish.point is None else wish.point)
    count = 3
    element = FunctionElement("wish", "nonholonomic", function, *frames, flat(np.asarray(target, float)), count, units)
    return Block("function", element.bodies, element.parameters, ("x", "y", "z"), units, element=element)
