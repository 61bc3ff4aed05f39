"""Forces given by a potential U of two poses: f = -dU/dq, K = d2U/dq2, exact to rounding.

U is one row Phi of a joint with the multiplier 1 (function_joint.py): its force is -G^T, and K is d(G^T)/dq.
"""

from ..compiled.interfaces import ENERGY, KERNEL, REFRESH, TANGENT
from ..compiled.pointers import compiled
from .function_joint import DEPENDS, moving_ways, stiffness
from .functions import FIRST, SECOND, ask, clear, depends, put_poses, put_way, values_of_R
from .vectors import add, cross, rotate_back, triple

ONE = (1.0,)  # the multiplier


@compiled
def pair(e, mask, way, system, work):
    """Derivatives of U along one direction of a and the same one of b."""
    first, second = depends(mask, way), depends(mask, way + 6)
    if not (first or second):
        return 0.0, 0.0
    given, parts = work.given, work.parts
    if first:
        put_way(given, FIRST, way, 1.0)
    if second:
        put_way(given, SECOND, way + 6, 1.0)
    ask(e, 0, system, work)
    slopes = parts[FIRST], parts[SECOND]
    if first:
        put_way(given, FIRST, way, 0.0)
    if second:
        put_way(given, SECOND, way + 6, 0.0)
    return slopes


@compiled
def three(e, mask, way, system, work):
    """Derivatives of U along three directions of a and of b: shifts from way 0 on, turns (in body axes) from 3 on."""
    one, two = pair(e, mask, way, system, work), pair(e, mask, way + 1, system, work)
    last = pair(e, mask, way + 2, system, work)
    return (one[0], two[0], last[0]), (one[1], two[1], last[1])


@KERNEL
def potential_force(t, flags, first, last, system, work):
    """All forces that are given by a potential alone."""
    clear(work.given)
    f, column, parameters = work.f, system.column, system.parameters
    for e in range(first, last):
        mask = moving_ways(e, int(parameters[system.parameter[e] + DEPENDS]), system)
        put_poses(work.given, t, e, system, work)
        if flags & ENERGY:
            ask(e, 0, system, work)
            work.energy[0] += work.parts[0]
        pulls, turns = three(e, mask, 0, system, work), three(e, mask, 3, system, work)
        for side in range(2):
            body = system.operand_a[e] if side == 0 else system.operand_b[e]
            p = triple(parameters, system.parameter[e] + 3 * side)
            turn = add(turns[side], cross(p, rotate_back(values_of_R(work.given, side), pulls[side])))
            for i in range(3):
                f[column[body, i]] -= pulls[side][i]
                f[column[body, 3 + i]] -= turn[i]
        if flags & TANGENT and flags & REFRESH:
            stiffness(e, mask, 1, ONE, 0, pulls, system, work)
