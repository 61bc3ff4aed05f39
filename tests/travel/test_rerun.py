"""Provenance says how a result was made, so that rerun() makes it again: the same bits, or a sentence about what differs."""

import importlib
import inspect
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import travellers_functions as own
from test_results_stay import CHANGES, MODEL, SILENT
from travellers import by_functions, failed, mechanism, tangle

import bricard as br
from bricard.cli.main import main
from bricard.problems import PROBLEMS
from bricard.provenance import model_hash

RUNS = {
    "adaptive": {"rtol": 1e-6, "first_step": 1e-4, "max_step": 0.01},
    "fixed": {"step": 3e-3, "integrator": "rk4", "correction_every": 3, "correction_tolerance": (1e-9, 1e-7)},
    "implicit": {"formulation": "ggl", "integrator": "radau5", "rtol": 1e-5, "atol": 1e-4},
    "times": {"output": np.linspace(0.0, 0.07, 9), "breaks": [0.031], "energy": False},
    "interval": {"output": 0.02, "formulation": "baumgarte", "alpha": 3.0, "step": 0.005, "integrator": "euler"},
    "relative": {"coordinates": "relative", "output": np.int64(4)},
    "integer": {"output": 3, "integrator": "generalized-alpha", "step": 0.01},
}


def ended(*command):
    """The exit code of a command."""
    with pytest.raises(SystemExit) as found:
        main([str(word) for word in command])
    return found.value.code or 0


@pytest.mark.parametrize("run", RUNS)
def test_a_run_is_made_again_to_the_bit(run, tmp_path, capsys):
    """From memory, and by the command line from its file."""
    for seed in (1, 2, 4):
        solution = br.simulate(tangle(seed), 0.07, **RUNS[run])
        found = br.rerun(solution)
        assert found.same and not found.changed and str(found) == f"tangle {seed}: made again, the same bits."
        solution.save(tmp_path / "run.h5")
        assert ended("rerun", tmp_path / "run.h5", "--json", "-o", tmp_path / "again.h5") == 0
        told = json.loads(capsys.readouterr().out)
        assert told["same"] and told["difference"] == 0.0 and told["changed"] == {}
        assert np.array_equal(br.Solution.load(tmp_path / "again.h5").q, solution.q)


def test_all_arguments_are_recorded():
    """Those of simulate() itself: a new one that is not recorded ends here."""
    known = set(inspect.signature(br.simulate).parameters) - {"what", "progress", "check"}
    recorded = br.simulate(mechanism(), 0.01, output=2, max_step=0.005).provenance
    assert set(recorded["arguments"]) == known
    assert recorded["arguments"]["max_step"] == 0.005 and recorded["arguments"]["duration"] == 0.01
    for name in (
        "bricard",
        "python",
        "numpy",
        "scipy",
        "numba",
        "llvmlite",
        "blas",
        "system",
        "processor",
        "compiled for",
    ):
        assert recorded[name] and isinstance(recorded[name], str)
    json.dumps(recorded)


def test_parts_are_made_again_one_after_the_other(tmp_path):
    first = br.simulate(mechanism(), 0.05, output=4, triggers=br.Trigger("A", at=-0.1))
    second = br.simulate(first, 0.03, output=3, integrator="rk4", step=1e-3)
    third = br.simulate(second, 0.02, output=3, integrator="rk4", step=1e-3)
    third.save(tmp_path / "parts.h5")
    for solution, parts in ((first, 1), (second, 2), (third, 3), (br.Solution.load(tmp_path / "parts.h5"), 3)):
        assert solution.provenance["part"] == parts and len(solution.provenance.get("earlier", ())) == parts - 1
        found = br.rerun(solution)
        assert found.same and found.parts == parts
    assert "in 3 parts, the same bits" in str(br.rerun(third))


def test_triggers_are_made_again(tmp_path):
    """By a coordinate, by functions of a module; others have to be handed in."""
    named = [br.Trigger("A", at=-0.1, action=own.halved), br.Trigger(own.below, name="below", velocity=False)]
    solution = br.simulate(mechanism(), 0.1, output=4, triggers=named)
    solution.save(tmp_path / "run.h5")
    assert br.rerun(solution).same and br.rerun(br.Solution.load(tmp_path / "run.h5")).same
    unnamed = br.Trigger("A", at=-0.1, action=lambda t, q, v: 0.3 * v)
    solution = br.simulate(mechanism(), 0.1, output=4, triggers=unnamed)
    with pytest.raises(br.ModelError, match=r"action of trigger \"A\" cannot be imported .* triggers=\["):
        br.rerun(solution)
    assert br.rerun(solution, triggers=unnamed).same


