"""The bushing has a potential: U = 1/2 u^T K_t u + 1/2 phi^T K_r phi, of which its load is the gradient (V3)."""

from itertools import pairwise

import numpy as np
import pytest
from samples import two_bodies
from scipy.spatial.transform import Rotation

import bricard as br
from bricard.system.build import build
from bricard.system.channels import rotation_matrices
from bricard.system.half_turn import half_turned

STIFFNESS, STEP = np.array((9.0, 8.0, 7.0, 3.0, 2.0, 1.0)), 1e-5


def undamped(stiffness=STIFFNESS):
    model, a, b = two_bodies()
    model.bushing("F", a, b, (0.4, 0.3, 0.2), stiffness=stiffness, rotation=(0.9, 0.2, 0.1, 0.3))
    return build(model)


def deflection(system, q):
    """Shift and rotation vector (6,) in the axes of the bushing."""
    force, places = system.model.forces["F"], []
    for i, frame in enumerate((force.frame_a, force.frame_b)):
        R = rotation_matrices(q[7 * i + 3 : 7 * i + 7])
        places.append((q[7 * i : 7 * i + 3] + R @ frame.point, R @ frame.rotation))
    (x_a, A), (x_b, B) = places
    return np.concatenate([A.T @ (x_b - x_a), Rotation.from_matrix(A.T @ B).as_rotvec()])


def potential(system, q):
    return 0.5 * STIFFNESS @ deflection(system, q) ** 2


def load(system, free, q):
    """The load of the bushing alone (12,), at rest."""
    zero = np.zeros(12)
    return system.force(0.0, q, zero) - free.force(0.0, q, zero)


def free_of_it():
    return build(two_bodies()[0])


def random_pose(system, rng, angle):
    """Body a anywhere, and b turned against it by an angle."""
    q = system.retract(system.start, rng.normal(size=12))
    axis = rng.normal(size=3)
    turn = np.zeros(12)
    at_start = deflection(system, q)[3:]
    B = rotation_matrices(q[10:]) @ system.model.forces["F"].frame_b.rotation
    A = B @ Rotation.from_rotvec(at_start).as_matrix().T  # its axes in the world
    wanted = A @ Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    turn[9:] = Rotation.from_matrix(rotation_matrices(q[10:]).T @ wanted @ B.T @ rotation_matrices(q[10:])).as_rotvec()
    return system.retract(q, turn)


def test_the_load_is_the_gradient_of_the_potential():
    """200 pairs of poses, from next to none to next to half a turn."""
    system, free, rng = undamped(), free_of_it(), np.random.default_rng(3)
    angles = np.concatenate([10.0 ** rng.uniform(-7, -1, 60), rng.uniform(0, 3.1, 140)])
    for angle in angles:
        q = random_pose(system, rng, angle)
        ways = STEP * np.eye(12)
        ahead, behind = (np.array([potential(system, system.retract(q, s * w)) for w in ways]) for s in (1, -1))
        slope = (ahead - behind) / (2 * STEP)
        np.testing.assert_allclose(load(system, free, q), -slope, rtol=0, atol=1e-8 * (1 + np.abs(slope).max()))


@pytest.mark.parametrize("angle", [1e-9, 1e-5, 0.02, 0.0316, 0.0317, 0.2, 1.0, 2.0, 3.0])
def test_one_axis_is_linear_in_the_angle(angle):
    """k phi about one axis, at all angles and on both sides of the change from the series to the closed form."""
    model = br.Model("one", gravity=(0, 0, 0))
    body = model.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.bushing("F", model.ground, body, (0, 0, 0), stiffness=(0, 0, 0, 3.0, 2.0, 1.0))
    system = build(model)
    for axis in range(3):
        turn = np.zeros(6)
        turn[3 + axis] = angle
        found = system.force(0.0, system.retract(system.start, turn), np.zeros(6))
        wanted = np.zeros(6)
        wanted[3 + axis] = -(3.0 - axis) * angle
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14 * angle + 1e-15)


