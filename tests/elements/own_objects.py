"""Objects that users keep their formulas in: global, nested, made inside of the function, with bases."""

import functools
import math
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple


class Tyre:
    """A class with a constant, a method, a class method and a property."""

    scale = 2.0

    def __init__(self, b, c, d):
        self.b, self.c, self.d = b, c, d

    @property
    def largest(self):
        return self.scale * self.d

    def force(self, s):
        return self.largest * math.sin(self.c * math.atan(self.b * s))

    @classmethod
    def simple(cls, s):
        return cls.scale * math.tanh(s)


class Worn(Tyre):
    """A class that asks its base."""

    def __init__(self, b, c, d, left):
        super().__init__(b, c, d)
        self.left = left

    def force(self, s):
        return self.left * super().force(s) if isinstance(self, Tyre) else 0.0

    def __call__(self, t, x, v):
        return -self.force(x) - v


@dataclass(frozen=True, slots=True)
class Curve:
    """A class with slots that cannot be changed."""

    a: float = 3.0

    def value(self, x):
        return self.a * math.sinh(x)


@dataclass
class Machine:
    """A class of objects, lists and dictionaries."""

    curve: Curve = field(default_factory=Curve)
    gains: list = field(default_factory=lambda: [1.0, 2.0])
    named: dict = field(default_factory=lambda: {"k": 2.0, "f": math.tanh})
    known: ClassVar = (math.sin, lambda s: math.tanh(s))

    def law(self, t, x, v):
        return -self.curve.value(x) - self.gains[1] * v - self.named["k"] * self.named["f"](x) - self.known[0](v)


class Damper(NamedTuple):
    """A named tuple with a method."""

    c: float
    n: float

    def force(self, v):
        return self.c * math.copysign(abs(v) ** self.n, v)


class Counter:
    """A class whose function keeps something."""

    def __init__(self):
        self.calls = 0

    def __call__(self, t, x, v):
        self.calls += 1
        return -x


class Table:
    """A class whose function keeps something in a dictionary."""

    def __init__(self):
        self.known = {"largest": 0.0}

    def __call__(self, t, x, v):
        self.known["largest"] = max(self.known["largest"], abs(x))
        return -x


TYRE, DAMPER, FUNCTIONS = Tyre(3.0, 1.5, 4.0), Damper(2.0, 1.5), (math.sin, lambda s: math.tanh(s))


@functools.lru_cache(maxsize=100)
def remembered(x):
    return 3.0 * math.cosh(x)


OBJECTS = {
    "global": lambda t, x, v: -TYRE.force(x) - v,
    "class method": lambda t, x, v: -Tyre.simple(x) - v,
    "made inside": lambda t, x, v: -Worn(3.0, 1.5, 4.0, 0.5).force(x) - v,
    "with a base": Worn(3.0, 1.5, 4.0, 0.7),
    "nested": Machine().law,
    "named tuple": lambda t, x, v: -DAMPER.force(v) - x,
    "tuple of functions": lambda t, x, v: -3.0 * FUNCTIONS[0](x) - FUNCTIONS[1](v),
    "partial": functools.partial(lambda t, x, v, f: -f(x) - v, f=math.sinh),
    "remembered": lambda t, x, v: -remembered(x) * x - v,
}
