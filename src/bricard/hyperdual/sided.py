"""Numbers that tell on which sides of its kinks a function was: hyper-dual numbers with a track that all of them share.

Every rule with several outcomes (sides.py) enters into the track on which side it was, in order; rules themselves are those of
hyper-dual numbers. Two calls with equal tracks took the same way through the function. A call that enters nothing took the only
way that there is: a way can be left only by a rule that enters its outcome.

This class serves plain Python; `compiled/sided.py` makes it a type of Numba.
"""

import operator
from enum import IntEnum

import numpy as np

from . import plain, words
from .caught import raising
from .number import HyperDual, Number, lifted
from .sides import OUTCOMES, POINTS, SIDES, piece


class Track(IntEnum):
    """Places in a track: mark of all outcomes in order, how many there were, how many stood where no derivative exists."""

    MARK = 0
    SEEN = 1
    POINTS = 2
    SIZE = 3


# of a mark: a number is added, so that the outcome 0 changes it too; it is multiplied, and its upper bits, where signs and
# exponents lie, come down
ADDED, MULTIPLIER, SHIFT, MASK = 0x9E3779B97F4A7C15, 0x5851F42D4C957F2D, 29, 2**64 - 1
TOLD = {*OUTCOMES, *words.COMPARISONS, operator.not_, round, int}  # words whose result is the side


class Sided(Number):
    """A HyperDual `number`, and the `track` of the call that it belongs to."""

    __slots__ = ("number", "track")
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, number, track):
        self.number, self.track = number, track

    def __format__(self, how):
        return format(self.number, how)

    def __repr__(self):
        return f"Sided({self.number!r})"

    def __bool__(self):
        return bool(entered(self.track, bool(self.number)))

    def __int__(self):
        return self.of(int, self)

    __trunc__ = __int__

    @raising
    def of(word, *numbers):
        """The rule of a word, whose side is entered into the track."""
        if word in words.SEVERAL and len(numbers) > 2:
            return Sided.of(word, Sided.of(word, *numbers[:-1]), numbers[-1])
        if not any(isinstance(number, Sided) for number in numbers):
            return plain.RULES[word](*numbers)
        track, own = next(n.track for n in numbers if isinstance(n, Sided)), [inner(number) for number in numbers]
        if word in SIDES:
            entered(track, SIDES[word](*(lifted(number).x for number in own)))
        if word in POINTS:
            track[Track.POINTS] += bool(POINTS[word](*map(lifted, own)))
        if word is np.interp:
            entered(track, piece(own[0].x, own[1]))
        result = plain.RULES[word](*own)
        if isinstance(result, HyperDual):
            return Sided(result, track)
        return entered(track, result) if word in TOLD else result


def entered(track, outcome):
    """The outcome, which is now part of the track."""
    bits = int(np.array(float(outcome) + 0.0).view(np.int64))
    mixed = (((int(track[Track.MARK]) ^ bits) + ADDED) * MULTIPLIER) & MASK
    mixed ^= mixed >> SHIFT
    track[Track.MARK] = mixed - ((mixed >> 63) << 64)  # as a number with a sign
    track[Track.SEEN] += 1
    return outcome


def inner(value):
    """The HyperDual of a Sided, any other value as it is."""
    return value.number if isinstance(value, Sided) else value
