"""Users' functions behind the interface BRANCHES, asked with numbers that tell on which sides of its kinks it is.

The arguments stand in `given`, four parts each: of a function of time the time, of a law the time, the measure and its speed, of
rows and loads what functions.py says, of users' joints what user_functions.py says.
"""

from enum import IntEnum
from typing import Any, NamedTuple

from ..compiled.hyperdual_arrays import store, take
from ..compiled.interfaces import BRANCHES
from ..compiled.pointers import Pointer, compiled, inlined
from ..compiled.sided import sided
from ..compiled.users import pointer
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
    """A user's function of a kind, with names and shapes of its arguments, and what makes its pointer, with these numbers."""

    kind: Kind
    given: tuple[Any, Any]
    make: Any
    numbers: tuple[int, ...] = ()

    @property
    def function(self) -> Any:
        """The function as the user wrote it."""
        return self.given[0]

    def pointer(self) -> Pointer:
        """The pointer, compiled when its address is asked for."""
        return pointer(self.make, (self.given,), *self.numbers)


def of_joint(kind: Kind, given: tuple[Any, Any], *numbers: int) -> Branching:
    """A function of a user's joint; numbers : of its coordinates, and of its velocities for a routine."""
    return Branching(kind, given, MAKERS[kind], numbers)


def with_branches(made: Pointer, kind: Kind, given: tuple[Any, Any]) -> Pointer:
    """The pointer of a user's function, which now tells how to ask for its branches; `given` as compiled/users.py takes it."""
    made.branching = Branching(kind, given, MAKERS[kind])
    return made


@compiled
def three(numbers, track):
    """Three numbers with a track."""
    return sided(numbers[0], track), sided(numbers[1], track), sided(numbers[2], track)


def several(n):
    """The function that gives the first n of some numbers a track."""
    if n == 1:
        return inlined(lambda numbers, track: (sided(numbers[0], track),))
    front, last = several(n - 1), n - 1
    return inlined(lambda numbers, track: front(numbers, track) + (sided(numbers[last], track),))


def of_time(function):
    """The pointer of a function of time."""

    def branches(given, parameters, first, last, track, parts):
        store(parts, function(sided(take(given, 0, 1)[0], track)))

    return BRANCHES(branches)


def of_law(function):
    """The pointer of a law F(t, x, x')."""

    def branches(given, parameters, first, last, track, parts):
        store(parts, function(*three(take(given, 0, 3), track)))

    return BRANCHES(branches)


def of_potential_law(function):
    """The pointer of a potential U(x)."""

    def branches(given, parameters, first, last, track, parts):
        store(parts, function(sided(take(given, 1, 1)[0], track)))

    return BRANCHES(branches)


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

    def branches(given, parameters, first, last, track, parts):
        a, b = pose(given, track), pose_of_second(given, track)
        store(parts, function(sided(take(given, 0, 1)[0], track), a, b, parameters[first:last]))

    return BRANCHES(branches)


def of_motions(function):
    """The pointer of rows or loads that depend on poses and velocities."""

    def branches(given, parameters, first, last, track, parts):
        a, b = pose(given, track), pose_of_second(given, track)
        motion_a = Motion(a.x, a.R, three(take(given, 13, 3), track), three(take(given, 16, 3), track))
        motion_b = Motion(b.x, b.R, three(take(given, 31, 3), track), three(take(given, 34, 3), track))
        store(parts, function(sided(take(given, 0, 1)[0], track), motion_a, motion_b, parameters[first:last]))

    return BRANCHES(branches)


def of_potential(function):
    """The pointer of a potential U(a, b, p) of two poses."""

    def branches(given, parameters, first, last, track, parts):
        a, b = pose(given, track), pose_of_second(given, track)
        store(parts, function(a, b, parameters[first:last]))

    return BRANCHES(branches)


def of_coordinates(function, n):
    """The pointer of a function of n coordinates of a user's joint: its pose, or its motion."""
    tracked = several(n)

    def branches(given, parameters, first, last, track, parts):
        store(parts, function(tracked(take(given, 0, n), track), parameters[first:last]))

    return BRANCHES(branches)


def of_routine(function, n, velocities):
    """The pointer of a routine, at rest: what depends on velocities are its own derivatives."""
    tracked, at_rest = several(n), several(velocities)

    def branches(given, parameters, first, last, track, parts):
        s, u = tracked(take(given, 0, n), track), at_rest(take(given, n, velocities), track)
        store(parts, function(s, u, parameters[first:last]))

    return BRANCHES(branches)


def of_closure(function, n):
    """The pointer of residuals of a user's joint with n coordinates."""
    tracked = several(n)

    def branches(given, parameters, first, last, track, parts):
        C = (three(take(given, 3, 3), track), three(take(given, 6, 3), track), three(take(given, 9, 3), track))
        d, s = three(take(given, 0, 3), track), tracked(take(given, 12, n), track)
        store(parts, function(d, C, s, parameters[first:last]))

    return BRANCHES(branches)


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
