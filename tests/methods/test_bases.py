"""Quasi-velocities along orthonormal bases and by the general projection: equations, mechanisms, corrections, options."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from probe import METHODS, Probe
from test_agreement import rolling_disc
from test_singular_positions import double_four_bar, exact_angle

import bricard.model as br
from bricard.compiled.handles import pack
from bricard.errors import BricardError, IncompatibleMethods, SimulationError
from bricard.formulations.mass_gram_schmidt import reactions
from bricard.linalg.kkt import consistent_accelerations
from bricard.problems.double_pendulum import double_pendulum_functions
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.build import build
from bricard.system.integrability import integrable
from bricard.system.system import System
from mechanisms import HERE, MILLIMETRES, four_bar, pendulum, rssr, six_bar, slider_crank

every = pytest.mark.parametrize("method", METHODS)


def driven():
    """A loop whose crank follows a profile, and a pendulum that hangs on its rocker."""
    free: Any = None  # no wish for the start: the driver says it
    model = rssr(speed=free)
    model.drive("crank", "A", br.Sine(0.5, 1.1))
    model.body("bob", br.Rod((0.9, 0.6, 0.5), (0.9, 0.9, 0.3), mass=0.5, radius=0.05))
    model.spherical("E", "rocker", "bob", (0.9, 0.6, 0.5))
    return model


def inertia(q):
    return np.array(
        [
            [2.0 + 0.5 * np.sin(q[1]), 0.3 * q[0], 0.1 + 0.0 * q[0]],
            [0.3 * q[0], 1.5 + 0.2 * q[2] * q[2], 0.2 * np.cos(q[0])],
            [0.1 + 0.0 * q[0], 0.2 * np.cos(q[0]), 1.2 + 0.0 * q[0]],
        ]
    )


def push(t, q, v):
    return np.array([np.sin(t) - q[0], -2.0 * q[1] + 0.1 * v[2], 0.5 * v[0] * v[1] - q[2] + 0.0 * t])


def twist(q):
    return np.array(
        [
            [1.0 + 0.1 * q[1], 0.2 * q[2], 0.0 * q[0]],
            [0.1 * np.sin(q[0]), 1.0 + 0.0 * q[0], 0.3 * q[1]],
            [0.0 * q[0], 0.2 * q[0], 1.0 + 0.1 * q[2]],
        ]
    )


def slip(t, q):
    return np.array([[np.sin(q[0]) + 0.2 * t, 1.0 + 0.1 * q[1], np.cos(q[2] - t)]])


def drift(t, q):
    return np.array([0.2 * np.sin(2.0 * t) + 0.3 * q[1]])


@cache
def system_of(name):
    if name == "functions":
        return System.from_functions(inertia, push, T=twist, A=slip, a=drift, q0=(0.3, -0.2, 0.4), v0=(0.5, 0.2, -0.3))
    models = {
        "pendulum": pendulum,
        "four-bar": four_bar,
        "six-bar": six_bar,
        "rolling disc": rolling_disc,
        "driven": driven,
        "planar": lambda: slider_crank(planar=True),
    }
    return build(models[name]())


systems = pytest.mark.parametrize(
    "name", ["pendulum", "four-bar", "six-bar", "rolling disc", "driven", "planar", "functions"]
)


@every
@systems
def test_accelerations_are_those_of_the_multiplier_form(name, method):
    """v' = dv/dt of the velocities that belong to y, along y': what the derivative of the basis is for. Spec 002, section 5."""
    probe = Probe(system_of(name), method)
    t, system, h = probe.state.t, probe.system, 1e-4
    y_dot = probe.rhs(t, probe.y)
    np.testing.assert_allclose(probe.velocity(t, probe.y), probe.state.v, rtol=0, atol=1e-12)
    consistent_accelerations(t, probe.state.q, probe.state.v, system.compiled, pack(work := system.work()))
    v_dot = work.u[: system.n_v]
    ahead, behind = ((lambda s: probe.velocity(t + s, probe.y + s * y_dot))(s) for s in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2 * h), v_dot, rtol=0, atol=2e-6 * (1 + np.abs(v_dot).max()))


@every
@systems
def test_same_motion_as_index1(name, method):
    system = system_of(name)
    exact, found = (
        simulate(system, 0.4, rtol=1e-10, formulation=f, integrator="dopri5", output=9) for f in ("index1", method)
    )
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=1e-7 * (1 + np.abs(exact.v).max()))
    assert found.constraint_errors.velocity.max() <= 1e-12
    np.testing.assert_allclose(found.lam, exact.lam, rtol=0, atol=1e-5 * (1 + np.abs(exact.lam).max()))


@every
def test_without_correction_only_positions_drift(method):
    found = simulate(
        system_of("pendulum"), 1.0, step=0.01, formulation=method, integrator="rk4", correction="none", output=21
    )
    assert 1e-10 < found.constraint_errors.position.max() < 1e-5
    assert found.constraint_errors.velocity.max() < 1e-13


def test_rows_of_the_mass_metric():
    """W^T M W = 1, W_d^T G^T = 0: the reduced mass matrix is the identity."""
    probe = Probe(system_of("planar"), "mass-gram-schmidt")
    probe.rhs(probe.state.t, probe.y)
    W, _ = probe.basis
    M, G = probe.system.mass(probe.state.q).toarray(), probe.system.jacobian(0.0, probe.state.q).toarray()
    np.testing.assert_allclose(W.T @ M @ W, np.eye(len(M)), rtol=0, atol=1e-13)
    np.testing.assert_allclose(G @ probe.work.basis.n.T, 0.0, rtol=0, atol=1e-13)
    kinetic = 0.5 * probe.state.v @ M @ probe.state.v
    assert 0.5 * probe.y[probe.system.n_q :] @ probe.y[probe.system.n_q :] == pytest.approx(kinetic, rel=1e-13)


@pytest.mark.parametrize("name", ["pendulum", "rolling disc", "driven", "planar", "functions"])
def test_reactions_from_the_triangular_factor(name):
    system = system_of(name)
    state = assemble(system)
    lam = reactions(system, state)
    np.testing.assert_allclose(lam, state.lam, rtol=0, atol=1e-9 * (1 + np.abs(state.lam).max()))


@every
def test_a_mechanism_that_is_driven_altogether(method):
    """k = 0: nothing but positions is integrated."""
    model = br.Model("driven")
    model.body("arm", br.Rod((0, 0, 0), (1, 0.2, 0.3), mass=1.0, radius=0.1))
    model.revolute("A", model.ground, "arm", (0, 0, 0), (0, 1, 0))
    model.drive("motor", "A", br.Sine(0.4, 0.8))
    exact, found = (
        simulate(model, 0.5, rtol=1e-10, formulation=f, integrator="dopri5", output=5) for f in ("index1", method)
    )
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=1e-8)


@every
def test_the_choice_of_units_does_not_matter(method):
    """The same steps, and the same motion, in metres and in millimetres."""
    metres, millimetres = (
        simulate(four_bar(world), 0.3, rtol=1e-8, formulation=method, integrator="dopri5", output=4)
        for world in (HERE, MILLIMETRES)
    )
    assert metres.counters["steps"] == millimetres.counters["steps"]
    assert metres.counters["rebasings"] == millimetres.counters["rebasings"]
    np.testing.assert_allclose(millimetres.q[:, :3] / 1000, metres.q[:, :3], rtol=0, atol=1e-9)


@every
@pytest.mark.parametrize("planar", [False, True])
def test_singular_positions_are_passed(planar, method):
    """The double four-bar goes through two of them; in space six of its rows are redundant."""
    found = simulate(double_four_bar(planar), 2.0, rtol=1e-9, formulation=method, integrator="dopri5", output=3)
    angle = exact_angle(2.0)
    np.testing.assert_allclose(found.point("bar 0", (0.5, 0, 0))[-1, :2], [np.cos(angle), np.sin(angle)], atol=1e-6)


@every
def test_a_start_at_a_singular_position_is_refused(method):
    """More directions than elsewhere are free there: no basis continues from it."""
    model = br.Model("flat four-bar", gravity=(0, -9.81, 0), planar=True)
    for name, x in (("left", 0), ("top", 1), ("right", 1)):
        model.body(name, br.Rod((x, 0, 0), (x + 1, 0, 0), mass=1.0))
    for name, one, other, x in (
        ("A", None, "left", 0),
        ("B", "left", "top", 1),
        ("C", "top", "right", 2),
        ("D", "right", None, 1),
    ):
        model.pin(name, one or model.ground, other or model.ground, point=(x, 0, 0))
    with pytest.raises(SimulationError, match="singular"):
        simulate(model, 0.1, rtol=1e-6, formulation=method, integrator="dopri5")


def speed_row(t, a, b, p):
    """Not linear: the speed of the point is p[0]."""
    return (b.v[0] * b.v[0] + b.v[1] * b.v[1] + b.v[2] * b.v[2] - p[0] * p[0],)


@cache
def constant_speed():
    model = br.Model("constant speed")
    model.body("b", br.Sphere((0, 0, 0), 0.1, mass=1.0))
    model.nonholonomic("speed", model.ground, "b", speed_row, 1, point=(0, 0, 0), parameters=(2.0,))
    model.start(body="b", velocity=(1.2, 0.0, 1.6))
    return build(model)


def test_rows_that_are_not_linear_in_the_velocities():
    """The general projection takes them; the bases, which need dA/dt, refuse them by name."""
    exact, found = (
        simulate(constant_speed(), 0.5, rtol=1e-9, formulation=f, integrator="dopri5", output=5)
        for f in ("index1", "general-projection")
    )
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-8)
    assert found.constraint_errors.velocity.max() <= 1e-12
    for method in METHODS[:2]:
        with pytest.raises(IncompatibleMethods, match="speed"):
            simulate(constant_speed(), 0.5, rtol=1e-9, formulation=method, integrator="dopri5")


def test_integrable_velocities():
    """Rates of coordinates are told from quasi-velocities: angular velocities in space belong to no coordinates."""
    spatial, planar, functions = (system_of(name) for name in ("pendulum", "planar", "functions"))
    q = assemble(spatial).q
    assert integrable(spatial, q).tolist() == [True, True, True, False, False, False]
    assert integrable(planar, assemble(planar).q).all()
    q = assemble(functions).q
    assert not integrable(functions, q).any()
    assert integrable(functions, q, twist).all()  # q' itself
    assert integrable(functions, q, lambda at: np.cos(at[:1, None]) * twist(at)[:1]).tolist() == [True]
    assert integrable(functions, q, lambda at: np.cos(at[1:2, None]) * twist(at)[:1]).tolist() == [False]


@every
def test_gains_belong_to_the_pi_correction(method):
    with pytest.raises(IncompatibleMethods, match="pi"):
        simulate(system_of("pendulum"), 0.1, rtol=1e-6, formulation=method, integrator="dopri5", g1=10.0)


@every
@pytest.mark.parametrize("name", ["pendulum", "four-bar", "driven"])
def test_feedback_of_position_errors(name, method):
    """Spec 002, section 4.2: Phi' = -(g1 Phi + g0 z), z' = Phi, off the constraints too; u' is that of no correction."""
    system, g1, g0 = system_of(name), 7.0, 30.0
    probe = Probe(system, method, correction="pi", g1=g1, g0=g0)
    rng, n_q, t = np.random.default_rng(2), system.n_q, probe.state.t
    used = probe.work.epsilon <= system.record.row_diagonal
    y = probe.y.copy()
    y[:n_q] = system.retract(y[:n_q], 1e-4 * rng.normal(size=system.n_v))
    y[-system.n_rows :] = 1e-4 * rng.normal(size=system.n_rows)
    y_dot, phi = probe.rhs(t, y), system.constraint(t, y[:n_q])
    ahead, behind = (system.constraint(t + s, y[:n_q] + s * y_dot[:n_q]) for s in (1e-5, -1e-5))
    expected = -(g1 * phi + g0 * y[-system.n_rows :])
    np.testing.assert_allclose(((ahead - behind) / 2e-5)[used], expected[used], rtol=0, atol=1e-8)
    np.testing.assert_array_equal(y_dot[-system.n_rows :][used], phi[used])
    plain = Probe(system, method)
    np.testing.assert_allclose(plain.rhs(t, y[: plain.y.size])[n_q:], y_dot[n_q : plain.y.size], rtol=0, atol=1e-10)


