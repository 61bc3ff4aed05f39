"""Users' joints that are given implicitly: six residuals h(d, C, s), zero where the joint closes.

Newton's method finds d and C from the last pose, along its tangent, and in smaller steps of s where it does not get there at
once; linear solves give MOTION and BIAS (spec 001, section 2). The sign of the determinant of dh/d(d, C) tells the branch: it
changes where s turns back, so another sign is no solution. The range ends a little before, at the share END of the determinant of
the start (the distance to the limit goes with its square).

Towards the limit of one coordinate the pose goes with the root of the distance, x' = dx/ds with its inverse: what is left is

    LEFT = x'.x' / (2 x'.x'')
"""

import math

from ..compiled.pointers import compiled
from .user_layout import (
    BALL,
    BIAS,
    BRANCH,
    END,
    FAR,
    GIVEN,
    H2,
    HS,
    HX,
    ITERATIONS,
    LAST,
    LEFT,
    LENGTH,
    MOTION,
    N_Q,
    N_V,
    PARTS,
    PLENTY,
    ROUGH,
    ROW,
    SIZES,
    SLOPE,
    SMALLEST,
    START,
    TANGENT_KNOWN,
    TARGET,
    TOLERANCE,
    WARM,
    A,
    B,
    C,
    D,
    H,
    P,
    S,
    U,
    V,
    along_both,
    ask,
    choose,
    choose_two,
)
from .vectors import add, cross, nine, quaternion_step, rotate, rotate_back, triple


@compiled
def matrix_of(mem, m):
    """C from the quaternion P."""
    w, i, j, k = mem[m + P], mem[m + P + 1], mem[m + P + 2], mem[m + P + 3]
    s = 2.0 / (w * w + i * i + j * j + k * k)
    rows = (
        (1 - s * (j * j + k * k), s * (i * j - w * k), s * (i * k + w * j)),
        (s * (i * j + w * k), 1 - s * (i * i + k * k), s * (j * k - w * i)),
        (s * (i * k - w * j), s * (j * k + w * i), 1 - s * (i * i + j * j)),
    )
    for a in range(3):
        for b in range(3):
            mem[m + C + 3 * a + b] = rows[a][b]


@compiled
def residuals(par, o, mem, m, target, first, second):
    """h and its derivatives from D, C and `target`, along (shift of d, turn about the axes of B) and U, and along U2.

    The mixed part is the derivative, along the second way, of that along the first one.
    """
    R, g = nine(mem, m + C), m + GIVEN
    for i in range(3):
        mem[g + 4 * i], mem[g + 4 * i + 1], mem[g + 4 * i + 2] = mem[m + D + i], first[0][i], second[0][i]
        mem[g + 4 * i + 3] = 0.0
        inner, outer = cross(R[i], first[1]), cross(R[i], second[1])
        both = cross(outer, first[1])
        for j in range(3):
            k = g + 4 * (3 + 3 * i + j)
            mem[k], mem[k + 1], mem[k + 2], mem[k + 3] = R[i][j], inner[j], outer[j], both[j]
    ask(par, o, mem, m, target, 12)


@compiled
def unit_way(k, length):
    """Way of the pose: the k-th of three shifts by the length and three turns."""
    x, y, z = 1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0
    if k < 3:
        return (length * x, length * y, length * z), (0.0, 0.0, 0.0)
    return (0.0, 0.0, 0.0), (x, y, z)


@compiled
def slopes(par, o, mem, m, target, by_pose, by_u):
    """H, scaled, and HX (columns: shift in the axes of A, in lengths; turn in the axes of B) and HS."""
    n, stay = int(par[o + N_V]), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    if by_pose:
        choose(mem, m, -1)
        for k in range(3):
            residuals(par, o, mem, m, target, unit_way(k, par[o + LENGTH]), unit_way(3 + k, 1.0))
            for i in range(6):
                mem[m + H + i] = par[o + ROW + i] * mem[m + PARTS + 4 * i]
                mem[m + HX + 6 * i + k] = par[o + ROW + i] * mem[m + PARTS + 4 * i + 1]
                mem[m + HX + 6 * i + 3 + k] = par[o + ROW + i] * mem[m + PARTS + 4 * i + 2]
    if by_u:
        for k in range(0, n, 2):
            choose_two(mem, m, k, k + 1)
            residuals(par, o, mem, m, target, stay, stay)
            for i in range(6):
                mem[m + H + i] = par[o + ROW + i] * mem[m + PARTS + 4 * i]
                mem[m + HS + 6 * i + k] = par[o + ROW + i] * mem[m + PARTS + 4 * i + 1]
                if k + 1 < n:
                    mem[m + HS + 6 * i + k + 1] = par[o + ROW + i] * mem[m + PARTS + 4 * i + 2]


