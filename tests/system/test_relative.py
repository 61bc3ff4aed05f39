"""Relative coordinates: recursions against dense references, derivatives against differences, the tree, bad input."""

from functools import cache

import numpy as np
import pytest

import bricard.model as br
from bricard.compiled.handles import pack
from bricard.compiled.interfaces import G_DOT, VELOCITY
from bricard.errors import ModelError, SingularMassError
from bricard.linalg.kkt import accelerations
from bricard.system.names import increment_names, position_names, velocity_names
from bricard.system.rotation import from_group, in_group
from mechanisms import four_bar
from trees import chain, forest, meadow

MODELS = {"space": forest, "plane": meadow}
H = 1e-6


@cache
def built(which, loop=True):
    return MODELS[which](loop).build(coordinates="relative")


@cache
def instant(which, loop=True):
    """A system, and q, v, a, lam beside its start, where no constraint holds."""
    system, rng = built(which, loop), np.random.default_rng(5)
    q = system.retract(system.start, 0.3 * rng.normal(size=system.n_v))
    return system, q, *(rng.normal(size=n) for n in (system.n_v, system.n_v, system.n_rows))


def absolute(system, q, v):
    _, q, v = in_group(system, q[None], v[None])
    return q[0], v[0]


def jacobian(system, q):
    """J (absolute velocities, n_v)."""
    return np.column_stack([absolute(system, q, e)[1] for e in np.eye(system.n_v)])


def jacobian_rate(system, q, v):
    return (jacobian(system, system.retract(q, H * v)) - jacobian(system, system.retract(q, -H * v))) / (2 * H)


def off(found, wanted):
    """Largest deviation, relative to the largest entry."""
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def along(system, q, function):
    """Derivative of a function of q along the directions of v, by central differences."""
    steps = H * np.eye(system.n_v)
    return np.stack([(function(system.retract(q, e)) - function(system.retract(q, -e))) / (2 * H) for e in steps], -1)


def own_rows(system):
    """Places of the rows of the cut joints among those of the absolute system."""
    cut = {row.joint for row in system.rows}
    return [i for i, row in enumerate(system.base.rows) if row.joint in cut]


@pytest.mark.parametrize("which", MODELS)
def test_there_and_back(which):
    system, q, v, _, _ = instant(which)
    back_q, back_v = from_group(system, *absolute(system, q, v), near=q)
    assert np.abs(back_q - q).max() < 1e-13
    assert np.abs(back_v - v).max() < 1e-12


@pytest.mark.parametrize("which", MODELS)
def test_velocities_of_bodies_are_linear(which):
    system, q, v, _, _ = instant(which)
    assert np.abs(jacobian(system, q) @ v - absolute(system, q, v)[1]).max() < 1e-13


@pytest.mark.parametrize("which", MODELS)
def test_velocities_of_bodies_are_those_of_their_places(which):
    system, q, v, _, _ = instant(which)
    (ahead, _), (behind, _) = (absolute(system, system.retract(q, s * v), v) for s in (H, -H))
    Q, V = absolute(system, q, v)
    speed = system.base.kinematic_map(Q) @ V
    assert np.abs((ahead - behind) / (2 * H) - speed).max() < 1e-8


@pytest.mark.parametrize("which", MODELS)
def test_mass_matrix(which):
    system, q, v, _, _ = instant(which)
    J, Q = jacobian(system, q), absolute(system, q, v)[0]
    assert off(system.mass(q).toarray(), J.T @ system.base.mass(Q) @ J) < 1e-14


@pytest.mark.parametrize("which", MODELS)
def test_forces(which):
    system, q, v, _, _ = instant(which)
    (Q, V), J = absolute(system, q, v), jacobian(system, q)
    inertial = system.base.mass(Q) @ (jacobian_rate(system, q, v) @ v)
    assert off(system.force(0.0, q, v), J.T @ (system.base.force(0.0, Q, V) - inertial)) < 1e-9


@pytest.mark.parametrize("which", MODELS)
def test_rows(which):
    system, q, v, _, _ = instant(which)
    (Q, V), rows = absolute(system, q, v), own_rows(system)
    G = system.base.jacobian(0.0, Q, V).toarray()[rows]
    assert off(system.jacobian(0.0, q, v).toarray(), G @ jacobian(system, q)) < 1e-14
    assert off(system.constraint(0.0, q), system.base.constraint(0.0, Q)[rows]) < 1e-14
    bend = G @ (jacobian_rate(system, q, v) @ v)
    assert off(system.gamma(0.0, q, v), system.base.gamma(0.0, Q, V)[rows] - bend) < 1e-8


