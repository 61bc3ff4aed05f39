"""The command line: data on standard output, messages on standard error, exit codes, and never a traceback."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import h5py
import numba
import pytest

import bricard as br
from bricard.cli import listing
from bricard.cli.compiling import Compiling
from bricard.io.toml import FORCE_TYPES, JOINT_TYPES
from bricard.registry import CORRECTIONS, FORMULATIONS, INTEGRATORS
from mechanisms import PENDULUM_FILE

SIMULATION = "[simulation]\nduration = 0.1\nstep = 0.01\n"


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM_FILE + SIMULATION)
    return file


def test_run_shows_report_errors_and_timing(bricard, model):
    code, out, _ = bricard("run", model)
    assert code == 0
    for words in ("degrees of freedom 1", "energy error", "position error", "march", "Reached the end"):
        assert words in out


def test_run_writes_result_and_plots(bricard, model, tmp_path):
    bricard("run", model, "--output", tmp_path / "new" / "folder", "--plots")
    written = {file.name for file in (tmp_path / "new" / "folder").iterdir()}
    plots = {f"my-pendulum-{name}.png" for name in ("energy", "constraints", "joints", "steps")}
    assert written == {"my-pendulum.h5"} | plots
    assert br.Solution.load(tmp_path / "new" / "folder" / "my-pendulum.h5").t[-1] == pytest.approx(0.1)


def test_run_json_is_all_of_standard_output(bricard, model):
    code, out, _ = bricard("run", model, "--json")
    found = json.loads(out)
    assert (code, found["ok"], found["steps"], found["report"]["freedom"]) == (0, True, 10, 1)
    assert set(found["seconds"]) == {"compile", "prepare", "march", "march_cpu"}


def test_quiet_says_nothing(bricard, model):
    assert bricard("run", model, "--quiet") == (0, "", "")


def test_options_override_the_file(bricard, model):
    _, out, _ = bricard("run", model, "--json", "--duration", 0.2, "--step", 0.05)
    found = json.loads(out)
    assert (found["t"], found["steps"]) == (pytest.approx(0.2), 4)


def test_a_tolerance_overrides_the_step_of_the_file(bricard, model):
    _, out, _ = bricard("run", model, "--json", "--rtol", 1e-6)
    assert json.loads(out)["provenance"]["step"] is None


def test_methods_by_option(bricard, model):
    options = ("--formulation", "index1", "--integrator", "rk4", "--correction", "none")
    _, out, _ = bricard("run", model, "--json", *options)
    used = json.loads(out)["provenance"]
    assert (used["formulation"], used["integrator"], used["correction"]) == ("index1", "rk4", "none")


def test_coordinates_and_cut_joints_by_option_and_in_the_file(bricard, model):
    """The report is that of the coordinates that are used."""
    _, out, _ = bricard("run", model, "--json", "--coordinates", "relative")
    found = json.loads(out)
    assert (found["provenance"]["coordinates"], found["report"]["velocities"], found["report"]["cut"]) == (
        "relative",
        1,
        [],
    )
    model.write_text(f'{model.read_text()}coordinates = "relative"\ncut = ["A"]\n')
    for command in (("run", model), ("check", model)):
        found = json.loads(bricard(*command, "--json")[1])
        report = found.get("report", found)
        assert (report["velocities"], report["cut"]) == (6, ["A"])
    found = json.loads(bricard("run", model, "--json", "--coordinates", "absolute")[1])
    assert found["provenance"]["coordinates"] == "absolute"


BAD_SETTINGS = {
    "[simulation]\nduraton = 1": 'unknown key "duraton". Did you mean "duration"',
    "[simulation]\nduration = -1": "duration must be greater than zero",
    '[simulation]\nduration = "1 s"': "duration must be a number",
    "[simulation]\nduration = nan": "duration must be a finite number",
    "[simulation]\nduration = 1\nintegrator = 4": "integrator must be a text",
    "[simulation]\nduration = 1\ncoordinates = 4": "coordinates must be a text",
    '[simulation]\nduration = 1\ncoordinates = "relativ"': 'Did you mean "relative"',
    '[simulation]\nduration = 1\ncoordinates = "relative"\ncut = ["hing"]': 'there is no joint "hing"',
    '[simulation]\nduration = 1\nformulation = "indx1"': 'no formulation "indx1". Did you mean "index1"',
    '[simulation]\nduration = 1\nformulation = "index3"\nintegrator = "rk4"': (
        "With index3 use radau5, radau, gamd, sdirk, trapezoidal, bdf, ida, newmark, hht, generalized-alpha"
    ),
    "[simulation]\nduration = 1\nrho = 0.5\n": "rho",
    "": "Give --duration SECONDS",
}


@pytest.mark.parametrize("text", BAD_SETTINGS)
def test_bad_settings(bricard, model, text):
    model.write_text(PENDULUM_FILE + text)
    code, out, err = bricard("run", model, "--quiet")
    assert (code, out) == (2, "")
    assert BAD_SETTINGS[text] in err


BAD_MODELS = {
    PENDULUM_FILE.replace("mass = 1", "mass = -1"): "mass",
    PENDULUM_FILE.replace('"ground"', '"grund"'): 'Did you mean "ground"',
    PENDULUM_FILE.replace('["ground", "rod"]', '["rod", "rod"]'): "itself",
    PENDULUM_FILE.replace("axis = [0, 1, 0]", "axis = [0, 0, 0]"): "axis",
    PENDULUM_FILE.replace('"revolute"', '"revolut"'): 'Did you mean "revolute"',
    PENDULUM_FILE[:-30]: "not a valid TOML file",
    'name = "nothing"\n': "no bodies",
    PENDULUM_FILE.replace("end = [1, 0, 0]", "end = [nan, 0, 0]"): "finite",
}


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("text", BAD_MODELS)
def test_bad_models(bricard, model, text, command):
    model.write_text(text + (SIMULATION if "valid" not in BAD_MODELS[text] else ""))
    code, out, err = bricard(command, model)
    assert (code, out) == (2, "")
    assert BAD_MODELS[text] in err


def test_both_kinds_of_steps(bricard, model):
    code, _, err = bricard("run", model, "--step", 0.1, "--rtol", 1e-3)
    assert code == 2
    assert "not both" in err


def test_missing_model_file(bricard, tmp_path):
    code, _, err = bricard("run", tmp_path / "none.toml")
    assert (code, "none.toml: No such file" in err) == (2, True)


def test_output_that_is_a_file(bricard, model, tmp_path):
    (tmp_path / "taken").write_text("")
    code, _, err = bricard("run", model, "--output", tmp_path / "taken")
    assert (code, "taken" in err) == (2, True)


def test_unknown_command_and_option(bricard):
    assert bricard("simulate")[0] == 2
    assert bricard("list", "joint")[0] == 2
    assert bricard("run", "x.toml", "--stepp", "1")[0] == 2


FAILING = """
[forces.load]
type = "force"
body = "rod"
force = [0, 0, {profile = "polynomial", coefficients = [0, 1e300]}]
"""


def test_failed_run_keeps_the_older_result(bricard, model, tmp_path):
    bricard("run", model, "--output", tmp_path, "--quiet")
    before = (tmp_path / "my-pendulum.h5").read_bytes()
    model.write_text(PENDULUM_FILE + FAILING + SIMULATION)
    code, out, err = bricard("run", model, "--output", tmp_path, "--integrator", "rk4", "--quiet")
    assert (code, out) == (1, "")
    assert "stopped being finite" in err
    assert (tmp_path / "my-pendulum.h5").read_bytes() == before
    assert not br.Solution.load(tmp_path / "my-pendulum-partial.h5").ok


def test_failed_run_as_json(bricard, model):
    model.write_text(PENDULUM_FILE + FAILING + SIMULATION)
    code, out, _ = bricard("run", model, "--integrator", "rk4", "--json")
    assert (code, json.loads(out)["ok"]) == (1, False)


def test_interrupted_run_is_kept_apart(bricard, model, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    march = type("March", (), {"address": 0, "__call__": interrupted})()
    monkeypatch.setattr(sys.modules["bricard.simulation"], "march", march)
    code, _, err = bricard("run", model, "--output", tmp_path, "--quiet")
    assert (code, "Interrupted" in err) == (130, True)
    with h5py.File(tmp_path / "my-pendulum-partial.h5") as file:
        assert not file.attrs["ok"]


def test_bugs_are_one_line(bricard, model, monkeypatch):
    monkeypatch.setattr("bricard.system.report.report", lambda model: 1 / 0)
    monkeypatch.delenv("BRICARD_DEBUG", raising=False)
    code, out, err = bricard("check", model)
    assert (code, out) == (1, "")
    assert "ZeroDivisionError" in err
    assert "BRICARD_DEBUG=1" in err


def test_debugging_shows_the_traceback(model):
    environment = {**os.environ, "BRICARD_DEBUG": "1"}
    command = [sys.executable, "-m", "bricard.cli.main", "check", str(model.with_name("none.toml"))]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 2
    assert "Traceback" in result.stderr


def test_check_text_and_json(bricard, model):
    assert "degrees of freedom 1" in bricard("check", model)[1]
    assert json.loads(bricard("check", model, "--json")[1])["rank"] == 5


def test_check_of_a_loop_that_cannot_close(bricard, model):
    text = PENDULUM_FILE.replace(
        "[joints.A]", '[joints.B]\ntype = "distance"\nbodies = ["ground", "rod"]\nlength = 9\n'
    )
    text = text.replace("length = 9\n", "length = 9\npoint_a = [0, 0, 5]\npoint_b = [1, 0, 0]\n[joints.A]\n")
    model.write_text(text)
    code, out, err = bricard("check", model)
    assert (code, "NOT ASSEMBLED" in out, err != "") == (2, True, True)


FAMILIES = {
    "formulations": FORMULATIONS,
    "integrators": INTEGRATORS,
    "corrections": CORRECTIONS,
    "joints": JOINT_TYPES,
    "forces": FORCE_TYPES,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_list_is_complete(bricard, family):
    code, out, _ = bricard("list", family, "--json")
    rows = json.loads(out)
    assert code == 0
    assert [row["name"] for row in rows] == list(FAMILIES[family])
    assert all(row["title"] for row in rows)


@pytest.mark.parametrize("family", list(listing.Family))
def test_list_as_text(bricard, family):
    code, out, err = bricard("list", family.value)
    assert (code, bool(out or err)) == (0, True)


def test_cache(bricard, tmp_path, monkeypatch):
    monkeypatch.setenv("BRICARD_CACHE_DIR", str(tmp_path))
    (tmp_path / "numba-0.1").mkdir()
    for name in ("one.code", "two.code", "three.nbc"):
        (tmp_path / "numba-0.1" / name).write_bytes(bytes(1000))
    assert json.loads(bricard("cache", "--json")[1])["bytes"] == 3000
    told = json.loads(bricard("cache", "--limit", "1.5kB", "--json")[1])
    assert (told["deleted"], told["bytes"]) == (2, 1000)
    assert "deleted 1 files" in bricard("cache", "--clear")[1] and not list(tmp_path.rglob("*.*code"))
    for wrong in (["--limit", "many"], ["--limit", "-1MB"], ["--clear", "--limit", "1MB"]):
        code, _, told = bricard("cache", *wrong)
        assert code == 2 and "bricard cache" in told


def test_doctor(bricard):
    code, out, _ = bricard("doctor", "--json")
    found = json.loads(out)
    assert code == (1 if found["problems"] else 0)
    assert found["versions"]["bricard"] == br.__version__
    assert "folder" in found["cache"]


def test_version(bricard):
    assert bricard("--version")[:2] == (0, br.__version__ + "\n")


def test_no_colours_in_a_pipe(bricard, model, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in "".join(bricard("run", model)[1:])


@pytest.mark.slow
def test_warmup_leaves_nothing_to_compile(bricard):
    bricard("warmup")
    assert json.loads(bricard("warmup", "--json")[1])["compiled"] == 0


def test_compilation_is_timed():
    with Compiling() as compiling:
        assert numba.njit(lambda x: x + 1)(1) == 2
        assert numba.njit(lambda x: x + 2)(1) == 3
    assert compiling.count >= 2
    assert compiling.seconds > 0.0


@pytest.mark.slow
def test_a_cold_cache_is_announced(model, tmp_path):
    environment = {**os.environ, "BRICARD_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "bricard.cli.main", "check", str(model)]
    cold, warm = (subprocess.run(command, capture_output=True, text=True, env=environment, check=True) for _ in "12")
    assert cold.stderr.count("compiling") == 1
    assert warm.stderr == ""
    assert cold.stdout == warm.stdout


def test_figures_are_checked_before_an_experiment_runs(bricard, tmp_path, monkeypatch):
    from bricard.experiments import EXPERIMENTS, base

    def refuse():
        raise AssertionError("it must not run")

    for name in ("fox-goodwin", "costs"):
        monkeypatch.setitem(EXPERIMENTS, name, replace(EXPERIMENTS[name], run=refuse))
    wrong = {
        tmp_path / "figure.foo": ("fox-goodwin", "png, svg or pdf"),
        tmp_path / "none" / "figure.png": ("fox-goodwin", "there is no folder"),
        tmp_path / "figure.png": ("costs", "has no figure"),
    }
    for file, (name, words) in wrong.items():
        code, _, err = bricard("experiment", name, "--figure", file)
        assert code != 0 and words in " ".join(err.split())
    quick = base.Result(("x",), [{"x": 1.0}], (), lambda ax: ax.plot([0, 1], [0, 1]))
    monkeypatch.setitem(EXPERIMENTS, "fox-goodwin", replace(EXPERIMENTS["fox-goodwin"], run=lambda: quick))
    assert bricard("experiment", "fox-goodwin", "--figure", tmp_path / "figure.png")[0] == 0
    assert (tmp_path / "figure.png").stat().st_size > 0


def test_experiments_say_whether_they_have_a_figure(bricard):
    code, out, _ = bricard("list", "experiments", "--json")
    figures = {row["name"]: row["figure"] for row in json.loads(out)}
    assert code == 0 and figures["fox-goodwin"] and not figures["costs"]


def test_longest_step_from_the_command_line(bricard):
    code, out, _ = bricard("run", "pendulum", "--duration", 0.5, "--max-step", 0.01, "--json")
    assert code == 0 and json.loads(out)["steps"] >= 50
    code, _, err = bricard("run", "pendulum", "--duration", 0.5, "--step", 0.01, "--max-step", 0.01)
    assert code != 0 and "--max-step" in err
