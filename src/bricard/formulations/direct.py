"""The direct formulations: multipliers stay among the unknowns, constraints are imposed at one level or at two.

    q' = T(q) (v + W G^T mu),   M v' + G^T lam = f,   rows = 0   [, Phi = 0]

The rows are Phi (level 0, index 3), G v + Phi_t (level 1, index 2) or G v' - gamma (level 2, index 1); nonholonomic rows
A v + a have no position level. The stabilised forms have rows at level 1, Phi = 0 besides, and the further multipliers mu, which
vanish for the exact solution; W is 1 for translations and 1/length^2 for turns, so that units do not matter. In the integrated
form the unknowns are sigma and kappa, with lam = sigma', mu = kappa'. All of that is data here: the files index1, index2, index3,
ggl and si1 say which they take. Two forms of the same equations:

    ResidualDae      y = [q, v, lam (, mu)]       F(t, y, y') = 0
    SemiExplicitDae  y = [q, v, w, lam (, mu)]    H y' = F(t, y), accelerations w = v' as unknowns, H = diag(1, 1, 0, 0 (, 0))

Reference: spec 003, sections 1, 2 and 8; Hairer and Wanner, Solving ODEs II (1996), section VII.1.
"""

import math

import numpy as np

from ..compiled.interfaces import (
    CORRECTION,
    DAE_JACOBIAN,
    DAE_RESIDUAL,
    G_DOT,
    KINEMATICS,
    MAP,
    RATE,
    REBASE,
    REFRESH,
    RHS,
    RHS_JACOBIAN,
    TANGENT,
    VELOCITY,
)
from ..compiled.pointers import compiled
from ..compiled.status import REBASED, RUNNING
from ..linalg.kkt import (
    COUNT,
    LEAVE,
    add_reaction,
    evaluate,
    evaluated_accelerations,
    kinetic_energy,
    multiply_mass,
    project_position,
    project_velocity,
    rows_left_out,
    select_rows,
)
from ..system.chain_rule import chain_rule
from .base import RESIDUAL_DAE, SEMI_EXPLICIT_DAE, Problem, position_scale, velocity_scale
from .corrections import CORRECTIONS, corrected_state
from .shown import held, note_held

call_kinematics, call_map = KINEMATICS.call, MAP.call
# of work.options: the level of the rows; 1 where there is mu; where y holds integrals of the multipliers; where it holds w
LEVEL, STABILISED, INTEGRATED, ACCELERATED = range(4)
# After Newton's method has failed, rows whose pivots fall below CLOSE times the limit of weak ones, up to PASSING of them, are
# left out for a few steps: stages on both sides of a singular position cannot be solved together. The rows are chosen anew after
# every step, so that they come back at once.
PASSING, CLOSE = 8, 0.01
CLOSED, ITERATIONS = 1e-12, 6  # of rows that are closed on purpose: gap, iterations
SOFT = 1e-10  # epsilon in Newton's method, relative; larger values slow it down close to singular positions


@compiled
def constraint_rows(r, first, system, work):
    """r[first:] = Phi, G v + Phi_t or G v' - gamma, by the level in work.options, with v' in work.u; work is evaluated."""
    level, velocity_level, u = int(work.options[LEVEL]), system.velocity_level, work.u
    phi, phi_dot, gamma, g, g_row, g_column = work.phi, work.phi_dot, work.gamma, work.g, system.g_row, system.g_column
    for i in range(system.n_rows):
        r[first + i] = -gamma[i] if level == 2 else phi_dot[i] if level == 1 or velocity_level[i] else phi[i]
    if level == 2:
        for e in range(g.size):
            r[first + g_row[e]] += g[e] * u[g_column[e]]


