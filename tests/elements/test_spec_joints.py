"""The 3-D joints against the equations of spec 004, section 2.5, written out here in NumPy with turns in the world.

The rows differ from ours (the spec repeats rows where we have independent ones), so what is compared is the constraint
manifold: both vanish on it, G has the same row space, and both allow the same accelerations.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import system_of
from scipy.spatial.transform import Rotation

from bricard.model import quaternion
from bricard.system.channels import rotation_matrices

I3 = np.eye(3)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class Side:
    """Pose of one body with its joint frame: r (centre of mass), R, and point, axes of the frame in body axes."""

    def __init__(self, r, R, frame):
        self.r, self.R, self.point, self.axes = r, R, frame.point, frame.rotation


# Building blocks of the spec for one body: its part of phi and of G in (dr, dtheta), theta in world axes.
def shared_point(s):  # (5.29), (5.36)
    arm = s.R @ s.point
    return s.r + arm, np.hstack([I3, -skew(arm)])


def shared_vector(s, i):  # (5.40)
    p = s.R @ s.axes[:, i]
    return p, np.hstack([0 * I3, -skew(p)])


def plane_offset(s, i):  # (5.52), (5.74): local offset e = p.c of the plane through the frame's origin
    p = s.R @ s.axes[:, i]
    offset = -s.axes[:, i] @ s.point
    return np.array([offset - p @ s.r]), -np.hstack([p, np.cross(p, s.r)])[None]


def shared_line(s, i):  # (5.80), (5.101) corrected
    axis = s.axes[:, i]
    p, foot = s.R @ axis, s.R @ (s.point - (axis @ s.point) * axis)
    level = p @ s.r
    turn = -skew(foot) + (level * I3 + np.outer(p, s.r)) @ skew(p)
    return s.r - level * p + foot, np.hstack([I3 - np.outer(p, p), turn])


def difference(block, a, b, *which):
    (phi_a, G_a), (phi_b, G_b) = block(a, *which), block(b, *which)
    return phi_a - phi_b, np.hstack([G_a, -G_b])


def dot_product(a, b, cosine=0.0):  # (5.112), (5.121)
    p, w = a.R @ a.axes[:, 2], b.R @ b.axes[:, 2]
    zero = np.zeros(3)
    return np.array([p @ w - cosine]), np.hstack([zero, np.cross(p, w), zero, np.cross(w, p)])[None]


def point_distance(a, b):
    (x_a, G_a), (x_b, G_b) = shared_point(a), shared_point(b)
    gap = x_a - x_b
    return np.array([gap @ gap]), 2 * gap[None] @ np.hstack([G_a, -G_b])


X, Z = 0, 2
EQUATIONS = {
    "spherical": lambda a, b: [difference(shared_point, a, b)],
    "revolute": lambda a, b: [difference(shared_point, a, b), difference(shared_vector, a, b, Z)],
    "planar": lambda a, b: [difference(plane_offset, a, b, Z), difference(shared_vector, a, b, Z)],
    "cylindrical": lambda a, b: [difference(shared_line, a, b, Z), difference(shared_vector, a, b, Z)],
    "prismatic": lambda a, b: [
        difference(shared_line, a, b, Z),
        difference(shared_vector, a, b, Z),
        difference(shared_vector, a, b, X),
    ],
    "universal": lambda a, b: [difference(shared_point, a, b), dot_product(a, b)],
    "fixed": lambda a, b: [
        difference(shared_point, a, b),
        difference(shared_vector, a, b, Z),
        difference(shared_vector, a, b, X),
    ],
    "distance": lambda a, b: [point_distance(a, b)],
    "constant_angle": lambda a, b: [dot_product(a, b)],
}


def frames_of(system):
    joint = system.model.joints["J"]
    return joint.frame_a, joint.frame_b


def sides(system, q):
    """Both bodies of the joint, at the configuration q."""
    poses = {name: (q[7 * i : 7 * i + 3], rotation_matrices(q[7 * i + 3 : 7 * i + 7])) for i, name in enumerate("ab")}
    return [Side(*poses[frame.body.name], frame) for frame in frames_of(system)]


def spec(name, system, q):
    """phi and G of the spec in our columns: bodies in the order a, b of the model, turns in body axes."""
    a, b = sides(system, q)
    phi, G = (np.concatenate(part) for part in zip(*EQUATIONS[name](a, b), strict=True))
    order = [0, 1] if frames_of(system)[0].body.name == "a" else [1, 0]
    blocks = [np.hstack([G[:, 6 * i : 6 * i + 3], G[:, 6 * i + 3 : 6 * i + 6] @ s.R]) for i, s in enumerate((a, b))]
    return phi, np.hstack([blocks[i] for i in order])


def allowed_motion(name, rng, drawn):
    """A relative motion (shift, turn) of frame b against frame a that the joint allows; `drawn`: at the start."""

    def turn():
        return Rotation.from_rotvec([0, 0, rng.uniform(-2, 2)]).as_matrix()

    free, (x, y, z) = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
    length = np.linalg.norm(drawn[0])
    return {
        "spherical": (np.zeros(3), free),
        "revolute": (np.zeros(3), turn()),
        "planar": (np.array([x, y, 0]), turn()),
        "cylindrical": (np.array([0, 0, z]), turn()),
        "prismatic": (np.array([0, 0, z]), I3),
        "universal": (np.zeros(3), turn() @ drawn[1] @ turn()),
        "fixed": (np.zeros(3), I3),
        "distance": (length * free[:, 0], free @ free),
        "constant_angle": (np.array([x, y, z]), turn() @ drawn[1] @ turn()),
    }[name]


def on_the_manifold(name, system, seed):
    """A configuration that satisfies the joint: body b is placed by an allowed motion, not by solving equations."""
    rng = np.random.default_rng(seed)
    frame_a, frame_b = frames_of(system)
    A, B = frame_a.world_rotation, frame_b.world_rotation
    drawn = A.T @ (frame_b.world_position - frame_a.world_position), A.T @ B
    shift, turn = allowed_motion(name, rng, drawn)
    R_a, r_a = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
    R_b = R_a @ frame_a.rotation @ turn @ frame_b.rotation.T
    origin = r_a + R_a @ (frame_a.point + frame_a.rotation @ shift)
    r_b = origin - R_b @ frame_b.point
    poses = {frame_a.body.name: (r_a, R_a), frame_b.body.name: (r_b, R_b)}
    return np.concatenate([part for key in "ab" for part in (poses[key][0], quaternion(poses[key][1]))])


def row_space(G):
    _, s, vt = np.linalg.svd(G)
    return vt[: int(np.sum(s > 1e-9 * s[0]))]


every_joint = pytest.mark.parametrize("name", list(EQUATIONS))
few = settings(derandomize=True, max_examples=8, deadline=None)


@every_joint
@few
@given(seed=st.integers(0, 10**6))
def test_constraint_vanishes_on_the_manifold(name, seed):
    system = system_of(name)
    q = on_the_manifold(name, system, seed)
    np.testing.assert_allclose(system.constraint(0.0, q), 0.0, rtol=0, atol=1e-14)


@every_joint
@few
@given(seed=st.integers(0, 10**6))
def test_equations_of_the_spec_vanish_there_too(name, seed):
    system = system_of(name)
    constant = {"distance": spec(name, system, system.start)[0], "constant_angle": spec(name, system, system.start)[0]}
    phi = spec(name, system, on_the_manifold(name, system, seed))[0]
    np.testing.assert_allclose(phi, constant.get(name, 0.0), rtol=0, atol=1e-14)


@every_joint
@few
@given(seed=st.integers(0, 10**6))
def test_jacobian_has_the_row_space_of_the_spec(name, seed):
    system = system_of(name)
    q = on_the_manifold(name, system, seed)
    ours, theirs = row_space(system.jacobian(0.0, q).toarray()), row_space(spec(name, system, q)[1])
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(theirs @ ours.T @ ours, theirs, rtol=0, atol=1e-13)


@every_joint
@few
@given(seed=st.integers(0, 10**6))
def test_number_of_rows_is_the_rank(name, seed):
    system = system_of(name)
    G = system.jacobian(0.0, on_the_manifold(name, system, seed)).toarray()
    assert np.linalg.matrix_rank(G) == system.n_rows == 6 - system.model.joints["J"].freedom


@every_joint
@few
@given(seed=st.integers(0, 10**6))
def test_allowed_accelerations_are_those_of_the_spec(name, seed):
    """An acceleration with G v' = gamma satisfies the second derivative of the spec's equations."""
    system, h = system_of(name), 1e-6
    q, rng = on_the_manifold(name, system, seed), np.random.default_rng(seed)
    G = system.jacobian(0.0, q).toarray()
    null = np.linalg.svd(G)[2][system.n_rows :]
    v = null.T @ (null @ rng.normal(size=system.n_v))
    a = np.linalg.lstsq(G, system.gamma(0.0, q, v), rcond=None)[0] + null.T @ (null @ rng.normal(size=system.n_v))
    rate = [spec(name, system, system.retract(q, s * v))[1] @ v for s in (h, -h)]
    acceleration = spec(name, system, q)[1] @ a + (rate[0] - rate[1]) / (2 * h)
    np.testing.assert_allclose(acceleration, 0.0, rtol=0, atol=1e-8 * (1 + np.abs(a).max()))


@every_joint
def test_leaving_the_manifold_is_seen(name):
    """Each of our rows is hurt by a displacement along its own gradient."""
    system = system_of(name)
    q = on_the_manifold(name, system, 3)
    for row, gradient in enumerate(system.jacobian(0.0, q).toarray()):
        moved = system.retract(q, 1e-3 * gradient)
        assert system.constraint(0.0, moved)[row] == pytest.approx(1e-3 * gradient @ gradient, rel=0.02)
