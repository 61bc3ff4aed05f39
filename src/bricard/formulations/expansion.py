"""From independent coordinates to the full state: dependent positions by Newton's method, then dependent velocities.

    z = B xi,   Phi(t, q) = 0,   q = base moved by xi          positions
    w = B xi',  G v = -Phi_t,    xi' = E v                     velocities

What B does not see is the range of W C^T, C being G at the base, W the metric of the columns. So both are corrections of the
form xi -= W C^T mu, with mu from one sparse system on the pattern of the KKT matrix,

    [W^-1 E  C^T] [d ]   [ 0]
    [G        0 ] [mu] = [-r],   r = Phi or G v + Phi_t

factorised once for both. For orthonormal directions N (G N = 0, N^T W^-1 N = 1 at the base) B = N^T W^-1. For coordinate
partitioning B picks coordinates, and the correction has no part in them; in the matrix they only get a small W (LIGHT): leaving
them out would spoil pivots, and corrections are iterated anyway.

Nonholonomic rows hold velocities only: there are k_z independent positions, k <= k_z independent velocities, and the first k
directions are those of the velocities. Newton's method begins at the last state, extrapolated along its motion.

The constraints may have several solutions for one y, and only the one that the motion leads to is right. Newton's method surely
finds that one where its first correction leaves at most a quarter of the error (Deuflhard's bound of the contraction), and where
the way from the last accepted state is one that the velocities at both ends can go. Elsewhere the state is followed from the
last accepted one, in hops that are halved until each is sure: a step may be as long as the drives let it where nothing is free.
Reference: P. Deuflhard, Newton Methods for Nonlinear Problems, Springer 2011, chapter 5.
"""

import math

import numpy as np

from ..compiled.interfaces import VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, NO_COORDINATES, RUNNING
from ..linalg.factor import factorise, failure, solve
from ..linalg.kkt import evaluate, position_error, velocity_error
from .increments import move, put_block, to_velocity

ITERATIONS, SLOW = 12, 0.1  # of Newton's method; the matrix is renewed when an error falls by less than this factor
ACCEPTABLE = 1e4  # an error that falls no longer is accepted up to so many round-offs
HOPELESS = 1e6  # a position error, in characteristic lengths or radians, or a relative one of the velocity
TWICE = 2  # corrections after which nothing is left of an error of the first guess but its round-off
LIGHT = 1e-8  # weight of a coordinate that is to stay
POSITIONS, VELOCITIES = 0, 1  # the two levels of constraint rows
SURE = 0.25  # contraction of Newton's first correction up to which the solution is the one that the motion leads to
FAR = 0.3  # a position error of the first guess, in characteristic lengths or radians, with which it is not sure
NEAR = 0.05  # a way that the velocities do not explain, in characteristic lengths or radians, that is not looked at
FOLDED = 10.0  # growth of mu at which independent coordinates come to their end
SHORTEST = 0.01  # hop, as a share of the way from the last accepted state
K_Z, K, ROUND_OFF, MAPPED, PROBE, TIME, KEPT_TIME, SHARE, INFLUENCE, PLACED, CONTRACTION, LOOKS = range(
    12
)  # of work.basis.numbers
NUMBERS, ROWS = 12, 10  # of work.basis.numbers, of work.basis.dense[0]
# rows of work.basis.dense[0]: xi', xi''; the y that xi and xi' belong to; B xi'', behind it B xi' beyond k; rows in use; scratch;
# xi, xi' and y of the last accepted state; a mixture of directions
RATE, BEND, LAST, SLOPE, USED, SCRATCH, KEPT_XI, KEPT_RATE, KEPT_LAST, MIXTURE = range(10)


@compiled
def spread(x, last, y, system, work):
    """y += N x, with the first directions up to `last`."""
    n, free, metric = work.basis.n, work.basis.free, system.metric
    if n.shape[0] == 0:
        for i in range(system.n_v):
            if 0 < free[i] <= last:
                y[i] += math.sqrt(metric[i]) * x[free[i] - 1]
        return
    for r in range(last):
        value, row = x[r], n[r]
        for i in range(system.n_v):
            y[i] += value * row[i]


