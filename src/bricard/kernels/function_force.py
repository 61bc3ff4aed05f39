"""Forces between two bodies given by a function of their motions: f, and K = -df/dq, D = -df/dv, exact to rounding."""

from ..compiled.hyperdual_arrays import take
from ..compiled.interfaces import ENERGY, KERNEL, TANGENT
from ..compiled.pointers import compiled
from .function_joint import DEPENDS, ROWS, moving_ways
from .functions import (
    FIRST,
    POSE_WAYS,
    SECOND,
    SIDE,
    WAYS,
    V,
    W,
    ask,
    axis,
    clear,
    depends,
    put,
    put_poses,
    put_velocities,
    values_of_R,
)
from .nonholonomic import put_body_way
from .vectors import add, cross, position_of, rotate, rotate_back, spin_of, subtract, triple

LOAD = 6  # numbers of a load; behind those of a load with a potential: the potential, and the power of the rest


@compiled
def put_force_way(given, part, e, way, size, system, work):
    """Write a direction of the bodies (poses, then velocities) to one part; size 0 takes it out again."""
    if way < POSE_WAYS:
        put_body_way(given, part, e, way, size, system, work)
        return
    side, unit = (way - POSE_WAYS) // 6, axis(way % 3)
    unit, o = (size * unit[0], size * unit[1], size * unit[2]), SIDE * side
    if way % 6 < 3:
        put(given, V + o, part, unit)
        return
    R_s, p = values_of_R(given, side), triple(system.parameters, system.parameter[e] + 3 * side)
    put(given, V + o, part, rotate(R_s, cross(unit, p)))
    put(given, W + o, part, rotate(R_s, unit))


@compiled
def fixed(e, side, system):
    """Whether a side of an element is the ground."""
    return (system.operand_a[e] if side == 0 else system.operand_b[e]) == system.n_bodies


@compiled
def changes(e, mask, way, system):
    """Whether a direction of the bodies changes the load or where it acts. (Poses do: its point is that of b.)"""
    if way < POSE_WAYS:
        return not fixed(e, way // 6, system)
    side, v = (way - POSE_WAYS) // 6, 0b111 << 12
    return depends(mask, way) if way % 6 < 3 else mask & ((v | v << 3) << 6 * side) != 0


@compiled
def generalised(e, system, work):
    """Force on b, and the moments about both centres of mass, in the axes of the bodies, as hyper-dual numbers."""
    given, parts, start = work.given, work.parts, system.parameter[e]
    R_a = (take(given, 4, 3), take(given, 7, 3), take(given, 10, 3))
    R_b = (take(given, 22, 3), take(given, 25, 3), take(given, 28, 3))
    force, moment = take(parts, 0, 3), take(parts, 3, 3)
    lever_a = add(subtract(take(given, 19, 3), take(given, 1, 3)), rotate(R_a, triple(system.parameters, start)))
    lever_b = rotate(R_b, triple(system.parameters, start + 3))
    turn_a = rotate_back(R_a, add(moment, cross(lever_a, force)))
    return force, turn_a, rotate_back(R_b, add(moment, cross(lever_b, force)))


@compiled
def write_columns(e, way, part, force, turn_a, turn_b, system, work):
    """One column of K or D from one part of the load; `part` is FIRST or SECOND."""
    out, o = (work.k, system.k_first[e] + way) if way < POSE_WAYS else (work.d, system.d_first[e] + way - POSE_WAYS)
    for i in range(3):
        push, a, b = force[i], turn_a[i], turn_b[i]
        out[o + 12 * i] = push.a if part == FIRST else push.b
        out[o + 12 * (3 + i)] = a.a if part == FIRST else a.b
        out[o + 12 * (6 + i)] = -(push.a if part == FIRST else push.b)
        out[o + 12 * (9 + i)] = -(b.a if part == FIRST else b.b)


@KERNEL
def function_force(t, flags, first, last, system, work):
    """All forces that are given by a function."""
    clear(work.given)
    velocity, f, column = work.velocity, work.f, system.column
    for e in range(first, last):
        a, b = system.operand_a[e], system.operand_b[e]
        mask = moving_ways(e, int(system.parameters[system.parameter[e] + DEPENDS]), system)
        put_poses(work.given, t, e, system, work)
        put_velocities(work.given, e, system, work)
        ask(e, 0, system, work)
        force, turn_a, turn_b = generalised(e, system, work)
        elastic = system.parameters[system.parameter[e] + ROWS] > LOAD
        if flags & ENERGY and elastic:
            work.energy[0] += work.parts[4 * LOAD]
            work.energy[1] += work.parts[4 * (LOAD + 1)]
        v_a, v_b = position_of(velocity, a), position_of(velocity, b)
        w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
        for i in range(3):
            f[column[a, i]] -= force[i].x
            f[column[a, 3 + i]] -= turn_a[i].x
            f[column[b, i]] += force[i].x
            f[column[b, 3 + i]] += turn_b[i].x
            if flags & ENERGY and not elastic:
                work.energy[1] += force[i].x * (v_b[i] - v_a[i]) + turn_b[i].x * w_b[i] - turn_a[i].x * w_a[i]
        if flags & TANGENT:
            for i in range(144):
                work.k[system.k_first[e] + i], work.d[system.d_first[e] + i] = 0.0, 0.0
            waiting = -1
            for way in range(WAYS + 1):
                wanted = way < WAYS and changes(e, mask, way, system)
                if wanted and waiting < 0:
                    waiting = way
                elif wanted or (way == WAYS and waiting >= 0):
                    put_force_way(work.given, FIRST, e, waiting, 1.0, system, work)
                    if wanted:
                        put_force_way(work.given, SECOND, e, way, 1.0, system, work)
                    ask(e, 0, system, work)
                    force, turn_a, turn_b = generalised(e, system, work)
                    write_columns(e, waiting, FIRST, force, turn_a, turn_b, system, work)
                    put_force_way(work.given, FIRST, e, waiting, 0.0, system, work)
                    if wanted:
                        write_columns(e, way, SECOND, force, turn_a, turn_b, system, work)
                        put_force_way(work.given, SECOND, e, way, 0.0, system, work)
                    waiting = -1
