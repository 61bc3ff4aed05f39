"""What a linearised model gives out: joint coordinates and their velocities, points of bodies, functions, rows of numbers.

An output has names, a value at (t, q, v), and its derivatives along small motions (n_v) and velocities (n_v).
"""

from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..system.channels import poses
from ..system.names import increment_names, velocity_names
from ..system.user_check import check_complex_step

TINY, VELOCITY = 1e-30, ".velocity"


class Coordinate(NamedTuple):
    """A joint coordinate ("A", "A.angle"), or its velocity ("A.velocity")."""

    name: str
    measure: Any
    rate: bool

    def names(self, count):
        """Its name."""
        return (self.name,)

    def value(self, instant, q, v):
        """m or rad, or per s."""
        work, m = instant.look(q, v).work, instant.system.measures.index(self.measure)
        return [work.speed[m] if self.rate else work.value[m]]

    def rows(self, instant, q, v):
        """Derivatives along motions and velocities, (1, n_v) each."""
        system = instant.system
        work, m = instant.look(q, v).work, system.measures.index(self.measure)
        gradient, slope = np.zeros(system.n_v + 1), np.zeros(system.n_v + 1)
        numbers = {body: i for i, body in enumerate([*system.model.bodies.values(), system.model.ground])}
        for side, body in enumerate(self.measure.bodies):
            columns, first = system.record.column[numbers[body]].astype(int), 12 * m + 6 * side
            np.add.at(gradient, columns, work.gradient[first : first + 6])
            np.add.at(slope, columns, work.slope[first : first + 6])
        zero = np.zeros(system.n_v)
        along, with_ = (slope[:-1], gradient[:-1]) if self.rate else (gradient[:-1], zero)
        return along[None], with_[None]


class Point(NamedTuple):
    """World coordinates (m) of a point given in a body's reference frame."""

    body: Any
    point: np.ndarray

    def names(self, count):
        """body.x, body.y, body.z."""
        return tuple(f"{self.body.name}.{axis}" for axis in "xyz")

    def value(self, instant, q, v):
        """World coordinates (3,)."""
        x, R = poses(instant.system, np.asarray(q)[None])[self.body.name]
        return x[0] + R[0] @ self.point

    def rows(self, instant, q, v):
        """Derivatives along motions and velocities, (3, n_v) each."""
        system = instant.system
        number = list(system.model.bodies).index(self.body.name)
        R, (x, y, z) = poses(system, np.asarray(q)[None])[self.body.name][1][0], self.point - self.body.com
        lever = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        along = np.zeros((3, system.n_v + 1))
        along[:, system.record.column[number].astype(int)] = np.hstack([np.eye(3), -R @ lever])
        return along[:, :-1], np.zeros((3, system.n_v))


class Function(NamedTuple):
    """h(t, q, v), one number or a vector, differentiated by complex step."""

    function: Any

    def names(self, count):
        """Numbered, after the function."""
        name = getattr(self.function, "__name__", "h")
        return (name,) if count == 1 else tuple(f"{name}.{i + 1}" for i in range(count))

    def value(self, instant, q, v):
        """What the function gives."""
        return self.function(instant.t, q, v)

    def rows(self, instant, q, v):
        """Derivatives along motions and velocities, (size, n_v) each."""
        T, n_v, start = instant.map(q, v)[0], instant.system.n_v, (instant.t, q, v)
        label, shape = f"Output {self.names(1)[0]}(t, q, v)", np.shape(self.function(*start))
        check_complex_step(label, self.function, start, shape)

        def moved(q, v):
            return np.atleast_1d(self.function(instant.t, q, v)).imag / TINY

        along = [moved(q + TINY * 1j * T[:, j], v + 0j) for j in range(n_v)]
        return np.array(along).T, np.array([moved(q + 0j, v + TINY * 1j * e) for e in np.eye(n_v)]).T


class Row(NamedTuple):
    """Numbers (2 n_v,): weights of the small motions from the state, then of the velocities."""

    weights: np.ndarray
    title: str

    def names(self, count):
        """Its title."""
        return (self.title,)

    def value(self, instant, q, v):
        """Only changes are known."""
        raise ModelError(f"The output {self.title}, given by its weights, has no value of its own, only changes.")

    def rows(self, instant, q, v):
        """The weights."""
        n_v = instant.system.n_v
        if self.weights.shape != (2 * n_v,) or not np.isfinite(self.weights).all():
            raise ModelError(
                f"Output {self.title}: give a joint coordinate, (body, point), a function h(t, q, v), or {2 * n_v} numbers."
            )
        return self.weights[None, :n_v], self.weights[None, n_v:]


def as_output(output, number, model):
    """The output that a user means; model is None for systems given by their functions."""
    if isinstance(output, str):
        if model is None:
            raise ModelError(f'Output "{output}": a system given by its functions has no joints; give h(t, q, v).')
        rate = output.endswith(VELOCITY)
        return Coordinate(output, model.coordinate(output.removesuffix(VELOCITY)), rate)
    if callable(output):
        return Function(output)
    if isinstance(output, tuple) and len(output) == 2 and model is not None:
        body, point = model.bodies.get(getattr(output[0], "name", output[0])), np.asarray(output[1], float)
        if body is None or point.shape != (3,) or not np.isfinite(point).all():
            raise ModelError(f"Output {output!r}: a point is (body, three coordinates in its reference frame).")
        return Point(body, point)
    try:
        return Row(np.asarray(output, float), f"y{number + 1}")
    except (TypeError, ValueError):
        raise ModelError(
            f"Output {output!r} is neither a coordinate, a point, a function nor a row of numbers."
        ) from None


def state_names(system, positions, velocities):
    """Names of the states: small motions and velocities in these places."""
    return (
        *(increment_names(system)[i] for i in positions),
        *(velocity_names(system)[i] for i in velocities),
    )
