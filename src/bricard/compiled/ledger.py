"""The ledger of a run: what is counted and summed over its accepted steps, so that it does not depend on the output.

Turns of joint angles: by address (kernels/turns.py), whenever the turns of all bodies add up to something. Work of what is not
conservative: W = integral of the power by Gauss' rule, piece by piece between ends of steps, outputs and knots of tables, where
the power of a drive has a kink. A piece is halved until the rule resolves the power in it: with n nodes the last coefficient of
the power in Legendre's polynomials, c of its size, stands for an error of c^(2n / (n - 1)), as coefficients of a smooth function
fall geometrically. A step may be much too long for it where drives leave nothing free, or where loads do no work. States
inside a step are the integrator's dense output, or, where Gauss' rule has two nodes, from the cubic through q and q' at both
ends, with v = T+ q', whose errors at two nodes cancel each other up to O(h^4). The power is looked at in a Work of its own: the
march does not notice.

Close to a singular position the loads that hold a driven mechanism are not known: an error of its state shows in them divided
by the square of the distance. A power there that cannot be believed is taken to lie between the last one before and the next
one that can.

sums: the numbers below.
turned, one row for each angle: 0 its cosine, 1 its sine, 2 full turns, 3 1 after a step that was too large for the count.
Coordinates of users' joints have no formula that tells them from a pose: the march's own are kept, nearest to which they are.
"""

import math

from .interfaces import EXPAND, FOLLOW, INTERPOLATE, KERNEL, KINEMATICS, MAP, PLACE, POWER
from .pointers import compiled
from .status import RUNNING

FULL_TURN = 2.0 * math.pi
WORK = 0  # since the start
COVERED = 1  # share of the present step that it covers
TURNED = 2  # turn of the bodies since the last look at the angles
LAST = 3  # the last power that was sure, not a number before there was one
WAITING = 4  # time since then, for which the power is not known yet
LARGEST = 5  # power that was sure so far
BELIEVED = 0.05  # of that: an unsure power that differs from the last one by less is as good as any
RESOLVED = 100.0  # error of Gauss' rule, in relative tolerances of the run, up to which it resolves a power
SHORTEST, LEAST = 1.0 / 128, 1e-9  # piece, of what is added up at once; of a step
# halvings in a row with which the last coefficient may fall by less than this factor: rounding and jumps have no smaller pieces
PATIENCE, FALLS = 2, 0.7
UNSURE = 2  # of work.energy: 1 where the power is not known well

ON_CUBIC = 2  # nodes with which states lie on the cubic
SOON = 0.2  # rad: angles are looked at again when the turns of all bodies add up to so much

call_interpolate, call_expand, call_follow, call_power = INTERPOLATE.call, EXPAND.call, FOLLOW.call, POWER.call
call_kinematics, call_map, call_place, call_kernel = KINEMATICS.call, MAP.call, PLACE.call, KERNEL.call


@compiled
def work_so_far(sums):
    """Work since the start, with the last power that was sure up to now."""
    return sums[WORK] + sums[WAITING] * sums[LAST] if sums[WAITING] > 0.0 else sums[WORK]


@compiled
def add_power(share, power, unsure, sums):
    """Add a power for a share of time (s)."""
    if unsure and abs(power - sums[LAST]) > BELIEVED * sums[LARGEST]:
        sums[WAITING] += share
        return
    if sums[WAITING] > 0.0:
        sums[WORK] += 0.5 * sums[WAITING] * (sums[LAST] + power)
        sums[WAITING] = 0.0
    sums[WORK] += share * power
    if not unsure:
        sums[LAST], sums[LARGEST] = power, max(sums[LARGEST], abs(power))


@compiled
def enter(k, run, work):
    """The angles, the users' coordinates where the step has looked last, and the work so far, beside output k."""
    ledger = run.ledger
    turned, kept, out, n = ledger.turned, ledger.kept, ledger.out, ledger.turned.shape[0]
    for j in range(n):
        out[k, j] = math.atan2(turned[j, 1], turned[j, 0]) + FULL_TURN * turned[j, 2]
    for j in range(kept.size):
        out[k, n + j] = work.memory[kept[j]]
    out[k, n + kept.size] = work_so_far(ledger.sums)


