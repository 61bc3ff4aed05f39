"""The general projection method in independent velocities, also known as Maggi's equations: all positions, u = B v.

    B v = u,  G v = -Phi_t      ->  v = N u + v_0,  G N = 0,  B N = 1
    N^T M (N u' + v_0' + N' u) = N^T f,   q' = T v

B picks k of the velocities (scaled, so that all u have the unit of a translation), by full pivoting in G: the others are then
best determined by the constraints. It is constant until the share det(G_d W G_d^T) / det(G W G^T) of the columns of the dependent
velocities falls below a tenth of its value at the choice; then, after an accepted step, velocities are picked anew and u changes
with them. N is never formed: v comes from the sparse symmetric system [W^-1 G^T; G 0], in which the velocities that are picked
weigh so much that they hardly move, in a few iterations; so nonholonomic rows need not be linear in v. u' = B v' comes from the
KKT matrix, which is the projected equation together with its multipliers, those of spec 000, eq. (A3). Velocity constraints
hold to round-off, holonomic and nonholonomic, rheonomic and scleronomic ones alike; positions drift unless corrected. Sparse,
so also for large systems.
When to use it: large mechanisms and chains with nonholonomic rows, where velocity constraints must hold without a correction.
Reference: Maggi 1901; Blajer 1992; spec 000, section 2.7.
"""

import math

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import CORRECTION, EXPAND, REBASE, RHS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.records import NO_BASIS
from ..compiled.status import NO_COORDINATES, NOT_FINITE, RENEW, RUNNING
from ..linalg.factor import factorise_symmetric, failure, solve_symmetric
from ..linalg.full_pivot_lu import full_pivot_lu
from ..linalg.kkt import evaluate, evaluated_accelerations, solve_kkt
from .base import ODE, Formulation, Problem, position_scale
from .corrections import CORRECTIONS
from .quasi_velocities import (
    FED_BACK,
    corrected_quasi,
    feedback_numbers,
    fill,
    freedom,
    kinematic_equations,
    no_coordinates,
    position_errors,
    renew_rows,
    show,
    use_rows,
)

ITERATIONS = 12
HEAVY = 1e7  # weight of the velocities that are picked, in the solution for the others
TIGHT, ACCEPTABLE = (
    1e-14,
    1e-11,
)  # velocity error, of the largest velocity: aim, and what is accepted when it falls no longer
LEAST = math.log(
    1e-6
)  # share of the constraints' determinant, per velocity that is picked, with which it can be done at all
RECHOOSE = math.log(0.1)  # of the share at the choice, at which to choose anew
K, NONHOLONOMIC, REFERENCE = range(3)  # of work.basis.numbers


@compiled
def factorise_weighted(heavy, system, work):
    """Factors of [W^-1, G^T; G, 0] with the G in work, the velocities that are picked being so much heavier; rows that are left
    out are passed over. False where a pivot vanishes. The report of the KKT matrix stays what it was."""
    a, g, g_row, g_upper = work.kkt.a, work.g, system.g_row, system.g_upper
    n_v, free, diagonal, metric = system.n_v, work.basis.free, system.diagonal_slot, system.metric
    epsilon, natural, report = work.epsilon, system.row_diagonal, work.kkt.report
    weak, first, vanished = report[0], report[1], report[2]
    for i in range(a.size):
        a[i] = 0.0
    for e in range(g.size):
        if epsilon[g_row[e]] <= natural[g_row[e]]:
            a[g_upper[e]] += g[e]
    for i in range(n_v):
        a[diagonal[i]] = (heavy if free[i] > 0 else 1.0) / metric[i]
    for i in range(system.n_rows):
        if epsilon[i] > natural[i]:
            a[diagonal[n_v + 1 + i]] = -1.0
    regular = factorise_symmetric(work.kkt)
    report[0], report[1], report[2] = weak, first, vanished
    return regular


@compiled
def share_of_dependent(system, work):
    """Logarithm of det(G_d W G_d^T) / det(G W G^T) with the G in work, a share from 0 to 1: how well constraints determine the
    velocities that are not picked. 1 / HEAVY at least; a product over all that are picked, so it can be tiny."""
    a, diagonal, n_v = work.kkt.a, system.diagonal_slot, system.n_v
    total = -work.basis.numbers[K] * math.log(HEAVY)
    for sign, heavy in ((1.0, HEAVY), (-1.0, 1.0)):
        if not factorise_weighted(heavy, system, work):
            return -math.inf
        for i in range(n_v + 1 + system.n_rows):
            if i != n_v:
                total -= sign * math.log(abs(a[diagonal[i]]))  # inverse pivots
    return total


