"""Index 3 as an augmented Lagrangian, with projections of velocities and accelerations after each step.

    M v' + G^T (lam* + kappa Phi) = f,   lam* <- lam* + kappa Phi,   q' = T(q) v

In Newton's method of the integrator this is the matrix [K^ G^T; G -1/kappa] with all rows, the multipliers taking over in each
iteration what the penalty has carried: one loop for both. Phi holds to the tolerance of Newton's method. Velocities and
accelerations are then moved by the smallest change in the mass metric onto G v = -Phi_t and G v' = gamma: all three levels hold,
and the multipliers belong to these accelerations. Redundant rows and singular positions need no choice of rows; of redundant
multipliers the part that exerts no force is taken out after each step. kappa is relative to natural sizes: a small one makes the
iteration slow near singular positions. For steps as large as accuracy allows, on loops with redundant rows.
Reference: Bayo and Ledesma, Nonlinear Dynamics 9 (1996) 113-130; Cuadrado, Cardenal and Bayo, Multibody System Dynamics 1
(1997) 259-280; spec 004, sections 1.7, 1.8.
"""

import math

import numpy as np

from ..compiled.interfaces import AFTER_STEP, MECHANICAL_FACTORISE, SHOWN, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import PROJECTION_FAILED, RUNNING
from ..linalg.factor import solve_symmetric
from ..linalg.kkt import evaluate, position_error
from ..linalg.soft_rows import factorise_soft, solve_soft
from .base import MECHANICAL_DAE, Formulation, Problem, position_scale, velocity_scale
from .corrections import normalise
from .mechanical import TORN, newton_correction, newton_matrix, residual
from .shown import approach

factorise_newton = newton_matrix.function
SOFTNESS = 2  # of work.options; 0 and 1 are those of mechanical.py
ROUNDS, TOLERANCE = (
    12,
    1e-6,
)  # of the projections, relative to their changes, which are as small as the error of the step


@MECHANICAL_FACTORISE
def penalised_matrix(c_v, c_q, scaled, softness, increment, system, work):
    """The Newton matrix of index 3 with at least 1/kappa on the diagonal of all multipliers. options[2]: 1/kappa."""
    return factorise_newton(c_v, c_q, scaled, max(softness, work.options[SOFTNESS]), increment, system, work)


@compiled
def shift(system, work, error, x):
    """x (n_v) moved by the smallest change in the mass metric that takes `error` (n_rows) off G x."""
    b, u, n_v = work.b, work.u, system.n_v
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = -error[i]
    solve_soft(system, work, 0.0, ROUNDS, TOLERANCE, b, u)
    for i in range(n_v):
        x[i] += u[i]


@compiled
def remove_idle(system, work, softness, lam):
    """Takes the part out of lam (n_rows) that exerts no force: (softness / (C + softness))^2 lam, C = G M^-1 G^T."""
    b, n_v, natural = work.b, system.n_v, system.row_diagonal
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = lam[i]
    for _ in range(2):
        for i in range(system.n_rows):
            b[n_v + 1 + i] *= -softness * natural[i]
        for i in range(n_v + 1):
            b[i] = 0.0
        solve_symmetric(work.kkt, b, b)
    for i in range(system.n_rows):
        lam[i] -= b[n_v + 1 + i]


@AFTER_STEP
def projected(t, y, purpose, system, work):
    """Velocities and accelerations onto their constraints; refuses a step after which positions do not hold."""
    n_q, n_v, softness = system.n_q, system.n_v, work.options[SOFTNESS]
    q, v, a, lam = y[:n_q], y[n_q : n_q + n_v], y[n_q + n_v : n_q + 2 * n_v], y[n_q + 2 * n_v + 1 :][: system.n_rows]
    g, g_row, g_column, gamma, error = work.g, system.g_row, system.g_column, work.gamma, work.lam
    if purpose == SHOWN:
        normalise(y, system)
        approach(t, q, v, 0.0, math.inf, system, work)
    evaluate(t, q, v, VELOCITY, system, work)
    if not position_error(system, work) <= TORN:
        return PROJECTION_FAILED
    factorise_soft(system, work, softness)
    shift(system, work, work.phi_dot, v)
    evaluate(t, q, v, VELOCITY, system, work)
    for i in range(system.n_rows):
        error[i] = -gamma[i]
    for e in range(g.size):
        if g_column[e] < n_v:
            error[g_row[e]] += g[e] * a[g_column[e]]
    shift(system, work, error, a)
    for i in range(system.n_rows):
        lam[i] += work.u[n_v + 1 + i]  # those of the projected accelerations
    if system.redundant:
        remove_idle(system, work, softness, lam)
    if purpose != SHOWN:
        work.tally[0] += 1
    return RUNNING


def mechanical(system, kappa=1e9):
    """The MechanicalDae form: y = [q, v, u] with u = [v', 0, lam]."""
    n_v, start = system.n_v, system.n_q + system.n_v
    unjudged = np.full(n_v + 1 + system.n_rows, np.inf)

    def initial(state, work):
        work.epsilon[:] = 0.0  # no row is left out
        return np.concatenate([state.q, state.v, state.a, [0.0], state.lam])

    return Problem(
        form=MECHANICAL_DAE,
        system=system,
        functions=(residual, penalised_matrix, newton_correction),
        after_step=projected,
        initial=initial,
        scale=np.concatenate([position_scale(system), velocity_scale(system), unjudged]),
        keep_a=start,
        keep_lam=start + n_v + 1,
        options=np.array([0.0, system.record.velocity_level.any(), 1.0 / kappa]),
    )


INDEX3_ALF = Formulation(
    name="index3-alf",
    title="Index 3 augmented Lagrangian with projections",
    index=3,
    forms={MECHANICAL_DAE: mechanical},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Bayo and Ledesma 1996, doi:10.1007/BF01833296", "Cuadrado, Cardenal and Bayo 1997"),
    options={"kappa": 1e9},
    ranges={"kappa": (1e2, 1e12)},
    cost="that of index3, and one symmetric factorisation for the projections",
)
