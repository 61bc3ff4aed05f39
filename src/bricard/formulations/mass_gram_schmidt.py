"""Orthonormal quasi-velocities in the mass metric: the reduced mass matrix is the identity.

    P = [G^T | E] = M W R,   W^T M W = 1,   v = W_d u + W_c eta,   R_c^T eta = -Phi_t
    u' = W_d^T f - S_dd u - S_dc eta,   q' = T v

E picks k coordinates whose directions lie best along the constraints: one after the other, the one with the largest share of its
length outside of what is spanned already. It is constant until the smallest share falls below half of the best that could be
had; then, after an accepted step, coordinates are picked anew and u changes to that of the new basis at the same v. Without
drivers the kinetic energy is u^T u / 2, and reactions need no matrix to be inverted: R_c lam = W_c^T f - R_c^-T gamma. Units do
not matter, because the metric is physical. Velocity constraints hold to round-off, also nonholonomic and rheonomic ones;
positions drift unless corrected. Dense, and every direction needs mass of its own.
When to use it: small mechanisms with nonholonomic rows or drivers, long runs, and wherever kinetic energy by u is wanted.
Reference: Blajer 1993 (Formulation of constrained system dynamics by orthonormalizing the configuration space); spec 002.
"""

import math

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import EXPAND, G_DOT, REBASE, RHS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import NO_COORDINATES, REBASED, RUNNING
from ..linalg.kkt import evaluate
from ..linalg.orthonormal import best_coordinates, to_metric
from ..system.regularise import natural_mass
from .base import ODE, Formulation
from .moving_frame import (
    FORCE,
    METRIC,
    NORMAL,
    PARTS,
    ROOM,
    ROWS,
    SCRATCH,
    SHARE,
    VECTORS,
    continued,
    keep_directions,
    mass_metric,
    normal_part,
    orthonormal_kinematics,
    orthonormal_rows,
    quasi_of,
    quasi_problem,
    quasi_state,
    refuse_nonlinear_rows,
    turning,
)
from .quasi_velocities import fill, freedom, no_coordinates, renew_rows, show

RECHOOSE = 0.5  # coordinates are picked anew below this part of the best share that could be had
LEAST = 1e-6  # a smallest share at which the coordinates cannot describe the motion


@RHS
def mass_gram_schmidt(t, y, y_dot, system, work):
    """y = [q, u] -> y' = [T v, u']."""
    n_q, n_v, n, f = system.n_q, system.n_v, work.basis.n, work.f
    status = quasi_state(t, y, True, system, work)
    if status == RUNNING and not continued(system, work):
        status = NO_COORDINATES
    if status != RUNNING:
        fill(y_dot, math.nan)
        return status
    evaluate(t, y[:n_q], work.basis.v, VELOCITY | G_DOT, system, work)
    for d in range(n.shape[0]):
        total = 0.0
        for i in range(n_v):
            total += n[d, i] * f[i]
        y_dot[n_q + d] = total
    turning(y[n_q:], True, system, work, y_dot[n_q:])
    orthonormal_kinematics(y, y_dot, system, work)
    return RUNNING


@EXPAND
def expand(t, y, q, v, system, work):
    """q and v of y."""
    return show(quasi_state(t, y, True, system, work), y, q, v, system, work)


@compiled
def best_choice(system, work):
    """Coordinates for E into work.basis.free, with the metric and G in work, and their smallest share. Overwrites the basis."""
    dense, k = work.basis.dense, work.basis.b.shape[0]
    m = orthonormal_rows(system, work)
    if m + k != system.n_v:
        return 0.0
    vectors, parts, order = dense[VECTORS], dense[PARTS], work.basis.free
    return best_coordinates(dense[METRIC], system.n_v, m, k, vectors, parts, dense[ROOM], dense[SCRATCH], order)


@compiled
def pick(work):
    """The rows of B: unit vectors of the coordinates in work.basis.free."""
    b, order = work.basis.b, work.basis.free
    for d in range(b.shape[0]):
        for c in range(b.shape[1]):
            b[d, c] = 1.0 if order[c] == d + 1 else 0.0


