"""How the rows of users' joints between two bodies (user_rows.py) change when the bodies move: K, d(G v)/dq and dG/dt, exact.

Let the pose of B against A go some way, and s with it, s' = -h_s^+ h_x x'. With s_i = -h_s^+ h_x,i and N_i = h_x,i + h_s s_i for
each column i of h_x, the rows are W^T N and s_i. Their changes are

    s_i' = -h_s^+ (h_x,i' + h_s' s_i) - (h_s^T h_s)^-1 h_s'^T N_i,    N_i' = h_x,i' + h_s' s_i + h_s s_i'

h_x' and h_s' are mixed second derivatives of the user's closure; in other kinds they follow from the derivatives of the motion,
which are exact, too, but for routines.
"""

from ..compiled.interfaces import USER_PIECE
from ..compiled.pointers import compiled
from .user_closure import bend, unit_way
from .user_elimination import (
    BODIES,
    FRAME_A,
    FRAME_B,
    HS_DOT,
    HX_DOT,
    JOINT,
    POSE,
    ROWS_DOT,
    SPEEDS,
    SUM,
    SUM_DOT,
    SUM_SLOPE,
    WAY,
    R,
    W,
    axial,
    entry,
    least,
)
from .user_layout import (
    AT_CHANGE,
    H2,
    HS,
    HX,
    IMPLICIT,
    KIND,
    LENGTH,
    MOTION,
    N_Q,
    N_V,
    SLOPE,
    TARGET,
    U2,
    B,
    C,
    D,
    S,
    U,
    call_piece,
    find_motion,
    find_slopes,
)
from .vectors import add, cross, nine, put_three, rotate, rotate_back, scale, subtract, triple


@compiled
def coordinates_along(mem, m, n):
    """U2: rates of the coordinates along WAY."""
    for k in range(6):
        total = 0.0
        for c in range(6 if k < n else 0):
            total += mem[m + SUM + 6 * (6 - n + k) + c] * mem[m + WAY + c]
        mem[m + U2 + k] = total


@compiled
def closure_change(par, o, mem, m):
    """HX_DOT and HS_DOT of an implicit joint along WAY."""
    n, length = int(par[o + N_V]), par[o + LENGTH]
    outer, stay = (scale(length, triple(mem, m + WAY)), triple(mem, m + WAY + 3)), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for i in range(12):
        mem[m + (D + i if i < 3 else C + i - 3)] = mem[m + POSE + i]
    for k in range(6 + n):
        for i in range(6):
            mem[m + U + i] = 1.0 if k == 6 + i else 0.0
        bend(par, o, mem, m, S, unit_way(k, length) if k < 6 else stay, outer)
        for i in range(6):
            mem[m + (HX_DOT + 6 * i + k if k < 6 else HS_DOT + 6 * i + k - 6)] = mem[m + H2 + i]


@compiled
def pose_change(par, o, mem, m):
    """HX_DOT and HS_DOT of all other joints along WAY, from MOTION and SLOPE at S."""
    n, length, turn = int(par[o + N_V]), par[o + LENGTH], triple(mem, m + WAY + 3)
    R_0, R_1, w = nine(mem, m + C), nine(mem, m + POSE + 3), (0.0, 0.0, 0.0)
    for k in range(n):
        w = add(w, scale(mem[m + U2 + k], triple(mem, m + MOTION + 6 * k + 3)))
    for k in range(n):
        d, t = cross(w, triple(mem, m + MOTION + 6 * k)), cross(w, triple(mem, m + MOTION + 6 * k + 3))
        for j in range(n):
            slope, rate = m + SLOPE + 36 * j + 6 * k, -mem[m + U2 + j]
            d, t = add(d, scale(rate, triple(mem, slope))), add(t, scale(rate, triple(mem, slope + 3)))
        d, t = rotate_back(R_0, d), rotate_back(R_0, t)
        place = m + HS_DOT + k
        mem[place], mem[place + 6], mem[place + 12] = d
        mem[place + 18], mem[place + 24], mem[place + 30] = length * t[0], length * t[1], length * t[2]
    own = rotate_back(R_0, w)
    T_0 = cross(R_0[0], own), cross(R_0[1], own), cross(R_0[2], own)
    T_1 = cross(R_1[0], turn), cross(R_1[1], turn), cross(R_1[2], turn)
    M = row_changes(R_0, T_0, R_1, T_1, 0), row_changes(R_0, T_0, R_1, T_1, 1), row_changes(R_0, T_0, R_1, T_1, 2)
    for k in range(3):
        one = unit_way(3 + k, 1.0)[1]
        change = axial((cross(M[0], one), cross(M[1], one), cross(M[2], one)))
        for i in range(3):
            mem[m + HX_DOT + 6 * i + k], mem[m + HX_DOT + 6 * i + 3 + k] = length * T_0[k][i], 0.0
            mem[m + HX_DOT + 18 + 6 * i + k], mem[m + HX_DOT + 21 + 6 * i + k] = 0.0, length * change[i]


