"""Files with faults: a sentence of ours and the code 2, soon and in little memory; never a traceback, a crash or a hang (T23).

Thousands of them: `python -m lab.faults files N --seed S`.
"""

import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import bricard as br
from bricard.io import toml
from bricard.io.content import DEEPEST, check_depth
from bricard.io.sealing import is_sealed
from lab.faults import bombs, files, seeds
from lab.faults.mutations import toml_text


@pytest.fixture(scope="module")
def opener():
    """A process that opens files and may be lost."""
    with files.Opener() as found:
        yield found


@pytest.mark.parametrize("name", bombs.BOMBS)
def test_what_asks_for_too_much_is_refused(opener, tmp_path, name):
    found = opener.open(bombs.make(name, tmp_path))
    assert found["outcome"] == "refused", found


@pytest.mark.parametrize("name", bombs.LARGE)
def test_what_is_only_large_is_read(opener, tmp_path, name):
    found = opener.open(bombs.make(name, tmp_path))
    assert found["outcome"] == "fine", found


@pytest.mark.parametrize("kind", seeds.FORMATS)
def test_the_files_that_are_damaged_are_whole(opener, tmp_path, kind):
    for text in [seeds.result()] if kind == "h5" else seeds.texts(kind):
        file = tmp_path / f"whole.{kind}"
        file.write_bytes(text)
        assert opener.open(file)["outcome"] == "fine"


def faults(kind, count, seed):
    with tempfile.TemporaryDirectory() as folder:
        records = files.run(count, seed, Path(folder) / "records.jsonl", (kind,))
    assert len(records) == count and sum(record["outcome"] == "refused" for record in records) > count / 3
    return [record for record in records if record["outcome"] in files.FAULTS]


@pytest.mark.parametrize(("kind", "count"), [("toml", 120), ("urdf", 120), ("xml", 120), ("h5", 12)])
def test_damaged_files_are_refused_with_a_sentence(kind, count):
    assert not faults(kind, count, 20)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("toml", 2000), ("urdf", 2000), ("xml", 2000), ("h5", 200)])
def test_thousands_of_damaged_files_are_refused_with_a_sentence(kind, count):
    assert not faults(kind, count, 21)


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_of_a_result_is_told(tmp_path, bit):
    """Of every byte, as far as it is hashed; of the seal itself too."""
    whole, file = seeds.result(), tmp_path / "r.h5"
    for at in [*np.random.default_rng(bit).integers(0, len(whole), 20), len(whole) - 1, len(whole) - 33]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << bit
        file.write_bytes(damaged)
        if at < len(whole) - 72:  # else the seal is none, and the file is read without it
            with pytest.raises(br.FileFormatError, match="bytes of this file have changed"):
                br.Solution.load(file)


def test_a_result_that_another_program_has_changed_is_read(tmp_path):
    file = tmp_path / "r.h5"
    file.write_bytes(seeds.result())
    assert is_sealed(file)
    with h5py.File(file, "r+") as content:
        content.attrs["remark"] = "mine"
    assert not is_sealed(file) and br.Solution.load(file).ok


def test_reading_that_does_not_end_is_ended(tmp_path, monkeypatch):
    from bricard.io import sealing

    file = tmp_path / "r.h5"
    file.write_bytes(seeds.result()[:-100])
    monkeypatch.setattr(sealing, "REHEARSAL", "while True: pass")
    monkeypatch.setattr(sealing, "PATIENCE", 0.5)
    with pytest.raises(br.FileFormatError, match="did not end"):
        br.Solution.load(file)
    monkeypatch.setattr(sealing, "REHEARSAL", "import os; os.abort()")
    monkeypatch.setattr(sealing, "PATIENCE", 60.0)
    with pytest.raises(br.FileFormatError, match="ended the process"):
        br.Solution.load(file)


def test_depths_are_counted_as_toml_means_them():
    """Brackets and dots in texts and comments count for nothing; our own limit is kept exactly."""
    for harmless in (
        'a = "' + "[" * 99 + '"',
        "# " + "[." * 99,
        "a = '''" + "[.\n" * 99 + "'''",
        'a = """' + '\\"[' * 99 + '"""',
    ):
        check_depth(harmless, "file")
    check_depth("a = [1.5" + ", 2.5" * 99 + "]", "file")
    for many, allowed in ((DEEPEST, True), (DEEPEST + 1, False)):
        for text in (
            "a = " + "[" * many + "]" * many,
            "a." * many + "a = 1",
            "x = {a = " + "[" * (many - 1) + "]" * (many - 1) + "}",
        ):
            if allowed:
                check_depth(text, "file")
            else:
                with pytest.raises(br.FileFormatError, match="line 1: more than 64"):
                    check_depth(text, "file")


def test_a_row_of_parameters_in_reverse_is_refused_or_computed(tmp_path):
    """Each refers to the next one, deeper than Python can follow."""
    table = {f"p{k}": f"${{p{k + 1}}}" for k in range(5000)} | {"p5000": 1.0}
    with pytest.raises(br.FileFormatError, match="cannot be computed"):
        toml.loads(toml_text({"parameters": table}), tmp_path / "m.toml")
