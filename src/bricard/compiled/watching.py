"""Events: a function of the state that is watched crosses a value inside an accepted step.

Signs are compared at a few places inside the step. Where one has changed, the crossing is found by bracketing (Illinois, with
bisections in between) to the last digits of the time. States inside the step come from the integrator's dense output. What is
found is noted with its state; an event that interrupts the run ends the look.

A function may be zero at the start of a step, after an event: then watch.side says which sign it is about to take. Where that is
not clear, and after each crossing, it is watched again only once it has left zero by more than round-off: a pendulum that was
stopped at its lowest point does not cross it.
"""

import math

from .interfaces import AFTER_STEP, EXPAND, INTERPOLATE, SHOWN, WATCH
from .pointers import compiled
from .status import CHATTERING, RUNNING, TRIGGER_FAILED

PLACES = 4  # inside a step at which signs are compared
ITERATIONS, BISECTED = 200, 4  # of the search; every so many of them is a bisection
HALVINGS = 30  # in the search for the sign that a function takes after it was zero
NOWHERE = 2.0
TIE = 1e-12  # of two events that are no further apart
ARMED = 1e-10  # a function is watched again once it has left zero by so small a part of its size

call_interpolate, call_after, call_expand, call_watch = INTERPOLATE.call, AFTER_STEP.call, EXPAND.call, WATCH.call


@compiled
def expose(form, t, y, run, system, work):
    """The q and v of a state y into watch.q, watch.v. A status."""
    q, v = run.watch.q, run.watch.v
    if form[2] != 0:
        return call_expand(form[2], t, y, q, v, system, work)
    for i in range(system.n_q):
        q[i] = y[i]
    for i in range(system.n_v):
        v[i] = y[system.n_q + i]
    return RUNNING


@compiled
def show(functions, form, t, h, theta, run, system, work):
    """The state inside the step into watch.q, watch.v. A status."""
    scratch = run.scratch
    if theta == 1.0:
        return expose(form, t + h, run.corrected, run, system, work)
    call_interpolate(functions[1], t, h, theta, scratch, run)
    if form[0] != 0:
        call_after(form[0], t + theta * h, scratch, SHOWN, system, work)
    return expose(form, t + theta * h, scratch, run, system, work)


@compiled
def value(k, t, near, run, system, work):
    """Value minus level of function k at watch.q, watch.v; of an angle, the one nearest to `near`."""
    watch = run.watch
    found = call_watch(watch.functions[k], t, watch.q, watch.v, watch.numbers, watch.rules[3 * k + 2], system, work)
    found, period = found - watch.level[k], watch.period[k]
    return found + period * math.floor((near - found) / period + 0.5) if period > 0.0 else found


@compiled
def sign(x):
    """-1, 0 or 1."""
    return 1 if x > 0.0 else -1 if x < 0.0 else 0


@compiled
def clear_side(k, found, run):
    """The sign of a value of function k, or 0 where it is not clear of zero: then it is not watched."""
    return sign(found) if abs(found) > ARMED * run.watch.size[k] else 0


@compiled
def look_here(form, t, row, run, system, work):
    """Values at the present state into row `row`. A status."""
    samples = run.watch.samples
    status = expose(form, t, run.y, run, system, work)
    for k in range(run.watch.functions.size):
        samples[row, k] = value(k, t, samples[row, k], run, system, work)
        if status == RUNNING and not math.isfinite(samples[row, k]):
            run.watch.found[1] = k
            return TRIGGER_FAILED
    return status


