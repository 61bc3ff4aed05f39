"""Models in TOML files: exact round trip, and errors that name file, table and key."""

import dataclasses
import os

import numpy as np
import pytest
from everything import everything

import bricard.model as br
from bricard.errors import FileFormatError, ModelError, UserFunctionError
from bricard.io import toml
from bricard.io.toml import FORCE_TYPES, JOINT_TYPES
from bricard.model.body import Body
from bricard.model.profiles import PROFILES
from bricard.model.shapes import SHAPES, Shape


def plain(value):
    """Reduce an element to numbers and texts that compare exactly."""
    if isinstance(value, Body):
        return value.name
    if isinstance(value, Shape):
        return plain(value.declaration())
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def fields(body):
    return {f.name: plain(getattr(body, f.name)) for f in dataclasses.fields(body) if f.name != "shape"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("toml") / "everything.toml"
    model = everything()
    model.save(path)
    return path, model, br.Model.load(path)


def test_the_model_of_the_round_trip_uses_every_type():
    model = everything()
    used = {e.declaration()["type"] for e in (*model.joints.values(), *model.forces.values())}
    assert used == {*JOINT_TYPES, *FORCE_TYPES}
    assert {body.shape.kind for body in model.bodies.values() if body.shape} == set(SHAPES)


def test_every_joint_type_of_toml_is_a_method():
    assert all(callable(getattr(br.Model, name)) for name in (*JOINT_TYPES, *FORCE_TYPES))


def test_head_is_exact(saved):
    _, model, again = saved
    assert (again.name, again.gravity.tolist(), again.is_planar) == (
        model.name,
        model.gravity.tolist(),
        model.is_planar,
    )


@pytest.mark.parametrize("name", everything().bodies)
def test_bodies_are_exact(saved, name):
    _, model, again = saved
    assert fields(again.bodies[name]) == fields(model.bodies[name])


@pytest.mark.parametrize("name", everything().joints)
def test_joints_are_exact(saved, name):
    _, model, again = saved
    assert plain(again.joints[name]) == plain(model.joints[name])
    assert plain(again.joints[name].blocks()) == plain(model.joints[name].blocks())
    assert plain(again.joints[name].coordinates()) == plain(model.joints[name].coordinates())


@pytest.mark.parametrize("name", everything().forces)
def test_forces_are_exact(saved, name):
    _, model, again = saved
    assert plain(again.forces[name]) == plain(model.forces[name])


def test_drawings_and_notes_are_exact(saved):
    _, model, again = saved
    assert again.notes == model.notes
    assert [plain(d.declaration()) for d in again.drawings] == [plain(d.declaration()) for d in model.drawings]


def test_wishes_are_exact(saved):
    _, model, again = saved
    assert plain(again.wishes) == plain(model.wishes)


def test_order_is_kept(saved):
    _, model, again = saved
    for family in ("bodies", "joints", "forces"):
        assert list(getattr(again, family)) == list(getattr(model, family))


def test_saving_twice_gives_the_same_file(saved, tmp_path):
    path, _, again = saved
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == path.read_text()


@pytest.mark.parametrize("kind", [k for k in PROFILES if k != "function"])
def test_profiles_as_tables(kind):
    examples = {
        "constant": br.Constant(1 / 3),
        "sine": br.Sine(1 / 3, 2, 3, 4),
        "polynomial": br.Polynomial((1 / 3, 2)),
        "tabulated": br.Tabulated((0, 1 / 3), (2, 3)),
        "smooth_step": br.SmoothStep(1, 2, 3, 4),
    }
    profile = examples[kind]
    assert type(profile)(**{k: v for k, v in profile.declaration().items() if k != "profile"}) == profile


def test_simulation_table(tmp_path):
    settings = {"duration": 10.0, "step": 1e-3, "formulation": "ggl", "output": {"every": 2, "channels": ["A.angle"]}}
    toml.save(br.Model(), tmp_path / "m.toml", settings)
    assert toml.load(tmp_path / "m.toml")[1] == settings


HAND = """
name = "four-bar"
gravity = [0, -9.81, 0]
[bodies.crank]
shape = "rod"
start = [0, 0, 0]
end = [0, 0.3, 0]
mass = 1
[bodies.block]
mass = 2
inertia = [1, 1, 1]
position = [1, 0, 0]
[joints.A]
type = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = [0, 0, 1]
[joints.B]
type = "spherical"
bodies = ["block", "crank"]
frame_a = {position = [0, 0, 1], rotation = [1, 0, 0, 0]}
frame_b = {position = [0, 1, 0], axis = [1, 0, 0]}
[joints.run]
type = "drive"
coordinate = "A"
profile = {profile = "sine", amplitude = 1, frequency = 2}
[forces.S]
type = "spring"
bodies = ["ground", "crank"]
point_a = [0, 0, 1]
point_b = [0, 0.3, 0]
law = {law = "linear", stiffness = 3, free = 0.1}
[[start]]
joint = "A"
velocity = -6
"""


def written(tmp_path, text):
    (tmp_path / "hand.toml").write_text(text)
    return tmp_path / "hand.toml"


def test_hand_written_file_equals_the_calls(tmp_path):
    model = br.Model.load(written(tmp_path, HAND))
    by_hand = br.Model("four-bar", gravity=(0, -9.81, 0))
    by_hand.body("crank", br.Rod((0, 0, 0), (0, 0.3, 0), mass=1.0))
    by_hand.revolute("A", "ground", "crank", point=(0, 0, 0), axis=(0, 0, 1))
    assert plain(model.joints["A"]) == plain(by_hand.joints["A"])
    assert model.forces["S"].law == br.Linear(stiffness=3, free=0.1)
    assert model.joints["run"].profile == br.Sine(1, 2)
    assert model.joints["B"].frame_b.z.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('name = "four-bar"', 'nam = "four-bar"', ('unknown key "nam"', 'Did you mean "name"?')),
        ('name = "four-bar"', "name = 3", ("name must be",)),
        ("gravity = [0, -9.81, 0]", "gravity = 3", ("gravity must be 3 numbers",)),
        ("gravity = [0, -9.81, 0]", 'planar = "no"', ("planar must be true or false",)),
        ('shape = "rod"', 'shape = "rodd"', ("[bodies.crank]", 'unknown shape "rodd"', 'Did you mean "rod"?')),
        ("mass = 1\n", "mas = 1\n", ("[bodies.crank]", 'unknown key "mas"', 'Did you mean "mass"?')),
        ("mass = 1\n", "", ("[bodies.crank]", "either mass (kg) or density")),
        ("mass = 1\n", 'mass = "heavy"\n', ("[bodies.crank]", "mass must be a number", "heavy")),
        ("end = [0, 0.3, 0]", "", ("[bodies.crank]", '"end" is missing')),
        ("inertia = [1, 1, 1]", "inertia = [1, 1, 3]", ("[bodies.block]", '"block"', "largest exceeds")),
        ("inertia = [1, 1, 1]", "", ("[bodies.block]", "inertia is missing")),
        ('type = "revolute"', "", ("[joints.A]", '"type" is missing')),
        ('type = "revolute"', 'type = "revolut"', ("[joints.A]", 'unknown type "revolut"', 'Did you mean "revolute"?')),
        ('type = "revolute"', "type = [1]", ("[joints.A]", "unknown type")),
        ("axis = [0, 0, 1]", "axes = [0, 0, 1]", ("[joints.A]", 'unknown key "axes"', 'Did you mean "axis"?')),
        ("axis = [0, 0, 1]", "", ("[joints.A]", "axis is missing")),
        ("axis = [0, 0, 1]", "axis = [0, 0, nan]", ("[joints.A]", "axis must be 3 numbers, all finite")),
        ("axis = [0, 0, 1]", "axis = [[0], [0, 1]]", ("[joints.A]", "axis must be 3 numbers")),
        ('bodies = ["ground", "crank"]\npoint = ', "point = ", ("[joints.A]", '"bodies" must hold')),
        (
            'bodies = ["block", "crank"]',
            'bodies = ["blok", "crank"]',
            ("[joints.B]", '"blok"', 'Did you mean "block"?'),
        ),
        ("rotation = [1, 0, 0, 0]", "rotat = 1", ("[joints.B]", 'unknown key "rotat"', 'Did you mean "rotation"?')),
        ('profile = "sine"', 'profile = "sin"', ("[joints.run]", 'unknown profile "sin"', 'Did you mean "sine"?')),
        (", frequency = 2", "", ("[joints.run]", '"frequency" is missing')),
        ("amplitude = 1", "amplitude = 1, ampl = 2", ("[joints.run]", 'unknown key "ampl"')),
        ('law = "linear"', 'law = "lineer"', ("[forces.S]", 'unknown law "lineer"', 'Did you mean "linear"?')),
        ('coordinate = "A"', 'coordinate = "A.angel"', ("[joints.run]", '"angel"', 'Did you mean "angle"?')),
        ("velocity = -6", "speed = -6", ("[[start]] number 1", 'unknown key "speed"')),
        ("[[start]]", "[start]", ("[[start]]", "double brackets")),
        ("[forces.S]", "[force.S]", ('unknown key "force"', 'Did you mean "forces"?')),
        ("[joints.A]", "[joints]\nA = 3\n[joints.C]", ("[joints.A] must be a table",)),
        ("velocity = -6", "velocity = ", ("not a valid TOML file", "incomplete")),
    ],
)
def test_errors_name_file_table_and_key(tmp_path, old, new, expected):
    assert old in HAND
    path = written(tmp_path, HAND.replace(old, new))
    with pytest.raises(FileFormatError) as caught:
        toml.load(path)
    for text in (str(path), *expected):
        assert text in str(caught.value)


