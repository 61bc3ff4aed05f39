"""Users' functions of two poses behind the interface FUNCTION, and how directions are written to their arguments.

The function gets the time, the two sides as Pose (joints) or Motion (the others), and its parameters:

    joint         residual(t, a, b, p) -> rows               zero when satisfied
    nonholonomic  residual(t, a, b, p) -> rows               zero when satisfied
    force         load(t, a, b, p) -> Fx, Fy, Fz, Mx, My, Mz  on b at b.x, world axes; the opposite acts on a there
    potential     potential(a, b, p) -> U                     of two Poses

All its arguments are hyper-dual numbers: one call gives the rows, their derivatives along two directions, and the mixed second
derivatives, exact to rounding (hyperdual/number.py). Kernels are compiled once and call the function by its address. Numbers
stand in `given` and `parts`, four parts each: value, along the first and the second direction, mixed.

Directions of the arguments ("own" directions) are shifts of the two points in the world and turns of the two bodies about them,
in body axes; then changes of the velocities of the points and of the angular velocities, in world axes. Those of the bodies are
shifts of their centres of mass and turns about these: a point at p in the body moves by R (w x p) then.
"""

from enum import IntEnum
from typing import NamedTuple

from ..compiled.hyperdual_arrays import store, store_slopes, take
from ..compiled.interfaces import FUNCTION
from ..compiled.pointers import compiled, spread
from ..hyperdual.following import Numbers, Record
from .vectors import add, cross, dot, position_of, rotate, rotation_of, scale, spin_of, subtract, triple


class Pose(NamedTuple):
    """One side of a joint: world position of the attachment point, rotation matrix of the body (tuple of rows)."""

    x: tuple
    R: tuple


class Motion(NamedTuple):
    """One side of a force: as Pose, with the velocity of the point and the angular velocity, both in world axes."""

    x: tuple
    R: tuple
    v: tuple
    w: tuple


def arguments_of(kind, count):
    """Names and shapes (hyperdual/following.py) of the arguments of a function of two sides and `count` parameters."""
    side = Record(kind, ((3,), (3, 3), (3,), (3,))[: len(kind._fields)])
    return ("t", ()), ("a", side), ("b", side), ("p", Numbers(count))


class Given(IntEnum):
    """Places of the numbers among the arguments: the time, then for each side x, R by rows, v, w."""

    T = 0
    X = 1
    R = 4
    V = 13
    W = 16
    SIDE = 18  # from one side to the other
    SIZE = 37


class Part(IntEnum):
    """Parts of a number: value, derivatives along two directions, mixed second derivative."""

    VALUE = 0
    FIRST = 1
    SECOND = 2
    MIXED = 3
    SIZE = 4


class Header(IntEnum):
    """Numbers of an element in front of the user's parameters."""

    POINT_A = 0
    POINT_B = 3
    ROWS = 6
    DEPENDS = 7  # bit i: depends on own direction i; bit TIME: on the time
    JACOBIAN = 8  # 1: the rows are followed by the user's Jacobian
    PAIRS = 9  # twelve: bits of the directions with which each of the poses has mixed second derivatives that are used
    OWN = 21


MOST_RESULTS = 13  # numbers for each row: itself and twelve derivatives
POSE_WAYS, WAYS, TIME = 12, 24, 24  # own directions: x, R of both sides; then v, w of both sides; the time
ALL_WAYS = 2 ** (TIME + 1) - 1
T, X, R, V, W, SIDE = (int(place) for place in (Given.T, Given.X, Given.R, Given.V, Given.W, Given.SIDE))
VALUE, FIRST, SECOND, MIXED = (int(part) for part in (Part.VALUE, Part.FIRST, Part.SECOND, Part.MIXED))


def asker(found):
    """The pointer of a function of the arguments. Mixed derivatives are not even computed where they are not wanted."""
    found = spread(found)

    def parts_of(given, parameters, first, last, mixed, parts):
        if mixed:
            store(parts, found(given, parameters, first, last))
        else:
            store_slopes(parts, found(given, parameters, first, last))

    return FUNCTION(parts_of)


