"""Generalised Adams methods of orders 3, 5, 7 and 9 in blocks, for F(t, y, y') = 0 or H y' = F(t, y); adaptive, or fixed steps.

    y_i - y_(i-1) = h_p sum_j b_ij y'_j,   i = 1 .. 9,   h = 9 h_p

A step is a block of nine equidistant points. Each formula integrates the polynomial through k + 1 of the y', about the
interval in the middle of them where the block has room, so that the order is k + 1 (k = 2, 4, 6, 8); all nine are solved
together. A-stable up to order 7, nearly so for order 9 (|R| <= 1.05 on the imaginary axis); an infinitely stiff part is
damped by 0.02, 0.2, 0.5, 0.85 in a block. Algebraic equations hold at every point. Orders in q, v, lam: index 3 p, p, p - 1;
index 2 and 1 p in all.

The error of order p is the difference to the integral of the polynomial through all ten y', filtered by the real matrix; the
same points tell those of orders p - 2 and p + 2. GAMD itself iterates with one real matrix and blocks of four to nine points;
here Newton's method solves the block as that of Radau. For smooth motions at high accuracy. `order` holds one order; 0 leaves
the choice to the method, fixed steps then have order 5.

Weak spots: nine points have one matrix, so that Newton's method refuses large steps first, and more so with a row of a
singular position among them (see radau5). Order 9 damps an infinitely stiff part by 0.85 only: for index 3 take at most 7.
Reference: Iavernaro and Mazzia, Appl. Numer. Math. 28 (1998) 107-126; SIAM J. Sci. Comput. 21 (1999) 323-339.
"""

import math

import numpy as np

from ..compiled.interfaces import STEP
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from .base import Integrator, by_index, carried
from .block import CONTRACTION, FURTHER, MEMORY, interpolate, rows, solve_stages
from .coefficients import adams_weights, generalised_adams
from .dae import filtered, scaled_error

MOST = 9
THIRD, FIFTH, SEVENTH, NINTH = (generalised_adams(k, MOST) for k in (2, 4, 6, 8))


def _defects(method):
    """(4, s + 1): weights of Z, and of h y' at the start, in the difference of each order to the integral through all points."""
    last = np.array([[float(x / MOST) for x in adams_weights(k, MOST)[-1]] for k in (2, 4, 6, 8, MOST)])
    difference = last[:4] - last[4]
    at_start = difference[:, :1] + difference[:, 1:] @ method.start[:, None]
    return np.hstack([difference[:, 1:] @ method.slope, at_start])


DEFECTS = np.array([_defects(method) for method in (THIRD, FIFTH, SEVENTH, NINTH)])


@compiled
def scaled_defect(k, m, method, form, t, h, run, system, work):
    """The error that order 3 + 2 k would have had in the step made with `method`, the m-th; infinite if there is none."""
    if k < 0 or k > 3:
        return math.inf
    stages, n, shift = run.stages, run.levels.size, method.real / h
    first, last, _, slope, error, _ = rows(MOST, run)
    for i in range(n):
        total = DEFECTS[m, k, MOST] * h * first[i]
        for j in range(MOST):
            total += DEFECTS[m, k, j] * stages[j, i]
        slope[i] = last[i] - shift * total
    if filtered(form, t + h, run.y_new[:n], slope, error, run, system, work) != RUNNING:
        return math.inf
    return scaled_error(error, h, run.tolerance[0], run.tolerance[1], run)


@STEP
def gamd(form, t, h, run, system, work):
    """One block."""
    orders, order, adaptive = run.orders, int(run.options[0]), run.clock[7] == 0.0
    if order == 0:
        order = orders[1] if orders[1] > 0 and adaptive else 5
    orders[0], m = order, (order - 3) // 2
    method = THIRD if m == 0 else FIFTH if m == 1 else SEVENTH if m == 2 else NINTH
    relative, absolute, fixed = run.tolerance[0], run.tolerance[1], run.options[1]
    status = solve_stages(method, order, MOST, relative, absolute, fixed, form, t, h, run, system, work)
    if status == RUNNING and adaptive:
        run.error[0] = scaled_defect(m, m, method, form, t, h, run, system, work)
        for k in range(2):
            other = m + 2 * k - 1 if run.options[0] == 0.0 else -1
            run.error[1 + k] = scaled_defect(other, m, method, form, t, h, run, system, work)
        run.error[3] = run.memory[CONTRACTION]
    return status


GAMD = Integrator(
    name="gamd",
    title="Generalised Adams methods in blocks, orders 3, 5, 7, 9, implicit, adaptive",
    damps=True,
    accepts=("ResidualDae", "SemiExplicitDae"),
    order=9,
    orders={p: by_index((p, p, p), (p, p, p), (p, p, p - 1)) for p in (3, 5, 7, 9)},
    error_order=4,
    controller="one-step-order",
    step=gamd,
    interpolate=interpolate,
    references=("Iavernaro and Mazzia 1998, doi:10.1016/S0168-9274(98)00039-7",),
    stages=3 * MOST + FURTHER,
    memory=MEMORY,
    complex_matrices=4,
    options={"order": 0, "newton_tolerance": 1e-12},
    ranges={"order": (0, 3, 5, 7, 9), "newton_tolerance": (1e-15, 1e-4)},
    own=lambda row, i, n_q, _: f"{carried(2 if i >= n_q else 1)} of the last block",
)
