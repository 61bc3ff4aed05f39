"""Kinks: a user's function leaves the branch on which it was, inside an accepted step.

At both ends of a step the functions that have several branches are asked once, with numbers that keep a track of the sides
(sided.py). Where the tracks of both ends differ, the step is taken again with dense output, and the place is found on it by
bisection, to WIDTH of the step. On both sides of it the functions are asked along the way of the step: where neither the value
nor the first derivative (of rows of positions and of potentials nor the second) jumps by more than the tolerance, the kink does
not count.

A step that has seen the other side is no good up to the kink either: its stages lie beyond. So it is taken again, to end clearly
before the kink, where no stage sees the other side. Its dense output, continued, tells the place of the kink as exactly as the
method is; a much smaller step, whose stages are so much more exact, ends much nearer. From there the dense output leads beyond
the kink, and Python makes a new start, as at a break. After a step that was refused, by its error or by Newton's method, which
fails where a force jumps, the next one looks ahead, too.
"""

import math

from .interfaces import BRANCHES, SIDES
from .pointers import compiled
from .status import NO_DERIVATIVE, REPEATED, RUNNING
from .watching import NOWHERE, expose, show

START, END, BASE, LOOK = range(4)  # rows of tracks
BEFORE, BEHIND = 1, 2  # rows of parts
ELEMENT, KIND, LEVEL, RESULTS, FIRST, LAST, ARGUMENTS = range(7)  # columns of elements
LOAD, POSITION, VELOCITY, POTENTIAL, COMPLETE = range(
    5
)  # levels: what results are; COMPLETE: with all derivatives that count
WHERE, AIM, SPAN, EXPECTED, MOVED = range(5)  # of place
DENSE, TRIES, FAR, STOPS, FOUND, ENDS = range(6)  # of state
MARK, SEEN, POINTS = range(3)  # of a track (hyperdual/sided.py)
KINKS, STANDS = range(2)  # of counts

WIDTH = 1e-10  # of the step, to which a kink is found
FEW = 16  # kinks in one step
RARE = 16  # steps, after which results are looked at again for their size; sides are at the end of each
NEAR = 1e-5  # of the step that met the kink: an end that is so near is continued to it
MARGINS = (0.2, 0.4, 0.6, 0.8)  # of a step: so much before the kink it is to end, after so many that did not
ROUGH, CLOSE = 0.02, 1e-3  # the same of further steps, larger ones and smaller ones
SURE = 0.25  # of the time left to a kink, by which it may be elsewhere than the step before has told
SAFE = 4.0  # times what it moved, so much before it the step is to end
MOST = 16  # tries to end near a kink
REACH = 1.0  # of a step, up to which dense output is continued
ROUNDING, MANY = 2e-15, 100.0  # of times, relative; so many of these are next to nothing
BESIDE = (1e-1, 1e-2, 1e-3)  # beside a place, of any unit, where a function may have a derivative
FLOOR, SMOOTH = 1e-3, 0.2  # of derivatives, and of a jump ten times as far away: jumps that are none
BODIES = 3  # the first kind of functions of bodies (kernels/branches.py)
RESOLVED = 1e-9  # smallest tolerance for jumps: so much changes within WIDTH

call_sides, call_branches = SIDES.call, BRANCHES.call


@compiled
def look(theta, row, functions, form, t, h, run, system, work):
    """Tracks inside of the step, or beyond it, into a row. A status."""
    status = show(functions, form, t, h, theta, run, system, work)
    if status == RUNNING:
        call_sides(run.kinks.addresses[0], t + theta * h, run.watch.q, run.watch.v, row, run, system)
    return status


@compiled
def begin(form, t, run, system, work):
    """Tracks at the present state, from which steps start anew. A status."""
    status = expose(form, t, run.y, run, system, work)
    for i in range(work.memory.size):  # where coordinates of users' joints are looked for
        run.kinks.work.memory[i] = work.memory[i]
    if status == RUNNING:
        call_sides(run.kinks.addresses[0], t, run.watch.q, run.watch.v, START, run, system)
    go_on(run)
    return status


@compiled
def go_on(run):
    """Steps are free again."""
    run.kinks.place[AIM], run.kinks.place[EXPECTED] = math.inf, math.inf
    run.kinks.state[DENSE], run.kinks.state[TRIES], run.kinks.state[FAR] = 0, 0, 0