@compiled
def gather(x, first, last, y, system, work):
    """y = B x, its rows from `first` to `last`. Overwrites work.e."""
    n, free, metric, weighted = work.basis.n, work.basis.free, system.metric, work.e
    if n.shape[0] == 0:
        for i in range(system.n_v):
            if first < free[i] <= last:
                y[free[i] - 1 - first] = x[i] / math.sqrt(metric[i])
        return
    for i in range(system.n_v):
        weighted[i] = x[i] / metric[i]
    if first < last:
        np.dot(n[first:last], weighted[: system.n_v], y[: last - first])


@compiled
def mark_rows(level, system, work):
    """Note the rows in use at a level: independent ones, at position level only holonomic ones."""
    used, epsilon, natural, velocity_level = (
        work.basis.dense[0, USED],
        work.epsilon,
        system.row_diagonal,
        system.velocity_level,
    )
    for i in range(system.n_rows):
        used[i] = 1.0 if epsilon[i] <= natural[i] and (level == VELOCITIES or not velocity_level[i]) else 0.0


@compiled
def picked(level, work):
    """Coordinates with a place up to this one stay, where B picks coordinates."""
    return work.basis.numbers[K_Z] if level == POSITIONS else work.basis.numbers[K]


@compiled
def factorise_dependent(level, system, work):
    """Factors of [W^-1 E, C^T; G, 0] with the G in work; rows that are not in use at this level are passed over."""
    basis, matrix, n_v = work.basis, work.kkt, system.n_v
    a, g, c, used, diagonal = matrix.a, work.g, basis.c, basis.dense[0, USED], system.diagonal_slot
    g_row, g_slot, gt_slot = system.g_row, system.g_slot, system.gt_slot
    mark_rows(level, system, work)
    for i in range(a.size):
        a[i] = 0.0
    weigh(picked(level, work), system, work)
    put_block(basis.increment, basis.q, basis.v, work.e, basis.numbers[MAPPED] > 0.0, system, work)
    for e in range(g.size):
        if used[g_row[e]] > 0.0:
            a[g_slot[e]] += g[e]
            a[gt_slot[e]] += c[e]
    for i in range(system.n_rows):
        if used[i] == 0.0:
            a[diagonal[n_v + 1 + i]] = -1.0
    return RUNNING if factorise(matrix) else failure(matrix)


@compiled
def weigh(last, system, work):
    """W^-1 into work.e, coordinates with a place up to `last` being light."""
    free, metric, inverse = work.basis.free, system.metric, work.e
    for i in range(system.n_v):
        inverse[i] = 1.0 / (metric[i] * (LIGHT if 0 < free[i] <= last else 1.0))


@compiled
def step_dependent(residual, level, xi, system, work):
    """xi -= W C^T mu: the residual of the rows in use goes to zero, B xi stays."""
    basis, b, u, n_v, last = work.basis, work.b, work.u, system.n_v, picked(level, work)
    c, free, used = basis.c, basis.free, basis.dense[0, USED]
    metric, g_row, g_column = system.metric, system.g_row, system.g_column
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = -residual[i] if used[i] > 0.0 else 0.0
    solve(work.kkt, b, u)
    for e in range(c.size):
        if used[g_row[e]] > 0.0 and not 0 < free[g_column[e]] <= last:
            xi[g_column[e]] -= metric[g_column[e]] * c[e] * u[n_v + 1 + g_row[e]]


@compiled
def probe(system, work):
    """The largest mu, without units, of a fixed right-hand side: how near the matrix is to a singular one."""
    b, u, n_v, scale, used, largest = work.b, work.u, system.n_v, system.row_scale, work.basis.dense[0, USED], 0.0
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = (1.5 + math.cos(2.4 * i)) / scale[i] * used[i]
    solve(work.kkt, b, u)
    for i in range(system.n_rows):
        size = abs(u[n_v + 1 + i]) / scale[i] * used[i]
        if size > largest or size != size:  # a NaN stays
            largest = size
    return largest / system.length**2


