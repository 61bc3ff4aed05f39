"""What every joint, driver, coupling and force has to keep, whoever adds it: its sample (samples.py) is all that this needs.

Derivatives are in test_derivatives.py, for the same samples. Here: `reaction()` of all elements is what moves each body, and its
power is what the element takes out; both directions of declaration, absolute and relative coordinates; a world that is
turned, shifted and in other units; TOML and back; a sign in the viewer. All at random states, near the drawn one.
"""

import inspect
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from balance import absolute_accelerations, assert_balance, elements_of, loads_on_bodies, solution_of
from elsewhere import can_be_scaled, can_be_turned, elsewhere, moved
from samples import PLANAR, PLANAR_FORCES, SAMPLES, USER_JOINTS, model_of, system_of
from states import random_point

import bricard.model as br
from bricard.io import toml
from bricard.model.constraining import Constraining
from bricard.model.forcing import Forcing
from bricard.model.joining import Joining
from bricard.model.laws import LAWS
from bricard.model.profiles import PROFILES
from bricard.solution.solution import Solution
from bricard.system.build import build
from bricard.system.rotation import in_group
from bricard.view.loads import build_loads
from bricard.view.packing import Archive
from bricard.view.symbols import build_symbols
from bricard.view.timeline import timeline
from mechanisms import World

SEEDS = (0, 1)
FLAT = {*PLANAR, *PLANAR_FORCES}
every_sample = pytest.mark.parametrize("name", list(SAMPLES))
consistent_samples = pytest.mark.parametrize(
    "name", [name for name in SAMPLES if name != "drives"]
)  # more rows than freedoms
both_ways = pytest.mark.parametrize("swapped", [False, True], ids=["a to b", "b to a"])


class Loads(NamedTuple):
    """At some states of a system: accelerations (n, n_v) and the loads of all elements, by (element, body)."""

    solution: Solution
    by_body: dict


def states(system, name):
    """Times, q and v of some random states; of users' joints, which are exact there only, on the constraints."""
    points = [random_point(system, seed) for seed in SEEDS]
    if name in USER_JOINTS:
        points = [on_the_constraints(system, p) for p in points]
    return tuple(np.array([getattr(p, key) for p in points]) for key in ("t", "q", "v"))


def on_the_constraints(system, p):
    """The state moved onto the constraints by Gauss-Newton steps, position and velocity."""
    q, v = p.q, p.v
    level = np.array([row.velocity_level for row in system.rows], bool)
    for _ in range(30):
        G = system.jacobian(p.t, q, v).toarray()[~level]
        q = system.retract(q, -np.linalg.lstsq(G, system.constraint(p.t, q)[~level], rcond=1e-10)[0])
    for _ in range(10):
        G = system.jacobian(p.t, q, v).toarray()
        v = v - np.linalg.lstsq(G, system.constraint_velocity(p.t, q, v), rcond=1e-10)[0]
    return p._replace(q=q, v=v)


@cache
def loads_of(name, swapped=False, coordinates="absolute"):
    system = system_of(name, swapped, coordinates)
    solution = solution_of(system, *states(system, name))
    return Loads(solution, loads_on_bodies(solution))


# --- the registry ---


def declared_by(model):
    return {element.declaration()["type"] for element in (*model.joints.values(), *model.forces.values())}


def test_files_know_every_element_that_a_model_has():
    makes = {key for kind in (Joining, Constraining, Forcing) for key in vars(kind) if not key.startswith("_")}
    assert makes == {*toml.JOINT_TYPES, *toml.FORCE_TYPES}


@pytest.mark.parametrize("kind", [*toml.JOINT_TYPES, *toml.FORCE_TYPES])
def test_every_element_has_a_sample(kind):
    assert kind in set().union(*(declared_by(model_of(name, False)) for name in SAMPLES)), f"samples.py has no {kind}"


def test_every_law_and_profile_has_a_sample():
    forces = [force for name in SAMPLES for force in model_of(name, False).forces.values()]
    laws = [force.law for force in forces if hasattr(force, "law")]
    joints = [joint for name in SAMPLES for joint in model_of(name, False).joints.values()]
    profiles = [element.profile for element in (*joints, *laws) if hasattr(element, "profile")]
    profiles += [part for force in forces if hasattr(force, "axes") for part in (*force.force, *force.torque)]
    assert {*LAWS, "function", "time"} == {law.kind for law in laws}
    assert {*PROFILES} <= {profile.kind for profile in profiles}


