"""Which entries of G and K a joint by its function has: those of what its rows depend on, along every branch of the function.

A joint that only looks at points has one translation per row, and no geometric stiffness between its bodies; with the full
12 x 12 pattern the factorisation would cost several times as much.
"""

import numpy as np

from ..hyperdual.dependence import dependence
from ..kernels.functions import ALL_WAYS, TIME, Motion, Pose


def _arguments(number, moving, count):
    def side(way):
        x = tuple(number(1 << way + k) for k in range(3))
        R = ((number(0b111 << way + 3),) * 3,) * 3
        if not moving:
            return Pose(x, R)
        v, w = (tuple(number(1 << way + 12 + shift + k) for k in range(3)) for shift in (0, 3))
        return Motion(x, R, v, w)

    return number(1 << TIME), side(0), side(6), [number(0)] * count


def rows_of(element):
    """What each row, load or potential of an element depends on: (bits, second derivatives), or None where it cannot be told.

    Bits are own directions of kernels/functions.py.
    """
    count = len(element.parameters)
    if element.function is None:
        return dependence(element.potential, lambda number: _arguments(number, False, count)[1:])
    moving, rows = element.kind != "joint", element.rows if element.potential is None else 6
    found = dependence(element.function, lambda number: _arguments(number, moving, count))
    return found if found is not None and len(found) == rows else None


def mask_of(found):
    """The bits of all rows together."""
    if found is None:
        return ALL_WAYS
    mask = 0
    for bits, _ in found:
        mask |= bits
    return mask


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