@pytest.mark.parametrize("which", MODELS)
def test_stiffness_and_damping(which):
    system, q, v, a, lam = instant(which)

    def residual(q, v=v):
        return system.mass(q) @ a + system.jacobian(0.0, q, v).T @ lam - system.force(0.0, q, v)

    tangent = system.tangent(0.0, q, v, a, lam)
    assert off(tangent.K.toarray(), along(system, q, residual)) < 1e-8
    damping = [(residual(q, v + e) - residual(q, v - e)) / (2 * H) for e in H * np.eye(system.n_v)]
    assert off(tangent.D.toarray(), np.column_stack(damping)) < 1e-8


@pytest.mark.parametrize("which", MODELS)
def test_inverse_dynamics_by_recursion(which):
    system, q, v, a, lam = instant(which)
    wanted = system.mass(q) @ a + system.jacobian(0.0, q, v).T @ lam - system.force(0.0, q, v)
    assert off(system.inverse_dynamics(0.0, q, v, a, lam), wanted) < 1e-14


def test_inverse_dynamics_in_absolute_coordinates():
    system = four_bar().build()
    rng = np.random.default_rng(2)
    a, lam = rng.normal(size=system.n_v), rng.normal(size=system.n_rows)
    zero = np.zeros(system.n_v)
    wanted = (
        system.mass(system.start) @ a
        + system.jacobian(0.0, system.start).T @ lam
        - system.force(0.0, system.start, zero)
    )
    assert off(system.inverse_dynamics(0.0, system.start, zero, a, lam), wanted) < 1e-14


@pytest.mark.parametrize("which", MODELS)
def test_rate(which):
    system, q, v, a, lam = instant(which)
    rate = system.tangent(0.0, q, v, a, lam).rate.toarray()
    assert off(rate, along(system, q, lambda q: system.jacobian(0.0, q, v) @ v)) < 1e-8


@pytest.mark.parametrize("which", MODELS)
def test_rates_in_time(which):
    system, q, v, _, _ = instant(which)
    ahead, behind = system.retract(q, H * v), system.retract(q, -H * v)
    rows = (system.jacobian(0.0, ahead, v) - system.jacobian(0.0, behind, v)).toarray() / (2 * H)
    assert off(system.jacobian_rate(0.0, q, v).toarray(), rows) < 1e-8
    wanted = (system.mass(ahead) - system.mass(behind)).toarray() / (2 * H)
    record, work = system.record, system.evaluated(0.0, q, v, VELOCITY | G_DOT)
    found = np.zeros((system.n_v, system.n_v))
    np.add.at(found, (record.m_row.astype(int), record.m_column.astype(int)), work.m_dot)
    assert off(found, wanted) < 1e-8


@pytest.mark.parametrize("which", MODELS)
def test_kinematic_map(which):
    system, q, v, _, _ = instant(which)
    difference = (system.retract(q, H * v) - system.retract(q, -H * v)) / (2 * H)
    assert np.abs(system.kinematic_map(q) @ v - difference).max() < 1e-9


@pytest.mark.parametrize("which", MODELS)
def test_articulated_inertias_are_an_elimination(which):
    system, q, v, _, _ = instant(which, loop=False)
    assert system.n_rows == 0
    work = system.work()
    assert accelerations(0.0, q, v, system.compiled, pack(work))
    assert off(work.u[: system.n_v], np.linalg.solve(system.mass(q).toarray(), system.force(0.0, q, v))) < 1e-13


@pytest.mark.parametrize("links", [3, 30])
@pytest.mark.parametrize("planar", [True, False])
def test_a_chain_has_its_own_inertia_at_any_length(links, planar):
    """Stretched out and at rest, the chain of rods falls as its mass matrix says."""
    system = chain(links, planar).build(coordinates="relative")
    work, zero = system.work(), np.zeros(links)
    accelerations(0.0, system.start, zero, system.compiled, pack(work))
    wanted = np.linalg.solve(system.mass(system.start).toarray(), system.force(0.0, system.start, zero))
    assert off(work.u[:links], wanted) < 1e-10


