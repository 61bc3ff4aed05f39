"""Options and users' functions that make no sense: a sentence of ours, never an error of Python's or Numba's."""

import functools
import math
import os
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import bricard as br
from bricard.errors import IncompatibleMethods, ModelError, UserFunctionError
from mechanisms import pendulum

uncompiled = pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")


@pytest.mark.parametrize("option", ["formulation", "integrator", "correction"])
@pytest.mark.parametrize("value", [["svd"], {"rk4": 1}, 3])
def test_names_that_are_no_text(option, value):
    with pytest.raises(IncompatibleMethods, match=f"There is no {option}"):
        options: dict[str, Any] = {"formulation": "index1", option: value}
        br.simulate(pendulum(), 0.1, step=0.01, **options)


@pytest.mark.parametrize("value", [2.5, "many", True, 0])
def test_iterations_are_whole_numbers(value):
    with pytest.raises(ModelError, match="Option iterations of augmented-lagrangian is"):
        br.simulate(pendulum(), 0.1, step=0.01, formulation="augmented-lagrangian", iterations=value)
    br.simulate(pendulum(), 0.02, step=0.01, formulation="augmented-lagrangian", iterations=3)


def square(x):
    return x * x


def progressive(t, x, x_dot):
    return -3.0 * square(x)


def late(t):
    return t * t if t < 1.0 else 2.0 * t - 1.0


LIST, DICT, SPLINE = [3.0], {"k": 3.0}, CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])


def with_list(t, x, v):
    return -LIST[0] * x


def with_dict(t, x, v):
    return -DICT["k"] * x


def with_float(t, x, v):
    y = 2.0 * x
    return -float(y)


def with_library(t, x, v):
    return -SPLINE(x)


def with_gamma(t, x, v):
    return -math.gamma(2.0 + x)


def with_pair(t, x, v):
    return (-x, v) if x > 1e6 else -x


def with_misspelling(t, x, v):
    return -x if x < 1e6 else undefined * x  # noqa: F821


REFUSED = {
    with_list: 'global list "LIST". Make that a tuple',
    with_dict: 'global dict "DICT". Make that a tuple',
    with_float: r"float\(x\).*Leave float\(\) out",
    with_library: '"SPLINE", .*a table',
    with_gamma: "gamma, of which no derivative is known",
    with_pair: "",
    with_misspelling: '"undefined", which is not defined',
}


def drawn():
    model = br.Model("ball")
    model.body("ball", br.Sphere((1, 0, 0), 0.1, mass=1.0))
    return model


@pytest.mark.parametrize(("function", "what"), REFUSED.items(), ids=lambda x: getattr(x, "__name__", ""))
def test_functions_that_cannot_be_differentiated(function, what):
    """By name, line and remedy; only the branch that the start does not take is wrong in some of them."""
    model = drawn()
    if function.__code__.co_argcount == 4:
        model.joint("J", model.ground, "ball", function, rows=3)
    else:
        model.spring("S", model.ground, "ball", (0, 0, 0), (1, 0, 0), law=function)
    with pytest.raises(
        UserFunctionError, match=rf'^The function "{function.__name__}" \(test_bad_input.py, line \d+\).*{what}'
    ):
        model.build()


@uncompiled
def test_one_of_several_functions_is_named():
    def force(t, q, v):
        return np.array([square(q[0]), -q[1]])

    def phi(t, q):
        return np.array([q[0] - q[1]])

    with pytest.raises(
        UserFunctionError, match=r'^The function "force" \([^)]*\) cannot be compiled: it uses "square"'
    ):
        br.System.from_functions(np.eye(2), force, phi, q0=[1.0, 1.0], v0=[0.0, 0.0])


def test_a_callable_with_one_argument_too_many():
    model = drawn()
    model.spring("S", model.ground, "ball", (0, 0, 0), (1, 0, 0), law=functools.partial(progressive, 0.0))
    with pytest.raises(UserFunctionError, match=r'function of "S" fails when it is called: .*takes 3 positional'):
        model.build()


def test_tolerances_that_rounding_does_not_allow():
    for wrong in ({"rtol": 1e-20}, {"rtol": 1e-8, "atol": 1e-16}):
        with pytest.raises(ModelError, match="leaves no tolerance below 1e-14"):
            br.simulate(pendulum(), 0.1, **wrong)


