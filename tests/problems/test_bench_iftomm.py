"""`bricard bench iftomm`: rows, bounds, published entries; and the commands that take the name of a problem."""

import json

import pytest

from bricard.bench.iftomm import ENTRIES, iftomm
from bricard.cli.main import app
from bricard.errors import ModelError
from bricard.problems import PROBLEMS

KEYS = {"problem", "formulation", "integrator", "step_or_tolerance", "error", "bound", "acceptable", "cpu_s"}
BOUNDS = {"pendulum": 5e-5, "double-four-bar": 0.1, "n-four-bar": 0.1, "andrews-testset": 1e-5, "andrews-iftomm": 1e-5}
BOUNDS |= {"bricard": 1e-3, "slider-crank-thesis": 1e-3, "slider-crank-rest": 1e-3, "flyball-governor": 1e-3}


def bench(runner, *arguments):
    result = runner.invoke(app, ["bench", "iftomm", *arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def runner():
    from typer.testing import CliRunner

    return CliRunner()


def test_rows_of_some_problems(runner):
    rows = json.loads(bench(runner, "pendulum", "bricard", "four-bar-spring", "--json").stdout)
    assert {row["problem"] for row in rows} == {"pendulum", "bricard", "four-bar-spring"}
    for row in rows:
        assert row.keys() >= KEYS and row["acceptable"] and row["error"] <= row["bound"] and row["cpu_s"] > 0.0
        assert row["machine"]["processor"] and row["machine"]["numba"]
    published = {row["problem"]: row["published"] for row in rows}
    assert published["four-bar-spring"] == []
    assert {entry["processor"] for entry in published["bricard"]} >= {"Intel i7-3770", "AMD Ryzen 5 2600"}


def test_table(runner):
    text = bench(runner, "bricard").stdout
    assert "index1 + dopri5" in text and "H. Uriarte: null-space Newmark" in text and "Intel i5-4570" in text


def test_bounds_are_those_of_the_library():
    assert {entry.problem for entry in ENTRIES} == set(BOUNDS)
    for name, bound in BOUNDS.items():
        assert PROBLEMS[name].measures[0].bound == bound


def test_a_run_beyond_its_bound_is_not_acceptable(monkeypatch):
    from bricard.bench import iftomm as module

    monkeypatch.setattr(module, "ENTRIES", (module.Entry("A01", "pendulum", {"rtol": 1e-2}),))
    result = iftomm(("pendulum",))
    assert not result.acceptable and result.rows[0]["error"] > 5e-5


def test_a_problem_that_is_not_in_the_benchmark_is_refused():
    with pytest.raises(ModelError, match=r'"double-pendulum" is not a problem of this benchmark.*It has pendulum'):
        iftomm(("double-pendulum",))


@pytest.mark.slow
def test_the_whole_library_is_acceptable():
    result = iftomm()
    assert result.acceptable, [row for row in result.rows if not row["acceptable"]]
    assert {row["problem"] for row in result.rows} == {*BOUNDS, "bicycle", "four-bar-spring"}


def test_run_and_check_take_the_name_of_a_problem(runner):
    result = runner.invoke(app, ["run", "double-four-bar", "--duration", "0.2", "--rtol", "1e-6", "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 0 and found["ok"] and found["t"] == 0.2 and found["model"] == "double four-bar"
    result = runner.invoke(app, ["check", "bennett", "--json"])
    assert json.loads(result.stdout)["freedom"] == 1


def test_problems_are_listed(runner):
    rows = json.loads(runner.invoke(app, ["list", "problems", "--json"]).stdout)
    assert [row["name"] for row in rows] == list(PROBLEMS)
    andrews = next(row for row in rows if row["name"] == "andrews-testset")
    assert andrews["references"][-1]["values"]["beta"].startswith("15.8107711951537070971")
    assert andrews["measures"][0]["bound"] == 1e-5 and andrews["citations"]
