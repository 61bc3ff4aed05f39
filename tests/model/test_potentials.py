"""Loads and laws that are given with their potential keep to it: at build, and at accepted steps (issue 24.2, V3)."""

import numpy as np
import pytest

import bricard as br
from bricard import vectors
from bricard.errors import ModelError, UserFunctionError
from bricard.hyperdual.gradient import gradient
from bricard.kernels.functions import Pose

HOW = [{"rtol": 1e-8}, {"step": 1e-3}, {"rtol": 1e-7, "formulation": "index1", "integrator": "dopri5"}]


def pull(t, a, b, p):
    """A spring without length between two points, and a damper."""
    d, slip = (
        vectors.subtract(b.x, a.x),
        vectors.subtract(vectors.subtract(b.v, a.v), vectors.cross(a.w, vectors.subtract(b.x, a.x))),
    )
    force = vectors.subtract(vectors.scale(-p[0], d), vectors.scale(p[1], slip))
    return (*force, 0.0, 0.0, 0.0)


def energy(a, b, p):
    d = vectors.subtract(b.x, a.x)
    return 0.5 * p[0] * vectors.dot(d, d)


def two_masses(load, potential=None, unit=1.0, parameters=(3.0, 0.0)):
    model = br.Model("two", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        model.body(name, mass=1.0, inertia=(0.1 * unit**2,) * 3, position=(x * unit, 0, 0))
    model.user_force("F", "a", "b", load, potential=potential, parameters=parameters)
    model.start(body="b", velocity=(0, 0.8 * unit, 0))
    return model


def test_the_gradient_in_plain_python_is_that_of_differences():
    rng = np.random.default_rng(1)

    def potential(a, b, p):
        d = vectors.subtract(b.x, a.x)
        m, n = vectors.rotate(a.R, (0.0, 0.6, 0.8)), vectors.rotate(b.R, (1.0, 0.0, 0.0))
        return vectors.dot(d, m) * vectors.dot(n, d) + np.sin(b.x[2] * a.x[0])

    sides = [(rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]) for _ in range(2)]

    def moved(shift):
        poses = []
        for (x, R), way in zip(sides, np.split(shift, 2), strict=True):
            turn = np.cross(way[3:], R, axisb=0, axisc=0)
            poses.append(Pose(tuple(x + way[:3]), tuple(map(tuple, R + turn))))
        return potential(*poses, ())

    slopes, mixed = gradient(potential, *(Pose(tuple(x), tuple(map(tuple, R))) for x, R in sides), ())
    ways = 1e-5 * np.eye(12)
    np.testing.assert_allclose(slopes, [(moved(w) - moved(-w)) / 2e-5 for w in ways], rtol=0, atol=1e-8)
    crossed = [
        (moved(w + u) - moved(w - u) - moved(u - w) + moved(-w - u)) / 4e-10
        for w, u in zip(ways[:6], ways[6:], strict=True)
    ]
    np.testing.assert_allclose(mixed, crossed, rtol=0, atol=1e-4)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3])
def test_a_load_that_fits_is_taken_in_any_unit(unit):
    two_masses(pull, energy, unit).build()


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3])
def test_a_load_that_is_one_part_in_1000_off_is_refused_in_any_unit(unit):
    def stiffer(a, b, p):
        return 1.001 * energy(a, b, p)

    with pytest.raises(
        UserFunctionError, match='The load of force "F" is not minus the gradient of its potential: the force on'
    ):
        two_masses(pull, stiffer, unit).build()


def test_a_potential_of_one_body_alone_is_no_load_between_two():
    """b is pulled to the origin of the world, and its load acts on a in the opposite direction: a does not know of that."""

    def to_the_origin(t, a, b, p):
        return (*vectors.scale(-p[0], b.x), 0.0, 0.0, 0.0)

    def height(a, b, p):
        return 0.5 * p[0] * vectors.dot(b.x, b.x)

    with pytest.raises(UserFunctionError, match=r"the (force|moment) on a along . is .* but 0 N( m)? by the potential"):
        two_masses(to_the_origin, height).build()


def test_a_moment_that_is_missing_is_refused():
    def twisting(a, b, p):
        m, n = vectors.rotate(a.R, (0.0, 0.0, 1.0)), vectors.rotate(b.R, (0.0, 1.0, 0.0))
        return energy(a, b, p) + vectors.dot(m, n)

    with pytest.raises(UserFunctionError, match=r"the moment on [ab] along x is"):
        two_masses(pull, twisting).build()


@pytest.mark.parametrize("how", HOW, ids=str)
def test_a_load_that_leaves_its_potential_on_the_way_ends_the_run(how):
    """From 1.2 m on it is one per cent stronger. Nothing else would tell: the run is smooth, and the energy error small."""

    def late(t, a, b, p):
        fx, fy, fz, _, _, _ = pull(t, a, b, p)
        far = 1.01 if b.x[0] - a.x[0] > 1.2 else 1.0
        return far * fx, fy, fz, 0.0, 0.0, 0.0

    model = two_masses(late, energy, parameters=(0.01, 0.0))
    model.start(body="b", velocity=(0.5, 0, 0))
    model = _without_first_wish(model)
    found = br.simulate(model, 2.0, check=False, **how)
    assert not found.ok and 'the load of force "F" is not minus the gradient of its potential' in found.status
    assert found.end.t > 0.4


