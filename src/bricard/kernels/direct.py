"""Coordinates with q' = v: rotation parameters with their own rates, and systems given by functions without a map T."""

from ..compiled.interfaces import KINEMATICS, RETRACT


@RETRACT
def retract_directly(q, increment, q_new, system, work):
    """q plus the increment."""
    for i in range(system.n_q):
        q_new[i] = q[i] + increment[i]


@KINEMATICS
def kinematics_directly(q, v, q_dot, system, work):
    """q' = v."""
    for i in range(system.n_q):
        q_dot[i] = v[i]
