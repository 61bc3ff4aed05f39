"""GGL, the stabilised index-2 form: position and velocity constraints together.

    q' = T(q) (v + W G^T mu),   M v' + G^T lam = f,   Phi(t, q) = 0,   G v + Phi_t = 0

W is 1 for translations and 1/length^2 for turns, so that units do not matter. The extra multipliers mu vanish for the exact
solution. Both constraint levels hold to the tolerance of Newton's method; no
drift, no spikes in velocities. Nonholonomic rows have no position equation; their mu is set to zero.
Reference: Gear, Gupta and Leimkuhler, J. Comp. Appl. Math. 12 (1985) 77-90; spec 003, section 2.3.
"""

import numpy as np

from ..compiled.interfaces import (
    DAE_JACOBIAN,
    DAE_RESIDUAL,
    KINEMATICS,
    MAP,
    RATE,
    REBASE,
    REFRESH,
    TANGENT,
    VELOCITY,
)
from ..compiled.status import REBASED, RUNNING
from ..linalg.kkt import add_reaction, evaluate, multiply_mass, select_rows
from ..system.chain_rule import chain_rule
from .base import RESIDUAL_DAE, Formulation, Problem, position_scale, velocity_scale
from .corrections import normalised

call_kinematics, call_map = KINEMATICS.call, MAP.call
# After Newton's method has failed, rows whose pivots fall below CLOSE times the limit of weak ones, up to PASSING of them, are
# left out for a few steps: stages on both sides of a singular position cannot be solved together. The rows are chosen anew after
# every step, so that they come back at once.
PASSING, CLOSE = 8, 0.1
SOFT = 1e-10  # epsilon in Newton's method, relative; larger values slow it down close to singular positions


@DAE_RESIDUAL
def residual(t, y, yp, r, system, work):
    """y = [q, v, lam, mu] -> F = [q' - T (v + W G^T mu), M v' + G^T lam - f, G v + Phi_t, -Phi].

    The sign of the last makes the pivots of both kinds of multipliers negative, so that one regularisation fits both.
    """
    n_q, n_v, n_rows = system.n_q, system.n_v, system.n_rows
    o_l, o_m = n_q + n_v, n_q + n_v + n_rows
    q, v, lam, b, u, e = y[:n_q], y[n_q:o_l], work.lam, work.b, work.u, work.e
    velocity_level, phi, phi_dot, f, metric = system.velocity_level, work.phi, work.phi_dot, work.f, system.metric
    evaluate(t, q, v, VELOCITY, system, work)
    # q' - T (v + W G^T mu); the mu of nonholonomic rows stays out
    for i in range(n_rows):
        lam[i] = 0.0 if velocity_level[i] else y[o_m + i]
    for i in range(n_v + 1):
        b[i] = 0.0
    add_reaction(system, work, lam, 0, b)
    for i in range(n_v):
        b[i] = v[i] + metric[i] * b[i]
    call_kinematics(system.methods[2], q, b, r, system, work)
    for i in range(n_q):
        r[i] = yp[i] - r[i]
    for i in range(n_v):
        u[i] = yp[n_q + i]
    u[n_v] = 0.0
    multiply_mass(system, work, u, e)
    for i in range(n_rows):
        lam[i] = y[o_l + i]
    add_reaction(system, work, lam, 0, e)
    for i in range(n_v):
        r[n_q + i] = e[i] - f[i]
    for i in range(n_rows):
        r[o_l + i] = phi_dot[i]
        r[o_m + i] = -y[o_m + i] if velocity_level[i] else -phi[i]
    return RUNNING


@DAE_JACOBIAN
def jacobian(t, y, yp, jy, jp, system, work):
    """Entries of dF/dy and dF/dy' in the order of `pattern`; terms with mu, which vanishes, are left out."""
    n_q, n_v, n_rows = system.n_q, system.n_v, system.n_rows
    o_l = n_q + n_v
    q, v, u, velocity_level = y[:n_q], y[n_q:o_l], work.u, system.velocity_level
    for i in range(n_v):
        u[i] = yp[n_q + i]
    for i in range(n_rows):
        work.lam[i] = y[o_l + i]
    evaluate(t, q, v, VELOCITY | TANGENT | RATE | REFRESH, system, work)
    call_map(system.methods[3], q, v, system, work)
    g, k, d, m, rate, tm, ti, tq = work.g, work.k, work.d, work.m, work.rate, work.t, work.t_inverse, work.tq
    metric, g_column = system.metric, system.g_column
    g_row, gq_entry, gq_map, kq_entry, kq_map = (
        system.g_row,
        system.gq_entry,
        system.gq_map,
        system.kq_entry,
        system.kq_map,
    )
    n = 0
    for i in range(jp.size):
        jp[i] = 0.0
    for _ in range(n_q):
        jy[n], jp[n] = 0.0, 1.0
        n += 1
    for e in range(tq.size):
        jy[n] = -tq[e]
        n += 1
    for e in range(tm.size):
        jy[n] = -tm[e]
        n += 1
    for p in range(gq_entry.size):
        e = gq_entry[p]
        jy[n] = 0.0 if velocity_level[g_row[e]] else -g[e] * metric[g_column[e]] * tm[gq_map[p]]
        n += 1
    for e in range(m.size):
        jy[n], jp[n] = 0.0, m[e]
        n += 1
    for e in range(d.size):
        jy[n] = d[e]
        n += 1
    for p in range(kq_entry.size):
        jy[n] = k[kq_entry[p]] * ti[kq_map[p]]
        n += 1
    for e in range(g.size):
        jy[n] = g[e]
        n += 1
    for p in range(gq_entry.size):
        jy[n] = rate[gq_entry[p]] * ti[gq_map[p]]
        n += 1
    for e in range(g.size):
        jy[n] = g[e]
        n += 1
    for p in range(gq_entry.size):
        jy[n] = 0.0 if velocity_level[g_row[gq_entry[p]]] else -g[gq_entry[p]] * ti[gq_map[p]]
        n += 1
    # the diagonal of both multipliers: rows that are left out keep theirs
    epsilon, natural = work.epsilon, system.row_diagonal
    for i in range(n_rows):
        jy[n] = -epsilon[i] if epsilon[i] > natural[i] else 0.0
        n += 1
    for i in range(n_rows):
        jy[n] = -1.0 if velocity_level[i] else -epsilon[i] if epsilon[i] > natural[i] else 0.0
        n += 1
    return RUNNING


