"""A cache never stops a run: environments in which code cannot be kept, damaged files, other versions, several processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bricard.compiled.cache_folder as cache_folder
from bricard.compiled.cache_folder import CODE, CacheFolder, contents, shrink

PROGRAM = """
import resource, sys
if "--full" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from numba.core import event
from bricard.kernels.vectors import cross
with event.install_recorder("numba:compile") as compiled:
    assert cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == (0.0, 0.0, 1.0)
sys.stdout.write("compiled" if compiled.buffer else "loaded")
"""
VARIABLES = ("BRICARD_CACHE_DIR", "XDG_CACHE_HOME", "HOME")


def run(environment, *arguments, cwd=None):
    """(what the program says, what stands on standard error) with the variables of the cache as given."""
    plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=plain | environment, capture_output=True, text=True, cwd=cwd
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder in which the code of the program is."""
    folder = tmp_path_factory.mktemp("cache")
    assert run({"BRICARD_CACHE_DIR": str(folder)})[0] == "compiled"
    return folder


def test_what_is_there_is_loaded_in_silence(filled):
    assert run({"BRICARD_CACHE_DIR": str(filled)}) == ("loaded", "")


@pytest.mark.parametrize("environment", ["a file", "below a file", "nowhere", "a file as home", "full"])
def test_where_nothing_can_be_kept_a_run_goes_on_with_one_warning(environment, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    given = {
        "a file": {"BRICARD_CACHE_DIR": str(file)},
        "below a file": {"BRICARD_CACHE_DIR": str(file / "cache")},
        "nowhere": {"BRICARD_CACHE_DIR": "/proc/cache"},
        "a file as home": {"HOME": str(file)},
        "full": {"BRICARD_CACHE_DIR": str(tmp_path / "cache")},
    }[environment]
    said, told = run(given, *(["--full"] if environment == "full" else []))
    assert said == "compiled"
    assert told.count("cannot be kept") == 1 and "BRICARD_CACHE_DIR" in told and "Traceback" not in told
    assert not list(tmp_path.rglob("*.part"))


def test_words_of_the_environment(tmp_path, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder.root() == tmp_path / ".cache" / "bricard"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder.root() == tmp_path / ".cache" / "bricard"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder.root() == tmp_path / ".cache" / "bricard"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_folder.root() == tmp_path / "shared" / "bricard"
    monkeypatch.setenv("BRICARD_CACHE_DIR", "~/own")
    assert cache_folder.root() == tmp_path / "own"


def test_without_a_home_there_is_no_folder(monkeypatch):
    monkeypatch.delenv("BRICARD_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    place = CacheFolder(cache_folder.root())
    place.write("name", 1)
    assert place.path is None and place.read("name") is None and "no home" in place.obstacle


def test_a_folder_that_can_only_be_read_is_read(tmp_path, monkeypatch):
    place = CacheFolder(tmp_path)
    place.write("name", {"code": 1})

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache_folder.tempfile, "TemporaryFile", refuse)
    again = CacheFolder(tmp_path)
    again.write("other", 2)
    assert again.read("name") == {"code": 1} and again.read("other") is None and "Permission denied" in again.obstacle


def test_every_flipped_bit_is_seen(tmp_path):
    place = CacheFolder(tmp_path)
    place.write("name", list(range(20)))
    file = place.path / "name"
    whole = file.read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        assert place.read("name") is None
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert place.read("name") is None


def test_a_damaged_piece_is_compiled_anew(tmp_path):
    run({"BRICARD_CACHE_DIR": str(tmp_path)})
    for file in tmp_path.rglob(f"*{CODE}"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 4
        file.write_bytes(content)
    assert run({"BRICARD_CACHE_DIR": str(tmp_path)})[0] == "compiled"
    assert run({"BRICARD_CACHE_DIR": str(tmp_path)})[0] == "loaded"


def test_another_version_of_numba_has_its_own_folder(tmp_path, monkeypatch):
    here = CacheFolder(tmp_path)
    here.write("name", 1)
    monkeypatch.setattr(cache_folder.numba, "__version__", "0.1.0")
    there = CacheFolder(tmp_path)
    there.write("name", 2)
    assert here.read("name") == 1 and there.read("name") == 2


def test_the_oldest_pieces_go_first(tmp_path, monkeypatch):
    monkeypatch.setenv("BRICARD_CACHE_DIR", str(tmp_path))
    place = CacheFolder(tmp_path)
    for age, name in enumerate(("young", "middle", "old")):
        place.write(f"{name}{CODE}", bytes(1000))
        os.utime(place.path / f"{name}{CODE}", (1e9 - age, 1e9 - age))
    size = sum(file[1] for file in contents())
    assert shrink(size)[0] == 0
    assert shrink(size - 1)[0] == 1 and place.read(f"old{CODE}") is None and place.read(f"young{CODE}") is not None
    assert shrink(0)[0] == 2 and not contents()
