"""The correction "dependent-only": independent coordinates stay, dependent ones follow by Newton's method.

    G_u du = -Phi,   G_u du' = -(G v + Phi_t)

The coordinates that are left alone are chosen by full pivoting (full_pivot_lu.py) in scaled rows and columns, when there are none
yet, when they see too little of the motion, or when mu has grown. Both levels are solved with [W^-1 G^T; G 0], sparse and
symmetric, on the pattern of the KKT matrix. W is the metric of the columns, small for those that stay (leaving them out would
spoil pivots); a step that takes but most of a residual away is repeated.
Reference: Terze, Lefeber and Muftic, Multibody System Dynamics 6 (2001) 229-243; spec 000, section 2.3; spec 004, section 1.8.
"""

import math

import numpy as np

from ..compiled.interfaces import CORRECT, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import NO_COORDINATES, PROJECTION_FAILED, RUNNING
from ..linalg.factor import factorise_symmetric, solve_symmetric
from ..linalg.full_pivot_lu import eliminate
from ..linalg.kkt import evaluate, position_error, retract, select_rows, velocity_error

TOLERANCE, ACCEPTABLE, ITERATIONS = 1e-14, 1e-8, 8  # of the position, in characteristic lengths or radians
SINGULAR, GROWTH = 1e-12, 3.0  # smallest pivot in the choice, of the first one; growth that asks for a new choice
LIGHT = 1e-8  # weight of a coordinate that stays
MU, SHARE = 4, 5  # of work.schedule: mu when the choice was made, and the smallest share of a motion that is seen then


@compiled
def in_use(i, system, work):
    """Whether a row is one of the independent ones."""
    return work.epsilon[i] <= system.row_diagonal[i]


@compiled
def choose_partition(system, work):
    """Independent coordinates into work.partition, with the G in work; False if there are too few pivots. (It allocates.)"""
    g, g_row, g_column, metric, scale = work.g, system.g_row, system.g_column, system.metric, system.row_scale
    n_v, partition, count = system.n_v, work.partition, 0
    place = np.full(system.n_rows, -1)
    for i in range(system.n_rows):
        if in_use(i, system, work):
            place[i] = count
            count += 1
    a, columns = np.zeros((count, n_v)), np.arange(n_v)
    for e in range(g.size):
        i, j = g_row[e], g_column[e]
        if place[i] >= 0 and j < n_v:
            a[place[i], j] += scale[i] * g[e] * math.sqrt(metric[j])
    if eliminate(a, np.arange(count), columns, 0, count, SINGULAR) < count:
        return False
    for k in range(n_v):
        partition[columns[k]] = 0 if k < count else 1
    partition[n_v] = 1
    work.schedule[SHARE] = 1.0 / (1.0 + influence(a, count))
    return True


@compiled
def influence(a, count):
    """Sum of the squares of H = -U^-1 R, with a as eliminate() leaves it; R is overwritten."""
    total = 0.0
    for i in range(count - 1, -1, -1):
        for j in range(count, a.shape[1]):
            for k in range(i + 1, count):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[i, i]
            total += a[i, j] * a[i, j]
    return total


@compiled
def seen_share(v, system, work):
    """Share of the motion v that is one of the coordinates that stay."""
    kept, total = 0.0, 0.0
    for i in range(system.n_v):
        size = v[i] * v[i] / system.metric[i]
        total += size
        kept += size if work.partition[i] == 1 else 0.0
    return kept / total if total > 0.0 else 1.0