def of_poses(function):
    """The pointer of rows that depend on poses."""
    function = spread(function)

    def found(given, parameters, first, last):
        a = Pose(take(given, 1, 3), (take(given, 4, 3), take(given, 7, 3), take(given, 10, 3)))
        b = Pose(take(given, 19, 3), (take(given, 22, 3), take(given, 25, 3), take(given, 28, 3)))
        return function(take(given, 0, 1)[0], a, b, parameters[first:last])

    return asker(found)


def of_poses_and_jacobian(function, jacobian):
    """The pointer of rows that depend on poses, followed by the user's Jacobian."""
    function, jacobian = spread(function), spread(jacobian)

    def found(given, parameters, first, last):
        t, p = take(given, 0, 1)[0], parameters[first:last]
        a = Pose(take(given, 1, 3), (take(given, 4, 3), take(given, 7, 3), take(given, 10, 3)))
        b = Pose(take(given, 19, 3), (take(given, 22, 3), take(given, 25, 3), take(given, 28, 3)))
        return (function(t, a, b, p), jacobian(t, a, b, p)[1])

    return asker(found)


def of_motions(function):
    """The pointer of rows or loads that depend on poses and velocities."""
    function = spread(function)

    def found(given, parameters, first, last):
        R_a = (take(given, 4, 3), take(given, 7, 3), take(given, 10, 3))
        R_b = (take(given, 22, 3), take(given, 25, 3), take(given, 28, 3))
        a = Motion(take(given, 1, 3), R_a, take(given, 13, 3), take(given, 16, 3))
        b = Motion(take(given, 19, 3), R_b, take(given, 31, 3), take(given, 34, 3))
        return function(take(given, 0, 1)[0], a, b, parameters[first:last])

    return asker(found)


def of_potential(potential):
    """The pointer of a potential of two poses."""
    potential = spread(potential)

    def found(given, parameters, first, last):
        a = Pose(take(given, 1, 3), (take(given, 4, 3), take(given, 7, 3), take(given, 10, 3)))
        b = Pose(take(given, 19, 3), (take(given, 22, 3), take(given, 25, 3), take(given, 28, 3)))
        return (potential(a, b, parameters[first:last]),)

    return asker(found)


def of_load_and_potential(load, potential):
    """The pointer of a load, followed by its potential and the power of what velocities add to it."""
    load, potential = spread(load), spread(potential)

    def found(given, parameters, first, last):
        t, p = take(given, 0, 1)[0], parameters[first:last]
        x_a, R_a = take(given, 1, 3), (take(given, 4, 3), take(given, 7, 3), take(given, 10, 3))
        x_b, R_b = take(given, 19, 3), (take(given, 22, 3), take(given, 25, 3), take(given, 28, 3))
        v_a, w_a, v_b, w_b = take(given, 13, 3), take(given, 16, 3), take(given, 31, 3), take(given, 34, 3)
        none = scale(0.0, v_a)
        whole = load(t, Motion(x_a, R_a, v_a, w_a), Motion(x_b, R_b, v_b, w_b), p)
        still = load(t, Motion(x_a, R_a, none, none), Motion(x_b, R_b, none, none), p)
        push = whole[0] - still[0], whole[1] - still[1], whole[2] - still[2]
        turn = whole[3] - still[3], whole[4] - still[4], whole[5] - still[5]
        slip = subtract(subtract(v_b, v_a), cross(w_a, subtract(x_b, x_a)))
        power = dot(push, slip) + dot(turn, subtract(w_b, w_a))
        return (whole, potential(Pose(x_a, R_a), Pose(x_b, R_b), p), power)

    return asker(found)


@compiled
def depends(mask, way):
    """Whether a function depends on an own direction, or on the time."""
    return (mask >> way) & 1 != 0


@compiled
def put(given, place, part, numbers):
    """Write one part of three numbers."""
    for i in range(3):
        given[4 * (place + i) + part] = numbers[i]


@compiled
def put_turn(given, place, part, R, w):
    """Write one part of a rotation matrix: R [w]x. A row r of R gives r x w."""
    put(given, place, part, cross(R[0], w))
    put(given, place + 3, part, cross(R[1], w))
    put(given, place + 6, part, cross(R[2], w))


