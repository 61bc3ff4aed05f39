"""Forces, laws, profiles and wishes."""

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import user_functions as own
from scipy.interpolate import CubicSpline, PchipInterpolator

import bricard.model as br
from bricard.errors import AssemblyError, BricardError, ModelError, SimulationError, UserFunctionError, suggest
from bricard.model.profiles import resolve


def hinged(planar=False):
    model = br.Model(planar=planar)
    model.body("bob", br.Rod((0, 0, 0), (1, 0, 0), mass=1))
    model.revolute("A", "ground", "bob", (0, 0, 0), (0, 0, 1))
    model.cylindrical("C", "ground", "bob", (0, 0, 0), (1, 0, 0))
    return model


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
def test_tabulated_is_the_not_a_knot_spline(count):
    x = np.cumsum(np.random.default_rng(count).uniform(0.1, 1.0, count))
    y = np.sin(3 * x)
    profile = br.Tabulated(x, y)
    reference = CubicSpline(x, y)
    for t in np.linspace(x[0], x[-1], 37):
        assert profile(t) == pytest.approx(float(reference(t)), abs=1e-13)


def test_tabulated_goes_on_along_its_end_tangent():
    profile = br.Tabulated((0, 1, 2, 3), (0, 1, 8, 27))  # t^3, exactly
    assert profile(4.0) == pytest.approx(27 + 27)
    assert profile(-1.0) == pytest.approx(0.0)


def test_table_does_not_overshoot():
    x, y = (0, 1, 2, 3, 4.5), (0, 0, 1, 1, 3)
    law = br.Table(x, y, damping=2.0)
    values = [law(0, s, 0) for s in np.linspace(0, 4.5, 91)]
    assert all(after >= before - 1e-15 for before, after in pairwise(values))
    assert law(0, 1.5, 1.0) == pytest.approx(float(PchipInterpolator(x, y)(1.5)) - 2.0)
    assert law(0, 5.5, 0) == pytest.approx(3 + 2 / 1.5)


def test_parameters_of_tables_are_knots_and_coefficients():
    profile = br.Tabulated((0, 1, 3), (1, 2, 5))
    assert profile.parameters[:3] == (0, 1, 3)
    assert len(profile.parameters) == 3 + 4 * 2
    law = br.Table((0, 1, 3), (1, 2, 5), 0.7)
    assert law.parameters[:4] == (0.7, 0, 1, 3)


def test_values_of_profiles():
    assert br.Constant(2)(9) == 2
    assert br.Sine(2, 0.5, phase=0.1, offset=1)(0.3) == pytest.approx(1 + 2 * math.sin(math.pi * 0.3 + 0.1))
    assert br.Polynomial((1, 2, 3))(2) == 1 + 4 + 12
    assert br.FunctionProfile("user_functions:swing")(0.3) == own.swing(0.3)


def test_smooth_step_rests_at_both_ends():
    step, h = br.SmoothStep(1, 3, 0.5, 1.5), 1e-4
    assert (step(0), step(0.5), step(1.0), step(1.5), step(2)) == (1, 1, 2, 3, 3)
    assert (step(0.5 + h) - step(0.5)) / h**2 == pytest.approx(0.0, abs=3e-3)
    assert (step(1.5) - step(1.5 - h)) / h**2 == pytest.approx(0.0, abs=3e-3)


def test_linear_law():
    assert br.Linear(3, 2, 0.5)(0, 1.5, 0.1) == pytest.approx(-3 - 0.2)


def test_spring_length_is_that_at_the_start():
    spring = hinged().spring("S", "ground", "bob", (0, 3, 0), (1, 0, 0), stiffness=2)
    assert spring.law == br.Linear(2, 0, math.sqrt(10))
    assert spring.measure.kind == "distance"


