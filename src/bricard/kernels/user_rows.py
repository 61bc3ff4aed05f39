"""Users' own joints between two bodies in absolute coordinates: their constraint rows, and their coordinates as measures.

A joint with n velocities closes where six residuals h(d, C, s) vanish: the user's own of an implicit joint, in other kinds the
difference of the pose to that of s, in the axes of B. The coordinates s are eliminated: they are those for which h is
orthogonal to the columns of h_s (least squares, by Gauss-Newton from the last ones), and the rows are what is left of h,

    Phi = W^T h,   s' = -h_s^+ h_x x',   G = W^T (1 - h_s h_s^+) h_x,   x: pose of B against A

with W a basis of the directions across h_s. So nothing is massless, and an implicit joint passes the limits of s, where h_x is
singular but [h_x h_s] is not. W is that of the start, constant, as long as it stands well across h_s; where h_s has turned away
from it, W takes those unit vectors across which h_s is steepest. On the constraints G and gamma are exact.

All residuals are made lengths, by the length of the joint. Derivatives of G (K, rate, dG/dt) are in user_changes.py.
"""

import math

from ..compiled.interfaces import G_DOT, KERNEL, RATE, REFRESH, TANGENT, USER_PIECE, VELOCITY
from ..compiled.pointers import compiled
from .user_changes import add_up, change_all, change_along, go, look_around, spread_change
from .user_closure import bend
from .user_elimination import (
    BODIES,
    FRAME_A,
    FRAME_B,
    JOINT,
    MEMORY,
    POSE,
    ROWS,
    ROWS_DOT,
    SECOND,
    SPEEDS,
    SUM,
    VALUE,
    WHICH,
    Q,
    W,
    across,
    least,
)
from .user_layout import (
    AT_BEND,
    AT_ROWS,
    BIAS,
    H2,
    HS,
    HX,
    LENGTH,
    N_Q,
    N_V,
    TARGET,
    C,
    D,
    H,
    S,
    U,
    V,
    along_both,
    call_piece,
    find_coordinates,
    find_motion,
)
from .vectors import (
    add,
    cross,
    nine,
    put_three,
    rotate,
    rotate_back,
    subtract,
    triple,
)


@compiled
def poses_of(mem, m):
    """The poses of both bodies at BODIES."""
    return triple(mem, m + BODIES), nine(mem, m + BODIES + 3), triple(mem, m + BODIES + 12), nine(mem, m + BODIES + 15)


