"""A cache of compiled code in twelve broken environments: each run ends with the right result, and with one warning at most.

The result is that of building a model, whose 55 pieces of code are loaded from the cache or compiled. A cache with all of them is
made first; each environment has a copy of it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ENVIRONMENTS", "check", "kills", "run"]

PROGRAM = """
import hashlib, sys
if sys.argv[1]:
    exec(sys.argv[1])
import numpy as np
import bricard as br
from numba.core import event
with event.install_recorder("numba:compile") as compiled:
    model = br.Model("pendulum")
    model.revolute("A", model.ground, model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0)), (0, 0, 0), (0, 1, 0))
    record = model.build().record
arrays = [getattr(record, name) for name in record._fields if name not in ("methods", "kernels", "functions")]
found = hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays if isinstance(array, np.ndarray)))
sys.stdout.write(f"{found.hexdigest()} {len(compiled.buffer) // 2}")
"""
VARIABLES = ("BRICARD_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
NOBODY = 65534  # the number of the user that owns nothing
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")  # root as any other user
WITHOUT_HOME = """
import pathlib
def home(kind):
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = classmethod(home)
"""
ROOM = 200_000  # bytes of a disk that is soon full


class Place:
    """A folder with a filled cache in it, and how programs are run there."""

    def __init__(self, folder: Path, filled: Path):
        self.folder, self.cache = folder, folder / "cache"
        shutil.copytree(filled, self.cache)

    def run(self, before: str = "", *first: str, **environment: str) -> tuple[str, int, str]:
        """Return (the result's bits, how many pieces were compiled, what stands on standard error) of the program."""
        return ended(self.start(before, *first, **environment))

    def start(self, before: str = "", *first: str, **environment: str) -> subprocess.Popen[str]:
        """Begin the program, in this folder; before : code that it runs first; first : the command that starts Python."""
        plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        given = plain | ({"BRICARD_CACHE_DIR": str(self.cache)} if not environment else {}) | environment
        command, pipe = [*first, sys.executable, "-c", PROGRAM, before], subprocess.PIPE
        return subprocess.Popen(command, env=given, cwd=self.folder, stdout=pipe, stderr=pipe, text=True)

    def pieces(self) -> list[Path]:
        """Return all files of the cache."""
        return sorted(path for path in self.cache.rglob("*.code"))


def ended(process: subprocess.Popen[str]) -> tuple[str, int, str]:
    """Return what Place.run does, of a program that was started."""
    out, told = process.communicate(timeout=900)
    if process.returncode:
        return f"code {process.returncode}", -1, told
    bits, _, number = out.partition(" ")
    return bits, int(number), told


@contextmanager
def mounted(path: Path, *options: str) -> Iterator[None]:
    """Mount something on a folder; only root can."""
    subprocess.run(["mount", *options, str(path)], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True, capture_output=True)


def _no_home(place: Place):
    """A container whose user is in no list: Python finds no home."""
    return place.run(WITHOUT_HOME, HOME="")


def _home_is_a_file(place: Place):
    (place.folder / "file").write_text("")
    return place.run(HOME=str(place.folder / "file"))


def _cache_is_a_file(place: Place):
    (place.folder / "file").write_text("")
    return place.run(BRICARD_CACHE_DIR=str(place.folder / "file"))


def _empty_variable(place: Place):
    found = place.run(XDG_CACHE_HOME="", HOME=str(place.folder))
    assert not (place.folder / "bricard").exists() and (place.folder / ".cache" / "bricard").is_dir()
    return found


def _tilde(place: Place):
    found = place.run(BRICARD_CACHE_DIR="~/own", HOME=str(place.folder))
    assert not (place.folder / "~").exists() and (place.folder / "own").is_dir()
    return found


def _read_only(place: Place):
    """A bind mount that cannot be written, with half of the pieces missing."""
    for file in place.pieces()[::2]:
        file.unlink()
    with mounted(place.cache, "--bind", str(place.cache)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place.cache)], check=True, capture_output=True)
        return place.run()


def _of_another_user(place: Place):
    """The pieces belong to another user, half of them cannot even be read."""
    for k, path in enumerate([*place.pieces(), *place.cache.rglob("*"), place.cache]):
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o755 if path.is_dir() else 0o644 if k % 2 else 0o600)
    return place.run("", *POWERLESS)


def _quota(place: Place):
    """A disk on which only some pieces find room."""
    shutil.rmtree(place.cache)
    place.cache.mkdir()
    with mounted(place.cache, "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs"):
        return place.run()