@compiled
def probe_positions(system, work):
    """As probe(), of the matrix of positions, which have fewer rows than velocities; that of velocities is left factorised."""
    report = work.kkt.report
    weak, first, vanished = report[0], report[1], report[2]
    regular = factorise_dependent(POSITIONS, system, work) == RUNNING
    largest = probe(system, work) if regular else math.nan
    regular = factorise_dependent(VELOCITIES, system, work) == RUNNING and regular
    report[0], report[1], report[2] = weak, first, vanished
    return largest if regular else math.nan


@compiled
def keep(system, work):
    """Remember the state in work.basis: it was accepted."""
    basis, dense = work.basis, work.basis.dense[0]
    basis.numbers[KEPT_TIME] = basis.numbers[TIME]
    for i in range(system.n_v):
        dense[KEPT_XI, i], dense[KEPT_RATE, i] = basis.increment[i], dense[RATE, i]
    for i in range(dense.shape[1]):
        dense[KEPT_LAST, i] = dense[LAST, i]


@compiled
def fall_back(system, work):
    """Start from the last accepted state again: what was reached since may be anything."""
    basis, dense = work.basis, work.basis.dense[0]
    k_z, k = int(basis.numbers[K_Z]), int(basis.numbers[K])
    basis.numbers[TIME] = basis.numbers[KEPT_TIME]
    for i in range(system.n_v):
        basis.increment[i], dense[RATE, i], dense[BEND, i] = dense[KEPT_XI, i], dense[KEPT_RATE, i], 0.0
    for i in range(dense.shape[1]):
        dense[LAST, i], dense[SLOPE, i] = dense[KEPT_LAST, i], 0.0
    gather(dense[RATE], k, k_z, dense[SLOPE, k_z:], system, work)


@compiled
def extrapolate(t, system, work):
    """xi, xi' and the y they belong to along the motion to time t: where Newton's method begins."""
    basis, dense = work.basis, work.basis.dense[0]
    xi, rate, bend, known, slope = basis.increment, dense[RATE], dense[BEND], dense[LAST], dense[SLOPE]
    k_z, k, way = int(basis.numbers[K_Z]), int(basis.numbers[K]), t - basis.numbers[TIME]
    basis.numbers[TIME] = t
    for i in range(system.n_v):
        xi[i] += way * (rate[i] + 0.5 * way * bend[i])
        rate[i] += way * bend[i]
    for i in range(k_z):
        speed = known[k_z + i] if i < k else slope[k_z + i - k]
        known[i] += way * (speed + 0.5 * way * slope[i])
    for i in range(k):
        known[k_z + i] += way * slope[i]


@compiled
def follow(y, last, place, xi, system, work):
    """Move xi by N times the difference of y, from `place` on, to the y that it belongs to; `last` directions of N."""
    known, change = work.basis.dense[0, LAST], work.e
    for i in range(last):
        change[i] = y[place + i] - known[place + i]
        known[place + i] = y[place + i]
    spread(change, last, xi, system, work)


