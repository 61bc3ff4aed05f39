"""Joints given by a residual: Phi, G, gamma, dG/dt, d(G v)/dq and d(G^T lam)/dq, all exact to rounding.

The function is asked along its own directions (functions.py) that it depends on; those of the bodies follow by the chain rule.
With y = R^T Phi_x, for the three turns of a body about its centre of mass as a column,

    G_turn = Phi_R + p x y

and its derivatives along a motion, w being its angular velocity, by differentiating R [w]x. Two own directions share a call where
only first derivatives are asked for. A user's Jacobian takes the place of Phi_x and Phi_R in G, and of nothing else.
"""

from ..compiled.interfaces import G_DOT, KERNEL, RATE, REFRESH, TANGENT, VELOCITY
from ..compiled.pointers import compiled
from .functions import (
    FIRST,
    MIXED,
    POSE_WAYS,
    SECOND,
    SIDE,
    TIME,
    Header,
    R,
    V,
    X,
    ask,
    axis,
    clear,
    clear_directions,
    depends,
    put,
    put_poses,
    put_turn,
    put_turns,
    put_way,
    values_of_R,
)
from .vectors import add, cross, position_of, rotate, rotate_back, scale, spin_of, triple

DEPENDS, ROWS, JACOBIAN = int(Header.DEPENDS), int(Header.ROWS), int(Header.JACOBIAN)
PAIRS = int(Header.PAIRS)
BOTH = 2**12 - 1


@compiled
def add_three(out, place, numbers):
    """Add three numbers to neighbouring places of an array."""
    for i in range(3):
        out[place + i] += numbers[i]


@compiled
def moving_ways(e, mask, system):
    """The own directions that an element depends on, less those of a fixed side."""
    if system.operand_a[e] == system.n_bodies:
        mask &= ~(0b111111 | 0b111111 << 12)
    if system.operand_b[e] == system.n_bodies:
        mask &= ~(0b111111 << 6 | 0b111111 << 18)
    return mask


@compiled
def find_slopes(e, mask, flags, rows, system, work):
    """Phi, and its derivatives along the own directions of poses at the places of G; with VELOCITY Phi_t."""
    given, parts, g, o, row = work.given, work.parts, work.g, system.g_first[e], system.row[e]
    for i in range(12 * rows):
        g[o + i] = 0.0
    waiting, asked = -1, False
    for place in range(POSE_WAYS + 2):
        way = place if place < POSE_WAYS else TIME
        wanted = place <= POSE_WAYS and depends(mask, way) and (way != TIME or flags & VELOCITY != 0)
        if wanted and waiting < 0:
            waiting = way
            continue
        if not wanted and (place <= POSE_WAYS or (waiting < 0 and asked)):
            continue
        other = way if wanted else -1  # none left for the second direction
        if waiting >= 0:
            put_way(given, FIRST, waiting, 1.0)
        if other >= 0:
            put_way(given, SECOND, other, 1.0)
        ask(e, 0, system, work)
        asked = True
        for r in range(rows):
            for which, part in ((waiting, FIRST), (other, SECOND)):
                if which == TIME:
                    work.phi_t[row + r] = parts[4 * r + part]
                elif which >= 0:
                    g[o + 12 * r + which] = parts[4 * r + part]
        if waiting >= 0:
            put_way(given, FIRST, waiting, 0.0)
        if other >= 0:
            put_way(given, SECOND, other, 0.0)
        waiting = -1
    for r in range(rows):
        work.phi[row + r] = parts[4 * r]


@compiled
def given_slopes(e, rows, system, work):
    """G from the user's Jacobian in points and world turns, which stands behind the rows."""
    given, parts, g, o = work.given, work.parts, work.g, system.g_first[e]
    for r in range(rows):
        for side in range(2):
            place, c = 4 * (rows + 12 * r + 6 * side), o + 12 * r + 6 * side
            turn = (parts[place + 12], parts[place + 16], parts[place + 20])
            turn = rotate_back(values_of_R(given, side), turn)
            for i in range(3):
                g[c + i], g[c + 3 + i] = parts[place + 4 * i], turn[i]


