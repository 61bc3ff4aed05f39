"""recommend(): what it names runs, reaches the accuracy it was asked for, and rests on figures that are stored."""

import numpy as np
import pytest

import bricard as br
from bricard.bench.recommend import GOALS, measured


@pytest.mark.parametrize("goal", GOALS)
def test_recommended_method_runs_and_is_accurate(goal):
    problem = br.problems.get("slider-crank-peer")
    found = br.recommend(problem.model(), accuracy=1e-6, goal=goal)
    solution = br.simulate(problem.model(), 1.0, **found.settings)
    fine = br.simulate(problem.model(), 1.0, formulation="index1", integrator="dop853", rtol=1e-11)
    assert np.abs(solution.point("crank")[-1] - fine.point("crank")[-1]).max() < 1e-6
    assert found.evidence and all(ratio >= 1.0 for ratio in found.evidence.values())


def test_nothing_that_fails_on_a_similar_problem_is_recommended():
    found = br.recommend(br.problems.get("double-four-bar").model())
    name = f"{found.formulation} + {found.integrator}"
    for problem in found.evidence:
        assert not measured()["problems"][problem]["methods"][name]["failed"]


@pytest.mark.parametrize(
    ("keywords", "words"), [({"goal": "sped"}, 'Did you mean "speed"'), ({"accuracy": 0.0}, "between 0 and 1")]
)
def test_bad_input_gets_a_sentence(keywords, words):
    with pytest.raises(br.ModelError, match=words):
        br.recommend(br.problems.get("pendulum").model(), **keywords)