@compiled
def differ(a, b, run):
    """Whether two rows of tracks differ."""
    tracks, n = run.kinks.tracks, run.kinks.functions.size
    for j in range(n):
        if tracks[a * n + j, MARK] != tracks[b * n + j, MARK]:
            return True
    return False


@compiled
def copy(a, b, run):
    """Tracks of row a into row b."""
    tracks, n = run.kinks.tracks, run.kinks.functions.size
    for j in range(n):
        for i in range(3):
            tracks[b * n + j, i] = tracks[a * n + j, i]


@compiled
def bracket(a, b, functions, form, t, h, run, system, work):
    """(status, a, b) with b - a no larger than WIDTH, where the tracks of BASE are left; they hold at a, and not at b."""
    width = max(WIDTH, ROUNDING * max(abs(t), abs(t + h)) / h)
    while b - a > width:
        c = 0.5 * (a + b)
        status = look(c, LOOK, functions, form, t, h, run, system, work)
        if status != RUNNING:
            return status, a, b
        if differ(BASE, LOOK, run):
            b = c
        else:
            a = c
    return RUNNING, a, b


@compiled
def ask_branches(j, track, parts, run, system):
    """Ask function j with what is in its `given`; elements below zero are joints of the tree (kernels/kinks.py)."""
    kinks, about = run.kinks, run.kinks.elements[j]
    parameters = system.tree.parameters if about[ELEMENT] < 0 else system.parameters
    call_branches(kinks.functions[j], kinks.given[j], parameters, about[FIRST], about[LAST], track, parts)


@compiled
def ask_along(j, row, run, system):
    """Ask function j where it was looked last, along the way of the step: results into a row of parts."""
    kinks = run.kinks
    given, ends, generic, about, n = kinks.given[j], kinks.ends, kinks.generic, kinks.elements[j], kinks.functions.size
    for i in range(about[ARGUMENTS]):
        given[4 * i + 1] = ends[END, j, i] - ends[START, j, i]
        given[4 * i + 2] = given[4 * i + 1]
    ask_branches(j, kinks.tracks[LOOK * n + j], kinks.parts[row, j], run, system)
    for i in range(about[ARGUMENTS]):
        given[4 * i + 1], given[4 * i + 2] = generic[j, i], 0.0


@compiled
def jumps(j, run):
    """Whether the results of function j, or their derivatives, jump by more than the tolerance."""
    kinks = run.kinks
    before, behind, most = kinks.parts[BEFORE, j], kinks.parts[BEHIND, j], kinks.size[j]
    value, slope, bend = 0.0, 0.0, 0.0
    level = kinks.elements[j, LEVEL]
    if level == POSITION or level == VELOCITY:  # rows vanish on the way: their size is that of what changes
        for i in range(kinks.elements[j, ARGUMENTS]):
            most = max(most, abs(kinks.ends[END, j, i] - kinks.ends[START, j, i]))
    for r in range(kinks.elements[j, RESULTS]):
        most = max(most, max(abs(before[4 * r + 1]), abs(behind[4 * r + 1])))
        value = max(value, abs(behind[4 * r] - before[4 * r]))
        slope = max(slope, abs(behind[4 * r + 1] - before[4 * r + 1]))
        bend = max(bend, abs(behind[4 * r + 3] - before[4 * r + 3]))
    limit = max(run.tolerance[0], RESOLVED) * most
    return not (value <= limit and slope <= limit) or ((level == POSITION or level == POTENTIAL) and not bend <= limit)


@compiled
def counts(a, b, functions, form, t, h, run, system, work):
    """(status, function whose kink between a and b counts, or -1); the tracks at b are in LOOK."""
    kinks, found = run.kinks, -1
    tracks, n = kinks.tracks, kinks.functions.size
    status = look(a, LOOK, functions, form, t, h, run, system, work)
    for j in range(n):
        ask_along(j, BEFORE, run, system)
    status = max(status, look(b, LOOK, functions, form, t, h, run, system, work))
    for j in range(n):
        changed, mark = tracks[BASE * n + j, MARK] != tracks[LOOK * n + j, MARK], tracks[LOOK * n + j, MARK]
        if changed:
            ask_along(j, BEHIND, run, system)
            tracks[LOOK * n + j, MARK] = mark
            if jumps(j, run):
                found = j
    return status, found