@compiled
def factorise_partitioned(system, work):
    """Factors of [W^-1 G^T; G 0], and the largest mu, without units, of a fixed right-hand side."""
    matrix, g, b, u, n_v, scale, largest = work.kkt, work.g, work.b, work.u, system.n_v, system.row_scale, 0.0
    a, g_row, g_upper, diagonal = matrix.a, system.g_row, system.g_upper, system.diagonal_slot
    for i in range(a.size):
        a[i] = 0.0
    for i in range(n_v):
        a[diagonal[i]] = 1.0 / (system.metric[i] * (LIGHT if work.partition[i] == 1 else 1.0))
        b[i] = 0.0
    for e in range(g.size):
        if in_use(g_row[e], system, work):
            a[g_upper[e]] += g[e]
    b[n_v] = 0.0
    for i in range(system.n_rows):
        used = in_use(i, system, work)
        b[n_v + 1 + i] = (1.5 + math.cos(2.4 * i)) / scale[i] if used else 0.0
        if not used:
            a[diagonal[n_v + 1 + i]] = -1.0
    factorise_symmetric(matrix)
    solve_symmetric(matrix, b, u)
    for i in range(system.n_rows):
        size = abs(u[n_v + 1 + i]) / scale[i]
        if size > largest or size != size:  # a NaN stays
            largest = size
    return largest / system.length**2


@compiled
def step_partitioned(residual, level, system, work):
    """work.e = a change of the dependent coordinates that takes most of the residual away; `level` 0 is that of positions."""
    b, d, u, n_v, velocity_level = work.b, work.e, work.u, system.n_v, system.velocity_level
    g, g_row, g_column, partition, metric = work.g, system.g_row, system.g_column, work.partition, system.metric
    for i in range(n_v + 1):
        b[i], d[i] = 0.0, 0.0
    for i in range(system.n_rows):
        used = in_use(i, system, work) and (level == 1 or not velocity_level[i])
        b[n_v + 1 + i] = -residual[i] if used else 0.0
    solve_symmetric(work.kkt, b, u)
    for e in range(g.size):
        if g_column[e] < n_v and partition[g_column[e]] == 0 and in_use(g_row[e], system, work):
            d[g_column[e]] -= metric[g_column[e]] * g[e] * u[n_v + 1 + g_row[e]]


@compiled
def prepare_partition(v, system, work):
    """The matrix factorised, with a partition that is good for the motion v here; False if there is none."""
    schedule = work.schedule
    if schedule[MU] > 0.0 and GROWTH**2 * seen_share(v, system, work) >= schedule[SHARE]:
        if factorise_partitioned(system, work) <= GROWTH * schedule[MU]:
            return True
    if not choose_partition(system, work):
        return False
    schedule[MU] = factorise_partitioned(system, work)
    return True


@compiled
def partitioned_position(t, q, v, system, work):
    """Moves the dependent coordinates until Phi = 0; the error that is left. The matrix stays that of the start."""
    error, before = position_error(system, work), math.inf
    for _ in range(ITERATIONS):
        if error <= TOLERANCE or not error < 0.5 * before:
            break
        step_partitioned(work.phi, 0, system, work)
        retract(q, work.e, q, system, work)
        evaluate(t, q, v, VELOCITY, system, work)
        before, error = error, position_error(system, work)
    return error


@compiled
def partitioned_velocity(t, q, v, system, work):
    """Changes the dependent velocities until G v = -Phi_t."""
    d, error, before = work.e, velocity_error(system, work), math.inf
    for _ in range(ITERATIONS):
        if not (error > 0.0 and error < 0.5 * before):
            break
        step_partitioned(work.phi_dot, 1, system, work)
        for i in range(system.n_v):
            v[i] += d[i]
        evaluate(t, q, v, VELOCITY, system, work)
        before, error = error, velocity_error(system, work)


@CORRECT
def dependent_only(t, q, v, with_velocity, system, work):
    """Independent coordinates stay, the others follow (Terze 2001)."""
    report = work.kkt.report
    evaluate(t, q, v, VELOCITY, system, work)
    if report[0] > 0:
        select_rows(system, work)
    weak, first, vanished = report[0], report[1], report[2]
    error, found = math.inf, prepare_partition(v, system, work)
    if found:
        error = partitioned_position(t, q, v, system, work)
        if with_velocity:
            partitioned_velocity(t, q, v, system, work)
    report[0], report[1], report[2] = weak, first, vanished  # march watches those of the KKT matrix
    if not found:
        return NO_COORDINATES
    return RUNNING if error <= ACCEPTABLE else PROJECTION_FAILED
