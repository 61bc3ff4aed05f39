"""Users' own joints: coordinates of a given pose, by elimination.

A joint with n velocities closes where six residuals h(d, C, s) vanish: the user's own of an implicit joint, in other kinds the
difference of the pose to that of s, in the axes of B. The coordinates are those for which h is orthogonal to the columns of h_s
(least squares, by Gauss-Newton from the last ones); W is a basis of the directions across h_s. All residuals are made lengths, by
the length of the joint.
"""

import math

from ..compiled.interfaces import USER_PIECE
from ..compiled.pointers import compiled, inlined
from .user_closure import begin, slopes
from .user_layout import (
    BALL,
    BASIS,
    BIAS,
    H2,
    HS,
    HX,
    IMPLICIT,
    ITERATIONS,
    KEPT,
    KIND,
    LENGTH,
    MOTION,
    N_Q,
    N_V,
    SIZES,
    TARGET,
    C,
    D,
    H,
    S,
    U,
    V,
    X,
    advance,
    find_coordinates,
    find_motion,
)
from .vectors import cross, nine, put_three, rotate_back, scale, subtract, triple

# memory behind that of user_layout.py: pose of B against A; orthonormal columns Q of h_s, and R with h_s = Q R; W by columns;
# values of the rows and of s (6), their derivatives (6, 12), second derivatives along the motion (6); scratch (6, 6)
POSE, Q, R, W, VALUE, ROWS, SECOND, SUM = (
    KEPT,
    KEPT + 12,
    KEPT + 48,
    KEPT + 84,
    KEPT + 120,
    KEPT + 126,
    KEPT + 198,
    KEPT + 204,
)
BEFORE, BEST = KEPT + 276, KEPT + 283  # coordinates before and the best ones of a search
BODIES, SPEEDS = KEPT + 290, KEPT + 314  # x and R of both bodies (24); their velocities, turns in body axes (12)
# changes along a way (6) of B against A, shift in lengths and turn: of h_x and h_s (6, 6), of SUM; of SUM along six ways
WAY, HX_DOT, HS_DOT, SUM_DOT, SUM_SLOPE = KEPT + 326, KEPT + 332, KEPT + 368, KEPT + 404, KEPT + 440
ROWS_DOT = KEPT + 656  # change of ROWS when the bodies go
SIZE = KEPT + 728
# numbers of an element in front of those of user_layout.py: its memory; which coordinate, of a measure; frames A and B
MEMORY, WHICH, FRAME_A, FRAME_B, JOINT = 0, 1, 2, 14, 26
SLANTED = 0.3  # of the determinant of Q at the start and Q: below, W is chosen anew
SMALL, STRIDE_OF_S = 1e-14, 0.3  # smallest step of s, and the largest one to begin with, in natural sizes
DOUBTFUL = 0.05  # residuals, in lengths, with which a found s may be a false one


@compiled
def pose_error(par, o, mem, m):
    """H, HS, HX of an explicit joint or routine: pose less that at S, shifts and length times turns, in the axes of B at S."""
    length, n_v = par[o + LENGTH], int(par[o + N_V])
    for i in range(int(par[o + N_Q])):
        mem[m + TARGET + i] = mem[m + S + i]
    find_motion(par, o, mem, m)
    R_0, R_1 = nine(mem, m + C), nine(mem, m + POSE + 3)
    gap = rotate_back(R_0, subtract(triple(mem, m + POSE), triple(mem, m + D)))
    M = (
        (entry(R_0, R_1, 0, 0), entry(R_0, R_1, 0, 1), entry(R_0, R_1, 0, 2)),
        (entry(R_0, R_1, 1, 0), entry(R_0, R_1, 1, 1), entry(R_0, R_1, 1, 2)),
        (entry(R_0, R_1, 2, 0), entry(R_0, R_1, 2, 1), entry(R_0, R_1, 2, 2)),
    )
    twist = axial(M)
    put_three(mem, m + H, gap)
    put_three(mem, m + H + 3, scale(length, twist))
    for i in range(3):
        for k in range(3):
            mem[m + HX + 6 * i + k] = length * mem[m + C + 3 * k + i]
            mem[m + HX + 6 * i + 3 + k], mem[m + HX + 18 + 6 * i + k] = 0.0, 0.0
    for k in range(3):
        one = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        change = axial((cross(M[0], one), cross(M[1], one), cross(M[2], one)))
        place = m + HX + 21 + k
        mem[place], mem[place + 6], mem[place + 12] = length * change[0], length * change[1], length * change[2]
    for k in range(n_v):
        shift, turn = (
            rotate_back(R_0, triple(mem, m + MOTION + 6 * k)),
            rotate_back(R_0, triple(mem, m + MOTION + 6 * k + 3)),
        )
        place = m + HS + k
        mem[place], mem[place + 6], mem[place + 12] = -shift[0], -shift[1], -shift[2]
        mem[place + 18], mem[place + 24], mem[place + 30] = -length * turn[0], -length * turn[1], -length * turn[2]