@compiled
def ahead(functions, form, t, h, run, system, work):
    """(status, a, b) around the first kink behind the end of the step, on the dense output continued; b is NOWHERE if it does not
    count, or there is none."""
    a, gap = 1.0, 10.0 * WIDTH
    copy(END, BASE, run)
    while gap <= REACH:
        status = look(1.0 + gap, LOOK, functions, form, t, h, run, system, work)
        if status != RUNNING:
            return status, a, NOWHERE
        if differ(BASE, LOOK, run):
            status, a, b = bracket(a, 1.0 + gap, functions, form, t, h, run, system, work)
            if status == RUNNING:
                status, found = counts(a, b, functions, form, t, h, run, system, work)
                if status == RUNNING and found >= 0:
                    run.kinks.state[FOUND] = found
                    return status, a, b
            return status, a, NOWHERE
        a, gap = 1.0 + gap, 10.0 * gap
    return RUNNING, a, NOWHERE


@compiled
def vanishing(first, second, third, most):
    """Whether a jump of derivatives between two sides vanishes with their distance, which is divided by ten twice: each is
    compared with the one before, the last one with the derivatives."""
    return third <= FLOOR * most or (third <= SMOOTH * second and second <= SMOOTH * first)


@compiled
def jump_of_slopes(j, size, run, system):
    """(jump, largest size) of the derivatives of function j between two places beside the end of the step."""
    kinks, n, jump, most = run.kinks, run.kinks.functions.size, 0.0, 0.0
    for side in range(2):
        for i in range(kinks.elements[j, ARGUMENTS]):
            kinks.given[j, 4 * i] = kinks.ends[END, j, i] + (2 * side - 1) * size * kinks.generic[j, i]
            kinks.given[j, 4 * i + 2] = kinks.generic[j, i]
        ask_branches(j, kinks.tracks[LOOK * n + j], kinks.parts[BEFORE + side, j], run, system)
    for i in range(kinks.elements[j, ARGUMENTS]):
        kinks.given[j, 4 * i], kinks.given[j, 4 * i + 2] = kinks.ends[END, j, i], 0.0
    part = 3 if kinks.elements[j, LEVEL] == POTENTIAL else 1
    for r in range(kinks.elements[j, RESULTS]):
        before, behind = kinks.parts[BEFORE, j, 4 * r + part], kinks.parts[BEHIND, j, 4 * r + part]
        jump, most = max(jump, abs(behind - before)), max(most, max(abs(before), abs(behind)))
    return jump, most


@compiled
def smooth(j, run, system):
    """Whether function j has a derivative at the end of the step although a part of it has none: one that is only compared, or
    that is multiplied by zero. Of functions of bodies that is not known."""
    if run.kinks.elements[j, KIND] >= BODIES:
        return False
    first, second = jump_of_slopes(j, BESIDE[0], run, system), jump_of_slopes(j, BESIDE[1], run, system)
    third = jump_of_slopes(j, BESIDE[2], run, system)
    return vanishing(first[0], second[0], third[0], third[1])


@compiled
def settle_there(run, system):
    """The end of the step is the start of the next; NO_DERIVATIVE where a row of a joint has none there."""
    kinks, n, status = run.kinks, run.kinks.functions.size, RUNNING
    for j in range(n):
        if kinks.tracks[END * n + j, POINTS] > 0:
            level = kinks.elements[j, LEVEL]
            kinks.counts[j, STANDS] += 1 if level != COMPLETE and not smooth(j, run, system) else 0
            if (level == POSITION or level == VELOCITY) and kinks.elements[j, KIND] > 0:  # not of the time alone
                status, kinks.state[FOUND] = NO_DERIVATIVE, j
        for i in range(kinks.elements[j, ARGUMENTS]):
            kinks.ends[START, j, i] = kinks.ends[END, j, i]
    copy(END, START, run)
    return status


@compiled
def aim(time, run):
    """The step, or the next one, ends at this time, and has dense output."""
    run.kinks.place[AIM] = time
    run.kinks.state[DENSE] = 1
    run.kinks.state[TRIES] += 1


@compiled
def warn(h, run):
    """A step of size h was refused: there may be a kink in it, and the next one is to look ahead."""
    state = run.kinks.state
    if state[STOPS] == 1 and state[TRIES] == 0:
        run.kinks.place[SPAN] = h
        state[DENSE], state[TRIES] = 1, 2


