"""The moving frame of gram-schmidt and mass-gram-schmidt: quasi-velocities along an orthonormal basis that turns with the motion.

    v = W_d u + W_c eta,   R_c^T eta = -Phi_t,   u' = a - S_dd u - S_dc eta

[W_c W_d] is the basis of linalg/orthonormal.py, made of G and of the rows of B at every evaluation, in a metric H; u = W_d^T H v
belongs to no coordinates, W_d^T (M v' - f) = 0 gives a = W_d^T H v', and S tells how the basis turns. Rows that are left out are
passed over. Nonholonomic rows must be linear in v, because dA/dt would depend on v' otherwise.

A basis that turns by more than 60 degrees from one accepted step to an evaluation of the next is not the continuation of the
last one: it belongs to rows of B that have become dependent on G on the way. The step is then refused.
"""

import math

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import CORRECTION, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.records import NO_BASIS
from ..compiled.status import NO_COORDINATES, NOT_FINITE, RUNNING, SINGULAR
from ..errors import IncompatibleMethods
from ..linalg.kkt import evaluate
from ..linalg.orthonormal import basis_rate, cholesky, dual, from_metric, orthonormalise, to_metric
from .base import ODE, Problem, position_scale
from .corrections import CORRECTIONS
from .quasi_velocities import (
    FED_BACK,
    corrected_quasi,
    feedback_numbers,
    kinematic_equations,
    no_coordinates,
    position_errors,
    use_rows,
)

METRIC, VECTORS, PARTS, TURN, ROOM, KEPT, SCRATCH = range(7)  # planes of work.basis.dense
ETA, NORMAL, FORCE, FEEDBACK = 4, 5, 6, 7  # rows of SCRATCH; those before are for orthonormalising
SHARE, ROWS = range(2)  # of work.basis.numbers: smallest squared sine of a row of B against all before it; rows in use
DEPENDENT, NO_PIVOT = 1e-12, 1e-16  # squared sines at which a row of B or of G counts as dependent
CONTINUED = 0.5  # cosine between a direction and itself at the last accepted step


@compiled
def mass_metric(system, work):
    """L L^T = M."""
    factor, m, m_row, m_column = work.basis.dense[METRIC], work.m, system.m_row, system.m_column
    for i in range(system.n_v):
        for j in range(i + 1):
            factor[i, j] = 0.0
    for e in range(m.size):
        if m_column[e] <= m_row[e] < system.n_v:
            factor[m_row[e], m_column[e]] += m[e]
    return cholesky(factor, system.n_v)


@compiled
def length_metric(system, work):
    """L L^T = W^-1: 1 for translations, length^2 for turns."""
    factor, metric = work.basis.dense[METRIC], system.metric
    for i in range(system.n_v):
        for j in range(i):
            factor[i, j] = 0.0
        factor[i, i] = 1.0 / math.sqrt(metric[i])
    return True


@compiled
def orthonormal_rows(system, work):
    """The rows of G that are in use, in the metric, orthonormalised into VECTORS; their number, or -1 at a singular position.

    The rows of B stand behind them, from VECTORS[n_rows] on, in the metric.
    """
    n_v, n_rows, basis = system.n_v, system.n_rows, work.basis
    dense, b, g, g_row, g_column = basis.dense, basis.b, work.g, system.g_row, system.g_column
    vectors, epsilon, natural = dense[VECTORS], work.epsilon, system.row_diagonal
    k = b.shape[0]
    for i in range(n_rows + k):
        for c in range(vectors.shape[1]):
            vectors[i, c] = b[i - n_rows, c] if i >= n_rows and c < n_v else 0.0
    for e in range(g.size):
        if g_column[e] < n_v:
            vectors[g_row[e], g_column[e]] += g[e]
    to_metric(dense[METRIC], n_v, vectors, n_rows + k)
    m = 0
    for i in range(n_rows):
        if epsilon[i] <= natural[i]:
            share = orthonormalise(vectors, dense[PARTS], i, m, dense[SCRATCH])
            if not share * share > NO_PIVOT:
                return -1
            m += 1
    basis.numbers[ROWS] = m
    return m


@compiled
def decompose(system, work):
    """The basis with the metric, G and B in work; N (W_d as rows) into work.basis.n."""
    n_v, basis = system.n_v, work.basis
    dense, n = basis.dense, basis.n
    vectors, k = dense[VECTORS], basis.b.shape[0]
    m = orthonormal_rows(system, work)
    if m + k != n_v:  # the position is singular
        return NO_COORDINATES
    smallest = 1.0
    for i in range(k):
        share = orthonormalise(vectors, dense[PARTS], system.n_rows + i, m + i, dense[SCRATCH])
        if not share * share > DEPENDENT:
            return NO_COORDINATES
        smallest = min(smallest, share * share)
    basis.numbers[SHARE] = smallest
    for d in range(k):
        for c in range(n_v):
            n[d, c] = vectors[m + d, c]
    from_metric(dense[METRIC], n_v, n, k)
    return RUNNING