@USER_PIECE
def linear(par, e, mem, m):
    """VALUE and ROWS of an element for the poses at BODIES: 6 - n rows of constraints, then n coordinates. False: none."""
    o = e + JOINT
    x_a, R_a, x_b, R_b = poses_of(mem, m)
    A, B = nine(par, e + FRAME_A + 3), nine(par, e + FRAME_B + 3)
    p_b, n, length = triple(par, e + FRAME_B), int(par[o + N_V]), par[o + LENGTH]
    r = rotate_back(R_a, subtract(add(x_b, rotate(R_b, p_b)), x_a))
    d = rotate_back(A, subtract(r, triple(par, e + FRAME_A)))
    put_three(mem, m + POSE, d)
    for j in range(3):  # C = A^T R_a^T R_b B
        k, place = e + FRAME_B + 3 + j, m + POSE + 3 + j
        column = rotate_back(A, rotate_back(R_a, rotate(R_b, (par[k], par[k + 3], par[k + 6]))))
        mem[place], mem[place + 3], mem[place + 6] = column
    if not find_coordinates(par, o, mem, m):
        return False
    across(par, o, mem, m, n)
    n_q = int(par[o + N_Q])
    for k in range(6 - n):
        total = 0.0
        for i in range(6):
            total += mem[m + W + 6 * i + k] * mem[m + H + i]
        mem[m + VALUE + k] = total
    for k in range(n):
        mem[m + VALUE + 6 - n + k] = mem[m + S + min(k, n_q - 1)]
    # (1 - Q Q^T) h_x for the rows, -h_s^+ h_x for the coordinates; then along the motions of the two bodies
    for c in range(6):
        least(mem, m, n, m + HX + c, 6)
        for k in range(n):
            mem[m + SUM + 6 * (6 - n + k) + c] = mem[m + U + k]
        for k in range(6 - n):
            total = 0.0
            for i in range(6):
                total += mem[m + W + 6 * i + k] * mem[m + HX + 6 * i + c]
            for j in range(n):
                left, right = 0.0, 0.0
                for i in range(6):
                    left += mem[m + W + 6 * i + k] * mem[m + Q + 6 * i + j]
                    right += mem[m + Q + 6 * i + j] * mem[m + HX + 6 * i + c]
                total -= left * right
            mem[m + SUM + 6 * k + c] = total
    for k in range(6):
        w_d = rotate(A, triple(mem, m + SUM + 6 * k))
        w_d = w_d[0] / length, w_d[1] / length, w_d[2] / length
        w_t = rotate(B, triple(mem, m + SUM + 6 * k + 3))
        push = rotate(R_a, w_d)
        turn_a = subtract(cross(w_d, r), rotate_back(R_a, rotate(R_b, w_t)))
        turn_b = add(cross(p_b, rotate_back(R_b, push)), w_t)
        place = m + ROWS + 12 * k
        put_three(mem, place, (-push[0], -push[1], -push[2]))
        put_three(mem, place + 3, turn_a)
        put_three(mem, place + 6, push)
        put_three(mem, place + 9, turn_b)
    return True


@compiled
def bend_pose(par, o, mem, m, shift, turn):
    """H2 of a joint given by its pose, along U."""
    n, length = int(par[o + N_V]), par[o + LENGTH]
    for k in range(n):
        mem[m + V + k] = mem[m + U + k]
    for i in range(int(par[o + N_Q])):
        mem[m + TARGET + i] = mem[m + S + i]
    find_motion(par, o, mem, m)
    R_0 = nine(mem, m + C)
    bias, spin = rotate_back(R_0, triple(mem, m + BIAS)), rotate_back(R_0, triple(mem, m + BIAS + 3))
    put_three(mem, m + H2, (-bias[0], -bias[1], -bias[2]))
    put_three(mem, m + H2 + 3, (-length * spin[0], -length * spin[1], -length * spin[2]))


@compiled
def bend_closure(par, o, mem, m, shift, turn):
    """H2 of an implicit joint along shift, turn and U."""
    for i in range(12):
        mem[m + (D + i if i < 3 else C + i - 3)] = mem[m + POSE + i]
    along_both(mem, m)
    bend(par, o, mem, m, S, (shift, turn), (shift, turn))


