"""Users' own joints: how frame B stands to frame A as a function of joint coordinates s and their velocities u.

    d(s), C(s)                            origin and rotation of B, in the axes of A; x_A = C x_B
    (d', w) = sum MOTION_k u_k            w: angular velocity of B against A, in the axes of A
    (d'', w') = sum MOTION_k u'_k + BIAS

s' = u, except for a unit quaternion in the last four of s, whose angular velocity in its own axes are the last three of u.

The user's function is called by address (USER_JOINT); three kinds of it:
* EXPLICIT gives d(s), C(s), and their first and second derivatives along a direction: MOTION and BIAS are exact to rounding.
* ROUTINE gives everything itself: the contract of spec 001, section 1.1.
* IMPLICIT gives six residuals h(d, C, s); see user_closure.py.

Where MOTION loses rank the coordinates are without mass, and a step goes anywhere. Steps cannot be relied on to hit such a
place; its sign is that the columns of MOTION turn over, det(MOTION_before^T MOTION) < 0, however small the way between.

A step could also leap across the end of the range of an implicit joint, and come back on the wrong branch: s goes with the
square of the time there, so that the time 2 LEFT / u is left. A velocity must not turn round beside the end in a longer step.
"""

import math

from ..compiled.interfaces import TANGENT, TREE_JOINT, USER_PIECE
from ..compiled.pointers import compiled
from .user_closure import eliminate, implicit_motion, implicit_slopes
from .user_layout import (
    BESIDE,
    BIAS,
    BIAS_SLOPE,
    CLEAR,
    DIFFERENCE,
    EARLIER,
    EXPLICIT,
    FAR,
    GIVEN,
    GOAL,
    IMPLICIT,
    KIND,
    LATER,
    LEFT,
    LENGTH,
    MOTION,
    N_Q,
    N_V,
    NARROW,
    OLD,
    OLD_MOTION,
    PARTS,
    ROUTINE,
    SEEN,
    SIZES,
    SLOPE,
    STEPPING,
    TARGET,
    U2,
    WEIGHTS,
    A,
    B,
    C,
    D,
    U,
    V,
    X,
    advance,
    ask,
    choose,
    choose_two,
    find_motion,
    find_slopes,
)
from .vectors import add, put_three

HALVINGS, RETRIES = 30, 8  # of the way on which MOTION may turn over; of differences that leave the range


@compiled
def spin_between(M, N):
    """Angular velocity of a rotation N with the derivative M: axial vector of M N^T."""
    x = (M[2][0] * N[1][0] + M[2][1] * N[1][1] + M[2][2] * N[1][2]) - (
        M[1][0] * N[2][0] + M[1][1] * N[2][1] + M[1][2] * N[2][2]
    )
    y = (M[0][0] * N[2][0] + M[0][1] * N[2][1] + M[0][2] * N[2][2]) - (
        M[2][0] * N[0][0] + M[2][1] * N[0][1] + M[2][2] * N[0][2]
    )
    z = (M[1][0] * N[0][0] + M[1][1] * N[0][1] + M[1][2] * N[0][2]) - (
        M[0][0] * N[1][0] + M[0][1] * N[1][1] + M[0][2] * N[1][2]
    )
    return 0.5 * x, 0.5 * y, 0.5 * z


@compiled
def part_of_C(mem, m, part):
    """One part of the rotation that an explicit function gives."""
    a = m + PARTS + 12 + part
    return (
        (mem[a], mem[a + 4], mem[a + 8]),
        (mem[a + 12], mem[a + 16], mem[a + 20]),
        (mem[a + 24], mem[a + 28], mem[a + 32]),
    )


@compiled
def put_six(mem, place, mem_d, w):
    """Write d' (every fourth number from mem_d on) and w."""
    put_three(mem, place, (mem[mem_d], mem[mem_d + 4], mem[mem_d + 8]))
    put_three(mem, place + 3, w)