@compiled
def count_measures(expand, t, y, system, work):
    """work.turn: the measures at the end t of a step. What was looked at last may be an output or a stage inside it."""
    n_q, first, turn, value = system.n_q, system.first, work.turn, work.value
    if turn.size == 0:
        return
    if expand == 0:
        call_place(system.methods[5], t, y[:n_q], y[n_q : n_q + system.n_v], system, work)
        for k in range(system.stage[0], system.stage[1]):
            call_kernel(system.kernels[k], t, 0, first[k], first[k + 1], system, work)
    for m in range(turn.size):
        turn[m] = value[m]


@compiled
def follow(expand, t, h, y, run, system, work):
    """Count the turns up to the state y at the end t of a step of size h. The angle whose count has become unsure, or -1."""
    ledger, n_q = run.ledger, system.n_q
    if ledger.functions[0] == 0:
        return -1
    spins, sums = ledger.spins, ledger.sums
    if spins.size > 0:
        speed = 0.0
        for i in range(spins.size):
            speed += abs(y[spins[i]])
        sums[TURNED] += h * speed
        if sums[TURNED] < SOON:
            return -1
        sums[TURNED] = 0.0
    if expand != 0:  # independent coordinates: the bodies stand where the step has looked last
        return call_follow(ledger.functions[0], t, h, y[:0], y[:0], run, system, work)
    return call_follow(ledger.functions[0], t, h, y[:n_q], y[n_q : n_q + system.n_v], run, system, work)


@compiled
def open_end(expand, t, y, end, run, system, work):
    """q and q' at one end of the step, for the cubic."""
    ledger, n_q = run.ledger, system.n_q
    if expand != 0:
        status = call_expand(expand, t, y, ledger.q[end], ledger.v, system, work)
        if status != RUNNING:  # from the last place of the step the search may fail; then it begins anew
            call_expand(expand, t, y, ledger.q[end], ledger.v, system, work)
    else:
        for i in range(n_q):
            ledger.q[end, i] = y[i]
        for i in range(system.n_v):
            ledger.v[i] = y[n_q + i]
    call_kinematics(system.methods[2], ledger.q[end], ledger.v, ledger.rate[end], system, ledger.work)


@compiled
def on_cubic(s, h, run, system):
    """The state at the share s of the step into row 2 of ledger.q, and ledger.v."""
    ledger = run.ledger
    q, rate, v, own = ledger.q, ledger.rate, ledger.v, ledger.work
    r, check = 1.0 - s, 0.0
    for i in range(system.n_q):
        q[2, i] = r * r * ((1.0 + 2.0 * s) * q[0, i] + s * h * rate[0, i])
        q[2, i] += s * s * ((3.0 - 2.0 * s) * q[1, i] - r * h * rate[1, i])
        slope = 6.0 * s * r * (q[1, i] - q[0, i]) / h
        rate[2, i] = slope + r * (1.0 - 3.0 * s) * rate[0, i] + s * (3.0 * s - 2.0) * rate[1, i]
        check += q[2, i] + rate[2, i]
    for i in range(system.n_v):
        v[i] = 0.0 if math.isfinite(check) else math.nan
    if not math.isfinite(check):  # no position belongs to y: no work is known from here on
        return
    call_map(system.methods[3], q[2], v, system, own)
    inverse, t_row, t_column = own.t_inverse, system.t_row, system.t_column
    for e in range(inverse.size):
        if t_column[e] < system.n_v:
            v[t_column[e]] += inverse[e] * rate[2, t_row[e]]


