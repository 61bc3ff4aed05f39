"""An energy-momentum method: the midpoint rule with averages over the step that make energy and momenta exact.

    M (v_(n+1) - v_n) = h (f - G^T lam),   q_(n+1) = q_n o cay(h w),   Phi(t_(n+1), q_(n+1)) = 0

f and G are taken halfway. cay is Cayley's transformation: the turn about W h has the tangent h |W| / 2 of half its angle, so that
with the average A of the two rotation matrices R_(n+1) - R_n = h A [W]x. Written in the axes halfway, C being the cosine of half
the angle across W and 1 along it (A = R C), each body has

    J (W_(n+1) - W_n) + h W x J W_m = h C^-1 torque,   W_m = (W_n + W_(n+1)) / 2,   W = W_m

(Simo and Wong). Of bodies of revolution, J = J1 across the axis, W is the solution of W + k x W = W_m, k = h J (W_(n+1) - W_n)
/ (4 J1): the gain of kinetic energy, a function of momentum and axis only, is then still the work of the torque, and the spin
about the axis is kept.

Points and directions of a body enter f and G as averages of their two ends, C p in place of p. Constraints that are of second
degree in them (all joints but couplings) are then exact, G (h w) = Phi(q_(n+1)) - Phi(q_n): their reactions do no work, and
balance. Lengths and angles, of springs and couplings, have mean values and gradients with just that property. Work that is
missing still is done by a force along M v_m (Gonzalez): it is rounding, but for users' constraints, angles of axes that are not
aligned, and coordinates other than absolute ones, whose momenta are kept to order 2.

Kept to rounding with index3 (index2 and index3-alf change the state after the step): the energy balance, momentum, angular
momentum about every axis about which the exact motion keeps it, spin of bodies of revolution. rattle keeps the momenta too, at
a lower cost, and the energy to order 2. For long runs where the energy decides. The work of dampers, drives and laws other than
linear springs is that of the values halfway, of order 2. Nothing is damped: velocities miss their constraints by O(h^2), to and
fro, and at coarse steps by more and more, which a constant energy does not show (`solution.constraint_errors` does). Only where
a step had to be cut they are settled first, with the same energy; where that is not possible, the run ends. Multipliers
alternate by O(h), so those that are given out are averages. Nonholonomic rows hold halfway.
Reference: Simo and Wong, Int. J. Numer. Meth. Eng. 31 (1991) 19-52; Gonzalez, J. Nonlinear Sci. 6 (1996) 449-467;
Betsch and Leyendecker, Int. J. Numer. Meth. Eng. 67 (2006) 499-552; spec 004, section 1.9.
"""

import math

from ..compiled.interfaces import (
    AVERAGE,
    ENERGY,
    MECHANICAL_FACTORISE,
    MECHANICAL_RESIDUAL,
    MECHANICAL_SOLVE,
    OWN,
    REFRESH,
    RETRACT,
    STEP,
    TANGENT,
    VELOCITY,
)
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART, TANGENTS
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..kernels.vectors import add, cross, dot, nine, rotate, scale, subtract, triple
from ..linalg.factor import failure
from ..linalg.kkt import (
    evaluate,
    evaluated_accelerations,
    factorise_kkt,
    kinetic_energy,
    multiply_mass,
    solve_kkt,
    velocity_error,
)
from .base import Integrator, same_order
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newton import larger

call_residual, call_retract = MECHANICAL_RESIDUAL.call, RETRACT.call
call_factorise, call_solve = MECHANICAL_FACTORISE.call, MECHANICAL_SOLVE.call
MAX_ITERATIONS = 50
SOFTNESS = 1e-10  # epsilon of the Newton matrix, in natural sizes
NOTHING = 1e-15  # of a position
ROUNDING = 1e-14  # of Phi, in characteristic lengths or radians, and of the energy: less is not corrected
CUT = 0.75  # of the last step: a longer one has failed
LITTLE = 1e-2  # of the kinetic energy
SETTLED = 1e-9  # velocity error in characteristic lengths or radians per second
STAGNATION = 1e3  # corrections that no longer shrink are accepted up to so many tolerances
# memory: size of the last step, how many steps of that size are behind it
LAST_STEP, PAST = range(2)


