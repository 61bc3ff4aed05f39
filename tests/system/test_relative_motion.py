"""Relative against absolute coordinates on every example and problem: same motion, energy, reactions, events, files, report."""

import importlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import bricard as br
from bricard.problems import PROBLEMS
from mechanisms import four_bar
from trees import forest, meadow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
SPAN, RTOL = 0.3, 1e-10
REACTIONS = 1e-6  # of the largest load of a joint: what tolerance and stiffness leave
ROUNDING = 1e-11  # of the largest load of the mechanism: what cancels in joints that carry nothing


def model_of(name):
    if name in PROBLEMS:
        return PROBLEMS[name].model()
    return importlib.import_module(name).build()


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)


@cache
def runs(name):
    """The same motion in both coordinates."""
    model = model_of(name)
    span = min(PROBLEMS[name].span if name in PROBLEMS else SPAN, SPAN)
    return [br.simulate(model, span, coordinates=kind, rtol=RTOL, output=12) for kind in ("absolute", "relative")]


def bodies(name):
    return [name for name, problem in PROBLEMS.items() if isinstance(problem.model(), br.Model)]


MECHANISMS = NAMES + bodies(PROBLEMS)


@pytest.mark.parametrize("name", MECHANISMS)
def test_same_motion(name):
    absolute, relative = runs(name)
    assert relative.system.coordinates == "relative"
    for body in absolute.system.model.bodies:
        (x, R), (y, Q) = absolute.poses[body], relative.poses[body]
        assert np.abs(x - y).max() < 1e-7 * max(1.0, absolute.system.length)
        assert np.abs(R - Q).max() < 1e-6
        assert np.abs(absolute.velocity(body) - relative.velocity(body)).max() < 1e-5 * (
            1 + np.abs(absolute.velocity(body)).max()
        )


@pytest.mark.parametrize("name", MECHANISMS)
def test_same_energy(name):
    absolute, relative = runs(name)
    size = 1.0 + np.abs(absolute.energy.total).max()
    for part in ("kinetic", "potential"):
        assert np.abs(getattr(absolute.energy, part) - getattr(relative.energy, part)).max() < 1e-6 * size


@pytest.mark.parametrize("name", MECHANISMS)
def test_same_reactions_in_all_joints(name):
    """Those of the tree too, and of redundant ones the same choice. A joint is judged by the largest load that it carries itself;
    where it carries nothing, by rounding in the largest load of the mechanism."""
    absolute, relative = runs(name)
    length = absolute.system.length
    with_rows = {row.joint for row in absolute.system.rows}
    joints = [joint for joint in absolute.system.model.joints if joint in with_rows]
    loads = {
        joint: (wrench(absolute.reaction(joint), length), wrench(relative.reaction(joint), length)) for joint in joints
    }
    largest = max((np.abs(load).max() for load, _ in loads.values()), default=0.0)
    for joint, (load, other) in loads.items():
        scale = np.abs(load).max()
        assert np.abs(load - other).max() <= REACTIONS * scale + ROUNDING * largest, joint
        assert absolute.reaction(joint).unique == relative.reaction(joint).unique, joint


def wrench(reaction, length):
    """Force and moment (n, 6) in N, moments divided by the characteristic length."""
    return np.concatenate([reaction.force, reaction.moment / length], axis=1)


@pytest.mark.parametrize("kind", [0, 1])
def test_a_reaction_that_vanishes_by_symmetry_is_rounding(kind):
    """The guide of the flyball governor keeps the slider on its axis, where the two couplers balance: no force. Their springs of
    8e5 N/m round to 1e-10 N, in either coordinates another number; what the guide does carry is a moment of 0.02 N m."""
    run = runs("flyball-governor")[kind]
    assert np.abs(run.reaction("H1").force).max() > 100.0
    assert np.abs(run.reaction("S").force).max() < 1e-9
    assert np.abs(run.reaction("S").moment).max() > 0.01


@pytest.mark.parametrize("name", ["bricard", "four_bar", "rssr"])
def test_fewer_unknowns(name):
    absolute, relative = (run.system for run in runs(name))
    assert relative.n_v < absolute.n_v
    assert relative.n_rows < absolute.n_rows


def test_singular_positions_are_passed():
    """The double four-bar, in line twice on the way."""
    model = PROBLEMS["double-four-bar"].model()
    absolute, relative = (
        br.simulate(model, 3.0, coordinates=kind, rtol=1e-10, output=32) for kind in ("absolute", "relative")
    )
    assert np.abs(relative.energy.error).max() < 1e-6
    assert np.abs(relative.point("top 1") - absolute.point("top 1")).max() < 1e-6


