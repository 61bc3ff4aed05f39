"""Joint coordinates and their speeds at one state, and body poses."""

import numpy as np

from bricard.solution.motion import twists
from bricard.system.channels import measure_speed, measure_value, poses


def _sides(system, state, measure):
    found = poses(system, state.q[None])
    moving = twists(system, state.q[None], state.v[None], found)
    sides = []
    for body in measure.bodies:
        (x, R), (v, w) = found[body.name], moving[body.name]
        arm = R @ body.com
        sides.append((((x + arm)[0], R[0]), ((v + np.cross(w, arm))[0], w[0])))
    return sides


def position(system, state, coordinate):
    measure = system.model.coordinate(coordinate)
    (pose_a, _), (pose_b, _) = _sides(system, state, measure)
    return float(measure_value(measure, pose_a, pose_b))


def velocity(system, state, coordinate):
    measure = system.model.coordinate(coordinate)
    (pose_a, twist_a), (pose_b, twist_b) = _sides(system, state, measure)
    return float(measure_speed(measure, pose_a, twist_a, pose_b, twist_b))


def pose(system, state, body):
    x, R = poses(system, state.q[None])[body]
    return x[0], R[0]


def point_velocity(system, state, body, point):
    x, R = poses(system, state.q[None])[body]
    v, w = twists(system, state.q[None], state.v[None], {body: (x, R)} | poses(system, state.q[None]))[body]
    return (v + np.cross(w, R @ np.asarray(point, float)))[0]
