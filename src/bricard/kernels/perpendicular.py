"""Constant scalar product of two directions: (R_a u).(R_b w) - c = 0. One row; spec 004 (5.112) to (5.124).

Parameters u (in a), w (in b), c. With b_a = R_a^T R_b w and a_b = R_b^T R_a u the row of G is (u x b_a, w x a_b).
The file also holds the scalar product as a function for measures that are made of it.
"""

from ..compiled.interfaces import G_DOT, KERNEL, RATE, TANGENT, VELOCITY
from ..compiled.pointers import compiled
from .vectors import add, cross, dot, product_entry, rotate, rotate_back, rotation_of, spin_of, triple, turning_columns


@compiled
def dot_gradient(R_a, u, R_b, w):
    """Value of the product and its gradients in the turns of a and b (body axes)."""
    b_a, a_b = rotate_back(R_a, rotate(R_b, w)), rotate_back(R_b, rotate(R_a, u))
    return dot(u, b_a), cross(u, b_a), cross(w, a_b)


@compiled
def dot_slope(R_a, u, w_a, R_b, w, w_b):
    """Gradients of (gradient . velocity) in the turns of a and b, the spins w_a, w_b (body axes) being held."""
    b_a, a_b = rotate_back(R_a, rotate(R_b, w)), rotate_back(R_b, rotate(R_a, u))
    du, dw = cross(w_a, u), cross(w_b, w)
    du_b, dw_a = rotate_back(R_b, rotate(R_a, du)), rotate_back(R_a, rotate(R_b, dw))
    return add(cross(du, b_a), cross(u, dw_a)), add(cross(dw, a_b), cross(w, du_b))


@compiled
def dot_curvature_entry(R_a, u, R_b, w, side_i, i, side_j, j):
    """Entry of the derivative of the gradient: rows of body side_i, columns of body side_j."""
    b_a, a_b = rotate_back(R_a, rotate(R_b, w)), rotate_back(R_b, rotate(R_a, u))
    value = dot(u, b_a)
    if side_i == 0:
        if side_j == 0:
            return b_a[i] * u[j] - (value if i == j else 0.0)
        return value * product_entry(R_a, R_b, i, j) - b_a[i] * a_b[j]
    if side_j == 1:
        return a_b[i] * w[j] - (value if i == j else 0.0)
    return value * product_entry(R_b, R_a, i, j) - a_b[i] * b_a[j]


@KERNEL
def perpendicular(t, flags, first, last, system, work):
    """One row, columns: the turns of a and b."""
    rotation, velocity = work.rotation, work.velocity
    phi, phi_dot, gamma, k, lam = work.phi, work.phi_dot, work.gamma, work.k, work.lam
    g, rate, g_dot = work.g, work.rate, work.g_dot
    local, parameters = work.local, system.parameters
    for e in range(first, last):
        a, b, row, o, p = (
            system.operand_a[e],
            system.operand_b[e],
            system.row[e],
            system.g_first[e],
            system.parameter[e],
        )
        u, w = triple(local, p), triple(local, p + 3)
        R_a, R_b = rotation_of(rotation, a), rotation_of(rotation, b)
        b_a, a_b = rotate_back(R_a, rotate(R_b, w)), rotate_back(R_b, rotate(R_a, u))
        value, g_a, g_b = dot(u, b_a), cross(u, b_a), cross(w, a_b)
        phi[row] = value - parameters[p + 6]
        for i in range(3):
            g[o + i], g[o + 3 + i] = g_a[i], g_b[i]
        if flags & (VELOCITY | RATE | G_DOT):
            w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
            s_a, s_b = dot_slope(R_a, u, w_a, R_b, w, w_b)
            phi_dot[row] = dot(g_a, w_a) + dot(g_b, w_b)
            gamma[row] = -(dot(s_a, w_a) + dot(s_b, w_b))
            for i in range(3):
                rate[o + i], rate[o + 3 + i] = s_a[i], s_b[i]
            if flags & G_DOT:
                turning_columns(g_dot, rate, g, o, w_a)
                turning_columns(g_dot, rate, g, o + 3, w_b)
        if flags & TANGENT:
            m, o = lam[row], system.k_first[e]
            for i in range(3):
                for j in range(3):
                    one = value if i == j else 0.0
                    mixed = value * product_entry(R_a, R_b, i, j) - b_a[i] * a_b[j]
                    k[o + 3 * i + j] = m * (b_a[i] * u[j] - one)
                    k[o + 9 + 3 * i + j] = m * mixed
                    k[o + 18 + 3 * j + i] = m * mixed
                    k[o + 27 + 3 * i + j] = m * (a_b[i] * w[j] - one)
