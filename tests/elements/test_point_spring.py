"""Springs whose ends meet: smooth with length 0, refused by name otherwise (V11)."""

import numpy as np
import pytest
from samples import two_bodies
from scipy.integrate import solve_ivp

import bricard as br
from bricard.errors import BricardError
from bricard.solution.motion import coordinate_speed
from bricard.system.build import build


def hung(apart, **spring):
    model = br.Model("spring", gravity=(0, 0, -9.81))
    body = model.body("box", mass=1.0, inertia=(0.04, 0.1, 0.1), position=(0, 0, -apart))
    ends = {"point_a": (0, 0, 0), "point_b": (0, 0, -apart)}
    model.spring("S", model.ground, body, **ends, **spring)
    return model


@pytest.mark.parametrize("damping", [0.0, 5.0])
@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_v11_a_spring_of_length_zero_starts_where_its_ends_meet(coordinates, damping):
    m, k, g = 1.0, 50.0, 9.81
    s = br.simulate(
        hung(0.0, stiffness=k, damping=damping, length=0.0), 3.0, rtol=1e-10, output=301, coordinates=coordinates
    )
    decay, rest = damping / (2 * m), -m * g / k
    w = np.sqrt(k / m - decay**2)
    z = rest - rest * np.exp(-decay * s.t) * (np.cos(w * s.t) + decay / w * np.sin(w * s.t))
    np.testing.assert_allclose(s.point("box")[:, 2], z, rtol=0, atol=1e-8)
    np.testing.assert_allclose(s.energy.error, 0.0, atol=1e-7)
    if not damping:
        assert not s.energy.work.any()


@pytest.mark.parametrize(
    "spring",
    [{"stiffness": 50.0, "length": 1.0}, {"law": lambda t, x, v: 1.0 - x}, {"law": br.Table((-1.0, 1.0), (3.0, -1.0))}],
)
@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_v11_another_spring_whose_ends_meet_is_refused_by_its_name(spring, coordinates):
    with pytest.raises(
        BricardError, match=r'spring "S" coincide at the start .* force, [15][0 ]?.* N, has no .* length=0'
    ):
        br.simulate(hung(0.0, **spring), 0.5, coordinates=coordinates)


STIFFNESS, DAMPING = 50.0, 5.0
VANISHING = {  # laws of the same force, -50 x - 5 x'
    "function": {"law": br.FunctionLaw(lambda t, x, v: -STIFFNESS * x - DAMPING * v)},
    "function and potential": {
        "law": br.FunctionLaw(lambda t, x, v: -STIFFNESS * x - DAMPING * v, potential=lambda x: 0.5 * STIFFNESS * x * x)
    },
    "table": {"law": br.Table((0.0, 1.0), (0.0, -STIFFNESS), damping=DAMPING)},
    "table through zero": {"law": br.Table((-0.7, 1.3), (0.7 * STIFFNESS, -1.3 * STIFFNESS), damping=DAMPING)},
}


def thrown(velocity, **spring):
    model = hung(0.0, **spring)
    model.start(body="box", velocity=velocity)
    return model


@pytest.mark.parametrize("law", VANISHING)
@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.3, -0.2, 1.0)])
def test_v11_a_law_that_vanishes_at_length_zero_is_taken_where_its_ends_meet(law, coordinates, velocity):
    """The motion of the spring of length zero; the ends meet at the start and never again."""
    how = {"rtol": 1e-10, "output": 101, "coordinates": coordinates}
    wanted = br.simulate(thrown(velocity, stiffness=STIFFNESS, damping=DAMPING, length=0.0), 1.0, **how)
    found = br.simulate(thrown(velocity, **VANISHING[law]), 1.0, **how)
    np.testing.assert_allclose(found.point("box"), wanted.point("box"), rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.energy.error, 0.0, atol=1e-7)


@pytest.mark.parametrize("law", VANISHING)
@pytest.mark.parametrize("moving", [False, True])
def test_v11_load_and_tangent_where_the_ends_meet_are_limits(law, moving):
    """f, K, D at the very point against the spring of length zero: at rest all of them, in motion f and, across, K too."""
    made = [
        build(hung(0.0, **spring)) for spring in (VANISHING[law], {"stiffness": 50.0, "damping": 5.0, "length": 0.0})
    ]
    q, v = made[0].start, np.array([0.3, -0.2, 1.0, 0.4, 0.5, -0.6]) * moving
    np.testing.assert_allclose(*(s.force(0.0, q, v) for s in made), rtol=0, atol=1e-12)
    for one, other in zip(*(s.tangent(0.0, q, v, np.zeros(6), np.zeros(0))[:2] for s in made), strict=True):
        one, other = (x.toarray() if hasattr(x, "toarray") else np.asarray(x) for x in (one, other))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-10)


@pytest.mark.parametrize("law", VANISHING)
def test_v11_a_rest_where_the_ends_meet_stays_with_all_kinds_of_steps(law):
    """Energy-momentum takes means over a step that begins and ends where they meet."""
    model = hung(0.0, **VANISHING[law])
    model.gravity = (0, 0, 0)
    for how in ({"formulation": "index2", "integrator": "energy-momentum", "step": 0.01}, {"integrator": "radau5"}, {}):
        s = br.simulate(model, 0.1, **how)
        assert not s.point("box").any()


def test_v11_a_law_of_third_order_moves_as_its_equation():
    law = br.FunctionLaw(lambda t, x, v: -100.0 * x**3)
    found = br.simulate(thrown((0.0, 0.5, 0.0), law=law), 1.0, rtol=1e-10, output=11)

    def rate(t, y):
        return np.concatenate([y[3:], -100.0 * (y[:3] @ y[:3]) * y[:3] + (0.0, 0.0, -9.81)])

    wanted = solve_ivp(rate, (0.0, 1.0), (0, 0, 0, 0, 0.5, 0), t_eval=found.t, rtol=1e-12, atol=1e-13).y[:3].T
    np.testing.assert_allclose(found.point("box"), wanted, rtol=0, atol=1e-8)


def test_what_is_shown_of_it_is_finite_where_its_ends_meet():
    s = br.simulate(hung(0.0, stiffness=50.0, damping=5.0, length=0.0), 0.2, output=3)
    spring = s.system.model.forces["S"]
    assert np.isfinite(coordinate_speed(s, spring.measure)).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_spring_of_length_zero_is_that_of_a_tiny_length_elsewhere(seed):
    """Load, K and D (which hold both) against the spring along a distance."""
    made = []
    for length in (0.0, 1e-12):
        model, a, b = two_bodies()
        model.spring("F", a, b, (0.4, 0.3, 0.2), (1.2, -0.4, 0.7), stiffness=20.0, damping=3.0, length=length)
        made.append(build(model))
    rng = np.random.default_rng(seed)
    q, v = made[0].retract(made[0].start, 0.3 * rng.normal(size=12)), rng.normal(size=12)
    np.testing.assert_allclose(*(s.force(0.0, q, v) for s in made), rtol=0, atol=1e-9)
    a = rng.normal(size=12)
    for first, second in zip(*(s.tangent(0.0, q, v, a, np.zeros(0)) for s in made), strict=True):
        first, second = (x.toarray() if hasattr(x, "toarray") else np.asarray(x) for x in (first, second))
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-9)