@compiled
def bend(par, o, mem, m, target, first, second):
    """H2: second derivative of h, scaled, along two constant velocities (shift, turn) with U and U2."""
    residuals(par, o, mem, m, target, first, second)
    for i in range(6):
        mem[m + H2 + i] = par[o + ROW + i] * mem[m + PARTS + 4 * i + 3]


@compiled
def way_of(mem, m, k):
    """Way (shift, turn about the axes of B) of the pose along MOTION k."""
    return triple(mem, m + MOTION + 6 * k), rotate_back(nine(mem, m + C), triple(mem, m + MOTION + 6 * k + 3))


@compiled
def implicit_slopes(par, o, mem, m):
    """SLOPE: HX x_k = -HS_k, differentiated along motion j."""
    n, length, R = int(par[o + N_V]), par[o + LENGTH], nine(mem, m + C)
    for j in range(n):
        for k in range(n):
            choose_two(mem, m, k, j)
            inner, outer = way_of(mem, m, k), way_of(mem, m, j)
            bend(par, o, mem, m, S, inner, outer)
            for i in range(6):
                mem[m + B + 7 * i] = -mem[m + H2 + i]
            solve_pose(mem, m, 1)
            own = add(cross(outer[1], inner[1]), (mem[m + B + 21], mem[m + B + 28], mem[m + B + 35]))
            w, slope = rotate(R, own), m + SLOPE + 36 * j + 6 * k
            for i in range(3):
                mem[slope + i], mem[slope + 3 + i] = length * mem[m + B + 7 * i], w[i]


@compiled
def eliminate(mem, a, b, columns):
    """Right-hand sides at b (6 rows of 7) become solutions of the matrix (6, 6) at a. The determinant, 0 where it is singular."""
    determinant = 1.0
    for k in range(6):
        pivot, largest = k, abs(mem[a + 6 * k + k])
        for i in range(k + 1, 6):
            if abs(mem[a + 6 * i + k]) > largest:
                pivot, largest = i, abs(mem[a + 6 * i + k])
        if not largest > 0.0:
            return 0.0
        if pivot != k:
            determinant = -determinant
            for j in range(6):
                mem[a + 6 * k + j], mem[a + 6 * pivot + j] = mem[a + 6 * pivot + j], mem[a + 6 * k + j]
            for j in range(columns):
                mem[b + 7 * k + j], mem[b + 7 * pivot + j] = mem[b + 7 * pivot + j], mem[b + 7 * k + j]
        determinant *= mem[a + 6 * k + k]
        for i in range(k + 1, 6):
            factor = mem[a + 6 * i + k] / mem[a + 6 * k + k]
            if factor != 0.0:
                for j in range(k + 1, 6):
                    mem[a + 6 * i + j] -= factor * mem[a + 6 * k + j]
                for j in range(columns):
                    mem[b + 7 * i + j] -= factor * mem[b + 7 * k + j]
    for back in range(6):
        k = 5 - back
        for j in range(columns):
            for i in range(k + 1, 6):
                mem[b + 7 * k + j] -= mem[a + 6 * k + i] * mem[b + 7 * i + j]
            mem[b + 7 * k + j] /= mem[a + 6 * k + k]
    return determinant


@compiled
def solve_pose(mem, m, columns):
    """Solutions of HX x = B."""
    for i in range(36):
        mem[m + A + i] = mem[m + HX + i]
    return eliminate(mem, m + A, m + B, columns)


@compiled
def close_pose(par, o, mem, m, target):
    """Newton's method for D and P at the coordinates at `target`. True if it ends on the branch of the start."""
    length, before = par[o + LENGTH], 1e300
    for _ in range(ITERATIONS):
        matrix_of(mem, m)
        slopes(par, o, mem, m, target, True, False)
        for i in range(6):
            mem[m + B + 7 * i] = -mem[m + H + i]
        determinant = solve_pose(mem, m, 1)
        size = 0.0
        for i in range(6):
            size = max(size, abs(mem[m + B + 7 * i]))
            if not abs(mem[m + B + 7 * i]) < PLENTY:
                return False
        if not determinant / par[o + BRANCH] > END and size < ROUGH:
            return False
        for i in range(3):
            mem[m + D + i] += length * mem[m + B + 7 * i]
        turn = (mem[m + B + 21], mem[m + B + 28], mem[m + B + 35])
        p = quaternion_step(mem[m + P], mem[m + P + 1], mem[m + P + 2], mem[m + P + 3], turn)
        for i in range(4):
            mem[m + P + i] = p[i]
        if size <= TOLERANCE or (size < ROUGH and size >= 0.25 * before):
            matrix_of(mem, m)
            return determinant / par[o + BRANCH] > END
        before = size
    return False


@compiled
def begin(par, o, mem, m):
    """The pose of the start, where none is known yet."""
    if mem[m + WARM] == 0.0:
        for i in range(7):
            mem[m + S + i], mem[m + D + i] = par[o + START + i], par[o + START + 7 + i]
        mem[m + WARM] = 1.0


