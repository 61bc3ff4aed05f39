"""build(rotation=...): Lagrangian rotation parameters against the group and against finite differences."""

import numpy as np
import pytest

import bricard.model as br
from bricard.compiled.interfaces import G_DOT
from bricard.errors import IncompatibleMethods
from bricard.io.dataset import quaternions
from bricard.kernels.rotation_sets import NAMES, parameters_of, quaternion_of, regularity, turning_map
from bricard.model.frames import rotation_matrix
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from bricard.solution.solution import Solution
from bricard.system.assembler import assemble
from bricard.system.build import build
from bricard.system.channels import rotation_matrices
from mechanisms import HERE, MILLIMETRES, TURNED, four_bar, pendulum, rssr, six_bar

every_set = pytest.mark.parametrize("rotation", NAMES)
TILT = (0.9, 0.1, -0.3, 0.2)


def free_body():
    """A tumbling body with a full inertia tensor; it starts where all sets are regular and stays there."""
    model = br.Model("free body", gravity=(0, 0, -9.81))
    inertia = ((0.3, 0.02, -0.05), (0.02, 0.4, 0.03), (-0.05, 0.03, 0.5))
    model.body("body", mass=1.3, inertia=inertia, com=(0.1, -0.2, 0.05), rotation=(0.8, 0.5, 0.2, 0.1))
    model.start(body="body", velocity=(0.3, -0.2, 1.0), angular_velocity=(0.7, -1.1, 2.0))
    return model


def top():
    model = br.Model("top", gravity=(0, 0, -9.81))
    rotation = rotation_matrix((np.cos(0.3), np.sin(0.3), 0, 0))
    model.body("top", mass=2.0, inertia=(0.03, 0.03, 0.02), com=(0, 0, 0.3), rotation=rotation)
    model.spherical("tip", model.ground, "top", (0, 0, 0))
    model.start(body="top", angular_velocity=rotation @ (0.0, 0.0, 5.0))
    return model


def workshop():
    """Bodies in space and in the plane with all kinds of entries: holonomic, nonholonomic and driven rows, forces, a damper."""
    model = br.Model("workshop", gravity=(0.4, -9.0, -1.5))
    a = model.body("a", mass=1.3, inertia=(0.3, 0.4, 0.5), com=(0.1, -0.2, 0.05), rotation=TILT, inertia_axes=TILT)
    b = model.body("b", mass=0.7, inertia=(0.2, 0.25, 0.3), position=(0.7, 0.4, 0.5), rotation=(0.8, 0.4, 0.3, -0.1))
    flat = model.body("flat", mass=1.1, inertia=0.3, com=(0.1, 0.2, 0), position=(1.5, 0, 0), planar=True)
    model.cylindrical("guide", a, b, (0.4, 0.3, 0.2), (0.3, -0.5, 1.0))
    model.drive("drive", "guide.angle", br.Sine(0.4, 0.7, 0.3, 0.1))
    model.distance("rod", b, flat, (0.8, 0.5, 0.4), (1.4, 0.3, 0))
    model.knife_edge("skate", a, (0.2, 0.3, -0.1), (1, 0.2, 0.4))
    model.spring("spring", a, flat, (0.1, 0.2, 0.4), (1.6, 0.1, 0), stiffness=20.0, damping=3.0, length=0.8)
    model.bushing("bushing", a, b, (0.5, 0.5, 0), stiffness=(9, 8, 7, 3, 2, 1), damping=(0.5, 0.4, 0.3, 0.2, 0.1, 0.3))
    model.force("force", b, (0.8, 0.4, 0.6), (1.0, 2.0, -3.0), (0.3, 0.2, 0.5), axes="body")
    return model


def largest_gap(one, other, body):
    """Largest difference of positions, rotations and angular velocities of two solutions."""
    pairs = zip(one.poses[body], other.poses[body], strict=True)
    spins = one.angular_velocity(body), other.angular_velocity(body)
    return max(float(np.abs(a - b).max()) for a, b in (*pairs, spins))


# the sets


def random_parameters(kind, rng):
    while True:
        quaternion = rng.normal(size=4)
        p = parameters_of(kind, quaternion / np.linalg.norm(quaternion))
        whole = (*p, 0.0)[:4]
        if regularity(kind, whole) > 0.3:
            return quaternion, np.array(whole), p.size