@compiled
def chain_turns(e, rows, out, o, system, work):
    """Derivatives along own directions become those along the bodies': turns add p x R^T (what belongs to x)."""
    for side in range(2):
        R_s, p = values_of_R(work.given, side), triple(system.parameters, system.parameter[e] + 3 * side)
        for r in range(rows):
            c = o + 12 * r + 6 * side
            add_three(out, c + 3, cross(p, rotate_back(R_s, triple(out, c))))


@compiled
def put_pose_motion(e, time, system, work):
    """Write the motion of both sides to the first part of x and R, and `time` to that of the time."""
    given = work.given
    given[FIRST] = time
    for side in range(2):
        body = system.operand_a[e] if side == 0 else system.operand_b[e]
        if body < system.n_bodies:
            R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
            v, w = position_of(work.velocity, body), spin_of(work.velocity, body)
            put(given, X + SIDE * side, FIRST, add(v, rotate(R_s, cross(w, p))))
            put_turn(given, R + SIDE * side, FIRST, R_s, w)


@compiled
def clear_poses(given):
    """Take all directions out of the time and the poses."""
    clear_directions(given, 0, V)
    clear_directions(given, X + SIDE, V + SIDE)


@compiled
def along_the_motion(e, rows, system, work):
    """phi_dot and gamma, by one call with both directions along the motion."""
    given, parts, row = work.given, work.parts, system.row[e]
    put_pose_motion(e, 1.0, system, work)
    for side in range(2):
        body = system.operand_a[e] if side == 0 else system.operand_b[e]
        if body < system.n_bodies:
            R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
            w = spin_of(work.velocity, body)
            put(given, X + SIDE * side, MIXED, rotate(R_s, cross(w, cross(w, p))))
            put_turns(given, R + SIDE * side, R_s, w, w)
    for side in range(2):
        for i in range(X + SIDE * side if side == 1 else 0, V + SIDE * side):
            given[4 * i + SECOND] = given[4 * i + FIRST]
    ask(e, 1, system, work)
    for r in range(rows):
        work.phi_dot[row + r], work.gamma[row + r] = parts[4 * r + FIRST], -parts[4 * r + MIXED]
    clear_poses(given)


@compiled
def second_slopes(e, mask, rows, time, out, system, work):
    """d(G v)/dq, with time = 1 d(G v + Phi_t)/dq: mixed derivatives along the motion and each direction."""
    given, parts, o = work.given, work.parts, system.g_first[e]
    for i in range(12 * rows):
        out[o + i] = 0.0
    put_pose_motion(e, time, system, work)
    for way in range(POSE_WAYS):
        if depends(mask, way):
            side, turn = way // 6, way % 6 >= 3
            w = spin_of(work.velocity, system.operand_a[e] if side == 0 else system.operand_b[e])
            R_s, unit, place = values_of_R(given, side), axis(way % 3), R + SIDE * side
            put_way(given, SECOND, way, 1.0)
            if turn:
                put_turns(given, place, R_s, unit, w)
            ask(e, 1, system, work)
            for r in range(rows):
                out[o + 12 * r + way] = parts[4 * r + MIXED]
            put_way(given, SECOND, way, 0.0)
            if turn:
                put_turns(given, place, R_s, (0.0, 0.0, 0.0), unit)
    chain_turns(e, rows, out, o, system, work)
    for side in range(2):
        w = spin_of(work.velocity, system.operand_a[e] if side == 0 else system.operand_b[e])
        R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
        for r in range(rows):
            c = o + 12 * r + 6 * side
            add_three(out, c + 3, cross(cross(w, p), rotate_back(R_s, triple(work.g, c))))
    clear_poses(given)


@compiled
def slopes_ahead(e, mask, rows, known, system, work):
    """dG/dt = d(G v + Phi_t)/dq, plus the column of turns x w: turns and the motion do not commute.

    known : d(G v)/dq is in work.rate, and is that with Phi_t.
    """
    o = system.g_first[e]
    if known:
        for i in range(12 * rows):
            work.g_dot[o + i] = work.rate[o + i]
    else:
        second_slopes(e, mask, rows, 1.0, work.g_dot, system, work)
    for side in range(2):
        w = spin_of(work.velocity, system.operand_a[e] if side == 0 else system.operand_b[e])
        for r in range(rows):
            c = o + 12 * r + 6 * side + 3
            add_three(work.g_dot, c, cross(triple(work.g, c), w))


