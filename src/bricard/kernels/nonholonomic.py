"""Nonholonomic rows given by a function phi(t, q, v), users' and our own; see functions.py for what the function gets.

    A = dphi/dv,   gamma = -(dphi/dt at constant velocities of the bodies),   d(A v)/dq,   dA/dt,   d(A^T lam)/dq

all exact to rounding. dA/dt is that of rows which are linear in the velocities: others change A with v', too. A dependence of A
on v is left out of K.
"""

from ..compiled.interfaces import G_DOT, KERNEL, RATE, REFRESH, TANGENT
from ..compiled.pointers import compiled
from .function_joint import DEPENDS, PAIRS, ROWS, add_three, bend_turns, moving_ways
from .functions import (
    FIRST,
    MIXED,
    POSE_WAYS,
    SECOND,
    SIDE,
    WAYS,
    Given,
    R,
    V,
    W,
    X,
    ask,
    axis,
    clear,
    clear_directions,
    depends,
    put,
    put_motions,
    put_poses,
    put_turn,
    put_velocities,
    put_way,
    values_of_R,
)
from .vectors import cross, rotate, rotate_back, spin_of, triple

GIVEN = int(Given.SIZE)
TURNED = 0b111111 | 0b111111 << 12  # what a turn of the first side changes


@compiled
def velocity_slopes(e, mask, rows, system, work):
    """A along the own directions of velocities: of the points, then of the angular velocities, in world axes."""
    given, parts, g, o = work.given, work.parts, work.g, system.g_first[e]
    for i in range(12 * rows):
        g[o + i] = 0.0
    waiting = -1
    for way in range(POSE_WAYS, WAYS + 1):
        wanted = way < WAYS and depends(mask, way)
        if wanted and waiting < 0:
            waiting = way
            continue
        if not wanted and (way < WAYS or waiting < 0):
            continue
        put_way(given, FIRST, waiting, 1.0)
        if wanted:
            put_way(given, SECOND, way, 1.0)
        ask(e, 0, system, work)
        for r in range(rows):
            g[o + 12 * r + waiting - POSE_WAYS] = parts[4 * r + FIRST]
            if wanted:
                g[o + 12 * r + way - POSE_WAYS] = parts[4 * r + SECOND]
        put_way(given, FIRST, waiting, 0.0)
        if wanted:
            put_way(given, SECOND, way, 0.0)
        waiting = -1


@compiled
def to_bodies(e, rows, out, o, system, work):
    """Derivatives along own velocities become those along the bodies': turns are R^T dphi/dw + p x R^T dphi/dv."""
    for side in range(2):
        R_s, p = values_of_R(work.given, side), triple(system.parameters, system.parameter[e] + 3 * side)
        for r in range(rows):
            c = o + 12 * r + 6 * side
            turn, lever = rotate_back(R_s, triple(out, c + 3)), cross(p, rotate_back(R_s, triple(out, c)))
            for i in range(3):
                out[c + 3 + i] = turn[i] + lever[i]


@compiled
def put_body_way(given, part, e, way, size, system, work):
    """Write a direction of the bodies, with held velocities of the bodies, to one part; size 0 takes it out again."""
    side, unit = way // 6, axis(way % 3)
    o, unit = SIDE * side, (size * unit[0], size * unit[1], size * unit[2])
    if way % 6 < 3:
        put(given, X + o, part, unit)
        return
    w = spin_of(work.velocity, system.operand_a[e] if side == 0 else system.operand_b[e])
    R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
    put(given, X + o, part, rotate(R_s, cross(unit, p)))
    put_turn(given, R + o, part, R_s, unit)
    put(given, V + o, part, rotate(R_s, cross(unit, cross(w, p))))
    put(given, W + o, part, rotate(R_s, cross(unit, w)))


@compiled
def matters(mask, way):
    """Whether a direction of the bodies changes anything that a function depends on."""
    side = way // 6
    return depends(mask, way) if way % 6 < 3 else mask & (TURNED << 6 * side) != 0


@compiled
def position_slopes(e, mask, rows, system, work):
    """d(A v)/dq, two directions in a call."""
    given, parts, rate, o = work.given, work.parts, work.rate, system.g_first[e]
    for i in range(12 * rows):
        rate[o + i] = 0.0
    for way in range(POSE_WAYS):
        if matters(mask, way):
            put_body_way(given, FIRST, e, way, 1.0, system, work)
            ask(e, 0, system, work)
            for r in range(rows):
                rate[o + 12 * r + way] = parts[4 * r + FIRST]
            put_body_way(given, FIRST, e, way, 0.0, system, work)


