"""The equations of a mechanism: which accelerations its bodies have, by Gauss' principle.

Of all accelerations that the constraints allow the true ones are the nearest, in the metric of the masses, to those of the free
bodies. With T T^T the inverse of the mass matrix and B = G T: a = a_free + T B^+ (gamma - G a_free).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dgeqp3, dorgqr, dtrtrs

from .elements import KINDS
from .geometry import cross, matrices
from .loads import Points
from .measures import Measures

WEAK = 1e-8  # share of the largest row below which a row is taken for redundant
NOTHING = 1e-10  # share of the largest row below which a row is taken for zero


class Frames(NamedTuple):
    """A frame in each of two bodies: places of the bodies, points from the centre of mass and axes, both in body axes."""

    a: int
    p: np.ndarray
    A: np.ndarray
    b: int
    q: np.ndarray
    B: np.ndarray


class Pair(NamedTuple):
    """Two points; gap: the way between them as drawn."""

    a: int
    p: np.ndarray
    b: int
    q: np.ndarray
    gap: np.ndarray


class State(NamedTuple):
    """Centres of mass X, quaternions Q, velocities V, angular velocities W, of all bodies and the ground."""

    X: np.ndarray
    Q: np.ndarray
    V: np.ndarray
    W: np.ndarray


class System:
    """The oracle's system of a Mechanism."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        bodies = mechanism.bodies
        self.count = n = len(bodies)
        self.index = {body["name"]: i for i, body in enumerate(bodies)} | {"ground": n}
        self.mass = np.array([body["mass"] for body in bodies])
        self.com = np.array([*(body["com"] for body in bodies), (0.0, 0.0, 0.0)])
        quaternions = np.array([*(body["rotation"] for body in bodies), (1.0, 0.0, 0.0, 0.0)])
        self.drawn_q = quaternions / np.linalg.norm(quaternions, axis=1)[:, None]
        self.drawn = matrices(self.drawn_q)
        places = np.array([*(body["position"] for body in bodies), (0.0, 0.0, 0.0)])
        self.drawn_x = places + (self.drawn @ self.com[..., None])[..., 0]
        self.gravity = np.array(mechanism.gravity)
        self.inertia = np.array([body["inertia"] for body in bodies]).reshape(-1, 3, 3)
        values, vectors = np.linalg.eigh(self.inertia)
        self.root = vectors / np.sqrt(values)[:, None, :]  # (root root^T) is the inverse of the inertia
        self.flat = np.array([body["planar"] for body in bodies], dtype=bool)
        self.columns = np.concatenate(
            [6 * i + np.array([0, 1, 5] if flat else range(6)) for i, flat in enumerate(self.flat)]
        )
        self.m, self.coordinates, self.own, self.loads, self.breaks = Measures(n), {}, [], [], set()
        self._rows, self._loads = [], []
        self.length = 2.0 * float(np.sqrt(np.trace(self.inertia, axis1=1, axis2=2) / self.mass).mean())
        for element in mechanism.elements:
            KINDS[element["kind"]](self, element)
        self._freeze()

    # what elements call

    def local(self, body, point):
        """A point of the world as drawn, relative to the centre of mass, in body axes."""
        return self.drawn[body].T @ (np.asarray(point, dtype=float) - self.drawn_x[body])

    def frames(self, e, point, axes=None, axes_b=None, place_b=None):
        """The Frames of an element between e["a"] and e["b"], at a point with axes of the world as drawn."""
        a, b = self.index[e["a"]], self.index[e["b"]]
        axes = np.eye(3) if axes is None else axes
        axes_b = axes if axes_b is None else axes_b
        q = self.local(b, point if place_b is None else place_b)
        return Frames(a, self.local(a, point), self.drawn[a].T @ axes, b, q, self.drawn[b].T @ axes_b)

    def points(self, e):
        """The Pair of an element with `point_a` and `point_b`."""
        a, b = self.index[e["a"]], self.index[e["b"]]
        gap = np.subtract(e["point_b"], e["point_a"])
        return Pair(a, self.local(a, e["point_a"]), b, self.local(b, e["point_b"]), gap)

    def points_at(self, e):
        """The Points of an element that is attached to both bodies at one point."""
        a, b = self.index[e["a"]], self.index[e["b"]]
        return Points(a, self.local(a, e["point"]), b, self.local(b, e["point"]))

    def row(self, measures, of_time=None, level=0.0):
        """Add a row: the sum of measures times factors is `of_time`, or `level`; None: its value as drawn."""
        self._rows.append((measures, of_time, level))

    def load(self, key, law, breaks=()):
        """Add a force along a measure."""
        self._loads.append((key, law))
        self.breaks |= set(breaks)

    def coordinate(self, name):
        """The key of the coordinate `A.angle`."""
        joint, _, which = name.rpartition(".")
        return self.coordinates[joint][which]

    def shift(self, f, axis):
        """The displacement of two frames along an axis of a."""
        return self.m.displacement(f.a, f.p, f.b, f.q, f.a, f.A[:, axis])

    def angle(self, f):
        """The turn of frame b about the z axis of frame a."""
        return self.m.angle(f.a, f.A[:, 0], f.A[:, 1], f.b, f.B[:, 0])

    def coincide(self, e, f):
        """Rows that keep two points together."""
        for axis in np.eye(3):
            self.row({self.m.displacement(f.a, f.p, f.b, f.q, self.count, axis): 1.0})

    def beside(self, f):
        """Rows that keep a point of b on the z axis of a."""
        self.row({self.shift(f, 0): 1.0})
        self.row({self.shift(f, 1): 1.0})

    def parallel(self, f):
        """Rows that keep the z axes of both parallel."""
        self.row({self.m.dot(f.a, f.A[:, 2], f.b, f.B[:, 0]): 1.0})
        self.row({self.m.dot(f.a, f.A[:, 2], f.b, f.B[:, 1]): 1.0})

    # numbers

    def _freeze(self):
        self.m.freeze()
        self.sum = np.zeros((len(self._rows), self.m.size))
        for k, (measures, of_time, _) in enumerate(self._rows):
            for key, factor in measures.items():
                self.sum[k, self.m.place(key)] += factor
            self.breaks |= set(() if of_time is None else of_time.breaks)
        self._laws = [(self.m.place(key), law) for key, law in self._loads]
        drawn = self.start()
        reference = np.zeros(len(self.m.angles))
        value = self.sum @ self.m.evaluate(drawn.X, self.drawn, drawn.V, drawn.W, reference)[0]
        self._driven = [(k, of_time) for k, (_, of_time, _) in enumerate(self._rows) if of_time is not None]
        self.level = np.array(
            [value[k] if level is None else level for k, (_, _, level) in enumerate(self._rows)], dtype=float
        )
        for k, _ in self._driven:
            self.level[k] = 0.0

    def start(self):
        """The State as drawn, at rest."""
        still = np.zeros((self.count + 1, 3))
        return State(self.drawn_x.copy(), self.drawn_q.copy(), still, still.copy())

    def constraints(self, t, s, reference):
        """Values, G (rows, columns), speeds and second derivatives at constant velocities of all rows, and the measures.

        Rows that are lengths are divided by the size of the bodies.
        """
        R = matrices(s.Q)
        value, J, speed, bias = measured = self.m.evaluate(s.X, R, s.V, s.W, reference)
        parts = [
            [
                self.sum @ value - self.level,
                (self.sum @ J.reshape(len(J), 6 * self.count + 6)).reshape(-1, self.count + 1, 6),
                self.sum @ speed,
                self.sum @ bias,
            ]
        ]
        for k, of_time in self._driven:
            parts[0][0][k] -= of_time.value(t)
            parts[0][2][k] -= of_time.first(t)
            parts[0][3][k] -= of_time.second(t)
        parts += [rows.evaluate(t, s.X, R, s.V, s.W) for rows in self.own]
        scale = self._row_scale()
        phi, G, phi_dot, second = (np.concatenate([part[k] for part in parts]) for k in range(4))
        phi, phi_dot, second, G = phi / scale, phi_dot / scale, second / scale, G / scale[:, None, None]
        return phi, G.reshape(len(phi), 6 * self.count + 6)[:, self.columns], phi_dot, second, measured, R

    def _row_scale(self):
        lengths = [next(iter(measures))[0] in ("displacement", "distance") for measures, _, _ in self._rows]
        lengths += [rows.is_length for rows in self.own for _ in range(rows.count)]
        return np.where(np.array(lengths, dtype=bool), self.length, 1.0)

    def speed_level(self):
        """Which rows are of velocity only (rows,)."""
        counts = [np.zeros(len(self._rows), dtype=bool)]
        counts += [np.full(rows.count, rows.speed_level) for rows in self.own]
        return np.concatenate(counts)

    def metric(self, R):
        """T with T T^T the inverse of the mass matrix, (columns, columns)."""
        blocks = np.zeros((self.count, 6, self.count, 6))
        every = np.arange(self.count)
        for k in range(3):
            blocks[every, k, every, k] = self.mass**-0.5
        blocks[every, 3:, every, 3:] = R[:-1] @ self.root
        blocks[self.flat, 3:, self.flat, 3:] = 0.0
        blocks[self.flat, 5, self.flat, 5] = self.inertia[self.flat, 2, 2] ** -0.5
        return blocks.reshape(6 * self.count, -1)[self.columns][:, self.columns]

    def accelerations(self, t, s, reference, most=None):
        """Linear and angular accelerations (bodies + 1, 3) each; most : see nearest."""
        _, G, _, second, measured, R = self.constraints(t, s, reference)
        load = self.applied(t, s, measured, R)
        load[:-1, :3] += self.mass[:, None] * self.gravity
        spin = R[:-1] @ self.inertia @ np.swapaxes(R[:-1], 1, 2)
        w = s.W[:-1]
        load[:-1, 3:] -= cross(w, (spin @ w[..., None])[..., 0])
        T = self.metric(R)
        free = T @ (T.T @ load.ravel()[: 6 * self.count][self.columns])
        a = free + T @ nearest(G @ T, -second - G @ free, most)
        return self.spread(a)

    def applied(self, t, s, measured, R):
        """Forces and moments of all elements on the bodies (bodies + 1, 6), without weights."""
        value, J, speed, _ = measured
        load = np.zeros((self.count + 1, 6))
        for place, law in self._laws:
            load += law(t, value[place], speed[place]) * J[place]
        for part in self.loads:
            part(t, s.X, R, s.V, s.W, load)
        return load

    def rank(self, t, s, reference):
        """The number of independent rows at a State on the constraints."""
        _, G, _, _, _, R = self.constraints(t, s, reference)
        return rank(G @ self.metric(R))[0]

    def spread(self, velocities):
        """Linear and angular parts (bodies + 1, 3) each of a vector of all columns."""
        full = np.zeros(6 * (self.count + 1))
        full[self.columns] = velocities
        full = full.reshape(-1, 6)
        return full[:, :3], full[:, 3:]


