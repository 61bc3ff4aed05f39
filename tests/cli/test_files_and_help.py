"""Commands about files (new, import, export, schema), and what all commands share: help, JSON, colours, completion."""

import csv
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import bricard as br
from bricard.cli.main import COMMANDS, app
from bricard.io.schema import schema
from bricard.io.tables import columns
from mechanisms import PENDULUM_FILE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")


# new


def test_the_starter_model_runs_as_it_is(bricard):
    code, out, _ = bricard("new", "arm")
    assert (code, "wrote arm.toml" in out) == (0, True)
    code, out, _ = bricard("run", "arm.toml", "--duration", 0.2, "--json")
    found = json.loads(out)
    assert (code, found["ok"], found["report"]["freedom"]) == (0, True, 1)
    assert found["energy_error"] < 1e-6 * found["energy_size"]


def test_the_starter_model_fits_the_schema_and_its_comments(bricard):
    import jsonschema

    bricard("new", "models/my arm.toml")
    text = Path("models/my arm.toml").read_text()
    jsonschema.Draft202012Validator(schema()).validate(tomllib.loads(text))
    assert 'name = "my arm"' in text
    assert br.load("models/my arm.toml").bodies["crank"].shape.end.tolist() == [0, 0.3, 0]


def test_new_writes_over_nothing_unless_told(bricard):
    Path("arm.toml").write_text("mine")
    code, _, err = bricard("new", "arm")
    assert (code, "is there already" in err, Path("arm.toml").read_text()) == (2, True, "mine")
    assert bricard("new", "arm", "--force", "--json")[:2] == (0, '{\n  "file": "arm.toml"\n}\n')


@pytest.mark.parametrize("name", ['a"b', "  ", "a\nb", "", ".toml", "folder/"])
def test_new_refuses_names_that_are_none(bricard, name):
    assert bricard("new", name)[0] == 2
    assert not list(Path().glob("**/.toml"))


# parameters


def test_parameters_from_the_command_line(bricard):
    bricard("new", "arm")
    report = json.loads(bricard("check", "arm.toml", "--set", "crank=0.25", "--json")[1])
    assert report["freedom"] == 1
    for setting, words in (("crnk=1", 'Did you mean "crank"'), ("crank=x", "NAME=VALUE"), ("crank", "NAME=VALUE")):
        code, _, err = bricard("check", "arm.toml", "--set", setting)
        assert (code, words in err) == (2, True)


# import


def test_import_of_urdf_with_its_loops(bricard):
    code, out, err = bricard("import", EXAMPLES / "arm.urdf", "-o", "arm.toml")
    assert (code, "wrote arm.toml: 5 bodies, 6 joints" in out) == (0, True)
    assert "note: limits of joints (shoulder" in err
    ours, theirs = br.load("arm.toml"), br.load(EXAMPLES / "arm.urdf")
    assert np.array_equal(ours.build().start, theirs.build().start)
    assert ours.notes == theirs.notes
    assert tomllib.loads(Path("arm.toml").read_text())["simulation"] == {"duration": 0.6}


def test_import_of_mjcf_as_json(bricard):
    code, out, err = bricard("import", EXAMPLES / "leg.xml", "--json")
    found = json.loads(out)
    assert (code, err, found["file"], found["bodies"], found["joints"]) == (0, "", "leg.toml", 7, 10)
    assert any("actuators (crank_motor)" in note for note in found["notes"])


def test_import_writes_over_nothing_unless_told(bricard):
    Path("leg.toml").write_text("mine")
    assert bricard("import", EXAMPLES / "leg.xml")[0] == 2
    assert Path("leg.toml").read_text() == "mine"
    assert bricard("import", EXAMPLES / "leg.xml", "--force")[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((EXAMPLES / "arm.urdf", "--keyframe", "home"), "for MJCF"),
        ((EXAMPLES / "leg.xml", "--base", "free"), "for URDF"),
        ((EXAMPLES / "leg.xml", "--keyframe", "home"), "no keyframe"),
        ((EXAMPLES / "arm.urdf", "--base", "loose"), '"fixed" or "free"'),
        (("model.stl",), "models are read from"),
        (("none.urdf",), "No such file"),
    ],
)
def test_import_of_wrong_things(bricard, options, words):
    code, out, err = bricard("import", *options)
    assert (code, out) == (2, "")
    assert words in err


