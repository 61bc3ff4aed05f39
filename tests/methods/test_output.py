"""`output=` means what it says: so many samples, evenly spaced, start and end among them, with any step (T25, V14)."""

import numpy as np
import pytest

import bricard as br
from mechanisms import four_bar

STEPS = [{}, {"step": 1e-3}, {"step": 3e-3}, {"step": 2e-3}, {"step": 0.3, "integrator": "rk4"}]


@pytest.fixture(scope="module")
def system():
    return four_bar().build()


@pytest.mark.parametrize("count", [2, 3, 7, 501])
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_number_is_the_number_of_samples(system, step, count):
    t = br.simulate(system, 0.5, output=count, check=False, **step).t
    assert t.size == count and t[0] == 0.0 and t[-1] == 0.5
    np.testing.assert_allclose(np.diff(t), 0.5 / (count - 1), rtol=1e-12)


@pytest.mark.parametrize("count", [1, 0, -3])
def test_fewer_than_two_are_refused(system, count):
    with pytest.raises(br.ModelError, match=f"output is {count}: at least two samples"):
        br.simulate(system, 0.5, output=count)


def test_samples_on_the_grid_are_ends_of_steps(system):
    """No interpolation where a sample falls on the end of a step: the same bits as from a run that shows every step."""
    every, some = (br.simulate(system, 0.1, step=1e-3, output=n) for n in (101, 11))
    assert np.array_equal(every.q[::10], some.q)


def test_samples_between_the_steps_have_the_accuracy_of_the_method(system):
    exact = br.simulate(system, 0.1, rtol=1e-12, output=8)
    errors = [
        np.abs(br.simulate(system, 0.1, step=h, output=8, integrator="rk4").q - exact.q).max() for h in (2e-3, 1e-3)
    ]
    assert errors[0] < 1e-7 and errors[1] < errors[0] / 6.0  # order 3 at least


def test_a_run_that_goes_on_has_its_samples_behind_the_ones_before(system):
    whole = br.simulate(br.simulate(system, 0.1, output=3), 0.1, output=3)
    np.testing.assert_allclose(whole.t, [0.0, 0.05, 0.1, 0.15, 0.2], rtol=1e-12)