@compiled
def equations(t, q, v, a, lam, mu, r, o_a, o_l, system, work):
    """r = T (v + W G^T mu); from o_a on M a + G^T lam - f; from o_l on the constraint rows; behind them -Phi, one for each mu.

    The sign of the last makes the pivots of both kinds of multipliers negative. The mu of nonholonomic rows is set to zero.
    """
    n_v, n_rows, b, u, e, f = system.n_v, system.n_rows, work.b, work.u, work.e, work.f
    velocity_level, phi, metric = system.velocity_level, work.phi, system.metric
    evaluate(t, q, v, VELOCITY, system, work)
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(mu.size):
        e[i] = 0.0 if velocity_level[i] else mu[i]
    if mu.size > 0:
        add_reaction(system, work, e, 0, b)
    for i in range(n_v):
        b[i] = v[i] + metric[i] * b[i]
        u[i] = a[i]
    u[n_v] = 0.0
    call_kinematics(system.methods[2], q, b, r, system, work)
    multiply_mass(system, work, u, e)
    add_reaction(system, work, lam, 0, e)
    for i in range(n_v):
        r[o_a + i] = e[i] - f[i]
    constraint_rows(r, o_l, system, work)
    for i in range(mu.size):
        r[o_l + n_rows + i] = -mu[i] if velocity_level[i] else -phi[i]


@compiled
def derivatives(t, q, v, a, lam, j, n, system, work):
    """j[n:] = entries of the derivatives of [q' - T (v + W G^T mu), the rest of `equations`], in the order of `pattern`.

    Last come those in a = v', before them those in the multipliers. Terms with mu, which vanishes, and derivatives of gamma in q
    are left out: Newton's method hardly feels them. Directions without mass get the added mass.
    """
    n_v, n_rows, u, lam_, level = system.n_v, system.n_rows, work.u, work.lam, int(work.options[LEVEL])
    for i in range(n_v):
        u[i] = a[i]
    for i in range(n_rows):
        lam_[i] = lam[i]
    evaluate(t, q, v, VELOCITY | TANGENT | RATE | REFRESH | (G_DOT if level == 2 else 0), system, work)
    call_map(system.methods[3], q, v, system, work)
    g, k, d, m, added, rate, g_dot = work.g, work.k, work.d, work.m, work.added, work.rate, work.g_dot
    tm, ti, tq = work.t, work.t_inverse, work.tq
    metric, velocity_level, g_row, g_column = system.metric, system.velocity_level, system.g_row, system.g_column
    gq_entry, gq_map, kq_entry, kq_map = system.gq_entry, system.gq_map, system.kq_entry, system.kq_map
    for e in range(tq.size):
        j[n + e] = -tq[e]
    n += tq.size
    for e in range(tm.size):
        j[n + e] = -tm[e]
    n += tm.size
    for e in range(d.size):
        j[n + e] = d[e]
    n += d.size
    for p in range(kq_entry.size):
        j[n + p] = k[kq_entry[p]] * ti[kq_map[p]]
    n += kq_entry.size
    for p in range(gq_entry.size):  # constraint rows in q
        e = gq_entry[p]
        j[n + p] = (rate[e] if level == 1 or velocity_level[g_row[e]] else g[e]) * ti[gq_map[p]]
    n += gq_entry.size
    for e in range(g.size):  # constraint rows in v; -gamma = dG/dt v + ...
        j[n + e] = rate[e] + g_dot[e] if level == 2 else g[e]
    n += g.size
    epsilon, natural = work.epsilon, system.row_diagonal
    if work.options[STABILISED]:
        for p in range(gq_entry.size):
            j[n + p] = 0.0 if velocity_level[g_row[gq_entry[p]]] else -g[gq_entry[p]] * ti[gq_map[p]]
        n += gq_entry.size
        for p in range(gq_entry.size):
            e = gq_entry[p]
            j[n + p] = 0.0 if velocity_level[g_row[e]] else -g[e] * metric[g_column[e]] * tm[gq_map[p]]
        n += gq_entry.size
        for i in range(n_rows):
            j[n + i] = -1.0 if velocity_level[i] else -epsilon[i] if epsilon[i] > natural[i] else 0.0
        n += n_rows
    for e in range(g.size):
        j[n + e] = g[e]
    n += g.size
    for i in range(n_rows):  # rows that are left out keep their multiplier
        j[n + i] = -epsilon[i] if epsilon[i] > natural[i] else 0.0
    n += n_rows
    for e in range(g.size):
        j[n + e] = g[e] if level == 2 else 0.0
    n += g.size
    for e in range(m.size):
        j[n + e] = m[e] + added[e]


