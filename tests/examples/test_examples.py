"""Every example runs, and its own check of the physics holds."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import bricard as br

FOLDER = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return lambda name: importlib.import_module(name)


def test_the_examples_are_all_here():
    wanted = (
        "bricard_six_bar chain double_pendulum four_bar mjcf_leg pendulum rolling_disc rssr slider_crank spinning_top"
    )
    assert {*wanted.split(), "urdf_arm"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_example(example, name):
    assert example(name).check().ok


@pytest.mark.parametrize("name", NAMES)
def test_example_survives_toml(example, name, tmp_path):
    model = example(name).build()
    model.save(tmp_path / "model.toml")
    first, second = (m.build().start for m in (model, br.Model.load(tmp_path / "model.toml")))
    assert np.array_equal(first, second)


def test_four_bar_in_space_and_in_the_plane(example):
    build = example("four_bar").build
    space, plane = (br.simulate(build(planar=planar), 1.0, rtol=1e-10).joint("A") for planar in (False, True))
    assert np.abs(space - plane).max() < 1e-7
