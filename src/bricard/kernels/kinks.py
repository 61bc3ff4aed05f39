"""The branches of users' functions at a state: where the bodies are, the arguments of each function, and its track."""

from ..compiled.interfaces import BRANCHES, KERNEL, PLACE, SIDES
from ..compiled.kinks import ARGUMENTS, ELEMENT, END, FIRST, KIND, LAST, RESULTS
from ..compiled.pointers import compiled
from .branches import Kind
from .functions import put_poses, put_velocities

LAW, POSES = int(Kind.LAW), int(Kind.POSES)

call_place, call_kernel, call_branches = PLACE.call, KERNEL.call, BRANCHES.call


@compiled
def put_arguments(t, given, about, system, work):
    """The values of the arguments of a function."""
    given[0] = t
    if about[KIND] >= POSES:
        put_poses(given, t, about[ELEMENT], system, work)
        put_velocities(given, about[ELEMENT], system, work)
    elif about[KIND] >= LAW:
        m = system.operand_a[about[ELEMENT]]
        given[4], given[8] = work.value[m], work.speed[m]


@SIDES
def sides(t, q, v, row, run, system):
    """Tracks of all functions into a row; at the ends of a step also their arguments and the size of their results."""
    kinks, own, first = run.kinks, run.kinks.work, system.first
    tracks, n = kinks.tracks, kinks.functions.size
    call_place(system.methods[5], t, q, v, system, own)
    for k in range(system.stage[0], system.stage[1]):
        call_kernel(system.kernels[k], t, 0, first[k], first[k + 1], system, own)
    for j in range(n):
        given, about, track, parts = kinks.given[j], kinks.elements[j], tracks[row * n + j], kinks.parts[0, j]
        put_arguments(t, given, about, system, own)
        track[0], track[1], track[2] = 0, 0, 0
        call_branches(kinks.functions[j], given, system.parameters, about[FIRST], about[LAST], track, parts)
        if row <= END:
            for i in range(about[ARGUMENTS]):
                kinks.ends[row, j, i] = given[4 * i]
            for r in range(about[RESULTS]):
                kinks.size[j] = max(kinks.size[j], abs(parts[4 * r]))