@DAE_RESIDUAL
def residual(t, y, yp, r, system, work):
    """F = [q' - T (v + W G^T mu), M v' + G^T lam - f, rows (, -Phi)]."""
    n_q, o_l, o_m = system.n_q, system.n_q + system.n_v, system.n_q + system.n_v + system.n_rows
    end = o_m + (system.n_rows if work.options[STABILISED] else 0)
    z = yp if work.options[INTEGRATED] else y
    equations(t, y[:n_q], y[n_q:o_l], yp[n_q:o_l], z[o_l:o_m], z[o_m:end], r, n_q, o_l, system, work)
    for i in range(n_q):
        r[i] = yp[i] - r[i]
    return RUNNING


@DAE_JACOBIAN
def jacobian(t, y, yp, jy, jp, system, work):
    """Entries of dF/dy and dF/dy': first q' itself, then `derivatives`."""
    n_q, n_v, n_rows = system.n_q, system.n_v, system.n_rows
    o_l, o_m = n_q + n_v, n_q + n_v + n_rows
    z = yp if work.options[INTEGRATED] else y
    derivatives(t, y[:n_q], y[n_q:o_l], yp[n_q:o_l], z[o_l:o_m], jy, n_q, system, work)
    first = jy.size - system.g_row.size - system.m_row.size  # of the derivatives in v'
    if work.options[INTEGRATED]:
        first -= system.g_row.size + n_rows + (system.gq_entry.size + n_rows if work.options[STABILISED] else 0)
    for e in range(jy.size):
        jp[e] = 0.0
    for i in range(n_q):
        jy[i], jp[i] = 0.0, 1.0
    for e in range(first, jy.size):
        jy[e], jp[e] = 0.0, jy[e]
    return RUNNING


@RHS
def right_hand_side(t, y, r, system, work):
    """F = [T (v + W G^T mu), w, f - M w - G^T lam, -rows (, Phi)]."""
    n_q, o_w, o_l = system.n_q, system.n_q + system.n_v, system.n_q + 2 * system.n_v
    o_m = o_l + system.n_rows
    end = o_m + (system.n_rows if work.options[STABILISED] else 0)
    equations(t, y[:n_q], y[n_q:o_w], y[o_w:o_l], y[o_l:o_m], y[o_m:end], r, o_w, o_l, system, work)
    for i in range(system.n_v):
        r[n_q + i] = y[o_w + i]
    for i in range(o_w, end):
        r[i] = -r[i]
    return RUNNING


@RHS_JACOBIAN
def right_hand_jacobian(t, y, jy, system, work):
    """Entries of dF/dy: first v' = w, then `derivatives`."""
    n_q, n_v, o_w, o_l = system.n_q, system.n_v, system.n_q + system.n_v, system.n_q + 2 * system.n_v
    derivatives(t, y[:n_q], y[n_q:o_w], y[o_w:o_l], y[o_l : o_l + system.n_rows], jy, n_v, system, work)
    for e in range(jy.size):
        jy[e] = 1.0 if e < n_v else -jy[e]
    return RUNNING


