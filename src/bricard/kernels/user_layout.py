"""Users' own joints: the layout of an instance's memory and numbers, its coordinates, and the call of its function.

What an instance needs lies in its memory, from place m on; its numbers in `par` from place o on.
"""

from ..compiled.interfaces import USER_JOINT, USER_PIECE
from ..compiled.pointers import compiled
from .vectors import quaternion_step, triple

call_user, call_piece = USER_JOINT.call, USER_PIECE.call

EXPLICIT, ROUTINE, IMPLICIT = range(3)

TANGENT_KNOWN = 2.0  # in WARM: MOTION belongs to the pose
# memory: WARM (1: a pose is known), S coordinates, D and P pose as quaternion, C its matrix, V velocities, MOTION, BIAS
WARM, S, D, P, C, V, MOTION, BIAS = 0, 1, 8, 11, 15, 24, 30, 66
# scratch: U direction; X coordinates, DX and DDX their derivatives along a direction; LAST the s before, TARGET of s
U, X, DX, DDX, LAST, TARGET = 72, 78, 85, 92, 180, 194
# residuals, their derivatives by pose (6, 6) and by u (6, n_v), second derivative along the motion; matrix and right-hand sides
H, HX, HS, H2, A, B = 201, 207, 243, 279, 285, 321
# distance to the end of the range along s, in natural sizes; in the tree: 1 where a motion is known, its s, MOTION; a goal of s;
# time of the motion known, and time from there to the end of the range; the same of one before it; 1 while a run takes steps
LEFT, SEEN, OLD, OLD_MOTION, GOAL, LATER, EARLIER, STEPPING = 364, 365, 366, 373, 409, 416, 418, 420
# arguments and results of the function, four parts each
GIVEN, PARTS = 421, 497
KEPT = 753  # numbers in all

# numbers: kind, number of s, number of u, 1 for a quaternion; address of the function; determinant at the start; length (m);
# addresses of the pieces
KIND, N_Q, N_V, BALL, ADDRESS, BRANCH, LENGTH, AT_MOTION, AT_COORDINATES, AT_ROWS, AT_BEND = range(11)
START, SIZES, ROW = 11, 25, 31  # s, d, quaternion at the start (14); natural sizes of u (6); scales of residuals (6)
BASIS, OWN = 37, 73  # basis of residuals at the start (36), see user_rows.py; then the user's parameters

TOLERANCE, ROUGH, ITERATIONS = 1e-13, 1e-9, 16
END = 2e-3  # of the determinant at the start: there the range of an implicit joint ends
# of the way to that end, in natural sizes: what a joint of the tree keeps clear, and where it does not turn round in one step
CLEAR, BESIDE = 1e-4, 0.1
SMALLEST, PLENTY = 1e-6, 0.5  # shares of a step of s; largest step of Newton's method, in lengths or radians
DIFFERENCE, NARROW = 4e-3, 0.01  # steps of differences along the motion, in natural sizes; of the distance to the end
FAR = 1e300  # distance to the end where there is none
WEIGHTS = (0.75, -0.15, 1.0 / 60.0)  # central differences of sixth order


@compiled
def advance(par, o, mem, m, source, way):
    """X holds s after the way along U from the coordinates at `source`, DX and DDX the derivatives of s there."""
    n_v, ball = int(par[o + N_V]), par[o + BALL] != 0.0
    plain = n_v - 3 if ball else n_v
    for i in range(plain):
        mem[m + X + i], mem[m + DX + i] = mem[m + source + i] + way * mem[m + U + i], mem[m + U + i]
        mem[m + DDX + i] = 0.0
    if ball:
        a = m + source + plain
        w = triple(mem, m + U + plain)
        p = quaternion_step(mem[a], mem[a + 1], mem[a + 2], mem[a + 3], (way * w[0], way * w[1], way * w[2]))
        for i in range(4):  # p' = p w / 2, p'' = -w.w p / 4
            mem[m + X + plain + i] = p[i]
            mem[m + DDX + plain + i] = -0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * p[i]
        b = m + DX + plain
        mem[b] = -0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2])
        mem[b + 1] = 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1])
        mem[b + 2] = 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2])
        mem[b + 3] = 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0])


@compiled
def choose(mem, m, k):
    """U = unit vector k."""
    for i in range(6):
        mem[m + U + i] = 1.0 if i == k else 0.0


@compiled
def ask(par, o, mem, m, place):
    """Call the user's function: its arguments from `place` on are the coordinates X, both directions along DX."""
    for i in range(int(par[o + N_Q])):
        g = m + GIVEN + 4 * (place + i)
        mem[g], mem[g + 1], mem[g + 2], mem[g + 3] = mem[m + X + i], mem[m + DX + i], mem[m + DX + i], mem[m + DDX + i]
    call_user(int(par[o + ADDRESS]), mem[m + GIVEN : m + PARTS], par, o + OWN, mem[m + PARTS : m + KEPT])


@compiled
def find_motion(par, o, mem, m):
    """D, C, MOTION, BIAS at TARGET with the velocities V. False where the joint has no pose."""
    return call_piece(int(par[o + AT_MOTION]), par, o, mem, m)


@compiled
def find_coordinates(par, o, mem, m):
    """S of the pose at POSE. False where none is found."""
    return call_piece(int(par[o + AT_COORDINATES]), par, o, mem, m)
