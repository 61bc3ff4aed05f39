"""Systems given by their functions: the four methods of a system (EVALUATE, RETRACT, KINEMATICS, MAP) around users' code.

All matrices are dense. What a call does not need is not computed: users' functions allocate their results, which costs more than
most of what is in them. Derivatives along the directions of v (dq = T e_j) come from complex steps of 1e-30, exact to rounding;
gamma without a function of the user's from two evaluations at s = +-h exp(i pi/4), h = 1e-4 (relative accuracy 1e-8); second
derivatives of Phi without a user's G from central differences of complex steps (1e-9), which only steer Newton's method; dG/dt
along the motion from such differences of fourth order (1e-10), or exactly from a user's G. dA/dt and dM/dt are exact.
"""

import numpy as np

from ..compiled.interfaces import ENERGY, EVALUATE, G_DOT, KINEMATICS, MAP, RATE, RETRACT, TANGENT, VELOCITY
from ..compiled.pointers import compiled, inlined
from .direct import kinematics_directly, retract_directly

TINY, STEP, DIFFERENCE = 1e-30, 1e-4, 1e-5
DIAGONAL = STEP * 0.7071067811865476 * (1 + 1j)


@compiled
def times(matrix, vector):
    """matrix @ vector for any mixture of real and complex."""
    result = np.zeros(matrix.shape[0], np.complex128)
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            result[i] += matrix[i, j] * vector[j]
    return result


@compiled
def multiply(matrix, vector, out):
    """out = matrix @ vector, of real numbers."""
    for i in range(matrix.shape[0]):
        total = 0.0
        for j in range(matrix.shape[1]):
            total += matrix[i, j] * vector[j]
        out[i] = total


def methods(M, f, Phi, G, gamma, T, A, a, V, n_c, n_a, direct):
    """The four methods, from functions that all exist except G and gamma; n_c holonomic and n_a nonholonomic rows.

    direct : q' = v, T is the identity.
    """
    M, f, Phi, T, A, a, V = (inlined(function) for function in (M, f, Phi, T, A, a, V))
    jacobian = inlined(_complex_step_jacobian(Phi, T, n_c) if G is None else _given_jacobian(inlined(G)))
    curved = inlined(_differenced(jacobian, T) if G is None else _complex_curved(inlined(G)))
    turning = inlined(_differenced_along(jacobian, T) if G is None else _complex_along(inlined(G)))
    rates = inlined(_rates(T))
    bend = inlined(_diagonal_gamma(Phi, T) if gamma is None else _given_gamma(inlined(gamma)))

    def evaluate(t, q, v, flags, system, work):
        n_v, m, g, k, d, rate = system.n_v, work.m, work.g, work.k, work.d, work.rate
        s, mass, force = TINY * 1j, M(q), f(t, q, v)
        for i in range(n_v):
            work.f[i] = force[i]
            for j in range(n_v):
                m[n_v * i + j] = mass[i, j]
        if n_c > 0:
            basis = T(q)
            rows, value, moving = jacobian(t, q, basis), Phi(t + 0j, q + 0j), Phi(t + s, q + 0j)
            for i in range(n_c):
                work.phi[i], work.phi_t[i] = value[i].real, moving[i].imag / TINY
                total = work.phi_t[i]
                for j in range(n_v):
                    g[n_v * i + j] = rows[i, j]
                    total += rows[i, j] * v[j]
                work.phi_dot[i] = total
            if flags & VELOCITY:
                right = bend(t, q, v, basis)
                for i in range(n_c):
                    work.gamma[i] = right[i]
        if n_a > 0:
            q_dot = rates(q, v)
            along = times(A(t + s, q + s * q_dot), v) + a(t + s, q + s * q_dot)
            rest, spread = a(t + 0j, q + 0j), A(t + 0j, q + 0j)
            for i in range(n_a):
                work.phi[n_c + i], work.phi_dot[n_c + i] = 0.0, along[i].real
                work.gamma[n_c + i], work.phi_t[n_c + i] = -along[i].imag / TINY, rest[i].real
                for j in range(n_v):
                    g[n_v * (n_c + i) + j] = spread[i, j].real
        if flags & (RATE | TANGENT):
            acceleration, lam, basis = work.u[:n_v], work.lam, T(q)
            for j in range(n_v):
                direction = np.ascontiguousarray(basis[:, j])
                shifted = q + s * direction
                if n_c > 0:
                    slope = curved(t, q, direction)  # (n_c, n_v): derivative of G along the direction
                    for i in range(n_c):
                        total = 0.0
                        for c in range(n_v):
                            total += slope[i, c] * v[c]
                        rate[n_v * i + j] = total
                if n_a > 0:
                    spread = A(t + 0j, shifted)
                    rest = a(t + 0j, shifted)
                    for i in range(n_a):
                        total = rest[i].imag / TINY
                        for c in range(n_v):
                            total += spread[i, c].imag / TINY * v[c]
                        rate[n_v * (n_c + i) + j] = total
                if flags & TANGENT:
                    inertia, push = M(shifted), f(t + 0j, shifted, v + 0j)
                    damp = v + 0j
                    damp[j] += s
                    drag = f(t + 0j, q + 0j, damp)
                    for i in range(n_v):
                        total = -push[i].imag / TINY
                        for c in range(n_v):
                            total += inertia[i, c].imag / TINY * acceleration[c]
                        if n_c > 0:
                            for r in range(n_c):
                                total += slope[r, i] * lam[r]
                        if n_a > 0:
                            for r in range(n_a):
                                total += spread[r, i].imag / TINY * lam[n_c + r]
                        k[n_v * i + j] = total
                        d[n_v * i + j] = -drag[i].imag / TINY
        if flags & G_DOT:
            q_dot = rates(q, v)
            g_dot, m_dot, inertia = work.g_dot, work.m_dot, M(q + s * q_dot)
            for i in range(n_v):
                for j in range(n_v):
                    m_dot[n_v * i + j] = inertia[i, j].imag / TINY
            if n_c > 0:
                slope = turning(t, q, q_dot)
                for i in range(n_c):
                    for j in range(n_v):
                        g_dot[n_v * i + j] = slope[i, j]
            if n_a > 0:
                spread = A(t + s, q + s * q_dot)
                for i in range(n_a):
                    for j in range(n_v):
                        g_dot[n_v * (n_c + i) + j] = spread[i, j].imag / TINY
        if flags & ENERGY:
            shifted = q + s * rates(q, v)
            power, inertia, potential = V(shifted).imag / TINY, M(shifted), V(q + 0j).real
            for i in range(n_v):
                power += force[i] * v[i]
                for j in range(n_v):
                    power += 0.5 * v[i] * inertia[i, j].imag / TINY * v[j]
            work.energy[0], work.energy[1] = potential, power

    return EVALUATE(evaluate), *((retract_directly, kinematics_directly, unit_map) if direct else _moves(T))


