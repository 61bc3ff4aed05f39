"""The equations of a system at one instant, as dense matrices, and the directions that the constraints leave."""

from typing import NamedTuple

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import RATE, REFRESH, TANGENT, VELOCITY
from ..linalg.kkt import evaluate
from ..linalg.rank import rank
from ..system.maps import kinematic_map

EVERYTHING = VELOCITY | TANGENT | RATE | REFRESH


class Directions(NamedTuple):
    """Velocities that some rows admit: v = N u + lift r solves G v = r with u = B v; B N = 1, B lift = 0.

    N : (n_v, k). B : (k, n_v). lift : (n_v, rows). rank : of the rows.
    """

    N: np.ndarray
    B: np.ndarray
    lift: np.ndarray
    rank: int

    def picking(self, free):
        """The same directions, described by the velocities in the places `free` (k,)."""
        N = np.linalg.solve(self.N[free].T, self.N.T).T
        return Directions(N, np.eye(len(N))[free], self.lift - N @ self.lift[free], self.rank)


def directions(G, row_scale, metric, natural, least=0):
    """Directions orthonormal in scaled velocities (metres, and radians times the characteristic length).

    natural : natural size of the rows (1/m), beside which singular values are judged, but for `least` of them: so many rows are
    independent elsewhere.
    """
    size = np.sqrt(metric)
    U, s, Vt = np.linalg.svd(row_scale[:, None] * G * size, full_matrices=True)
    r = max(rank(s, natural), min(rank(s), least))
    N = size[:, None] * Vt[r:].T
    lift = size[:, None] * (Vt[:r].T / s[:r]) @ U[:, :r].T * row_scale
    return Directions(N, Vt[r:] / size, lift, r)


class Instant:
    """Everything about a system at (t, q, v), for given counts of turns. Forces are read as they stand in its record."""

    def __init__(self, system, t, turn):
        self.system, self.t, self.work = system, float(t), system.work()
        self.work.turn[:] = turn
        self._packed = pack(self.work)

    def __reduce__(self):
        return Instant, (self.system, self.t, self.work.turn.copy())

    def look(self, q, v, a=None, lam=None):
        """Evaluate at q, v; with a and lam the tangents too."""
        n_v, flags = self.system.n_v, VELOCITY
        if lam is not None:
            self.work.u[:n_v], self.work.lam[:], flags = a, lam, EVERYTHING
        q, v = (np.array(x, float, order="C") for x in (q, v))
        evaluate(self.t, q, v, flags, self.system.compiled, self._packed)
        return self

    def _dense(self, kind, values, shape):
        r = self.system.record
        rows, columns = (getattr(r, f"{kind}_{which}").astype(int) for which in ("row", "column"))
        keep, matrix = (rows < shape[0]) & (columns < shape[1]), np.zeros(shape)
        np.add.at(matrix, (rows[keep], columns[keep]), values[keep])
        return matrix

    @property
    def M(self):
        """Mass matrix (n_v, n_v)."""
        return self._dense("m", self.work.m, (self.system.n_v,) * 2)

    @property
    def G(self):
        """Constraint matrix (n_rows, n_v)."""
        return self._dense("g", self.work.g, (self.system.n_rows, self.system.n_v))

    @property
    def rate(self):
        """d(G v)/dq (n_rows, n_v)."""
        return self._dense("g", self.work.rate, (self.system.n_rows, self.system.n_v))

    @property
    def K(self):
        """d(M v' + G^T lam - f)/dq (n_v, n_v)."""
        return self._dense("k", self.work.k, (self.system.n_v,) * 2)

    @property
    def D(self):
        """-df/dv (n_v, n_v)."""
        return self._dense("d", self.work.d, (self.system.n_v,) * 2)

    @property
    def f(self):
        """Forces (n_v,)."""
        return self.work.f[: self.system.n_v].copy()

    def map(self, q, v):
        """T (n_q, n_v), its left inverse (n_v, n_q), and d(T v)/dq (n_q, n_q)."""
        n_q, n_v = self.system.n_q, self.system.n_v
        kinematic_map(np.array(q, float, order="C"), np.array(v, float, order="C"), self.system.compiled, self._packed)
        T = self._dense("t", self.work.t, (n_q, n_v))
        return T, self._dense("t", self.work.t_inverse, (n_q, n_v)).T, self._dense("tq", self.work.tq, (n_q, n_q))