def nearest(B, right, most=None):
    """The smallest z with B z = right, redundant rows left out by pivoting.

    most : no more rows than this are independent; off the constraints redundant ones seem to be.
    """
    size = np.linalg.norm(B, axis=1)
    kept = size > NOTHING * size.max(initial=0.0)
    if not kept.any():
        return np.zeros(B.shape[1])
    B, right = B[kept] / size[kept, None], right[kept] / size[kept]
    R, order, tau, _, _ = dgeqp3(B.T)
    count = int((np.abs(np.diag(R)) > WEAK * abs(R[0, 0])).sum())
    count = count if most is None else min(count, most)
    lower, _ = dtrtrs(R[:count, :count], right[order[:count] - 1], trans=1)
    Q, _, _ = dorgqr(R[:, :count], tau[:count])
    return Q @ lower


def rank(B):
    """(rank, smallest kept pivot) of rows of length 1."""
    size = np.linalg.norm(B, axis=1)
    B = B[size > NOTHING * size.max(initial=0.0)]
    if not len(B):
        return 0, 1.0
    B = B / np.linalg.norm(B, axis=1)[:, None]
    pivots = np.abs(np.diag(qr(B.T, mode="r", pivoting=True)[0]))
    count = int((pivots > WEAK * pivots[0]).sum())
    return count, float(pivots[count - 1])