@pytest.mark.parametrize(
    ("triggers", "breaks"), [(None, None), ([], np.int64(1)), ((), np.array([0.02, 0.03])), ((), {0.02})]
)
def test_nothing_and_numbers_of_all_kinds(triggers, breaks):
    assert br.simulate(pendulum(), 0.1, triggers=triggers, breaks=breaks).ok


def test_triggers_and_breaks_that_are_none():
    for wrong in (3, "A", [3]):
        with pytest.raises(ModelError, match="triggers must be a list"):
            br.simulate(pendulum(), 0.1, triggers=wrong)
    for wrong in ("x", object(), ["x"]):
        with pytest.raises(ModelError, match="breaks"):
            br.simulate(pendulum(), 0.1, breaks=wrong)
    with pytest.raises(IncompatibleMethods, match="does not take breaks"):
        br.simulate(pendulum(), 0.1, integrator="ida", breaks=np.array([0.01, 0.02]))


def test_a_step_is_never_longer_than_asked():
    """Where it does not divide the duration, the next smaller one that does is taken."""
    for duration, step, count in (
        (1.0, 0.7, 2),
        (1.0, 0.3, 4),
        (1.0, 0.1, 10),
        (0.3, 0.1, 3),
        (0.05, 1.0, 1),
        (0.07, 7e-6, 10_000),
    ):
        solution = br.simulate(pendulum(), duration, step=step, formulation="index1", integrator="rk4")
        assert solution.provenance["step"] == pytest.approx(duration / count, rel=1e-12)
        assert solution.counters["steps"] >= count


@pytest.mark.parametrize("integrator", ["dopri5", "bdf", "adams", "ida"])
def test_first_and_longest_step(integrator):
    if integrator == "ida":
        pytest.importorskip("sksundae")
    solution = br.simulate(pendulum(), 0.5, integrator=integrator, first_step=1e-6, max_step=0.004)
    steps = np.diff(solution.step_times, prepend=0.0)
    assert steps[0] == pytest.approx(1e-6, rel=1e-9)
    assert 0.0035 < steps.max() <= 0.004 * (1 + 1e-9)
    assert np.diff(br.simulate(pendulum(), 0.5, integrator=integrator).step_times).max() > 0.004


def test_first_and_longest_step_are_for_free_steps():
    for wrong in ({"max_step": 0.1}, {"first_step": 0.1}):
        with pytest.raises(IncompatibleMethods, match="first_step and max_step"):
            br.simulate(pendulum(), 0.5, step=0.1, **wrong)
    for wrong in ({"max_step": 0.0}, {"first_step": "short"}):
        with pytest.raises(ModelError, match=r"(first|max)_step is"):
            br.simulate(pendulum(), 0.5, **wrong)


def test_parameters_of_newmark():
    """None is the default; beta = 0 only where it can be stepped, with the order and limit of central differences there."""
    assert br.simulate(pendulum(), 0.1, step=0.01, integrator="newmark", gamma=None, beta=None).ok
    assert br.simulate(pendulum(), 0.1, step=0.01, integrator="newmark", gamma=1.5, beta=1.0).ok
    with pytest.raises(ModelError, match="explicit: that is central-difference"):
        br.simulate(pendulum(), 0.1, step=0.01, integrator="newmark", beta=0)
    exact = br.simulate(pendulum(), 0.5, rtol=1e-11).q[-1]
    errors = [
        np.abs(br.simulate(pendulum(), 0.5, step=h, integrator="null-space-newmark", beta=0.0).q[-1] - exact).max()
        for h in (0.01, 0.005)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert br.analysis.stability("null-space-newmark", beta=0.0).limit() == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize("how", [{"rtol": 1e-8}, {"step": 1e-3}, {"integrator": "rkf45", "rtol": 1e-10}])
def test_a_run_is_given_up_after_most_steps(how):
    """Attempts count, those that are rejected too; as many as it needs are enough."""
    whole = br.simulate(pendulum(), 0.5, **how)
    needed = whole.counters["steps"] + whole.counters["rejected"]
    assert br.simulate(pendulum(), 0.5, most_steps=needed, **how).t[-1] == 0.5
    with pytest.raises(br.SimulationError, match=r"Given up at t = .* most_steps allows") as caught:
        br.simulate(pendulum(), 0.5, most_steps=needed // 2, **how)
    counters = caught.value.solution.counters
    assert counters["steps"] + counters["rejected"] == needed // 2
    for wrong in (0, 1.5, True, "many"):
        with pytest.raises(ModelError, match="most_steps must be an integer"):
            br.simulate(pendulum(), 0.5, most_steps=wrong)
