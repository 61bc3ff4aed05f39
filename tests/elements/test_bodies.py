"""Rigid bodies against clouds of point masses: mass matrix, kinetic energy, weight, gyroscopic torque, T(q)."""

import numpy as np
import pytest
from samples import system_of
from states import along, random_point

import bricard.model as br
from bricard.solution.observe import KINETIC
from bricard.system.build import build
from bricard.system.channels import rotation_matrices

POINTS = np.array([[0.3, 0.1, -0.2], [-0.2, 0.4, 0.1], [0.1, -0.3, 0.5], [-0.4, -0.1, -0.3], [0.2, 0.3, 0.3]])
MASSES = np.array([0.4, 0.7, 0.3, 0.5, 0.2])
GRAVITY = np.array([0.3, -0.7, -9.5])


def cloud():
    """A free body with the mass, centre of mass and inertia of the points; its reference frame is theirs."""
    com = MASSES @ POINTS / MASSES.sum()
    arms = POINTS - com
    inertia = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(MASSES, arms, strict=True))
    model = br.Model("cloud", gravity=GRAVITY)
    model.body("cloud", mass=MASSES.sum(), inertia=inertia, com=com, position=(1, 2, 3), rotation=(0.8, 0.1, 0.3, -0.4))
    return build(model), arms


def places(q, arms):
    return q[:3] + arms @ rotation_matrices(q[3:7]).T


@pytest.mark.parametrize("seed", range(4))
def test_kinetic_energy_is_that_of_the_points(seed):
    system, arms = cloud()
    p = random_point(system, seed)
    speeds = along(system, p.q, p.v, lambda q: places(q, arms))
    energy = 0.5 * p.v @ system.mass(p.q) @ p.v
    assert energy == pytest.approx(0.5 * MASSES @ np.sum(speeds**2, axis=1), rel=1e-8)


def test_drawn_start_puts_the_points_where_they_were_drawn():
    system, arms = cloud()
    body = system.model.bodies["cloud"]
    expected = body.position + POINTS @ body.rotation.T
    np.testing.assert_allclose(places(system.start, arms), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_free_motion_keeps_the_momenta(seed):
    """With v' from M v' = f the points' angular momentum is constant and their momentum changes by the weight."""
    system, arms = cloud()
    p = random_point(system, seed)
    a = np.linalg.solve(system.mass(p.q).toarray(), system.force(0.0, p.q, p.v))

    def momenta(s):  # second-order motion: exact derivative of the momenta at s = 0
        q, v = system.retract(p.q, s * p.v), p.v + s * a
        speeds = along(system, q, v, lambda q: places(q, arms))
        about_com = places(q, arms) - q[:3]
        spin = np.sum(MASSES[:, None] * np.cross(about_com, speeds), axis=0)
        return np.concatenate([MASSES @ speeds, spin])

    h = 1e-3
    change = (momenta(h) - momenta(-h)) / (2 * h)
    np.testing.assert_allclose(change, [*(MASSES.sum() * GRAVITY), 0, 0, 0], rtol=0, atol=3e-6)


@pytest.mark.parametrize("name", ["revolute", "pin"])
def test_kinematic_map_gives_the_rate_of_q(name):
    system = system_of(name)
    p = random_point(system, 5)
    rate = along(system, p.q, p.v, lambda q: q)
    np.testing.assert_allclose(system.kinematic_map(p.q) @ p.v, rate, rtol=0, atol=1e-9)


def test_solution_reports_the_kinetic_energy():
    from bricard.simulation import simulate

    model = cloud()[0].model.copy()
    model.start(body="cloud", velocity=(1, -2, 0.5), angular_velocity=(3, 1, -2))
    system = model.build()
    solution = simulate(system, 0.01, formulation="index1", integrator="rk4", step=0.005)
    v = solution.v[-1]
    assert solution._observed[0][-1, KINETIC] == pytest.approx(0.5 * v @ system.mass(solution.q[-1]) @ v, rel=1e-13)
