"""Plots: the right curves with units on the axes, without a display and without touching pyplot."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import bricard as br
from bricard.plot.plots import MOST


@pytest.fixture(scope="module")
def solution():
    model = br.Model("arm")
    link = model.body("link", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("A", model.ground, link, point=(0, 0, 0), axis=(0, 1, 0))
    model.torsion("friction", "A", damping=0.1)
    return br.simulate(model, 1.0, rtol=1e-6)


def test_energy(solution):
    ax = solution.plot.energy()
    assert [line.get_label() for line in ax.get_lines()] == ["kinetic", "potential", "total", "start + work"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "energy (J)")


def test_constraints_are_logarithmic(solution):
    ax = solution.plot.constraints()
    assert ax.get_yscale() == "log"
    assert len(ax.get_lines()) == 3


def test_joint(solution):
    ax = solution.plot.joint("A")
    assert ax.get_ylabel() == "angle (rad)"
    assert np.array_equal(ax.get_lines()[0].get_ydata(), solution.joint("A"))


def test_joint_without_names_takes_all(solution):
    assert len(solution.plot.joint().get_lines()) == min(MOST, len(solution.channels))


def test_unknown_joint(solution):
    with pytest.raises(br.ModelError, match='no joint "B"'):
        solution.plot.joint("B")


def test_reaction_has_forces_and_moments(solution):
    ax = solution.plot.reaction("A")
    assert ax.get_ylabel() == "force (N)"
    assert ax.get_legend() is not None


def test_steps_of_an_adaptive_run(solution):
    ax = solution.plot.steps()
    assert f"{solution.counters['steps']} steps" in ax.get_title("left")


def test_steps_of_a_fixed_run(solution):
    ax = br.simulate(solution.system, 0.1, step=0.01).plot.steps()
    assert ax.get_lines()[0].get_ydata()[0] == pytest.approx(0.01)


@pytest.mark.parametrize("name", ["energy", "constraints", "joint", "steps"])
def test_given_axes_are_used(solution, name):
    ax = Figure().add_subplot()
    assert getattr(solution.plot, name)(ax=ax) is ax


def test_it_is_written_without_pyplot(solution, tmp_path):
    solution.plot.energy().figure.savefig(tmp_path / "energy.png")
    assert (tmp_path / "energy.png").read_bytes().startswith(b"\x89PNG")
    code = "import sys, bricard.plot.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