@compiled
def residual_of(system, work):
    """Largest scaled |G v + Phi_t| of the rows in use, and the size of the velocities in work.basis."""
    v, phi_dot, phi_t, scale, metric = work.basis.v, work.phi_dot, work.phi_t, system.row_scale, system.metric
    epsilon, natural, error, size = work.epsilon, system.row_diagonal, 0.0, 0.0
    for i in range(system.n_rows):
        if epsilon[i] <= natural[i]:
            value = abs(phi_dot[i]) * scale[i]
            if value > error or value != value:  # a NaN passes too, and stays
                error = value
            size = max(size, abs(phi_t[i]) * scale[i])
    for i in range(system.n_v):
        size = max(size, abs(v[i]) / (math.sqrt(metric[i]) * system.length))
    return error, size


@compiled
def step_velocities(system, work):
    """work.basis.v moved towards G v = -Phi_t, those that are picked being kept; phi_dot follows as if the rows were linear."""
    v, free, b, u, n_v, phi_dot = work.basis.v, work.basis.free, work.b, work.u, system.n_v, work.phi_dot
    g, g_row, g_column, epsilon, natural = work.g, system.g_row, system.g_column, work.epsilon, system.row_diagonal
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = -phi_dot[i] if epsilon[i] <= natural[i] else 0.0
    solve_symmetric(work.kkt, b, u)
    for i in range(n_v):
        if free[i] > 0:
            u[i] = 0.0
        v[i] += u[i]
    for i in range(system.n_rows):
        phi_dot[i] = work.phi_t[i]
    for e in range(g.size):
        if g_column[e] < n_v:
            phi_dot[g_row[e]] += g[e] * v[g_column[e]]


@compiled
def settle_velocities(t, y, system, work):
    """work.basis.v of the u in y; ends with work evaluated there."""
    basis, n_q, n_v = work.basis, system.n_q, system.n_v
    v, free, metric, before, status, factorised = basis.v, basis.free, system.metric, math.inf, NO_COORDINATES, False
    if basis.numbers[K] == 0.0:  # without freedom v tends to zero, and an error relative to v never becomes small
        fill(v, 0.0)
    for i in range(n_v):
        if free[i] > 0:
            v[i] = y[n_q + free[i] - 1] * math.sqrt(metric[i])
    evaluate(t, y[:n_q], v, VELOCITY, system, work)
    for _ in range(ITERATIONS + 1):
        error, size = residual_of(system, work)
        if not error < math.inf:
            status = NOT_FINITE
            break
        if error <= TIGHT * size or (error <= ACCEPTABLE * size and error > 0.5 * before):
            status = RUNNING
            break
        if not factorised or error > 0.1 * before:
            factorised = factorise_weighted(HEAVY, system, work)
            if not factorised:
                break
        step_velocities(system, work)
        if basis.numbers[NONHOLONOMIC] > 0.0:  # these rows need not be linear in v
            evaluate(t, y[:n_q], v, VELOCITY, system, work)
        before = error
    # rows that are not linear in v need not have a gradient at v = 0: after a failure the next search begins as this one
    for i in range(n_v):
        if status == RUNNING:
            basis.increment[i] = v[i]
        else:
            v[i] = basis.increment[i]
    if status == RUNNING and basis.numbers[NONHOLONOMIC] == 0.0:
        evaluate(t, y[:n_q], v, VELOCITY, system, work)
    return status


@RHS
def general_projection(t, y, y_dot, system, work):
    """y = [q, u] -> y' = [T v, B v']."""
    n_q, n_v, free, metric, u, b = system.n_q, system.n_v, work.basis.free, system.metric, work.u, work.b
    k = int(work.basis.numbers[K])
    status = settle_velocities(t, y, system, work)
    if status != RUNNING:
        fill(y_dot, math.nan)
        return status
    regular = evaluated_accelerations(system, work)
    for i in range(n_v):
        if free[i] > 0:
            y_dot[n_q + free[i] - 1] = u[i] / math.sqrt(metric[i])
    if work.options[FED_BACK] > 0.0:
        fill(b, 0.0)
        position_errors(y, k, system, work, b[n_v + 1 :])
        solve_kkt(system, work, b, u)
    kinematic_equations(y, k, u, y_dot, system, work)
    return RUNNING if regular else failure(work.kkt)