def test_urdf_and_mjcf_run_as_they_are(bricard):
    for name, freedom in (("arm.urdf", 3), ("leg.xml", 3)):
        code, out, _ = bricard("check", EXAMPLES / name, "--json")
        assert (code, json.loads(out)["freedom"]) == (0, freedom)


# export


@pytest.fixture
def result(tmp_path):
    model = br.load(EXAMPLES / "bricard.toml")
    solution = br.simulate(model, 0.02, step=0.01)
    solution.save(tmp_path / "six-bar.h5")
    return solution


def test_csv_holds_the_same_numbers(bricard, result):
    code, out, _ = bricard("export", "six-bar.h5", "--csv")
    assert (code, "wrote six-bar.csv: 3 rows" in out) == (0, True)
    with open("six-bar.csv", newline="") as stream:
        head, *rows = csv.reader(stream)
    table = columns(result)
    assert head == list(table)
    values = np.array(rows, float)
    for index, (_, column) in enumerate(table.values()):
        assert np.array_equal(values[:, index], column)
    assert {"t", "rod1.x", "rod1.qw", "rod1.wz", "joint P0.angle", "joint P0.angle rate", "total_energy"} <= set(head)


def test_parquet_holds_the_same_numbers_and_units(bricard, result):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow: pip install 'bricard[parquet]'")
    code, out, _ = bricard("export", "six-bar.h5", "--parquet", "-o", "table.parquet", "--json")
    table = parquet.read_table("table.parquet")
    assert (code, json.loads(out)["columns"]["rod1.vx"]) == (0, "m/s")
    assert table.schema.field("rod1.vx").metadata == {b"unit": b"m/s"}
    for name, (_, values) in columns(result).items():
        assert np.array_equal(table[name].to_numpy(), values)


def test_parquet_without_its_package(bricard, result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = bricard("export", "six-bar.h5", "--parquet")
    assert (code, "bricard[parquet]" in err) == (2, True)


def test_export_must_be_told_what(bricard, result):
    for options in ((), ("--csv", "--parquet")):
        code, _, err = bricard("export", "six-bar.h5", *options)
        assert (code, "either --csv or --parquet" in err) == (2, True)
    assert bricard("export", "none.h5", "--csv")[0] == 2


def falling(t, q, v):
    return np.array([-9.81, 0.0])


def test_a_system_of_functions_has_columns_too():
    system = br.System.from_functions(np.eye(2), falling, q0=[1.0, 0.0], v0=[0.0, 0.0])
    names = list(columns(br.simulate(system, 0.02, step=0.01)))
    assert names[:6] == ["t", "q1", "q2", "v1", "v2", "kinetic_energy"]


# schema and help


def test_schema(bricard):
    code, out, _ = bricard("schema")
    assert (code, json.loads(out)) == (0, schema())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(bricard, name):
    code, out, _ = bricard(name, "--help")
    assert code == 0
    for line in COMMANDS[name][1]:
        assert line in out
        assert line.startswith(f"bricard {name}")


def test_every_command_is_listed(bricard):
    out = bricard("--help")[1]
    assert all(f" {name} " in out for name in COMMANDS)
    assert {command.name for command in app.registered_commands} == set(COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "schema"])
def test_json_is_the_same_option_everywhere(bricard, name):
    assert "Write JSON to standard output, and nothing else there." in bricard(name, "--help")[1]


PROGRAM = str(Path(sys.executable).with_name("bricard"))