@every_set
def test_parameters_describe_the_rotation_and_H_its_angular_velocity(rotation):
    kind, rng, h = NAMES.index(rotation), np.random.default_rng(5), 1e-5

    def matrix(p):
        return rotation_matrices(np.array(quaternion_of(kind, tuple(p))))

    for _ in range(20):
        quaternion, p, size = random_parameters(kind, rng)
        np.testing.assert_allclose(matrix(p), rotation_matrices(quaternion), rtol=0, atol=1e-14)
        rate = np.zeros(4)
        rate[:size] = rng.normal(size=size)
        spin = matrix(p).T @ (matrix(p + h * rate) - matrix(p - h * rate)) / (2 * h)
        given = np.array(turning_map(kind, tuple(p))) @ rate
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], given, rtol=0, atol=1e-7)


@pytest.mark.parametrize("rotation", [name for name in NAMES if name not in ("quaternion", "euler-zxz")])
def test_small_rotations_are_rotation_vectors(rotation):
    """All that vanish with the rotation begin as phi n."""
    kind = NAMES.index(rotation)
    for size in (0.0, 1e-9, 1e-4):
        turn = size * np.array([0.6, -0.64, 0.48])
        p = parameters_of(kind, np.array([np.cos(0.5 * size), *(np.sinc(0.5 * size / np.pi) * 0.5 * turn)]))
        np.testing.assert_allclose(p, turn, rtol=0, atol=1e-16 + size**2)
        H = np.array(turning_map(kind, (*p, 0.0)))[:, :3]
        np.testing.assert_allclose(H, np.eye(3), rtol=0, atol=1e-15 + size)


@pytest.mark.parametrize("size", [0.999999, 1.000001, 2.0])
def test_rotation_vector_has_one_value_on_both_sides_of_its_series(size):
    kind, way = NAMES.index("rotation-vector"), np.array([0.6, -0.64, 0.48])
    W = np.array([[0, -way[2], way[1]], [way[2], 0, -way[0]], [-way[1], way[0], 0]])
    exact = np.eye(3) - (1 - np.cos(size)) / size * W + (size - np.sin(size)) / size * W @ W
    H = np.array(turning_map(kind, (*(size * way), 0.0)))[:, :3]
    np.testing.assert_allclose(H, exact, rtol=0, atol=1e-15)


@pytest.mark.parametrize("rotation", ["quaternion", "euler-zxz", "cardan", "rotation-vector", "wiener-milenkovic"])
def test_parameters_nearest_to_known_ones_keep_turns_and_covers(rotation):
    kind = NAMES.index(rotation)
    known = {
        "quaternion": (-0.8, -0.5, -0.2, -0.1),
        "euler-zxz": (5.0, 0.7, -7.0),
        "cardan": (-4.0, 0.3, 9.0),
        "rotation-vector": (3.0, 2.0, -1.0),
        "wiener-milenkovic": (5.0, -3.0, 1.0),
    }[rotation]
    known = np.array(known) / (np.linalg.norm(known) if rotation == "quaternion" else 1.0)
    quaternion = np.array(quaternion_of(kind, (*known, 0.0)[:4]))
    quaternion /= np.linalg.norm(quaternion)
    np.testing.assert_allclose(parameters_of(kind, quaternion, known), known, rtol=0, atol=1e-14)
    np.testing.assert_allclose(parameters_of(kind, -quaternion, known), known, rtol=0, atol=1e-14)
    assert np.abs(parameters_of(kind, quaternion) - known).max() > 0.1  # without it the smallest ones are taken


# the equations


def differences(function, x, h=1e-6):
    """Derivatives of a function as columns."""
    return np.array([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(x.size)]).T


def state(system, seed):
    rng = np.random.default_rng(seed)
    q = system.start + 0.15 * rng.normal(size=system.n_q)
    return q, *(rng.normal(size=system.n_v) for _ in range(2)), rng.normal(size=system.n_rows)


