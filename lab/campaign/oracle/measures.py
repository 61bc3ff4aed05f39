"""Measures: numbers that say how bodies stand to each other, with their gradients, rates and second derivatives.

    displacement   (x_b + R_b p_b - x_a - R_a p_a) . R_c m       direction m fixed in body c
    dot            R_a u . R_b w
    distance       |x_b + R_b p_b - x_a - R_a p_a|
    angle          atan2(dot_s, dot_c) of two dots, counted on over full turns
Gradients are by velocities and angular velocities in world axes; `bias` is the second derivative where these stay constant.
All measures of one kind are evaluated at once.
"""

import numpy as np

from .geometry import cross, dot


class Measures:
    """The measures of a mechanism; each `add_...` returns the key of the new one, `places` turns keys into places."""

    def __init__(self, ground):
        self.ground = ground
        self.displacements, self.dots, self.distances, self.angles = [], [], [], []

    def displacement(self, a, p_a, b, p_b, c, m):
        """Add one; a key."""
        self.displacements.append((a, p_a, b, p_b, c, m))
        return "displacement", len(self.displacements) - 1

    def dot(self, a, u, b, w):
        """Add one; a key."""
        self.dots.append((a, u, b, w))
        return "dot", len(self.dots) - 1

    def distance(self, a, p_a, b, p_b):
        """Add one; a key."""
        self.distances.append((a, p_a, b, p_b))
        return "distance", len(self.distances) - 1

    def angle(self, a, x_a, y_a, b, x_b):
        """Add one, of the direction x_b from x_a towards y_a; a key."""
        self.angles.append((self.dot(a, y_a, b, x_b)[1], self.dot(a, x_a, b, x_b)[1]))
        return "angle", len(self.angles) - 1

    def freeze(self):
        """Make arrays of what was added."""
        self.arrays = {}
        for name, rows in (("displacements", self.displacements), ("dots", self.dots), ("distances", self.distances)):
            self.arrays[name] = [np.array(column) for column in zip(*rows, strict=True)] if rows else None
        self.pairs = np.array(self.angles, dtype=int).reshape(-1, 2)
        sizes = [len(self.displacements), len(self.dots), len(self.distances), len(self.angles)]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.start = dict(zip(("displacement", "dot", "distance", "angle"), starts, strict=False))
        self.size = int(starts[-1])

    def place(self, key):
        """Where the measure with this key stands in the arrays."""
        return int(self.start[key[0]]) + key[1]

    def evaluate(self, X, R, V, W, reference):
        """Values (m,), gradients (m, bodies + 1, 6), speeds (m,), biases (m,); the last body is the ground.

        reference : (angles,), the values near which angles are counted.
        """
        value, speed, bias = np.zeros(self.size), np.zeros(self.size), np.zeros(self.size)
        J = np.zeros((self.size, len(X), 6))
        self._displacements(X, R, V, W, value, J, speed, bias)
        self._dots(R, W, value, J, speed, bias)
        self._distances(X, R, V, W, value, J, speed, bias)
        if len(self.pairs):
            self._angles(value, J, speed, bias, reference)
        return value, J, speed, bias

    @staticmethod
    def _gap(X, R, V, W, a, p_a, b, p_b):
        """Way from point a to point b: levers, itself, its rate, its second derivative at constant velocities."""
        r_a, r_b = (R[a] @ p_a[..., None])[..., 0], (R[b] @ p_b[..., None])[..., 0]
        q_a, q_b = cross(W[a], r_a), cross(W[b], r_b)
        return r_a, r_b, X[b] + r_b - X[a] - r_a, V[b] + q_b - V[a] - q_a, cross(W[b], q_b) - cross(W[a], q_a)

    def _displacements(self, X, R, V, W, value, J, speed, bias):
        if self.arrays["displacements"] is None:
            return
        a, p_a, b, p_b, c, m = self.arrays["displacements"]
        rows = np.arange(len(a))
        r_a, r_b, d, d1, d2 = self._gap(X, R, V, W, a, p_a, b, p_b)
        n = (R[c] @ m[..., None])[..., 0]
        n1 = cross(W[c], n)
        value[rows], speed[rows] = dot(d, n), dot(d1, n) + dot(d, n1)
        bias[rows] = dot(d2, n) + 2.0 * dot(d1, n1) + dot(d, cross(W[c], n1))
        J[rows, a, :3] -= n
        J[rows, a, 3:] -= cross(r_a, n)
        J[rows, b, :3] += n
        J[rows, b, 3:] += cross(r_b, n)
        J[rows, c, 3:] += cross(n, d)

    def _dots(self, R, W, value, J, speed, bias):
        if self.arrays["dots"] is None:
            return
        a, u, b, w = self.arrays["dots"]
        rows = self.start["dot"] + np.arange(len(a))
        first, second = (R[a] @ u[..., None])[..., 0], (R[b] @ w[..., None])[..., 0]
        lever = cross(first, second)
        f1, s1 = cross(W[a], first), cross(W[b], second)
        value[rows], speed[rows] = dot(first, second), dot(f1, second) + dot(first, s1)
        bias[rows] = dot(cross(W[a], f1), second) + 2.0 * dot(f1, s1) + dot(first, cross(W[b], s1))
        J[rows, a, 3:] += lever
        J[rows, b, 3:] -= lever

    def _distances(self, X, R, V, W, value, J, speed, bias):
        if self.arrays["distances"] is None:
            return
        a, p_a, b, p_b = self.arrays["distances"]
        rows = self.start["distance"] + np.arange(len(a))
        r_a, r_b, d, d1, d2 = self._gap(X, R, V, W, a, p_a, b, p_b)
        length = np.sqrt(dot(d, d))
        u = d / length[:, None]
        rate = dot(u, d1)
        value[rows], speed[rows] = length, rate
        bias[rows] = (dot(d1, d1) - rate * rate) / length + dot(u, d2)
        J[rows, a, :3] -= u
        J[rows, a, 3:] -= cross(r_a, u)
        J[rows, b, :3] += u
        J[rows, b, 3:] += cross(r_b, u)

    def _angles(self, value, J, speed, bias, reference):
        rows = self.start["angle"] + np.arange(len(self.pairs))
        i, j = self.start["dot"] + self.pairs[:, 0], self.start["dot"] + self.pairs[:, 1]
        s, c, s1, c1 = value[i], value[j], speed[i], speed[j]
        square = s * s + c * c
        raw = np.arctan2(s, c)
        value[rows] = raw + 2.0 * np.pi * np.round((reference - raw) / (2.0 * np.pi))
        speed[rows] = rate = (c * s1 - s * c1) / square
        bias[rows] = (c * bias[i] - s * bias[j] - 2.0 * rate * (s * s1 + c * c1)) / square
        J[rows] = (c[:, None, None] * J[i] - s[:, None, None] * J[j]) / square[:, None, None]
