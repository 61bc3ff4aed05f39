"""Two points coincide: world(p_b) - world(p_a) = 0; three rows, or the rows x and y for planar bodies.

Parameters p_a, p_b (local, from the centres of mass). With theta the turn in the body, d(R p) = -R [p]x theta, so that row
i of the derivative is p x R_i. Spec 004 (5.29) to (5.39), with body axes instead of world axes.
"""

from ..compiled.interfaces import G_DOT, KERNEL, RATE, TANGENT, VELOCITY
from ..compiled.pointers import compiled
from .vectors import (
    add,
    cross,
    dot,
    position_of,
    rotate,
    rotate_back,
    rotation_of,
    spin_of,
    subtract,
    triple,
    turning_columns,
)


@compiled
def point_stiffness(k, start, p, n, sign):
    """d(p x n)/dtheta = n p^T - (p.n) 1 for a force n given in the body: nine entries of K."""
    square = dot(p, n)
    for i in range(3):
        for j in range(3):
            k[start + 3 * i + j] = sign * (n[i] * p[j] - (square if i == j else 0.0))


@KERNEL
def coincide(t, flags, first, last, system, work):
    """Three rows."""
    x, rotation, velocity = work.x, work.rotation, work.velocity
    phi, phi_dot, gamma, k, lam = work.phi, work.phi_dot, work.gamma, work.k, work.lam
    g, rate, g_dot = work.g, work.rate, work.g_dot
    for e in range(first, last):
        a, b, row, entry = system.operand_a[e], system.operand_b[e], system.row[e], system.g_first[e]
        p_a, p_b = triple(work.local, system.parameter[e]), triple(work.local, system.parameter[e] + 3)
        R_a, R_b = rotation_of(rotation, a), rotation_of(rotation, b)
        gap = subtract(add(position_of(x, b), rotate(R_b, p_b)), add(position_of(x, a), rotate(R_a, p_a)))
        for i in range(3):
            phi[row + i] = gap[i]
            c_a, c_b, o = cross(R_a[i], p_a), cross(p_b, R_b[i]), entry + 4 * i
            g[o], g[o + 1], g[o + 2], g[o + 3] = -1.0, c_a[0], c_a[1], c_a[2]
            g[o + 12], g[o + 13], g[o + 14], g[o + 15] = 1.0, c_b[0], c_b[1], c_b[2]
        if flags & VELOCITY:
            w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
            u_a, u_b = cross(w_a, p_a), cross(w_b, p_b)
            s_a, s_b = rotate(R_a, u_a), rotate(R_b, u_b)
            c_a, c_b = rotate(R_a, cross(w_a, u_a)), rotate(R_b, cross(w_b, u_b))
            for i in range(3):
                phi_dot[row + i] = velocity[b, i] + s_b[i] - velocity[a, i] - s_a[i]
                gamma[row + i] = c_a[i] - c_b[i]
        if flags & (RATE | G_DOT):
            u_a, u_b = cross(spin_of(velocity, a), p_a), cross(spin_of(velocity, b), p_b)
            for i in range(3):
                c_a, c_b, o = cross(R_a[i], u_a), cross(u_b, R_b[i]), entry + 4 * i
                rate[o], rate[o + 1], rate[o + 2], rate[o + 3] = 0.0, c_a[0], c_a[1], c_a[2]
                rate[o + 12], rate[o + 13], rate[o + 14], rate[o + 15] = 0.0, c_b[0], c_b[1], c_b[2]
        if flags & G_DOT:
            w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
            for i in range(3):
                o = entry + 4 * i
                g_dot[o], g_dot[o + 12] = 0.0, 0.0
                turning_columns(g_dot, rate, g, o + 1, w_a)
                turning_columns(g_dot, rate, g, o + 13, w_b)
        if flags & TANGENT:
            force = triple(lam, row)
            point_stiffness(k, system.k_first[e], p_a, rotate_back(R_a, force), -1.0)
            point_stiffness(k, system.k_first[e] + 9, p_b, rotate_back(R_b, force), 1.0)


@KERNEL
def coincide_planar(t, flags, first, last, system, work):
    """Two rows, for bodies that move in the plane: columns x, y and the turn about z."""
    x, rotation, velocity = work.x, work.rotation, work.velocity
    phi, phi_dot, gamma, k, lam = work.phi, work.phi_dot, work.gamma, work.k, work.lam
    g, rate, g_dot = work.g, work.rate, work.g_dot
    local = work.local
    for e in range(first, last):
        a, b, row, o, p = (
            system.operand_a[e],
            system.operand_b[e],
            system.row[e],
            system.g_first[e],
            system.parameter[e],
        )
        ax = rotation[a, 0] * local[p] + rotation[a, 1] * local[p + 1]
        ay = rotation[a, 3] * local[p] + rotation[a, 4] * local[p + 1]
        bx = rotation[b, 0] * local[p + 3] + rotation[b, 1] * local[p + 4]
        by = rotation[b, 3] * local[p + 3] + rotation[b, 4] * local[p + 4]
        phi[row] = x[b, 0] + bx - x[a, 0] - ax
        phi[row + 1] = x[b, 1] + by - x[a, 1] - ay
        g[o], g[o + 1], g[o + 2], g[o + 3] = -1.0, ay, 1.0, -by
        g[o + 4], g[o + 5], g[o + 6], g[o + 7] = -1.0, -ax, 1.0, bx
        w_a, w_b = velocity[a, 5], velocity[b, 5]
        if flags & VELOCITY:
            phi_dot[row] = velocity[b, 0] - w_b * by - velocity[a, 0] + w_a * ay
            phi_dot[row + 1] = velocity[b, 1] + w_b * bx - velocity[a, 1] - w_a * ax
            gamma[row] = w_b * w_b * bx - w_a * w_a * ax
            gamma[row + 1] = w_b * w_b * by - w_a * w_a * ay
        if flags & (RATE | G_DOT):  # in the plane turns commute: the two are the same
            rate[o], rate[o + 1], rate[o + 2], rate[o + 3] = 0.0, w_a * ax, 0.0, -w_b * bx
            rate[o + 4], rate[o + 5], rate[o + 6], rate[o + 7] = 0.0, w_a * ay, 0.0, -w_b * by
            for i in range(8):
                g_dot[o + i] = rate[o + i]
        if flags & TANGENT:
            k[system.k_first[e]] = ax * lam[row] + ay * lam[row + 1]
            k[system.k_first[e] + 1] = -bx * lam[row] - by * lam[row + 1]
