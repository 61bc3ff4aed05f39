"""Users' functions of joints behind the interface USER_JOINT (user_joint.py): numbers in, numbers and derivatives out.

    explicit  position(s, p) -> d, C                      x = s, dx: direction. Out: d, C by rows, and their derivatives along dx
              with motion(s, p) -> n rows (d', w)         as a routine, in real numbers
    routine   routine(s, u, p) -> SD, SDT, SDQ, SDTT, CD, CDT, CDQ, CDTT   x = s, dx = u. Out: these, one after the other
    implicit  closure(d, C, s, p) -> six residuals        x = d, C by rows, s; dx: direction. Out: h, derivative along dx

Derivatives of explicit and implicit functions come from a complex step, exact to rounding. Values are taken without it: an
imaginary part then shows that sqrt, log or the like have left their real domain, be it by the last digit; there nothing is a
number.
"""

import math

from ..compiled.interfaces import USER_JOINT
from ..compiled.pointers import compiled, inlined
from .user_layout import DIFFERENCE, OWN, SIZES, WEIGHTS

TINY, HUGE = 1e-30, 1e30


@compiled
def imaginary(x, dx, i, way):
    """Number i after the imaginary way along dx."""
    return complex(x[i], way * dx[i])


@compiled
def keep(value, out, place, along, way):
    """Without a way, the value; with it, its derivative, a number where the value is one."""
    if way == 0.0:
        out[place] = value.real if value.imag == 0.0 else math.nan
    else:
        out[along] = value.imag * HUGE if math.isfinite(out[place]) else math.nan


@compiled
def ahead(x, dx, i, way):
    """Number i after the way along dx."""
    return x[i] + way * dx[i]


@compiled
def complex_3(a):
    """Three numbers as complex ones, whatever they are."""
    return a[0] + 0j, a[1] + 0j, a[2] + 0j


@compiled
def real_3(a):
    """Three numbers as floats, whatever they are."""
    return a[0] + 0.0, a[1] + 0.0, a[2] + 0.0


def taking(n, number):
    """The function (x, dx, o, way) -> number(x, dx, o, way), ..., number(x, dx, o + n - 1, way) as a tuple.

    Numba adds tuples, but does not unpack them.
    """

    def single(x, dx, o, way):
        return (number(x, dx, o, way),)

    if n == 1:
        return inlined(single)
    front, last = taking(n - 1, number), n - 1

    def several(x, dx, o, way):
        return front(x, dx, o, way) + (number(x, dx, o + last, way),)

    return inlined(several)


def floats(n):
    """The function that makes n numbers of any kind a tuple of floats."""

    def single(row):
        return (row[0] + 0.0,)

    if n == 1:
        return inlined(single)
    front, last = floats(n - 1), n - 1

    def several(row):
        return front(row) + (row[last] + 0.0,)

    return inlined(several)


def explicit(position, n_q, n_p):
    """The pointer of position(s, p)."""
    position, take = inlined(position), taking(n_q, imaginary)

    def pose(x, dx, p, first, out):
        for way in (0.0, TINY):
            d, C = position(take(x, dx, 0, way), p[first : first + n_p])
            d, C = complex_3(d), (complex_3(C[0]), complex_3(C[1]), complex_3(C[2]))
            for i in range(3):
                keep(d[i], out, i, 12 + i, way)
                for j in range(3):
                    keep(C[i][j], out, 3 + 3 * i + j, 15 + 3 * i + j, way)

    return USER_JOINT(pose)


def routine(function, n_q, n_v, n_p):
    """The pointer of routine(s, u, p)."""
    function, coordinates, velocities, row = inlined(function), taking(n_q, ahead), taking(n_v, ahead), floats(n_v)

    def contract(x, dx, p, first, out):
        found = function(coordinates(x, x, 0, 0.0), velocities(dx, dx, 0, 0.0), p[first : first + n_p])
        sd, sdt, sdtt, cdt, cdtt = (
            real_3(found[0]),
            real_3(found[1]),
            real_3(found[3]),
            real_3(found[5]),
            real_3(found[7]),
        )
        sdq = row(found[2][0]), row(found[2][1]), row(found[2][2])
        cd = real_3(found[4][0]), real_3(found[4][1]), real_3(found[4][2])
        cdq = row(found[6][0]), row(found[6][1]), row(found[6][2])
        turn = 9 + 3 * n_v
        for i in range(3):
            out[i], out[3 + i], out[6 + 3 * n_v + i] = sd[i], sdt[i], sdtt[i]
            out[turn + 9 + i], out[turn + 12 + 3 * n_v + i] = cdt[i], cdtt[i]
            for j in range(3):
                out[turn + 3 * i + j] = cd[i][j]
            for k in range(n_v):
                out[6 + n_v * i + k], out[turn + 12 + n_v * i + k] = sdq[i][k], cdq[i][k]

    return USER_JOINT(contract)


def with_motion(position, motion, n_q, n_p):
    """The pointer of position(s, p) and motion(s, p), in the order of a routine; accelerations by differences of sixth order."""
    position, motion, take, row = inlined(position), inlined(motion), taking(n_q, ahead), floats(6)

    def contract(x, dx, p, first, out):
        own = p[first : first + n_p]
        d, C = position(take(x, x, 0, 0.0), own)
        d, C = real_3(d), (real_3(C[0]), real_3(C[1]), real_3(C[2]))
        rows, turn, speed = motion(take(x, x, 0, 0.0), own), 9 + 3 * n_q, 0.0
        for i in range(3):
            out[i], out[3 + i], out[6 + 3 * n_q + i] = d[i], 0.0, 0.0
            out[turn + 9 + i], out[turn + 12 + 3 * n_q + i] = 0.0, 0.0
            for j in range(3):
                out[turn + 3 * i + j] = C[i][j]
        for k in range(n_q):
            speed = max(speed, abs(dx[k]) / p[first - OWN + SIZES + k])
            numbers = row(rows[k])
            for i in range(3):
                out[6 + n_q * i + k], out[turn + 12 + n_q * i + k] = numbers[i], numbers[3 + i]
                out[3 + i] += numbers[i] * dx[k]
                out[turn + 9 + i] += numbers[3 + i] * dx[k]
        if speed > 0.0:
            h = DIFFERENCE / speed
            for n in range(3):
                for side in (1.0, -1.0):
                    rows = motion(take(x, dx, 0, side * (n + 1) * h), own)
                    for k in range(n_q):
                        numbers, weight = row(rows[k]), side * WEIGHTS[n] / h * dx[k]
                        for i in range(3):
                            out[6 + 3 * n_q + i] += weight * numbers[i]
                            out[turn + 12 + 3 * n_q + i] += weight * numbers[3 + i]

    return USER_JOINT(contract)


def implicit(closure, n_q, n_p):
    """The pointer of closure(d, C, s, p)."""
    closure, take, three = inlined(closure), taking(n_q, imaginary), taking(3, imaginary)

    def residuals(x, dx, p, first, out):
        for way in (0.0, TINY):
            C = three(x, dx, 3, way), three(x, dx, 6, way), three(x, dx, 9, way)
            h = closure(three(x, dx, 0, way), C, take(x, dx, 12, way), p[first : first + n_p])
            values = h[0] + 0j, h[1] + 0j, h[2] + 0j, h[3] + 0j, h[4] + 0j, h[5] + 0j
            for i in range(6):
                keep(values[i], out, i, 6 + i, way)

    return USER_JOINT(residuals)
