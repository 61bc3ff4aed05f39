"""Turns of joint angles, counted after each step: angles between bodies in space are known from their poses up to full turns.

From one look to the next, cosine and sine of an angle turn by less than half a turn. So they passed +-pi forwards where the sine
became negative on the way forwards, and backwards where it became positive on the way back; which way it was says the sign of
c_0 s - s_0 c. No arcus tangens is needed. The next step is limited to FARTHEST, so that this holds and that states inside of a
step find the right turn too. Where a fixed step is larger, the angular velocity of the joint says whether the joint turns by
nearly half a turn; then it also says how far, and the count is no longer sure.
"""

import math

from ..compiled.interfaces import FOLLOW, PLACE
from ..compiled.ledger import FULL_TURN, SOON
from ..compiled.pointers import compiled
from .vectors import cross, dot, rotate, rotate_back, rotation_of, spin_of, subtract, triple

call_place = PLACE.call
HALF_TURN = 0.5 * FULL_TURN
FARTHEST = 2.0  # rad in one step whose size may be chosen


@compiled
def passed(c_0, s_0, c, s):
    """1 where an angle has passed pi forwards, -1 backwards, otherwise 0."""
    if s_0 >= 0.0:
        return 1.0 if s < 0.0 and c_0 * s - s_0 * c > 0.0 else 0.0
    return -1.0 if s >= 0.0 and c_0 * s - s_0 * c < 0.0 else 0.0


@FOLLOW
def follow_angles(t, h, q, v, run, system, work):
    """Counts on; q of size 0: the bodies are placed already. The angle whose count has become unsure, or -1."""
    if q.size > 0:
        call_place(system.methods[5], t, q, v, system, work)
    body, axes, turned, rotation = run.ledger.body, run.ledger.axes, run.ledger.turned, work.rotation
    unsure = -1
    for j in range(body.shape[0]):
        a, b = body[j, 0], body[j, 1]
        R_a, R_b, x, y = (
            rotation_of(rotation, a),
            rotation_of(rotation, b),
            triple(axes, 9 * j),
            triple(axes, 9 * j + 3),
        )
        side = rotate_back(R_a, rotate(R_b, triple(axes, 9 * j + 6)))
        c, s, c_0, s_0 = dot(side, x), dot(side, y), turned[j, 0], turned[j, 1]
        turned[j, 0], turned[j, 1] = c, s
        spin = subtract(rotate_back(R_a, rotate(R_b, spin_of(work.velocity, b))), spin_of(work.velocity, a))
        turning = cross(spin, side)
        way = h * (c * dot(turning, y) - s * dot(turning, x)) / (s * s + c * c)
        if way != 0.0 and run.clock[7] == 0.0:  # fixed steps stay as they are
            run.clock[1] = min(run.clock[1], FARTHEST * h / abs(way))
        if abs(way) >= HALF_TURN - SOON:
            turned[j, 2] += math.floor((math.atan2(s_0, c_0) + way - math.atan2(s, c)) / FULL_TURN + 0.5)
            if turned[j, 3] == 0.0:
                turned[j, 3], unsure = 1.0, j
            continue
        turned[j, 2] += passed(c_0, s_0, c, s)
    return unsure
