"""Model files: parameters, units, lines in messages, and rewriting that keeps what a person wrote."""

import math

import pytest

import bricard.model as br
from bricard.errors import FileFormatError, ModelError
from bricard.io import toml
from bricard.io.expressions import parameters_of, resolved
from bricard.io.places import line_of
from bricard.io.writing import tables

TEXT = """\
# A four-bar, written by hand.
name = "four-bar"   # its name
units = "SI"
gravity = [0, -9.81, 0]

[parameters]
L1 = 0.3      # crank (m)
half = "${L1 / 2}"

# the crank comes first
[bodies.crank]
shape = "rod"
start = [0, 0, 0]
end = [0, "${L1}", 0]
mass = 1  # kg

[bodies.block]
mass = 2
inertia = [
    1, 1,  # about x and y
    1,
]
position = ["${10*half}", "${25*mm}", 0]

[joints.A]
type = "revolute"   # a hinge
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = [0, 0, 1]

[forces."a spring"]
type = "spring"
bodies = ["crank", "block"]
point_a = [0, "${L1}", 0]
point_b = [1, 0, 0]
stiffness = 100

[[start]]
joint = "A"
velocity = "${60*rpm}"  # about one turn a second

[simulation]
duration = "${10*half}"
step = 1e-3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "hand.toml"
    path.write_text(TEXT)
    return path


# Parameters


def test_parameters_and_units(file):
    model, simulation = toml.load(file)
    assert model.bodies["crank"].shape.end.tolist() == [0, 0.3, 0]
    assert model.bodies["block"].position.tolist() == [1.5, 0.025, 0]
    assert model.wishes[0].velocity == pytest.approx(2 * math.pi, rel=1e-15)
    assert simulation == {"duration": 1.5, "step": 1e-3}


def test_other_values_of_parameters(file):
    model, simulation = toml.load(file, {"L1": 0.4})
    assert model.bodies["crank"].shape.end[1] == 0.4
    assert simulation["duration"] == 2.0
    with pytest.raises(FileFormatError, match=r'there is no parameter "l1". Did you mean "L1"\?'):
        toml.load(file, {"l1": 1.0})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${1}", 1),
        ("${ -(a + 2*b)**2 / 4 }", -((0.5 + 2 * 3) ** 2) / 4),
        ("${sqrt(a**2 + b**2)}", math.hypot(0.5, 3)),
        ("${atan2(b, a)}", math.atan2(3, 0.5)),
        ("${max(a, b, 1)}", 3),
        ("${90*deg}", math.pi / 2),
        ("${2*inch}", 0.0508),
        ("${n}", 2),
    ],
)
def test_expressions(text, value):
    assert resolved([text], parameters_of({"a": 0.5, "b": "${6*a}", "n": 2})) == [pytest.approx(value, rel=1e-15)]


def test_integers_stay_integers():
    assert isinstance(resolved("${n}", {"n": 2}), int)


@pytest.mark.parametrize(("name", "meaning"), [("mm", "0.001"), ("pi", "3.14159"), ("sin", "a function")])
def test_parameters_do_not_hide_units_and_functions(name, meaning):
    with pytest.raises(ModelError, match=f"{name}: this name means {meaning} in expressions; choose another"):
        parameters_of({name: 10.0})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${c}", 'no parameter "c"'),
        ("${aa}", 'Did you mean "a"'),
        ("${a +}", "not a formula"),
        ("${}", "not a formula"),
        ("${1/0}", "division by zero"),
        ("${sqrt(-1)}", "cannot be computed"),
        ("${(-1)**0.5}", "no finite real number"),
        ("${1e308*10}", "no finite real number"),
        ("${9**9**9}", "cannot be computed"),
        ("${sinn(a)}", 'Did you mean "sin"'),
        ("${sin(a, a)}", "cannot be computed"),
        ("${sin(x=a)}", "no function"),
        ("${__import__('os')}", "no function"),
        ("${a.real}", "only numbers"),
        ("${[1][0]}", "only numbers"),
        ("${'a'*3}", "only numbers"),
        ("${True}", "only numbers"),
        ("${a if a else b}", "only numbers"),
        ("${(lambda: 1)()}", "only numbers"),
        ("x ${a}", "nothing around it"),
        ("${" + "(" * 500 + "1" + ")" * 500 + "}", "not a formula|cannot be computed|characters"),
        ("${" + "1+" * 600 + "1}", "more than 1000 characters"),
    ],
)
def test_wrong_expressions(text, words):
    with pytest.raises(ModelError, match=words):
        resolved(text, {"a": 1.0, "b": 2.0})


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": "${b}", "b": "${a}"}, "depends on itself: a -> b -> a"),
        ({"a": "text"}, "must be a finite number"),
        ({"a": math.nan}, "must be a finite number"),
        ({"a b": 1}, "no name that an expression can use"),
    ],
)
def test_wrong_parameters(table, words):
    with pytest.raises(ModelError, match=words):
        parameters_of(table)


def test_other_units_are_refused_with_the_remedy(file):
    file.write_text(TEXT.replace('"SI"', '"mm"'))
    with pytest.raises(FileFormatError, match=r"line 3: units must be .*\$\{25\*mm\}"):
        toml.load(file)


# Lines in messages


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("name",), 2),
        (("parameters", "half"), 8),
        (("bodies", "crank"), 11),
        (("bodies", "block", "position"), 23),
        (("joints", "A", "axis"), 29),
        (("forces", "a spring", "stiffness"), 36),
        (("start", 0, "velocity"), 40),
        (("joints", "A", "nothing"), 25),
        (("nothing",), None),
    ],
)
def test_lines(keys, line):
    assert line_of(TEXT, keys) == line


def test_lines_skip_texts_and_lists():
    text = 'a = """\n[b]\nc = 1\n"""\nd = ["[e]",\n "f = 1"]\ng = \'# [h]\'\n[b]\nc = 2\n'
    assert [line_of(text, keys) for keys in (("b", "c"), ("d",), ("g",), ("h",))] == [9, 5, 7, None]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("mass = 1  # kg", 'mass = "heavy"', 15),
        ("axis = [0, 0, 1]", "axes = [0, 0, 1]", 29),
        ('bodies = ["crank", "block"]', 'bodies = ["crank", "blck"]', 33),
        ('joint = "A"', 'joint = "B"', 39),
        ("L1 = 0.3  ", 'L1 = "${L}"', 7),
        ('end = [0, "${L1}", 0]', 'end = [0, "${L2}", 0]', 14),
        ("[bodies.crank]", "[body.crank]", 11),
    ],
)
def test_messages_name_the_line(file, old, new, line):
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(FileFormatError) as caught:
        toml.load(file)
    assert str(caught.value).startswith(f"{file}, line {line}: ")


# Rewriting


def changed_lines(file):
    new = file.read_text().splitlines()
    old = TEXT.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_saving_what_was_loaded_changes_nothing(file):
    br.Model.load(file).save(file)
    assert file.read_text() == TEXT


def test_saving_with_another_value_of_a_parameter_changes_that_value(file):
    toml.load(file, {"L1": 0.25})[0].save(file)
    assert file.read_text() == TEXT.replace("L1 = 0.3 ", "L1 = 0.25 ")


def test_a_parameter_with_another_value_beside_other_changes(file):
    model = toml.load(file, {"half": 0.1})[0]
    model.gravity = (0, 0, 0)
    model.save(file)
    text = file.read_text()
    assert "half = 0.1\n" in text and '"${10*half}"' in text and "L1 = 0.3 " in text
    assert tables(toml.load(file)[0]) == tables(model)


HUGE = "9" * 400


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("${L1 / 2}", f"${{{HUGE}}}", r"\[parameters\] half: .* is no finite real number"),
        ("L1 = 0.3", f"L1 = {HUGE}", r"\[parameters\] L1 must be a finite number"),
        ("mass = 1 ", f"mass = {HUGE} ", "mass must be a finite number"),
        ("mass = 1 ", f"mass = {'9' * 5000} ", "not a valid TOML file"),
        ("mass = 1 ", "radius = 1e308\nmass = 1 ", r"radius must not exceed 1e\+100, but is 1e\+308"),
        ("point = [0, 0, 0]", "point = [0, 0, 1e308]", r"point must not exceed 1e\+100"),
        ("stiffness = 100", "stiffness = nan", "stiffness must be a finite number, not nan"),
    ],
)
def test_numbers_that_nobody_can_compute_with(file, old, new, words):
    assert old in TEXT
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(FileFormatError, match=words):
        toml.load(file)


def test_a_changed_number_is_the_only_change(file):
    model = br.Model.load(file)
    model.gravity = (0, 0, -1.62)
    model.save(file)
    assert changed_lines(file) == (["gravity = [0, -9.81, 0]"], ["gravity = [0.0, 0.0, -1.62]"])


def exact(file, model):
    return tables(br.Model.load(file), file.parent) == tables(model, file.parent)


def test_an_added_body_leaves_the_rest(file):
    model = br.Model.load(file)
    model.body("new", br.Sphere((0, 0, 1), 0.1, mass=1.0))
    model.save(file)
    assert changed_lines(file)[0] == []
    assert exact(file, model)


def test_a_changed_spring_keeps_its_comments(file):
    model = br.Model.load(file)
    del model.forces["a spring"]
    model.spring("a spring", "crank", "block", (0, 0.3, 0), (1, 0, 0), stiffness=200.0)
    model.save(file)
    assert changed_lines(file) == (["stiffness = 100"], ["stiffness = 200.0"])


def test_a_moved_body_takes_its_joint_along(file):
    """The hinge of the file is placed in the world; as its body moved, it must be written by its frames."""
    model = br.Model.load(file)
    crank = model.bodies["crank"]
    again = br.Model("four-bar", gravity=model.gravity)
    again.body("crank", crank.shape, position=crank.position + 1.0)
    block = model.bodies["block"]
    again.body("block", mass=2.0, inertia=block.inertia, position=block.position)
    frames = model.joints["A"].frame_a, model.joints["A"].frame_b
    at = [{"position": frame.position, "rotation": frame.rotation} for frame in frames]
    again.revolute("A", "ground", "crank", frame_a=at[0], frame_b=at[1])
    again.save(file)
    assert exact(file, again)
    text = file.read_text()
    assert "# A four-bar, written by hand." in text
    assert 'type = "revolute"   # a hinge' in text
    assert "L1 = 0.3      # crank (m)" in text
    assert "[simulation]" in text


def test_order_of_declaration_is_kept_where_it_matters(file):
    """Joints in another order cannot be had by editing tables, so the file is written anew."""
    model = br.Model.load(file)
    model.bodies = dict(reversed(model.bodies.items()))
    model.save(file)
    assert list(br.Model.load(file).bodies) == ["block", "crank"]


def test_a_new_simulation_table(file):
    model, _ = toml.load(file)
    toml.save(model, file, {"duration": 2.0, "step": 1e-3})
    assert changed_lines(file) == (['duration = "${10*half}"'], ["duration = 2.0"])


def test_wishes_and_drawings_that_come_and_go(file):
    model = br.Model.load(file)
    model.wishes.clear()
    model.draw("ground", br.Box((1, 1, 1), mass=0.0))
    model.notes.append("a note")
    model.save(file)
    assert exact(file, model)
    model.drawings.clear()
    model.notes.clear()
    model.start(joint="A", velocity=1.0)
    model.save(file)
    assert exact(file, model)
    assert "# the crank comes first" in file.read_text()


def test_another_model_leaves_nothing_of_the_old_one(file):
    model = br.Model("another")
    model.body("b", br.Sphere((0, 0, 1), 0.1, mass=1.0))
    model.save(file)
    assert "#" not in file.read_text()
    assert toml.load(file)[1] == {}


def test_a_file_that_is_no_model_is_replaced(file):
    model = br.Model.load(file)
    file.write_text("this is no TOML")
    model.save(file)
    assert exact(file, model)


def test_meshes_are_found_beside_the_file(tmp_path):
    (tmp_path / "parts").mkdir()
    model = br.Model("m")
    model.body("b", mass=1.0, inertia=(1, 1, 1))
    model.draw("b", br.Mesh(tmp_path / "parts" / "b.stl", mass=0.0))
    model.save(tmp_path / "m.toml")
    assert 'path = "parts/b.stl"' in (tmp_path / "m.toml").read_text()
    assert br.Model.load(tmp_path / "m.toml").drawings[0].shape.path == tmp_path / "parts" / "b.stl"