@compiled
def residuals_of_pose(par, o, mem, m, by_pose):
    """H, HS, HX of a joint given by its pose; all at once, with by_pose nothing more is to do."""
    if not by_pose:
        pose_error(par, o, mem, m)


@compiled
def residuals_of_closure(par, o, mem, m, by_pose):
    """H with HX (by_pose) or HS of an implicit joint, at D, C and S."""
    slopes(par, o, mem, m, S, by_pose, not by_pose)


@compiled
def entry(A, B, i, j):
    """Entry (i, j) of A^T B."""
    return A[0][i] * B[0][j] + A[1][i] * B[1][j] + A[2][i] * B[2][j]


@compiled
def axial(M):
    """Axial vector of M."""
    return 0.5 * (M[2][1] - M[1][2]), 0.5 * (M[0][2] - M[2][0]), 0.5 * (M[1][0] - M[0][1])


@compiled
def orthonormal(mem, m, n):
    """Q, R with h_s = Q R by Gram-Schmidt, twice. False where columns depend on each other or are no numbers."""
    for k in range(n):
        size = 0.0
        for i in range(6):
            mem[m + Q + 6 * i + k] = mem[m + HS + 6 * i + k]
            size += mem[m + HS + 6 * i + k] ** 2
        for j in range(k):
            mem[m + R + 6 * j + k] = 0.0
        for _ in range(2):
            for j in range(k):
                along = 0.0
                for i in range(6):
                    along += mem[m + Q + 6 * i + j] * mem[m + Q + 6 * i + k]
                mem[m + R + 6 * j + k] += along
                for i in range(6):
                    mem[m + Q + 6 * i + k] -= along * mem[m + Q + 6 * i + j]
        left = 0.0
        for i in range(6):
            left += mem[m + Q + 6 * i + k] ** 2
        if not left > 1e-20 * size:
            return False
        left = math.sqrt(left)
        mem[m + R + 6 * k + k] = left
        for i in range(6):
            mem[m + Q + 6 * i + k] /= left
    return True


@compiled
def least(mem, m, n, source, step):
    """U = h_s^+ times the six numbers at `source` with this step between them, with a minus sign."""
    for back in range(n):
        k = n - 1 - back
        total = 0.0
        for i in range(6):
            total -= mem[m + Q + 6 * i + k] * mem[source + step * i]
        for j in range(k + 1, n):
            total -= mem[m + R + 6 * k + j] * mem[m + U + j]
        mem[m + U + k] = total / mem[m + R + 6 * k + k]


@compiled
def across(par, o, mem, m, n):
    """W: that of the start while it stands across h_s; else unit vectors, by elimination on Q."""
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(6):
                total += par[o + BASIS + 6 * k + i] * mem[m + Q + 6 * k + j]
            mem[m + W + 6 * i + j] = total
    size = 1.0
    for k in range(n):  # determinant of Q_start^T Q, with row pivots
        pivot = k
        for i in range(k + 1, n):
            if abs(mem[m + W + 6 * i + k]) > abs(mem[m + W + 6 * pivot + k]):
                pivot = i
        size *= mem[m + W + 6 * pivot + k]
        if size == 0.0:
            break
        for j in range(n):
            mem[m + W + 6 * k + j], mem[m + W + 6 * pivot + j] = mem[m + W + 6 * pivot + j], mem[m + W + 6 * k + j]
        for i in range(k + 1, n):
            factor = mem[m + W + 6 * i + k] / mem[m + W + 6 * k + k]
            for j in range(k, n):
                mem[m + W + 6 * i + j] -= factor * mem[m + W + 6 * k + j]
    if abs(size) > SLANTED:
        for i in range(6):
            for r in range(6 - n):
                mem[m + W + 6 * i + r] = par[o + BASIS + 6 * i + n + r]
        return
    for i in range(36):
        mem[m + W + i] = mem[m + Q + i]
    taken = m + H2  # 1: this row is
    for i in range(6):
        mem[taken + i] = 0.0
    for _ in range(n):  # the row and column of Q with the largest entry, then the rest without them
        row, column, largest = 0, 0, -1.0
        for i in range(6):
            for j in range(n):
                if mem[taken + i] == 0.0 and abs(mem[m + W + 6 * i + j]) > largest:
                    row, column, largest = i, j, abs(mem[m + W + 6 * i + j])
        mem[taken + row] = 1.0
        for i in range(6):
            if mem[taken + i] == 0.0:
                factor = mem[m + W + 6 * i + column] / mem[m + W + 6 * row + column]
                for j in range(n):
                    mem[m + W + 6 * i + j] -= factor * mem[m + W + 6 * row + j]
        for i in range(6):
            mem[m + W + 6 * i + column] = 0.0
    r = 0
    for i in range(6):
        if mem[taken + i] == 0.0:
            for k in range(6):
                mem[m + W + 6 * k + r] = 1.0 if k == i else 0.0
            r += 1


