"""Central differences, order 2, explicit in the positions; with constraints imposed at the end of the step (SHAKE).

    xi_(n+1) = xi_n + h^2 a_(n+1),   v_(n+1) = (xi_n + xi_(n+1)) / (2 h),   q_(n+1) = q_n o exp(xi_n)

Two forms. The one without cancellation (the default) finds xi_n = h v_n + h^2/2 a_n from the state, so that small steps lose no
digits; it is velocity Verlet. With classic=True xi_n comes from the difference of two positions, as it is usually written, and
below some step size rounding rules. Stable for h omega <= 2. The method of choice for short steps, wave propagation, and long
runs of conservative systems. Where forces depend on velocities (gyroscopic terms, dampers, accelerations of constraints), v
and a are found by iteration.

    SecondOrderOde      a = v'(t, q, v) of the formulation, whose correction moves the new state onto the constraints
    OverdeterminedDae   M a_n + G_n^T lam = f_n with lam such that Phi(t_(n+1), q_(n+1)) = 0: reactions act along G at the start
                        of the step, positions hold to round-off, velocities are central differences and violate their
                        constraints at order 2, without drift. Nonholonomic rows hold in v.

Reference: Ryckaert, Ciccotti and Berendsen, J. Comput. Phys. 23 (1977) 327-341 (SHAKE); Uriarte, PhD thesis, UPV/EHU (2023),
sections 9.1 and 9.2; spec 004, section 4.2.1.
"""

import math

from ..compiled.interfaces import MAP, OWN, RETRACT, RHS, STEP, VELOCITY
from ..compiled.march import CULPRIT, EVALUATIONS, ITERATIONS, RESTART
from ..compiled.pointers import compiled
from ..compiled.status import NEWTON_FAILED, RUNNING
from ..linalg.factor import factorise, failure, solve
from ..linalg.kkt import add_reaction, evaluate, multiply_mass
from .base import Integrator, carried
from .conditionally_explicit import settled
from .dense_output import AT_END, AT_START, interpolate, take_slope
from .newton import larger

call_rhs, call_retract, call_map = RHS.call, RETRACT.call, MAP.call
MAX_ITERATIONS = 30
CLASSIC, TOLERANCE = range(2)  # of options
LAST_STEP = 0  # of memory: size of the last step
# rows of stages: residual; y' or the positions at the end of the next step; xi of this step; positions one step before; v'; the
# slopes
RESIDUAL, SCRATCH, INCREMENT, EARLIER, START = range(5)


@compiled
def turned(a, b, out):
    """out[:3] = the rotation vector from the quaternion a to b, in body axes."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2.0 * math.atan2(sine, w) if w >= 0.0 else -2.0 * math.atan2(sine, -w)
    size = angle / sine if sine > 1e-150 else 2.0
    out[0], out[1], out[2] = size * x, size * y, size * z


@compiled
def difference(q0, q1, xi, system, work):
    """xi = the increment from q0 to q1."""
    n_q, n_v = system.n_q, system.n_v
    if system.n_bodies == 0:
        middle, inverse, row, column = work.b, work.t_inverse, system.t_row, system.t_column
        for i in range(n_q):
            middle[i] = 0.5 * (q0[i] + q1[i])
        call_map(system.methods[3], middle[:n_q], xi[:n_v], system, work)
        for i in range(n_v):
            xi[i] = 0.0
        for e in range(inverse.size):
            xi[column[e]] += inverse[e] * (q1[row[e]] - q0[row[e]])
        return
    tree, turn_q, turn_v = system.tree, system.turn_q, system.turn_v
    if tree.body.size > 0:
        for i in range(tree.plain_q.size):
            xi[tree.plain_v[i]] = q1[tree.plain_q[i]] - q0[tree.plain_q[i]]
        for k in range(turn_q.size):
            q, v = turn_q[k], turn_v[k]
            turned(q0[q : q + 4], q1[q : q + 4], xi[v : v + 3])
        return
    q_start, group, column = system.q_start, system.group, system.column
    for b in range(system.n_bodies):
        q, v = q_start[b], column[b, 0]
        last = q_start[b + 1] if b + 1 < system.n_bodies else n_q
        size = 3 if group[b] else last - q
        for c in range(size):
            xi[v + c] = q1[q + c] - q0[q + c]
        if group[b]:
            turned(q0[q + 3 : q + 7], q1[q + 3 : q + 7], xi[v + 3 : v + 6])


@compiled
def judged(changes, h, run, system):
    """The largest change of v' times h, in units of the natural velocities, and where it is."""
    scale, n_q, largest, worst = run.scale, system.n_q, 0.0, 0
    for i in range(system.n_v):
        size = h * abs(changes[i]) / scale[n_q + i]
        if larger(size, largest):
            largest, worst = size, i
    return largest, worst


