"""Compiled calls of a system's methods that Python needs."""

from ..compiled.interfaces import KINEMATICS, MAP
from ..compiled.pointers import compiled

call_map, call_kinematics = MAP.call, KINEMATICS.call


@compiled
def kinematic_map(q, v, system, work):
    """Entries of T, T+ and d(T v)/dq into work."""
    call_map(system.methods[3], q, v, system, work)


@compiled
def kinematics(q, v, q_dot, system, work):
    """q' = T(q) v."""
    call_kinematics(system.methods[2], q, v, q_dot, system, work)