@compiled
def look_at_power(functions, form, t, h, start, end, run, system, work):
    """The power at the nodes of a piece of the step, from the share `start` to `end`, into ledger.powers."""
    ledger, interpolate, expand, n_q = run.ledger, functions[1], form[2], system.n_q
    power, simple, powers = ledger.functions[1], ledger.nodes.size == ON_CUBIC, ledger.powers
    nodes, own, scratch = ledger.nodes, ledger.work, run.scratch
    for k in range(nodes.size):
        place = start + (end - start) * nodes[k]
        now = t + place * h
        if simple:
            on_cubic(place, h, run, system)
            powers[0, k] = call_power(power, now, ledger.q[2], ledger.v, system, own)
        else:
            call_interpolate(interpolate, t, h, place, scratch, run)
            if expand != 0:
                call_expand(expand, now, scratch, ledger.q[2], ledger.v, system, work)
                powers[0, k] = call_power(power, now, ledger.q[2], ledger.v, system, own)
            else:
                powers[0, k] = call_power(power, now, scratch[:n_q], scratch[n_q : n_q + system.n_v], system, own)
        powers[1, k] = own.energy[UNSURE]


@compiled
def excess(run):
    """How much larger the last coefficient of ledger.powers is than it may be; 0 where that is not known."""
    ledger, n, last, unsure = run.ledger, run.ledger.nodes.size, 0.0, 0.0
    powers, largest = ledger.powers, ledger.sums[LARGEST]
    for k in range(n):
        last += ledger.highest[k] * powers[0, k]
        largest = max(largest, abs(powers[0, k]))
        unsure += powers[1, k]
    if n == ON_CUBIC or unsure > 0.0 or not largest > 0.0:  # on a cubic, the states are no better than the rule
        return 0.0
    return abs(last) / (largest * (RESOLVED * run.tolerance[0]) ** (0.5 * (n - 1) / n))


@compiled
def add_work(functions, form, t, h, end, run, system, work):
    """Add the work up to the share `end` of the step, in which the power is smooth."""
    ledger, done, n = run.ledger, run.ledger.sums[COVERED], run.ledger.nodes.size
    powers, width, before, stalled = ledger.powers, end - done, math.inf, 0
    least, wider = max(SHORTEST * width, LEAST), 0.5 * 0.5 ** (n - 1)
    while done < end:
        stop = done + width if done + (1.0 + 1e-9) * width < end else end
        look_at_power(functions, form, t, h, done, stop, run, system, work)
        rest = excess(run)
        if rest > 1.0 and width > least and stalled < PATIENCE:
            stalled = 0 if rest < FALLS * before else stalled + 1
            before, width = rest, 0.5 * width
            continue
        for k in range(n):
            add_power(h * (stop - done) * ledger.weights[k], powers[0, k], powers[1, k] == 1.0, ledger.sums)
        done, before, width = stop, math.inf, 2.0 * width if rest < wider else width
    ledger.sums[COVERED] = end


@compiled
def settle(functions, form, t, h, theta, run, system, work):
    """Add the work up to the share theta of the step from run.y at t to run.y_new at t + h, knot by knot.

    A correction behind the step does no work: on the way to its end a stiff damper would resist all of it, in one step.
    """
    ledger, expand = run.ledger, form[2]
    if ledger.functions[1] == 0 or theta <= ledger.sums[COVERED]:
        return
    for m in range(work.turn.size):
        ledger.work.turn[m] = work.turn[m]
    if ledger.nodes.size == ON_CUBIC:
        open_end(expand, t, run.y, 0, run, system, work)
        open_end(expand, t + h, run.y_new, 1, run, system, work)
    knots, ahead = ledger.knots, ledger.ahead
    while ahead[0] < knots.size and knots[ahead[0]] < t + theta * h:
        if knots[ahead[0]] > t + ledger.sums[COVERED] * h:
            add_work(functions, form, t, h, (knots[ahead[0]] - t) / h, run, system, work)
        ahead[0] += 1
    add_work(functions, form, t, h, theta, run, system, work)


@compiled
def step_settled(run):
    """The work up to the end of the step is in; the next step begins."""
    run.ledger.sums[COVERED] = 0.0