@compiled
def locate(k, a, f_a, b, f_b, functions, form, t, h, run, system, work):
    """(status, place): where function k, with the sign of watch.side[k] behind a, has just changed it before b."""
    side, near = run.watch.side[k], f_a
    smallest = 4.0 * 2.2e-16 * max(abs(t), abs(t + h)) / h
    if sign(f_a) != side:  # it was zero at a: find a place where it has its sign
        for n in range(1, HALVINGS):
            c = a + (b - a) * 0.5**n
            status = show(functions, form, t, h, c, run, system, work)
            f_c = value(k, t + c * h, near, run, system, work)
            if status != RUNNING or sign(f_c) == side:
                break
            b, f_b = c, f_c
        if status != RUNNING or sign(f_c) != side:
            return status, NOWHERE
        a, f_a = c, f_c
    for n in range(1, ITERATIONS):
        if b - a <= smallest or f_b == 0.0:
            break
        c = b - f_b * (b - a) / (f_b - f_a)
        if n % BISECTED == 0 or not a < c < b:
            c = 0.5 * (a + b)
        c = min(max(c, a + 0.5 * smallest), b - 0.5 * smallest)
        status = show(functions, form, t, h, c, run, system, work)
        if status != RUNNING:
            return status, b
        f_c = value(k, t + c * h, near, run, system, work)
        if sign(f_c) == side:
            if n % BISECTED != 0:
                f_b *= 0.5  # Illinois: the other end must move as well
            a, f_a = c, f_c
        else:
            if n % BISECTED != 0:
                f_a *= 0.5
            b, f_b = c, f_c
    return RUNNING, b


@compiled
def note(k, t, run):
    """Remember an event of trigger k, with its state in watch.q, watch.v."""
    watch = run.watch
    n, n_q = watch.found[0], watch.q.size
    watch.t[n], watch.trigger[n] = t, k
    for i in range(n_q):
        watch.y[n, i] = watch.q[i]
    for i in range(watch.v.size):
        watch.y[n, n_q + i] = watch.v[i]
    watch.found[0] = n + 1


@compiled
def cross_between(s, functions, form, t, h, run, system, work):
    """Events between samples s - 1 and s, in the order of time. A status."""
    watch = run.watch
    samples, side, rules, roots, size = watch.samples, watch.side, watch.rules, watch.roots, watch.size
    a, b = (s - 1.0) / PLACES, s / PLACES
    for k in range(roots.size):
        roots[k] = NOWHERE
        size[k] = max(size[k], abs(samples[s, k]))
        crossed = side[k] != 0 and sign(samples[s, k]) != side[k]
        if side[k] == 0 or (crossed and rules[3 * k] == side[k]):
            side[k] = clear_side(k, samples[s, k], run)
        elif crossed:
            status, roots[k] = locate(
                k, a, samples[s - 1, k], b, samples[s, k], functions, form, t, h, run, system, work
            )
            if status != RUNNING:
                return status
            if roots[k] == NOWHERE:
                if rules[3 * k + 1] == 1:
                    watch.found[1] = k
                    return CHATTERING
                side[k] = clear_side(k, samples[s, k], run)
    while True:
        k = 0
        for j in range(roots.size):  # of two at once, the one that interrupts comes last
            if roots[j] + TIE * rules[3 * j + 1] < roots[k] + TIE * rules[3 * k + 1]:
                k = j
        if roots[k] == NOWHERE:
            return RUNNING
        status = show(functions, form, t, h, roots[k], run, system, work)
        if status != RUNNING:
            return status
        note(k, t + roots[k] * h, run)
        if rules[3 * k + 1] == 1:
            watch.place[0] = roots[k]
            return RUNNING
        side[k], roots[k] = clear_side(k, samples[s, k], run), NOWHERE


@compiled
def look(functions, form, t, h, run, system, work):
    """All events in the accepted step from t to t + h, up to the first that interrupts the run (watch.place). A status."""
    watch = run.watch
    samples, n = watch.samples, watch.functions.size
    watch.place[0] = NOWHERE
    for s in range(1, PLACES + 1):
        status = show(functions, form, t, h, s / PLACES, run, system, work)
        if status != RUNNING:
            return status
        for k in range(n):
            samples[s, k] = value(k, t + s / PLACES * h, samples[s - 1, k], run, system, work)
            if not math.isfinite(samples[s, k]):
                watch.found[1] = k
                return TRIGGER_FAILED
        status = cross_between(s, functions, form, t, h, run, system, work)
        if status != RUNNING or watch.place[0] < NOWHERE:
            return status
    for k in range(n):
        samples[0, k] = samples[PLACES, k]
    return RUNNING
