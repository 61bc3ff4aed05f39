"""The only time loop. It steps, asks the controller, runs the hooks, delivers output, and returns now and then.

clock:    0 time, 1 step size to try, 2 smallest step size, 3 error of the step before, 4 largest step size,
          5 start time, 6 end time, 7 nominal step of a fixed-step run (0 otherwise),
          8 the time from which on too little is left for a step (infinite before that is known).
counters: the numbers below.
"""

import math

from .interfaces import (
    AFTER_STEP,
    CONFIRM,
    CONFIRMATION,
    CONTROL,
    EVALUATE,
    EXPAND,
    INTERPOLATE,
    MARCH,
    REBASE,
    SHOWN,
    STEP,
    STEPPED,
    VELOCITY,
)
from .kinks import AIM, WHERE, begin, seek, warn
from .ledger import count_measures, enter, follow, settle, step_settled
from .pointers import compiled
from .status import (
    BROKEN,
    FINISHED,
    IN_SINGULARITY,
    KINKED,
    NOT_FINITE,
    REBASED,
    RENEW,
    REPEATED,
    RUNNING,
    STEP_TOO_SMALL,
    TRIGGERED,
)
from .watching import NOWHERE, PLACES, look, look_here

STEPS = 0  # accepted
REJECTED = 1  # tried and refused: error too large, no convergence, not finite, a kink inside
EVALUATIONS = 2  # of the right-hand side or residual
TANGENTS = 3  # of the Jacobian or tangent
ITERATIONS = 4  # of Newton's method
FACTORISATIONS = 5  # of any matrix; filled in at the end of a run
REBASINGS = 6  # independent rows or coordinates were chosen anew
CORRECTIONS = 7  # of the state, back onto the constraints; filled in at the end of a run
KINKS = 8  # of users' functions that were met; filled in at the end of a run
OUTPUT = 9  # next output
LOGGED = 10  # events in the log
RESTART = 11  # 1: the history of a multistep method is void
WEAK_NOW = 12  # 1: near a singular position
REBASED_LAST = 13  # number of the step after the last change of coordinates or rows
CULPRIT = 14  # velocity that a failure was seen in, -2 - i for the coordinate q_i, or -1
GRID = 15  # steps of the nominal grid that are behind us
KEEP_A = 16  # where in y the accelerations begin that output keeps, or -1
KEEP_LAM = 17  # the same for the multipliers
BREAK = 18  # next of the times at which history ends
LEAPS = 19  # tries to leap a singular position since the last accepted step
WEAK_PIVOTS = 20  # 1: the last accepted step ended with weak pivots
SEPARATE = (
    21  # 1: error control, and equations whose matrix is not the KKT matrix, which says little about the end of a step
)
BLIND = 22  # 1: constraints at position level only, which do not tell the way through a singular position
PLACED = 23  # 1: Python has put the state, which the triggers have not seen
N_COUNTERS = 24


PASSING = 1e-7  # relative error of a step with which a singular position may be passed
SHORTER = (0.8, 0.64, 0.512, 1.0)  # sizes of the tries to leap a singular position, the last as planned where none does

NEARLY = 1e-15  # a time before another one, which rounding does not make equal to it
SLIVER = 1e-3  # of a step: a rest that is no step of its own, but belongs to a neighbour
SHORT = 0.02  # of a step: a shorter last one, behind a break or a reset, does not tell the multipliers of index 3
# steps: a rest of no more is divided evenly; without multipliers and with them, which uneven steps spoil in index 3
EVENLY = (3.0, 10.0)

LOG_SINGULAR = 1  # entered the neighbourhood of a singular position
LOG_REBASED = 2  # independent coordinates were chosen anew
LOG_TURNS = 3  # a joint turns by more than half a turn in one step
LOG_DIVIDED = 4  # the first step of a fixed size that had to be divided; 1 where the position is nearly singular

call_step, call_control, call_interpolate = STEP.call, CONTROL.call, INTERPOLATE.call
call_after, call_rebase, call_expand, call_confirm = AFTER_STEP.call, REBASE.call, EXPAND.call, CONFIRM.call
call_evaluate = EVALUATE.call


