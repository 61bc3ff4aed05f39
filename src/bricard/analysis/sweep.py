"""The way of a sweep: through given values of driven coordinates, or along the whole curve of positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import AssemblyError, ModelError
from ..model.blocks import Block
from ..model.profiles import Constant
from ..system.channels import poses
from .continuation import FIRST, LARGEST, Curve, Line

LONGEST = 200.0  # arc length after which a curve that does not close is left, in characteristic lengths or radians
GROWTH = 1.5  # of the steps
DEAD = 1e-7  # smallest singular value, below which transmission ratios are infinite
SAME = 1e-9  # distance at which a closed curve has come back


class Limit(NamedTuple):
    """A point where a driven coordinate turns back (kind "limit"), or another curve of positions crosses (kind "branch").

    value : (k,) of the driven coordinates, m or rad. q : (n_q,). text : a sentence.
    """

    kind: str
    value: np.ndarray
    q: np.ndarray
    text: str


class Walk:
    """The way through the positions, as it is made."""

    def __init__(self, model, system, names, t, check):
        self.model, self.system, self.names, self.t, self.check = model, system, names, t, check
        self.samples, self.limits, self.closed, self.under_way = [], [], False, False
        self.trail, self.marks, self.origin = [], [], 0

    def result(self):
        """Values (n, k), positions (n, n_q), limits, whether the curve closed, counted measures (n, measures)."""
        s, q, turns = (np.array(part) for part in zip(*self.samples, strict=True))
        return s, q, tuple(self.limits), self.closed, turns

    def way(self):
        """All positions (m, n_q) on the way, as close to each other as it was gone; which of them are samples (n,), which is the
        start."""
        return np.array(self.trail), np.array(self.marks, int), self.origin

    def through(self, q, turn, here, values):
        """From the start to the first of the values (n, k), then through all of them; samples at each."""
        self.trail.append(q)
        for number, target in enumerate(values):
            way = target - here
            size = float(np.linalg.norm(way * self._scale))
            if size > 0.0:
                curve = Curve(self.system, len(self.names), Line(here, way / size), self.t, turn)
                point = self._reach(curve, curve.begin(q, turn, True), size, number > 0)
                if point is None:
                    if not self.samples:
                        self._refuse(target)
                    return
                q, turn = point.q, point.turn
                self.trail.append(q)
            elif not self.samples:
                line = Line(here, 1.0 / self._scale / len(self.names) ** 0.5)
                Curve(self.system, len(self.names), line, self.t, turn).begin(q, turn, True)
            here = target
            self.samples.append((target, q, turn))
            self.marks.append(len(self.trail) - 1)

    def whole(self, q, turn, here):
        """The whole curve through the start: forwards, and backwards unless it closes."""
        curve = Curve(self.system, 1, Line(here, 1.0 / self._scale), self.t, turn)
        start = curve.begin(q, turn, True)
        ahead, limits = self._follow(curve, start)
        behind, before = ([], []) if self.closed else self._follow(curve, curve.begin(q, turn, False))
        for point in [*reversed(behind), start, *ahead]:
            self.samples.append((curve.line.base + point.m * curve.line.way, point.q, point.turn))
        self.limits = [*reversed(before), *limits]
        self.trail, self.marks, self.origin = (
            [q for _, q, _ in self.samples],
            list(range(len(self.samples))),
            len(behind),
        )

    @property
    def _scale(self):
        return self.system.record.row_scale[self.system.n_rows - len(self.names) :]

    def _reach(self, curve, point, m, counts):
        """The Point with a given m; limits on the way are kept if it counts. None where the range of motion ends before."""
        if abs(point.tangent[-1]) < DEAD:
            if not self.under_way:
                raise AssemblyError(self._dead(curve.line.base))
            self._stop(curve, point, "limit", m)
            return None
        arc, self.under_way = FIRST, True
        while point.m < m:
            there, arc = curve.step(point, min(arc, LARGEST))
            for each in curve.found(point, there, arc):
                if each.point.m >= m:
                    break
                if each.kind == "limit":
                    self._stop(curve, each.point, each.kind, m)
                    return None
                if counts:
                    self.limits.append(self._limit(curve, each))
            ends = [each for each in curve.found(point, there, arc) if each.kind == "limit"]
            if ends:
                there, arc = ends[0].point, ends[0].arc
            if there.m >= m:
                return curve.at(point, there, arc, m)
            point, arc = there, arc * GROWTH
            self.trail.append(point.q)
        return point

    def _follow(self, curve, start):
        """Points of the curve from the start on, and the limits among them, until it closes or gets too long."""
        points, limits, point, arc, length = [], [], start, FIRST, 0.0
        home = self._image(start.q)
        while length < LONGEST:
            there, arc = curve.step(point, min(arc, LARGEST))
            for each in curve.found(point, there, arc):
                limits.append(self._limit(curve, each))
                if each.kind == "limit":
                    points.append(each.point)
            back = self._back(curve, point, there, arc, start, home) if length > 4 * LARGEST else None
            if back is not None:
                self.closed = True
                return [*points, back], limits
            points.append(there)
            point, length, arc = there, length + arc, arc * GROWTH
        return points, limits

    def _image(self, q):
        """A position in numbers that do not depend on counted turns or on the sign of a quaternion."""
        found = poses(self.system, q[None])
        return np.concatenate([np.append(x / self.system.length, R.ravel()) for x, R in found.values()])

    def _back(self, curve, point, there, arc, start, home):
        """The Point where the curve comes back to its start within a step, or None."""
        if np.abs(self._image(there.q) - home).max() > 2.0 * LARGEST or there.tangent @ start.tangent < 0.9:
            return None
        ways, step = (0.0, arc), arc
        while step > 1e-12:  # the nearest place on the step, by halves
            middle = np.linspace(*ways, 5)
            gaps = [np.linalg.norm(self._image(curve.surely(point, way).q) - home) for way in middle]
            best = int(np.argmin(gaps))
            if gaps[best] < SAME:
                return curve.surely(point, middle[best])
            ways = middle[max(best - 1, 0)], middle[min(best + 1, 4)]
            step *= 0.5
        return None

    def _limit(self, curve, found):
        value = curve.line.base + found.point.m * curve.line.way
        return Limit(found.kind, value, found.point.q, self._sentence(found.kind, value))

    def _sentence(self, kind, value):
        where = ", ".join(f'"{name}" = {x:.10g} {self._unit(name)}' for name, x in zip(self.names, value, strict=True))
        if kind == "limit":
            return f"Limit of the motion at {where}: the coordinate turns back there, the mechanism can move on."
        return f"Branch point at {where}: the mechanism can move on in more than one way."

    def _dead(self, value):
        where = ", ".join(f'"{name}" = {x:.10g} {self._unit(name)}' for name, x in zip(self.names, value, strict=True))
        return (
            f'The sweep of model "{self.model.name}" begins at a dead point, {where}: the coordinate turns back there, so that '
            "the positions beside it lie on two sides. Draw the start, or wish for it, a little to the side that is meant."
        )

    def _unit(self, name):
        return "rad" if self.model.coordinate(name).unit == "angle" else "m"

    def _stop(self, curve, point, kind, m):
        """Note the end of the range of motion, and raise if that is asked for."""
        value, target = (curve.line.base + x * curve.line.way for x in (point.m, m))
        self.limits.append(Limit(kind, value, point.q, self._sentence(kind, value)))
        if self.check:
            self._refuse(target)

    def _refuse(self, target):
        wanted = ", ".join(f'"{n}" = {x:.10g} {self._unit(n)}' for n, x in zip(self.names, target, strict=True))
        reached = ", ".join(
            f'"{n}" = {x:.10g} {self._unit(n)}' for n, x in zip(self.names, self.limits[-1].value, strict=True)
        )
        raise AssemblyError(
            f'Model "{self.model.name}" cannot reach {wanted}: its range of motion ends at {reached}, a limit point. Sweep less '
            f'far, or follow the whole curve with kinematics(model, "{self.names[0]}"), which goes on behind the limit point.'
        )


def measuring_row(measure):
    """One row that measures a coordinate."""
    return Block("coupling", measure.bodies, (), ("sweep",), (measure.unit,), (measure,), (1.0,), Constant(0.0))


def sweep_of(model, sweep, points):
    """Names (k,) of the driven coordinates, and their values (n, k), or None for the whole curve."""
    if isinstance(sweep, str):
        model.coordinate(sweep)
        return (sweep,), None
    if not isinstance(sweep, dict) or not sweep:
        raise ModelError(
            "kinematics: sweep must be {coordinate: (from, to)}, {coordinate: values}, or the name of one coordinate, not "
            f"{sweep!r}."
        )
    if not isinstance(points, int) or points < 2:
        raise ModelError(f"kinematics: points must be a whole number of at least 2, not {points!r}.")
    columns = {}
    for name, given in sweep.items():
        model.coordinate(name)
        try:
            values = np.asarray(given, float)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        if values.ndim > 1 or not values.size or not np.isfinite(values).all():
            raise ModelError(
                f'kinematics: the values of "{name}" must be finite numbers, (from, to) or a list, not {given!r}.'
            )
        columns[name] = (
            np.linspace(values[0], values[1], points) if isinstance(given, tuple) and values.size == 2 else values
        )
    sizes = {len(values) for values in columns.values() if values.ndim}
    if len(sizes) > 1:
        raise ModelError(f"kinematics: the coordinates have different numbers of values: {sorted(sizes)}.")
    n = sizes.pop() if sizes else 1
    return tuple(columns), np.column_stack([np.broadcast_to(values, (n,)) for values in columns.values()])


def wrong_freedoms(model, names, found):
    """The sentence for a sweep that drives too few or too many coordinates."""
    listed = ", ".join(f'"{name}"' for name in names)
    if found.rigid:
        return (
            f'The coordinates {listed} of model "{model.name}" cannot be driven independently: there are {found.missing} more of '
            "them than the mechanism has freedoms. Leave one out; model.report() counts the freedoms."
        )
    return (
        f'Driving {listed} leaves {found.missing} more freedoms of model "{model.name}" undetermined. Sweep or hold as many '
        "coordinates as there are freedoms ({coordinate: number} holds one; a rod between two ball joints turns about itself "
        "unless one of them is a universal joint); model.report() counts them."
    )
