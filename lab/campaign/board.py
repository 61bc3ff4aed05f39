"""The drawing board: bodies in the pose in which they are drawn, and random points, directions and numbers that fit a shape.

Shapes: "space", anything; "flat", a planar mechanism in space, whose closed loops have redundant rows; "sphere", all axes
through one point; "plane", a planar model; "mixed", planar bodies and bodies in space in one model.
"""

from __future__ import annotations

import numpy as np

from .mechanism import GROUND, Mechanism
from .oracle.geometry import axes_about
from .oracle.system import System
from .world import World

PROFILES = ("constant", "sine", "polynomial", "tabulated", "smooth_step", "function")


class Board:
    """Random numbers with a purpose. plain : without units, so that a user's functions without numbers make sense."""

    def __init__(self, rng, mechanism: Mechanism, world: World):
        self.rng, self.mechanism, self.world = rng, mechanism, world
        self.places: dict[str, np.ndarray] = {GROUND: np.zeros(3)}
        self.shape = mechanism.shape
        self.normal = np.array([0.0, 0.0, 1.0]) if mechanism.planar or self.shape == "mixed" else self.direction()
        self.thin = 10.0 ** rng.uniform(-3.0, -1.0) if self.shape in ("plane", "flat") and rng.random() < 0.1 else 1.0
        self.plain = world.length == world.mass == world.time == 1.0
        self.span = mechanism.duration / world.time

    # numbers

    def uniform(self, low, high):
        """Draw a number."""
        return float(self.rng.uniform(low, high))

    def log(self, low, high):
        """Draw a number, evenly in its logarithm."""
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def chance(self, share):
        """Draw yes or no."""
        return bool(self.rng.random() < share)

    def sign(self):
        """Draw 1 or -1."""
        return 1.0 if self.rng.random() < 0.5 else -1.0

    def choice(self, items):
        """Draw one of a list."""
        return items[int(self.rng.integers(len(items)))]

    def one_of(self, coordinates):
        """Draw one of (name, unit)."""
        return self.choice(sorted(coordinates))

    def two_of(self, coordinates):
        """Draw two different ones of (name, unit)."""
        both = self.rng.choice(len(coordinates), size=2, replace=False)
        return [sorted(coordinates)[int(k)] for k in both]

    def direction(self):
        """Draw a direction."""
        vector = self.rng.normal(size=3)
        return vector / np.linalg.norm(vector)

    def normal_to(self, axis):
        """Draw a direction perpendicular to an axis."""
        return axes_about(axis, self.direction())[:, 0]

    def frame(self, body=None):
        """Draw three axes."""
        return axes_about(self.direction(), self.direction())

    # places and directions that fit the shape

    def body(self, name):
        """A body of the mechanism."""
        return self.mechanism.body(name)

    def flat(self, a, b):
        """Whether both bodies stay in the plane."""
        return all(name == GROUND or self.body(name)["planar"] for name in (a, b)) and self.shape in ("plane", "mixed")

    def place(self, name):
        """Where a body stands on the board."""
        return self.places[name]

    def point(self, a, b):
        """Draw a point near both bodies."""
        if self.shape == "sphere":
            return np.zeros(3)
        middle = 0.5 * (self.places[a] + self.places[b])
        offset = 0.4 * self.rng.normal(size=3)
        if self.shape in ("plane", "flat") or self.flat(a, b):
            offset -= (offset @ self.normal) * self.normal
            offset[1] *= self.thin
        if self.flat(a, b):
            return np.array([*(middle + offset)[:2], 0.0])
        return middle + offset

    def axis(self, a, b):
        """Draw an axis of turning."""
        if self.shape in ("plane", "flat") or self.flat(a, b):
            return self.normal * self.sign()
        return self.direction()

    def across(self, a, b):
        """Draw a direction of sliding."""
        if self.shape in ("plane", "flat") or self.flat(a, b):
            return self.normal_to(self.normal)
        return self.direction()

    def two_points(self, a, b):
        """Draw a point near each body, not too close to each other."""
        while True:
            ends = [self.places[a], self.places[b]]
            for k in range(2):
                offset = 0.3 * self.rng.normal(size=3)
                if self.flat(a, b):
                    offset[2] = -ends[k][2]
                ends[k] = ends[k] + offset
            if np.linalg.norm(ends[1] - ends[0]) > 0.3:
                return {"point_a": self.world.place(ends[0]), "point_b": self.world.place(ends[1])}

    # functions of time, coordinates

    def profile(self, start, size, swing):
        """Draw a function of time that is `start` at the start, with changes of about swing times size, of any kind."""
        kinds = PROFILES if self.plain and abs(start) < 1e-12 else PROFILES[:-1]
        kind, time, change = self.choice(kinds), self.world.time, swing * size
        if kind == "constant":
            return {"profile": kind, "value": start}
        if kind == "sine":
            phase, amplitude = self.uniform(0.0, 6.0), change * self.uniform(0.3, 1.0)
            offset = start - amplitude * np.sin(phase)
            frequency = self.uniform(0.1, 0.6) / time
            return {"profile": kind, "amplitude": amplitude, "frequency": frequency, "phase": phase, "offset": offset}
        if kind == "polynomial":
            rest = [change * self.uniform(-1.0, 1.0) / time**k for k in range(1, 4)]
            return {"profile": kind, "coefficients": [start, *rest]}
        if kind == "tabulated":
            t = time * self.span * np.array([0.0, 0.3, 0.55, 0.8, 1.1])
            return {
                "profile": kind,
                "time": t.tolist(),
                "value": [start, *(start + change * self.rng.uniform(-0.5, 0.5, 4))],
            }
        if kind == "smooth_step":
            begin, end = time * self.span * self.uniform(0.0, 0.4), time * self.span * self.uniform(0.6, 1.2)
            return {"profile": kind, "start": start, "end": start + change, "t_start": begin, "t_end": end}
        return {"profile": kind, "function": "swing"}

    def value(self, coordinate):
        """The value of a coordinate as drawn."""
        system = System(self.mechanism)
        drawn = system.start()
        value = system.m.evaluate(drawn.X, system.drawn, drawn.V, drawn.W, np.zeros(len(system.m.angles)))[0]
        number = float(value[system.m.place(system.coordinate(coordinate))])
        return 0.0 if abs(number) < 1e-12 * self.world.length else number
