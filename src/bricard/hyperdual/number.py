"""Numbers of our own in plain Python: whatever is done to them becomes a word (of Python, math or NumPy) and its numbers.

HyperDual carries two directions: x + a alpha + b beta + ab alpha beta, with alpha^2 = beta^2 = 0. x is the value, a and b are its
derivatives along two directions, ab is the mixed second derivative; with both directions the same, ab is the second derivative
along it. A function of such numbers gives its value and these derivatives, exact to rounding, on the side of every branch on
which the value lies (Fike and Alonso, AIAA 2011-886).

The class serves plain Python; `compiled/hyperdual.py` makes it a type of Numba. The rules of both are those of rules.py.
"""

import numbers

import numpy as np

MOST_WAYS = 512  # through the branches of a function, so that it can be followed
PARTS = ("x", "a", "b", "ab")
TO_FLOAT = "it hands a number that it was given to code that takes floats only, which would drop its derivatives"


class Refusal(TypeError):
    """What a user's function does and must not, as the end of a sentence."""


class FloatsOnly(Refusal):
    """A number was handed to code that takes floats only."""


class Number:
    """What users' functions are called with in the place of floats; arithmetic.py gives it the operators.

    A class says in `of` what a word of some numbers is.
    """

    __slots__ = ()

    def __init_subclass__(cls):
        numbers.Real.register(cls)

    @staticmethod
    def of(word, *numbers):
        """What a function of numbers gives, of which some are of this class."""
        raise NotImplementedError

    def __float__(self):
        raise FloatsOnly(TO_FLOAT)

    __complex__ = __float__

    @property
    def real(self):
        """The number itself, as of any real number."""
        return self

    def conjugate(self):
        """The number itself."""
        return self

    def is_integer(self):
        """Whether it is a whole number, as of any float."""
        return self == self.of(np.floor, self)


class HyperDual(Number):
    """A value x, its derivatives a and b along two directions, and the mixed second derivative ab."""

    __slots__ = PARTS

    def __init__(self, x, a=0.0, b=0.0, ab=0.0):
        # NumPy's numbers, not Python's: 1/0 is infinite and a root of -1 is no number, as in compiled code
        self.x, self.a, self.b, self.ab = np.float64(x), np.float64(a), np.float64(b), np.float64(ab)

    def __format__(self, how):
        return format(float(self.x), how)

    def __repr__(self):
        return f"HyperDual({self.x!r}, {self.a!r}, {self.b!r}, {self.ab!r})"

    def __bool__(self):
        return bool(self.x != 0.0)

    def __int__(self):
        return int(self.x)

    __trunc__ = __int__

    def __hash__(self):
        return hash(tuple(getattr(self, part) for part in PARTS))


def lifted(value):
    """Return a number as a HyperDual without directions, and a HyperDual as it is; also one that NumPy has made an array of."""
    value = value.item() if isinstance(value, np.ndarray) else value
    return value if isinstance(value, HyperDual) else HyperDual(value)