def test_kinds_of_motor_torque():
    model = hinged()
    assert model.motor("number", "A", 3).law == br.TimeLaw(br.Constant(3))
    assert model.motor("profile", "A", br.Sine(1, 2)).law == br.TimeLaw(br.Sine(1, 2))
    assert model.motor("function", "A", own.law).law == br.FunctionLaw(own.law)
    assert model.motor("time", "A", br.FunctionProfile(own.swing)).law.function is own.swing


def test_force_at_the_centre_of_mass():
    force = hinged().force("F", "bob", force=(1, 2, 3))
    assert [profile.value for profile in (*force.force, *force.torque)] == [1, 2, 3, 0, 0, 0]
    assert force.point.tolist() == [0, 0, 0]


def test_bushing_has_no_deflection_as_drawn():
    model = hinged()
    bushing = model.bushing("B", "ground", "bob", (1, 0, 0), stiffness=(1,) * 6, rotation=(1, 0.1, 0.2, 0.3))
    assert (bushing.function, bushing.kind, len(bushing.parameters)) == ("bushing", "force", 30)
    a, b = np.reshape(bushing.parameters[12:], (2, 3, 3))
    np.testing.assert_allclose(a, model.bodies["bob"].rotation @ b, atol=1e-15)


NAN = float("nan")
P, Q = (0, 1, 0), (1, 0, 0)
WRONG = [
    (lambda m: m.spring("F", "ground", "bob", P, Q), "it exerts no force"),
    (lambda m: m.spring("F", "ground", "bob", P, P, stiffness=1), "the two points coincide"),
    (lambda m: m.spring("F", "ground", "bob", P, stiffness=1), "point_b is missing"),
    (lambda m: m.spring("F", "ground", "bob", P, Q, stiffness=NAN), "stiffness must be a finite number"),
    (lambda m: m.spring("F", "ground", "bob", P, Q, stiffness=1, length=-1), "length must not be negative"),
    (lambda m: m.spring("F", "ground", "bob", P, Q, stiffness=1, law=own.law), "stiffness and law are given"),
    (lambda m: m.spring("F", "bob", "bob", P, Q, stiffness=1), "with itself"),
    (lambda m: m.torsion("F", "A"), "it exerts no force"),
    (lambda m: m.torsion("F", "B", stiffness=1), 'there is no joint "B"'),
    (lambda m: m.torsion("F", "C", stiffness=1), "several coordinates"),
    (lambda m: m.motor("F", "A", None), "torque must be a number"),
    (lambda m: m.motor("F", "A", "nowhere"), "must have the form"),
    (lambda m: m.force("F", "bob"), "give force and torque"),
    (lambda m: m.force("F", "bob", force=(1, 0, 0), function=own.load), "give force and torque"),
    (lambda m: m.force("F", "bob", force=(1, 0)), "force must be three numbers or profiles"),
    (lambda m: m.force("F", "bob", force=3), "force must be three numbers or profiles"),
    (lambda m: m.force("F", "bob", force=(1, 0, NAN)), "force z must be a finite number"),
    (lambda m: m.force("F", "bob", force=(1, 0, 0), axes="bob"), 'axes must be "world" or "body"'),
    (lambda m: m.force("F", "ground", force=(1, 0, 0)), "the ground does not move"),
    (lambda m: m.force("F", "bob", P, (1, 0, 0), frame=m.bodies["bob"].frame()), "either point or frame"),
    (lambda m: m.user_force("F", "ground", "bob", 3), "load must be a function"),
    (lambda m: m.bushing("F", "ground", "bob", P, stiffness=(1, 2)), "stiffness must be 6 numbers"),
    (lambda m: m.bushing("F", "ground", "bob", stiffness=(1,) * 6), "point is missing"),
]