@compiled
def deliver(expand, y, run, system, work):
    """The next output from a state: q, v, and accelerations and multipliers if y has them. A status: not all may be found."""
    counters, n = run.counters, system.n_q + system.n_v
    k, check = counters[OUTPUT], 0.0
    out = run.out_y[k]
    if expand != 0:
        status = call_expand(expand, run.out_t[k], y, out[: system.n_q], out[system.n_q : n], system, work)
        if status != RUNNING:
            return status
    else:
        for i in range(n):
            out[i] = y[i]
    for i in range(n):
        check += out[i]
    if not math.isfinite(check):
        return NOT_FINITE
    for m in range(work.turn.size):
        run.out_turn[k, m] = work.turn[m]
    enter(k, run, work)
    if counters[KEEP_A] >= 0:
        for i in range(system.n_v):
            out[n + i] = y[counters[KEEP_A] + i]
        n += system.n_v
    if counters[KEEP_LAM] >= 0:
        for i in range(system.n_rows):
            out[n + i] = y[counters[KEEP_LAM] + i]
    counters[OUTPUT] = k + 1
    return RUNNING


@compiled
def note_culprit(expand, system, run):
    """Remember the first unknown of y_new that is not finite; independent coordinates have no name."""
    y_new = run.y_new
    if expand != 0:
        return
    for i in range(y_new.size):
        if not math.isfinite(y_new[i]):
            v = i - system.n_q  # positions come first, then velocities
            run.counters[CULPRIT] = v if 0 <= v < system.n_v else -2 - i
            return


@compiled
def log(t, code, where, run):
    """Note an event, as far as there is room."""
    k = run.counters[LOGGED]
    if k < run.log_t.size:
        run.log_t[k], run.log_code[2 * k], run.log_code[2 * k + 1] = t, code, where
        run.counters[LOGGED] = k + 1


@compiled
def count_step(t, run):
    """One more accepted step, which ends at t."""
    k = run.counters[STEPS]
    run.counters[LEAPS] = 0
    if k < run.steps_t.size:
        run.steps_t[k] = t
    run.counters[STEPS] = k + 1


@compiled
def watch_singularity(t, run, system, work):
    """Log when the KKT matrix gets weak pivots among its independent rows, and geometry confirms it."""
    counters, report = run.counters, work.kkt.report
    near = report[0] > 0 and (counters[WEAK_NOW] == 1 or call_confirm(work.hooks[CONFIRMATION], system, work) == 1)
    if near and counters[WEAK_NOW] == 0:
        log(t, LOG_SINGULAR, report[1], run)
    counters[WEAK_NOW] = 1 if near else 0


@compiled
def leap(h, run):
    """Try a slightly shorter step instead of one that met a singular position or ended close to it.

    Round-off rules there: small steps would creep into it, and a state in its neighbourhood no longer knows its branch.
    """
    tries = run.counters[LEAPS]
    run.clock[1] = h * SHORTER[tries] / (SHORTER[tries - 1] if tries > 0 else 1.0)
    run.counters[LEAPS] = tries + 1


@compiled
def passes(t, run, system, work):
    """Whether a step may pass the singular position that it meets although its error exceeds the tolerance, and notes it.

    Where no try has leapt it, round-off decides about the error, and smaller steps only meet more of it.
    """
    rough = not run.error[0] * run.tolerance[0] <= PASSING
    if rough or call_confirm(work.hooks[CONFIRMATION], system, work) == 0:
        return False
    if run.counters[WEAK_NOW] == 0:
        log(t, LOG_SINGULAR, work.kkt.report[1], run)
    return True