@compiled
def row_changes(R_0, T_0, R_1, T_1, i):
    """Row i of the change of R_0^T R_1."""
    return (
        entry(T_0, R_1, i, 0) + entry(R_0, T_1, i, 0),
        entry(T_0, R_1, i, 1) + entry(R_0, T_1, i, 1),
        entry(T_0, R_1, i, 2) + entry(R_0, T_1, i, 2),
    )


@compiled
def against_square(mem, m, n):
    """B = (h_s^T h_s)^-1 B, n numbers with 7 between them, with h_s = Q R."""
    for k in range(n):
        for j in range(k):
            mem[m + B + 7 * k] -= mem[m + R + 6 * j + k] * mem[m + B + 7 * j]
        mem[m + B + 7 * k] /= mem[m + R + 6 * k + k]
    for back in range(n):
        k = n - 1 - back
        for j in range(k + 1, n):
            mem[m + B + 7 * k] -= mem[m + R + 6 * k + j] * mem[m + B + 7 * j]
        mem[m + B + 7 * k] /= mem[m + R + 6 * k + k]


def changing(residuals_change):
    """The piece that finds how rows change, of one kind of joint: `residuals_change` gives HX_DOT and HS_DOT."""

    @USER_PIECE
    def changed(par, o, mem, m):
        """SUM_DOT: the change of SUM, which linear() has left, along WAY."""
        n = int(par[o + N_V])
        coordinates_along(mem, m, n)
        residuals_change(par, o, mem, m)
        for c in range(6):
            for k in range(n):
                mem[m + B + 7 * k] = 0.0
            for i in range(6):
                across, bent = mem[m + HX + 6 * i + c], mem[m + HX_DOT + 6 * i + c]
                for k in range(n):
                    rate = mem[m + SUM + 6 * (6 - n + k) + c]
                    across, bent = across + mem[m + HS + 6 * i + k] * rate, bent + mem[m + HS_DOT + 6 * i + k] * rate
                mem[m + H2 + i] = bent
                for k in range(n):
                    mem[m + B + 7 * k] += mem[m + HS_DOT + 6 * i + k] * across
            least(mem, m, n, m + H2, 1)
            against_square(mem, m, n)
            for k in range(n):
                mem[m + U + k] -= mem[m + B + 7 * k]
                mem[m + SUM_DOT + 6 * (6 - n + k) + c] = mem[m + U + k]
            for i in range(6):
                for k in range(n):
                    mem[m + H2 + i] += mem[m + HS + 6 * i + k] * mem[m + U + k]
            for k in range(6 - n):
                total = 0.0
                for i in range(6):
                    total += mem[m + W + 6 * i + k] * mem[m + H2 + i]
                mem[m + SUM_DOT + 6 * k + c] = total
        return True

    return changed


changed, changed_closure = changing(pose_change), changing(closure_change)


@compiled
def change_along(par, o, mem, m):
    """SUM_DOT along WAY."""
    return call_piece(int(par[o + AT_CHANGE]), par, o, mem, m)


@compiled
def look_around(par, o, mem, m):
    """What changes are made of, behind linear(); False where differences of a routine leave its range."""
    if int(par[o + KIND]) == IMPLICIT:
        return True
    for i in range(int(par[o + N_Q])):
        mem[m + TARGET + i] = mem[m + S + i]
    return find_motion(par, o, mem, m) and find_slopes(par, o, mem, m)


