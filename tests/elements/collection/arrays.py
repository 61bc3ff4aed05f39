"""Joints, rows and forces as people write them who think in arrays."""

import numpy as np

ANCHOR = np.array([0.0, 0.5, 1.0])
STIFFNESS = np.diag([1e3, 2e3, 5e2])


def rod(t, a, b, p):
    d = np.array(b.x) - np.array(a.x)
    return (np.linalg.norm(d) - p[0],)


def rod_squared(t, a, b, p):
    d = np.array(b.x) - np.array(a.x)
    return ((d @ d - p[0] ** 2) / (2 * p[0]),)


def hinge(t, a, b, p):
    """A hinge about the axes z of both bodies."""
    Ra = np.array(a.R)
    Rb = np.array(b.R)
    d = np.array(b.x) - np.array(a.x)
    za = Ra[:, 2]
    return (*(Ra.T @ d), np.dot(Rb[:, 0], za), np.dot(Rb[:, 1], za))


def screw(t, a, b, p):
    Ra, Rb = np.asarray(a.R), np.asarray(b.R)
    relative = Ra.T @ Rb
    angle = np.arctan2(relative[1, 0], relative[0, 0])
    d = Ra.T @ (np.asarray(b.x) - np.asarray(a.x))
    return np.array([d[0], d[1], d[2] - p[0] * angle / (2 * np.pi)])


def parallel(t, a, b, p):
    """Two axes that stay parallel."""
    c = np.cross(np.array(a.R)[:, 2], np.array(b.R)[:, 2])
    return c[0], c[1]


def on_ellipsoid(t, a, b, p):
    y = np.array(a.R).T @ (np.array(b.x) - a.x)
    return (0.5 * (y @ np.diag([1.0, 4.0, 9.0]) @ y - 1.0),)


def stretched(t, a, b, p):
    """Coordinates in axes that are no unit vectors, and their volume."""
    A = np.array(a.R)
    d = np.array(b.x) - np.array(a.x)
    return (*np.linalg.solve(A, d), np.linalg.det(A) - p[0], (np.linalg.inv(A) @ d)[0])


def rolling(t, a, b, p):
    """A ball of radius p[0] rolls on a plane."""
    contact = np.array(b.v) + np.cross(np.array(b.w), np.array([0.0, 0.0, -p[0]]))
    return contact[0], contact[1]


def skate(t, a, b, p):
    blade = np.array(b.R)[:, 1]
    return (np.dot(blade, np.array(b.v)),)


def cable(t, a, b, p):
    """A cable that cannot push, from a point of the world."""
    d = ANCHOR - np.array(b.x)
    length = np.linalg.norm(d)
    stretch = max(length - p[0], 0.0)
    force = p[1] * stretch * d / length
    return np.concatenate((force, np.zeros(3)))


def elastic(t, a, b, p):
    """A bushing by a matrix."""
    R = np.array(a.R)
    u = R.T @ (np.array(b.x) - np.array(a.x))
    f = -(R @ STIFFNESS @ u) - p[0] * (np.array(b.v) - np.array(a.v))
    m = np.zeros(3)
    m[:] = -p[1] * (np.array(b.w) - np.array(a.w))
    return tuple(f) + tuple(m)


def drag_array(t, a, b, p):
    v = np.array([b.v[0], b.v[1], b.v[2]])
    speed = np.sqrt(np.sum(v**2))
    return (*(-p[0] * speed * v), 0, 0, 0)


def lift(t, a, b, p):
    """Lift across the flow: a cross product of the span and the velocity."""
    span = np.array(b.R) @ np.array([0.0, 1.0, 0.0])
    v = np.array(b.v)
    F = p[0] * np.cross(v, span) * np.linalg.norm(v)
    M = np.cross(0.1 * span, F)
    out = np.empty(6)
    out[:3] = F
    out[3:] = M
    return out


JOINTS = (
    (stretched, (0.3,), 5),
    (rod, (1.2,), 1),
    (rod_squared, (1.2,), 1),
    (hinge, (0.0,), 5),
    (screw, (0.05,), 3),
    (parallel, (0.0,), 2),
    (on_ellipsoid, (0.0,), 1),
)
ROWS = ((rolling, (0.25,), 2), (skate, (0.0,), 1))
LOADS = ((cable, (0.8, 2e3)), (elastic, (30.0, 4.0)), (drag_array, (0.6,)), (lift, (0.7,)))
