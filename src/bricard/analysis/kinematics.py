"""kinematics(): positions, velocities and accelerations of a mechanism whose freedoms are all driven, without any forces.

With as many driven coordinates s as there are freedoms, everything follows from them:

    v = N s',   v' = N s'' + rest,   [G; ds] N = [0; 1],   [G; ds] rest = [gamma; -d/dt(ds) v]

N holds the transmission ratios. They grow without bounds at limit points (dead points), where s turns back although the mechanism
moves on; the way there and beyond is found by continuation (continuation.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..interrupts import whole
from ..model import Model
from ..model.checks import vector
from ..system.assembler import assemble
from ..system.build import build
from ..system.channels import measure_value, poses
from ..system.system import System
from ..system.user_functions import named
from .continuation import Freedoms
from .instant import Instant
from .sweep import DEAD, Limit, Walk, measuring_row, sweep_of, wrong_freedoms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 101  # of a range, if it is not said


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Positions of a mechanism for n values of its driven coordinates, and how everything moves with them.

    coordinates : names of the k driven ones. s : (n, k), their values, m or rad. q : (n, n_q). limits : limit and branch points
    on the way. closed : whether a curve came back to its start. Rates s' (k,) or (n, k), per second, are given to the methods for
    velocities; vectors are in world axes.
    """

    model: Model
    system: System = field(repr=False)
    coordinates: tuple[str, ...]
    s: np.ndarray
    q: np.ndarray
    limits: tuple[Limit, ...]
    closed: bool
    _turns: np.ndarray = field(repr=False)
    _t: float = 0.0
    _way: tuple[np.ndarray, np.ndarray, int] | None = field(default=None, repr=False)  # as of Walk.way()
    _start: dict[Any, float] | None = field(default=None, repr=False)  # angles at the start, where they are counted

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """Smallest and largest value (m or rad) of each driven coordinate on the way."""
        values = np.vstack([self.s, *(limit.value[None] for limit in self.limits)])
        return {
            name: (float(low), float(high))
            for name, low, high in zip(self.coordinates, values.min(axis=0), values.max(axis=0), strict=True)
        }

    @cached_property
    def poses(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Body name -> (positions (n, 3) of the reference frame, rotation matrices (n, 3, 3))."""
        return poses(self.system, self.q)

    @cached_property
    def transmission(self) -> np.ndarray:
        """N (n, n_v, k) with v = N s'; infinite at limit points."""
        k, found = len(self.coordinates), np.full((len(self.s), self.system.n_v, len(self.coordinates)), np.inf)
        for i, instant in self._instants():
            lift = self._lift(instant)
            if lift is not None:
                found[i] = lift[:, self.system.n_rows - k :]
        return found

    @cached_property
    def mass(self) -> np.ndarray:
        """N^T M N (n, k, k): the inertia that the driven coordinates feel, kg or kg m^2."""
        found = np.full((len(self.s),) + (len(self.coordinates),) * 2, np.inf)
        for i, instant in self._instants():
            N = self.transmission[i]
            if np.isfinite(N).all():
                found[i] = N.T @ instant.M @ N
        return found

    def joint(self, coordinate: str) -> np.ndarray:
        """Values (n,) of any joint coordinate, m or rad; turns are counted from the start on, all along the way."""
        measure = self.model.coordinate(coordinate)
        if measure.kind != "angle":
            return self._measured(measure, self.poses)
        for k, name in enumerate(self.coordinates):
            if self.model.coordinate(name) == measure:
                return self.s[:, k].copy()
        if self._way is None:  # of an older version
            return np.unwrap(self._measured(measure, self.poses))
        trail, marks, origin = self._way
        values = np.unwrap(self._measured(measure, poses(self.system, trail)))
        known = (self._start or {}).get(measure, (values[origin] + np.pi) % (2 * np.pi) - np.pi)
        return values[marks] + 2 * np.pi * np.round((known - values[origin]) / (2 * np.pi))

    def point(self, body: Any, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Path (n, 3) of a point given in the body's reference frame, m."""
        x, R = self.poses[self._name(body)]
        return x + R @ vector(point, "A point")

    def ratio(self, coordinate: str) -> np.ndarray:
        """Transmission ratios (n, k): derivatives of any joint coordinate with respect to the driven ones."""
        from .outputs import Coordinate

        found, extended = Coordinate(coordinate, self.model.coordinate(coordinate), True), self._with(coordinate)
        rows = [
            found.rows(Instant(extended, self._t, np.zeros(extended.n_measures)), q, np.zeros(extended.n_v))[1]
            for q in self.q
        ]
        return np.einsum("nij,njk->nik", np.array(rows), self.transmission)[:, 0]

    def point_ratio(self, body: Any, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Derivatives (n, 3, k) of the path of a point with respect to the driven coordinates."""
        return self._ratios(body, point)[0]

    def turn_ratio(self, body: Any) -> np.ndarray:
        """(n, 3, k): angular velocity of a body per rate of the driven coordinates, 1/m or 1."""
        return self._ratios(body, (0.0, 0.0, 0.0))[1]

    def velocity(self, body: Any, rates: Any, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Velocity (n, 3) of a point, m/s."""
        return np.einsum("nik,nk->ni", self.point_ratio(body, point), self._rates(rates))

    def angular_velocity(self, body: Any, rates: Any) -> np.ndarray:
        """Angular velocity (n, 3) of a body, rad/s."""
        return np.einsum("nik,nk->ni", self.turn_ratio(body), self._rates(rates))

    def acceleration(self, body: Any, rates: Any, second: Any = 0.0, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Acceleration (n, 3) of a point, m/s^2, for rates s' and second derivatives s'' of the driven coordinates."""
        return self._accelerations(body, rates, second, point)[0]

    def angular_acceleration(self, body: Any, rates: Any, second: Any = 0.0) -> np.ndarray:
        """Angular acceleration (n, 3) of a body, rad/s^2."""
        return self._accelerations(body, rates, second, (0.0, 0.0, 0.0))[1]

    def plot(self, *quantities: Any, ax: Axes | None = None) -> Axes:
        """Draw joint coordinates ("A", "A.angle") or components of paths (("wheel", "y"), ("wheel", "y", point)) over the first
        driven coordinate, with the limit points."""
        from ..plot.sweeps import draw_kinematics

        return draw_kinematics(self, quantities, ax)

    def __repr__(self) -> str:
        ranges = ", ".join(f"{name} {low:.6g} to {high:.6g}" for name, (low, high) in self.range.items())
        return (
            f"<Kinematics of {self.model.name!r}: {len(self.s)} positions, {ranges}, {len(self.limits)} limit points>"
        )

    def _name(self, body):
        return self.model._body(body, "kinematics").name

    def _with(self, coordinate):
        """The system with a row that measures one more coordinate."""
        return build(self.model, extra=[("measure", (measuring_row(self.model.coordinate(coordinate)),))])

    def _measured(self, measure, poses):
        centred = []
        for body in measure.bodies:
            x, R = poses[body.name]
            centred.append((x + R @ body.com, R))
        return measure_value(measure, *centred)

    def _instants(self, v=None):
        """Each position evaluated in turn, with velocities (n, n_v) if they are given."""
        instant = Instant(self.system, self._t, np.zeros(self.system.n_measures))
        for i, q in enumerate(self.q):
            instant.work.turn[:] = self._turns[i]
            yield i, instant.look(q, np.zeros(self.system.n_v) if v is None else v[i])

    def _lift(self, instant):
        """(n_v, n_rows): velocities or accelerations that a right-hand side of all rows asks for; None at dead points."""
        r = self.system.record
        columns = r.length * np.sqrt(r.metric[: r.n_v])
        U, s, Vt = np.linalg.svd(instant.G * columns * r.row_scale[:, None], full_matrices=False)
        n = self.system.n_v
        if s.size < n or s[n - 1] <= DEAD * s[0]:
            return None
        return columns[:, None] * (Vt.T / s) @ U.T * r.row_scale

    def _rates(self, rates):
        k = len(self.coordinates)
        try:
            given = np.asarray(rates, float)
        except (TypeError, ValueError):
            given = np.full(1, np.nan)
        if not np.isfinite(given).all():
            raise ModelError(f"Rates must be finite numbers, not {rates!r}.")
        if given.ndim == 0 and k == 1:
            given = given[None]
        if given.ndim == 1 and given.size == len(self.s) and k == 1:
            given = given[:, None]
        if given.shape not in ((k,), self.s.shape):
            raise ModelError(
                f"Rates must be one number for each of {k} driven coordinates ({', '.join(self.coordinates)}), or an array of "
                f"shape {self.s.shape}; given is shape {given.shape}."
            )
        return np.broadcast_to(given, self.s.shape)

    def _lever(self, body, point):
        name = self._name(body)
        number, owner = list(self.model.bodies).index(name), self.model.bodies[name]
        R = self.poses[name][1]
        return self.system.record.column[number].astype(int), R, R @ (vector(point, "A point") - owner.com)

    def _ratios(self, body, point):
        column, R, lever = self._lever(body, point)
        N = np.concatenate([self.transmission, np.zeros((len(self.s), 1, len(self.coordinates)))], axis=1)
        turn = R @ N[:, column[3:]]
        return N[:, column[:3]] + np.cross(turn, lever[:, :, None], axis=1), turn

    def _accelerations(self, body, rates, second, point):
        rates, k = self._rates(rates), len(self.coordinates)
        second = self._rates(second if np.ndim(second) or k == 1 else np.zeros(k) + second)
        v, a = np.einsum("nik,nk->ni", self.transmission, rates), np.full((len(self.s), self.system.n_v + 1), np.inf)
        for i, instant in self._instants(v):
            lift = self._lift(instant)
            if lift is not None:
                right = instant.work.gamma.copy()
                right[self.system.n_rows - k :] += second[i]
                a[i, :-1], a[i, -1] = lift @ right, 0.0
        column, R, lever = self._lever(body, point)
        spin = np.einsum("nij,nj->ni", R, np.column_stack([v, np.zeros(len(v))])[:, column[3:]])
        turn = np.einsum("nij,nj->ni", R, a[:, column[3:]])
        return a[:, column[:3]] + np.cross(turn, lever) + np.cross(spin, np.cross(spin, lever)), turn


@whole
def kinematics(model: Model, sweep: Any, *, points: int = POINTS, t: float = 0.0, check: bool = True) -> Kinematics:
    """Drive coordinates of a model through a range, from its assembled start; see Kinematics.

    sweep : {coordinate: (from, to)} for `points` values in between, {coordinate: array of values}, or {coordinate: number} to
    hold it; together as many coordinates as the mechanism has freedoms. Or the name of one coordinate of a mechanism with one
    freedom: then the whole curve of positions through the start is followed, past limit points, until it closes. t : time (s) at
    which drivers of the model stand. check : raise AssemblyError where the range of motion ends on the way; otherwise what was
    reached is given, and `limits` tells where it ends.

    >>> import bricard as br
    >>> model = br.Model("slider-crank", planar=True)
    >>> crank = model.body("crank", br.Rod((0, 0, 0), (0.3, 0, 0), mass=1.0))
    >>> rod = model.body("rod", br.Rod((0.3, 0, 0), (1.3, 0, 0), mass=1.0))
    >>> block = model.body("block", br.PointMass((1.3, 0, 0), mass=1.0))
    >>> _ = model.pin("A", model.ground, crank, (0, 0, 0)), model.pin("B", crank, rod, (0.3, 0, 0))
    >>> _ = model.pin("C", rod, block, (1.3, 0, 0)), model.slider("D", model.ground, block, (1.3, 0, 0), (1, 0, 0))
    >>> found = br.kinematics(model, {"A": (0.0, 3.14159)}, points=3)
    >>> found.point("block")[:, 0].round(4)
    array([1.3   , 0.9539, 0.7   ])
    """
    if not isinstance(model, Model):
        raise ModelError(f"kinematics() takes a Model, not {model!r}.")
    names, values = sweep_of(model, sweep, points)
    measures = [model.coordinate(name) for name in names]
    system = build(
        model, extra=[(f"sweep of {name}", (measuring_row(m),)) for name, m in zip(names, measures, strict=True)]
    )
    built = build(model)
    state = assemble(built, t)
    instant = Instant(system, t, np.zeros(system.n_measures))
    counted = {**built.kept.get("angles", {}), **dict(zip(built.measures, state.turn, strict=True))}
    turn = np.array([counted.get(measure, 0.0) for measure in system.measures])
    instant.work.turn[:] = turn
    start = instant.look(state.q, np.zeros(system.n_v)).work
    here, turn = start.phi[system.n_rows - len(names) :].copy(), start.value.copy()
    walk = Walk(model, system, names, t, check)
    try:
        with named(system):
            if values is None:
                walk.whole(state.q, turn, here)
            else:
                walk.through(state.q, turn, here, values)
    except Freedoms as found:
        if not found.rigid and model.report().singular:
            raise ModelError(
                f'The start of model "{model.name}" is a branch point: the mechanism can move on in more than one way, and '
                f"driving {', '.join(names)} does not tell which. Draw it elsewhere, on the branch that is meant."
            ) from None
        raise ModelError(wrong_freedoms(model, names, found)) from None
    return Kinematics(model, system, names, *walk.result(), t, walk.way(), counted)


__all__ = ["Kinematics", "Limit", "kinematics"]