@compiled
def explicit_motion(par, o, mem, m, target):
    """D, C, MOTION, BIAS at the coordinates at `target` with the velocities V."""
    n = int(par[o + N_V])
    for k in range(0, n, 2):
        choose_two(mem, m, k, k + 1 if k + 1 < n else k)
        ask(par, o, mem, m, target, 0)
        for part in range(min(2, n - k)):
            w = spin_between(part_of_C(mem, m, 1 + part), part_of_C(mem, m, 0))
            put_six(mem, m + MOTION + 6 * (k + part), m + PARTS + 1 + part, w)
    square = 1.0
    if n == 1:  # U is a velocity 1
        square = mem[m + V] * mem[m + V]
    else:
        for i in range(6):
            mem[m + U + i], mem[m + U2 + i] = mem[m + V + i], mem[m + V + i]
        ask(par, o, mem, m, target, 0)
    w = spin_between(part_of_C(mem, m, 3), part_of_C(mem, m, 0))  # C'' C^T: what C' C'^T adds is symmetric
    put_six(mem, m + BIAS, m + PARTS + 3, w)
    for i in range(6):
        mem[m + BIAS + i] *= square
    for i in range(12):
        mem[m + (D + i if i < 3 else C + i - 3)] = mem[m + PARTS + 4 * i]


@compiled
def explicit_slopes(par, o, mem, m, target):
    """SLOPE at the coordinates at `target`."""
    n = int(par[o + N_V])
    for j in range(n):
        for k in range(n):
            choose_two(mem, m, k, j)
            ask(par, o, mem, m, target, 0)
            turned = spin_between(part_of_C(mem, m, 3), part_of_C(mem, m, 0))  # axial part of (C_k C^T)' along j
            w = add(turned, spin_between(part_of_C(mem, m, 1), part_of_C(mem, m, 2)))
            put_six(mem, m + SLOPE + 36 * j + 6 * k, m + PARTS + 3, w)


@compiled
def routine_motion(par, o, mem, m, target):
    """The same from a function that gives SD, SDT, SDQ, SDTT, CD, CDT, CDQ, CDTT."""
    n_q, n_v = int(par[o + N_Q]), int(par[o + N_V])
    for i in range(6):
        mem[m + U + i] = mem[m + V + i]
    for i in range(n_v):
        mem[m + GIVEN + 4 * (n_q + i)] = mem[m + V + i]
    ask(par, o, mem, m, target, 0)
    out, turn = m + PARTS, m + PARTS + 4 * (9 + 3 * n_v)
    for i in range(3):
        mem[m + D + i], mem[m + BIAS + i] = mem[out + 4 * i], mem[out + 4 * (6 + 3 * n_v + i)]
        mem[m + BIAS + 3 + i] = mem[turn + 4 * (12 + 3 * n_v + i)]
        for k in range(n_v):
            mem[m + MOTION + 6 * k + i] = mem[out + 4 * (6 + n_v * i + k)]
            mem[m + MOTION + 6 * k + 3 + i] = mem[turn + 4 * (12 + n_v * i + k)]
    for i in range(9):
        mem[m + C + i] = mem[turn + 4 * i]


@compiled
def given_slopes(par, o, mem, m, target):
    """SLOPE and BIAS_SLOPE where the user gives the motion as a function of the coordinates: its derivatives along them."""
    n = int(par[o + N_V])
    out, turn = m + PARTS + 2, m + PARTS + 2 + 4 * (9 + 3 * n)  # the parts along U2
    for j in range(n):
        for i in range(6):
            mem[m + U2 + i] = 1.0 if i == j else 0.0
        routine_motion(par, o, mem, m, target)
        for i in range(3):
            mem[m + BIAS_SLOPE + 6 * j + i] = mem[out + 4 * (6 + 3 * n + i)]
            mem[m + BIAS_SLOPE + 6 * j + 3 + i] = mem[turn + 4 * (12 + 3 * n + i)]
            for k in range(n):
                mem[m + SLOPE + 36 * j + 6 * k + i] = mem[out + 4 * (6 + n * i + k)]
                mem[m + SLOPE + 36 * j + 6 * k + 3 + i] = mem[turn + 4 * (12 + n * i + k)]


@USER_PIECE
def joint_motion(par, o, mem, m):
    """D, C, MOTION, BIAS at TARGET with the velocities V, and LEFT, of a joint given by its pose. False where it has none."""
    if int(par[o + KIND]) == EXPLICIT:
        explicit_motion(par, o, mem, m, TARGET)
    else:
        routine_motion(par, o, mem, m, TARGET)
    mem[m + LEFT], total = FAR, 0.0
    for i in range(6 * int(par[o + N_V])):
        total += abs(mem[m + MOTION + i])
    for i in range(6):
        total += abs(mem[m + BIAS + i])
    for i in range(12):
        total += abs(mem[m + (D + i if i < 3 else C + i - 3)])
    return math.isfinite(total)