def curving(bend_along):
    """The piece of second derivatives, of one kind of joint: `bend_along` gives those of its residuals."""

    @USER_PIECE
    def curved(par, e, mem, m):
        """SECOND: second derivatives of what linear() has left at VALUE, bodies at constant velocities (turns in their axes)."""
        o = e + JOINT
        x_a, R_a, x_b, R_b = poses_of(mem, m)
        v_a, w_a = triple(mem, m + SPEEDS), triple(mem, m + SPEEDS + 3)
        v_b, w_b = triple(mem, m + SPEEDS + 6), triple(mem, m + SPEEDS + 9)
        A, B = nine(par, e + FRAME_A + 3), nine(par, e + FRAME_B + 3)
        p_b, n, length = triple(par, e + FRAME_B), int(par[o + N_V]), par[o + LENGTH]
        r = rotate_back(R_a, subtract(add(x_b, rotate(R_b, p_b)), x_a))
        y = rotate_back(R_a, subtract(add(v_b, rotate(R_b, cross(w_b, p_b))), v_a))
        y_dot = subtract(rotate_back(R_a, rotate(R_b, cross(w_b, cross(w_b, p_b)))), cross(w_a, y))
        r_dot = subtract(y, cross(w_a, r))
        shift, shift_dot = rotate_back(A, r_dot), rotate_back(A, subtract(y_dot, cross(w_a, r_dot)))
        carried = rotate_back(R_b, rotate(R_a, w_a))
        turn, turn_dot = rotate_back(B, subtract(w_b, carried)), rotate_back(B, cross(w_b, carried))
        rate = (shift[0] / length, shift[1] / length, shift[2] / length, turn[0], turn[1], turn[2])
        second = (
            shift_dot[0] / length,
            shift_dot[1] / length,
            shift_dot[2] / length,
            turn_dot[0],
            turn_dot[1],
            turn_dot[2],
        )
        for i in range(6):  # h_x x', for s' = -h_s^+ h_x x'
            total = 0.0
            for c in range(6):
                total += mem[m + HX + 6 * i + c] * rate[c]
            mem[m + SECOND + i] = total
        least(mem, m, n, m + SECOND, 1)
        bend_along(par, o, mem, m, shift, turn)
        for i in range(6):
            for c in range(6):
                mem[m + H2 + i] += mem[m + HX + 6 * i + c] * second[c]
        least(mem, m, n, m + H2, 1)
        for k in range(n):
            mem[m + SECOND + 6 - n + k] = mem[m + U + k]
        for k in range(6 - n):
            total = 0.0
            for i in range(6):
                rest = mem[m + H2 + i]
                for j in range(n):
                    rest += mem[m + HS + 6 * i + j] * mem[m + U + j]
                total += mem[m + W + 6 * i + k] * rest
            mem[m + SECOND + k] = total
        return True

    return curved


curved, curved_closure = curving(bend_pose), curving(bend_closure)


@compiled
def look(e, system, work):
    """VALUE and ROWS at the poses in work."""
    par, mem, first, x, rotation = system.parameters, work.memory, int(system.parameter[e]), work.x, work.rotation
    m, a, b = int(par[first + MEMORY]), system.operand_a[e], system.operand_b[e]
    for i in range(3):
        mem[m + BODIES + i], mem[m + BODIES + 12 + i] = x[a, i], x[b, i]
    for i in range(9):
        mem[m + BODIES + 3 + i], mem[m + BODIES + 15 + i] = rotation[a, i], rotation[b, i]
    return call_piece(int(par[first + JOINT + AT_ROWS]), par, first, mem, m)


@compiled
def bend_bodies(e, system, work):
    """SECOND with the velocities in work, after look()."""
    par, mem, first, velocity = system.parameters, work.memory, int(system.parameter[e]), work.velocity
    m, a, b = int(par[first + MEMORY]), system.operand_a[e], system.operand_b[e]
    for i in range(6):
        mem[m + SPEEDS + i], mem[m + SPEEDS + 6 + i] = velocity[a, i], velocity[b, i]
    return call_piece(int(par[first + JOINT + AT_BEND]), par, first, mem, m)


@compiled
def speed_of(mem, place, velocity, a, b):
    """Twelve derivatives times the velocities of two bodies."""
    total = 0.0
    for i in range(6):
        total += mem[place + i] * velocity[a, i] + mem[place + 6 + i] * velocity[b, i]
    return total


@compiled
def move_one(par, e, mem, m, c):
    """ROWS_DOT along one of the twelve directions of the bodies, from SUM_SLOPE."""
    for i in range(12):
        mem[m + SPEEDS + i] = 1.0 if i == c else 0.0
    go(par, e, mem, m)
    add_up(mem, m)
    spread_change(par, e, mem, m)