def test_maggi_is_another_name():
    model = system_of("pendulum")
    one, other = (
        simulate(model, 0.1, rtol=1e-8, formulation=f, integrator="dopri5") for f in ("maggi", "general-projection")
    )
    assert one.provenance["formulation"] == other.provenance["formulation"] == "general-projection"
    np.testing.assert_array_equal(one.q, other.q)


@pytest.mark.parametrize(
    "options", [{"independent": (0,)}, {"independent": (0, 99)}, {"basis": "qr"}, {"rebase": "often"}]
)
def test_options_that_make_no_sense(options):
    with pytest.raises(BricardError, match=next(iter(options))):
        simulate(
            double_pendulum_functions("A"), 0.1, step=0.01, formulation="gram-schmidt", integrator="rk4", **options
        )


def test_the_first_basis_does_not_change_the_motion():
    ways: list[dict[str, Any]] = [{"basis": "lu"}, {"basis": "svd"}, {"independent": (5,)}]
    first, *others = (
        simulate(system_of("four-bar"), 0.2, rtol=1e-10, formulation="gram-schmidt", integrator="dopri5", **way).q[-1]
        for way in ways
    )
    for other in others:
        np.testing.assert_allclose(other, first, rtol=0, atol=1e-9)


def test_massless_directions_are_refused_by_the_mass_metric():
    with pytest.raises(IncompatibleMethods, match="mass matrix"):
        simulate(four_bar(coupler_mass=0.0), 0.1, rtol=1e-6, formulation="mass-gram-schmidt", integrator="dopri5")
