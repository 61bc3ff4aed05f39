"""RATTLE: velocity Verlet with constraints of position and velocity, explicit in the forces, symplectic, order 2.

    M v_half = M v_n + h/2 (f_n - G_n^T lam),              q_(n+1) = q_n o exp(h v_half),     Phi(t_(n+1), q_(n+1)) = 0
    M v_(n+1) = M v_half + h/2 (f_(n+1) - G_(n+1)^T mu),   G v + Phi_t = 0 at t_(n+1)

For bodies in space the first two are balances of momentum on the rotation group: without the gyroscopic torque among the forces,
with W the angular velocity of the step and E the inverse of the tangent operator of the exponential map,

    J w_n + h/2 torque_n = E(h W) J W,   R_(n+1) = R_n exp(h W),   J w_(n+1) = E(-h W) J W + h/2 torque_(n+1)

Symplectic for conservative systems with a constant mass matrix: the energy error stays bounded, and what symmetries conserve is
conserved to rounding: momentum, angular momentum, the spin of a top. Two or three evaluations and one symmetric factorisation
a step. For long runs without damping, and for accuracy that need not be high. Stable for h omega <= 2. Forces that depend on
velocities (dampers, variable M) are iterated at the end of the step; order 2 remains. Nonholonomic rows: v_half moves along them
as the accelerations at t_n say.
Reference: Andersen, J. Comput. Phys. 52 (1983) 24-34; Leimkuhler and Skeel, J. Comput. Phys. 112 (1994) 117-125; Hante and
Arnold, J. Comput. Appl. Math. 387 (2021) 112492, for the Lie group.
"""

from ..compiled.interfaces import RETRACT, STEP, VELOCITY
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..formulations.increments import rate_of
from ..kernels.vectors import add, cross, dot, nine, rotate, scale, subtract, triple
from ..linalg.factor import failure
from ..linalg.kkt import evaluate, factorise_kkt, multiply_mass, solve_kkt
from .base import Integrator, same_order
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newton import larger

call_retract = RETRACT.call
MAX_ITERATIONS = 25
FLAT = 1e-9  # volume of three directions, of that of perpendicular ones, which rounding leaves of none
MARK = 0  # memory: factorisations up to its own (a hook may have made others since)


@compiled
def spin_with(J, momentum, h, w):
    """The W with E(h W) J W = momentum, from the guess w: Newton's method without the second-order part of E."""
    for _ in range(MAX_ITERATIONS):
        spin = rotate(J, w)
        error = subtract(momentum, rate_of(scale(h, w), spin))
        x = (J[0][0], J[1][0], J[2][0])
        y = (J[0][1], J[1][1], J[2][1])
        z = (J[0][2], J[1][2], J[2][2])
        x = add(x, scale(0.5 * h, add(cross(w, x), cross((1.0, 0.0, 0.0), spin))))
        y = add(y, scale(0.5 * h, add(cross(w, y), cross((0.0, 1.0, 0.0), spin))))
        z = add(z, scale(0.5 * h, add(cross(w, z), cross((0.0, 0.0, 1.0), spin))))
        normal = cross(y, z)
        volume = dot(x, normal)
        if volume * volume <= FLAT * FLAT * dot(x, x) * dot(y, y) * dot(
            z, z
        ):  # no inertia about some axis: nothing turns it
            return w
        change = (dot(error, normal) / volume, dot(x, cross(error, z)) / volume, dot(x, cross(y, error)) / volume)
        w = add(w, change)
        if not dot(change, change) > 1e-32 * dot(w, w):
            break
    return w


@compiled
def first_half(h, v, a, half, load, system):
    """half (n_v) = the velocity of the step after half a step of the accelerations a; load = momenta of turning behind it."""
    group, column, inertia = system.group, system.column, system.inertia
    for i in range(system.n_v):
        half[i] = v[i] + 0.5 * h * a[i]
    for b in range(system.n_bodies):
        if group[b]:
            o, J = column[b, 3], nine(inertia[b], 0)
            w, spin, push = triple(v, o), rotate(J, triple(v, o)), rotate(J, triple(a, o))
            momentum = add(spin, scale(0.5 * h, add(push, cross(w, spin))))
            load[o], load[o + 1], load[o + 2] = momentum
            half[o], half[o + 1], half[o + 2] = spin_with(J, momentum, h, triple(half, o))


@compiled
def push(h, change, half, load, system):
    """The velocity of the step, moved by an impulse that would change the velocity by `change` (n_v)."""
    group, column, inertia = system.group, system.column, system.inertia
    for b in range(system.n_bodies):
        if group[b]:
            o, J = column[b, 3], nine(inertia[b], 0)
            momentum = add(triple(load, o), rotate(J, triple(change, o)))
            load[o], load[o + 1], load[o + 2] = momentum
            turned = spin_with(J, momentum, h, add(triple(half, o), triple(change, o)))
            change[o], change[o + 1], change[o + 2] = subtract(turned, triple(half, o))
    for i in range(system.n_v):
        half[i] += change[i]