@compiled
def settle_positions(t, y, system, work):
    """basis.increment and basis.q with Phi(t, q) = 0 at the z in y; ends with work evaluated and the matrix factorised.

    basis.numbers[CONTRACTION] : the share of the error that the first correction leaves, beyond SURE where the error was large.
    """
    basis, n_v = work.basis, system.n_v
    xi, q, v, is_mapped, tight = (
        basis.increment,
        basis.q,
        basis.v,
        basis.numbers[MAPPED] > 0.0,
        basis.numbers[ROUND_OFF],
    )
    follow(y, int(basis.numbers[K_Z]), 0, xi, system, work)
    old, factorised, before = basis.dense[0, SCRATCH], False, math.inf
    basis.numbers[CONTRACTION] = 0.0
    for n in range(ITERATIONS + 1):
        move(basis.base, xi, q, is_mapped, system, work)
        evaluate(t, q, v, VELOCITY, system, work)
        error = position_error(system, work)
        if n == 0 and error > FAR:
            basis.numbers[CONTRACTION] = math.inf
        elif n == 1 and before > ACCEPTABLE * tight:
            basis.numbers[CONTRACTION] = max(basis.numbers[CONTRACTION], error / before)
        if before <= ACCEPTABLE * tight and not error < before:  # that was round-off
            for i in range(n_v):
                xi[i] = old[i]
            move(basis.base, xi, q, is_mapped, system, work)
            evaluate(t, q, v, VELOCITY, system, work)
            return RUNNING
        if not error < 10.0 * before or not error < HOPELESS:
            return NEWTON_FAILED
        if not factorised or (error > tight and error > SLOW * before):
            status = factorise_dependent(POSITIONS, system, work)
            if status != RUNNING:
                return status
            factorised = True
        if error <= tight:
            return RUNNING
        for i in range(n_v):
            old[i] = xi[i]
        step_dependent(work.phi, POSITIONS, xi, system, work)
        work.tally[1] += 1
        before = error
    return NEWTON_FAILED


@compiled
def speed(v, system):
    """The largest velocity, without units of length."""
    metric, largest = system.metric, 0.0
    for i in range(system.n_v):
        largest = max(largest, abs(v[i]) / (math.sqrt(metric[i]) * system.length))
    return largest


@compiled
def velocity_residual(t, system, work):
    """G v + Phi_t into phi_dot, at the velocity in work.basis; its largest scaled row, and the size of what it is the sum of."""
    basis, v, g, g_row, g_column = work.basis, work.basis.v, work.g, system.g_row, system.g_column
    phi_dot, phi_t, scale, n_v = work.phi_dot, work.phi_t, system.row_scale, system.n_v
    if basis.numbers[K] < basis.numbers[K_Z]:  # nonholonomic rows need not be linear in v
        evaluate(t, basis.q, v, VELOCITY, system, work)
    else:
        for i in range(system.n_rows):
            phi_dot[i] = phi_t[i]
        for e in range(g.size):
            if g_column[e] < n_v:
                phi_dot[g_row[e]] += g[e] * v[g_column[e]]
    error, size = velocity_error(system, work), speed(v, system)
    for i in range(system.n_rows):
        size = max(size, abs(phi_t[i]) * scale[i])
    return error, size


@compiled
def settle_velocities(t, y, system, work):
    """xi' and basis.v with G v = -Phi_t at the w in y, after settle_positions()."""
    basis = work.basis
    xi, q, v, rate, is_mapped = basis.increment, basis.q, basis.v, basis.dense[0, RATE], basis.numbers[MAPPED] > 0.0
    k_z, k, tight = int(basis.numbers[K_Z]), int(basis.numbers[K]), basis.numbers[ROUND_OFF]
    least = speed(v, system)  # what is left where the motion comes to rest is round-off of what it was
    follow(y, k, k_z, rate, system, work)
    if k_z == 0:  # without freedom v tends to zero, and an error relative to v never becomes small
        for i in range(system.n_v):
            rate[i] = 0.0
    if k < k_z:
        status = factorise_dependent(VELOCITIES, system, work)
        if status != RUNNING:
            return status
    before, guessed = math.inf, 0.0
    for n in range(ITERATIONS + 1):
        to_velocity(xi, q, rate, v, is_mapped, system, work)
        error, size = velocity_residual(t, system, work)
        if n == TWICE:  # at rest, error and velocity fall alike: what is left now is round-off of the first guess
            least = max(least, guessed)
        guessed = size if n == 0 else guessed
        size = max(size, least)
        if error <= tight * size or (error <= ACCEPTABLE * tight * size and error > 0.5 * before):
            return RUNNING
        if not error < HOPELESS * size:
            return NEWTON_FAILED
        if error > SLOW * before:
            status = factorise_dependent(VELOCITIES, system, work)
            if status != RUNNING:
                return status
        step_dependent(work.phi_dot, VELOCITIES, rate, system, work)
        before = error
    return NEWTON_FAILED