def in_the_plane():
    """Types of joints that say what they are between planar bodies."""
    found = {
        element.declaration()["type"]
        for name in SAMPLES
        for element in model_of(name, False).joints.values()
        if isinstance(inspect.getattr_static(type(element), "planar_freedom", None), int)
    }
    return sorted(found)


@pytest.mark.parametrize("kind", in_the_plane())
def test_every_joint_of_the_plane_has_a_planar_sample(kind):
    assert kind in set().union(*(declared_by(model_of(name, False)) for name in FLAT)), (
        f"samples.py has no planar {kind}"
    )


# --- loads ---


@both_ways
@pytest.mark.parametrize(
    ("name", "coordinates"),
    [(name, "absolute") for name in SAMPLES] + [(name, "relative") for name in SAMPLES if name != "drives"],
)
def test_the_loads_of_all_elements_are_what_moves_each_body(name, coordinates, swapped):
    solution, by_body = loads_of(name, swapped, coordinates)
    assert_balance(solution, by_body)


@both_ways
@every_sample
def test_the_power_of_a_reaction_is_what_its_rows_take_out(name, swapped):
    """Sum of F.v + M.w over the bodies of a joint: -lam . G v, which is 0 where the joint is kept and does not move."""
    solution, by_body = loads_of(name, swapped)
    system = solution.system
    power = {element: 0.0 for element, _ in by_body}
    for (element, body), load in by_body.items():
        velocity, spin = solution._twists[body]
        at = velocity + np.cross(spin, load.point - solution.poses[body][0])
        power[element] = power[element] + np.sum(load.force * at + load.moment * spin, axis=1)
    lam = solution.reaction_multipliers
    for element in system.model.joints.values():
        rows = [i for i, row in enumerate(system.rows) if row.joint == element.name]
        for k, (t, q, v) in enumerate(zip(solution.t, solution.q, solution.v, strict=True)) if rows else ():
            taken = -lam[k, rows] * (system.jacobian(t, q, v) @ v)[rows]
            assert power[element][k] == pytest.approx(taken.sum(), abs=1e-11 * (1 + np.abs(taken).max()))
    forces = sum(power[force] for force in system.model.forces.values())
    for k, (t, q, v) in enumerate(zip(solution.t, solution.q, solution.v, strict=True)):
        weight = sum(
            b.mass * system.model.gravity @ solution_speed(solution, b)[k] for b in system.model.bodies.values()
        )
        total = system.force(t, q, v) @ v
        assert np.broadcast_to(forces, len(solution.t))[k] == pytest.approx(
            total - weight, abs=1e-11 * (1 + abs(total))
        )


def solution_speed(solution, body):
    """Velocity (n, 3) of the centre of mass."""
    return solution.velocity(body.name, body.com)


@consistent_samples
def test_what_acts_on_one_body_acts_back_on_the_others(name):
    """On the constraints the loads of an element add up to nothing, about any point; loads from outside have one body only.
    The nonholonomic sample depends on a place in the world: what is missing there acts on the world."""
    system = system_of(name)
    p = on_the_constraints(system, random_point(system, 0))
    solution = solution_of(system, np.array([p.t]), p.q[None], p.v[None])
    for element in elements_of(system.model):
        bodies = dict.fromkeys(element.bodies)
        loads = [solution.reaction(element, body).about((0.3, -0.2, 0.5)) for body in bodies]
        if len(loads) > 1 and element.declaration()["type"] != "nonholonomic":
            for part in ("force", "moment"):
                total = sum(getattr(load, part) for load in loads)
                size = 1 + max(np.abs(getattr(load, part)).max() for load in loads)
                np.testing.assert_allclose(total, 0.0, rtol=0, atol=1e-12 * size, err_msg=f"{element.name} {part}")


# --- the same in other words ---


@both_ways
@consistent_samples
def test_relative_coordinates_give_the_same_accelerations_and_loads(name, swapped):
    relative, by_body = loads_of(name, swapped, "relative")
    t, q, v = relative.t, *in_group(relative.system, relative.q, relative.v)[1:]
    absolute = solution_of(system_of(name, swapped), t, q, v)
    expected, found = absolute.a, absolute_accelerations(relative)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * (1 + np.abs(expected).max()))
    for (element, body), load in by_body.items():
        wanted = absolute.reaction(element, body)
        given = load.about(wanted.point)
        size = 1 + np.abs(wanted.force).max() + np.abs(wanted.moment).max()
        np.testing.assert_allclose(given.force, wanted.force, rtol=0, atol=1e-9 * size, err_msg=element.name)
        np.testing.assert_allclose(given.moment, wanted.moment, rtol=0, atol=1e-9 * size, err_msg=element.name)