def shell(*arguments, **environment):
    command = [PROGRAM, *arguments]
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(command, capture_output=True, text=True, env={**plain, **environment}, check=False)


def test_colours_only_where_they_are_wanted():
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[" in shell("list", "forces", **forced).stdout
    assert "\x1b[3" not in shell("list", "forces", **forced, NO_COLOR="1").stdout
    assert "\x1b" not in shell("list", "forces").stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shell_completion(name):
    """The script that a shell needs, and the names that it then gets."""
    script = shell("--show-completion", name, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert script.returncode == 0
    assert "_BRICARD_COMPLETE" in script.stdout.upper()


@pytest.mark.parametrize("command", ["view", "run", "check"])
def test_completion_of_problems_and_files(command):
    Path("models").mkdir()
    for name in ("stew.toml", "stew.txt", "models/arm.toml", "models/.hidden.toml"):
        Path(name).write_text("")
    for start, found in (
        ("stew", {"stewart-platform", "stew.toml"}),
        ("mod", {"models/"}),
        ("models/", {"models/arm.toml"}),
    ):
        words = {"COMP_WORDS": f"bricard {command} {start}", "COMP_CWORD": "2"}
        assert set(shell(**words, _BRICARD_COMPLETE="complete_bash").stdout.split()) == found


def test_messages_name_the_file_that_was_asked_for(bricard, tmp_path):
    """Not the temporary one beside it."""
    model = br.Model("m")
    (tmp_path / "folder.toml").mkdir()
    for target in (tmp_path / "none" / "m.toml", tmp_path / "folder.toml"):
        with pytest.raises(OSError) as caught:
            model.save(target)
        assert (caught.value.filename, ".part" in str(caught.value)) == (str(target), False)
    assert not list(tmp_path.glob(".*"))
    bricard("new", "arm")
    assert bricard("run", "arm.toml", "--duration", 0.01, "--output", "out", "--quiet")[0] == 0
    code, _, err = bricard("export", "out/arm.h5", "--csv", "-o", "none/arm.csv")
    assert (code, "none/arm.csv: No such file" in err, ".part" in err) == (2, True, False)
    with pytest.raises(FileNotFoundError, match=r"none/arm\.h5"):
        br.Solution.load("out/arm.h5").save("none/arm.h5")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("durration = 5", 'unknown key "durration". Did you mean "duration"'),
        ("rtol = -1", "rtol must be greater than zero"),
        ('integrator = "radau55"', 'There is no integrator "radau55". Did you mean "radau5"'),
        ('formulation = "index33"', 'There is no formulation "index33"'),
        ('correction = "projct"', 'There is no correction "projct"'),
        ('formulation = "index3"\nintegrator = "rk4"', 'Formulation "index3" offers'),
    ],
)
def test_check_reads_the_table_simulation(bricard, line, words):
    bricard("new", "arm")
    head = Path("arm.toml").read_text().partition("duration = 5")[0]
    Path("arm.toml").write_text(head + line)
    code, _, err = bricard("check", "arm.toml")
    assert (code, words in err, "arm.toml: [simulation]" in err) == (2, True, True), err


def test_completion_of_names():
    words = {"COMP_WORDS": "bricard run x.toml --formulation gg", "COMP_CWORD": "4"}
    assert "ggl" in shell(**words, _BRICARD_COMPLETE="complete_bash").stdout.split()


def test_compare_refuses_a_duration_that_is_missing_or_zero(bricard):
    Path("rod.toml").write_text(PENDULUM_FILE)
    code, _, told = bricard("compare", "rod.toml")
    assert code and "--duration" in told and "[simulation]" in told
    Path("rod.toml").write_text(PENDULUM_FILE + "[simulation]\nduration = 1.0\n")
    code, _, told = bricard("compare", "rod.toml", "--duration", 0)
    assert code and "must be a positive number of seconds" in told
