"""Following the curve of configurations that a mechanism can take when all but one way of moving is prescribed.

Unknowns are the position q and one number m; k coordinates s of the mechanism follow a straight line:

    Phi(t, q) = 0,   s(q) = base + m way

In the space of (q, m) the solutions form a smooth curve also where m itself turns back, at a **limit point** (fold, dead point).
It is followed by its arc length with Keller's pseudo-arclength method, a step along the tangent and Newton's method across it.
Where two curves cross, at a **branch point**, the Jacobian of all equations loses rank and its determinant changes sign. Both
are located on the curve to round-off. Lengths are divided by the characteristic length, so that nothing depends on units.
Reference: Keller 1977, in: Applications of Bifurcation Theory (ed. Rabinowitz), 359-384; Allgower and Georg 2003,
doi:10.1137/1.9780898719154.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from ..errors import AssemblyError
from ..linalg.rank import rank
from .instant import Instant

LARGEST, SMALLEST, FIRST = 0.12, 1e-7, 0.02  # steps of arc length, in characteristic lengths or radians
TURN = 0.99  # cosine of the largest angle between the tangents at both ends of a step
TOLERANCE, ENOUGH, ITERATIONS = 1e-14, 1e-12, 10  # of Newton's method, scaled
NODES = 14  # of the polynomial with which a branch point is found
ROUND_OFF = 1e-15


class Point(NamedTuple):
    """A point of the curve: position, m, counted measures, unit tangent (n_v + 1,) in scaled increments, and the Jacobian."""

    q: np.ndarray
    m: float
    turn: np.ndarray
    tangent: np.ndarray
    jacobian: np.ndarray
    distance: float  # smallest singular value: the distance to a branch point


class Found(NamedTuple):
    """A limit or branch point on a step: its kind, its place on the step, the point."""

    kind: str
    arc: float
    point: Point


@dataclass(frozen=True, eq=False)
class Line:
    """The straight line s = base + m way that k coordinates follow. base, way : (k,) in m or rad."""

    base: np.ndarray
    way: np.ndarray


class Curve:
    """The configurations of a system whose last k rows are the coordinates themselves (value - 0), along a Line.

    t : time (s) at which drivers stand still.
    """

    def __init__(self, system, k, line, t, turn):
        self.system, self.line, self.k = system, line, k
        self.instant = Instant(system, t, turn)
        r = system.record
        self.columns = r.length * np.sqrt(r.metric[: r.n_v])  # from dimensionless increments to metres and radians
        self.rows = r.row_scale
        self.still = np.zeros(r.n_v)

    def equations(self, q, m, turn):
        """Residual (n_rows,) and Jacobian (n_rows, n_v + 1), dimensionless, and the measures."""
        self.instant.work.turn[:] = turn
        now, k = self.instant.look(q, self.still), self.k
        phi = now.work.phi.copy()
        phi[len(phi) - k :] -= self.line.base + m * self.line.way
        last = np.zeros(len(phi))
        last[len(phi) - k :] = -self.line.way
        jacobian = np.column_stack([now.G * self.columns, last]) * self.rows[:, None]
        return phi * self.rows, jacobian, now.work.value.copy()

    def corrected(self, q, m, turn, across):
        """The Point of the curve in the plane through (q, m) across a direction (n_v + 1,), or None; its tangent has any sign."""
        size, residual = np.inf, None
        for _ in range(ITERATIONS):
            residual, jacobian, value = self.equations(q, m, turn)
            worst = float(np.abs(residual).max(initial=0.0))
            if not np.isfinite(worst):
                return None
            if worst <= TOLERANCE or (size <= ENOUGH and worst <= ENOUGH):
                return self._point(q, m, value, jacobian)
            step = np.linalg.lstsq(np.vstack([jacobian, across]), np.append(-residual, 0.0), rcond=None)[0]
            size = float(np.abs(step).max())
            if not size < 1.0:
                return None
            q, m, turn = self.system.retract(q, self.columns * step[:-1]), m + step[-1], value
        residual, jacobian, value = self.equations(q, m, turn)
        return self._point(q, m, value, jacobian) if np.abs(residual).max(initial=0.0) <= ENOUGH else None

    def _point(self, q, m, value, jacobian):
        n = self.system.n_v
        s, Vt = np.linalg.svd(jacobian, full_matrices=True)[1:]
        return Point(q, float(m), value, Vt[n], jacobian, float(s[n - 1]) if s.size >= n else 0.0)

    def begin(self, q, turn, forward):
        """The Point to start from, its tangent in the direction of growing m if `forward`, else of falling m."""
        _, jacobian, value = self.equations(q, 0.0, turn)
        n = self.system.n_v
        found = rank(np.linalg.svd(jacobian, compute_uv=False)) if jacobian.size else 0
        if found != n:
            raise Freedoms(found - n)
        point = self._point(q, 0.0, value, jacobian)
        return _oriented(point, np.append(self.still, 1.0 if forward else -1.0))

    def ahead(self, point, arc):
        """The Point of the curve after a step along the tangent of `point`, or None where Newton's method does not get there."""
        q = self.system.retract(point.q, arc * self.columns * point.tangent[:-1])
        there = self.corrected(q, point.m + arc * point.tangent[-1], point.turn, point.tangent)
        return None if there is None else _oriented(there, point.tangent)

    def surely(self, point, arc):
        """As ahead(), on a step that is known to converge."""
        there = self.ahead(point, arc) if arc else point
        if there is None:
            raise AssemblyError(f"The curve of configurations cannot be followed near {self.place(point)}.")
        return there

    def step(self, point, arc):
        """The next Point, and the arc that was taken: halved until Newton's method converges and the tangent turns little."""
        while True:
            there = self.ahead(point, arc)
            if there is not None and there.tangent @ point.tangent >= TURN:
                return there, arc
            arc *= 0.5
            if arc < SMALLEST:
                raise AssemblyError(
                    f"The curve of configurations cannot be followed beyond {self.place(point)}: no step of more than "
                    f"{arc:.1g} converges. The position there is close to a singular one of higher order."
                )

    def place(self, point):
        """Where a point is, in numbers."""
        values = self.line.base + point.m * self.line.way
        return ", ".join(f"{value:.10g}" for value in values)

    def found(self, point, there, arc):
        """Limit and branch points between two neighbouring Points, in their order."""
        found = []
        if point.tangent[-1] * there.tangent[-1] < 0.0:
            found.append(self._fold(point, arc))
        if self._crossed(point, there):
            found.append(self._branch(point, arc))
        return sorted(found, key=lambda each: each.arc)

    def _fold(self, point, arc):
        """The Point where m turns back."""

        def slope(way):
            return self.surely(point, way).tangent[-1]

        way: Any = brentq(slope, 0.0, arc, xtol=ROUND_OFF, rtol=4 * np.finfo(float).eps)
        return Found("limit", float(way), self.surely(point, float(way)))

    def _signed(self, point, there):
        """Distance from a branch point, with a sign that changes there: that of the determinant of the bordered Jacobian."""
        n = self.system.n_v
        U = np.linalg.svd(point.jacobian, full_matrices=False)[0][:, :n]
        signs = [np.linalg.slogdet(np.vstack([U.T @ p.jacobian, p.tangent]))[0] for p in (point, there)]
        return float(signs[0] * signs[1] * there.distance)

    def _crossed(self, point, there):
        return self._signed(point, there) < 0.0

    def _branch(self, point, arc):
        """The Point where another curve crosses: polynomials through points beside it, where all is regular."""
        low, high, way, q, m = 0.0, arc, 0.5 * arc, point.q, point.m
        for _ in range(3):
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            places = middle + half * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
            pairs = [(place, there) for place in places if (there := self.ahead(point, place)) is not None]
            x, there = np.array([place for place, _ in pairs]), [there for _, there in pairs]
            table = np.column_stack(
                [[self._signed(point, p) for p in there], [p.m for p in there], [p.q for p in there]]
            )
            fits = [np.polynomial.Chebyshev.fit(x, column, len(x) - 1, domain=[low, high]) for column in table.T]
            roots = fits[0].roots()
            inside = roots.real[(np.abs(roots.imag) < 1e-4 * half) & (np.abs(roots.real - middle) < half)]
            if not inside.size:
                break
            way = float(inside[np.argmin(np.abs(inside - middle))])
            m, *numbers = (float(fit(way)) for fit in fits[1:])
            q = self.system.retract(np.array(numbers), self.still)
            low, high = max(way - 0.2 * half, 0.0), min(way + 0.2 * half, arc)
        _, jacobian, value = self.equations(q, m, point.turn)
        return Found("branch", way, self._point(q, m, value, jacobian)._replace(tangent=point.tangent))

    def at(self, point, there, arc, m):
        """The Point between two neighbouring ones with a given m, which is monotonic there."""
        if m == there.m:
            return there
        share = arc * (m - point.m) / (there.m - point.m)
        guess, across = self.ahead(point, share), np.append(self.still, 1.0)
        if guess is not None:
            q = self.system.retract(guess.q, (m - guess.m) / guess.tangent[-1] * self.columns * guess.tangent[:-1])
            exact = self.corrected(q, m, guess.turn, across)
            if exact is not None and abs(exact.tangent @ guess.tangent) >= TURN:
                return _oriented(exact, point.tangent)
        return self.surely(point, brentq(lambda way: self.surely(point, way).m - m, 0.0, arc, xtol=ROUND_OFF))


class Freedoms(Exception):
    """The rows leave more (positive) or fewer (negative) ways than one curve."""

    def __init__(self, surplus):
        super().__init__(surplus)
        self.rigid = surplus > 0
        self.missing = abs(surplus)


def _oriented(point, along):
    return point._replace(tangent=-point.tangent) if point.tangent @ along < 0.0 else point