@compiled
def pull(e, rows, side, system, work):
    """G_x^T lam of the point of one side, in the world."""
    total = (0.0, 0.0, 0.0)
    for r in range(rows):
        row = triple(work.g, system.g_first[e] + 12 * r + 6 * side)
        total = add(total, scale(work.lam[system.row[e] + r], row))
    return total


@compiled
def stiffness(e, mask, rows, lam, first, pulls, system, work):
    """d(G^T lam)/dq at the places of K: second derivatives of lam . Phi, with the multipliers lam[first], ... and the pulls
    G_x^T lam of both sides."""
    given, parts, k, o = work.given, work.parts, work.k, system.k_first[e]
    for i in range(144):
        k[o + i] = 0.0
    for c in range(POSE_WAYS):
        if not depends(mask, c):
            continue
        put_way(given, FIRST, c, 1.0)
        side, place, others = (
            c // 6,
            R + SIDE * (c // 6),
            mask & int(system.parameters[system.parameter[e] + PAIRS + c]),
        )
        for i in range(POSE_WAYS):
            turns = c % 6 >= 3 and i % 6 >= 3 and i // 6 == side
            if not depends(others, i) or (i > c and not turns):
                continue
            R_s = values_of_R(given, side)
            put_way(given, SECOND, i, 1.0)
            if turns:
                put_turns(given, place, R_s, axis(c % 3), axis(i % 3))
            ask(e, 1, system, work)
            total = 0.0
            for r in range(rows):
                total += lam[first + r] * parts[4 * r + MIXED]
            k[o + 12 * i + c] = total
            if not turns:
                k[o + 12 * c + i] = total
            put_way(given, SECOND, i, 0.0)
            if turns:
                put_turns(given, place, R_s, (0.0, 0.0, 0.0), axis(i % 3))
        put_way(given, FIRST, c, 0.0)
    chain_stiffness(e, pulls, system, work)


@compiled
def chain_stiffness(e, pulls, system, work):
    """Second derivatives along own directions become those along the bodies', for columns, then for rows."""
    given, k, o = work.given, work.k, system.k_first[e]
    for side in range(2):
        R_s, p, c = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side), 6 * side
        for i in range(12):
            add_three(k, o + 12 * i + c + 3, cross(p, rotate_back(R_s, triple(k, o + 12 * i + c))))
        for i in range(12):
            y = (k[o + 12 * c + i], k[o + 12 * (c + 1) + i], k[o + 12 * (c + 2) + i])
            more = cross(p, rotate_back(R_s, y))
            for j in range(3):
                k[o + 12 * (c + 3 + j) + i] += more[j]
        bend_turns(k, o + 12 * (c + 3) + c + 3, rotate_back(R_s, pulls[side]), p)


@compiled
def bend_turns(k, place, y, p):
    """Add y . (e_c x (e_i x p)) to row i, column c of a 3 x 3 block of K."""
    along = y[0] * p[0] + y[1] * p[1] + y[2] * p[2]
    for i in range(3):
        for c in range(3):
            k[place + 12 * i + c] += y[i] * p[c] - (along if i == c else 0.0)


@KERNEL
def function_joint(t, flags, first, last, system, work):
    """All joints that are given by a residual."""
    clear(work.given)
    for e in range(first, last):
        start = system.parameter[e]
        rows, whole = int(system.parameters[start + ROWS]), int(system.parameters[start + DEPENDS])
        mask, jacobian = moving_ways(e, whole, system), system.parameters[start + JACOBIAN] != 0.0
        put_poses(work.given, t, e, system, work)
        find_slopes(e, mask & ~BOTH if jacobian else mask, flags, rows, system, work)
        if jacobian:
            given_slopes(e, rows, system, work)
        chain_turns(e, rows, work.g, system.g_first[e], system, work)
        if flags & VELOCITY:
            if not depends(whole, TIME):
                for r in range(rows):
                    work.phi_t[system.row[e] + r] = 0.0
            along_the_motion(e, rows, system, work)
        if flags & RATE:
            second_slopes(e, mask, rows, 0.0, work.rate, system, work)
        if flags & G_DOT:
            slopes_ahead(e, mask, rows, flags & RATE != 0 and not depends(whole, TIME), system, work)
        if flags & TANGENT and flags & REFRESH:
            pulls = pull(e, rows, 0, system, work), pull(e, rows, 1, system, work)
            stiffness(e, mask, rows, work.lam, system.row[e], pulls, system, work)