@compiled
def slopes_ahead(e, mask, rows, system, work):
    """dA/dt: mixed derivatives along the motion and the velocities."""
    given, parts, g_dot, o = work.given, work.parts, work.g_dot, system.g_first[e]
    for i in range(12 * rows):
        g_dot[o + i] = 0.0
    put_motions(given, FIRST, e, system, work)
    given[FIRST] = 1.0
    for way in range(POSE_WAYS, WAYS):
        if depends(mask, way):
            put_way(given, SECOND, way, 1.0)
            ask(e, 1, system, work)
            for r in range(rows):
                g_dot[o + 12 * r + way - POSE_WAYS] = parts[4 * r + MIXED]
            put_way(given, SECOND, way, 0.0)
    clear_directions(given, 0, GIVEN)
    to_bodies(e, rows, g_dot, o, system, work)
    for side in range(2):
        w = spin_of(work.velocity, system.operand_a[e] if side == 0 else system.operand_b[e])
        R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
        for r in range(rows):
            c = o + 12 * r + 6 * side
            y, z = own_slopes(work.g, c, R_s, p)
            add_three(g_dot, c + 3, cross(z, w))
            add_three(g_dot, c + 3, cross(p, cross(y, w)))


@compiled
def own_slopes(g, c, R_s, p):
    """R^T dphi/dv and R^T dphi/dw of one side, from six columns of A."""
    y = rotate_back(R_s, triple(g, c))
    lever, turn = cross(p, y), triple(g, c + 3)
    return y, (turn[0] - lever[0], turn[1] - lever[1], turn[2] - lever[2])


@compiled
def stiffness(e, mask, rows, system, work):
    """d(A^T lam)/dq: mixed derivatives of lam . phi along a direction of the bodies and the velocities."""
    given, parts, k, o = work.given, work.parts, work.k, system.k_first[e]
    for i in range(144):
        k[o + i] = 0.0
    for c in range(POSE_WAYS):
        if not matters(mask, c):
            continue
        others = mask & int(system.parameters[system.parameter[e] + PAIRS + c])
        put_body_way(given, FIRST, e, c, 1.0, system, work)
        for way in range(POSE_WAYS, WAYS):
            if depends(others, way):
                put_way(given, SECOND, way, 1.0)
                ask(e, 1, system, work)
                for r in range(rows):
                    k[o + 12 * (way - POSE_WAYS) + c] += work.lam[system.row[e] + r] * parts[4 * r + MIXED]
                put_way(given, SECOND, way, 0.0)
        put_body_way(given, FIRST, e, c, 0.0, system, work)
    for side in range(2):
        R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
        b = o + 12 * 6 * side
        for c in range(12):
            push = (k[b + c], k[b + 12 + c], k[b + 24 + c])
            turn = rotate_back(R_s, (k[b + 36 + c], k[b + 48 + c], k[b + 60 + c]))
            lever = cross(p, rotate_back(R_s, push))
            for i in range(3):
                k[b + 12 * (3 + i) + c] = turn[i] + lever[i]
        y, z = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for r in range(rows):
            one, other = own_slopes(work.g, system.g_first[e] + 12 * r + 6 * side, R_s, p)
            lam = work.lam[system.row[e] + r]
            y = (y[0] + lam * one[0], y[1] + lam * one[1], y[2] + lam * one[2])
            z = (z[0] + lam * other[0], z[1] + lam * other[1], z[2] + lam * other[2])
        place = b + 36 + 6 * side + 3
        bend_turns(k, place, y, p)
        for c in range(3):
            swing = cross(z, axis(c))
            for i in range(3):
                k[place + 12 * i + c] += swing[i]


@KERNEL
def nonholonomic(t, flags, first, last, system, work):
    """All nonholonomic rows that are given by a function."""
    clear(work.given)
    phi, phi_dot, phi_t, gamma, velocity = work.phi, work.phi_dot, work.phi_t, work.gamma, work.velocity
    for e in range(first, last):
        a, b, row, o, start = (
            system.operand_a[e],
            system.operand_b[e],
            system.row[e],
            system.g_first[e],
            system.parameter[e],
        )
        rows, mask = int(system.parameters[start + ROWS]), int(system.parameters[start + DEPENDS])
        mask = moving_ways(e, mask, system)
        put_poses(work.given, t, e, system, work)
        put_velocities(work.given, e, system, work)
        velocity_slopes(e, mask, rows, system, work)
        to_bodies(e, rows, work.g, o, system, work)
        put_motions(work.given, FIRST, e, system, work)
        work.given[FIRST] = 1.0
        ask(e, 0, system, work)
        for r in range(rows):
            phi[row + r] = 0.0
            phi_dot[row + r], gamma[row + r] = work.parts[4 * r], -work.parts[4 * r + FIRST]
            rest = phi_dot[row + r]
            for i in range(12):
                rest -= work.g[o + 12 * r + i] * (velocity[a, i] if i < 6 else velocity[b, i - 6])
            phi_t[row + r] = rest
        clear_directions(work.given, 0, GIVEN)
        if flags & RATE:
            position_slopes(e, mask, rows, system, work)
        if flags & G_DOT:
            slopes_ahead(e, mask, rows, system, work)
        if flags & TANGENT and flags & REFRESH:
            stiffness(e, mask, rows, system, work)
