"""What was moved from the drawn pose so that a mechanism closes, and when that calls for a warning."""

from typing import NamedTuple

SHOWN = 5  # what was moved, in a sentence
MOVED = 0.01  # characteristic lengths or rad: a start that is moved further without a wish for it is a warning


class Moved(NamedTuple):
    """A joint or body that was moved so that the mechanism closes.

    by : how far, in m or rad, as the unit "length" or "angle" says. size : the same in natural sizes. wished : whether a wish or
    a drive acts in its block.
    """

    what: str
    name: str
    by: float
    unit: str
    size: float
    wished: bool

    def __str__(self):
        return f'{self.what} "{self.name}" by {self.by:.3g} {"m" if self.unit == "length" else "rad"}'


def moved_words(moved):
    """A sentence on what was moved to close, and whether that calls for a warning; empty where nothing was."""
    if not moved:
        return "", False
    shown = [m for m in moved if m.what == "joint"] or list(moved)
    words = ", ".join(str(m) for m in shown[:SHOWN]) + (f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")
    far = any(m.size > MOVED and not m.wished for m in moved)
    remedy = " Nothing is wished there: draw the bodies where they close, check frames, or wish for the joint that shall stay."
    return f"The drawn start does not close; moved were {words}.{remedy if far else ''}", far