@compiled
def change_all(par, o, mem, m):
    """SUM_SLOPE: SUM_DOT along each of the six ways."""
    for c in range(6):
        for i in range(6):
            mem[m + WAY + i] = 1.0 if i == c else 0.0
        change_along(par, o, mem, m)
        for i in range(36):
            mem[m + SUM_SLOPE + 36 * c + i] = mem[m + SUM_DOT + i]


@compiled
def add_up(mem, m):
    """SUM_DOT along WAY, from SUM_SLOPE."""
    for i in range(36):
        total = 0.0
        for c in range(6):
            total += mem[m + WAY + c] * mem[m + SUM_SLOPE + 36 * c + i]
        mem[m + SUM_DOT + i] = total


@compiled
def go(par, e, mem, m):
    """WAY of B against A when the bodies go as SPEEDS say."""
    R_a, R_b, A, B_0 = nine(mem, m + BODIES + 3), nine(mem, m + BODIES + 15), nine(par, e + FRAME_A + 3), e + FRAME_B
    shift = scale(1.0 / par[e + JOINT + LENGTH], rotate_back(A, lever(par, e, mem, m)[1]))
    spin = subtract(triple(mem, m + SPEEDS + 9), rotate_back(R_b, rotate(R_a, triple(mem, m + SPEEDS + 3))))
    turn = rotate_back(nine(par, B_0 + 3), spin)
    put_three(mem, m + WAY, shift)
    put_three(mem, m + WAY + 3, turn)


@compiled
def lever(par, e, mem, m):
    """r from body a to the frame of b, in the axes of a, and its change as SPEEDS say."""
    R_a, R_b, p = nine(mem, m + BODIES + 3), nine(mem, m + BODIES + 15), triple(par, e + FRAME_B)
    gap = subtract(add(triple(mem, m + BODIES + 12), rotate(R_b, p)), triple(mem, m + BODIES))
    r = rotate_back(R_a, gap)
    moved = subtract(triple(mem, m + SPEEDS + 6), triple(mem, m + SPEEDS))
    moved = add(moved, rotate(R_b, cross(triple(mem, m + SPEEDS + 9), p)))
    return r, subtract(rotate_back(R_a, moved), cross(triple(mem, m + SPEEDS + 3), r))


@compiled
def spread_change(par, e, mem, m):
    """ROWS_DOT: the change of ROWS when the bodies go as SPEEDS say, with that of SUM in SUM_DOT."""
    R_a, R_b, A, B_0 = nine(mem, m + BODIES + 3), nine(mem, m + BODIES + 15), nine(par, e + FRAME_A + 3), e + FRAME_B
    p, frame, per_length = triple(par, B_0), nine(par, B_0 + 3), 1.0 / par[e + JOINT + LENGTH]
    w_a, w_b = triple(mem, m + SPEEDS + 3), triple(mem, m + SPEEDS + 9)
    r, r_dot = lever(par, e, mem, m)
    for k in range(6):
        d = scale(per_length, rotate(A, triple(mem, m + SUM + 6 * k)))
        d_dot = scale(per_length, rotate(A, triple(mem, m + SUM_DOT + 6 * k)))
        t, t_dot = rotate(frame, triple(mem, m + SUM + 6 * k + 3)), rotate(frame, triple(mem, m + SUM_DOT + 6 * k + 3))
        push, push_dot = rotate(R_a, d), rotate(R_a, add(d_dot, cross(w_a, d)))
        carried = rotate_back(R_a, rotate(R_b, t))
        carried_dot = subtract(rotate_back(R_a, rotate(R_b, add(t_dot, cross(w_b, t)))), cross(w_a, carried))
        turn_a = subtract(add(cross(d_dot, r), cross(d, r_dot)), carried_dot)
        pull_dot = subtract(rotate_back(R_b, push_dot), cross(w_b, rotate_back(R_b, push)))
        turn_b = add(cross(p, pull_dot), t_dot)
        place = m + ROWS_DOT + 12 * k
        put_three(mem, place, (-push_dot[0], -push_dot[1], -push_dot[2]))
        put_three(mem, place + 3, turn_a)
        put_three(mem, place + 6, push_dot)
        put_three(mem, place + 9, turn_b)
