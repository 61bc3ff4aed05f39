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


def tuple_of(n, made):
    """The function that makes the first n of some numbers a tuple of what `made` makes of each."""
    if n == 1:
        return inlined(lambda row: (made(row[0]),))
    front, last = tuple_of(n - 1, made), n - 1
    return inlined(lambda row: front(row) + (made(row[last]),))


@inlined
def real(number):
    """The value of a number."""
    return lifted(number).x


def explicit(position, n_q, n_p):
    """The pointer of position(s, p)."""

    def pose(given, p, first, parts):
        d, C = position(take(given, 0, n_q), p[first : first + n_p])
        store(parts, ((d[0], d[1], d[2]), C))

    return USER_JOINT(pose)


def routine(function, n_q, n_v, n_p):
    """The pointer of routine(s, u, p)."""
    coordinates, velocities, three = (tuple_of(n, real) for n in (n_q, n_v, 3))

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
    three, six = tuple_of(3, real), tuple_of(6, lifted)

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
            row = six(rows[k])
            for i in range(6):
                number, column = row[i], (6 if i < 3 else turn + 12) + n_q * (i % 3) + k
                rate, rest = (3 if i < 3 else turn + 9) + i % 3, (6 + 3 * n_q if i < 3 else turn + 12 + 3 * n_q) + i % 3
                parts[4 * column], parts[4 * column + 2] = number.x, number.b
                parts[4 * rate] += number.x * u[k].x
                parts[4 * rest] += number.a * u[k].x
                parts[4 * rest + 2] += number.ab * u[k].x

    return USER_JOINT(contract)


def implicit(closure, n_q, n_p):
    """The pointer of closure(d, C, s, p)."""

    def residuals(given, p, first, parts):
        C = take(given, 3, 3), take(given, 6, 3), take(given, 9, 3)
        h = closure(take(given, 0, 3), C, take(given, 12, n_q), p[first : first + n_p])
        store(parts, (h[0], h[1], h[2], h[3], h[4], h[5]))

    return USER_JOINT(residuals)