@USER_PIECE
def closure_motion(par, o, mem, m):
    """The same of an implicit joint: a piece of its own, as much is to be compiled for it."""
    return implicit_motion(par, o, mem, m)


@compiled
def aim(par, o, mem, m, q, first):
    """TARGET = coordinates in q from `first` on."""
    for i in range(int(par[o + N_Q])):
        mem[m + TARGET + i] = q[first + i]


@compiled
def turns_over(par, o, mem, m):
    """Whether the columns of MOTION form a basis of the other hand than those of OLD_MOTION."""
    n, length = int(par[o + N_V]), par[o + LENGTH]
    for j in range(6):
        for k in range(6):
            total = 1.0 if j == k else 0.0
            if j < n and k < n:
                total = 0.0
                for i in range(6):
                    weight = 1.0 if i < 3 else length * length
                    total += weight * mem[m + OLD_MOTION + 6 * j + i] * mem[m + MOTION + 6 * k + i]
            mem[m + A + 6 * j + k] = total
    return eliminate(mem, m + A, m + B, 0) < 0.0


@compiled
def remember(par, o, mem, m):
    """OLD and OLD_MOTION are those at TARGET."""
    mem[m + SEEN] = 1.0
    for i in range(int(par[o + N_Q])):
        mem[m + OLD + i] = mem[m + TARGET + i]
    for i in range(6 * int(par[o + N_V])):
        mem[m + OLD_MOTION + i] = mem[m + MOTION + i]


@compiled
def leaps(par, o, mem, m, t):
    """Whether one coordinate goes away from the end of its range nearby, in a step in which it would have come there."""
    if int(par[o + N_V]) != 1 or mem[m + SEEN] == 0.0 or mem[m + STEPPING] == 0.0:
        return False
    away = mem[m + V] * mem[m + LEFT] < 0.0 and abs(mem[m + LEFT]) < BESIDE
    before = m + (LATER if t > mem[m + LATER] else EARLIER)  # iterations of a step have the same time
    return away and t > mem[before] and t - mem[before] > 0.5 * mem[before + 1]


@compiled
def note_time(par, o, mem, m, t):
    """LATER is t, with the time to the end of the range if one coordinate goes there; EARLIER is one before t."""
    if mem[m + SEEN] == 0.0 or t <= mem[m + EARLIER]:
        mem[m + EARLIER], mem[m + EARLIER + 1] = t, FAR
    elif t > mem[m + LATER]:
        mem[m + EARLIER], mem[m + EARLIER + 1] = mem[m + LATER], mem[m + LATER + 1]
    towards = int(par[o + N_V]) == 1 and mem[m + V] * mem[m + LEFT] > 0.0
    mem[m + LATER] = t
    mem[m + LATER + 1] = 2.0 * mem[m + LEFT] * par[o + SIZES] / mem[m + V] if towards else FAR


@compiled
def is_smooth(par, o, mem, m):
    """Whether MOTION, turned over between OLD and TARGET, has only turned on the way: then by little where the way is little."""
    n_q = int(par[o + N_Q])
    for i in range(n_q):
        mem[m + GOAL + i] = mem[m + TARGET + i]
    for _ in range(HALVINGS):
        for i in range(n_q):
            mem[m + TARGET + i] = 0.5 * (mem[m + OLD + i] + mem[m + GOAL + i])
        if not find_motion(par, o, mem, m):
            return False
        if turns_over(par, o, mem, m):
            for i in range(n_q):
                mem[m + GOAL + i] = mem[m + TARGET + i]
        else:
            remember(par, o, mem, m)
    for i in range(n_q):
        mem[m + TARGET + i] = mem[m + GOAL + i]
    return find_motion(par, o, mem, m) and not turns_over(par, o, mem, m)


@compiled
def differences(par, o, mem, m, k, h):
    """SLOPE and BIAS_SLOPE along velocity k from differences of sixth order with steps h, about the coordinates at GOAL. False
    where one leaves the range."""
    n, slope, bias_slope = 6 * int(par[o + N_V]), m + SLOPE + 36 * k, m + BIAS_SLOPE + 6 * k
    for i in range(n):
        mem[slope + i] = 0.0
    for i in range(6):
        mem[bias_slope + i] = 0.0
    for step in range(3):
        for side in (1.0, -1.0):
            choose(mem, m, k)
            advance(par, o, mem, m, GOAL, side * (step + 1) * h)
            for i in range(int(par[o + N_Q])):
                mem[m + TARGET + i] = mem[m + X + i]
            if not find_motion(par, o, mem, m):
                return False
            for i in range(n):
                mem[slope + i] += side * WEIGHTS[step] / h * mem[m + MOTION + i]
            for i in range(6):
                mem[bias_slope + i] += side * WEIGHTS[step] / h * mem[m + BIAS + i]
    return True