@REBASE
def pick_anew(t, y, system, work):
    """Other coordinates for E where they are clearly better, and u in the new basis."""
    n_q, basis, k = system.n_q, work.basis, work.basis.n.shape[0]
    renew_rows(t, y, system, work)
    status = quasi_state(t, y, True, system, work)
    if status != RUNNING:
        return status
    if not continued(system, work):
        return NO_COORDINATES
    keep_directions(system, work)
    share = basis.numbers[SHARE]
    best = best_choice(system, work)
    if best < LEAST:
        return NO_COORDINATES
    if share >= RECHOOSE * best:
        return RUNNING
    v = basis.dense[SCRATCH, FORCE]
    for i in range(system.n_v):
        v[i] = basis.v[i]
    pick(work)
    status = quasi_state(t, y, True, system, work)
    if status != RUNNING:
        return status
    quasi_of(v, y[n_q : n_q + k], system, work)
    keep_directions(system, work)
    return REBASED


@compiled
def multipliers(system, work):
    """work.lam from R_c lam = W_c^T f - R_c^-T gamma, with the basis in work and work evaluated at v; 0 in rows left out."""
    dense, n_v, n_rows, lam, epsilon = work.basis.dense, system.n_v, system.n_rows, work.lam, work.epsilon
    vectors, r, natural, m = dense[VECTORS], dense[PARTS], system.row_diagonal, int(work.basis.numbers[ROWS])
    parts, force = dense[SCRATCH, FORCE], dense[ROOM]
    normal_part(work.gamma, 1.0, system, work, parts, dense[SCRATCH, NORMAL])
    for i in range(n_v):
        force[0, i] = work.f[i]
    to_metric(dense[METRIC], n_v, force, 1)
    place = m
    for back in range(n_rows):
        i = n_rows - 1 - back
        lam[i] = 0.0
        if epsilon[i] <= natural[i]:
            place -= 1
            total = -parts[place]
            for c in range(n_v):
                total += vectors[place, c] * force[0, c]
            for later in range(place + 1, m):
                total -= r[later, place] * parts[later]
            parts[place] = total / r[place, place]
            lam[i] = parts[place]


def reactions(system, state):
    """The multipliers lam (n_rows,) at a consistent state, from the triangular factor alone; 0 in rows that depend on others."""
    problem = ode(system)
    work = problem.work(state)
    problem.initial(state, work)
    packed = pack(work)
    evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
    multipliers(system.compiled, packed)
    return work.lam.copy()


def ode(system, correction="mass", g1=None, g0=None):
    """The Ode form."""
    refuse_nonlinear_rows(system, "mass-gram-schmidt")
    k = freedom(system)

    def choose(state, work):
        packed = pack(work)
        evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
        if not mass_metric(system.compiled, packed) or best_choice(system.compiled, packed) < LEAST:
            raise no_coordinates(system, state, NO_COORDINATES)
        pick(packed)

    speed = system.length * math.sqrt(np.mean(natural_mass(system) * system.record.metric[:-1]))
    return quasi_problem(
        system,
        k,
        (mass_gram_schmidt, pick_anew, expand),
        choose,
        by_mass=True,
        speed=speed,
        correction=correction,
        gains=(g1, g0),
    )


MASS_GRAM_SCHMIDT = Formulation(
    name="mass-gram-schmidt",
    title="Orthonormal quasi-velocities in the mass metric",
    index=1,
    forms={ODE: ode},
    keeps=("velocity", "acceleration"),
    drifts=("position",),
    references=("Blajer 1993",),
    options={"g1": 20.0, "g0": 100.0},
    ranges={"g1": (0.0, math.inf), "g0": (0.0, math.inf)},
    corrections=("none", "least-squares", "mass", "augmented-lagrangian", "pi"),
    singular_mass=False,
    cost="dense: one orthonormalisation of n_v vectors, and its derivative",
)