@MARCH
def march(functions, order, form, run, system, work, max_steps):
    """Step on until the last output time, at most max_steps steps. functions: step, interpolate, control."""
    clock, counters, y, y_new, out_t = run.clock, run.counters, run.y, run.y_new, run.out_t
    step, interpolate, control, corrected = functions[0], functions[1], functions[2], run.corrected
    after, rebase, expand = form[0], form[1], form[2]
    breaks, watch, watched = run.breaks, run.watch, run.watch.functions.size
    place, kinked = run.kinks.place, run.kinks.functions.size
    while counters[OUTPUT] < out_t.size and out_t[counters[OUTPUT]] <= clock[0]:
        status = deliver(expand, y, run, system, work)
        if status != RUNNING:
            return status
    if counters[PLACED] == 1:  # not after a pause: looking may move where a search for q begins
        counters[PLACED], status = 0, RUNNING
        if watched > 0:
            status = look_here(form, clock[0], 0, run, system, work)
        if kinked > 0:
            status = max(status, begin(form, clock[0], run, system, work))
        if status != RUNNING:
            return status
    for _ in range(max_steps):
        if counters[OUTPUT] == out_t.size:
            return FINISHED
        t, h, goal = clock[0], min(clock[1], clock[4]), clock[6]
        on_grid = clock[7] > 0.0
        whole = clock[1] >= clock[7]  # steps that had to be cut meet the grid again, they do not leap it
        sliver = (SLIVER if whole else 1e-9) * clock[7]
        while on_grid and t >= clock[5] + (counters[GRID] + 1) * clock[7] - sliver:
            counters[GRID] += 1
        grid = clock[5] + (counters[GRID] + 1) * clock[7]
        if on_grid:
            goal = min(goal, grid)
        if counters[BREAK] < breaks.size and breaks[counters[BREAK]] <= goal + sliver:
            goal = breaks[counters[BREAK]]
            goal -= NEARLY * abs(goal)  # what jumps there must not be seen by the step before
        if place[AIM] > t:
            goal = min(goal, place[AIM])
        reach = h * (1.0 + 3.0 * SLIVER) if on_grid and whole else h
        hit = reach >= (goal - t) * (1.0 - 1e-9) - NEARLY * abs(goal)
        if hit and goal == clock[6] and goal - t < SHORT * h and counters[KEEP_LAM] >= 0:
            clock[8] = min(clock[8], t)  # remembered, because the step may be rejected and the rest be divided
        short = hit and goal == clock[6] and t >= clock[8]
        if not hit and not on_grid and EVENLY[1 if counters[KEEP_LAM] >= 0 else 0] * h > goal - t:
            # the step before may have been such a part: the digits in which h times a whole number misses the rest do not count
            h = (goal - t) / math.ceil((goal - t) / h * (1.0 - 1e-9))
        if hit:
            # small steps at large times: the rounding of the times is not to be seen in the step
            nominal = on_grid and goal == grid and abs(goal - t - clock[7]) <= NEARLY * abs(goal)
            h = clock[7] if nominal else goal - t
        elif not h >= clock[2]:  # a step that is no number ends here as well
            return STEP_TOO_SMALL
        weak = work.kkt.report[4]
        status = call_step(step, form, t, h, run, system, work)
        if status == RUNNING:
            check = 0.0
            for i in range(y_new.size):
                corrected[i] = y_new[i]
                check += y_new[i]
            if not math.isfinite(check):
                status = NOT_FINITE
        if status != RUNNING:
            counters[REJECTED] += 1
            counters[RESTART] = 1
            clock[1] = 0.5 * h
            if kinked > 0:
                warn(h, run)
            if on_grid:
                near = 0
                if work.kkt.report[0] > 0:
                    near = call_confirm(work.hooks[CONFIRMATION], system, work)
                if counters[REJECTED] == 1:
                    log(t, LOG_DIVIDED, near, run)
                if (
                    hit and goal == grid and goal < clock[6]
                ):  # no step ends in a singular position: the next steps over it
                    counters[GRID] += near
            if clock[1] < clock[2]:
                if status == NOT_FINITE:
                    note_culprit(expand, system, run)
                return status
            continue
        if not call_control(control, order, h, run):
            near = work.kkt.report[4] > weak
            if not (near and counters[LEAPS] == len(SHORTER) - 1 and passes(t, run, system, work)):
                counters[REJECTED] += 1
                if kinked > 0:
                    warn(h, run)
                if near and counters[LEAPS] < len(SHORTER) - 1:
                    leap(h, run)
                continue
            clock[1] = h
        t_new = goal if hit else t + h
        if after != 0:
            status = call_after(after, t_new, corrected, STEPPED, system, work)
            if status != RUNNING:
                counters[REJECTED] += 1
                counters[RESTART] = 1
                clock[1] = 0.5 * h
                if clock[1] < clock[2]:
                    return status
                continue
        weak_end = work.kkt.report[0] > 0
        if counters[SEPARATE] == 1:
            n_q = system.n_q
            call_evaluate(system.methods[0], t_new, corrected[:n_q], corrected[n_q:], VELOCITY, system, work)
            weak_end = call_confirm(work.hooks[CONFIRMATION], system, work) == 1
        if weak_end and counters[WEAK_PIVOTS] == 0 and not on_grid:
            if counters[LEAPS] < len(SHORTER):
                counters[REJECTED] += 1
                counters[RESTART] = 1
                if counters[LEAPS] == 0:
                    watch_singularity(t_new, run, system, work)
                leap(h, run)
                continue
            if counters[BLIND] == 1:
                return IN_SINGULARITY
        counters[WEAK_PIVOTS] = 1 if weak_end else 0
        if kinked > 0:
            status = seek(functions, form, t, h, run, system, work)
            if status == REPEATED:
                counters[REJECTED] += 1
                clock[1] = max(clock[1], h)
                continue
            if status != RUNNING:
                clock[0] = t_new
                for i in range(y.size):
                    y[i] = corrected[i]
                return status
            if place[WHERE] < NOWHERE:
                t_new = t + place[WHERE] * h
        if watched > 0:
            status = look(functions, form, t, h, run, system, work)
            if status != RUNNING:
                return status
            if watch.place[0] < NOWHERE:
                t_new = t + watch.place[0] * h
        while counters[OUTPUT] < out_t.size and out_t[counters[OUTPUT]] < t_new - 1e-9 * h:
            k = counters[OUTPUT]
            settle(functions, form, t, h, (out_t[k] - t) / h, run, system, work)
            call_interpolate(interpolate, t, h, (out_t[k] - t) / h, run.scratch, run)
            if after != 0:
                call_after(after, out_t[k], run.scratch, SHOWN, system, work)
            status = deliver(expand, run.scratch, run, system, work)
            if status != RUNNING:
                return status
        cut, kink = watched > 0 and watch.place[0] < NOWHERE, place[WHERE] < NOWHERE
        settle(functions, form, t, h, watch.place[0] if cut else place[WHERE] if kink else 1.0, run, system, work)
        step_settled(run)
        if cut or kink:  # Python makes the new y
            clock[0] = t_new
            counters[RESTART] = 1
            count_step(t_new, run)
            if cut:
                return TRIGGERED
            call_interpolate(interpolate, t, h, place[WHERE], run.scratch, run)
            if after != 0:
                call_after(after, t_new, run.scratch, SHOWN, system, work)
            for i in range(y.size):
                y[i] = run.scratch[i]
            return KINKED
        for i in range(y.size):
            y[i] = corrected[i]
        broken = short  # Python makes accelerations and multipliers of q and v, and they are given out then
        while counters[BREAK] < breaks.size and breaks[counters[BREAK]] <= t_new + 10.0 * NEARLY * abs(t_new):
            t_new, broken = max(t_new, breaks[counters[BREAK]]), True
            counters[BREAK] += 1
        clock[0] = t_new
        changed = RUNNING
        if rebase != 0:
            changed = call_rebase(rebase, t_new, y, system, work)
            if changed == REBASED or changed == RENEW:
                if counters[REBASED_LAST] < counters[STEPS]:  # methods that do so after every step are noted once
                    log(t_new, LOG_REBASED, 0, run)
                counters[REBASED_LAST] = counters[STEPS] + 1
                counters[REBASINGS] += 1
                counters[RESTART] = 1
            elif changed != RUNNING:
                return changed
        count_measures(expand, t_new, corrected, system, work)
        unsure = follow(expand, t_new, h, corrected, run, system, work)
        if unsure >= 0:
            log(t_new, LOG_TURNS, unsure, run)
        count_step(t_new, run)
        watch_singularity(t_new, run, system, work)
        if on_grid:
            clock[1] = min(clock[7], 2.0 * clock[1]) if clock[1] < clock[7] else clock[7]
        while not short and counters[OUTPUT] < out_t.size and out_t[counters[OUTPUT]] <= t_new + 1e-9 * h:
            status = deliver(expand, y, run, system, work)
            if status != RUNNING:
                return status
        if broken:
            return BROKEN
        if changed == RENEW:
            return RENEW
        if watched > 0 and watch.found[0] + PLACES * watched > watch.t.size:
            return RUNNING  # Python makes room for more events
    return RUNNING
