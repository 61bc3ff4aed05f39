"""The branches of users' functions at a state: where the bodies are, the arguments of each function, and its track."""

from ..compiled.interfaces import KERNEL, PLACE, SIDES
from ..compiled.kinks import ARGUMENTS, ELEMENT, END, ENDS, KIND, RARE, RESULTS, ask_branches
from ..compiled.pointers import compiled
from .branches import Kind
from .functions import put_poses, put_velocities
from .user_elimination import MEMORY, POSE
from .user_layout import TARGET, C, D, S
from .user_rows import look

LAW, POSES, COORDINATES, CLOSURE = int(Kind.LAW), int(Kind.POSES), int(Kind.COORDINATES), int(Kind.CLOSURE)

call_place, call_kernel = PLACE.call, KERNEL.call


@compiled
def put_joint(given, about, system, work):
    """The coordinates of a user's joint, of an implicit one behind its pose: of the tree where it was placed, else found anew."""
    e = about[ELEMENT]
    if e < 0:  # node -1 - e of the tree
        mem, m = work.branch.memory, int(system.tree.memory[-1 - e])
        s = m + TARGET
    else:
        mem, m = work.memory, int(system.parameters[system.parameter[e] + MEMORY])
        look(e, system, work)
        s = m + S
    before = 12 if about[KIND] == CLOSURE else 0
    for i in range(before):
        given[4 * i] = mem[m + (POSE + i if e >= 0 else D + i if i < 3 else C + i - 3)]
    for i in range(before, about[ARGUMENTS]):
        given[4 * i] = mem[s + i - before]


@compiled
def put_arguments(t, given, about, system, work):
    """The values of the arguments of a function."""
    if about[KIND] >= COORDINATES:
        put_joint(given, about, system, work)
        return
    given[0] = t
    if about[KIND] >= POSES:
        put_poses(given, t, about[ELEMENT], system, work)
        put_velocities(given, about[ELEMENT], system, work)
    elif about[KIND] >= LAW:
        m = system.operand_a[about[ELEMENT]]
        given[4], given[8] = work.value[m], work.speed[m]


@SIDES
def sides(t, q, v, row, run, system):
    """Tracks of all functions into a row; at the ends of a step also their arguments, and now and then the size of results."""
    kinks, own, first = run.kinks, run.kinks.work, system.first
    tracks, n = kinks.tracks, kinks.functions.size
    call_place(system.methods[5], t, q, v, system, own)
    for k in range(system.stage[0], system.stage[1]):
        call_kernel(system.kernels[k], t, 0, first[k], first[k + 1], system, own)
    if row == END:
        kinks.state[ENDS] += 1
    whole = row != END or kinks.state[ENDS] % RARE == 0
    for j in range(n):
        given, about, track = kinks.given[j], kinks.elements[j], tracks[row * n + j]
        parts = kinks.parts[0, j] if whole else kinks.parts[0, j][:0]
        put_arguments(t, given, about, system, own)
        track[0], track[1], track[2] = 0, 0, 0
        ask_branches(j, track, parts, run, system)
        if row <= END:
            for i in range(about[ARGUMENTS]):
                kinks.ends[row, j, i] = given[4 * i]
            for r in range(about[RESULTS] if whole else 0):
                kinks.size[j] = max(kinks.size[j], abs(parts[4 * r]))
