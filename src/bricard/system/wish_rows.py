"""Wishes for the start as rows: at position level, and at velocity level."""

from typing import Any, NamedTuple

import numpy as np

from .start_coordinates import Measures, Values, cross_matrix, left_jacobian_inverse, nearest, rotation_vector


class Rows(NamedTuple):
    """What wishes ask for. gap (n,): what is missing, m or rad, or per second; bodies (n, 2) and slope (n, 12) as of Values."""

    gap: np.ndarray
    bodies: np.ndarray
    slope: np.ndarray


class WishRows:
    """The rows of all wishes of a model for positions, or for velocities.

    none : take no wishes. instead : other values of measures. softness (n,) : 0 of a hard wish, else 1/weight. names, units,
    labels : of each row. targets : wished positions by measure. near : the last values of the measures, from which angles are
    counted on; None before the first.
    """

    def __init__(self, system, velocities=False, none=False, instead=None):
        model = system.model
        number = self.number = {body: i for i, body in enumerate([*model.bodies.values(), model.ground])}
        asked = () if none else model.wishes
        self.velocities, self.names, self.units, self.labels, softness = velocities, [], [], [], []
        self.targets, coordinates, self.poses = {}, [], []
        self.near: Any = None
        for wish in asked:
            value = wish.velocity if velocities else wish.position
            if wish.measure is not None and value is not None:
                value = value if instead is None else instead[wish.measure]
                coordinates.append((wish, float(value)))
        if not velocities:
            self.targets = {wish.measure: value for wish, value in coordinates}
        self.wished = [wish for wish, _ in coordinates]
        self.measures = Measures(number, [wish.measure for wish in self.wished])
        self.asked = np.array([value for _, value in coordinates])
        for wish, _ in coordinates:
            words = "velocity" if velocities else "position"
            self._name(wish, words, ("wish",), (wish.measure.unit,), softness)
        for wish in asked:
            if wish.body is None:
                continue
            axes = (0, 1) if wish.body.planar else (0, 1, 2)
            turns = (2,) if wish.body.planar else (0, 1, 2)
            place, turn = (wish.velocity, wish.angular_velocity) if velocities else (wish.position, wish.rotation)
            words = ("velocity", "angular velocity") if velocities else ("position", "rotation")
            if place is not None:
                self.poses.append((wish, number[wish.body], axes, place, False))
                self._name(wish, words[0], tuple("xyz"[i] for i in axes), ("length",) * len(axes), softness)
            if turn is not None:
                self.poses.append((wish, number[wish.body], turns, turn, True))
                self._name(wish, words[1], tuple("xyz"[i] for i in turns), ("angle",) * len(turns), softness)
        self.softness, self.size = np.array(softness, float), len(softness)

    def _name(self, wish, what, labels, units, softness):
        target = f'joint "{wish.joint}"' if wish.joint is not None else f'body "{wish.body.name}"'
        self.names += [f"wish for the {what} of {target}"] * len(labels)
        self.units += units
        self.labels += labels
        softness += [0.0 if wish.weight is None else 1.0 / wish.weight] * len(labels)

    def count_anew(self):
        """Take angles between -pi and pi again at the next call of at()."""
        self.near = None

    def edges(self, ground):
        """The bodies that each row joins, as numbers."""
        pairs = [tuple(dict.fromkeys(pair)) for pair in self.measures.bodies.tolist()]
        return pairs + [(ground, body) for _, body, axes, _, _ in self.poses for _ in axes]

    def at(self, x, R):
        """The Rows at poses: gaps of positions; of velocities what is missing to a start at rest."""
        value, bodies, slope = self.measures.at(x, R)
        if not self.velocities:
            value = value if self.near is None else np.where(self.measures.angles, nearest(value, self.near), value)
            self.near = value
        parts = [Values(-self.asked if self.velocities else value - self.asked, bodies, slope)]
        for wish, body, axes, target, turn in self.poses:
            rows = np.zeros((3, 12))
            if turn:
                rows[:, 9:] = np.eye(3)
                if self.velocities:
                    gap = -np.asarray(target, float)
                else:
                    gap = rotation_vector((R[body] @ np.asarray(target, float).T)[None], np.zeros((1, 3)))[0]
                    rows[:, 9:] = left_jacobian_inverse(gap[None])[0]
            else:
                local = np.zeros(3) if wish.point is None else np.asarray(wish.point, float)
                lever = R[body] @ (local - wish.body.com)
                rows[:, 6:9], rows[:, 9:] = np.eye(3), -cross_matrix(lever[None])[0]
                gap = -np.asarray(target, float) + (0.0 if self.velocities else x[body] + lever)
            pair = np.tile([len(x) - 1, body], (3, 1))
            parts.append(Values(*(part[list(axes)] for part in (gap, pair, rows))))
        return Rows(*(np.concatenate(same) for same in zip(*parts, strict=True)))
