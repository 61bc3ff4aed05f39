"""recommend(): what it names runs, reaches the accuracy it was asked for, and rests on figures that are stored."""

import numpy as np
import pytest

import bricard as br
from bricard.bench.recommend import GOALS, STIFF, measured, stiffness


@pytest.mark.parametrize("goal", GOALS)
def test_recommended_method_runs_and_is_accurate(goal):
    problem = br.problems.get("slider-crank-peer")
    found = br.recommend(problem.model(), accuracy=1e-6, goal=goal)
    solution = br.simulate(problem.model(), 1.0, **found.settings)
    fine = br.simulate(problem.model(), 1.0, formulation="index1", integrator="dop853", rtol=1e-11)
    assert np.abs(solution.point("crank")[-1] - fine.point("crank")[-1]).max() < 1e-6
    assert found.evidence and all(ratio >= 1.0 for ratio in found.evidence.values())


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("name", ["double-four-bar", "four-bar", "n-four-bar"])
def test_nothing_that_fails_on_any_problem_is_recommended(name, goal):
    options = {"loops": 2} if name == "n-four-bar" else {}
    found = br.recommend(br.problems.get(name).model(**options), goal=goal)
    entries = [
        problem["methods"].get(f"{found.formulation} + {found.integrator}")
        for problem in measured()["problems"].values()
    ]
    assert any(entries)
    assert not any(at >= 0.99e-10 for entry in entries if entry for at in entry["failed_at"])


def test_recommended_methods_pass_the_singular_position_of_the_four_bar():
    problem = br.problems.get("four-bar")
    solution = problem.run(**br.recommend(problem.model()).settings)
    assert solution.ok


def test_the_whole_library_is_measured():
    assert set(measured()["problems"]) == set(br.problems.PROBLEMS)


def test_what_is_not_measured_is_said():
    model = br.problems.get("slider-crank-peer").model()
    assert "Nothing is measured below 1e-08" in br.recommend(model, accuracy=1e-10).why
    why = br.recommend(model, accuracy=1e-6).why
    assert "Nothing is measured below" not in why and "Singular positions" in why and "never fails" not in why


def test_a_stiff_model_gets_an_implicit_method():
    model = br.problems.get("stiff-double-pendulum").model()
    assert stiffness(model.build()) > STIFF > stiffness(br.problems.get("four-bar-spring").model().build())
    found = br.recommend(model)
    assert found.integrator in ("radau", "radau5", "bdf", "gamd", "sdirk") and "stiff" in found.why


def test_numbers_of_numpy_are_numbers():
    model = br.problems.get("pendulum").model()
    assert br.recommend(model, accuracy=np.float32(1e-6)).integrator == br.recommend(model, accuracy=1e-6).integrator


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"goal": "sped"}, 'Did you mean "speed"'),
        ({"goal": ["speed"]}, "There is no goal"),
        ({"accuracy": 0.0}, "between 0 and 1"),
    ],
)
def test_bad_input_gets_a_sentence(keywords, words):
    with pytest.raises(br.ModelError, match=words):
        br.recommend(br.problems.get("pendulum").model(), **keywords)