@compiled
def meet_rows(t, q, v, system, work):
    """q, v and work.u = [v', 0, lam] that meet the rows just selected.

    Rows that come back gape: closed by the next step, they would look like a force. Those that go must not keep a multiplier,
    which is a force too where they do not depend on the others exactly. The energy of what is taken out of v goes back into the
    motion, unless rows depend on time: methods that keep the energy would lose a little at each exchange of rows.
    """
    project_position(t, q, v, CLOSED, ITERATIONS, system, work)
    before, still = kinetic_energy(v, work.e, system, work), True
    project_velocity(system, work, v)
    after = kinetic_energy(v, work.e, system, work)
    for i in range(system.n_rows):
        still = still and work.phi_t[i] == 0.0
    if still and after > 0.0:
        for i in range(system.n_v):
            v[i] *= math.sqrt(before / after)
    evaluate(t, q, v, VELOCITY, system, work)
    evaluated_accelerations(system, work)
    for i in range(system.n_rows):
        if work.epsilon[i] > system.row_diagonal[i]:
            work.u[system.n_v + 1 + i] = 0.0


@REBASE
def choose_rows(t, y, system, work):
    """Independent rows anew after every step; close to a singular position some are left out until it is passed.

    Rows that are exchanged are met at once where the method holds velocities, too. In index 3 these are off the rows by the error
    of a step, which is not to be taken out of the motion.
    """
    n_q, n_v, before = system.n_q, system.n_v, rows_left_out(system, work)
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    note_held(system, work)
    always = work.left_out[COUNT]
    if work.left_out[LEAVE] > 0:
        work.left_out[COUNT] += PASSING
        work.left_out[LEAVE] -= 1
    select_rows(system, work, CLOSE)
    work.left_out[COUNT] = always
    if rows_left_out(system, work) == before:
        return RUNNING
    held = work.options[LEVEL] > 0.0 or work.options[STABILISED] == 1.0
    if (held or work.play[0] > 0.0) and not work.options[INTEGRATED]:
        meet_rows(t, y[:n_q], y[n_q : n_q + n_v], system, work)
        o_l = n_q + n_v
        if work.options[ACCELERATED]:
            o_l += n_v
            for i in range(n_v):
                y[n_q + n_v + i] = work.u[i]
        for i in range(system.n_rows):
            y[o_l + i] = work.u[n_v + 1 + i]
    return REBASED


def pattern(r, level, stabilised, o_a, o_l):
    """Rows and columns of the entries that `derivatives` writes, in its order; -1: no place, or always zero."""
    o_v, o_m = r.n_q, o_l + r.n_rows

    def whole(values):
        return np.asarray(values, np.int64)

    def moving(columns, offset):
        return np.where(whole(columns) < r.n_v, offset + whole(columns), -1)

    g_row, t_row, rows = whole(r.g_row), whole(r.t_row), np.arange(r.n_rows)
    levels = np.maximum(level, whole(r.velocity_level))[g_row]  # of each entry of G
    in_q, along_q = g_row[r.gq_entry], t_row[r.gq_map]
    parts = [
        (whole(r.tq_row), whole(r.tq_column)),
        (t_row, moving(r.t_column, o_v)),
        (moving(r.d_row, o_a), moving(r.d_column, o_v)),
        (moving(whole(r.k_row)[r.kq_entry], o_a), t_row[r.kq_map]),
        (np.where(levels[r.gq_entry] < 2, o_l + in_q, -1), along_q),
        (np.where(levels > 0, o_l + g_row, -1), moving(r.g_column, o_v)),
    ]
    if stabilised:
        parts += [(o_m + in_q, along_q), (along_q, o_m + in_q), (o_m + rows, o_m + rows)]
    parts += [
        (moving(r.g_column, o_a), o_l + g_row),
        (o_l + rows, o_l + rows),
        (np.where(levels == 2, o_l + g_row, -1), moving(r.g_column, o_a)),
        (moving(r.m_row, o_a), moving(r.m_column, o_a)),
    ]
    rows_of, columns_of = zip(*parts, strict=True)
    return np.concatenate(rows_of), np.concatenate(columns_of)


