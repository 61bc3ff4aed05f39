"""The world in which a mechanism is drawn: it may be turned and moved, and lengths, masses and times have units of their own.

Elements are drawn with lengths, masses and times of about one; these functions give the numbers that are declared.
"""

from dataclasses import dataclass

import numpy as np

from .oracle.geometry import quaternion_of, turn


@dataclass
class World:
    """length (m), mass (kg), time (s): units. axes (3, 3), origin (3,): how the drawing board stands in the world."""

    length: float
    mass: float
    time: float
    axes: np.ndarray
    origin: np.ndarray

    @staticmethod
    def draw(rng, flat):
        """Draw one; flat: with planar bodies, it is turned about z and moved in the x-y plane only."""
        length, mass, time = (10.0 ** rng.uniform(-3.0, 3.0) if rng.random() < 0.4 else 1.0 for _ in range(3))
        axes, origin = np.eye(3), np.zeros(3)
        if rng.random() < 0.6:
            axis = np.array([0.0, 0.0, 1.0]) if flat else rng.normal(size=3)
            axes = turn(axis / np.linalg.norm(axis), rng.uniform(0.0, 2.0 * np.pi))
        if rng.random() < 0.6:
            origin = rng.normal(size=3) * 10.0 ** rng.uniform(-1.0, 1.0)
            origin[2] *= not flat
        return World(length, mass, time, axes, origin)

    def place(self, point):
        """A point (m)."""
        return (self.length * (self.origin + self.axes @ np.asarray(point))).tolist()

    def direction(self, vector):
        """A direction."""
        return (self.axes @ np.asarray(vector)).tolist()

    def vector(self, vector, unit):
        """A vector of a unit."""
        return (unit * (self.axes @ np.asarray(vector))).tolist()

    def quaternion(self, axes):
        """The quaternion of a frame with axes (3, 3) of the drawing board."""
        return quaternion_of(self.axes @ axes).tolist()

    @property
    def force(self):
        """Unit of forces (N)."""
        return self.mass * self.length / self.time**2

    @property
    def torque(self):
        """Unit of torques (N m)."""
        return self.force * self.length

    def of(self, unit):
        """(unit of a coordinate, of the force along it) for "length" or "angle"."""
        return (self.length, self.force) if unit == "length" else (1.0, self.torque)
