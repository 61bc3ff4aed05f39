"""Loads of all elements of a system at given states, and the balance of momenta of each body, in NumPy."""

import numpy as np

from bricard.solution.solution import Solution
from bricard.system.rotation import in_group


def solution_of(system, t, q, v):
    """A Solution whose samples are given states."""
    turns = np.zeros((len(t), system.n_measures))
    return Solution(system, t, q, v, None, None, True, "", {}, (), {}, {}, np.zeros(0), None, turns)  # pyright: ignore


def elements_of(model):
    """Everything that puts loads on bodies."""
    return [*(joint for joint in model.joints.values() if joint.blocks()), *model.forces.values()]


def loads_on_bodies(solution):
    """Reactions of all elements on all their bodies, by (element, name of the body)."""
    return {
        (element, body.name): solution.reaction(element, body)
        for element in elements_of(solution.system.model)
        for body in dict.fromkeys(element.bodies)
    }


def absolute_accelerations(solution):
    """Accelerations (n, n_v) in absolute coordinates of those in relative ones: v of absolute coordinates, differentiated."""
    system, h = solution.system, 1e-5
    if not system.tree:
        return solution.a

    def speed(s):
        q = np.array([system.retract(q, s * v) for q, v in zip(solution.q, solution.v, strict=True)])
        return in_group(system, q, solution.v + s * solution.a)[2]

    return (8 * (speed(h) - speed(-h)) - (speed(2 * h) - speed(-2 * h))) / (12 * h)


def assert_balance(solution, by_body):
    """Newton and Euler: m a = m g + sum F, J w' + w x J w = sum M about the centre of mass, J in world axes."""
    model, system = solution.system.model, solution.system.base or solution.system
    a, v = absolute_accelerations(solution), in_group(solution.system, solution.q, solution.v)[2]
    exact = 1e-7 if solution.system.tree else 1e-11  # of differences of speeds
    for number, body in enumerate(model.bodies.values()):
        x, R = solution.poses[body.name]
        centre = x + R @ body.com
        loads = [load.about(centre) for (_, on), load in by_body.items() if on == body.name]
        force = sum((load.force for load in loads), body.mass * np.tile(model.gravity, (len(x), 1)))
        moment = sum((load.moment for load in loads), np.zeros_like(force))
        size = 1.0 + max(np.abs(load).max() for pair in loads for load in pair[:2]) if loads else 1.0
        u = int(system.record.column[number, 0])
        if body.planar:
            given = np.column_stack([body.mass * a[:, u : u + 2], body.inertia[2, 2] * a[:, u + 2]])
            expected = np.column_stack([force[:, :2], moment[:, 2]])
        else:
            w, turn = v[:, u + 3 : u + 6], a[:, u + 3 : u + 6]  # both in body axes
            euler = turn @ body.inertia.T + np.cross(w, w @ body.inertia.T)
            given = np.column_stack([body.mass * a[:, u : u + 3], np.einsum("nij,nj->ni", R, euler)])
            expected = np.column_stack([force, moment])
        np.testing.assert_allclose(given, expected, rtol=0, atol=exact * size, err_msg=body.name)
