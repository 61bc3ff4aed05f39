"""Forces against their definitions, written out for the two bodies in world axes."""

import numpy as np
import own_functions as own
import pytest
from samples import system_of
from states import random_point

from bricard.kernels.functions import Motion
from bricard.model import quaternion
from bricard.system.channels import rotation_matrices

SEEDS = pytest.mark.parametrize("seed", range(3))


def bodies(system, p):
    """Centre of mass, rotation, velocity and angular velocity (world) of a and b."""
    found = []
    for i in range(2):
        q, v = p.q[7 * i : 7 * i + 7], p.v[6 * i : 6 * i + 6]
        R = rotation_matrices(q[3:])
        found.append((q[:3], R, v[:3], R @ v[3:]))
    return found


def carried(body, frame):
    """Position and velocity of the origin of a frame."""
    x, R, v, w = body
    arm = R @ frame.point
    return x + arm, v + np.cross(w, arm)


def generalised(system, p, loads):
    """f of loads per body (force, torque about the centre of mass, world axes), with weight and gyroscopic torque."""
    f = np.zeros(12)
    for i, (body, (force, torque)) in enumerate(zip(system.model.bodies.values(), loads, strict=True)):
        _, R, _, w = bodies(system, p)[i]
        J = R @ body.inertia @ R.T
        f[6 * i : 6 * i + 3] = force + body.mass * system.model.gravity
        f[6 * i + 3 : 6 * i + 6] = R.T @ (torque - np.cross(w, J @ w))
    return f


def pair(system, p, point, force, moment=0.0):
    """`force` and `moment` on b at a world point, the opposite on a there."""
    (x_a, *_), (x_b, *_) = bodies(system, p)
    return generalised(
        system, p, [(-force, -moment - np.cross(point - x_a, force)), (force, moment + np.cross(point - x_b, force))]
    )


@SEEDS
@pytest.mark.parametrize("name", ["spring", "spring table", "spring function"])
def test_spring(name, seed):
    system = system_of(name)
    p, spring = random_point(system, seed), system.model.forces["F"]
    a, b = bodies(system, p)
    (x_a, v_a), (x_b, v_b) = carried(a, spring.frame_a), carried(b, spring.frame_b)
    length = np.linalg.norm(x_b - x_a)
    along = (x_b - x_a) / length
    force = spring.law(p.t, length, along @ (v_b - v_a)) * along
    np.testing.assert_allclose(system.force(p.t, p.q, p.v), pair(system, p, x_b, force), rtol=0, atol=1e-12)


@SEEDS
def test_torsion_spring(seed):
    """Where the hinge is closed, the torque acts about its axis."""
    system = system_of("torsion")
    hinge, law = system.model.joints["hinge"], system.model.forces["F"].law
    rng = np.random.default_rng(seed)
    p = random_point(system, seed)
    a, b = bodies(system, p)
    angle = rng.uniform(-2, 2)
    c, s = np.cos(angle), np.sin(angle)
    R_b = a[1] @ hinge.frame_a.rotation @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ hinge.frame_b.rotation.T
    q = p.q.copy()
    q[10:] = quaternion(R_b)
    p = p._replace(q=q)
    a, b = bodies(system, p)
    axis = a[1] @ hinge.frame_a.z
    torque = law(p.t, angle, axis @ (b[3] - a[3])) * axis
    expected = generalised(system, p, [(np.zeros(3), -torque), (np.zeros(3), torque)])
    np.testing.assert_allclose(system.force(p.t, p.q, p.v), expected, rtol=0, atol=1e-12)


@SEEDS
@pytest.mark.parametrize("axes", ["world", "body"])
def test_applied_force(axes, seed):
    system = system_of(f"force in the {axes}")
    p, load = random_point(system, seed), system.model.forces["F"]
    _, R, _, _ = bodies(system, p)[1]
    force, torque = (np.array([profile(p.t) for profile in part]) for part in (load.force, load.torque))
    if axes == "body":
        force, torque = R @ force, R @ torque
    zero = np.zeros(3)
    expected = generalised(system, p, [(zero, zero), (force, torque + np.cross(R @ load.point, force))])
    np.testing.assert_allclose(system.force(p.t, p.q, p.v), expected, rtol=0, atol=1e-12)


@SEEDS
def test_user_force(seed):
    system = system_of("user_force")
    p, element = random_point(system, seed), system.model.forces["F"]
    a, b = bodies(system, p)
    motions = [
        Motion(x, body[1], v, body[3])
        for body, (x, v) in ((a, carried(a, element.frame_a)), (b, carried(b, element.frame_b)))
    ]
    load = np.array(own.drag(p.t, *motions, element.parameters))
    expected = pair(system, p, motions[1].x, load[:3], load[3:])
    np.testing.assert_allclose(system.force(p.t, p.q, p.v), expected, rtol=0, atol=1e-12)


def test_bushing_is_free_of_load_as_drawn():
    system = system_of("bushing")
    zero = np.zeros(3)
    p = random_point(system, 0)._replace(q=system.start, v=np.zeros(12))
    expected = generalised(system, p, [(zero, zero), (zero, zero)])
    np.testing.assert_allclose(system.force(0.0, p.q, p.v), expected, rtol=0, atol=1e-12)


@SEEDS
def test_bushing_on_a_small_displacement(seed):
    """K dx - D v in the axes of the bushing, for a small shift and turn of b with a at rest."""
    system = system_of("bushing")
    bushing = system.model.forces["F"]
    rng, size = np.random.default_rng(seed), 1e-6
    dx, dt, dv, dw = size * rng.normal(size=(4, 3))
    R_b = system.model.bodies["b"].rotation
    arm = R_b @ bushing.frame_b.point
    step = np.zeros(12)
    step[6:9], step[9:] = dx - np.cross(dt, arm), R_b.T @ dt
    v = np.zeros(12)
    v[6:9], v[9:] = dv - np.cross(dw, arm), R_b.T @ dw
    f = system.force(0.0, system.retract(system.start, step), v) - system.force(0.0, system.start, 0 * v)
    axes = bushing.frame_a.world_rotation
    stiffness, damping = np.array(bushing.parameters[:6]), np.array(bushing.parameters[6:12])
    load = -stiffness * np.concatenate([axes.T @ dx, axes.T @ dt]) - damping * np.concatenate(
        [axes.T @ dv, axes.T @ dw]
    )
    force, moment = axes @ load[:3], axes @ load[3:]
    np.testing.assert_allclose(f[6:9], force, rtol=0, atol=1e3 * size**2)
    np.testing.assert_allclose(f[9:], R_b.T @ (moment + np.cross(arm, force)), rtol=0, atol=1e3 * size**2)