@compiled
def first_that_counts(functions, form, t, h, run, system, work):
    """(status, a, b) around the first kink that counts inside of the step; b is NOWHERE without one. Where steps do not end at
    kinks, all are counted and none is found."""
    kinks, a = run.kinks, 0.0
    copy(START, BASE, run)
    for _ in range(FEW):
        if not differ(BASE, END, run):
            break
        status, a, b = bracket(a, 1.0, functions, form, t, h, run, system, work)
        if status != RUNNING:
            return status, a, NOWHERE
        status, found = counts(a, b, functions, form, t, h, run, system, work)
        if status != RUNNING:
            return status, a, NOWHERE
        if found >= 0 and kinks.state[STOPS] == 1:
            kinks.state[FOUND] = found
            return RUNNING, a, b
        if found >= 0:
            kinks.counts[found, KINKS] += 1
        copy(LOOK, BASE, run)
        a = b
    return RUNNING, a, NOWHERE


@compiled
def near(t, gap, run):
    """Whether a kink is so near to t that the state is continued beyond it."""
    return gap <= max(NEAR * run.kinks.place[SPAN], MANY * ROUNDING * abs(t)) or run.kinks.state[TRIES] >= MOST


@compiled
def agreed(kink, gap, run):
    """Whether the time of the kink is what was expected, beside the time left to it; from now on it is expected there.

    A step that met the other side unseen, in its stages only, tells another time than one that did not.
    """
    moved = abs(kink - run.kinks.place[EXPECTED])
    run.kinks.place[EXPECTED], run.kinks.place[MOVED] = kink, moved
    return moved <= SURE * gap or run.kinks.state[TRIES] >= MOST


@compiled
def before(functions, form, t, h, run, system, work):
    """(status, where a step that ends before a kink interrupts the run): nowhere if it is too far, or the step is not to be
    trusted; then the next step is aimed."""
    place = run.kinks.place
    _, a, b = ahead(functions, form, t, h, run, system, work)
    gap = (a - 1.0) * h
    if b == NOWHERE:
        go_on(run)
        return RUNNING, NOWHERE
    if run.kinks.place[EXPECTED] == math.inf:  # seen for the first time
        run.kinks.place[EXPECTED] = t + a * h
        aim(t + h + gap * (1.0 - MARGINS[0]), run)
        return RUNNING, NOWHERE
    if not agreed(t + a * h, gap, run):
        aim(t + max(0.5 * a * h, a * h - max(ROUGH * min(h, place[SPAN]), SAFE * place[MOVED])), run)
        return REPEATED, NOWHERE
    if near(t + h, gap, run):
        return RUNNING, b
    aim(t + h + gap * (1.0 - (ROUGH if gap > 0.5 * ROUGH * place[SPAN] else CLOSE)), run)
    return RUNNING, NOWHERE


@compiled
def seek(functions, form, t, h, run, system, work):
    """REPEATED: the step is to be taken again, up to place[AIM]; RUNNING: place[WHERE] says where the run is interrupted; or
    NO_DERIVATIVE."""
    kinks, b = run.kinks, NOWHERE
    place, state = kinks.place, kinks.state
    place[WHERE] = NOWHERE
    if look(1.0, END, functions, form, t, h, run, system, work) != RUNNING:
        go_on(run)
        return settle_there(run, system)
    if differ(START, END, run):
        if state[DENSE] == 0:
            place[SPAN] = h
            aim(t + h, run)
            return REPEATED
        _, a, b = first_that_counts(functions, form, t, h, run, system, work)
        if b < NOWHERE and not near(t, b * h, run):
            margin = MARGINS[min(state[FAR], len(MARGINS) - 1)]
            state[FAR] += 1
            place[EXPECTED] = t + a * h
            aim(t + h * a * (1.0 - margin), run)
            return REPEATED
    if b == NOWHERE and state[TRIES] > 1:
        status, b = before(functions, form, t, h, run, system, work)
        if status == REPEATED:
            return REPEATED
    elif b == NOWHERE:
        go_on(run)
    if b < NOWHERE:
        if t + b * h < run.clock[6]:
            place[WHERE] = b
            kinks.counts[state[FOUND], KINKS] += 1
        go_on(run)
    return settle_there(run, system)