@pytest.mark.parametrize(("declare", "expected"), WRONG)
def test_wrong_forces(declare, expected):
    model = hinged()
    with pytest.raises((ModelError, UserFunctionError)) as caught:
        declare(model)
    assert 'force "F"' in str(caught.value)
    assert expected in str(caught.value)
    assert not model.forces


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: br.Tabulated((0, 1), (1, 2, 3)), "2 values of time, but 3 of value"),
        (lambda: br.Tabulated((0,), (1,)), "at least 2 numbers"),
        (lambda: br.Tabulated((0, 1, 1), (1, 2, 3)), "time must increase strictly, but 1 follows 1"),
        (lambda: br.Table((1, 0), (1, 2)), "table law: x must increase strictly"),
        (lambda: br.Table((0, 1), (1, NAN)), "table law: force must be"),
        (lambda: br.Sine(1, NAN), "sine profile: frequency"),
        (lambda: br.Polynomial(()), "polynomial profile: coefficients"),
        (lambda: br.SmoothStep(0, 1, 2, 2), "t_end = 2 s must be after t_start"),
        (lambda: br.StartValue()(0.0), "only after the system has been built"),
        (lambda: br.FunctionProfile(3), "must be a function"),
    ],
)
def test_wrong_profiles_and_laws(make, expected):
    with pytest.raises(ModelError) as caught:
        make()
    assert expected in str(caught.value)


def test_wishes():
    model = hinged()
    assert model.start(joint="A", velocity=-6).measure == model.coordinate("A.angle")
    wish = model.start(point=("bob", (0, 0, 1)), velocity=(1, 0, 0), weight=2)
    assert (wish.body.name, wish.point.tolist(), wish.weight) == ("bob", [0, 0, 1], 2.0)
    assert model.start(body="bob", rotation=(1, 0, 0, 0)).rotation.tolist() == np.eye(3).tolist()
    assert len(model.wishes) == 3


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "exactly one of joint, body and point, not none"),
        ({"joint": "A", "body": "bob", "velocity": 1}, "not joint and body"),
        ({"joint": "A"}, 'start of joint "A": nothing is wished'),
        ({"joint": "C", "velocity": 1}, "several coordinates"),
        ({"joint": "A", "velocity": (1, 0, 0)}, 'start of joint "A": velocity must be a number'),
        ({"joint": "A", "rotation": (1, 0, 0, 0)}, "can be wished for a body only"),
        ({"body": "bob", "velocity": 1}, 'start of body "bob": velocity must be 3 numbers'),
        ({"body": "bbo", "velocity": 1}, 'Did you mean "bob"?'),
        ({"body": "ground", "velocity": (1, 0, 0)}, "the ground does not move"),
        ({"point": "bob", "velocity": (1, 0, 0)}, "point must be (body, local coordinates)"),
        ({"point": ("bob", (0, 0)), "velocity": (1, 0, 0)}, "local coordinates must be 3 numbers"),
        ({"joint": "A", "velocity": 1, "weight": 0}, "weight must be greater than zero"),
        ({"joint": "A", "velocity": NAN}, "velocity must be a finite number"),
    ],
)
def test_wrong_wishes(options, expected):
    model = hinged()
    with pytest.raises(ModelError) as caught:
        model.start(**options)
    assert expected in str(caught.value)
    assert not model.wishes


def test_gravity():
    assert br.Model().gravity.tolist() == [0, 0, -9.81]
    assert br.Model(planar=True).gravity.tolist() == [0, -9.81, 0]
    with pytest.raises(ModelError, match='model "m": gravity must be 3 numbers'):
        br.Model("m", gravity=9.81)


def test_suggest():
    assert suggest("Revolut", ["prismatic", "revolute"]) == ' Did you mean "revolute"?'
    assert suggest("xyz", ["revolute"]) == ""


def test_errors_have_one_root_and_carry_the_solution():
    assert issubclass(AssemblyError, BricardError)
    assert SimulationError("stopped", solution=3).solution == 3


def test_resolve_finds_nested_names():
    assert resolve("os:path.join").__name__ == "join"


def test_import_is_light():
    code = "import sys, bricard.model; print(*{m.split('.')[0] for m in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "scipy", "tomlkit", "matplotlib", "h5py"} & set(loaded)