@MAP
def unit_map(q, v, system, work):
    """Where q' = v: T is the identity."""
    n, t, inverse, tq = system.n_q, work.t, work.t_inverse, work.tq
    for e in range(n * n):
        t[e], inverse[e], tq[e] = 0.0, 0.0, 0.0
    for i in range(n):
        t[(n + 1) * i], inverse[(n + 1) * i] = 1.0, 1.0


def _moves(T):
    """RETRACT, KINEMATICS and MAP of a user's T."""

    def retract(q, increment, q_new, system, work):
        start = q[: system.n_q]
        way = np.empty(system.n_q)
        multiply(T(start), increment, way)
        multiply(T(start + 0.5 * way), increment, way)
        for i in range(system.n_q):
            q_new[i] = start[i] + way[i]

    def kinematics(q, v, q_dot, system, work):
        multiply(T(q[: system.n_q]), v, q_dot)

    def kinematic_map(q, v, system, work):
        n_q, n_v = system.n_q, system.n_v
        basis = T(q)
        inverse = np.linalg.solve(basis.T @ basis, basis.T)
        for i in range(n_q):
            for j in range(n_v):
                work.t[n_v * i + j], work.t_inverse[n_v * i + j] = basis[i, j], inverse[j, i]
        for j in range(n_q):
            shifted = q + 0j
            shifted[j] += TINY * 1j
            spread = T(shifted)
            for i in range(n_q):
                total = 0.0
                for c in range(n_v):
                    total += spread[i, c].imag / TINY * v[c]
                work.tq[n_q * i + j] = total

    return RETRACT(retract), KINEMATICS(kinematics), MAP(kinematic_map)


def _rates(T):
    """q' = T v, of real numbers."""

    def rates(q, v):
        q_dot = np.empty(q.size)
        multiply(T(q), v, q_dot)
        return q_dot

    return rates


def _complex_step_jacobian(Phi, T, n_c):
    def jacobian(t, q, basis):
        rows = np.zeros((n_c, basis.shape[1]))
        if n_c > 0:
            for j in range(basis.shape[1]):
                value = Phi(t + 0j, q + TINY * 1j * basis[:, j])
                for i in range(n_c):
                    rows[i, j] = value[i].imag / TINY
        return rows

    return jacobian


def _given_jacobian(G):
    def jacobian(t, q, basis):
        return G(t, q)

    return jacobian


def _differenced(jacobian, T):
    """Derivative of G along a direction of q, by central differences."""

    def curved(t, q, direction):
        ahead, behind = q + DIFFERENCE * direction, q - DIFFERENCE * direction
        return (jacobian(t, ahead, T(ahead)) - jacobian(t, behind, T(behind))) / (2.0 * DIFFERENCE)

    return curved


def _complex_curved(G):
    """Derivative of G along a direction of q, by complex step."""

    def curved(t, q, direction):
        return G(t + 0j, q + TINY * 1j * direction).imag / TINY

    return curved


def _differenced_along(jacobian, T):
    """Derivative of G along the motion, by central differences of fourth order."""

    def turning(t, q, q_dot):
        h = STEP / max(1.0, np.abs(q_dot).max())
        near = jacobian(t + h, q + h * q_dot, T(q + h * q_dot)) - jacobian(t - h, q - h * q_dot, T(q - h * q_dot))
        h2 = 2.0 * h
        far = jacobian(t + h2, q + h2 * q_dot, T(q + h2 * q_dot)) - jacobian(t - h2, q - h2 * q_dot, T(q - h2 * q_dot))
        return (8.0 * near - far) / (12.0 * h)

    return turning


def _complex_along(G):
    """The same by complex step."""

    def turning(t, q, q_dot):
        s = TINY * 1j
        return G(t + s, q + s * q_dot).imag / TINY

    return turning


def _diagonal_gamma(Phi, T):
    """gamma = -d2 Phi/ds2 along t + s, q(s) with constant v; q'' = d(T v)/dq q'."""

    def gamma(t, q, v, basis):
        q_dot = times(basis, v).real
        bend = times(T(q + TINY * 1j * q_dot), v).imag / TINY
        s = DIAGONAL
        ahead = Phi(t + s, q + s * q_dot + (0.5 * s * s) * bend)
        behind = Phi(t - s, q - s * q_dot + (0.5 * s * s) * bend)
        return -(ahead + behind).imag / (STEP * STEP)

    return gamma


def _given_gamma(function):
    def gamma(t, q, v, basis):
        return function(t, q, v)

    return gamma