@every_set
def test_every_derivative_agrees_with_differences(rotation):
    """At states that violate all constraints, the unit norm too."""
    system, t = build(workshop(), rotation=rotation), 0.4
    q, v, a, lam = state(system, 2)
    holonomic = np.array([not row.velocity_level for row in system.rows])
    r, tangent = system.record, system.tangent(t, q, v, a, lam)

    def near(given, expected, limit=2e-8):
        given = given.toarray() if hasattr(given, "toarray") else given
        np.testing.assert_allclose(given, expected, rtol=0, atol=limit * (1 + np.abs(expected).max()))

    def residual(q):
        return system.mass(q) @ a + system.jacobian(t, q).T @ lam - system.force(t, q, v)

    def along(function, h=1e-6):
        return (function(t + h, q + h * v) - function(t - h, q - h * v)) / (2 * h)

    near(
        system.jacobian(t, q).toarray()[holonomic],
        differences(lambda q: system.constraint(t, q), q)[holonomic],
    )
    near(system.constraint_velocity(t, q, v)[holonomic], along(system.constraint)[holonomic])
    near(system.gamma(t, q, v), -along(lambda t, q: system.constraint_velocity(t, q, v)))
    near(tangent.rate, differences(lambda q: system.constraint_velocity(t, q, v), q))
    near(tangent.D, differences(lambda v: -system.force(t, q, v), v))
    near(tangent.K, differences(residual, q))
    work = system.evaluated(t, q, v, G_DOT)
    g_dot = system._sparse(r.g_row, r.g_column, work.g_dot, (r.n_rows, r.n_v))
    m_dot = system._sparse(r.m_row, r.m_column, work.m_dot, (r.n_v, r.n_v))
    near(g_dot, along(lambda t, q: system.jacobian(t, q).toarray()))
    near(m_dot, along(lambda t, q: system.mass(q).toarray()))


@every_set
def test_lagrange_equations_follow_from_the_kinetic_energy(rotation):
    """d/dt dE/dv - dE/dq of E = v^T M v / 2, by differences, is M v' - f for a body without load."""
    model = br.Model("alone", gravity=(0, 0, 0))
    model.body("body", mass=1.3, inertia=(0.3, 0.4, 0.6), rotation=(0.8, 0.5, 0.2, 0.1))
    system, h = build(model, rotation=rotation), 1e-5
    q, v, a, _ = state(system, 3)

    def momentum(s):
        return system.mass(q + s * v + 0.5 * s * s * a) @ (v + s * a)

    energy_slope = differences(lambda q: np.array([0.5 * v @ (system.mass(q) @ v)]), q)[0]
    expected = (momentum(h) - momentum(-h)) / (2 * h) - energy_slope
    given = system.mass(q) @ a - system.force(0.0, q, v)
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-8 * (1 + np.abs(expected).max()))


def test_quaternion_has_a_mass_matrix_of_rank_six_that_the_unit_norm_completes():
    system = build(free_body(), rotation="quaternion")
    start = assemble(system)
    M, G, p = system.mass(start.q).toarray(), system.jacobian(0.0, start.q).toarray(), start.q[3:]
    assert M.shape == (7, 7) and np.linalg.matrix_rank(M) == 6 and system.singular_mass
    assert np.abs(M[3:, 3:] @ p).max() <= 1e-15
    assert np.linalg.matrix_rank(np.block([[M, G.T], [G, np.zeros((1, 1))]])) == 8
    assert [system.row_name(row) for row in range(system.n_rows)] == ['body "body" (unit quaternion)']
    assert not build(free_body(), rotation="cardan").singular_mass


def test_multiplier_of_the_unit_norm_vanishes_and_the_accelerations_are_exact():
    """R does not depend on the size of p, so nothing pushes against the norm; the added mass along p leaves no trace."""
    system = build(rssr(TURNED), rotation="quaternion")
    start = assemble(system)
    norms = [row for row, text in enumerate(system.rows) if text.label == "unit quaternion"]
    assert len(norms) == 3
    assert np.abs(start.lam[norms]).max() <= 1e-12 * np.abs(start.lam).max()
    M, G = system.mass(start.q).toarray(), system.jacobian(0.0, start.q).toarray()
    zero = np.zeros((system.n_rows, system.n_rows))
    right = np.concatenate([system.force(0.0, start.q, start.v), system.gamma(0.0, start.q, start.v)])
    exact = np.linalg.solve(np.block([[M, G.T], [G, zero]]), right)
    np.testing.assert_allclose(np.concatenate([start.a, start.lam]), exact, rtol=0, atol=1e-11 * np.abs(exact).max())


# the motions


@pytest.mark.parametrize("mechanism", [free_body, top])
@every_set
def test_single_bodies_move_as_in_the_group(rotation, mechanism):
    model, options = mechanism(), {"formulation": "index1", "integrator": "dopri5", "rtol": 1e-12}
    group = simulate(model, 0.4, **options, output=21)
    solution = simulate(model.build(rotation=rotation), 0.4, **options, output=21)
    assert largest_gap(solution, group, next(iter(model.bodies))) <= 1e-9
    assert np.abs(solution.energy.error).max() <= 1e-9
    np.testing.assert_allclose(solution.energy.kinetic, group.energy.kinetic, rtol=0, atol=1e-9)


