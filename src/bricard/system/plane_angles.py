"""Angles between planar bodies as their own coordinates have them, turns included: see turns.in_plane()."""

import numpy as np

from .channels import measure_value


def sense(measure):
    """+1 or -1: how an angle in the plane grows with the turn of its second body."""
    (x, y) = np.reshape(measure.parameters[:6], (2, 3))
    return float(np.sign(x[0] * y[1] - x[1] * y[0]))


def places_in_plane(system, measure):
    """An angle of in_plane() as first + sense (q[b] - q[a]): first (rad), sense, and the places in q, None of the ground."""
    names, places = list(system.model.bodies), []
    first = float(measure_value(measure, *((np.zeros(3), body.rotation) for body in measure.bodies)))
    for body, sign in zip(measure.bodies, (1.0, -1.0), strict=True):
        there = body.name in names
        places.append(int(system.record.q_start[names.index(body.name)]) + 2 if there else None)
        first += sign * sense(measure) * float(np.arctan2(body.rotation[1, 0], body.rotation[0, 0])) * there
    return first, sense(measure), *places
