"""`solution.reaction`: whose load, about which point, and closed forms of couplings and forces (T2)."""

import numpy as np
import pytest
from balance import assert_balance, loads_on_bodies, solution_of
from states import random_point

import bricard as br
from bricard.system.build import build
from mechanisms import tangle


def screw(order, mass, spin, lead, offset=0.0):
    """A nut that falls along a vertical screw, by a gear between both coordinates of its guide; offset (m) of its centre."""
    model = br.Model("screw")
    nut = model.body("nut", mass=mass, inertia=(0.3, 0.3, spin), position=(offset, 0, 0))
    model.cylindrical("C", model.ground, nut, (offset, 0, 0), (0, 0, 1))
    if order == "shift first":
        model.gear("G", "C.displacement", "C.angle", -lead)
    else:
        model.gear("G", "C.angle", "C.displacement", -1.0 / lead)
    return br.simulate(model, 0.05, step=0.01)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("order", ["shift first", "angle first"])
def test_a_coupling_of_two_coordinates_of_one_body_gives_it_both_loads(order, seed):
    """d = lead a: (m + J/lead^2) d'' = -m g, force m (d'' + g), moment J d''/lead."""
    rng = np.random.default_rng(seed)
    mass, spin, lead = rng.uniform(0.5, 3.0), rng.uniform(0.01, 0.3), rng.choice([-1, 1]) * rng.uniform(0.02, 0.2)
    fall = -mass * 9.81 / (mass + spin / lead**2)
    load = screw(order, mass, spin, lead, offset=rng.normal()).reaction("G")
    assert load.unique
    assert load.body == "nut"
    np.testing.assert_allclose(
        load.force, np.tile([0, 0, mass * (fall + 9.81)], (len(load.force), 1)), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(
        load.moment, np.tile([0, 0, spin * fall / lead], (len(load.force), 1)), rtol=0, atol=1e-9
    )


def shafts(ratio):
    model = br.Model("shafts", gravity=(0, 0, 0))
    first = model.body("first", mass=1.0, inertia=(5, 5, 10.0))
    second = model.body("second", mass=1.0, inertia=(50, 50, 100.0), position=(1, 0, 0))
    model.revolute("a", model.ground, first, (0, 0, 0), (0, 0, 1))
    model.revolute("b", model.ground, second, (1, 0, 0), (0, 0, 1))
    model.gear("gear", "a", "b", ratio=ratio)
    model.motor("motor", "a", 6.0)
    return br.simulate(model, 0.1, step=0.05)


@pytest.mark.parametrize("ratio", [10.0, -2.5])
def test_a_gear_has_a_load_for_each_shaft_and_for_what_bears_them(ratio):
    """w_1 + ratio w_2 = 0: (J_1 + J_2/ratio^2) w_1' = 6 N m. Whose load it is can be asked (V13)."""
    solution = shafts(ratio)
    turn = 6.0 / (10.0 + 100.0 / ratio**2)
    torques = {"first": 10.0 * turn - 6.0, "second": -100.0 * turn / ratio}
    torques["ground"] = -torques["first"] - torques["second"]
    for body, torque in torques.items():
        load = solution.reaction("gear", body)
        assert load.body == body
        np.testing.assert_allclose(load.moment[:, 2], torque, rtol=1e-12)
        np.testing.assert_allclose(load.force, 0.0, rtol=0, atol=1e-12)
    assert solution.reaction("gear").body == "first"  # the second body of the first coordinate
    assert solution.reaction("motor").moment[-1, 2] == pytest.approx(6.0, rel=1e-14)


def test_the_moment_is_about_the_frame_in_the_body_that_is_asked_for():
    """A slide along x with its frames 0.4 m apart, the load 1 m beyond: moments about both differ by force times way (V13)."""
    model = br.Model("slide", gravity=(0, 0, -10))
    rail = model.body("rail", mass=3.0, inertia=(1, 1, 1), position=(0, 0, 0))
    block = model.body("block", mass=2.0, inertia=(1, 1, 1), position=(1.4, 0, 0))
    model.fixed("base", model.ground, rail, (0, 0, 0))
    frames = {"frame_a": rail.frame((0, 0, 0), axis=(1, 0, 0)), "frame_b": block.frame((-1, 0, 0), axis=(1, 0, 0))}
    model.prismatic("slide", rail, block, **frames)
    solution = br.simulate(model, 0.02, step=0.01)
    on_block, on_rail = solution.reaction("slide"), solution.reaction("slide", rail)
    np.testing.assert_allclose(on_block.point, np.tile([0.4, 0, 0], (3, 1)), rtol=0, atol=1e-12)
    np.testing.assert_allclose(on_rail.point, 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(on_block.moment[:, 1], -20.0, rtol=1e-12)  # the weight, 1 m beyond the frame
    np.testing.assert_allclose(on_rail.moment[:, 1], 28.0, rtol=1e-12)  # 1.4 m, the other way
    np.testing.assert_allclose(on_rail.about(on_block.point).moment, -on_block.moment, rtol=0, atol=1e-12)


def test_the_ground_carries_what_rolls_on_it():
    model = br.Model("disc")
    wheel = model.body("wheel", mass=2.0, inertia=(0.02, 0.02, 0.04), position=(0, 0, 0.2))
    model.rolling_disc("rolls", wheel, 0.2, axis=(0, 1, 0))
    model.start(body=wheel, velocity=(1, 0, 0))
    solution = br.simulate(model, 0.02, step=0.01)
    on_ground = solution.reaction("rolls", "ground")
    np.testing.assert_allclose(on_ground.force, np.tile([0, 0, -2 * 9.81], (3, 1)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(on_ground.about(solution.point("wheel")).moment, 0.0, rtol=0, atol=1e-9)


def test_forces_have_loads_on_both_bodies():
    model = br.Model("spring", gravity=(0, 0, 0))
    body = model.body("body", mass=2.0, inertia=(1, 1, 1), position=(1, 0, 0))
    model.spring("spring", model.ground, body, (0, 0, 0), (1, 0.5, 0), stiffness=10.0, length=0.0)
    model.force("push", body, (1, 0, 0.3), (0, 7.0, 0))
    solution = br.simulate(model, 0.01, step=0.01)
    np.testing.assert_allclose(solution.reaction("spring").force[0], (-10, -5, 0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(solution.reaction("spring", "ground").force[0], (10, 5, 0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(solution.reaction("push").force[0], (0, 7, 0), rtol=0, atol=1e-12)
    about_centre = solution.reaction("push").about((1, 0, 0)).moment[0]
    np.testing.assert_allclose(about_centre, (-2.1, 0, 0), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gaer",), 'There is no joint or force "gaer". Did you mean "gear"?'),
        (("gear", "b"), "but on ground, first, second"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_name(arguments, words):
    with pytest.raises(br.BricardError) as refused:
        shafts(10.0).reaction(*arguments)
    assert words in str(refused.value)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("seed", range(8))
def test_random_mechanisms_are_in_balance(seed, coordinates):
    """Joints either way round, a rod, a drive, a gear, a spring and a motor on coordinates drawn at random."""
    system = build(tangle(seed), coordinates=coordinates)
    points = [random_point(system, k) for k in range(3)]
    solution = solution_of(system, *(np.array([getattr(p, key) for p in points]) for key in ("t", "q", "v")))
    assert_balance(solution, loads_on_bodies(solution))