def test_binary_file(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="not a valid TOML file"):
        toml.load(tmp_path / "x.toml")


def test_functions_are_found_beside_the_file(tmp_path):
    (tmp_path / "beside_the_file.py").write_text("def angle(t):\n    return 2.0 * t\n")
    text = HAND.replace('{profile = "sine", amplitude = 1, frequency = 2}', '"beside_the_file:angle"')
    assert br.Model.load(written(tmp_path, text)).joints["run"].profile(3.0) == 6.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("swing", "must have the form"),
        ("no_such_module:swing", "cannot be imported"),
        ("user_functions:swig", 'Did you mean "swing"?'),
        ("user_functions:NOT_CALLABLE", "is not a function"),
    ],
)
def test_functions_that_cannot_be_found(tmp_path, name, expected):
    text = HAND.replace('{profile = "sine", amplitude = 1, frequency = 2}', f'"{name}"')
    with pytest.raises(UserFunctionError) as caught:
        toml.load(written(tmp_path, text))
    assert all(part in str(caught.value) for part in (expected, name, "[joints.run]", "hand.toml"))


def test_a_local_function_cannot_be_saved_and_leaves_the_old_file(tmp_path):
    model = br.Model.load(written(tmp_path, HAND))
    model.drive("local", "A", lambda t: t)
    with pytest.raises(ModelError, match=r'joints "local": profile.*cannot be imported by name'):
        model.save(tmp_path / "hand.toml")
    assert (tmp_path / "hand.toml").read_text() == HAND


def test_a_failing_write_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = written(tmp_path, HAND)
    model = br.Model.load(path)

    def full_disk(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        model.save(path)
    assert path.read_text() == HAND
    assert os.listdir(tmp_path) == ["hand.toml"]