@compiled
def cayley(first, last, way, increment):
    """One turn, in the places first to last - 1, as RETRACT takes it."""
    square = 0.0
    for i in range(first, last):
        square += way[i] * way[i]
    half = 0.5 * math.sqrt(square)
    ratio = math.atan(half) / half if half > 1e-4 else 1.0 - square / 12.0 + square * square / 80.0
    for i in range(first, last):
        increment[i] = ratio * way[i]


@compiled
def drift(h, v, u, w, system):
    """w (n_v): the velocities with which the bodies travel through the step, from the mean velocities v and accelerations u."""
    group, column, inertia, equatorial = system.group, system.column, system.inertia, system.equatorial
    for i in range(system.n_v):
        w[i] = v[i]
    for b in range(system.n_bodies):
        if group[b] and equatorial[b] > 0.0:
            o = column[b, 3]
            spin = triple(v, o)
            k = scale(0.25 * h * h / equatorial[b], rotate(nine(inertia[b], 0), triple(u, o)))
            moved = add(subtract(spin, cross(k, spin)), scale(dot(k, spin), k))
            w[o], w[o + 1], w[o + 2] = scale(1.0 / (1.0 + dot(k, k)), moved)


@compiled
def travel(h, y, u, v, way, increment, y_new, middle, system, work):
    """Mean velocities v, the way h w, and the states y_new and middle at the end of the step and halfway, there with w for v."""
    n_q, n_v, column, planar, turn_v = system.n_q, system.n_v, system.column, system.planar, system.turn_v
    for i in range(n_v):
        v[i] = y[n_q + i] + 0.5 * h * u[i]
        y_new[n_q + i] = y[n_q + i] + h * u[i]
    drift(h, v, u, way, system)
    for i in range(n_v):
        middle[n_q + i] = way[i]
        way[i] *= h
        increment[i] = way[i]
    for b in range(system.n_bodies):
        if planar[b] and column[b, 5] < n_v:
            cayley(column[b, 5], column[b, 5] + 1, way, increment)
    for k in range(turn_v.size):
        cayley(turn_v[k], turn_v[k] + 3, way, increment)
    call_retract(system.methods[1], y, increment, y_new, system, work)
    for i in range(n_v):
        increment[i] *= 0.5
    call_retract(system.methods[1], y, increment, middle, system, work)


@compiled
def turn_of(b, way, system):
    """The way of a body's turn, in its own axes; zero where it is not a part of the coordinates."""
    column = system.column
    if system.group[b]:
        return triple(way, column[b, 3])
    if system.planar[b] and column[b, 5] < system.n_v:
        return (0.0, 0.0, way[column[b, 5]])
    return (0.0, 0.0, 0.0)


@compiled
def averaging(turn):
    """C = c 1 + s turn turn^T: (c, s)."""
    c = 1.0 / math.sqrt(1.0 + 0.25 * dot(turn, turn))
    return c, 0.25 * c * c / (1.0 + c)


@compiled
def average(way, system, work):
    """Points and directions of the bodies become averages over the step: C p."""
    vectors, parameters, local = system.vectors, system.parameters, work.local
    for k in range(vectors.shape[0]):
        o, b = vectors[k, 0], vectors[k, 1]
        if b < system.n_bodies:
            p, turn = triple(parameters, o), turn_of(b, way, system)
            c, s = averaging(turn)
            local[o], local[o + 1], local[o + 2] = add(scale(c, p), scale(s * dot(turn, p), turn))


@compiled
def end_averages(system, work):
    """Points and directions are those of the bodies again."""
    vectors, parameters, local = system.vectors, system.parameters, work.local
    for k in range(vectors.shape[0]):
        for o in range(vectors[k, 0], vectors[k, 0] + 3):
            local[o] = parameters[o]


@compiled
def energy(v, momentum, system, work):
    """Kinetic energy at v (n_v) and potential energy; work is evaluated with ENERGY, momentum is scratch."""
    return work.energy[0] + kinetic_energy(v, momentum, system, work)


