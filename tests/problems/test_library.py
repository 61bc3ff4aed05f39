"""Every problem of the library: its names, its start, the default of simulate(), its measures and references."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError
from bricard.problems import PROBLEMS

NAMES = """pendulum n-four-bar double-four-bar bricard flyball-governor andrews-testset andrews-iftomm slider-crank-thesis
slider-crank-rest slider-crank-peer bicycle four-bar-spring car-axis double-pendulum moving-pendulum driven-pendulum
stiff-double-pendulum spinning-top four-bar suspension shock-wave-chain parallelogram spatial-slider-crank stewart-platform rssr
bennett chain rolling-disc gyroscope""".split()
LONG = {"flyball-governor": 0.05, "stiff-double-pendulum": 0.05}  # stiff: a part of the span for the quick tests


def test_every_name_of_the_issue():
    assert set(NAMES) <= set(PROBLEMS)


@pytest.mark.parametrize("name", PROBLEMS)
def test_functions_of_their_names(name):
    assert getattr(br.problems, name.replace("-", "_")) is vars(PROBLEMS[name].model)["__wrapped__"]
    assert br.problems.get(name) is br.problems.get(name.replace("-", "_")) is PROBLEMS[name]


def test_unknown_problem():
    with pytest.raises(ModelError, match=r'There is no problem "bricrd"[.] Did you mean "bricard"[?]'):
        br.problems.get("bricrd")


@pytest.mark.parametrize("name", PROBLEMS)
def test_is_documented(name):
    problem = PROBLEMS[name]
    assert problem.title and problem.provenance and problem.outputs and problem.span > 0.0
    assert problem.references or problem.measures
    for reference in problem.references:
        assert (
            0.0 < reference.accuracy < 1e-5 and reference.provenance and reference.generator.startswith("references/")
        )
        assert set(reference.values) >= {output.name for output in problem.outputs}


def passes(name, share=1.0):
    """The default of simulate() at rtol = 1e-6 keeps the constraints and ends where it should."""
    problem = PROBLEMS[name]
    solution = problem.run(share * problem.span, rtol=1e-6)
    errors = solution.constraint_errors
    assert solution.ok
    assert errors.position.max() < 1e-8 and errors.velocity.max() < 1e-8
    for reference in problem.references:
        if reference.time == solution.t[-1] and not reference.options:
            assert problem.error(solution, reference) < 1e-3


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_default_passes(name):
    passes(name, LONG.get(name, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_the_default_passes_all_of_a_long_span(name):
    passes(name)


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if problem.measures and name not in LONG])
def test_the_default_is_acceptable(name):
    solution = PROBLEMS[name].run()
    for measure in PROBLEMS[name].measures:
        assert measure.value(solution) <= measure.bound


OPTIONS = [
    (name, reference.options)
    for name, problem in PROBLEMS.items()
    for reference in problem.references
    if reference.options
]


@pytest.mark.parametrize("name, options", OPTIONS)
def test_other_options_have_their_references(name, options):
    problem = PROBLEMS[name]
    reference = problem.reference(**options)
    solution = problem.run(reference.time, options=options, rtol=1e-9)
    assert problem.error(solution, reference) < 1e-6


@pytest.mark.parametrize(
    "name", [n for n, problem in PROBLEMS.items() if problem.references and not problem.singular and n not in LONG]
)
def test_tight_tolerances_reach_the_reference(name):
    problem = PROBLEMS[name]
    reference = problem.reference()
    solution = problem.run(reference.time, rtol=1e-10)
    assert problem.error(solution, reference) < max(1e-7, 10 * reference.accuracy)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("name", ["four-bar", "double-four-bar", "slider-crank-thesis", "slider-crank-rest"])
def test_tight_tolerances_pass_singular_positions(name, planar):
    problem = PROBLEMS[name]
    solution = problem.run(rtol=1e-10, options={"planar": planar})
    assert problem.error(solution, problem.reference()) < 1e-7
    assert any(event.kind == "singular" for event in solution.events)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("loops", [1, 2, 10])
def test_n_four_bars_move_as_one_pendulum(loops, planar):
    """Through the singular positions, against the equation of one pendulum."""
    from scipy.integrate import solve_ivp

    solution = br.simulate(br.problems.n_four_bar(loops, planar), 3.0, rtol=1e-8)
    J, S = (loops + 1) * (1 / 12 + 0.01**2 / 4 + 0.25) + loops, (loops + 1) / 2 + loops
    exact = solve_ivp(
        lambda t, y: [y[1], -9.81 * S / J * np.cos(y[0])], (0, 3.0), [np.pi / 2, -1.0], rtol=1e-12, atol=1e-12
    ).y[0, -1]
    assert np.allclose(solution.point("bar 0", (0.5, 0, 0))[-1, :2], [np.cos(exact), np.sin(exact)], rtol=0, atol=2e-5)


def test_a_solution_that_ends_elsewhere_is_not_compared():
    problem = PROBLEMS["pendulum"]
    with pytest.raises(ModelError, match="the solution ends at t = 1 s, the reference is for 10 s"):
        problem.error(problem.run(1.0), problem.reference())
    with pytest.raises(ModelError, match="has no reference for t = 10 s and the options"):
        problem.reference(planar=True)
    with pytest.raises(ModelError, match="has no reference for t = 2 s; it has 10 s"):
        problem.reference(2.0)


@pytest.mark.parametrize("name", ["andrews-testset", "bricard", "car-axis"])
def test_errors_do_not_depend_on_the_samples(name):
    """Sizes come with the references: start and end alone say little about them."""
    problem = PROBLEMS[name]
    few, many = (problem.error(problem.run(rtol=1e-6, output=n), problem.reference()) for n in (2, 1001))
    assert few == pytest.approx(many, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("moving-pendulum", {"case": "Q"}),
        ("double-pendulum", {"case": 3}),
        ("shock-wave-chain", {"masses": 1}),
        ("n-four-bar", {"loops": 0}),
        ("chain", {"links": 2.5}),
        ("four-bar", {"planar": "yes"}),
        ("bicycle", {"speed": float("nan")}),
    ],
)
def test_options_are_checked(name, options):
    with pytest.raises(ModelError, match=name):
        PROBLEMS[name].model(**options)


def test_references_are_those_of_the_span():
    for problem in PROBLEMS.values():
        assert problem.reference().time == problem.span
        assert all(set(reference.sizes) >= {o.name for o in problem.outputs} for reference in problem.references)


def test_a_tolerance_that_a_singular_position_cannot_meet_is_told():
    """Round-off rules near the singular position: with too tight a tolerance the run stops there, and says so."""
    solution = br.simulate(br.problems.n_four_bar(10), 2.0, rtol=1e-13, check=False)
    assert not solution.ok and "close to a singular one" in solution.status and "Loosen rtol" in solution.status