def test_a_system_of_functions_and_a_run_that_failed_are_made_again():
    assert br.rerun(br.simulate(by_functions(), 0.1, output=4)).same
    again = br.rerun(failed().solution)
    assert again.same and not again.solution.ok


@pytest.mark.parametrize("size", [1e-9, 1e-5])
def test_a_difference_is_told_in_units_of_the_tolerance(size):
    solution = br.simulate(tangle(5), 0.1, output=5, rtol=1e-6)  # planar
    q = np.array(solution.q)
    column = 3
    q[2, column] += size * np.abs(q[:, column]).max()
    found = br.rerun(replace(solution, q=q))
    assert not found.same and found.difference == pytest.approx(size / 1e-6, rel=1e-3)
    assert found.where == f"b1.x at t = {solution.t[2]:.6g} s"
    assert "Nothing that is recorded differs" in str(found) and "rtol 1e-06" in str(found)


def test_other_samples_are_compared_in_between():
    solution = br.simulate(mechanism(), 0.1, output=200)
    sampled = [
        name for name in ("t", "q", "v", "turns", "totals", "own_a", "own_lam") if getattr(solution, name) is not None
    ]
    fewer = replace(solution, **{name: getattr(solution, name)[::2] for name in sampled})
    found = br.rerun(fewer)
    assert not found.same and 0.0 <= found.difference < 1e3


@pytest.mark.parametrize("name", ["numba", "numpy", "processor", "compiled for", "system"])
def test_what_differs_is_named(name):
    solution = br.simulate(tangle(5), 0.02, output=2)
    found = br.rerun(replace(solution, provenance=solution.provenance | {name: "0.1"}))
    assert found.same and list(found.changed) == [name] and f"(What differs: {name} 0.1, now " in str(found)


def test_a_function_that_has_changed_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(MODEL.replace("MODULE", "laws_that_change"), encoding="utf-8")
    law = "def law(t, x, xdot):\n    return -{} * x\n"
    try:
        for stiffness, code in (("3.0", 0), ("3.0000001", 1)):
            importlib.invalidate_caches()
            sys.modules.pop("laws_that_change", None)
            (tmp_path / "laws_that_change.py").write_text(
                law.format(stiffness) + "#" * len(stiffness), encoding="utf-8"
            )
            if not code:
                assert ended("run", "own.toml", "--output", ".", "-q") == 0
            capsys.readouterr()
            assert ended("rerun", "own.h5") == code
            text = " ".join(capsys.readouterr().out.split())
            assert ("function laws_that_change:law has changed" in text and " rtol (rtol 1e-08)" in text) == bool(code)
            assert ("the same bits" in text) == (not code)
    finally:
        sys.modules.pop("laws_that_change", None)


@pytest.mark.parametrize("change", CHANGES)
def test_the_hash_of_a_model_changes_with_its_mechanics(change):
    model = mechanism()
    before = model_hash(model.build())
    assert before == model_hash(mechanism().build())
    CHANGES[change](model)
    if change not in ("cleared", "replaced"):  # these cannot be built
        assert (model_hash(model.build()) == before) == (change in SILENT)


def test_another_model_is_told(tmp_path):
    solution = br.simulate(mechanism(), 0.05, output=3)
    solution.save(tmp_path / "run.h5")
    heavier = mechanism()
    heavier.gravity = (0, 0, -9.82)
    found = br.rerun(br.Solution.load(tmp_path / "run.h5", model=heavier))
    assert not found.same and "model has changed" in str(found) and found.difference > 1.0


def test_what_cannot_be_made_again_says_so():
    solution = br.simulate(mechanism(), 0.02, output=2)
    with pytest.raises(br.ModelError, match="was interrupted"):
        br.rerun(replace(solution, provenance=solution.provenance | {"interrupted": True}))
    old = {key: value for key, value in solution.provenance.items() if key != "arguments"}
    with pytest.raises(br.ModelError, match="does not say how it was made"):
        br.rerun(replace(solution, provenance=old))
    with pytest.raises(br.ModelError, match=r"takes a Solution"):
        br.rerun(mechanism())


def test_many_output_times_fit_into_a_file(tmp_path):
    solution = br.simulate(tangle(5), 0.05, output=np.linspace(0.0, 0.05, 6000), energy=False)
    solution.save(tmp_path / "run.h5")
    assert br.rerun(br.Solution.load(tmp_path / "run.h5")).same


def again(name, share):
    problem = PROBLEMS[name]
    solution = problem.run(share * problem.span, check=False)
    assert br.rerun(solution).same


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_begins_again_to_the_bit(name):
    again(name, 1e-3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bricard.errors.StiffSystem")  # the method of the problem is the question of others
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_is_made_again_to_the_bit(name):
    again(name, 1.0)