def nodes(system, offsets, multipliers):
    """The nodes of system.nodes with what belongs to them in y: q, and v (and w) at `offsets`; multipliers at theirs."""
    r = system.record
    positions = {column: [] for column in range(r.n_v)}
    for row, column in zip(r.t_row.tolist(), r.t_column.tolist(), strict=True):
        positions[column].append(row)
    result = []
    for is_constraint, unknowns in system.nodes:
        if is_constraint:
            result.append((True, np.concatenate([o + unknowns - r.n_v - 1 for o in multipliers])))
        else:
            own = sorted({row for column in unknowns.tolist() for row in positions[column]})
            result.append((False, np.concatenate([own, *(o + unknowns for o in offsets)]).astype(np.int64)))
    return result


def squares(system):
    """Natural size of the diagonal of G W G^T, for the rows of mu."""
    r = system.record
    g = system.evaluated(0.0, system.start, np.zeros(r.n_v)).g
    diagonal = np.zeros(r.n_rows)
    real = r.g_column < r.n_v
    np.add.at(diagonal, r.g_row[real].astype(int), g[real] ** 2 * r.metric[r.g_column[real].astype(int)])
    natural = float(np.mean(diagonal * r.row_scale**2)) if diagonal.size else 1.0
    return (natural or 1.0) / r.row_scale**2


def residual_dae(system, level, stabilised=False, integrated=False, correction=None):
    """The ResidualDae form with rows at `level`."""
    return _problem(system, RESIDUAL_DAE, level, stabilised, integrated, correction)


def semi_explicit_dae(system, level, stabilised=False, correction=None):
    """The SemiExplicitDae form with rows at `level`; without any unknown it is the ResidualDae, as both are empty."""
    form = SEMI_EXPLICIT_DAE if system.n_q + system.n_v + system.n_rows else RESIDUAL_DAE
    return _problem(system, form, level, stabilised, False, correction)


def _problem(system, form, level, stabilised, integrated, correction):
    system = chain_rule(system)
    r, semi = system.record, form == SEMI_EXPLICIT_DAE
    n_q, n_v, n_rows, n_mu = r.n_q, r.n_v, r.n_rows, r.n_rows if stabilised else 0
    o_a = n_q + n_v if semi else n_q
    o_l = o_a + n_v
    n_w = o_l - n_q - n_v
    positions, directions = np.arange(n_q), np.arange(n_v)
    first = (n_q + directions, o_a + directions) if semi else (positions, positions)  # v' = w, or q' itself
    rest = pattern(r, level, stabilised, o_a, o_l)
    # index of the multipliers, row by row; rows at a higher level have a lower one
    index = np.full(n_rows, 1) if integrated else 3 - np.maximum(level, r.velocity_level.astype(int))
    highest = 1 if integrated else 3 - level
    softness = [-SOFT * r.row_diagonal, -SOFT * squares(system)[:n_mu]]
    multipliers = [o_l, o_l + n_rows][: 2 if stabilised else 1]

    def initial(state, work):
        start = [state.q, state.v, state.a[:n_w], 0.0 * state.lam if integrated else state.lam, np.zeros(n_mu)]
        return np.concatenate(start)

    return Problem(
        form=form,
        system=system,
        functions=(right_hand_side, right_hand_jacobian) if semi else (residual, jacobian),
        initial=initial,
        scale=np.concatenate([position_scale(system), velocity_scale(system), np.full(n_w + n_rows + n_mu, np.inf)]),
        after_step=held if correction is None else corrected_state,
        rebase=choose_rows,
        hooks={} if correction is None else {CORRECTION: CORRECTIONS[correction]},
        keep_a=o_a if semi else -1,
        keep_lam=-1 if integrated else o_l,
        pattern=(np.concatenate([first[0], rest[0]]), np.concatenate([first[1], rest[1]])),
        nodes=nodes(system, (n_q, o_a) if semi else (n_q,), multipliers),
        regularisation=np.concatenate([np.zeros(o_l), *softness]),
        differential=np.repeat([1.0, 0.0], [n_q + n_v, n_w + n_rows + n_mu]) if semi else None,
        levels=np.concatenate([np.repeat([1, max(1, highest - 1), highest], [n_q, n_v, n_w]), index, index[:n_mu]]),
        options=np.array([level, stabilised, integrated, semi], float),
    )