@EXPAND
def expand(t, y, q, v, system, work):
    """q and v of y. The next search begins where it would have begun anyway: showing a state changes nothing."""
    before = work.basis.v.copy()
    status = show(settle_velocities(t, y, system, work), y, q, v, system, work)
    if status == RUNNING:
        work.basis.v[:] = before
    return status


@REBASE
def watch(t, y, system, work):
    """Whether velocities have to be picked anew."""
    changed = renew_rows(t, y, system, work)
    status = settle_velocities(t, y, system, work)
    if status != RUNNING:
        return status
    share = share_of_dependent(system, work)
    return RENEW if changed or not share > RECHOOSE + work.basis.numbers[REFERENCE] else RUNNING


def pick(system, t, q, v, work):
    """Choose the velocities that B picks, at a state; False where the rows in use do not determine the others."""
    record, packed, k = system.record, pack(work), int(work.basis.numbers[K])
    evaluate(t, q, v, VELOCITY, system.compiled, packed)
    used = work.epsilon <= record.row_diagonal
    g = np.zeros((system.n_rows, system.n_v + 1))
    np.add.at(g, (record.g_row.astype(int), record.g_column.astype(int)), work.g)
    factors = full_pivot_lu(g[used, :-1] * record.row_scale[used, None] * np.sqrt(record.metric[:-1]))
    if not np.isfinite(g).all() or used.sum() != system.n_v - k or factors.rank != used.sum():
        return False
    work.basis.free[:] = 0
    work.basis.free[factors.independent] = np.arange(1, k + 1)
    work.basis.numbers[REFERENCE] = share_of_dependent(system.compiled, packed)
    return work.basis.numbers[REFERENCE] > LEAST * max(k, 1)


def independent_velocities(system, work, v):
    """u (k,) of v (n_v,), with the velocities in work.basis."""
    picked = np.argsort(work.basis.free)[system.n_v - int(work.basis.numbers[K]) :]
    return v[picked] / np.sqrt(system.record.metric[picked])


def ode(system, correction="mass", g1=None, g0=None):
    """The Ode form."""
    k, gains = freedom(system), feedback_numbers(correction, g1, g0)
    extra = system.n_rows if gains[FED_BACK] else 0

    def initial(state, work):
        work.basis.numbers[K], work.basis.numbers[NONHOLONOMIC] = k, system.record.velocity_level.sum()
        use_rows(system, state, work, k)
        if not pick(system, state.t, state.q, state.v, work):
            raise no_coordinates(system, state, NO_COORDINATES)
        work.basis.v[:] = work.basis.increment[:-1] = state.v
        return np.concatenate([state.q, independent_velocities(system, work, state.v), np.zeros(extra)])

    def renew(t, y, work):
        v = work.basis.v.copy()
        if not pick(system, t, y[: system.n_q].copy(), v, work):
            return NO_COORDINATES
        y[system.n_q : system.n_q + k] = independent_velocities(system, work, v)
        return RUNNING

    return Problem(
        form=ODE,
        system=system,
        functions=(general_projection,),
        initial=initial,
        scale=np.concatenate(
            [position_scale(system), np.full(k, system.length), (1.0 / system.record.row_scale)[:extra]]
        ),
        after_step=corrected_quasi,
        rebase=watch,
        expand=expand,
        renew=renew,
        hooks={CORRECTION: CORRECTIONS[correction]},
        basis=NO_BASIS._replace(
            free=np.zeros(system.n_v, np.uint32),
            v=np.zeros(system.n_v),
            increment=np.zeros(system.n_v + 1),  # v of the last search that has succeeded
            numbers=np.zeros(8),
        ),
        options=np.array(gains, float),
    )


GENERAL_PROJECTION = Formulation(
    name="general-projection",
    title="General projection method (Maggi's equations), quasi-velocities",
    index=1,
    forms={ODE: ode},
    keeps=("velocity", "acceleration"),
    drifts=("position",),
    references=("Maggi 1901", "Blajer 1992"),
    options={"g1": 20.0, "g0": 100.0},
    ranges={"g1": (0.0, math.inf), "g0": (0.0, math.inf)},
    corrections=("none", "least-squares", "mass", "augmented-lagrangian", "pi"),
    aliases=("maggi",),
    cost="sparse: two factorisations of the size of the KKT matrix",
)