CLOSED = {"four-bar": four_bar, "rssr": rssr, "six-bar": six_bar}
METHODS = {
    "index1": {"formulation": "index1", "integrator": "dopri5", "rtol": 1e-11},
    "ggl": {"formulation": "ggl", "integrator": "radau5", "step": 1e-3},
}


def regular(mechanism, rotation):
    """Whether a set is regular along the motions below."""
    fails = {"four-bar": ("euler-zxz",), "rssr": ("gibbs", "euler-rodrigues", "euler-zxz"), "six-bar": ()}
    return rotation not in fails[mechanism]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mechanism, rotation", [(m, r) for m in CLOSED for r in NAMES if regular(m, r)])
def test_closed_loops_move_as_in_the_group(mechanism, rotation, method):
    """Redundant rows included: four-bar and six-bar in space."""
    model = CLOSED[mechanism](TURNED)
    group = simulate(model, 0.1, **METHODS[method], output=11)
    solution = simulate(model.build(rotation=rotation), 0.1, **METHODS[method], output=11)
    for body in model.bodies:
        assert largest_gap(solution, group, body) <= 2e-8
    for joint in model.joints:
        given, expected = solution.reaction(joint), group.reaction(joint)
        size = 1.0 + np.abs(expected.force).max()
        np.testing.assert_allclose(given.force, expected.force, rtol=0, atol=1e-6 * size)
        np.testing.assert_allclose(given.moment, expected.moment, rtol=0, atol=1e-6 * size)
        assert given.unique == expected.unique
    coordinate = next(iter(model.joints))
    np.testing.assert_allclose(solution.joint(coordinate), group.joint(coordinate), rtol=0, atol=2e-8)
    np.testing.assert_allclose(solution.joint_velocity(coordinate), group.joint_velocity(coordinate), atol=2e-7)


@every_set
def test_generalized_alpha_converges_to_the_motion_of_the_group(rotation):
    """Order 2 in any coordinates: a quarter of the step, a sixteenth of the error; and Newton's tangent is as good."""
    model = pendulum(TURNED)
    exact = simulate(model, 0.2, rtol=1e-12, output=0.02).joint("A")
    options = {"formulation": "index3", "integrator": "generalized-alpha", "output": 0.02}
    system = model.build(rotation=rotation)
    runs = [simulate(system, 0.2, step=step, newton_tolerance=1e-6, **options) for step in (1e-3, 2.5e-4)]
    errors = [np.abs(solution.joint("A") - exact).max() for solution in runs]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)
    given, group = (simulate(what, 0.2, step=1e-3, **options).counters["iterations"] for what in (system, model))
    assert given <= 1.3 * group


@pytest.mark.parametrize("rotation", ["quaternion", "cardan", "wiener-milenkovic"])
def test_nonholonomic_driven_and_planar_parts_go_together(rotation):
    options = {"formulation": "index1", "integrator": "rk4", "step": 1e-3}
    group = simulate(workshop(), 0.1, **options)
    solution = simulate(workshop().build(rotation=rotation), 0.1, **options)
    assert max(largest_gap(solution, group, body) for body in ("a", "b", "flat")) <= 1e-8
    assert np.abs(solution.energy.error).max() <= 1e-6 * solution.energy.kinetic.max()