def _size_limit(place: Place):
    shutil.rmtree(place.cache)
    return place.run("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))")


def _two_versions(place: Place):
    """Another Numba on the same folder: neither makes the other one compile anew."""
    other = "import numba; numba.__version__ = '0.1.0'"
    first, second, third, fourth = place.run(), place.run(other), place.run(), place.run(other)
    assert first[1] == third[1] == fourth[1] == 0 < second[1], (first[1], second[1], third[1], fourth[1])
    assert first[0] == second[0] == third[0] == fourth[0]
    return third


def _four_at_once(place: Place):
    """Four processes fill an empty cache; afterwards nothing is left to compile."""
    shutil.rmtree(place.cache)
    results = [ended(process) for process in [place.start() for _ in range(4)]]
    assert len({bits for bits, *_ in results}) == 1, results
    found = place.run()
    assert found[1] == 0 and not list(place.cache.rglob("*.part*"))
    return found


def _flipped_bits(place: Place):
    """Thousands of bits, in every piece; each piece is compiled anew."""
    rng = random.Random(3)
    for file in place.pieces():
        content = bytearray(file.read_bytes())
        for _ in range(40):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        file.write_bytes(content)
    return place.run()


def _no_files(place: Place):
    """Every piece is a folder, a link to nowhere, empty, cut off, or random bytes."""
    rng = random.Random(4)
    for k, file in enumerate(place.pieces()):
        content = file.read_bytes()
        file.unlink()
        if k % 5 == 0:
            file.mkdir()
        elif k % 5 == 1:
            file.symlink_to(f"nowhere {k}")
        else:
            file.write_bytes((b"", content[: len(content) // 2], rng.randbytes(len(content)))[k % 5 - 2])
    return place.run()


# name -> (how, whether only root can make it)
ENVIRONMENTS: dict[str, tuple[Callable[[Place], tuple[str, int, str]], bool]] = {
    "no home": (_no_home, False),
    "home is a file": (_home_is_a_file, False),
    "cache is a file": (_cache_is_a_file, False),
    "an empty variable": (_empty_variable, False),
    "a tilde": (_tilde, False),
    "a read-only mount with half of the pieces": (_read_only, True),
    "pieces of another user": (_of_another_user, True),
    "a quota": (_quota, True),
    "a limit of the size of files": (_size_limit, False),
    "two versions of Numba": (_two_versions, False),
    "four processes at once": (_four_at_once, False),
    "flipped bits": (_flipped_bits, False),
    "pieces that are no files": (_no_files, False),
}


@contextmanager
def filled() -> Iterator[tuple[Path, str]]:
    """A cache with all pieces of the program in it, and the bits of the right result."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "empty").mkdir()
        place = Place(Path(folder) / "first", Path(folder) / "empty")
        yield place.cache, place.run()[0]


def check(name: str, cache: Path, right: str) -> str:
    """Return what is wrong with the run in an environment, "" if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        bits, _, told = ENVIRONMENTS[name][0](Place(Path(folder) / "place", cache))
    if bits != right:
        return f"another result: {bits[:80]} {told[-300:]}"
    if "Traceback" in told or told.count("cannot be kept") > 1 or len(told.splitlines()) > 2:
        return f"more than one warning: {told}"
    return ""


def run(say: Callable[[str], None]) -> bool:
    """Go through all environments; whether all is well."""
    fine = True
    with filled() as (cache, right):
        for name, (_, root) in ENVIRONMENTS.items():
            began = time.monotonic()
            wrong = "left out: only root can make it" if root and os.geteuid() else check(name, cache, right)
            fine = fine and not wrong
            say(f"{name:42} {wrong or 'the right result'} ({time.monotonic() - began:.0f} s)")
    return fine


def kills(count: int, seed: int, say: Callable[[str], None]) -> bool:
    """Kill programs that fill a cache at random moments; what is left is used by the next ones, and gives the right result."""
    rng = random.Random(seed)
    with filled() as (cache, right), tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder) / "place", cache)
        shutil.rmtree(place.cache)
        for _ in range(count):
            process = place.start()
            try:
                process.wait(rng.uniform(1.0, 6.0))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.communicate()
        left = len(list(place.cache.rglob("*.part*")))
        pieces = len(place.pieces())
        bits, compiled, told = place.run()
        again = place.run()
        say(f"{count} kills: {pieces} pieces whole, {left} torn; then {compiled} compiled, and then {again[1]}")
        return bits == again[0] == right and again[1] == 0 and "Traceback" not in told