@REBASE
def choose_rows(t, y, system, work):
    """Independent rows anew after every step; close to a singular position some are left out until it is passed."""
    n_q, n_v, epsilon, natural = system.n_q, system.n_v, work.epsilon, system.row_diagonal
    before = 0
    for i in range(system.n_rows):
        before += (i + 1) * (i + 1) if epsilon[i] > natural[i] else 0
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    always = work.left_out[0]
    if work.left_out[1] > 0:
        work.left_out[0] += PASSING
        work.left_out[1] -= 1
    select_rows(system, work, CLOSE)
    work.left_out[0] = always
    for i in range(system.n_rows):
        before -= (i + 1) * (i + 1) if epsilon[i] > natural[i] else 0
    return RUNNING if before == 0 else REBASED


def pattern(r):
    """Rows and columns of the Jacobian's entries, in the order in which `jacobian` writes them; -1: no place."""
    o_v, o_l, o_m = r.n_q, r.n_q + r.n_v, r.n_q + r.n_v + r.n_rows

    def whole(values):
        return np.asarray(values, np.int64)

    def velocity(columns):
        return np.where(whole(columns) < r.n_v, o_v + whole(columns), -1)

    g_row, t_row, k_row = whole(r.g_row), whole(r.t_row), whole(r.k_row)
    diagonal, rows = np.arange(r.n_q), np.arange(r.n_rows)
    parts = [
        (diagonal, diagonal),
        (whole(r.tq_row), whole(r.tq_column)),
        (t_row, velocity(r.t_column)),
        (t_row[r.gq_map], o_m + g_row[r.gq_entry]),
        (velocity(r.m_row), velocity(r.m_column)),
        (velocity(r.d_row), velocity(r.d_column)),
        (velocity(k_row[r.kq_entry]), t_row[r.kq_map]),
        (velocity(r.g_column), o_l + g_row),
        (o_l + g_row[r.gq_entry], t_row[r.gq_map]),
        (o_l + g_row, velocity(r.g_column)),
        (o_m + g_row[r.gq_entry], t_row[r.gq_map]),
        (o_l + rows, o_l + rows),
        (o_m + rows, o_m + rows),
    ]
    rows_of, columns_of = zip(*parts, strict=True)
    return np.concatenate(rows_of), np.concatenate(columns_of)


def residual_dae(system):
    """The ResidualDae form."""
    system = chain_rule(system)
    r, o_l = system.record, system.n_q + system.n_v
    n_rows = r.n_rows
    regularisation = np.concatenate([np.zeros(r.n_q), r.added_mass, -SOFT * r.row_diagonal, -SOFT * squares(system)])
    positions = {column: [] for column in range(r.n_v)}
    for row, column in zip(r.t_row.tolist(), r.t_column.tolist(), strict=True):
        positions[column].append(row)
    nodes = []
    for is_constraint, unknowns in system.nodes:
        if is_constraint:
            rows = unknowns - r.n_v - 1
            nodes.append((True, np.concatenate([o_l + rows, o_l + n_rows + rows])))
        else:
            own = sorted({row for column in unknowns.tolist() for row in positions[column]})
            nodes.append((False, np.concatenate([own, r.n_q + unknowns]).astype(np.int64)))
    return Problem(
        form=RESIDUAL_DAE,
        system=system,
        functions=(residual, jacobian),
        initial=lambda state, work: np.concatenate([state.q, state.v, state.lam, np.zeros(n_rows)]),
        scale=np.concatenate([position_scale(system), velocity_scale(system), np.full(2 * n_rows, np.inf)]),
        after_step=normalised,
        rebase=choose_rows,
        keep_lam=o_l,
        pattern=pattern(r),
        nodes=nodes,
        regularisation=regularisation,
    )


def squares(system):
    """Natural size of the diagonal of G W G^T, for the rows of mu."""
    r = system.record
    g = system.evaluated(0.0, system.start, np.zeros(r.n_v)).g
    diagonal = np.zeros(r.n_rows)
    real = r.g_column < r.n_v
    np.add.at(diagonal, r.g_row[real].astype(int), g[real] ** 2 * r.metric[r.g_column[real].astype(int)])
    natural = float(np.mean(diagonal * r.row_scale**2)) if diagonal.size else 1.0
    return (natural or 1.0) / r.row_scale**2


GGL = Formulation(
    name="ggl",
    title="GGL: stabilised index 2",
    index=2,
    forms={RESIDUAL_DAE: residual_dae},
    keeps=("position", "velocity"),
    drifts=(),
    references=("Gear, Gupta and Leimkuhler 1985, doi:10.1016/0377-0427(85)90008-1",),
)
