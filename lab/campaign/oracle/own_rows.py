"""Rows given by a function of the poses (and velocities) of two bodies, with derivatives by analytic continuation.

Gradients come from complex steps. Second derivatives along the motion at constant velocities come from Cauchy's integral over a
small circle of complex times, which has no cancellation worth speaking of.
"""

import numpy as np

from .. import functions
from .geometry import turn
from .loads import attached

STEP = 1e-30
CIRCLE = np.exp(2j * np.pi * np.arange(8) / 8)


class Rows:
    """Rows of position, zero where they hold; a subclass gives `value(t, a, b)` of two Attached."""

    speed_level, is_length, count = False, True, 1

    def __init__(self, at):
        self.at = at

    def _pair(self, X, R, V, W):
        at = self.at
        return attached(at.a, at.p, X, R, V, W), attached(at.b, at.q, X, R, V, W)

    def _after(self, t, X, R, V, W, tau):
        """Value after a complex time tau at constant velocities."""
        X, R = np.array(X, dtype=complex), np.array(R, dtype=complex)
        for body in (self.at.a, self.at.b):
            X[body], R[body] = X[body] + tau * V[body], turn(W[body], complex(tau)) @ R[body]
        return np.array(self.value(t + tau, *self._pair(X, R, V, W)))

    def evaluate(self, t, X, R, V, W):
        """Values (k,), gradients (k, bodies + 1, 6), speeds (k,) and second derivatives at constant velocities (k,)."""
        value = np.array(self.value(t, *self._pair(X, R, V, W)), dtype=float)
        J = np.zeros((len(value), len(X), 6))
        still = np.zeros_like(V)
        for body in (self.at.a, self.at.b):
            for k in range(6):
                move, spin = still.copy(), still.copy()
                (move if k < 3 else spin)[body, k % 3] = 1.0
                J[:, body, k] = self._only(t, X, R, move, spin)
        radius = 0.02 / (1.0 + np.abs(W).max())
        ring = np.array([self._after(t, X, R, V, W, radius * z) for z in CIRCLE])
        speed = (ring * CIRCLE[:, None] ** -1).mean(axis=0).real / radius
        bias = 2.0 * (ring * CIRCLE[:, None] ** -2).mean(axis=0).real / radius**2
        return value, J, speed, bias

    def _only(self, t, X, R, V, W):
        """Derivative by a displacement, the time standing still."""
        X, R = np.array(X, dtype=complex), np.array(R, dtype=complex)
        for body in (self.at.a, self.at.b):
            X[body] = X[body] + 1j * STEP * V[body]
            R[body] = R[body] + 1j * STEP * np.cross(W[body], R[body].T).T
        return np.array(self.value(t, *self._pair(X, R, np.zeros_like(V), np.zeros_like(V)))).imag / STEP


class SpeedRows(Rows):
    """Rows of velocity: gradients by the velocities, `bias` the derivative in time at constant velocities."""

    speed_level = True

    def evaluate(self, t, X, R, V, W):
        """Zeros (k,), gradients by the velocities, values of the rows (k,), their derivatives at constant velocities (k,)."""
        speed = np.array(self.value(t, *self._pair(X, R, V, W)), dtype=float)
        J = np.zeros((len(speed), len(X), 6))
        for body in (self.at.a, self.at.b):
            for k in range(6):
                move, spin = V.astype(complex), W.astype(complex)
                (move if k < 3 else spin)[body, k % 3] += 1j * STEP
                J[:, body, k] = np.array(self.value(t, *self._pair(X, R, move, spin))).imag / STEP
        X1, R1 = X + 1j * STEP * V, R.astype(complex)
        for body in (self.at.a, self.at.b):
            R1[body] = R1[body] + 1j * STEP * np.cross(W[body], R[body].T).T
        bias = np.array(self.value(t + 1j * STEP, *self._pair(X1, R1, V, W))).imag / STEP
        return np.zeros(len(speed)), J, speed, bias


class Own:
    """A user's function (t, a, b, p)."""

    def __init__(self, at, name, parameters):
        super().__init__(at)
        self.function, self.p = getattr(functions, name), tuple(parameters)

    def value(self, t, a, b):
        """The rows."""
        return self.function(t, a, b, self.p)


class OwnRows(Own, Rows):
    """A user's function of position, without unit."""

    is_length = False


class OwnSpeedRows(Own, SpeedRows):
    """A user's function of velocity."""


class KnifeEdge(SpeedRows):
    """The point of b has no velocity along a direction of b."""

    def __init__(self, at, direction):
        super().__init__(at)
        self.direction = direction

    def value(self, t, a, b):
        """The row."""
        return (np.array(b.R) @ self.direction @ np.array(b.v),)


class Rolling:
    """A disc of b about `axis` (in axes of b) on the plane with `normal`, `level` away from the origin."""

    def __init__(self, at, axis, normal, radius, level):
        super().__init__(at)
        self.axis, self.normal, self.radius, self.level = axis, normal, radius, level
        aside = np.eye(3)[np.argmin(np.abs(normal))]
        first = np.cross(normal, aside)
        self.tangents = [first / np.linalg.norm(first), np.cross(normal, first / np.linalg.norm(first))]

    def lowest(self, b):
        """Way from the centre to the lowest point of the rim: in the plane of the disc, straight down."""
        e = np.array(b.R) @ self.axis
        down = -(self.normal - (self.normal @ e) * e)
        return self.radius * down / np.sqrt(down @ down)


class RollingContact(Rolling, Rows):
    """The lowest point of the rim is on the plane."""

    def value(self, t, a, b):
        """The row."""
        return (self.normal @ (np.array(b.x) + self.lowest(b)) - self.level,)


class RollingSlip(Rolling, SpeedRows):
    """The lowest point of the rim has no velocity in the plane."""

    count = 2

    def value(self, t, a, b):
        """The rows."""
        velocity = np.array(b.v) + np.cross(np.array(b.w), self.lowest(b))
        return tuple(tangent @ velocity for tangent in self.tangents)