def test_closed_paths_take_no_work():
    """b along a closed path of large shifts and turns against a, by Simpson's rule."""
    system, free = undamped(), free_of_it()
    rng, n = np.random.default_rng(5), 400
    directions = rng.normal(size=(2, 12)) * 0.6
    places = [np.cos(s) * directions[0] + np.sin(2 * s + 0.3) * directions[1] for s in np.linspace(0, 2 * np.pi, n + 1)]
    q = [system.retract(system.start, way) for way in places]
    work, gross = 0.0, 0.0
    for first, last in pairwise(q):
        step = _difference(first, last)
        middle = system.retract(first, 0.5 * step)
        done = sum(w * load(system, free, system.retract(first, s * step)) @ step for w, s in ((1 / 6, 0), (1 / 6, 1)))
        done += 4 / 6 * load(system, free, middle) @ step
        work, gross = work + done, gross + abs(done)
    assert abs(work) < 1e-7 * gross and gross > 1.0


def _difference(first, last):
    """The step (12,) with which retract leads from one q to another."""
    step = np.zeros(12)
    for i in range(2):
        x, p = slice(7 * i, 7 * i + 3), slice(7 * i + 3, 7 * i + 7)
        step[6 * i : 6 * i + 3] = last[x] - first[x]
        turn = rotation_matrices(first[p]).T @ rotation_matrices(last[p])
        step[6 * i + 3 : 6 * i + 6] = Rotation.from_matrix(turn).as_rotvec()
    return step


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_a_chain_with_bushings_keeps_its_energy(coordinates):
    model = br.Model("chain", gravity=(0, 0, 0))
    last = model.ground
    for i in range(3):
        body = model.body(f"b{i}", mass=1.0, inertia=(0.2, 0.3, 0.25), position=(i + 1.0, 0, 0))
        model.spherical(f"J{i}", last, body, (i + 0.5, 0, 0))
        model.bushing(f"B{i}", last, body, (i + 0.5, 0, 0), stiffness=(5, 6, 7, 1.0, 4.0, 9.0))
        model.start(body=body, angular_velocity=((3.0, 1.0, 2.0), (-3.0, 1.5, -1.0), (3.5, -1.0, 1.5))[i])
        last = body
    s = br.simulate(model, 10.0, rtol=1e-11, output=501, coordinates=coordinates)
    total = s.energy.kinetic + s.energy.potential
    turns = [
        Rotation.from_matrix(np.swapaxes(R_a, 1, 2) @ R_b).magnitude().max()
        for R_a, R_b in [(s.poses[f"b{i - 1}"][1] if i else np.eye(3)[None], s.poses[f"b{i}"][1]) for i in range(3)]
    ]
    assert 1.5 < max(turns) < 3.0
    assert np.ptp(total) < 1e-9 * s.energy.potential.max()
    assert not s.energy.work.any()


def test_dampers_of_a_bushing_are_all_that_counts_as_work():
    model, a, b = two_bodies()
    model.bushing("F", a, b, (0.4, 0.3, 0.2), stiffness=STIFFNESS, damping=(0.5, 0.4, 0.3, 0.2, 0.1, 0.3))
    model.start(body=b, angular_velocity=(1.0, 2.0, -3.0), velocity=(1.0, 0, 0))
    s = br.simulate(model, 3.0, rtol=1e-10)
    assert (np.diff(s.energy.work) < 0).all()
    scale = np.abs(s.energy.kinetic).max()
    np.testing.assert_allclose(s.energy.error, 0.0, atol=1e-8 * scale)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_a_failure_next_to_half_a_turn_names_the_bushing(coordinates):
    model, a, b = two_bodies()
    model.bushing("F", a, b, (0.4, 0.3, 0.2), stiffness=STIFFNESS)
    system = model.build(coordinates=coordinates)
    assert half_turned(system, system.start) == ""
    model.start(body=b, rotation=Rotation.from_rotvec((0, 0, 3.13)).as_matrix() @ b.rotation)
    model.start(body=a, rotation=a.rotation)
    system = model.build(coordinates=coordinates)
    words = half_turned(system, br.simulate(system, 1e-3).q[0])
    assert '"F" is 0.012 rad from half a turn' in words and "torsion" in words
