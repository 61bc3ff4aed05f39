"""Which entries of G and K a joint by its function has: those of what its rows depend on, along every branch of the function.

A joint that only looks at points has one translation per row, and no geometric stiffness between its bodies; with the full
12 x 12 pattern the factorisation would cost several times as much.
"""

import re

import numpy as np

from ..hyperdual.course import course_of
from ..hyperdual.dependence import dependence
from ..kernels import functions
from ..kernels.functions import ALL_WAYS, TIME, Motion, Pose

FIRST_WAY = {"x": 0, "R": 3, "v": 12, "w": 15}  # own direction of the first number of a field of a


def arguments_of(element):
    """Names and shapes of the arguments of an element's function."""
    return functions.arguments_of(Pose if element.kind == "joint" else Motion, len(element.parameters))


def arguments_of_potential(element):
    """Names and shapes of the arguments of an element's potential."""
    return functions.arguments_of(Pose, len(element.parameters))[1:]


def bits_of(name):
    """The bits of a number among the arguments, such as b.x[2], by own directions of kernels/functions.py."""
    if name == "t":
        return 1 << TIME
    place = re.match(r"([ab])\.(\w)\[(\d)\]", name)
    if place is None:  # a parameter
        return 0
    side, field, i = place.groups()
    way = FIRST_WAY[field] + (6 if side == "b" else 0)
    return 0b111 << way if field == "R" else 1 << way + int(i)


def rows_of(element):
    """What each row, load or potential of an element depends on: (bits, second derivatives), or None where it cannot be told."""
    if element.function is None:
        course = course_of(element.potential, arguments_of_potential(element))
        return None if course is None else dependence(course, bits_of)
    course, rows = course_of(element.function, arguments_of(element)), element.rows if element.potential is None else 6
    return dependence(course, bits_of) if course is not None and course.rows == rows else None


def mask_of(found):
    """The bits of all rows together."""
    if found is None:
        return ALL_WAYS
    mask = 0
    for bits, _ in found:
        mask |= bits
    return mask


def pairs_of(found, kind):
    """For each of the twelve directions of poses the bits of those with which mixed second derivatives are used in K.

    Of a joint or a potential these are directions of poses, of a nonholonomic row those of velocities: there the poses are the
    bodies', which take all that belongs to a side along where they turn.
    """
    if found is None:
        return (ALL_WAYS,) * 12
    pairs = [0] * 12
    for bits, second in found:
        for way in range(12):
            pairs[way] |= second.get(way, 0)
            if way % 6 >= 3 and kind in ("joint", "potential"):
                turns = 0b111 << 6 * (way // 6) + 3
                pairs[way] |= turns if bits & turns else 0
            elif way % 6 >= 3:
                side = 6 * (way // 6)
                for own in (*range(side, side + 6), *range(side + 12, side + 18)):
                    pairs[way] |= second.get(own, 0)
    return tuple(pairs)


def joint_structure(found):
    """Masks (rows, 12) of G and (12, 12) of K, by directions of the bodies; None where all entries may be there."""
    if found is None:
        return None
    g, k = np.zeros((len(found), 12), bool), np.zeros((12, 12), bool)
    for row, (bits, second) in enumerate(found):
        g[row] = _by_bodies(bits)
        for way, others in second.items():
            if way < 12:
                k |= np.outer(_by_bodies(1 << way), _by_bodies(others))
        for side in (0, 1):  # turns do not commute, and move points along arcs
            turns = slice(6 * side + 3, 6 * side + 6)
            k[turns, turns] |= g[row, turns].any()
    return g, k | k.T


def _by_bodies(bits):
    """Directions of the bodies (12,) that change what the own directions of the bits change."""
    own = np.array([bool(bits >> way & 1) for way in range(12)])
    for side in (0, 1):
        own[6 * side + 3 : 6 * side + 6] = own[6 * side : 6 * side + 6].any()
    return own