@compiled
def normal_part(right, sign, system, work, parts, x):
    """x (n_v) = W_c parts with R_c^T parts = sign right in the rows in use: G x = sign right, and nothing along W_d."""
    dense, n_v, epsilon, natural = work.basis.dense, system.n_v, work.epsilon, system.row_diagonal
    vectors, r, m = dense[VECTORS], dense[PARTS], 0
    for c in range(x.size):
        x[c] = 0.0
    for i in range(system.n_rows):
        if epsilon[i] <= natural[i]:
            total = sign * right[i]
            for j in range(m):
                total -= r[m, j] * parts[j]
            parts[m] = total / r[m, m]
            for c in range(n_v):
                x[c] += parts[m] * vectors[m, c]
            m += 1
    from_metric(dense[METRIC], n_v, x.reshape(1, x.size), 1)


@compiled
def quasi_state(t, y, by_mass, system, work):
    """The basis at (t, q), and work.basis.v of the u in y. Ends with work evaluated at standstill."""
    basis, n_q, n_v = work.basis, system.n_q, system.n_v
    n, v, dense = basis.n, basis.v, basis.dense
    for i in range(n_v):
        v[i] = 0.0
    evaluate(t, y[:n_q], v, VELOCITY, system, work)
    finite = 0.0
    for i in range(n_q + n.shape[0]):
        finite += y[i]
    if not math.isfinite(finite):
        return NOT_FINITE
    regular = mass_metric(system, work) if by_mass else length_metric(system, work)
    status = decompose(system, work) if regular else SINGULAR
    if status != RUNNING:
        return status
    normal = dense[SCRATCH, NORMAL]
    normal_part(work.phi_t, -1.0, system, work, dense[SCRATCH, ETA], normal)
    for i in range(n_v):
        v[i] = normal[i]
    for d in range(n.shape[0]):
        for i in range(n_v):
            v[i] += n[d, i] * y[n_q + d]
    return RUNNING


@compiled
def quasi_of(v, u, system, work):
    """u = W_d^T H v, with the basis in work."""
    dense, n_v, m = work.basis.dense, system.n_v, int(work.basis.numbers[ROWS])
    factor, vectors, turned = dense[METRIC], dense[VECTORS], dense[SCRATCH, NORMAL]
    for c in range(n_v):  # L^T v
        total = 0.0
        for i in range(c, n_v):
            total += factor[i, c] * v[i]
        turned[c] = total
    for d in range(n_v - m):
        total = 0.0
        for c in range(n_v):
            total += vectors[m + d, c] * turned[c]
        u[d] = total


@compiled
def keep_directions(system, work):
    """The covariant directions H W_d into KEPT: what later bases are compared with, and the best B for the next step."""
    dense, m, k = work.basis.dense, int(work.basis.numbers[ROWS]), work.basis.n.shape[0]
    vectors, kept = dense[VECTORS], dense[KEPT]
    for d in range(k):
        for c in range(system.n_v):
            kept[d, c] = vectors[m + d, c]
    dual(dense[METRIC], system.n_v, kept, k)


@compiled
def continued(system, work):
    """Whether the basis is the continuation of the one that was kept."""
    n, kept = work.basis.n, work.basis.dense[KEPT]
    for d in range(n.shape[0]):
        cosine = 0.0
        for c in range(system.n_v):
            cosine += n[d, c] * kept[d, c]
        if not cosine > CONTINUED:
            return False
    return True


@compiled
def mass_variation(system, work):
    """N_d = W_d^T M' W (k, n_v) into ROOM."""
    dense, n, n_v = work.basis.dense, work.basis.n, system.n_v
    room, vectors, row, m_dot = dense[ROOM], dense[VECTORS], dense[SCRATCH, FORCE], work.m_dot
    for d in range(n.shape[0]):
        for e in range(m_dot.size):
            if system.m_row[e] < n_v:
                room[d, system.m_row[e]] += m_dot[e] * n[d, system.m_column[e]]
    to_metric(dense[METRIC], n_v, room, n.shape[0])
    for d in range(n.shape[0]):
        for c in range(n_v):
            total = 0.0
            for i in range(n_v):
                total += vectors[c, i] * room[d, i]
            row[c] = total
        for c in range(n_v):
            room[d, c] = row[c]