@compiled
def difference_slopes(par, o, mem, m):
    """SLOPE and BIAS_SLOPE at TARGET from differences, with steps as the range allows. MOTION and BIAS are those at TARGET."""
    n, n_q = int(par[o + N_V]), int(par[o + N_Q])
    for i in range(n_q):
        mem[m + GOAL + i] = mem[m + TARGET + i]
    share, all_known = min(DIFFERENCE, NARROW * abs(mem[m + LEFT])), True
    for j in range(n):
        h, known = share * par[o + SIZES + j], False
        for _ in range(RETRIES):
            if not known:
                known = differences(par, o, mem, m, j, h)
                h *= 0.25
        all_known = all_known and known
    for i in range(n_q):
        mem[m + TARGET + i] = mem[m + GOAL + i]
    return find_motion(par, o, mem, m) and all_known


@USER_PIECE
def joint_slopes(par, o, mem, m):
    """SLOPE at TARGET, of the motion found there, of a joint given by its pose: exact, of a routine by differences. False where
    these leave the range."""
    kind = int(par[o + KIND])
    if kind == ROUTINE:
        return difference_slopes(par, o, mem, m)
    if kind == EXPLICIT:
        explicit_slopes(par, o, mem, m, TARGET)
    else:
        given_slopes(par, o, mem, m, TARGET)
    return True


@USER_PIECE
def closure_slopes(par, o, mem, m):
    """The same of an implicit joint."""
    implicit_slopes(par, o, mem, m)
    return True


@compiled
def tangent_of(par, o, mem, m):
    """SLOPE and BIAS_SLOPE at TARGET; the latter is a third derivative of functions that give a pose, and by differences there.
    False where these leave the range."""
    kind = int(par[o + KIND])
    known = difference_slopes(par, o, mem, m) if kind == EXPLICIT or kind == IMPLICIT else True
    return find_slopes(par, o, mem, m) and known


@TREE_JOINT
def user_tree_joint(t, q, v, flags, first, last, system, work):
    """Users' joints in the tree of relative coordinates."""
    tree, branch = system.tree, work.branch
    members, q_first, v_first, par, mem = tree.members, tree.q_first, tree.v_first, tree.parameters, branch.memory
    d, c, s, bias, slope, bias_slope = branch.d, branch.c, branch.s, branch.bias, branch.slope, branch.bias_slope
    for place in range(first, last):
        n = members[place]
        o, m, a, b = int(tree.parameter[n]), int(tree.memory[n]), int(q_first[n]), int(v_first[n])
        n_v = int(par[o + N_V])
        for k in range(n_v):
            mem[m + V + k] = v[b + k]
        aim(par, o, mem, m, q, a)
        found = find_motion(par, o, mem, m) and abs(mem[m + LEFT]) > CLEAR and not leaps(par, o, mem, m, t)
        if found and mem[m + SEEN] != 0.0 and turns_over(par, o, mem, m):
            found = is_smooth(par, o, mem, m)
            aim(par, o, mem, m, q, a)
            found = find_motion(par, o, mem, m) and found
        if found:
            note_time(par, o, mem, m, t)
            remember(par, o, mem, m)
        if flags & TANGENT:
            known = found and tangent_of(par, o, mem, m)
            for j in range(n_v):
                for i in range(6 * n_v):
                    slope[b + j, i] = mem[m + SLOPE + 36 * j + i] if known else math.nan
                for i in range(6):
                    bias_slope[b + j, i] = mem[m + BIAS_SLOPE + 6 * j + i]
        for i in range(3):
            d[n, i] = mem[m + D + i] if found else float("nan")
        for i in range(9):
            c[n, i] = mem[m + C + i] if found else float("nan")
        for i in range(6):
            bias[n, i] = mem[m + BIAS + i]
            for k in range(n_v):
                s[b + k, i] = mem[m + MOTION + 6 * k + i]