@compiled
def last_half(h, half, v, b, system, work):
    """b (n_v) = momentum before the last impulse of the constraints; work is evaluated at the end of the step and v."""
    group, column, inertia, f = system.group, system.column, system.inertia, work.f
    multiply_mass(system, work, half, b)
    for i in range(system.n_v):
        b[i] += 0.5 * h * f[i]
    for k in range(system.n_bodies):
        if group[k]:
            o, J = column[k, 3], nine(inertia[k], 0)
            W, w = triple(half, o), triple(v, o)
            gyroscopic = cross(rotate(J, w), w)  # as it is among the forces
            torque = subtract(triple(f, o), gyroscopic)
            b[o], b[o + 1], b[o + 2] = add(rate_of(scale(-h, W), rotate(J, W)), scale(0.5 * h, torque))


@STEP
def rattle(form, t, h, run, system, work):
    """One step. y = [q, v, u = (v', 0, lam)]; options: tolerance; stages: v_half, load, b, u, increment, slopes."""
    n_q, n_v, n_rows, y, y_new = system.n_q, system.n_v, system.n_rows, run.y, run.y_new
    counters, memory, tolerance, size_of = run.counters, run.memory, run.options[0], run.scale
    o_u, n_u, velocity_level = n_q + n_v, n_v + 1 + n_rows, system.velocity_level
    half, load = run.stages[0][:n_v], run.stages[1][:n_v]
    b, u, increment = run.stages[2][:n_u], run.stages[3][:n_u], run.stages[4][:n_v]
    q_new, v_new, last = y_new[:n_q], y_new[n_q:o_u], y_new[o_u : o_u + n_u]
    if counters[RESTART] == 1 or work.kkt.report[3] != memory[MARK]:
        evaluate(t, y[:n_q], y[n_q:o_u], VELOCITY, system, work)
        if not factorise_kkt(system, work):
            return failure(work.kkt)
        memory[MARK] = work.kkt.report[3]
    first_half(h, y[n_q:o_u], y[o_u : o_u + n_v], half, load, system)
    # impulses along G_n, with the factors of t_n, until the position constraints hold at the end of the step
    previous, worst, converged = 0.0, 0, False
    for iteration in range(MAX_ITERATIONS):
        for i in range(n_v):
            increment[i] = h * half[i]
        call_retract(system.methods[1], y, increment, y_new, system, work)
        if converged:
            break
        evaluate(t + h, q_new, half, 0, system, work)
        counters[EVALUATIONS] += 1
        counters[ITERATIONS] += 1
        for i in range(n_v + 1):
            b[i] = 0.0
        for i in range(n_rows):
            b[n_v + 1 + i] = 0.0 if velocity_level[i] else -work.phi[i] / h
        if system.refinements > 0:  # they need the G of the factors
            evaluate(t, y[:n_q], y[n_q:o_u], 0, system, work)
        solve_kkt(system, work, b, u)
        size = 0.0
        for i in range(n_v):
            change = h * abs(u[i]) / size_of[n_q + i]
            if larger(change, size):
                size, worst = change, i
        if not size < 1e100 or (iteration > 5 and size > previous):
            break
        push(h, u, half, load, system)
        converged = size <= tolerance or (iteration > 0 and size * size <= tolerance * previous)
        previous = size
    if not converged:
        counters[CULPRIT], memory[MARK] = worst, 0.0
        return NEWTON_FAILED
    # impulses along G_(n+1), until forces and velocities agree
    for i in range(n_v):
        v_new[i] = y[n_q + i] + h * y[o_u + i]
    converged = False
    for iteration in range(MAX_ITERATIONS):
        evaluate(t + h, q_new, v_new, VELOCITY, system, work)
        counters[EVALUATIONS] += 1
        if iteration == 0:
            if not factorise_kkt(system, work):
                return failure(work.kkt)
            memory[MARK] = work.kkt.report[3]
        last_half(h, half, v_new, b, system, work)
        b[n_v] = 0.0
        for i in range(n_rows):
            b[n_v + 1 + i] = -work.phi_t[i]
        solve_kkt(system, work, b, u)
        size = 0.0
        for i in range(n_v):
            change = h * abs(u[i] - v_new[i]) / size_of[n_q + i]
            v_new[i] = u[i]
            if larger(change, size):
                size, worst = change, i
        converged = iteration > 0 and size <= tolerance
        if converged or not size < 1e100:
            break
    if not converged:
        counters[CULPRIT] = worst
        return NEWTON_FAILED
    for i in range(n_v):
        b[i] = work.f[i]
    b[n_v] = 0.0
    for i in range(n_rows):
        b[n_v + 1 + i] = work.gamma[i]
    solve_kkt(system, work, b, last)
    counters[RESTART] = 0
    take_slope(t, h, AT_START, y, y[o_u:], run, system, work)
    take_slope(t, h, AT_END, y_new, last, run, system, work)
    return RUNNING


RATTLE = Integrator(
    name="rattle",
    title="RATTLE on the Lie group, explicit in the forces, symplectic, order 2",
    accepts=("OverdeterminedDae",),
    order=2,
    orders=same_order(2, form="OverdeterminedDae"),
    step=rattle,
    interpolate=interpolate,
    references=(
        "Leimkuhler and Skeel 1994, doi:10.1006/jcph.1994.1085",
        "Hante and Arnold 2021, doi:10.1016/j.cam.2019.112492",
    ),
    stages=7,
    memory=1,
    options={"newton_tolerance": 1e-13},
    ranges={"newton_tolerance": (1e-15, 1e-3)},
)
