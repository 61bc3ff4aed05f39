"""Solutions in HDF5 files: exact round trip, data without a model, damaged files, nothing half-written."""

import os
import sys

import h5py
import numpy as np
import pytest
from machines import crane, solved

import bricard as br
from bricard.io import results

ARRAYS = ("t", "q", "v", "own_a", "own_lam", "step_times", "turns")
WORDS = ("ok", "status", "counters", "events", "seconds", "provenance", "name")


@pytest.fixture(scope="module", params=["adaptive", "fixed"])
def pair(request, tmp_path_factory):
    solution = solved() if request.param == "adaptive" else solved(step=0.01)
    path = tmp_path_factory.mktemp("results") / "crane.h5"
    solution.save(path)
    return solution, br.Solution.load(path)


@pytest.mark.parametrize("key", ARRAYS)
def test_arrays_are_exact(pair, key):
    saved, loaded = (getattr(solution, key) for solution in pair)
    assert (saved is None) == (loaded is None)
    assert saved is None or np.array_equal(saved, loaded)


@pytest.mark.parametrize("key", WORDS)
def test_words_are_exact(pair, key):
    assert getattr(pair[0], key) == getattr(pair[1], key)


@pytest.mark.parametrize("key", ["t", "q", "v", "a", "lam", "turn"])
def test_end_state_is_exact(pair, key):
    assert np.array_equal(getattr(pair[0].end, key), getattr(pair[1].end, key))


def test_what_follows_from_the_model_is_exact(pair):
    saved, loaded = pair
    assert np.array_equal(saved.energy.work, loaded.energy.work)
    assert np.array_equal(saved.joint("hook"), loaded.joint("hook"))
    assert np.array_equal(saved.reaction("hook").force, loaded.reaction("hook").force)


def test_a_loaded_solution_can_be_continued(pair):
    saved, loaded = (br.simulate(solution, 0.5, step=0.01) for solution in pair)
    assert np.array_equal(saved.q, loaded.q)


def with_local_function():
    model = crane()
    model.motor("local", "rail", lambda t, x, xdot: -0.1 * xdot)
    return model


@pytest.fixture(scope="module")
def without_model(tmp_path_factory):
    solution = br.simulate(with_local_function(), 0.1, step=0.01)
    path = tmp_path_factory.mktemp("results") / "local.h5"
    solution.save(path)
    return solution, path


def test_data_without_model_keeps_the_samples(without_model):
    solution, path = without_model
    assert np.array_equal(br.Solution.load(path).q, solution.q)


@pytest.mark.parametrize("use", ["energy", "poses", "channels", "a"])
def test_data_without_model_says_why(without_model, use):
    loaded = br.Solution.load(without_model[1])
    with pytest.raises(br.ModelError, match=r"without its model: .*local.*cannot be imported by name.*model=\.\.\."):
        getattr(loaded, use)


def test_data_without_model_can_be_saved_again(without_model, tmp_path):
    loaded = br.Solution.load(without_model[1])
    loaded.save(tmp_path / "again.h5")
    assert np.array_equal(br.Solution.load(tmp_path / "again.h5").v, loaded.v)


def test_the_model_can_be_given(without_model):
    solution, path = without_model
    loaded = results.load(path, model=with_local_function())
    assert np.array_equal(loaded.energy.kinetic, solution.energy.kinetic)


def test_another_model_is_refused(without_model):
    other = crane()
    other.body("more", br.Sphere((0, 0, 5), 0.1, mass=1.0))
    with pytest.raises(br.FileFormatError, match="belong to another model"):
        results.load(without_model[1], model=other)


def test_functions_are_found_beside_the_file(tmp_path, monkeypatch):
    (tmp_path / "engines.py").write_text("def brake(t, x, xdot):\n    return -0.1 * xdot\n")
    with monkeypatch.context() as path:
        path.syspath_prepend(tmp_path)
        model = crane()
        model.motor("brake", "rail", "engines:brake")
        solution = br.simulate(model, 0.1, step=0.01)
        solution.save(tmp_path / "result.h5")
    assert np.array_equal(br.Solution.load(tmp_path / "result.h5").energy.work, solution.energy.work)
    (tmp_path / "engines.py").unlink()
    monkeypatch.delitem(sys.modules, "engines")
    with pytest.raises(br.UserFunctionError, match=r"result\.h5.*engines.*Put the module beside the file"):
        br.Solution.load(tmp_path / "result.h5")


@pytest.fixture
def file(pair, tmp_path):
    path = tmp_path / "result.h5"
    pair[0].save(path)
    return path


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.99])
def test_truncated_file(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(
        br.FileFormatError, match=r"result\.h5: this is not a complete HDF5 file.*run the simulation again"
    ):
        br.Solution.load(file)


def test_damaged_samples(file):
    with h5py.File(file) as content:
        offset = content["q"].id.get_chunk_info(0).byte_offset
    damaged = bytearray(file.read_bytes())
    damaged[offset + 20] ^= 0xFF
    file.write_bytes(damaged)
    with pytest.raises(br.FileFormatError, match=r"result\.h5"):
        br.Solution.load(file)


def test_file_of_another_kind(tmp_path):
    (tmp_path / "text.h5").write_text("not HDF5")
    with pytest.raises(br.FileFormatError, match=r"text\.h5"):
        br.Solution.load(tmp_path / "text.h5")


def test_hdf5_file_of_others(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as content:
        content["t"] = [1.0, 2.0]
    with pytest.raises(br.FileFormatError, match="not written by bricard"):
        br.Solution.load(tmp_path / "other.h5")


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        br.Solution.load(tmp_path / "nothing.h5")


def test_newer_format(file):
    with h5py.File(file, "r+") as content:
        content.attrs["version"] = 99
    with pytest.raises(br.FileFormatError, match=r"version 99.*update bricard"):
        br.Solution.load(file)


@pytest.mark.parametrize("name", ["v", "end", "events"])
def test_missing_parts(file, name):
    with h5py.File(file, "r+") as content:
        del content[name]
    with pytest.raises(br.FileFormatError, match=name):
        br.Solution.load(file)


def test_wrong_shape(file):
    with h5py.File(file, "r+") as content:
        del content["v"]
        content["v"] = np.zeros((3, 2))
    with pytest.raises(br.FileFormatError, match=r"v has the shape \(3, 2\)"):
        br.Solution.load(file)


def test_an_older_file_survives_a_failed_save(file, pair, monkeypatch):
    before = file.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        pair[0].save(file)
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(("name", "words"), [("x.csv", "--csv"), ("x.CSV", "--csv"), ("a.b.parquet", "--parquet")])
def test_a_name_of_another_format_is_refused(tmp_path, name, words):
    with pytest.raises(br.ModelError, match=f"save\\(\\) writes HDF5.*{words}"):
        br.simulate(crane(), 0.01, step=0.005).save(tmp_path / name)
    assert not list(tmp_path.iterdir())
