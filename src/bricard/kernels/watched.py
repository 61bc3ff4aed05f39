"""Functions that triggers watch: a joint coordinate or its velocity, and a user's function of time and state.

The twin of system/channels.py for one state in compiled code. Numbers of a coordinate: its kind (place in KINDS), 1 for the
velocity, bodies a and b, then the parameters of the measure (model/blocks.py). Angles lie between -pi and pi: turns are counted
outside. Of a user's joint: 1 + the place in Work.memory where its rows keep their coordinates (0: nowhere) in the place of the
kind, its element (user_elimination.py) in that of the parameters, and behind it the memory.
"""

import math

from ..compiled.hyperdual import lifted
from ..compiled.interfaces import EVALUATE, WATCH
from ..compiled.pointers import compiled
from ..hyperdual.following import Numbers
from .user_elimination import BODIES, JOINT, MEMORY, ROWS, VALUE, WHICH
from .user_layout import AT_ROWS, N_Q, N_V, WARM, S, call_piece
from .vectors import add, cross, dot, position_of, rotate, rotation_of, spin_of, subtract, triple

KINDS = ("angle", "displacement", "distance")
PARAMETERS = 4  # place of the first parameter

call_evaluate = EVALUATE.call


@compiled
def angle(p, numbers, R_a, R_b, spin):
    """Angle and angular velocity of x_b about z_a, from x_a towards y_a."""
    x, y, side = (
        rotate(R_a, triple(numbers, p)),
        rotate(R_a, triple(numbers, p + 3)),
        rotate(R_b, triple(numbers, p + 6)),
    )
    turning = cross(spin, side)
    s, c = dot(side, y), dot(side, x)
    return math.atan2(s, c), (c * dot(turning, y) - s * dot(turning, x)) / (s * s + c * c)


@compiled
def displacement(p, numbers, R_a, gap, rate, w_a):
    """Way and speed of a point of b along a direction of a."""
    n = rotate(R_a, triple(numbers, p))
    return dot(gap, n) - numbers[p + 6], dot(rate, n) + dot(gap, cross(w_a, n))


@WATCH
def coordinate(t, q, v, numbers, first, system, work):
    """A joint coordinate (m, rad) or its velocity."""
    call_evaluate(system.methods[0], t, q, v, 0, system, work)
    kind, fast, a, b, p = numbers[first], numbers[first + 1], int(numbers[first + 2]), int(numbers[first + 3]), first
    p += PARAMETERS
    x, velocity = work.x, work.velocity
    R_a, R_b = rotation_of(work.rotation, a), rotation_of(work.rotation, b)
    w_a, w_b = rotate(R_a, spin_of(velocity, a)), rotate(R_b, spin_of(velocity, b))
    if kind == 0.0:
        value, speed = angle(p, numbers, R_a, R_b, subtract(w_b, w_a))
        return speed if fast == 1.0 else value
    lever = rotate(R_b, triple(numbers, p + 3))
    gap = subtract(add(position_of(x, b), lever), position_of(x, a))
    rate = subtract(add(triple(velocity[b], 0), cross(w_b, lever)), triple(velocity[a], 0))
    if kind == 1.0:
        value, speed = displacement(p, numbers, R_a, gap, rate, w_a)
        return speed if fast == 1.0 else value
    lever = rotate(R_a, triple(numbers, p))
    gap, rate = subtract(gap, lever), subtract(rate, cross(w_a, lever))
    value = math.sqrt(dot(gap, gap))
    return dot(gap, rate) / value if fast == 1.0 else value


@WATCH
def user_coordinate(t, q, v, numbers, first, system, work):
    """A coordinate of a user's joint (m, rad) or its velocity; no number where the joint has none."""
    call_evaluate(system.methods[0], t, q, v, 0, system, work)
    element = first + PARAMETERS
    m, joint = first + int(numbers[element + MEMORY]), element + JOINT
    velocity = work.velocity
    for side in range(2):
        body, place = int(numbers[first + 2 + side]), m + BODIES + 12 * side
        for i in range(3):
            numbers[place + i] = work.x[body, i]
        for i in range(9):
            numbers[place + 3 + i] = work.rotation[body, i]
    kept = int(numbers[first])
    if kept > 0:  # the rows have looked for the coordinates already
        numbers[m + WARM] = 1.0
        for i in range(int(numbers[joint + N_Q])):
            numbers[m + S + i] = work.memory[kept - 1 + i]
    if not call_piece(int(numbers[joint + AT_ROWS]), numbers, element, numbers, m):
        return math.nan
    k = 6 - int(numbers[joint + N_V]) + int(numbers[element + WHICH])
    if numbers[first + 1] == 0.0:
        return numbers[m + VALUE + k]
    speed = 0.0
    for side in range(2):
        body = int(numbers[first + 2 + side])
        for i in range(6):
            speed += numbers[m + ROWS + 12 * k + 6 * side + i] * velocity[body, i]
    return speed


@WATCH
def own_coordinate(t, q, v, numbers, first, system, work):
    """A coordinate of the system itself or its velocity; numbers: place in q, 1 for the velocity, place in v."""
    return v[int(numbers[first + 2])] if numbers[first + 1] == 1.0 else q[int(numbers[first])]


@WATCH
def in_plane(t, q, v, numbers, first, system, work):
    """An angle between bodies in the plane, with its turns; numbers: angle at q = 0, +-1, 1 + places in q (0: the ground)."""
    value, sense = numbers[first], numbers[first + 1]
    for side in range(2):
        place = int(numbers[first + 2 + side])
        if place > 0:
            value += (sense if side == 1 else -sense) * q[place - 1]
    return value


def arguments(system):
    """What a user's function of time and state is called with (hyperdual/following.py)."""
    return ("t", ()), ("q", Numbers(system.n_q)), ("v", Numbers(system.n_v))


def of_function(function):
    """The user's function (t, q, v) -> value, ready for compiled code; derivatives are not asked for."""

    def watch(t, q, v, numbers, first, system, work):
        return lifted(function(t, q, v)).x

    return WATCH(watch)