@pytest.mark.parametrize("rotation", ["quaternion", "rotation-vector"])
@pytest.mark.parametrize("method", METHODS)
def test_massless_coupler(rotation, method):
    model = four_bar(TURNED, coupler_mass=0.0)
    group, solution = (simulate(what, 0.1, **METHODS[method]) for what in (model, model.build(rotation=rotation)))
    np.testing.assert_allclose(solution.joint("A")[-1], group.joint("A")[-1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("rotation", ["quaternion", "gibbs"])
def test_units_do_not_matter(rotation):
    options = {"formulation": "index3", "integrator": "generalized-alpha", "step": 1e-3}
    metres, millimetres = (
        simulate(pendulum(world).build(rotation=rotation), 0.1, **options) for world in (HERE, MILLIMETRES)
    )
    np.testing.assert_allclose(metres.joint("A"), millimetres.joint("A"), rtol=0, atol=1e-10)
    assert metres.counters["iterations"] == millimetres.counters["iterations"]


def test_unit_norm_drifts_without_a_correction_and_holds_with_one():
    """It is a constraint as any other: nobody normalises behind the user's back."""
    system, options = build(free_body(), rotation="quaternion"), {"formulation": "index1", "integrator": "rk4"}
    drifting = simulate(system, 1.0, step=0.05, correction="none", **options)
    held = simulate(system, 1.0, step=0.05, **options)
    assert 1e-9 < drifting.constraint_errors.position.max() < 1e-2
    assert held.constraint_errors.position.max() <= 1e-12


EVERYWHERE = [name for name, formulation in FORMULATIONS.items() if formulation.singular_mass and not formulation.needs]


@pytest.mark.parametrize("formulation", EVERYWHERE)
def test_every_formulation_that_takes_a_singular_mass_takes_quaternions(formulation):
    """Coordinates as their authors had them; among them pseudo-inverse-2, spec 003, section 5, variant II."""
    forms = FORMULATIONS[formulation].forms
    integrator = "rk4" if "Ode" in forms else "radau5" if "ResidualDae" in forms else None
    model, options = rssr(TURNED), {"formulation": formulation, "integrator": integrator, "step": 1e-3}
    group, solution = (simulate(what, 0.03, **options) for what in (model, model.build(rotation="quaternion")))
    assert max(np.abs(solution.point(body) - group.point(body)).max() for body in model.bodies) <= 1e-7


def test_method_that_inverts_the_mass_refuses_quaternions():
    refusing = [name for name, formulation in FORMULATIONS.items() if not formulation.singular_mass]
    assert refusing
    for name in refusing:
        with pytest.raises(IncompatibleMethods, match=f'"{name}" needs the inverse of the mass matrix.*quaternion'):
            simulate(build(pendulum(), rotation="quaternion"), 0.1, formulation=name, step=1e-3)


# the start, output, files


@every_set
def test_wishes_mean_the_same_in_any_parameters(rotation):
    system = build(free_body(), rotation=rotation)
    solution = simulate(system, 1e-3, step=1e-3, integrator="rk4", formulation="index1")
    np.testing.assert_allclose(solution.angular_velocity("body")[0], (0.7, -1.1, 2.0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(solution.velocity("body")[0], (0.3, -0.2, 1.0), rtol=0, atol=1e-12)
    wished = free_body()
    wished.start(body="body", rotation=rotation_matrix((0.7, 0.4, -0.4, 0.3)))
    turned = assemble(build(wished, rotation=rotation))
    size = turned.q.size - 3
    quaternion = quaternion_of(NAMES.index(rotation), (*turned.q[3:], 0.0)[:4])
    expected = rotation_matrix((0.7, 0.4, -0.4, 0.3))
    assert size == (4 if rotation == "quaternion" else 3)
    np.testing.assert_allclose(rotation_matrices(np.array(quaternion)), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("rotation", ["quaternion", "cardan"])
def test_output_between_samples_and_going_on(rotation):
    options = {"formulation": "index1", "integrator": "dopri5", "rtol": 1e-10}
    system = build(pendulum(TURNED), rotation=rotation)
    whole = simulate(system, 0.2, **options, output=42)
    halves = simulate(simulate(system, 0.1, **options, output=22), 0.1, **options, output=22)
    np.testing.assert_allclose(halves.joint("A")[-1], whole.joint("A")[-1], rtol=0, atol=1e-8)
    between = whole.at(0.1525)
    assert np.abs(system.constraint(0.1525, between.q)).max() <= 1e-6
    given = simulate(system, 0.1525, **options, output=3)
    np.testing.assert_allclose(between.q, given.q[-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("rotation", ["quaternion", "rotation-vector"])
def test_files_remember_the_rotation_parameters(rotation, tmp_path):
    solution = simulate(pendulum(TURNED).build(rotation=rotation), 0.02, step=1e-3)
    solution.save(tmp_path / "run.h5")
    again = Solution.load(tmp_path / "run.h5")
    assert again.system.rotation == rotation
    np.testing.assert_array_equal(again.poses["bob"][1], solution.poses["bob"][1])
    np.testing.assert_allclose(rotation_matrices(quaternions(again)[:, 0]), again.poses["bob"][1], rtol=0, atol=1e-15)
