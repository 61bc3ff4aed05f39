"""Few samples: errors of angles do not depend on how many there are."""

import warnings

import numpy as np
import pytest

import bricard as br


@pytest.mark.parametrize("name", ["pendulum", "rssr", "slider-crank-peer", "andrews-testset"])
@pytest.mark.parametrize("last", [False, True])
def test_the_error_of_a_problem_does_not_depend_on_the_samples(name, last):
    problem = br.problems.get(name)
    end = problem.reference().time
    solution = problem.run(end, output=[end] if last else 2, rtol=1e-9)
    assert problem.error(solution, problem.reference()) < 1e-6


def spinning(planar, speed=20.0, axis=(0, 0, 1)):
    """A wheel that turns evenly; drawn turned by 2 rad."""
    model = br.Model("wheel", gravity=(0, 0, 0), planar=planar)
    turn = (np.cos(1.0), 0.0, 0.0, np.sin(1.0))
    model.body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0), rotation=turn)
    model.revolute("A", model.ground, "wheel", (0, 0, 0), axis)
    model.start(joint="A", velocity=speed)
    return model


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1)])
@pytest.mark.parametrize("output", [2, [3.0], [1.0, 2.0], 501])
def test_turns_in_the_plane_are_known_at_any_output(axis, output):
    solution = br.simulate(spinning(True, axis=axis), 3.0, output=output)
    assert np.abs(solution.joint("A") - 20.0 * solution.t).max() < 1e-6


@pytest.mark.parametrize("output", [2, [3.0], 501])
def test_turns_in_space_are_known_at_any_output(output):
    solution = br.simulate(spinning(False), 3.0, output=output)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.abs(solution.joint("A") - 20.0 * solution.t).max() < 1e-6


@pytest.mark.parametrize("output", [[[0.0, 1.0], [2.0, 3.0]], [1.0, 0.5], [1.0, 1.0]])
def test_output_times_that_are_no_row_of_rising_times_are_refused(output):
    with pytest.raises(br.ModelError, match="one row of numbers, each later"):
        br.simulate(spinning(True), 3.0, output=output)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("n-four-bar", {"loops": 2.5}, "loops must be an integer of at least 1, not 2.5"),
        ("n-four-bar", {"loops": 0}, "loops must be an integer"),
        ("n-four-bar", {"foo": 2}, 'Problem "n-four-bar" has no parameter "foo"; it has '),
        ("chain", {"links": 0}, "links must be an integer"),
        ("double-pendulum", {"case": "X"}, "there is no case 'X'. Known: A, B, C"),
    ],
)
def test_bad_options_of_a_problem_get_a_sentence(name, options, words):
    with pytest.raises(br.ModelError, match=words):
        br.problems.get(name).run(0.1, options=options)


@pytest.mark.parametrize(
    ("name", "values", "options", "words"),
    [
        ("rssr", (), {"foo": 2}, 'Problem "rssr" has no parameter "foo"; it has none.'),
        ("n-four-bar", (), {"loop": 2}, 'has no parameter "loop"; it has loops, planar. Did you mean "loops"?'),
        ("bennett", (1,), {}, 'Problem "bennett": too many positional arguments; it has none.'),
    ],
)
def test_parameters_that_a_problem_does_not_have_get_a_sentence(name, values, options, words):
    with pytest.raises(br.ModelError) as caught:
        br.problems.get(name).model(*values, **options)
    assert words in str(caught.value)
