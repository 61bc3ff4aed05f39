"""A run that fails says so, with name, time and step; it never returns numbers as if all were well."""

import re

import numpy as np
import pytest

import bricard.model as br
from bricard.errors import SimulationError
from bricard.simulation import simulate
from mechanisms import four_bar, pendulum

IMPLICIT = {
    "index3": {"formulation": "index3", "integrator": "generalized-alpha"},
    "ggl": {"formulation": "ggl", "integrator": "radau5"},
}
EXPLICIT = {
    "mass": {"formulation": "index1", "integrator": "rk4", "correction": "mass"},
    "none": {"formulation": "index1", "integrator": "rk4", "correction": "none"},
}
LOCK = 0.0329  # s, when the driven rocker comes to the end of its reach


def torn():
    """The rocker of a four-bar is driven beyond its reach: the loop tears."""
    model = four_bar(speed=None)
    model.drive("driver", "D", br.Polynomial((0.0, 6.0)))
    return model


def stiff():
    """A spring that a step of 0.1 s cannot follow."""
    model = pendulum()
    model.spring("stiff", model.ground, "bob", (2, 0, 0), (1, 0.2, 0.3), stiffness=1e12, length=0.5)
    return model


def failed(model, duration=1.0, **options):
    with pytest.raises(SimulationError) as caught:
        simulate(model, duration, **options)
    return caught.value


@pytest.mark.parametrize("method", list(IMPLICIT))
def test_torn_loop_is_reported_with_name_time_and_step(method):
    text = str(failed(torn(), step=0.005, **IMPLICIT[method]))
    assert float(re.search(r"t = ([\d.e+-]+) s", text).group(1)) == pytest.approx(LOCK, abs=5e-4)
    assert re.search(r"step \d+", text)
    assert re.search(r'(body|joint) "(crank|link|rocker|A|B|C|D|driver)"', text)


@pytest.mark.parametrize("method", list(EXPLICIT))
def test_stiff_spring_is_reported_with_time_and_step(method):
    text = str(failed(stiff(), step=0.1, **EXPLICIT[method]))
    assert re.search(r"t = ([\d.e+-]+) s", text)
    assert re.search(r"step \d+, h = [\d.e+-]+ s", text)


def test_error_carries_what_was_computed():
    error = failed(torn(), step=0.005, **IMPLICIT["index3"])
    solution = error.solution
    assert not solution.ok
    assert 0.02 <= solution.t[-1] <= LOCK
    assert np.isfinite(solution.q).all()


def test_kept_part_satisfies_the_constraints():
    solution = failed(torn(), step=0.005, **IMPLICIT["index3"]).solution
    assert solution.constraint_errors.position.max() <= 1e-8


@pytest.mark.parametrize("method", list(IMPLICIT))
def test_without_check_the_solution_carries_the_sentence(method):
    solution = simulate(torn(), 1.0, step=0.005, check=False, **IMPLICIT[method])
    assert not solution.ok
    assert solution.status == str(failed(torn(), step=0.005, **IMPLICIT[method]))


def test_steps_are_halved_before_giving_up():
    solution = simulate(torn(), 1.0, step=0.005, check=False, **IMPLICIT["index3"])
    assert solution.counters["rejected"] >= 12


def test_adaptive_run_does_not_pass_the_lock():
    solution = simulate(torn(), 1.0, rtol=1e-6, check=False)
    assert not solution.ok
    assert solution.t[-1] <= LOCK + 1e-4


def test_force_that_is_not_finite_is_no_result():
    model = pendulum()
    model.motor("M", "A", br.Polynomial((0.0, 0.0, 1e300, 1e300)))
    model.gravity = (0, 0, -9.81)
    solution = simulate(model, 1e5, step=1e3, check=False, formulation="index1", integrator="rk4")
    assert not solution.ok