@pytest.mark.parametrize("make", [forest, meadow])
def test_all_kinds_of_joints(make):
    absolute, relative = (
        br.simulate(make(), 1.0, coordinates=kind, rtol=1e-10, output=12) for kind in ("absolute", "relative")
    )
    for body in absolute.system.model.bodies:
        assert np.abs(absolute.point(body) - relative.point(body)).max() < 1e-6


def test_the_loop_multipliers_are_those_of_the_cut_joint():
    """Without redundancy the multipliers of the loop are the same numbers as in absolute coordinates."""
    model = four_bar(planar=True)
    absolute, relative = (
        br.simulate(model, 0.5, coordinates=kind, rtol=1e-11, output=7) for kind in ("absolute", "relative")
    )
    rows = [i for i, row in enumerate(absolute.system.rows) if row.joint in {row.joint for row in relative.system.rows}]
    assert np.abs(absolute.lam[:, rows] - relative.lam).max() < 1e-7 * np.abs(relative.lam).max()


def test_channels_and_turns():
    model = four_bar()
    absolute, relative = (
        br.simulate(model, 3.0, coordinates=kind, rtol=1e-10, output=302) for kind in ("absolute", "relative")
    )
    for channel in absolute.channels:
        assert np.abs(absolute.joint(channel) - relative.joint(channel)).max() < 1e-6
    assert absolute.channels == relative.channels
    assert abs(relative.joint("A")[-1]) > 2 * np.pi


def test_between_samples_and_going_on():
    model = four_bar()
    half = br.simulate(model, 0.2, coordinates="relative", rtol=1e-10, output=42)
    whole = br.simulate(half, 0.2, rtol=1e-10, output=42)
    exact = br.simulate(model, 0.4, rtol=1e-10, output=3)
    assert np.abs(whole.point("link")[-1] - exact.point("link")[-1]).max() < 1e-8
    state = whole.at(0.2013)
    assert np.abs(state.q - np.array([np.interp(0.2013, whole.t, column) for column in whole.q.T])).max() < 1e-3


def test_saving_and_loading(tmp_path):
    model = four_bar()
    solution = br.simulate(model, 0.1, coordinates="relative", rtol=1e-9, output=4)
    solution.save(tmp_path / "run.h5")
    loaded = br.Solution.load(tmp_path / "run.h5")
    assert loaded.system.coordinates == "relative"
    assert np.array_equal(loaded.q, solution.q)
    assert np.array_equal(loaded.reaction("B").force, solution.reaction("B").force)
    cut = br.simulate(model.build(coordinates="relative", cut="A"), 0.1, rtol=1e-9, output=4)
    cut.save(tmp_path / "cut.h5")
    assert br.Solution.load(tmp_path / "cut.h5").system.cut == ("A",)


def test_dataset_has_bodies():
    solution = br.simulate(four_bar(), 0.1, coordinates="relative", rtol=1e-8, output=4)
    assert solution.to_xarray().sizes["body"] == 3


def test_drivers_turn_counted_angles_on():
    """A driven crank makes whole turns."""
    model = four_bar()
    model.wishes.clear()
    model.drive("drive", "A", br.Polynomial((0.0, -9.0)))
    solution = br.simulate(model, 1.5, coordinates="relative", rtol=1e-9, output=152)
    assert abs(solution.joint("A")[-1] + 13.5) < 1e-8


def test_the_report_shows_tree_and_cut_joints():
    report = four_bar().report(coordinates="relative")
    assert report.tree == {"crank": ("ground", "A"), "link": ("crank", "B"), "rocker": ("ground", "D")}
    assert report.cut == ["C"]
    assert (report.velocities, report.rows, report.freedom) == (3, 5, 1)
    text = str(report)
    assert "relative coordinates: 3 joints in the tree, 1 cut" in text
    assert "ground -[A]- crank -[B]- link" in text
    assert "cut: C" in text


def test_the_report_counts_free_bodies_and_drives_apart():
    model = four_bar()
    model.drive("motor", "A", br.Sine(0.1, 1.0))
    model.body("stone", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.body("kite", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.free("F", "stone", "kite", (0, 0, 0))
    report = model.report(coordinates="relative")
    assert (report.cut, report.conditions) == (["C"], ["motor"])
    text = str(report)
    assert "relative coordinates: 3 joints in the tree, 1 cut, 2 free bodies, 1 drives, gears or rolling" in text
    assert "cut: C\n    drives, gears or rolling: motor" in text


def test_the_report_without_them():
    assert four_bar().report().tree is None