SYMMETRIC = ("spherical", "revolute", "prismatic", "cylindrical", "fixed", "mixed spherical")
SYMMETRIC += ("pin", "slider", "planar revolute", "planar spherical", "planar fixed")


@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_symmetric_element_does_not_care_which_body_comes_first(name):
    here, there = system_of(name), system_of(name, True)
    for seed in SEEDS:
        p = on_the_constraints(here, random_point(here, seed))
        one, other = (solution_of(s, np.array([p.t]), p.q[None], p.v[None]) for s in (here, there))
        np.testing.assert_allclose(other.a, one.a, rtol=0, atol=1e-10 * (1 + np.abs(one.a).max()))
        for element in elements_of(here.model):
            for body in element.bodies:
                expected, found = one.reaction(element, body), other.reaction(element, body)
                found, size = found.about(expected.point), 1 + np.abs(expected.force).max()
                np.testing.assert_allclose(found.force, expected.force, rtol=0, atol=1e-9 * size)
                np.testing.assert_allclose(found.moment, expected.moment, rtol=0, atol=1e-9 * size)


def placements():
    """Samples that say the same in another world, and that world: planar ones are turned within the plane."""
    for name in (name for name in SAMPLES if name != "drives"):
        model, plane = model_of(name, False), name in FLAT or "mixed" in name
        if can_be_turned(model):
            turn, shift = ((0.9, 0, 0, 0.4), (0.3, -0.2, 0)) if plane else ((0.7, 0.3, -0.5, 0.4), (0.3, -0.2, 0.1))
            yield pytest.param(name, World(br.rotation_matrix(turn), np.array(shift)), id=f"{name}, turned")
        if can_be_scaled(model):
            yield pytest.param(name, World(unit=1000.0), id=f"{name}, in millimetres")


@pytest.mark.parametrize(("name", "world"), list(placements()))
def test_another_place_and_other_units_change_only_the_description(name, world):
    model, unit = model_of(name, False), world.unit
    here, there = system_of(name), build(elsewhere(model, world))
    t, q, v = states(here, name)
    one = solution_of(here, t, q, v)
    other = solution_of(there, t, *moved(here, q, v, world))
    expected = moved(here, q, one.a, world)[1]
    scale = np.where(here.translations, unit, 1.0)
    np.testing.assert_allclose(other.a / scale, expected / scale, rtol=0, atol=1e-9 * (1 + np.abs(one.a).max()))
    for element in elements_of(model):
        for body in dict.fromkeys(element.bodies):
            load = one.reaction(element, body)
            found = other.reaction(element, body).about(np.array([world.point(place) for place in load.point]))
            size = 1 + np.abs(load.force).max() + np.abs(load.moment).max()
            for factor, given, wanted in ((unit, found.force, load.force), (unit**2, found.moment, load.moment)):
                np.testing.assert_allclose(given / factor, wanted @ world.R.T, rtol=0, atol=1e-9 * size)


@every_sample
def test_a_file_gives_the_same_system_again(name):
    model = model_of(name, False)
    again, _ = toml.loads(toml.dumps(model), "sample.toml")
    here, there = build(model), build(again)  # a user's joint begins where it was last: both fresh
    p = random_point(here, 0)
    for quantity in (
        lambda s: s.constraint(p.t, p.q),
        lambda s: s.gamma(p.t, p.q, p.v),
        lambda s: s.jacobian(p.t, p.q, p.v).toarray(),
        lambda s: s.force(p.t, p.q, p.v),
        lambda s: s.mass(p.q).toarray(),
    ):
        np.testing.assert_array_equal(quantity(there), quantity(here))


@every_sample
def test_the_viewer_draws_it(name):
    model = model_of(name, False)
    solution = loads_of(name).solution
    frames = timeline(solution, len(SEEDS))
    signs = build_symbols(model, frames)
    found = {("joint", sign["name"]): sign for sign in signs["joints"]}
    found |= {("force", sign["name"]): sign for sign in signs["forces"]}
    for element in elements_of(model):
        family = "joint" if model.joints.get(element.name) is element else "force"
        sign = found[family, element.name]
        if sign["kind"] == "force":  # an arrow
            assert any(load["name"] == element.name for load in build_loads(solution, frames, Archive()))
        else:
            assert {"a", "b", "pa", "pb", "r"} <= set(sign), element.name