@compiled
def do_missing_work(h, start, gain, u, v, w, phi_change, momentum, r, system, work):
    """Add the force along M v to the residual r halfway that does the work by which forces and reactions miss the gain of energy.

    start : energy at the start of the step. v, w (n_v) : mean velocities, and those of the way. phi_change (n_rows) is changed;
    momentum (n_v + 1) is scratch.
    """
    n_v, n_rows, g, f = system.n_v, system.n_rows, work.g, work.f
    g_row, g_column, velocity_level, row_scale = system.g_row, system.g_column, system.velocity_level, system.row_scale
    multiply_mass(system, work, u, momentum)
    missing = h * work.energy[1] - gain  # work of what is not conservative, less what was gained
    for i in range(n_v):  # as the equations have it: M v' for the gain of kinetic energy, and f
        missing += h * w[i] * (momentum[i] - f[i])
    for e in range(g.size):
        if g_column[e] < n_v:
            phi_change[g_row[e]] -= h * g[e] * w[g_column[e]]
    for i in range(n_rows):  # nonholonomic rows hold halfway: their reactions do no work
        if not velocity_level[i] and work.phi_t[i] == 0.0 and abs(phi_change[i]) * row_scale[i] > ROUNDING:
            missing -= u[n_v + 1 + i] * phi_change[i]
    multiply_mass(system, work, v, momentum)
    power = 0.0
    for i in range(n_v):
        power += w[i] * momentum[i]
    # near rest rounding would become a force of any size
    if power > 0.0 and abs(missing) > ROUNDING * (abs(start) + abs(gain) + power):
        for i in range(n_v):
            r[i] -= missing / (h * power) * momentum[i]


@compiled
def turn_torques(u, v, w, way, r, system):
    """Torques in the residual r become C^-1 torque, and the gyroscopic ones W x J W_m."""
    group, column, inertia = system.group, system.column, system.inertia
    for b in range(system.n_bodies):
        if group[b]:
            o, J = column[b, 3], nine(inertia[b], 0)
            spin, turn = triple(w, o), triple(way, o)
            c, s = averaging(turn)
            push = rotate(J, triple(u, o))
            load = subtract(subtract(triple(r, o), push), cross(spin, rotate(J, spin)))
            load = scale(1.0 / c, subtract(load, scale(s * dot(turn, load), turn)))
            r[o], r[o + 1], r[o + 2] = add(add(push, cross(spin, rotate(J, triple(v, o)))), load)


@compiled
def mean_change(h, b, x, w, system):
    """The change of a body's mean angular acceleration that changes its way through the step by x, in units of h^2/2.

    Linear: x = (1 + h/2 [W]x J / J1) change.
    """
    J, spin = nine(system.inertia[b], 0), triple(w, system.column[b, 3])
    factor = 0.5 * h / system.equatorial[b]
    p = add((1.0, 0.0, 0.0), scale(factor, cross(spin, (J[0][0], J[1][0], J[2][0]))))
    q = add((0.0, 1.0, 0.0), scale(factor, cross(spin, (J[0][1], J[1][1], J[2][1]))))
    r = add((0.0, 0.0, 1.0), scale(factor, cross(spin, (J[0][2], J[1][2], J[2][2]))))
    normal = cross(q, r)
    volume = dot(p, normal)
    return dot(x, normal) / volume, dot(p, cross(x, r)) / volume, dot(p, cross(q, x)) / volume


@compiled
def lead(h, w, system, work):
    """Newton's matrix for changes of the way in the place of accelerations, of bodies of revolution: D is changed for that."""
    group, inertia, equatorial, d = system.group, system.inertia, system.equatorial, work.d
    for b in range(system.n_bodies):
        if group[b] and equatorial[b] > 0.0:
            o, J = system.gyroscopic[b], nine(inertia[b], 0)
            x = mean_change(h, b, (1.0, 0.0, 0.0), w, system)
            y = mean_change(h, b, (0.0, 1.0, 0.0), w, system)
            z = mean_change(h, b, (0.0, 0.0, 1.0), w, system)
            for i in range(3):
                row, gyro = J[i], triple(d, o + 3 * i)
                whole = add(row, scale(0.5 * h, gyro))
                d[o + 3 * i] = (dot(whole, x) - row[0]) / (0.5 * h)
                d[o + 3 * i + 1] = (dot(whole, y) - row[1]) / (0.5 * h)
                d[o + 3 * i + 2] = (dot(whole, z) - row[2]) / (0.5 * h)