@compiled
def move_bodies(par, e, mem, m, velocity, a, b):
    """ROWS_DOT along the motion of the bodies."""
    for i in range(6):
        mem[m + SPEEDS + i], mem[m + SPEEDS + 6 + i] = velocity[a, i], velocity[b, i]
    go(par, e, mem, m)
    change_along(par, e + JOINT, mem, m)
    spread_change(par, e, mem, m)


@KERNEL
def user_rows(t, flags, first, last, system, work):
    """Constraint rows of users' joints."""
    phi, g, rate, g_dot, k, lam, mem, par = (
        work.phi,
        work.g,
        work.rate,
        work.g_dot,
        work.k,
        work.lam,
        work.memory,
        system.parameters,
    )
    velocity = work.velocity
    for e in range(first, last):
        a, b, row, o, o_k = (
            system.operand_a[e],
            system.operand_b[e],
            system.row[e],
            system.g_first[e],
            system.k_first[e],
        )
        start = int(system.parameter[e])
        m = int(par[start + MEMORY])
        rows = 6 - int(par[start + JOINT + N_V])
        found = look(e, system, work)
        for r in range(rows):
            phi[row + r] = mem[m + VALUE + r] if found else float("nan")
            for i in range(12):
                g[o + 12 * r + i] = mem[m + ROWS + 12 * r + i]
        if flags & VELOCITY and found:
            bend_bodies(e, system, work)
            for r in range(rows):
                work.phi_t[row + r] = 0.0
                work.phi_dot[row + r] = speed_of(mem, m + ROWS + 12 * r, velocity, a, b)
                work.gamma[row + r] = -mem[m + SECOND + r]
        by_pose = flags & RATE != 0 or (flags & TANGENT != 0 and flags & REFRESH != 0)
        known = found and (by_pose or flags & G_DOT != 0) and look_around(par, start + JOINT, mem, m)
        if by_pose:
            change_all(par, start + JOINT, mem, m)
            for c in range(12):
                move_one(par, start, mem, m, c)
                for i in range(12):
                    k[o_k + 12 * i + c] = 0.0 if known else math.nan
                for r in range(rows):
                    rate[o + 12 * r + c] = speed_of(mem, m + ROWS_DOT + 12 * r, velocity, a, b) if known else math.nan
                    for i in range(12):
                        k[o_k + 12 * i + c] += lam[row + r] * mem[m + ROWS_DOT + 12 * r + i]
        if flags & G_DOT:
            move_bodies(par, start, mem, m, velocity, a, b)
            for i in range(12 * rows):
                g_dot[o + i] = mem[m + ROWS_DOT + i] if known else math.nan


@KERNEL
def user_coordinate(t, flags, first, last, system, work):
    """Coordinates of users' joints as measures."""
    mem, par, velocity = work.memory, system.parameters, work.velocity
    gradient, slope, curvature = work.gradient, work.slope, work.curvature
    for e in range(first, last):
        a, b, start = system.operand_a[e], system.operand_b[e], int(system.parameter[e])
        m, n = int(par[start + MEMORY]), int(par[start + JOINT + N_V])
        which = 6 - n + int(par[start + WHICH])
        found = look(e, system, work)
        work.value[e] = mem[m + VALUE + which] if found else float("nan")
        for i in range(12):
            gradient[12 * e + i] = mem[m + ROWS + 12 * which + i]
        work.speed[e] = speed_of(mem, m + ROWS + 12 * which, velocity, a, b)
        bend_bodies(e, system, work)
        work.bias[e] = mem[m + SECOND + which]
        if flags & (RATE | G_DOT | TANGENT):
            known = found and look_around(par, start + JOINT, mem, m)
            change_all(par, start + JOINT, mem, m)
            for c in range(12):
                move_one(par, start, mem, m, c)
                place = m + ROWS_DOT + 12 * which
                slope[12 * e + c] = speed_of(mem, place, velocity, a, b) if known else math.nan
                for i in range(12 if flags & TANGENT else 0):
                    curvature[144 * e + 12 * i + c] = mem[place + i] if known else math.nan
