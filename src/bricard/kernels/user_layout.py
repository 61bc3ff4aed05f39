"""Users' own joints: the layout of an instance's memory and numbers, its coordinates, and the call of its function.

What an instance needs lies in its memory, from place m on; its numbers in `par` from place o on.
"""

from ..compiled.interfaces import USER_JOINT, USER_PIECE
from ..compiled.pointers import compiled
from .vectors import quaternion_step, triple

call_user, call_piece = USER_JOINT.call, USER_PIECE.call

EXPLICIT, ROUTINE, IMPLICIT, WITH_MOTION = range(4)

TANGENT_KNOWN = 2.0  # in WARM: MOTION belongs to the pose
# memory: WARM (1: a pose is known), S coordinates, D and P pose as quaternion, C its matrix, V velocities, MOTION, BIAS
WARM, S, D, P, C, V, MOTION, BIAS = 0, 1, 8, 11, 15, 24, 30, 66
# scratch: directions U and U2; X coordinates; BIAS_SLOPE (6, 6); LAST the s before, TARGET of s
U, U2, X, BIAS_SLOPE, LAST, TARGET = 72, 78, 85, 92, 180, 194
# residuals, their derivatives by pose (6, 6) and by u (6, n_v), second derivative along the motion; matrix and right-hand sides
H, HX, HS, H2, A, B = 201, 207, 243, 279, 285, 321
# distance to the end of the range along s, in natural sizes; in the tree: 1 where a motion is known, its s, MOTION; a goal of s;
# time of the motion known, and time from there to the end of the range; the same of one before it; 1 while a run takes steps
LEFT, SEEN, OLD, OLD_MOTION, GOAL, LATER, EARLIER, STEPPING = 364, 365, 366, 373, 409, 416, 418, 420
# arguments and results of the function, four parts each
GIVEN, PARTS = 421, 497
SLOPE = 753  # derivatives of MOTION (6 n_v) along each velocity (6)
KEPT = 969  # numbers in all

# numbers: kind, number of s, number of u, 1 for a quaternion; address of the function; determinant at the start; length (m);
# addresses of the pieces
KIND, N_Q, N_V, BALL, ADDRESS, BRANCH, LENGTH, AT_MOTION, AT_SLOPES, AT_COORDINATES, AT_ROWS, AT_BEND, AT_CHANGE = (
    range(13)
)
START, SIZES, ROW = 13, 27, 33  # s, d, quaternion at the start (14); natural sizes of u (6); scales of residuals (6)
BASIS, OWN = 39, 75  # basis of residuals at the start (36), see user_rows.py; then the user's parameters

TOLERANCE, ROUGH, ITERATIONS = 1e-13, 1e-9, 16
END = 2e-3  # of the determinant at the start: there the range of an implicit joint ends
# of the way to that end, in natural sizes: what a joint of the tree keeps clear, and where it does not turn round in one step
CLEAR, BESIDE = 1e-4, 0.1
SMALLEST, PLENTY = 1e-6, 0.5  # shares of a step of s; largest step of Newton's method, in lengths or radians
DIFFERENCE, NARROW = 4e-3, 0.01  # steps of differences along the motion, in natural sizes; of the distance to the end
FAR = 1e300  # distance to the end where there is none
WEIGHTS = (0.75, -0.15, 1.0 / 60.0)  # central differences of sixth order


@compiled
def spun(p, w):
    """Rate of a quaternion whose angular velocity in its own axes is w: p w / 2."""
    return (
        -0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]),
        0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]),
        0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]),
        0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]),
    )


@compiled
def advance(par, o, mem, m, source, way):
    """X holds s after the way along U from the coordinates at `source`."""
    n_v, ball = int(par[o + N_V]), par[o + BALL] != 0.0
    plain = n_v - 3 if ball else n_v
    for i in range(plain):
        mem[m + X + i] = mem[m + source + i] + way * mem[m + U + i]
    if ball:
        a = m + source + plain
        w = triple(mem, m + U + plain)
        p = quaternion_step(mem[a], mem[a + 1], mem[a + 2], mem[a + 3], (way * w[0], way * w[1], way * w[2]))
        for i in range(4):
            mem[m + X + plain + i] = p[i]


@compiled
def choose(mem, m, k):
    """U and U2 = unit vector k."""
    choose_two(mem, m, k, k)


@compiled
def choose_two(mem, m, k, j):
    """U = unit vector k, U2 = unit vector j."""
    for i in range(6):
        mem[m + U + i], mem[m + U2 + i] = 1.0 if i == k else 0.0, 1.0 if i == j else 0.0


@compiled
def along_both(mem, m):
    """U2 = U."""
    for i in range(6):
        mem[m + U2 + i] = mem[m + U + i]


@compiled
def ask(par, o, mem, m, source, place):
    """Call the user's function: its arguments from `place` on are the coordinates at `source`, along U and U2.

    The mixed part is the derivative, along U2, of that along U.
    """
    n_v, ball = int(par[o + N_V]), par[o + BALL] != 0.0
    plain, given = n_v - 3 if ball else n_v, m + GIVEN + 4 * place
    for i in range(plain):
        g = given + 4 * i
        mem[g], mem[g + 1], mem[g + 2], mem[g + 3] = mem[m + source + i], mem[m + U + i], mem[m + U2 + i], 0.0
    if ball:
        a, u = m + source + plain, triple(mem, m + U + plain)
        p = mem[a], mem[a + 1], mem[a + 2], mem[a + 3]
        first, second = spun(p, u), spun(p, triple(mem, m + U2 + plain))
        mixed = spun(second, u)
        for i in range(4):
            g = given + 4 * (plain + i)
            mem[g], mem[g + 1], mem[g + 2], mem[g + 3] = p[i], first[i], second[i], mixed[i]
    call_user(int(par[o + ADDRESS]), mem[m + GIVEN : m + PARTS], par, o + OWN, mem[m + PARTS : m + SLOPE])


@compiled
def find_motion(par, o, mem, m):
    """D, C, MOTION, BIAS at TARGET with the velocities V. False where the joint has no pose."""
    return call_piece(int(par[o + AT_MOTION]), par, o, mem, m)


@compiled
def find_coordinates(par, o, mem, m):
    """S of the pose at POSE. False where none is found."""
    return call_piece(int(par[o + AT_COORDINATES]), par, o, mem, m)


@compiled
def find_slopes(par, o, mem, m):
    """SLOPE at TARGET, of the motion found there; False where differences of a routine leave its range."""
    return call_piece(int(par[o + AT_SLOPES]), par, o, mem, m)