@compiled
def follow(h, w, change, system):
    """The solution of Newton's matrix as a change of accelerations."""
    group, column, equatorial = system.group, system.column, system.equatorial
    for b in range(system.n_bodies):
        if group[b] and equatorial[b] > 0.0:
            o = column[b, 3]
            change[o], change[o + 1], change[o + 2] = mean_change(h, b, triple(change, o), w, system)


@compiled
def settle(t, y, momentum, system, work):
    """Velocities in y are moved onto their constraints where they miss them, with accelerations and multipliers to fit. A status.

    Behind a step that did not converge: what the longer step missed would be turned round by each shorter one, by lam ~ 1/h.
    The energy that was in it goes back into the motion; where that is more than a little, the steps were too long all the time.
    momentum (n_v + 1) is scratch.
    """
    n_q, n_v, b, u = system.n_q, system.n_v, work.b, work.u
    q, v = y[:n_q], y[n_q : n_q + n_v]
    evaluate(t, q, v, VELOCITY, system, work)
    if velocity_error(system, work) <= SETTLED:
        return RUNNING
    if not factorise_kkt(system, work):
        return failure(work.kkt)
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = -work.phi_dot[i]
    solve_kkt(system, work, b, u)
    before = kinetic_energy(v, momentum, system, work)
    for i in range(n_v):
        v[i] += u[i]
    after, still = kinetic_energy(v, momentum, system, work), True
    for i in range(system.n_rows):
        still = still and work.phi_t[i] == 0.0
    if after < (1.0 - LITTLE) * before:
        for i in range(n_v):
            v[i] -= u[i]
        return NEWTON_FAILED
    if still and after > 0.0:
        for i in range(n_v):
            v[i] *= math.sqrt(before / after)
    evaluate(t, q, v, VELOCITY, system, work)
    if not evaluated_accelerations(system, work):
        return failure(work.kkt)
    for i in range(n_v + 1 + system.n_rows):
        y[n_q + n_v + i] = u[i]
    return RUNNING