def test_long_chains_are_solved_without_their_mass_matrix():
    system = chain(1200).build(coordinates="relative")
    assert system.record.m_row.size == 0
    work, zero = system.work(), np.zeros(1200)
    assert accelerations(0.0, system.start, zero, system.compiled, pack(work))
    absolute_system = system.base.work()
    accelerations(0.0, system.base.start, np.zeros(3600), system.base.compiled, pack(absolute_system))
    assert np.abs(np.cumsum(work.u[:1200]) - absolute_system.u[2:3600:3]).max() < 1e-6 * np.abs(work.u).max()


# the tree


def tree_of(model, **options):
    return {
        node.body.name: (node.parent.name, node.name) for node in model.build(coordinates="relative", **options).tree
    }


def test_the_tree_of_a_loop_is_shallow():
    assert tree_of(four_bar()) == {"crank": ("ground", "A"), "link": ("crank", "B"), "rocker": ("ground", "D")}


def test_joints_with_few_freedoms_come_first():
    model = four_bar()
    model.joints.pop("D")
    model.spherical("D", "rocker", model.ground, point=(1, 0, 0))
    assert tree_of(model)["rocker"] == ("link", "C")


def test_cut_by_hint():
    assert tree_of(four_bar(), cut=("A",))["crank"] == ("link", "B")
    assert four_bar().build(coordinates="relative", cut="A").cut == ("A",)


def test_a_body_without_joints_is_free():
    model = br.Model("free")
    model.body("stone", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system = model.build(coordinates="relative")
    assert (system.n_q, system.n_v, system.n_rows) == (7, 6, 0)


def test_angles_have_the_signs_of_their_joints():
    """Also where the joint is declared from the leaf to the root, or about -z in the plane."""
    for model, joint in ((forest(), "R2"), (meadow(), "A"), (meadow(), "B"), (four_bar(), "D")):
        system = model.build(coordinates="relative")
        place, rng = position_names(system).index(f"{joint}.angle"), np.random.default_rng(2)
        q = system.retract(system.start, 0.2 * rng.normal(size=system.n_v))
        measure, (_, R) = model.coordinate(joint), zip(*_poses(system, q, model.coordinate(joint).bodies), strict=True)
        p = np.array(measure.parameters)
        side = R[1] @ p[6:9]
        assert np.isclose(q[place], np.arctan2(side @ (R[0] @ p[3:6]), side @ (R[0] @ p[:3])), atol=1e-12)


def _poses(system, q, bodies):
    work = system.evaluated(0.0, q, np.zeros(system.n_v))
    numbers = {body: i for i, body in enumerate([*system.model.bodies.values(), system.model.ground])}
    return [(work.x[numbers[b]].copy(), work.rotation[numbers[b]].reshape(3, 3).copy()) for b in bodies]


def test_names():
    system = built("space")
    names = position_names(system)
    assert len(names) == system.n_q == len(set(names))
    assert {"R.angle", "U.angle_a", "S.p0", "C.displacement", "l.x"} <= set(names)
    assert {"R.angle'", "S.wx", "l.wz"} <= set(velocity_names(system))
    assert {"R.angle", "S.turn x"} <= set(increment_names(system))
    assert system.unknown_name(0) == 'joint "R" in its coordinate angle'


# bad input


def test_unknown_coordinates_are_refused():
    with pytest.raises(ModelError, match=r'Unknown coordinates "relativ"\. Did you mean "relative"'):
        four_bar().build(coordinates="relativ")


def test_an_unknown_joint_cannot_be_cut():
    with pytest.raises(ModelError, match='cut: there is no joint "E"'):
        four_bar().build(coordinates="relative", cut=("E",))


def test_cuts_belong_to_relative_coordinates():
    with pytest.raises(ModelError, match='coordinates="relative"'):
        four_bar().build(cut=("A",))


def test_rotation_parameters_belong_to_absolute_coordinates():
    with pytest.raises(ModelError, match="absolute coordinates"):
        four_bar().build(coordinates="relative", rotation="cardan")


def test_a_joint_that_moves_nothing_heavy_is_refused():
    model = br.Model("light")
    model.body("ghost", mass=0.0, inertia=(0.0, 0.0, 0.0), position=(1, 0, 0))
    model.revolute("A", model.ground, "ghost", point=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(SingularMassError, match='body "ghost"'):
        model.build(coordinates="relative")