@compiled
def predict(par, o, mem, m):
    """The pose along MOTION from LAST to S."""
    shift, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(int(par[o + N_V])):
        way, place = mem[m + S + k] - mem[m + LAST + k], m + MOTION + 6 * k
        d, w = triple(mem, place), triple(mem, place + 3)
        shift = shift[0] + way * d[0], shift[1] + way * d[1], shift[2] + way * d[2]
        turn = turn[0] + way * w[0], turn[1] + way * w[1], turn[2] + way * w[2]
    own = rotate_back(nine(mem, m + C), turn)
    p = quaternion_step(mem[m + P], mem[m + P + 1], mem[m + P + 2], mem[m + P + 3], own)
    for i in range(3):
        mem[m + D + i] += shift[i]
    for i in range(4):
        mem[m + P + i] = p[i]


@compiled
def reach(par, o, mem, m):
    """The pose at TARGET, followed from the one known in steps that Newton's method can make. False at the end of the range."""
    n_q, share, done = int(par[o + N_Q]), 1.0, 0.0
    for i in range(n_q):
        if not math.isfinite(mem[m + TARGET + i]):
            return False
    for i in range(n_q):
        mem[m + LAST + i] = mem[m + S + i]
    while done < 1.0:
        here = min(1.0, done + share)
        for i in range(n_q):
            mem[m + S + i] = mem[m + LAST + i] + here * (mem[m + TARGET + i] - mem[m + LAST + i])
        keep = triple(mem, m + D), (mem[m + P], mem[m + P + 1], mem[m + P + 2], mem[m + P + 3])
        if done == 0.0 and mem[m + WARM] == TANGENT_KNOWN:
            predict(par, o, mem, m)
        if close_pose(par, o, mem, m, S):
            done, share = here, 2.0 * share
        else:
            for i in range(3):
                mem[m + D + i] = keep[0][i]
            for i in range(4):
                mem[m + P + i] = keep[1][i]
            share *= 0.5
            if share < SMALLEST:  # S is left where the last pose was found
                for i in range(n_q):
                    mem[m + S + i] = mem[m + LAST + i] + done * (mem[m + TARGET + i] - mem[m + LAST + i])
                return False
    return True


@compiled
def implicit_motion(par, o, mem, m):
    """D, C, MOTION, BIAS at TARGET with the velocities V, and LEFT. False where there is no pose."""
    n_v, length = int(par[o + N_V]), par[o + LENGTH]
    single = n_v == 1  # BIAS of a velocity 1 is x'', then
    begin(par, o, mem, m)
    known, mem[m + WARM] = reach(par, o, mem, m), 1.0
    if not known:
        return False
    slopes(par, o, mem, m, S, False, True)  # HX is that of the last step of Newton's method
    for i in range(6):
        for k in range(n_v):
            mem[m + B + 7 * i + k] = -mem[m + HS + 6 * i + k]
    determinant = solve_pose(mem, m, n_v) / par[o + BRANCH]
    R = nine(mem, m + C)
    shift, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(n_v):
        d = length * mem[m + B + k], length * mem[m + B + 7 + k], length * mem[m + B + 14 + k]
        own = (mem[m + B + 21 + k], mem[m + B + 28 + k], mem[m + B + 35 + k])
        w, u = rotate(R, own), 1.0 if single else mem[m + V + k]
        for i in range(3):
            mem[m + MOTION + 6 * k + i], mem[m + MOTION + 6 * k + 3 + i] = d[i], w[i]
        shift = shift[0] + u * d[0], shift[1] + u * d[1], shift[2] + u * d[2]
        turn = turn[0] + u * own[0], turn[1] + u * own[1], turn[2] + u * own[2]
    for i in range(6):
        mem[m + U + i] = 1.0 if single else mem[m + V + i]
    along_both(mem, m)
    bend(par, o, mem, m, S, (shift, turn), (shift, turn))
    for i in range(6):
        mem[m + B + 7 * i] = -mem[m + H2 + i]
    solve_pose(mem, m, 1)
    w, square = rotate(R, (mem[m + B + 21], mem[m + B + 28], mem[m + B + 35])), 1.0
    mem[m + LEFT] = determinant * determinant
    if single:
        size, bent = 0.0, 0.0
        for i in range(3):
            size += shift[i] * shift[i] / (length * length) + turn[i] * turn[i]
            bent += shift[i] / length * mem[m + B + 7 * i] + turn[i] * mem[m + B + 21 + 7 * i]
        mem[m + LEFT] = 0.5 * size / (bent * par[o + SIZES]) if bent != 0.0 else FAR
        square = mem[m + V] * mem[m + V]
    for i in range(3):
        mem[m + BIAS + i], mem[m + BIAS + 3 + i] = square * length * mem[m + B + 7 * i], square * w[i]
    if par[o + BALL] == 0.0:
        mem[m + WARM] = TANGENT_KNOWN
    return True