def settling(residuals):
    """The piece that finds coordinates of a pose, of one kind of joint: none holds what others need."""

    @inlined
    def seek(par, o, mem, m):
        """S of the pose at POSE by Gauss-Newton from S, with H, HS, Q, R there. The size of H that is left, in lengths; infinite
        if none is found."""
        n_q, n = int(par[o + N_Q]), int(par[o + N_V])
        stride, before = 0.5 * STRIDE_OF_S, math.inf
        for iteration in range(2 * ITERATIONS):
            residuals(par, o, mem, m, False)
            if not orthonormal(mem, m, n):
                return math.inf
            least(mem, m, n, m + H, 1)
            size, scale, left = 0.0, 1.0, 0.0
            for k in range(n):
                size = max(size, abs(mem[m + U + k]) / par[o + SIZES + k])
                if not math.isfinite(mem[m + U + k]):
                    return math.inf
            for i in range(6):
                left = max(left, abs(mem[m + H + i]))
                if not math.isfinite(mem[m + H + i]):
                    return math.inf
            # strides grow as long as they help: a pose may have gone any way since s was known
            stride, before = 2.0 * stride if left < before else STRIDE_OF_S, left
            if size > stride:
                scale = stride / size
            advance(par, o, mem, m, S, scale)
            for i in range(n_q):
                mem[m + S + i] = mem[m + X + i]
            if size <= SMALL or (iteration > 3 and size < 1e-11):
                return left / par[o + LENGTH]
        return math.inf

    @USER_PIECE
    def settle(par, o, mem, m):
        """S of the pose at POSE, with H, HX, HS, Q, R there. False where none is found; S is left as it was.

        Where the pose has gone far since the last call the nearest s may be a false one, of a turn that does not fit: then
        others are tried from angles all around.
        """
        n_q, n = int(par[o + N_Q]), int(par[o + N_V])
        begin(par, o, mem, m)
        for k in range(n):
            mem[m + V + k] = 0.0
        for i in range(12 if int(par[o + KIND]) == IMPLICIT else 0):
            mem[m + (D + i if i < 3 else C + i - 3)] = mem[m + POSE + i]
        for i in range(n_q):
            mem[m + BEFORE + i] = mem[m + S + i]
        left = seek(par, o, mem, m)
        if not left < DOUBTFUL:
            best = left
            for i in range(n_q):
                mem[m + BEST + i] = mem[m + S + i]
            for k in range(n - 3 * int(par[o + BALL])):
                if par[o + SIZES + k] == 1.0:
                    for turn in (-1.0, 1.0, -2.0, 2.0, -3.0, 3.0, -4.0, 4.0, -6.0, 6.0, -8.0, 8.0):
                        for i in range(n_q):
                            mem[m + S + i] = mem[m + BEFORE + i]
                        mem[m + S + k] += 0.25 * math.pi * turn
                        left = seek(par, o, mem, m)
                        if left < best:
                            best = left
                            for i in range(n_q):
                                mem[m + BEST + i] = mem[m + S + i]
            for i in range(n_q):
                mem[m + S + i] = mem[m + BEST + i]
            left = seek(par, o, mem, m)
        if not left < math.inf:
            for i in range(n_q):
                mem[m + S + i] = mem[m + BEFORE + i]
            return False
        residuals(par, o, mem, m, True)
        return True

    return settle


settle, settle_closure = settling(residuals_of_pose), settling(residuals_of_closure)


@compiled
def read_coordinates(par, mem, pose, speed, out, rates):
    """Coordinates `out` (n, n_q) of poses (n, 12), d and C by rows; with velocities `speed` (n, 6), shifts in the axes of A and
    turns in those of B, their rates (n, n_v). What is not found becomes no number."""
    n_q, n, length = int(par[N_Q]), int(par[N_V]), par[LENGTH]
    for row in range(pose.shape[0]):
        for i in range(12):
            mem[POSE + i] = pose[row, i]
        found = find_coordinates(par, 0, mem, 0)
        for i in range(n_q):
            out[row, i] = mem[S + i] if found else float("nan")
        if found and speed.shape[0] > 0:
            for i in range(6):
                total = 0.0
                for c in range(6):
                    total += mem[HX + 6 * i + c] * (speed[row, c] / length if c < 3 else speed[row, c])
                mem[SECOND + i] = total
            least(mem, 0, n, SECOND, 1)
            for k in range(n):
                rates[row, k] = mem[U + k]


@compiled
def read_motion(par, mem, s, u, d, rotation, motion, bias):
    """Pose, motion (6 n_v,) and bias (6,) of coordinates s with velocities u, by the compiled function. False where none is."""
    for i in range(int(par[N_Q])):
        mem[TARGET + i] = s[i]
    for k in range(int(par[N_V])):
        mem[V + k] = u[k]
    found = find_motion(par, 0, mem, 0)
    for i in range(3):
        d[i] = mem[D + i]
    for i in range(9):
        rotation[i] = mem[C + i]
    for i in range(6 * int(par[N_V])):
        motion[i] = mem[MOTION + i]
    for i in range(6):
        bias[i] = mem[BIAS + i]
    return found
