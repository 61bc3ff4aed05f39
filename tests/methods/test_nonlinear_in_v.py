"""Rows that are not linear in the velocities, in formulations that make v from independent velocities."""

import numpy as np
import pytest

import bricard as br


def constant_speed(t, a, b, p):
    return ((b.v[0] * b.v[0] + b.v[1] * b.v[1] - p[0] * p[0]) / (2 * p[0]),)


@pytest.mark.parametrize("seed", range(3))
def test_a_row_nonlinear_in_v_survives_a_failed_search(seed):
    """T9: its gradient vanishes at v = 0, so that no search may begin there after one that has failed."""
    rng = np.random.default_rng(seed)
    speed, way = rng.uniform(0.5, 4.0), rng.uniform(0.3, 1.2)
    model = br.Model("constant speed", planar=True, gravity=(0, -9.81, 0))
    body = model.body("b", mass=rng.uniform(0.5, 2.0), inertia=0.2, position=(0, 0, 0))
    model.nonholonomic("speed", model.ground, body, constant_speed, rows=1, parameters=(speed,))
    model.start(body=body, velocity=(speed * np.cos(way), speed * np.sin(way), 0), weight=1.0)
    problem = br.problem(model, "general-projection")
    y = problem.initial()
    good, bad = problem.rhs(0.0, y).copy(), y.copy()
    bad[3:] = 9.0 * speed
    with pytest.raises(br.BricardError):
        problem.rhs(0.0, bad)
    np.testing.assert_allclose(problem.rhs(0.0, y), good, rtol=1e-9)
    solution = br.simulate(model, 1.0, formulation="general-projection", integrator="dop853", rtol=1e-10, output=5)
    reference = br.simulate(model, 1.0, formulation="index1", integrator="dop853", rtol=1e-10, output=5)
    np.testing.assert_allclose(solution.q, reference.q, atol=1e-7)
