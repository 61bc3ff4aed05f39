"""The element types that compiled code knows: kernel, and which entries of G, K and D it writes.

A pattern is a list of (row, column). Columns 0-5 are translation and turn of the first body, 6-11 of the second, and so
on. Rows of G count within the element; rows of K and D are such columns too.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled.interfaces import FUNCTION, LAW, PROFILE
from ..compiled.pointers import Interface, Pointer
from ..kernels.applied import applied
from ..kernels.coincide import coincide, coincide_planar
from ..kernels.coordinate_force import coordinate_force
from ..kernels.coupling import coupling
from ..kernels.function_force import function_force
from ..kernels.function_joint import function_joint
from ..kernels.measures import angle, displacement, distance
from ..kernels.nonholonomic import nonholonomic
from ..kernels.perpendicular import perpendicular
from ..kernels.potential_force import potential_force
from ..kernels.separation import separation
from ..kernels.user_rows import user_coordinate, user_rows

MEASURE, CONSTRAINT, FORCE = range(3)
NOTHING = np.zeros((0, 2), int)
NO_COLUMN = -1  # of an entry that always vanishes


class ElementType(NamedTuple):
    """What the builder has to know about a kind of element."""

    stage: int  # MEASURE, CONSTRAINT or FORCE
    kernel: Pointer
    rows: int
    g: np.ndarray  # (n, 2)
    k: np.ndarray
    d: np.ndarray
    function: Interface | None = None  # what its elements call: PROFILE, LAW, FUNCTION or nothing
    vectors: tuple = ()  # points and directions of bodies: (place of the first number in the parameters, which body)


def _pairs(rows, columns):
    return [(i, j) for i in rows for j in columns]


def _type(
    stage: int,
    kernel: Pointer,
    rows: int = 0,
    g: Any = NOTHING,
    k: Any = NOTHING,
    d: Any = NOTHING,
    function: Interface | None = None,
    vectors: tuple = (),
) -> ElementType:
    g, k, d = (np.array(p, int).reshape(-1, 2) for p in (g, k, d))
    return ElementType(stage, kernel, rows, g, k, d, function, vectors)


TURN_A, TURN_B, ALL = range(3, 6), range(9, 12), range(12)
POINT_G = [(i, 6 * side + c) for side in (0, 1) for i in range(3) for c in (i, 3, 4, 5)]
TURNS_K = _pairs(TURN_A, TURN_A) + _pairs(TURN_A, TURN_B) + _pairs(TURN_B, TURN_A) + _pairs(TURN_B, TURN_B)
PAIR = _pairs(ALL, ALL)
ONE_EACH = ((0, 0), (3, 1))  # a vector of the first body, then one of the second

TYPES = {
    "angle": _type(MEASURE, angle, vectors=((0, 0), (3, 0), (6, 1))),
    "displacement": _type(MEASURE, displacement, vectors=ONE_EACH),
    "distance": _type(MEASURE, distance, vectors=ONE_EACH),
    "coincide": _type(
        CONSTRAINT, coincide, 3, POINT_G, _pairs(TURN_A, TURN_A) + _pairs(TURN_B, TURN_B), vectors=ONE_EACH
    ),
    "coincide_planar": _type(
        CONSTRAINT,
        coincide_planar,
        2,
        [(0, 0), (0, 5), (0, 6), (0, 11), (1, 1), (1, 5), (1, 7), (1, 11)],
        [(5, 5), (11, 11)],
        vectors=ONE_EACH,
    ),
    "perpendicular": _type(
        CONSTRAINT, perpendicular, 1, [(0, c) for c in (3, 4, 5, 9, 10, 11)], TURNS_K, vectors=ONE_EACH
    ),
    "separation": _type(CONSTRAINT, separation, 1, [(0, c) for c in ALL], PAIR, vectors=ONE_EACH),
    "coupling 1": _type(CONSTRAINT, coupling, 1, [(0, c) for c in ALL], PAIR, function=PROFILE),
    "coupling 2": _type(
        CONSTRAINT,
        coupling,
        1,
        [(0, c) for c in range(24)],
        PAIR + [(12 + i, 12 + j) for i, j in PAIR],
        function=PROFILE,
    ),
    "coordinate force": _type(FORCE, coordinate_force, 0, NOTHING, PAIR, PAIR, LAW),
    "user coordinate": _type(MEASURE, user_coordinate),
    **{
        f"user {rows}": _type(CONSTRAINT, user_rows, rows, [(r, c) for r in range(rows) for c in ALL], PAIR)
        for rows in range(1, 6)
    },
    "applied": _type(FORCE, applied, 0, NOTHING, _pairs(range(6, 12), TURN_B), function=PROFILE),
}


def function_type(kind, rows, structure=None):
    """The element type of joints, nonholonomic rows, forces and potentials by their function.

    structure : masks of the entries of G and K of a joint or a potential (user_pattern.py), or None for all of them.
    """
    if kind == "force":
        return _type(FORCE, function_force, 0, NOTHING, PAIR, PAIR, FUNCTION)
    g, k = [(r, c) for r in range(rows) for c in ALL], PAIR
    if structure is not None:  # entries keep their places, but those that vanish get no column
        g = [(r, c if structure[0][r, c] else NO_COLUMN) for r, c in g]
        k = [(i, j) if structure[1][i, j] else (NO_COLUMN, NO_COLUMN) for i, j in PAIR]
    if kind == "potential":
        return _type(FORCE, potential_force, 0, NOTHING, k, NOTHING, FUNCTION)
    return _type(CONSTRAINT, function_joint if kind == "joint" else nonholonomic, rows, g, k, NOTHING, FUNCTION)