@compiled
def put_turns(given, place, R, outer, inner):
    """Write the mixed part R [outer]x [inner]x of a rotation matrix."""
    put(given, place, MIXED, cross(cross(R[0], outer), inner))
    put(given, place + 3, MIXED, cross(cross(R[1], outer), inner))
    put(given, place + 6, MIXED, cross(cross(R[2], outer), inner))


@compiled
def put_poses(given, t, e, system, work):
    """Write the values of the time and of the poses of both sides of an element."""
    given[0] = t
    for side in range(2):
        body = system.operand_a[e] if side == 0 else system.operand_b[e]
        p, o = triple(system.parameters, system.parameter[e] + 3 * side), X + SIDE * side
        R_s = rotation_of(work.rotation, body)
        put(given, o, VALUE, add(position_of(work.x, body), rotate(R_s, p)))
        for i in range(3):
            put(given, o + 3 + 3 * i, VALUE, R_s[i])


@compiled
def put_velocities(given, e, system, work):
    """Write the values of the velocities of both sides of an element."""
    for side in range(2):
        body = system.operand_a[e] if side == 0 else system.operand_b[e]
        p, R_s = triple(system.parameters, system.parameter[e] + 3 * side), rotation_of(work.rotation, body)
        v, w, o = position_of(work.velocity, body), spin_of(work.velocity, body), V + SIDE * side
        put(given, o, VALUE, add(v, rotate(R_s, cross(w, p))))
        put(given, o + 3, VALUE, rotate(R_s, w))


@compiled
def clear(given):
    """Take all directions out of the arguments; kernels begin with it, and leave none."""
    for i in range(given.size):
        given[i] = 0.0


@compiled
def clear_directions(given, first, last):
    """Take all directions out of some arguments."""
    for i in range(first, last):
        given[4 * i + 1], given[4 * i + 2], given[4 * i + 3] = 0.0, 0.0, 0.0


@compiled
def axis(k):
    """Unit vector k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@compiled
def values_of_R(given, side):
    """The rotation matrix among the arguments, as real numbers."""
    o = 4 * (R + SIDE * side)
    return (
        (given[o], given[o + 4], given[o + 8]),
        (given[o + 12], given[o + 16], given[o + 20]),
        (given[o + 24], given[o + 28], given[o + 32]),
    )


@compiled
def put_way(given, part, way, size):
    """Write an own direction, or the time, to one part; size 0 takes it out again."""
    if way == TIME:
        given[part] = size
        return
    side, k = (way // 6) % 2, way % 3
    e = axis(k)
    if way >= POSE_WAYS:
        place = (W if way % 6 >= 3 else V) + SIDE * side
        given[4 * (place + k) + part] = size
    elif way % 6 < 3:
        given[4 * (X + SIDE * side + k) + part] = size
    else:
        put_turn(given, R + SIDE * side, part, values_of_R(given, side), (size * e[0], size * e[1], size * e[2]))


@compiled
def put_motion(given, part, side, R_s, p, v, w):
    """Write the motion of one side with the body's velocities v, w (held) to a part: of x, R, v and w."""
    o = 1 + SIDE * side
    lever = cross(w, p)
    put(given, o, part, add(v, rotate(R_s, lever)))
    put_turn(given, o + 3, part, R_s, w)
    put(given, o + 12, part, rotate(R_s, cross(w, lever)))


@compiled
def put_motions(given, part, e, system, work):
    """Write the motion of both sides of an element to a part."""
    for side in range(2):
        body = system.operand_a[e] if side == 0 else system.operand_b[e]
        p = triple(system.parameters, system.parameter[e] + 3 * side)
        v, w = position_of(work.velocity, body), spin_of(work.velocity, body)
        put_motion(given, part, side, rotation_of(work.rotation, body), p, v, w)


call_function = FUNCTION.call


@compiled
def ask(e, mixed, system, work):
    """Call the function of an element with what is in work.given; mixed : 1 where mixed derivatives are wanted, too."""
    first, last = system.parameter[e] + Header.OWN, system.parameter[e + 1]
    call_function(system.functions[e], work.given, system.parameters, first, last, mixed, work.parts)
