"""Loads that do not act along one measure. Each adds forces and moments (about the centre of mass) of bodies, world axes."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from .geometry import cross, turn


class Attached(NamedTuple):
    """What a user's function sees of a body: a point of it, its axes, its velocities, in world axes."""

    x: tuple
    R: tuple
    v: tuple
    w: tuple


class Points(NamedTuple):
    """A point of each of two bodies: places of the bodies, points relative to the centre of mass in body axes."""

    a: int
    p: np.ndarray
    b: int
    q: np.ndarray


def attached(body, point, X, R, V, W):
    """The Attached of a point of a body."""
    lever = R[body] @ point
    w, axes = W[body], R[body]
    v = V[body] + np.array(
        [w[1] * lever[2] - w[2] * lever[1], w[2] * lever[0] - w[0] * lever[2], w[0] * lever[1] - w[1] * lever[0]]
    )
    return Attached(tuple(X[body] + lever), tuple(tuple(row) for row in axes), tuple(v), tuple(w))


def act(force, moment, body, point, X, add):
    """Add a force at a point of the world and a moment to a body; the ground takes everything."""
    add[body, :3] += force
    add[body, 3:] += moment + cross(point - X[body], force)


class Applied:
    """A force and a torque given by functions of time, in world or body axes."""

    def __init__(self, at, parts, axes):
        self.at, self.parts, self.axes = at, parts, axes

    def __call__(self, t, X, R, V, W, add):
        """Add the load."""
        numbers = np.array([part.value(t) for part in self.parts], dtype=float)
        force, torque = numbers[:3], numbers[3:]
        axes = R[self.at.b]
        if self.axes == "body":
            force, torque = axes @ force, axes @ torque
        act(force, torque, self.at.b, X[self.at.b] + axes @ self.at.q, X, add)


class OwnLoad:
    """A user's function (t, a, b, p): force and moment on b at its point, the opposite on a at the same point."""

    def __init__(self, at, function, parameters):
        self.at, self.function, self.p = at, function, tuple(parameters)

    def __call__(self, t, X, R, V, W, add):
        """Add the load."""
        a, b = attached(self.at.a, self.at.p, X, R, V, W), attached(self.at.b, self.at.q, X, R, V, W)
        load = np.array(self.function(t, a, b, self.p), dtype=float)
        act(load[:3], load[3:], self.at.b, np.array(b.x), X, add)
        act(-load[:3], -load[3:], self.at.a, np.array(b.x), X, add)


def spin_matrix(phi):
    """J (3, 3), with which a rotation vector phi that changes by phi' has the angular velocity J phi'."""
    angle, skew = np.linalg.norm(phi), cross(phi, np.eye(3)).T
    if angle < 1e-4:
        return np.eye(3) + skew / 2 + skew @ skew / 6
    return np.eye(3) + (1 - np.cos(angle)) / angle**2 * skew + (angle - np.sin(angle)) / angle**3 * skew @ skew


class Bushing:
    """Springs along and about three axes of a, with the rotation vector as angles, and dampers."""

    def __init__(self, frames, stiffness, damping):
        self.f = frames
        self.k, self.c = np.asarray(stiffness, dtype=float), np.asarray(damping, dtype=float)

    def __call__(self, t, X, R, V, W, add):
        """Add the load."""
        f = self.f
        A, B = R[f.a] @ f.A, R[f.b] @ f.B
        lever_a, lever_b = R[f.a] @ f.p, R[f.b] @ f.q
        gap = X[f.b] + lever_b - X[f.a] - lever_a
        slip = V[f.b] + cross(W[f.b], lever_b) - V[f.a] - cross(W[f.a], lever_a) - cross(W[f.a], gap)
        force = -A @ (self.k[:3] * (A.T @ gap) + self.c[:3] * (A.T @ slip))
        phi = Rotation.from_matrix(A.T @ B).as_rotvec()
        torque = np.linalg.solve(spin_matrix(phi).T, self.k[3:] * phi)
        moment = -A @ (torque + self.c[3:] * (A.T @ (W[f.b] - W[f.a])))
        at = X[f.b] + lever_b
        act(force, moment, f.b, at, X, add)
        act(-force, -moment, f.a, at, X, add)


def moved(body, X, R, V, W, tau):
    """Place and axes of a body after a (complex) time tau at constant velocities."""
    return X[body] + tau * V[body], turn(W[body], tau) @ R[body]
