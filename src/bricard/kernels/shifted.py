"""Kinematics with a part that does not depend on the velocities, q' = T(q) v + a0(t, q), by a change of velocities.

    w = v + c,  c = T+ a0:      q' = T w,   M w' + G^T lam = f(t, q, w - c) + M c',   A w + (a - A c) = 0

so that everything else knows only q' = T w. a0 must lie in the range of T. c' = dc/dt along the motion comes from central
differences of sixth order (1e-12): f is itself differentiated by complex step, and complex steps cannot be nested.
"""

import numpy as np

from ..compiled.pointers import inlined

STEP = 2e-3  # of the differences, in seconds or in natural units of q


def shift_of(T, a0):
    """c(t, q) = T+ a0, for real and complex arguments."""

    def shift(t, q):
        given = a0(t, q) + 0.0 * q[0]
        basis = T(q) + 0.0 * q[0]
        n_q, n_v = basis.shape
        square, right = np.zeros((n_v, n_v), basis.dtype), np.zeros(n_v, basis.dtype)
        for i in range(n_v):
            for k in range(n_q):
                right[i] += basis[k, i] * given[k]
                for j in range(n_v):
                    square[i, j] += basis[k, i] * basis[k, j]
        return np.linalg.solve(square, right)

    return shift


def shifted_force(M, f, T, shift):
    """f(t, q, w - c) + M c'."""
    M, f, T, shift = (inlined(function) for function in (M, f, T, shift))

    def force(t, q, w):
        basis, mass, given = T(q), M(q), f(t, q, w - shift(t, q))
        q_dot = 0.0 * q
        for i in range(q.size):
            for j in range(w.size):
                q_dot[i] += basis[i, j] * w[j]
        h = STEP / (1.0 + np.abs(q_dot).max())
        near = shift(t + h, q + h * q_dot) - shift(t - h, q - h * q_dot)
        far = shift(t + 2.0 * h, q + 2.0 * h * q_dot) - shift(t - 2.0 * h, q - 2.0 * h * q_dot)
        farther = shift(t + 3.0 * h, q + 3.0 * h * q_dot) - shift(t - 3.0 * h, q - 3.0 * h * q_dot)
        rate = (45.0 * near - 9.0 * far + farther) / (60.0 * h)
        total = given + 0.0 * rate
        for i in range(w.size):
            for j in range(w.size):
                total[i] += mass[i, j] * rate[j]
        return total

    return force


def shifted_rest(A, a, shift):
    """a - A c."""
    A, a, shift = (inlined(function) for function in (A, a, shift))

    def rest(t, q):
        spread, c = A(t, q), shift(t, q)
        total = a(t, q) + 0.0 * c[0]
        for i in range(spread.shape[0]):
            for j in range(spread.shape[1]):
                total[i] -= spread[i, j] * c[j]
        return total

    return rest