@compiled
def is_smooth(t, system, work):
    """Whether the velocities at both ends explain the way from the last accepted state to the one in work.basis."""
    dense, xi, metric, miss, way = work.basis.dense[0], work.basis.increment, system.metric, 0.0, 0.0
    kept, before, rate, h = dense[KEPT_XI], dense[KEPT_RATE], dense[RATE], t - work.basis.numbers[KEPT_TIME]
    for i in range(system.n_v):
        weight = 1.0 / metric[i]
        gap = xi[i] - kept[i] - 0.5 * h * (before[i] + rate[i])
        miss += weight * gap * gap
        way += weight * (before[i] * before[i] + rate[i] * rate[i])
    return miss <= max((NEAR * system.length) ** 2, h * h * way)


@compiled
def fold(t, system, work):
    """Whether the coordinates, if there are any, come to their end at the state in work.basis: weak pivots, or mu has grown."""
    basis = work.basis
    move(basis.base, basis.increment, basis.q, basis.numbers[MAPPED] > 0.0, system, work)
    evaluate(t, basis.q, basis.v, VELOCITY, system, work)
    if basis.numbers[K_Z] == 0.0 or factorise_dependent(VELOCITIES, system, work) != RUNNING:
        return basis.numbers[K_Z] > 0.0
    return work.kkt.report[0] > 0 or not probe(system, work) <= FOLDED * basis.numbers[PROBE]


@compiled
def walk(t, y, system, work):
    """As settle(), in hops from the last accepted state along the straight line to t and y."""
    basis, rows = work.basis, work.basis.dense[0, :SCRATCH]
    known, start = basis.dense[0, KEPT_LAST], basis.numbers[KEPT_TIME]
    fall_back(system, work)
    target, done, hop = y.copy(), 0.0, 1.0
    while done < 1.0:
        place = done + hop if done + hop < 1.0 - SHORTEST else 1.0
        now = start + place * (t - start) if place < 1.0 else t
        for i in range(y.size):
            target[i] = known[i] + place * (y[i] - known[i]) if place < 1.0 else y[i]
        time, xi, kept = basis.numbers[TIME], basis.increment.copy(), rows.copy()
        extrapolate(now, system, work)
        status = settle_positions(now, target, system, work)
        if status == RUNNING and basis.numbers[CONTRACTION] > SURE:
            status = NEWTON_FAILED
        if status == RUNNING:
            status = settle_velocities(now, target, system, work)
        if status == RUNNING:
            done, hop = place, 2.0 * hop
            continue
        basis.numbers[TIME] = time
        basis.increment[:], rows[:] = xi, kept
        hop *= 0.5
        if hop < SHORTEST:
            return NO_COORDINATES if fold(time, system, work) else status
    return RUNNING


@compiled
def settle(t, y, system, work):
    """The full state of y into work.basis: increment, xi', q and v. The report of the KKT matrix stays what it was."""
    basis, report = work.basis, work.kkt.report
    weak, first, vanished = report[0], report[1], report[2]
    extrapolate(t, system, work)
    status = settle_positions(t, y, system, work)
    if status == RUNNING:
        status = settle_velocities(t, y, system, work)
    if status != RUNNING or basis.numbers[CONTRACTION] > SURE or not is_smooth(t, system, work):
        status = walk(t, y, system, work)
    if status == RUNNING:
        k_z, k = int(basis.numbers[K_Z]), int(basis.numbers[K])
        gather(basis.dense[0, RATE], k, k_z, basis.dense[0, SLOPE, k_z:], system, work)
    report[0], report[1], report[2] = weak, first, vanished
    if status != RUNNING:
        fall_back(system, work)
    return status
