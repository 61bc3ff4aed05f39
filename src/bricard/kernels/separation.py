"""A point of b stays in a plane of a: (world(p_b) - x_a).(R_a n) - c = 0. One row; spec 004 (5.52) with the offset in a.

Parameters n (in a), p_b (in b), c. The same function as the measure `displacement`, written straight into G and K.
"""

from ..compiled.interfaces import G_DOT, KERNEL, RATE, TANGENT, VELOCITY
from .measures import differentiated, displacement_curvature, put
from .vectors import add, cross, dot, position_of, rotate, rotate_back, rotation_of, scale, spin_of, subtract, triple


@KERNEL
def separation(t, flags, first, last, system, work):
    """One row, twelve columns."""
    x, rotation, velocity, g, rate, k = work.x, work.rotation, work.velocity, work.g, work.rate, work.k
    local, parameters = work.local, system.parameters
    for e in range(first, last):
        a, b, p, row = system.operand_a[e], system.operand_b[e], system.parameter[e], system.row[e]
        m, r, o = triple(local, p), triple(local, p + 3), system.g_first[e]
        R_a, R_b = rotation_of(rotation, a), rotation_of(rotation, b)
        n, rho = rotate(R_a, m), rotate(R_b, r)
        d = subtract(add(position_of(x, b), rho), position_of(x, a))
        e_a, n_b = rotate_back(R_a, d), rotate_back(R_b, n)
        work.phi[row] = dot(d, n) - parameters[p + 6]
        put(g, o, scale(-1.0, n), cross(m, e_a), n, cross(r, n_b))
        if flags & (VELOCITY | RATE | G_DOT):
            w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
            dm, dr = cross(w_a, m), cross(w_b, r)
            n_dot, rho_dot = rotate(R_a, dm), rotate(R_b, dr)
            d_dot = subtract(add(position_of(velocity, b), rho_dot), position_of(velocity, a))
            work.phi_dot[row] = dot(d_dot, n) + dot(d, n_dot)
            centre = dot(rotate(R_b, cross(w_b, dr)), n) + dot(d, rotate(R_a, cross(w_a, dm)))
            work.gamma[row] = -centre - 2.0 * dot(d_dot, n_dot)
            s_a = add(cross(m, rotate_back(R_a, d_dot)), cross(dm, e_a))
            s_b = add(cross(dr, n_b), cross(r, rotate_back(R_b, n_dot)))
            put(rate, o, scale(-1.0, n_dot), s_a, n_dot, s_b)
            if flags & G_DOT:
                differentiated(work.g_dot, rate, g, o, w_a, w_b)
        if flags & TANGENT:
            o = system.k_first[e]
            for i in range(144):
                k[o + i] = 0.0
            displacement_curvature(k, o, work.lam[row], R_a, m, e_a, R_b, r, n_b, rotate_back(R_a, rho))
