"""Users' functions behind the interface BRANCHES, asked with numbers that tell on which sides of its kinks it is.

The arguments stand in `given`, four parts each: of a function of time the time, of a law the time, the measure and its speed, of
rows and loads what functions.py says, of users' joints what user_functions.py says.
"""

from enum import IntEnum
from typing import Any, NamedTuple

from ..compiled.hyperdual_arrays import store, take
from ..compiled.interfaces import BRANCHES
from ..compiled.pointers import Pointer, compiled, inlined, spread
from ..compiled.sided import sided
from ..compiled.users import pointer_of
from .functions import Motion, Pose


class Kind(IntEnum):
    """What a function takes, in the order of its arguments."""

    TIME = 0  # t
    LAW = 1  # t, a measure and its speed
    POTENTIAL_LAW = 2  # a measure; a potential
    POSES = 3  # t, two poses, parameters
    MOTIONS = 4  # t, two motions, parameters
    POTENTIAL = 5  # two poses, parameters; a potential
    COORDINATES = 6  # coordinates of a user's joint, parameters
    ROUTINE = 7  # the same, and velocities of zero
    CLOSURE = 8  # shift, rotation and coordinates of a user's joint, parameters


class Branching(NamedTuple):
    """A user's function of a kind, ready for compiled code, and the numbers that its pointer is made with.

    followed : by compiled/users.py when the model was built.
    """

    kind: Kind
    function: Any
    followed: Any
    numbers: tuple[int, ...] = ()

    def pointer(self) -> Pointer:
        """The pointer, compiled when its address is asked for."""
        return pointer_of(MAKERS[self.kind], (spread(self.followed),), *self.numbers)


def with_branches(made: Pointer, kind: Kind, function: Any) -> Pointer:
    """The pointer of a user's function, the first one in it, which now tells how to ask for its branches."""
    made.branching = Branching(kind, function, made.followed[0])
    return made


@compiled
def three(numbers, track):
    """Three numbers with a track."""
    return sided(numbers[0], track), sided(numbers[1], track), sided(numbers[2], track)


def asker(found):
    """The pointer of a function that gives its results with a track; without room for them the track alone is found, and what
    the sides do not need is not computed."""
    found = spread(found)

    def branches(given, parameters, first, last, track, parts):
        if parts.size > 0:
            store(parts, found(given, parameters, first, last, track))
        else:
            found(given, parameters, first, last, track)

    return BRANCHES(branches)


def several(n):
    """The function that gives the first n of some numbers a track."""
    if n == 1:
        return inlined(lambda numbers, track: (sided(numbers[0], track),))
    front, last = several(n - 1), n - 1
    return inlined(lambda numbers, track: front(numbers, track) + (sided(numbers[last], track),))


def of_time(function):
    """The pointer of a function of time."""

    def found(given, parameters, first, last, track):
        return function(sided(take(given, 0, 1)[0], track))

    return asker(found)


def of_law(function):
    """The pointer of a law F(t, x, x')."""

    def found(given, parameters, first, last, track):
        return function(*three(take(given, 0, 3), track))

    return asker(found)


def of_potential_law(function):
    """The pointer of a potential U(x)."""

    def found(given, parameters, first, last, track):
        return function(sided(take(given, 1, 1)[0], track))

    return asker(found)


@compiled
def pose(given, track):
    """The pose of the first side."""
    R = (three(take(given, 4, 3), track), three(take(given, 7, 3), track), three(take(given, 10, 3), track))
    return Pose(three(take(given, 1, 3), track), R)


@compiled
def pose_of_second(given, track):
    """The pose of the second side."""
    R = (three(take(given, 22, 3), track), three(take(given, 25, 3), track), three(take(given, 28, 3), track))
    return Pose(three(take(given, 19, 3), track), R)


def of_poses(function):
    """The pointer of rows that depend on poses."""

    def found(given, parameters, first, last, track):
        a, b = pose(given, track), pose_of_second(given, track)
        return function(sided(take(given, 0, 1)[0], track), a, b, parameters[first:last])

    return asker(found)


def of_motions(function):
    """The pointer of rows or loads that depend on poses and velocities."""

    def found(given, parameters, first, last, track):
        a, b = pose(given, track), pose_of_second(given, track)
        motion_a = Motion(a.x, a.R, three(take(given, 13, 3), track), three(take(given, 16, 3), track))
        motion_b = Motion(b.x, b.R, three(take(given, 31, 3), track), three(take(given, 34, 3), track))
        return function(sided(take(given, 0, 1)[0], track), motion_a, motion_b, parameters[first:last])

    return asker(found)


def of_potential(function):
    """The pointer of a potential U(a, b, p) of two poses."""

    def found(given, parameters, first, last, track):
        a, b = pose(given, track), pose_of_second(given, track)
        return function(a, b, parameters[first:last])

    return asker(found)


def of_coordinates(function, n):
    """The pointer of a function of n coordinates of a user's joint: its pose, or its motion."""
    tracked = several(n)

    def found(given, parameters, first, last, track):
        return function(tracked(take(given, 0, n), track), parameters[first:last])

    return asker(found)


def of_routine(function, n, velocities):
    """The pointer of a routine, at rest: what depends on velocities are its own derivatives."""
    tracked, at_rest = several(n), several(velocities)

    def found(given, parameters, first, last, track):
        s, u = tracked(take(given, 0, n), track), at_rest(take(given, n, velocities), track)
        return function(s, u, parameters[first:last])

    return asker(found)


def of_closure(function, n):
    """The pointer of residuals of a user's joint with n coordinates."""
    tracked = several(n)

    def found(given, parameters, first, last, track):
        C = (three(take(given, 3, 3), track), three(take(given, 6, 3), track), three(take(given, 9, 3), track))
        d, s = three(take(given, 0, 3), track), tracked(take(given, 12, n), track)
        return function(d, C, s, parameters[first:last])

    return asker(found)


MAKERS = (  # by kind
    of_time,
    of_law,
    of_potential_law,
    of_poses,
    of_motions,
    of_potential,
    of_coordinates,
    of_routine,
    of_closure,
)