@compiled
def free(form, t, h, first, v, run, system, work):
    """v and a = v'(t, q, v) at y_new (at y for the first step), v being xi / h + h/2 a at the end of a step. A status."""
    n_q, n_v, a, rate, r = system.n_q, system.n_v, run.stages[START], run.stages[SCRATCH], run.stages[RESIDUAL]
    xi, worst, previous = run.stages[INCREMENT], 0, math.inf
    explicit, tolerance = system.n_rows == 0 and system.d_row.size == 0, run.options[TOLERANCE]
    for iteration in range(MAX_ITERATIONS):
        status = call_rhs(form[OWN], t, run.y if first else run.y_new, rate, system, work)
        run.counters[EVALUATIONS] += 1
        if status != RUNNING:
            return status
        for i in range(n_v):
            r[i] = rate[n_q + i] - a[i]
            a[i] = rate[n_q + i]
            if not first:
                v[i] = xi[i] / h + 0.5 * h * a[i]
        size, worst = judged(r, h, run, system)
        if first or explicit or size <= tolerance or settled(iteration, size, previous, tolerance):
            return RUNNING
        previous = size
        run.counters[ITERATIONS] += 1
    run.counters[CULPRIT] = worst
    return NEWTON_FAILED


@compiled
def factorise_shake(system, work):
    """Factors of [M, G^T; G_next, -epsilon] in work.kkt, where the rows of G_next are in place already."""
    matrix, n_v, diagonal = work.kkt, system.n_v, system.diagonal_slot
    a, m, g, m_slot, gt_slot, added = matrix.a, work.m, work.g, system.m_slot, system.gt_slot, work.added
    for e in range(m.size):
        a[m_slot[e]] += m[e] + added[e]
    for e in range(g.size):
        a[gt_slot[e]] += g[e]
    for i in range(system.n_rows):
        a[diagonal[n_v + 1 + i]] = -work.epsilon[i]
    return factorise(matrix)


@compiled
def constrained(t, h, first, q, v, xi, u, run, system, work):
    """u = [a, 0, lam] and v at (t, q), so that the step of h from there, by h v + h^2/2 a, ends on the constraints. A status.

    `first`: v is given. Otherwise v = xi / h + h/2 a, with the increment xi of the step before. Corrections of a and lam come
    from [M G^T; G_next 0], with the rows at the end of the next step, so that Newton's method converges at once.
    """
    n_q, n_v, n_rows, velocity_level = system.n_q, system.n_v, system.n_rows, system.velocity_level
    r, following, increment = run.stages[RESIDUAL], run.stages[SCRATCH], work.b
    phi, phi_dot, f, g, g_slot, a = work.phi, work.phi_dot, work.f, work.g, system.g_slot, work.kkt.a
    c_v, c_q = 0.0 if first else 0.5 * h, 0.5 * h * h if first else h * h
    worst, farthest, previous, renew = 0, 1.0, math.inf, True
    for i in range(n_q):
        farthest = max(farthest, abs(q[i]) / run.scale[i])
    enough = max(run.options[TOLERANCE], 4e-15 * farthest / h)  # rounding of positions, as a velocity
    for iteration in range(MAX_ITERATIONS):
        for i in range(n_v):
            if not first:
                v[i] = xi[i] / h + c_v * u[i]
            increment[i] = h * v[i] + 0.5 * h * h * u[i]
        call_retract(system.methods[1], q, increment, following, system, work)
        evaluate(t + h, following[:n_q], v, 0, system, work)
        for i in range(n_rows):
            r[n_v + 1 + i] = -phi[i] / c_q
        if renew:
            for i in range(a.size):
                a[i] = 0.0
            for e in range(g.size):
                a[g_slot[e]] += g[e]
        evaluate(t, q[:n_q], v, VELOCITY, system, work)
        run.counters[EVALUATIONS] += 2
        if renew and not factorise_shake(system, work):
            return failure(work.kkt)
        multiply_mass(system, work, u, work.e)
        add_reaction(system, work, u, n_v + 1, work.e)
        for i in range(n_v):
            r[i] = f[i] - work.e[i]
        r[n_v] = 0.0
        for i in range(n_rows):
            if velocity_level[i]:
                r[n_v + 1 + i] = 0.0 if first else -phi_dot[i] / c_v
        solve(work.kkt, r, r)
        r[n_v] = 0.0
        for i in range(n_v + 1 + n_rows):
            u[i] += r[i]
        run.counters[ITERATIONS] += 1
        size, worst = judged(r, h, run, system)
        if size <= enough or settled(iteration, size, previous, enough):
            if not first:
                for i in range(n_v):
                    v[i] = xi[i] / h + c_v * u[i]
            return RUNNING
        if not size < 1e100 or (iteration > 5 and size > previous):
            break
        renew = iteration > 0 and size > 0.3 * previous
        previous = size
    run.counters[CULPRIT] = worst
    return NEWTON_FAILED