def _without_first_wish(model):
    del model.wishes[0]
    return model


def test_a_load_with_a_damper_stores_and_loses():
    found = br.simulate(two_masses(pull, energy, parameters=(3.0, 0.4)), 4.0, rtol=1e-10)
    assert found.energy.potential[0] == pytest.approx(1.5)
    assert (np.diff(found.energy.work) <= 0.0).all() and found.energy.work[-1] < -0.3
    np.testing.assert_allclose(found.energy.error, 0.0, rtol=0, atol=1e-8)


def test_a_load_that_depends_on_time_at_rest_has_no_potential():
    def breathing(t, a, b, p):
        return (*vectors.scale(-p[0] * (1.0 + 0.1 * np.sin(t)), vectors.subtract(b.x, a.x)), 0.0, 0.0, 0.0)

    with pytest.raises(UserFunctionError, match="not minus the gradient"):
        two_masses(breathing, energy).build()


def slider(law):
    model = br.Model("slider", gravity=(0, 0, 0))
    model.body("block", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("guide", model.ground, "block", (0, 0, 0), (1, 0, 0))
    model.torsion("F", "guide", law=law)
    model.start(joint="guide", position=0.5, velocity=1.0)
    return model


def test_a_law_and_its_potential():
    law = br.FunctionLaw(lambda t, x, v: -3.0 * x - x**3 - 0.2 * v, potential=lambda x: 1.5 * x**2 + 0.25 * x**4)
    found = br.simulate(slider(law), 3.0, rtol=1e-10)
    assert found.energy.potential[0] == pytest.approx(1.5 * 0.25 + 0.25 * 0.0625)
    np.testing.assert_allclose(found.energy.error, 0.0, rtol=0, atol=1e-8)
    assert (np.diff(found.energy.work) <= 0.0).all() and found.energy.work[-1] < 0.0


def test_a_law_alone_by_its_potential():
    alone, both = br.FunctionLaw(potential=lambda x: np.cosh(x)), br.FunctionLaw(lambda t, x, v: -np.sinh(x))
    one, other = (br.simulate(slider(law), 3.0, rtol=1e-10) for law in (alone, both))
    np.testing.assert_allclose(one.joint("guide"), np.interp(one.t, other.t, other.joint("guide")), rtol=0, atol=1e-4)
    assert alone(0.0, 0.7, 0.0) == pytest.approx(-np.sinh(0.7), rel=1e-14)
    assert not one.energy.work.any()
    np.testing.assert_allclose(one.joint("guide")[-1], other.joint("guide")[-1], rtol=0, atol=1e-8)


def test_a_law_that_does_not_fit_is_refused():
    law = br.FunctionLaw(lambda t, x, v: -3.0 * x, potential=lambda x: 1.4 * x**2)
    with pytest.raises(
        UserFunctionError, match='The law of force "F" is not minus the derivative of its potential: at rest at'
    ):
        slider(law).build()


@pytest.mark.parametrize("how", HOW, ids=str)
def test_a_law_that_leaves_its_potential_on_the_way_ends_the_run(how):
    law = br.FunctionLaw(lambda t, x, v: -3.0 * x - 0.1 * max(x - 0.9, 0.0), potential=lambda x: 1.5 * x**2)
    model = slider(law)
    model.start(joint="guide", position=0.0, velocity=1.9)
    del model.wishes[0]
    found = br.simulate(model, 3.0, check=False, **how)
    assert not found.ok and 'the law of force "F" is not minus the derivative of its potential' in found.status


def test_nothing_given_is_refused():
    with pytest.raises(ModelError, match="give a function, a potential, or both"):
        br.FunctionLaw()
    with pytest.raises(ModelError, match='force "F": give a load, a potential, or both'):
        two_masses(None)


def test_a_potential_that_gives_several_numbers_is_refused():
    with pytest.raises(UserFunctionError, match='The potential of "F" returns 2 numbers, one is needed'):
        two_masses(None, lambda a, b, p: (1.0, 2.0)).build()


@pytest.mark.parametrize("x", [-0.4, 0.2, 0.5, 0.7, 1.1, 2.5, 3.3])
def test_a_table_stores_what_it_takes_to_get_there(x):
    """Against a fine trapezoidal rule, on the straight lines beyond its ends too."""
    table = br.Table((0.2, 0.7, 1.4, 2.5), (5.0, 1.0, -2.0, -9.0))
    found = br.simulate(_held(table, x), 1e-9, step=1e-9).energy.potential[0]
    way = np.linspace(0.2, x, 20001)
    wanted = -np.trapezoid([table(0.0, place, 0.0) for place in way], way)
    assert found == pytest.approx(wanted, abs=1e-7)


def _held(table, x):
    model = slider(table)
    model.start(joint="guide", position=x, velocity=0.0)
    del model.wishes[0]
    return model


def test_a_table_without_a_damper_does_no_work():
    found = br.simulate(slider(br.Table((-1.0, -0.2, 0.3, 1.0), (5.0, 1.0, -2.0, -9.0))), 10.0, rtol=1e-10)
    assert not found.energy.work.any()
    assert np.ptp(found.energy.total) < 1e-6 * np.ptp(found.energy.potential)  # of rtol, at knots where K jumps
