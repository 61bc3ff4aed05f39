"""Nonholonomic rows given by a function phi(t, q, v), users' and our own; see functions.py for what the function gets.

A = dphi/dv, gamma and d(A v)/dq by complex step, exact to rounding; d(A^T lam)/dq, which only steers Newton's method, by central
differences. dA/dt by complex step too, provided that the row is linear in the velocities: only then it does not depend on v'.
"""

from ..compiled.interfaces import G_DOT, KERNEL, RATE, REFRESH, TANGENT
from ..compiled.pointers import inlined
from .functions import DIFFERENCE, TINY, displaced, honest, moved, moving, turned, unit
from .vectors import position_of, rotation_of, spin_of, triple

NOWHERE = (0j, 0j, 0j)


def nonholonomic_kernel(residual, rows):
    """The kernel of nonholonomic rows phi(t, q, v) = 0; A = dphi/dv. (A dependence of A on v is left out of K.)"""
    residual = inlined(residual)

    def gradient(t, x_a, R_a, v_a, w_a, p_a, x_b, R_b, v_b, w_b, p_b, p, g, o):
        pose_a, pose_b = displaced(x_a, R_a, v_a, w_a, p_a, 0j), displaced(x_b, R_b, v_b, w_b, p_b, 0j)
        s = TINY * 1j
        for i in range(12):
            value = residual(
                t + 0j,
                moving(pose_a, moved(v_a, unit(i, 0), s), moved(w_a, unit(i, 1), s), p_a),
                moving(pose_b, moved(v_b, unit(i, 2), s), moved(w_b, unit(i, 3), s), p_b),
                p,
            )
            for r in range(rows):
                g[o + 12 * r + i] = value[r].imag / TINY

    gradient = inlined(gradient)

    def kernel(t, flags, first, last, system, work):
        x, rotation, velocity = work.x, work.rotation, work.velocity
        phi, phi_dot, phi_t, gamma = work.phi, work.phi_dot, work.phi_t, work.gamma
        g, rate, g_dot, k, lam = work.g, work.rate, work.g_dot, work.k, work.lam
        for e in range(first, last):
            a, b, row, o, o_k = (
                system.operand_a[e],
                system.operand_b[e],
                system.row[e],
                system.g_first[e],
                system.k_first[e],
            )
            start = system.parameter[e]
            p_a, p_b = triple(system.parameters, start), triple(system.parameters, start + 3)
            p = system.parameters[start + 6 : system.parameter[e + 1]]
            x_a, x_b, R_a, R_b = (
                position_of(x, a),
                position_of(x, b),
                rotation_of(rotation, a),
                rotation_of(rotation, b),
            )
            v_a, v_b = position_of(velocity, a), position_of(velocity, b)
            w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
            gradient(t, x_a, R_a, v_a, w_a, p_a, x_b, R_b, v_b, w_b, p_b, p, g, o)
            s = TINY * 1j
            value = residual(
                t + s,
                moving(displaced(x_a, R_a, v_a, w_a, p_a, s), moved(v_a, v_a, 0j), moved(w_a, w_a, 0j), p_a),
                moving(displaced(x_b, R_b, v_b, w_b, p_b, s), moved(v_b, v_b, 0j), moved(w_b, w_b, 0j), p_b),
                p,
            )
            for r in range(rows):
                phi[row + r] = 0.0
                phi_dot[row + r], gamma[row + r] = honest(value[r]), -value[r].imag / TINY
                rest = phi_dot[row + r]
                for i in range(12):
                    rest -= g[o + 12 * r + i] * (velocity[a, i] if i < 6 else velocity[b, i - 6])
                phi_t[row + r] = rest
            if flags & RATE:
                for c in range(12):
                    pose_a = displaced(x_a, R_a, unit(c, 0), unit(c, 1), p_a, s)
                    pose_b = displaced(x_b, R_b, unit(c, 2), unit(c, 3), p_b, s)
                    value = residual(
                        t + 0j,
                        moving(pose_a, moved(v_a, v_a, 0j), moved(w_a, w_a, 0j), p_a),
                        moving(pose_b, moved(v_b, v_b, 0j), moved(w_b, w_b, 0j), p_b),
                        p,
                    )
                    for r in range(rows):
                        rate[o + 12 * r + c] = value[r].imag / TINY
            if flags & G_DOT:
                # the row is A v + a: what a unit velocity adds to it, after an imaginary step along the motion
                pose_a, pose_b = displaced(x_a, R_a, v_a, w_a, p_a, s), displaced(x_b, R_b, v_b, w_b, p_b, s)
                still_a, still_b = moving(pose_a, NOWHERE, NOWHERE, p_a), moving(pose_b, NOWHERE, NOWHERE, p_b)
                rest = residual(t + s, still_a, still_b, p)
                for c in range(12):
                    value = residual(
                        t + s,
                        moving(pose_a, moved(NOWHERE, unit(c, 0), 1.0), moved(NOWHERE, unit(c, 1), 1.0), p_a),
                        moving(pose_b, moved(NOWHERE, unit(c, 2), 1.0), moved(NOWHERE, unit(c, 3), 1.0), p_b),
                        p,
                    )
                    for r in range(rows):
                        g_dot[o + 12 * r + c] = (value[r].imag - rest[r].imag) / TINY
            if flags & TANGENT and flags & REFRESH:
                for c in range(12):
                    for i in range(12):
                        k[o_k + 12 * i + c] = 0.0
                    h = DIFFERENCE * (system.length if c % 6 < 3 else 1.0)
                    for sign in (1.0, -1.0):
                        d = sign * h
                        y_a, S_a = moved(x_a, unit(c, 0), d), turned(R_a, unit(c, 1), d)
                        y_b, S_b = moved(x_b, unit(c, 2), d), turned(R_b, unit(c, 3), d)
                        gradient(t, y_a, S_a, v_a, w_a, p_a, y_b, S_b, v_b, w_b, p_b, p, g, o)
                        for r in range(rows):
                            for i in range(12):
                                k[o_k + 12 * i + c] += lam[row + r] * g[o + 12 * r + i] / (2.0 * d)
                gradient(t, x_a, R_a, v_a, w_a, p_a, x_b, R_b, v_b, w_b, p_b, p, g, o)

    return KERNEL(kernel)