@STEP
def central_difference(form, t, h, run, system, work):
    """One step. y = [q, v], or [q, v, u = (a, 0, lam)] where the constraints are imposed here."""
    n_q, n_v, y, y_new, counters, memory = system.n_q, system.n_v, run.y, run.y_new, run.counters, run.memory
    xi, earlier, o_u, shake = run.stages[INCREMENT], run.stages[EARLIER], n_q + n_v, form.size == OWN
    v, a = y_new[n_q:o_u], run.stages[START]
    for i in range(n_v):
        v[i] = y[n_q + i]
    if shake:
        for i in range(o_u, y.size):
            y_new[i] = y[i]
        a = y_new[o_u:]
    begins = counters[RESTART] == 1 or abs(memory[LAST_STEP] - h) > 1e-9 * h
    status = RUNNING
    if shake and begins:
        status = constrained(t, h, True, y, v, xi, a, run, system, work)
    elif not shake and (begins or system.n_rows > 0):  # corrections have moved the state since a was found
        status = free(form, t, h, True, v, run, system, work)
    if status != RUNNING:
        return status
    take_slope(t, h, AT_START, y, a, run, system, work)
    if run.options[CLASSIC] == 1.0 and not begins:
        difference(earlier, y, xi, system, work)
        for i in range(n_v):
            xi[i] += h * h * a[i]
    else:
        for i in range(n_v):
            xi[i] = h * v[i] + 0.5 * h * h * a[i]
    call_retract(system.methods[1], y, xi, y_new, system, work)
    if run.options[CLASSIC] == 1.0:
        difference(y, y_new, xi, system, work)
    for i in range(n_v):
        v[i] = xi[i] / h + 0.5 * h * a[i]  # predicted with the a of before
    if shake:
        status = constrained(t + h, h, False, y_new, v, xi, a, run, system, work)
    else:
        status = free(form, t + h, h, False, v, run, system, work)
    for i in range(n_q):
        earlier[i] = y[i]
    memory[LAST_STEP] = h
    counters[RESTART] = 0
    take_slope(t, h, AT_END, y_new, a, run, system, work)
    return status


CENTRAL_DIFFERENCE = Integrator(
    name="central-difference",
    title="Central differences, explicit in positions, order 2",
    accepts=("SecondOrderOde", "OverdeterminedDae"),
    order=2,
    orders={2: {"SecondOrderOde": (2, 2, 2), "OverdeterminedDae": (2, 2, 2)}},
    step=central_difference,
    interpolate=interpolate,
    references=(
        "Ryckaert, Ciccotti and Berendsen 1977, doi:10.1016/0021-9991(77)90098-5",
        "Uriarte 2023, PhD thesis, UPV/EHU",
    ),
    stages=7,
    memory=1,
    options={"classic": False, "tolerance": 1e-11},
    ranges={"tolerance": (1e-16, 1e-3)},
    own=lambda row, i, n_q, _: carried(0, 1) if row == EARLIER else carried(2),
)
