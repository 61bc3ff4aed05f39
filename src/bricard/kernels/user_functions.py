"""Users' functions of joints behind the interface USER_JOINT (user_joint.py): hyper-dual numbers in and out, four parts each.

explicit  position(s, p) -> d, C                s in; d, C by rows out
          with motion(s, p) -> n rows (d', w)   s and u in; out as a routine: accelerations from its derivative along u
routine   routine(s, u, p) -> SD, SDT, SDQ, SDTT, CD, CDT, CDQ, CDTT   s and u in; these out. Real numbers only
implicit  closure(d, C, s, p) -> six residuals  d, C by rows, s in; residuals out
"""

from ..compiled.hyperdual import lifted
from ..compiled.hyperdual_arrays import store, take
from ..compiled.interfaces import USER_JOINT
from ..compiled.pointers import inlined


def reals(n):
    """The function that makes the first n of some numbers a tuple of their values."""

    def single(row):
        return (lifted(row[0]).x,)

    if n == 1:
        return inlined(single)
    front, last = reals(n - 1), n - 1

    def several(row):
        return front(row) + (lifted(row[last]).x,)

    return inlined(several)


def along(n):
    """The function that makes n numbers a tuple of their derivatives along the first direction."""

    def single(row):
        return (lifted(row[0]).a,)

    if n == 1:
        return inlined(single)
    front, last = along(n - 1), n - 1

    def several(row):
        return front(row) + (lifted(row[last]).a,)

    return inlined(several)


def explicit(position, n_q, n_p):
    """The pointer of position(s, p)."""

    def pose(given, p, first, parts):
        d, C = position(take(given, 0, n_q), p[first : first + n_p])
        store(parts, ((d[0], d[1], d[2]), C))

    return USER_JOINT(pose)


def routine(function, n_q, n_v, n_p):
    """The pointer of routine(s, u, p)."""
    coordinates, velocities, three = reals(n_q), reals(n_v), reals(3)

    def contract(given, p, first, parts):
        s, u = coordinates(take(given, 0, n_q)), velocities(take(given, n_q, n_v))
        found = function(s, u, p[first : first + n_p])
        sdq = velocities(found[2][0]), velocities(found[2][1]), velocities(found[2][2])
        cd = three(found[4][0]), three(found[4][1]), three(found[4][2])
        cdq = velocities(found[6][0]), velocities(found[6][1]), velocities(found[6][2])
        shift = (three(found[0]), three(found[1]), sdq, three(found[3]))
        store(parts, (shift, cd, three(found[5]), cdq, three(found[7])))

    return USER_JOINT(contract)


def with_motion(position, motion, n_q, n_p):
    """The pointer of position(s, p) and motion(s, p), in the order of a routine."""
    three, six, rate = reals(3), reals(6), along(6)

    def contract(given, p, first, parts):
        s, u, own = take(given, 0, n_q), take(given, n_q, n_q), p[first : first + n_p]
        d, C = position(s, own)
        rows = motion(s, own)
        turn = 9 + 3 * n_q
        for i in range(4 * (21 + 6 * n_q)):
            parts[i] = 0.0
        d, C = three(d), (three(C[0]), three(C[1]), three(C[2]))
        for i in range(3):
            parts[4 * i] = d[i]
            for j in range(3):
                parts[4 * (turn + 3 * i + j)] = C[i][j]
        for k in range(n_q):
            numbers, change = six(rows[k]), rate(rows[k])
            for i in range(3):
                parts[4 * (6 + n_q * i + k)], parts[4 * (turn + 12 + n_q * i + k)] = numbers[i], numbers[3 + i]
                parts[4 * (3 + i)] += numbers[i] * u[k].x
                parts[4 * (turn + 9 + i)] += numbers[3 + i] * u[k].x
                parts[4 * (6 + 3 * n_q + i)] += change[i] * u[k].x
                parts[4 * (turn + 12 + 3 * n_q + i)] += change[3 + i] * u[k].x

    return USER_JOINT(contract)


def implicit(closure, n_q, n_p):
    """The pointer of closure(d, C, s, p)."""

    def residuals(given, p, first, parts):
        C = take(given, 3, 3), take(given, 6, 3), take(given, 9, 3)
        h = closure(take(given, 0, 3), C, take(given, 12, n_q), p[first : first + n_p])
        store(parts, (h[0], h[1], h[2], h[3], h[4], h[5]))

    return USER_JOINT(residuals)
