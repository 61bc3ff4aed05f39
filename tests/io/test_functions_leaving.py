"""Systems given by their functions: their solutions leave as data, and come back with the system."""

import numpy as np
import pytest

import bricard as br
from bricard.io import results


def pendulum():
    """A point mass on a circle, in Cartesian coordinates."""
    return br.System.from_functions(
        np.eye(2),
        lambda t, q, v: np.array([0.0 * q[0], -9.81 + 0.0 * q[0]]),
        lambda t, q: np.array([0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0)]),
        q0=[1.0, 0.0],
        v0=[0.0, 0.0],
        name="circle",
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    solution = br.simulate(pendulum(), 0.1, step=0.01)
    path = tmp_path_factory.mktemp("functions") / "circle.h5"
    solution.save(path)
    return solution, path


def test_the_samples_come_back(saved):
    assert np.array_equal(br.Solution.load(saved[1]).q, saved[0].q)


def test_the_reason_is_given(saved):
    with pytest.raises(br.ModelError, match="its system was given by functions"):
        _ = br.Solution.load(saved[1]).constraint_errors


def test_the_system_can_be_given(saved):
    solution, path = saved
    loaded = results.load(path, model=pendulum())
    assert np.array_equal(loaded.constraint_errors.velocity, solution.constraint_errors.velocity)


def test_dataset_without_bodies(saved):
    data = saved[0].to_xarray()
    assert np.array_equal(data.q, saved[0].q)
    assert "position" not in data


def test_plots_without_joints(saved):
    assert saved[0].plot.energy().get_ylabel() == "energy (J)"
    with pytest.raises(br.ModelError, match="no joint coordinates"):
        saved[0].plot.joint()
