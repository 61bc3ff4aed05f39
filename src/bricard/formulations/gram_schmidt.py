"""Differentiable null space by Gram-Schmidt: all positions, independent quasi-velocities along an orthonormal basis.

    P = [G^T | B^T] = V R,   v = V_I u + V_D eta,   R_D^T eta = -Phi_t
    (V_I^T M V_I) a = V_I^T (f - M V_D b),   R_D^T b = gamma,   u' = a - S_dd u - S_dc eta,   q' = T v

V = [V_D V_I] is orthonormal in scaled columns and unique for given B, so that it is differentiable; its derivative is analytic.
For scleronomic rows this is V_I^T M V_I u' = V_I^T f - V_I^T M V_I' u. Velocity constraints hold to round-off, also nonholonomic
and rheonomic ones; positions drift at the accuracy of the integrator unless corrected. After an accepted step, when a direction
has turned by 45 degrees from its row of B, B becomes V_I^T (`rebase="on weakness"`). That does not change u, but u' if there are
several, so multistep methods start anew. With "always" it happens after each step: no choice of coordinates is left over, but
multistep methods never have a past; that is for one-step methods. With "never" the first B has to last. The first B
comes from the user's `independent` velocities (indices), or from LU or SVD of G (`basis`). Dense: for systems of moderate size.
Reference: Liang and Lance, J. Mech. Trans. Automation 109 (1987) 405-411; spec 000, section 2.6.
"""

import math

import numpy as np

from ..compiled.interfaces import EXPAND, G_DOT, REBASE, RHS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import NO_COORDINATES, REBASED, RUNNING, SINGULAR
from ..errors import IncompatibleMethods
from ..linalg.full_pivot_lu import full_pivot_lu
from ..linalg.kkt import evaluate, multiply_mass
from ..linalg.null_space import svd
from ..linalg.orthonormal import cholesky, from_metric, to_metric
from .base import ODE, Formulation, picked
from .moving_frame import (
    FORCE,
    KEPT,
    NORMAL,
    ROOM,
    SCRATCH,
    SHARE,
    continued,
    keep_directions,
    normal_part,
    orthonormal_kinematics,
    quasi_problem,
    quasi_state,
    refuse_nonlinear_rows,
    turning,
)
from .quasi_velocities import REBASES, fill, freedom, renew_rows, show

NEVER, ON_WEAKNESS, ALWAYS = range(3)
REBASE_NAMES = ("never", "on weakness", "always")
WEAK = 0.5  # squared cosine of 45 degrees


@compiled
def projected(system, work, a):
    """(V_I^T M V_I) a = V_I^T (f - M V_D b), R_D^T b = gamma. False where the motion has no inertia."""
    n_v, n, dense, f, b, e = system.n_v, work.basis.n, work.basis.dense, work.f, work.b, work.e
    mass, force, k = dense[ROOM], dense[SCRATCH, FORCE], n.shape[0]
    normal_part(work.gamma, 1.0, system, work, force, dense[SCRATCH, NORMAL])
    for i in range(n_v):
        b[i] = dense[SCRATCH, NORMAL, i]
    b[n_v] = 0.0
    multiply_mass(system, work, b, e)
    for i in range(n_v):
        force[i] = f[i] - e[i]
    for d in range(k):
        for i in range(n_v):
            b[i] = n[d, i]
        multiply_mass(system, work, b, e)
        right = 0.0
        for i in range(n_v):
            right += n[d, i] * force[i]
        a[d] = right
        for c in range(d + 1):
            total = 0.0
            for i in range(n_v):
                total += n[c, i] * e[i]
            mass[d, c] = total
    if not cholesky(mass, k):
        return False
    right = a[:k].reshape(1, k)
    to_metric(mass, k, right, 1)
    from_metric(mass, k, right, 1)
    return True


@RHS
def gram_schmidt(t, y, y_dot, system, work):
    """y = [q, u] -> y' = [T v, u']."""
    n_q = system.n_q
    status = quasi_state(t, y, False, system, work)
    if status == RUNNING and not continued(system, work):
        status = NO_COORDINATES
    if status != RUNNING:
        fill(y_dot, math.nan)
        return status
    evaluate(t, y[:n_q], work.basis.v, VELOCITY | G_DOT, system, work)
    regular = projected(system, work, y_dot[n_q:])
    turning(y[n_q:], False, system, work, y_dot[n_q:])
    orthonormal_kinematics(y, y_dot, system, work)
    return RUNNING if regular else SINGULAR


@EXPAND
def expand(t, y, q, v, system, work):
    """q and v of y."""
    return show(quasi_state(t, y, False, system, work), y, q, v, system, work)


@REBASE
def follow_basis(t, y, system, work):
    """B := V_I^T, if the option `rebase` says so."""
    renew_rows(t, y, system, work)
    status = quasi_state(t, y, False, system, work)
    if status != RUNNING:
        return status
    if not continued(system, work):
        return NO_COORDINATES
    keep_directions(system, work)
    basis, mode = work.basis, int(work.options[REBASES])
    if mode == ALWAYS or (mode == ON_WEAKNESS and basis.numbers[SHARE] < WEAK):
        for d in range(basis.b.shape[0]):
            for c in range(system.n_v):
                basis.b[d, c] = basis.dense[KEPT, d, c]
        if basis.b.shape[0] > 1:  # a single direction is the same for any B, and so is u'
            return REBASED
    return RUNNING


def chosen_rows(system, state, work, basis):
    """The first B (k, n_v) by LU or SVD of G in scaled rows and columns."""
    record, used = system.record, work.epsilon <= system.record.row_diagonal
    root = np.sqrt(record.metric[:-1])
    g = system.jacobian(state.t, state.q, state.v).toarray()[used] * record.row_scale[used, None] * root
    if basis == "svd":
        return svd(g)[:, len(g) :].T / root
    return np.eye(system.n_v)[full_pivot_lu(g).independent]


def ode(system, correction="mass", independent=None, basis="lu", rebase="on weakness", g1=None, g0=None):
    """The Ode form."""
    refuse_nonlinear_rows(system, "gram-schmidt")
    k = freedom(system)
    if rebase not in REBASE_NAMES:
        raise IncompatibleMethods(f'rebase is {rebase!r}; it must be one of "on weakness", "always", "never".')
    if basis not in ("lu", "svd"):
        raise IncompatibleMethods(f'basis is {basis!r}; it must be "lu" or "svd".')
    if independent is not None:
        independent = picked(independent, k, system)

    def choose(state, work):
        rows = np.eye(system.n_v)[independent] if independent is not None else chosen_rows(system, state, work, basis)
        work.basis.b[:] = rows[:k]

    return quasi_problem(
        system,
        k,
        (gram_schmidt, follow_basis, expand),
        choose,
        by_mass=False,
        speed=system.length,
        correction=correction,
        gains=(g1, g0),
        options=(REBASE_NAMES.index(rebase),),
    )


GRAM_SCHMIDT = Formulation(
    name="gram-schmidt",
    title="Differentiable null space by Gram-Schmidt, quasi-velocities",
    index=1,
    forms={ODE: ode},
    keeps=("velocity", "acceleration"),
    drifts=("position",),
    references=("Liang and Lance 1987", "Agrawal and Saigal 1989"),
    options={"independent": None, "basis": "lu", "rebase": "on weakness", "g1": 20.0, "g0": 100.0},
    ranges={"g1": (0.0, math.inf), "g0": (0.0, math.inf)},
    corrections=("none", "least-squares", "mass", "augmented-lagrangian", "pi"),
    cost="dense: one orthonormalisation of n_v vectors, and its derivative",
)
