"""Users' own joints: how frame B stands to frame A as a function of joint coordinates s and their velocities u.

    d(s), C(s)                            origin and rotation of B, in the axes of A; x_A = C x_B
    (d', w) = sum MOTION_k u_k            w: angular velocity of B against A, in the axes of A
    (d'', w') = sum MOTION_k u'_k + BIAS

s' = u, except for a unit quaternion in the last four of s, whose angular velocity in its own axes are the last three of u.

The user's function is called by address (USER_JOINT); three kinds of it:
* EXPLICIT gives d(s), C(s), and their derivatives along a direction by complex step, exact to rounding. BIAS is the derivative of
  the motion along the path of constant u, by central differences of sixth order: relative accuracy about 1e-12.
* ROUTINE gives everything itself: the contract of spec 001, section 1.1.
* IMPLICIT gives six residuals h(d, C, s); see user_closure.py.
"""

from ..compiled.interfaces import TANGENT, TREE_JOINT, USER_PIECE
from ..compiled.pointers import compiled
from .user_closure import implicit_motion
from .user_layout import (
    BIAS,
    COARSE,
    DIFFERENCE,
    DX,
    EXPLICIT,
    IMPLICIT,
    KIND,
    MOTION,
    N_Q,
    N_V,
    OUT,
    SIZES,
    TARGET,
    WEIGHTS,
    C,
    D,
    U,
    V,
    X,
    advance,
    ask,
    choose,
    find_motion,
    swiftness,
)
from .vectors import nine


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
def explicit_motion(par, o, mem, m, target):
    """D, C, MOTION, BIAS at the coordinates at `target` with the velocities V."""
    n_v = int(par[o + N_V])
    for k in range(n_v):
        choose(mem, m, k)
        advance(par, o, mem, m, target, 0.0)
        ask(par, o, mem, m)
        w = spin_between(nine(mem, m + OUT + 15), nine(mem, m + OUT + 3))
        for i in range(3):
            mem[m + MOTION + 6 * k + i], mem[m + MOTION + 6 * k + 3 + i] = mem[m + OUT + 12 + i], w[i]
    for i in range(12):
        mem[m + (D + i if i < 3 else C + i - 3)] = mem[m + OUT + i]
    for i in range(6):
        mem[m + BIAS + i], mem[m + U + i] = 0.0, mem[m + V + i]
    speed = swiftness(par, o, mem, m, V)
    if speed > 0.0:
        h = DIFFERENCE / speed
        for n in range(3):
            for side in (1.0, -1.0):
                advance(par, o, mem, m, target, side * (n + 1) * h)
                ask(par, o, mem, m)
                w = spin_between(nine(mem, m + OUT + 15), nine(mem, m + OUT + 3))
                for i in range(3):
                    mem[m + BIAS + i] += side * WEIGHTS[n] / h * mem[m + OUT + 12 + i]
                    mem[m + BIAS + 3 + i] += side * WEIGHTS[n] / h * w[i]


@compiled
def routine_motion(par, o, mem, m, target):
    """The same from a function that gives SD, SDT, SDQ, SDTT, CD, CDT, CDQ, CDTT."""
    n_q, n_v = int(par[o + N_Q]), int(par[o + N_V])
    for i in range(n_q):
        mem[m + X + i] = mem[m + target + i]
    for i in range(n_v):
        mem[m + DX + i] = mem[m + V + i]
    ask(par, o, mem, m)
    turn = m + OUT + 9 + 3 * n_v
    for i in range(3):
        mem[m + D + i], mem[m + BIAS + i] = mem[m + OUT + i], mem[m + OUT + 6 + 3 * n_v + i]
        mem[m + BIAS + 3 + i] = mem[turn + 12 + 3 * n_v + i]
        for k in range(n_v):
            mem[m + MOTION + 6 * k + i] = mem[m + OUT + 6 + n_v * i + k]
            mem[m + MOTION + 6 * k + 3 + i] = mem[turn + 12 + n_v * i + k]
    for i in range(9):
        mem[m + C + i] = mem[turn + i]


@USER_PIECE
def joint_motion(par, o, mem, m):
    """D, C, MOTION, BIAS at TARGET with the velocities V. False where the joint has no pose."""
    kind = int(par[o + KIND])
    if kind == IMPLICIT:
        return implicit_motion(par, o, mem, m)
    if kind == EXPLICIT:
        explicit_motion(par, o, mem, m, TARGET)
    else:
        routine_motion(par, o, mem, m, TARGET)
    return True


@compiled
def move_target(par, o, mem, m, k, way, q, first):
    """TARGET = coordinates in q from `first` on, after the way along velocity k."""
    n_q = int(par[o + N_Q])
    for i in range(n_q):
        mem[m + TARGET + i] = q[first + i]
    if way != 0.0:
        choose(mem, m, k)
        advance(par, o, mem, m, TARGET, way)
        for i in range(n_q):
            mem[m + TARGET + i] = mem[m + X + i]


@TREE_JOINT
def user_tree_joint(t, q, v, flags, first, last, system, work):
    """Users' joints in the tree of relative coordinates; derivatives of motion and bias by central differences."""
    tree, branch = system.tree, work.branch
    members, q_first, v_first, par, mem = tree.members, tree.q_first, tree.v_first, tree.parameters, branch.memory
    d, c, s, bias, slope, bias_slope = branch.d, branch.c, branch.s, branch.bias, branch.slope, branch.bias_slope
    for place in range(first, last):
        n = members[place]
        o, m, a, b = int(tree.parameter[n]), int(tree.memory[n]), int(q_first[n]), int(v_first[n])
        n_v = int(par[o + N_V])
        for k in range(n_v):
            mem[m + V + k] = v[b + k]
        if flags & TANGENT:
            for j in range(n_v):
                h = COARSE * par[o + SIZES + j]
                for k in range(6 * n_v):
                    slope[b + j, k] = 0.0
                for i in range(6):
                    bias_slope[b + j, i] = 0.0
                for side in (1.0, -1.0):
                    move_target(par, o, mem, m, j, side * h, q, a)
                    if find_motion(par, o, mem, m):
                        for k in range(6 * n_v):
                            slope[b + j, k] += 0.5 * side / h * mem[m + MOTION + k]
                        for i in range(6):
                            bias_slope[b + j, i] += 0.5 * side / h * mem[m + BIAS + i]
        move_target(par, o, mem, m, 0, 0.0, q, a)
        found = find_motion(par, o, mem, m)
        for i in range(3):
            d[n, i] = mem[m + D + i] if found else float("nan")
        for i in range(9):
            c[n, i] = mem[m + C + i] if found else float("nan")
        for i in range(6):
            bias[n, i] = mem[m + BIAS + i]
            for k in range(n_v):
                s[b + k, i] = mem[m + MOTION + 6 * k + i]
