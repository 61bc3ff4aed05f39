"""Random states of a system, and derivatives by central differences along its configuration space."""

from typing import NamedTuple

import numpy as np

STEP = 1e-6


class Point(NamedTuple):
    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


def random_point(system, seed):
    """A state near the drawn one, violating the constraints: the derivatives must be right there too."""
    rng = np.random.default_rng(seed)
    n, m = system.n_v, system.n_rows
    q = system.retract(system.start, 0.25 * rng.normal(size=n))
    return Point(rng.uniform(0.2, 1.2), q, rng.normal(size=n), rng.normal(size=n), rng.normal(size=m))


def along(system, q, direction, function):
    """d/ds function(q o exp(s direction)) at s = 0."""
    ahead, behind = (np.asarray(function(system.retract(q, s * direction))) for s in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


def by_position(system, q, function):
    """Derivatives in all directions of v, as columns."""
    return np.array([along(system, q, e, function) for e in np.eye(system.n_v)]).T


def by_velocity(v, function):
    pairs = [(function(v + STEP * e), function(v - STEP * e)) for e in np.eye(v.size)]
    return np.array([(ahead - behind) / (2 * STEP) for ahead, behind in pairs]).T


def by_time(system, p, function):
    """d/ds function(t + s, q o exp(s v)) at s = 0: along the motion, the velocity being held."""
    ahead, behind = (np.asarray(function(p.t + s, system.retract(p.q, s * p.v))) for s in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


def assert_derivative(given, difference, size, truncation=1.0):
    """Equal within the error of central differences: rounding eps |f| / h, truncation h^2 f''' / 6."""
    given = given.toarray() if hasattr(given, "toarray") else np.asarray(given)
    limit = 20 * np.finfo(float).eps * max(1.0, float(np.max(np.abs(size), initial=0.0))) / STEP
    limit += 30 * STEP**2 * max(1.0, float(np.max(np.abs(difference), initial=0.0))) * truncation
    np.testing.assert_allclose(given, difference, rtol=0.0, atol=limit)
