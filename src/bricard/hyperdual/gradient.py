"""Potentials in plain Python: their derivatives, exact to rounding. Functions are copies by rebuild.plain_copy."""

import numpy as np

from .number import HyperDual, lifted


def curve(potential, x):
    """U, U' and U'' of a potential of one number."""
    found = lifted(potential(HyperDual(x, 1.0, 1.0)))
    return float(found.x), float(found.a), float(found.ab)


def gradient(potential, a, b, p):
    """Gradient (12,) of a potential U(a, b, p), and its mixed second derivatives (6,) along one direction of a and the same of b.

    a, b : named tuples of a point x and the rows R. Directions: three shifts of a.x and three turns of a about it, then those of
    b, in world axes.
    """
    slopes, mixed = np.zeros(12), np.zeros(6)
    for i, way in enumerate(np.eye(6)):
        found = lifted(potential(_moving(a, way, "a"), _moving(b, way, "b"), p))
        slopes[i], slopes[i + 6], mixed[i] = found.a, found.b, found.ab
    return slopes, mixed


def slope_along(potential, a, b, p, way):
    """Derivative of a potential U(a, b, p) along a motion (12,) of both poses, in the directions of `gradient`."""
    return float(lifted(potential(_moving(a, way[:6], "a"), _moving(b, way[6:], "a"), p)).a)


def _moving(pose, way, part):
    """A pose that moves with a velocity and an angular velocity (6,), in one part of its numbers."""
    turned = np.cross(way[3:], np.array(pose.R, float), axisb=0, axisc=0)
    x = tuple(HyperDual(value, **{part: rate}) for value, rate in zip(pose.x, way, strict=False))
    R = tuple(
        tuple(HyperDual(value, **{part: rate}) for value, rate in zip(row, rates, strict=True))
        for row, rates in zip(pose.R, turned, strict=True)
    )
    return pose._replace(x=x, R=R)
