"""Bodies without mass: fine as long as joints tie them to masses, an error that names the free direction otherwise."""

import numpy as np
import pytest

import bricard.model as br
from bricard.errors import SingularMassError
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.build import build
from mechanisms import four_bar, rssr

METHODS = {
    "index1": {"formulation": "index1", "integrator": "rk4"},
    "index3": {"formulation": "index3", "integrator": "generalized-alpha"},
    "ggl": {"formulation": "ggl", "integrator": "radau5"},
}


def crank_angle(mass, planar, method):
    solution = simulate(four_bar(planar=planar, coupler_mass=mass), 0.2, step=0.002, **METHODS[method])
    return solution.joint("A")[-1]


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("method", list(METHODS))
def test_massless_coupler_is_the_limit_of_a_light_one(planar, method):
    """The angle is smooth in the mass: halving it halves the distance to the limit, extrapolation reaches it."""
    light, lighter = (crank_angle(mass, planar, method) for mass in (2e-4, 1e-4))
    limit, effect = 2 * lighter - light, abs(lighter - light)
    assert crank_angle(0.0, planar, method) == pytest.approx(limit, abs=0.01 * effect)


def test_massless_coupler_conserves_energy():
    model = four_bar(coupler_mass=0.0)
    solution = simulate(model, 0.5, rtol=1e-9)
    assert np.abs(solution.energy.error).max() <= 1e-6 * solution.energy.kinetic.max()


@pytest.mark.parametrize("planar", [True, False])
def test_accelerations_are_those_without_the_added_mass(planar):
    """Against a dense solution in the null space of G, where M is positive definite."""
    system = build(four_bar(planar=planar, coupler_mass=0.0))
    state = assemble(system)
    G, M = system.jacobian(0.0, state.q).toarray(), system.mass(state.q).toarray()
    f, gamma = system.force(0.0, state.q, state.v), system.gamma(0.0, state.q, state.v)
    free = np.linalg.svd(G)[2][np.linalg.matrix_rank(G) :].T
    start = np.linalg.lstsq(G, gamma, rcond=1e-10)[0]
    exact = start + free @ np.linalg.solve(free.T @ M @ free, free.T @ (f - M @ start))
    np.testing.assert_allclose(state.a, exact, rtol=0, atol=1e-9 * np.abs(exact).max())


def massless_rssr():
    model = rssr()
    b, c = (0.2, 0, 0.1), (0.9, 0.6, 0.5)
    light = br.Model("massless coupler")
    for name, body in model.bodies.items():
        light.body(name, body.shape if name != "coupler" else br.Rod(b, c, mass=0.0))
    light.revolute("A", light.ground, "crank", (0, 0, 0), (0, 0.2, 1))
    light.spherical("B", "crank", "coupler", b)
    light.spherical("C", "coupler", "rocker", c)
    light.revolute("D", "rocker", light.ground, (1.0, 0.7, 0), (0.1, 1, 0))
    return light


def test_free_spin_of_a_massless_bar_is_named():
    with pytest.raises(SingularMassError, match=r'body "coupler" turning about its x axis'):
        build(massless_rssr())


def test_free_massless_translation_is_named():
    model = br.Model("loose")
    model.body("heavy", br.Sphere((0, 0, 0), 0.1, mass=1.0))
    model.body("ghost", br.Rod((1, 0, 0), (2, 0, 0), mass=0.0))
    model.prismatic("slide", "heavy", "ghost", (1, 0, 0), (0, 1, 0))
    with pytest.raises(SingularMassError, match=r'body "ghost" moving along y'):
        build(model)


def test_massless_bar_equals_a_distance_constraint():
    """The same linkage with the coupler replaced by a massless rod without a body."""
    planar = four_bar(planar=True, coupler_mass=0.0)
    del planar.forces["S"]
    rod = br.Model("rod", gravity=(0, -9.81, 0), planar=True)
    for name in ("crank", "rocker"):
        rod.body(name, planar.bodies[name].shape)
    rod.revolute("A", rod.ground, "crank", (0, 0, 0), (0, 0, 1))
    rod.distance("rod", "crank", "rocker", (0, 0.3, 0), (0.9, 0.8, 0))
    rod.revolute("D", "rocker", rod.ground, (1, 0, 0), (0, 0, 1))
    rod.torsion("friction", "D", stiffness=4.0, damping=0.5)
    rod.start(joint="A", velocity=-6.0)
    options = {"formulation": "ggl", "integrator": "radau5", "step": 0.001, "newton_tolerance": 1e-12}
    with_body, without = (simulate(model, 0.5, **options) for model in (planar, rod))
    np.testing.assert_allclose(with_body.joint("A"), without.joint("A"), rtol=0, atol=1e-8)