@compiled
def turning(u, by_mass, system, work, u_dot):
    """u' -= S_dd u + S_dc eta: the basis turns along the motion that work was evaluated with (G_DOT)."""
    basis, n_v, dense = work.basis, system.n_v, work.basis.dense
    s, room, n, k, m = dense[TURN], dense[ROOM], basis.n, basis.n.shape[0], int(basis.numbers[ROWS])
    g_dot, g_row, g_column, m_dot = work.g_dot, system.g_row, system.g_column, work.m_dot
    epsilon, natural, eta, varies = work.epsilon, system.row_diagonal, dense[SCRATCH, ETA], False
    for d in range(k):
        row, direction = s[d], n[d]
        for i in range(row.size):
            row[i], room[d, i] = 0.0, 0.0
        for e in range(g_dot.size):
            if g_column[e] < n_v:
                row[g_row[e]] += g_dot[e] * direction[g_column[e]]
        place = 0
        for i in range(system.n_rows):
            if epsilon[i] <= natural[i]:
                row[place] = row[i]
                place += 1
    if by_mass:
        for e in range(m_dot.size):
            varies = varies or m_dot[e] != 0.0
    if varies:
        mass_variation(system, work)
    basis_rate(dense[PARTS], m, k, s, room)
    for d in range(k):
        total = 0.0
        for c in range(m):
            total += s[d, c] * eta[c]
        for e in range(k):
            total += s[d, m + e] * u[e]
        u_dot[d] -= total


@compiled
def orthonormal_kinematics(y, y_dot, system, work):
    """The kinematic equations, position errors being fed back along W_c."""
    k, scratch = work.basis.n.shape[0], work.basis.dense[SCRATCH]
    if work.options[FED_BACK] > 0.0:
        position_errors(y, k, system, work, work.b)
        normal_part(work.b, 1.0, system, work, scratch[NORMAL], scratch[FEEDBACK])
    kinematic_equations(y, k, scratch[FEEDBACK], y_dot, system, work)


def memory(system, k):
    """The Basis that quasi-velocities with an orthonormal basis need."""
    n_v, n_rows = system.n_v, system.n_rows
    shape = (SCRATCH + 1, max(n_rows + k, n_v, FEEDBACK + 1), max(n_rows, n_v))
    return NO_BASIS._replace(
        n=np.zeros((k, n_v)),
        b=np.zeros((k, n_v)),
        free=np.zeros(n_v, np.uint32),
        v=np.zeros(n_v),
        numbers=np.zeros(8),
        dense=np.zeros(shape),
    )


def refuse_nonlinear_rows(system, name):
    """Raise where a nonholonomic row is not linear in the velocities."""
    rows = np.flatnonzero(system.record.velocity_level)
    if rows.size:
        rng = np.random.default_rng(3)
        one, other = (system.jacobian(0.0, system.start, rng.normal(size=system.n_v)).toarray()[rows] for _ in range(2))
        differ = np.abs(one - other).max(axis=1) > 1e-9 * (1.0 + np.abs(one).max())
        if differ.any():
            raise IncompatibleMethods(
                f'Formulation "{name}" takes nonholonomic rows that are linear in the velocities; '
                f"{system.row_name(int(rows[np.argmax(differ)]))} is not. Use general-projection or index1."
            )


def quasi_problem(system, k, functions, choose, *, by_mass, speed, correction, gains, options=()):
    """The Ode form y = [q, u] with an orthonormal basis and k quasi-velocities.

    functions : (RHS, REBASE, EXPAND). choose(state, work) : sets the first B. by_mass : whether the metric is the mass. speed :
    natural size of u. gains : (g1, g0), None for the defaults. options : further numbers of work.options, behind the gains.
    """
    rhs, rebase, expand = functions
    numbers = feedback_numbers(correction, *gains)
    extra = system.n_rows if numbers[FED_BACK] else 0

    def initial(state, work):
        use_rows(system, state, work, k)
        choose(state, work)
        y, packed = np.concatenate([state.q, np.zeros(k + extra)]), pack(work)
        status = quasi_state(state.t, y, by_mass, system.compiled, packed)
        if status != RUNNING:
            raise no_coordinates(system, state, status)
        quasi_of(state.v, y[system.n_q : system.n_q + k], system.compiled, packed)
        keep_directions(system.compiled, packed)
        return y

    return Problem(
        form=ODE,
        system=system,
        functions=(rhs,),
        initial=initial,
        scale=np.concatenate([position_scale(system), np.full(k, speed), (1.0 / system.record.row_scale)[:extra]]),
        after_step=corrected_quasi,
        rebase=rebase,
        expand=expand,
        hooks={CORRECTION: CORRECTIONS[correction]},
        basis=memory(system, k),
        options=np.array([*numbers, *options], float),
    )
