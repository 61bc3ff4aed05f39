"""Functions that call others: helpers, closures, partials, bound methods, lambdas, compiled functions."""

import math
from functools import partial

import numba
import numpy as np


def soft_max(x, sharp):
    return math.log1p(math.exp(-abs(sharp * x))) / sharp + max(x, 0.0)


def contact(stiffness, rest):
    """A contact law with numbers closed over."""

    def law(t, x, v):
        return stiffness * soft_max(rest - x, 80.0)

    return law


def table_law(xs, ys):
    xs, ys = np.asarray(xs), np.asarray(ys)
    return lambda t, x, v: np.interp(x, xs, ys)


def general(t, x, v, *, stiffness, damping, exponent):
    return -stiffness * abs(x) ** exponent * math.copysign(1.0, x) - damping * v


class Damper:
    def __init__(self, low, high, knee):
        self.low, self.high, self.knee = low, high, knee

    def force(self, t, x, v):
        if abs(v) < self.knee:
            return -self.low * v
        return -self.low * self.knee * np.sign(v) - self.high * (v - self.knee * np.sign(v))

    def __call__(self, t, x, v):
        return self.force(t, x, v) - 5.0 * x


@numba.njit
def cubic(x):
    return x * (1.0 + 3.0 * x * x)


def compiled_helper(t, x, v):
    return -100.0 * cubic(x) - 2.0 * v


def subtract(u, w):
    return [u[i] - w[i] for i in range(3)]


def length(u):
    return math.sqrt(sum([c**2 for c in u]))


def list_rod(t, a, b, p):
    return [length(subtract(b.x, a.x)) - p[0]]


def harmonic(n):
    def u(t):
        total = 0
        for k in range(1, n + 1):
            total += math.sin(k * t) / k
        return total

    return u


LAWS = (
    contact(2e3, 0.1),
    table_law([-1, 0, 0.5, 1], [-300.0, 0, 40, 900]),
    partial(general, stiffness=2e3, damping=3.0, exponent=1.4),
    Damper(300.0, 80.0, 0.3).force,
    Damper(200.0, 60.0, 0.1),
    compiled_helper,
)
PROFILES = (lambda t: 0.3 * math.sin(t) ** 3 if t > 0 else 0.0, harmonic(5))
JOINTS = ((list_rod, (0.9,), 1),)