@STEP
def energy_momentum(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam)]; options: tolerance.

    stages: r, way, increment, state halfway, mean v, momentum, Phi at the start, its change, rows at the end, mean u, that of the
    last step and that of the step before, slopes.
    """
    n_q, n_v, n_rows, y, y_new = system.n_q, system.n_v, system.n_rows, run.y, run.y_new
    counters, memory, stages, velocity_level = run.counters, run.memory, run.stages, system.velocity_level
    n_u, o_u, tolerance = n_v + 1 + n_rows, n_q + n_v, run.options[0]
    r, way, increment, middle = stages[0][:n_u], stages[1][:n_v], stages[2][:n_v], stages[3]
    v, w, momentum = stages[4][:n_v], middle[n_q:o_u], stages[5][: n_v + 1]
    phi, phi_change, rows = stages[6][:n_rows], stages[7][:n_rows], stages[8][:n_rows]
    mean, last, earlier = stages[9][:n_u], stages[10][:n_u], stages[11][:n_u]
    if counters[RESTART] == 1 and h < CUT * memory[LAST_STEP]:
        status = settle(t, y, momentum, system, work)
        if status != RUNNING:
            return status
    if counters[RESTART] == 1 or abs(memory[LAST_STEP] - h) > 1e-9 * h:
        memory[PAST] = 0.0
    evaluate(t, y[:n_q], y[n_q:o_u], ENERGY, system, work)
    start = energy(y[n_q:o_u], momentum, system, work)
    for i in range(n_rows):
        phi[i] = work.phi[i]
    for e in range(work.value.size):
        work.ends[0, e] = work.value[e]
    for i in range(n_u):
        mean[i] = y[o_u + i]
    for i in range(n_rows):  # a row that is left out depends on the others at the ends only, not halfway
        if work.epsilon[i] > system.row_diagonal[i]:
            mean[n_v + 1 + i] = 0.0
    fastest, strongest, farthest = 0.0, 0.0, 1.0
    for i in range(n_v):
        fastest = max(fastest, abs(y[n_q + i]) / run.scale[n_q + i])
        strongest = max(strongest, abs(y[o_u + i]) / run.scale[n_q + i])
    for i in range(n_q):
        farthest = max(farthest, abs(y[i]) / run.scale[i])
    # of the error left in v': a small share of what there is, or what moves q by less than rounding
    enough = max(tolerance * (fastest / h + strongest), NOTHING * farthest / (h * h))
    averaged = AVERAGE if system.vectors.shape[0] > 0 else 0
    # a change dv' of the mean acceleration changes what is halfway by c_v dv' and c_q dv', what is at the end by twice as much
    c_v, c_q, renew, previous, worst = 0.5 * h, 0.25 * h * h, True, math.inf, 0
    for iteration in range(MAX_ITERATIONS):
        travel(h, y, mean, v, way, increment, y_new, middle, system, work)
        call_residual(form[OWN], t + h, y_new, mean, r, ENERGY, system, work)
        gain = energy(y_new[n_q:o_u], momentum, system, work) - start
        for i in range(n_rows):
            phi_change[i], rows[i] = work.phi[i] - phi[i], 0.5 * r[n_v + 1 + i]
        for e in range(work.value.size):
            work.ends[1, e] = work.value[e]
        flags = ENERGY | VELOCITY | averaged | (TANGENT | REFRESH if renew else 0)
        average(way, system, work)
        call_residual(form[OWN], t + 0.5 * h, middle, mean, r, flags, system, work)
        end_averages(system, work)
        counters[EVALUATIONS] += 2
        for i in range(n_rows):
            if not velocity_level[i]:
                r[n_v + 1 + i] = rows[i]
        if renew:
            lead(h, w, system, work)
            status = call_factorise(form[OWN + 1], c_v, c_q, True, SOFTNESS, increment, system, work)
            counters[TANGENTS] += 1
            if status != RUNNING:
                return status
        do_missing_work(h, start, gain, mean, v, w, phi_change, momentum, r, system, work)
        turn_torques(mean, v, w, way, r, system)
        for i in range(n_u):
            r[i] = -r[i]
        call_solve(form[OWN + 2], c_v, c_q, True, increment, r, system, work)
        follow(h, w, r, system)
        size = 0.0
        for i in range(n_v):
            change = abs(r[i]) / run.scale[n_q + i]
            if larger(change, size):
                size, worst = change, i
        for i in range(n_u):
            mean[i] += r[i]
        mean[n_v] = 0.0
        counters[ITERATIONS] += 1
        stagnant = iteration > 2 and size > 0.3 * previous and size <= STAGNATION * enough
        if size <= 0.01 * enough or (iteration > 0 and size * size <= 0.01 * enough * previous) or stagnant:
            travel(h, y, mean, v, way, increment, y_new, middle, system, work)
            # to the end of the step: straight, from averages of two neighbours once there are three
            for i in range(n_u):
                if memory[PAST] >= 2.0:
                    y_new[o_u + i] = mean[i] + 0.5 * (last[i] - earlier[i])
                else:
                    y_new[o_u + i] = 2.0 * mean[i] - y[o_u + i]
                earlier[i], last[i] = last[i], mean[i]
            memory[PAST], memory[LAST_STEP] = memory[PAST] + 1.0, h
            counters[RESTART] = 0
            take_slope(t, h, AT_START, y, y[o_u:], run, system, work)
            take_slope(t, h, AT_END, y_new, y_new[o_u:], run, system, work)
            return RUNNING
        if not size < 1e100 or (iteration > 5 and size > previous):
            break
        renew = iteration > 0 and size > 0.3 * previous
        previous = size
    counters[CULPRIT] = worst
    return NEWTON_FAILED


ENERGY_MOMENTUM = Integrator(
    name="energy-momentum",
    title="Energy-momentum method on the Lie group, implicit, order 2; energy and momenta exact",
    accepts=("MechanicalDae",),
    order=2,
    orders=same_order(2, form="MechanicalDae"),
    step=energy_momentum,
    interpolate=interpolate,
    references=("Simo and Wong 1991, doi:10.1002/nme.1620310103", "Gonzalez 1996, doi:10.1007/BF02440162"),
    stages=14,
    memory=2,
    options={"newton_tolerance": 1e-14},
    ranges={"newton_tolerance": (1e-15, 1e-3)},
)
