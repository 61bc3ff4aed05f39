"""The folder of compiled code: one file for each piece, with a checksum, written as a whole or not at all.

    BRICARD_CACHE_DIR, else XDG_CACHE_HOME/bricard, else ~/.cache/bricard
        numba-0.68.0-cpython-311/    versions that cannot read each other's code do not meet
            NAME.KEY.code            SHA-256 of what follows, then the pickled machine code

A cache never stops a run. Where the folder cannot be made, read or written, where the disk is full or a file is damaged, code is
compiled in memory, and one warning says so.
"""

import functools
import hashlib
import logging
import os
import pickle
import shutil
import sys
import tempfile
from pathlib import Path

import numba
from numba.core.serialize import dumps

from ..atomic import replacing

CODE, DIGEST = ".code", 32  # suffix of the files; bytes of the checksum
EARLIER = (".nbi", ".nbc")  # suffixes of versions that had an index beside the code


def root():
    """The folder of all versions that the environment asks for, or None where there is no home for it."""
    given, shared = os.environ.get("BRICARD_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    try:
        if given:
            return Path(given).expanduser().absolute()
        if os.path.isabs(shared):  # its standard has an empty or a relative one ignored
            return Path(shared) / "bricard"
        return Path.home() / ".cache" / "bricard"
    except RuntimeError:
        return None


class CacheFolder:
    """Where this process keeps its pieces. path : the folder, or None; obstacle : why nothing can be written, "" where it can."""

    def __init__(self, above):
        self.path, self.obstacle = None, "there is no home folder"
        if above is None:
            return
        path = above / f"numba-{numba.__version__}-{sys.implementation.cache_tag}"
        try:
            self.obstacle = ""
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            self.obstacle = f"{above}: {error.strerror or error}"
        try:
            self.path = path if path.is_dir() else None
        except OSError:
            pass  # an obstacle is known already

    def read(self, name):
        """The piece of a name; None where there is none, or none that is whole."""
        try:
            content = (self.path / name).read_bytes() if self.path else b""
        except OSError:
            return None
        if hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
            return None
        return pickle.loads(content[DIGEST:])

    def write(self, name, piece):
        """Keep a piece under a name, if that is possible."""
        if self.path is None or self.obstacle:
            return
        content = dumps(piece)
        try:
            with replacing(
                self.path / name, lasting=False
            ) as part:  # what a loss of power leaves is seen by its checksum
                part.write_bytes(hashlib.sha256(content).digest() + content)
        except OSError as error:
            self.obstacle = f"{self.path}: {error.strerror or error}"
            _announce_obstacle(self.obstacle)

    def announce(self):
        """Say, once in a process, that something is compiled."""
        if self.obstacle:
            _announce_obstacle(self.obstacle)
        else:
            _announce_folder(self.path.parent)


@functools.cache
def folder():
    """The CacheFolder of this process."""
    return CacheFolder(root())


@functools.cache
def _announce_folder(path):
    """One line, by Python's default on standard error: the first run after an installation or a change takes seconds."""
    logging.getLogger("bricard").warning("bricard: compiling, once; the result is kept in %s", path)


@functools.cache
def _announce_obstacle(obstacle):
    logging.getLogger("bricard").warning(
        "bricard: compiled code cannot be kept (%s), so each process compiles anew. Set BRICARD_CACHE_DIR to a writable folder.",
        obstacle,
    )


def contents():
    """(path, bytes, time of the last use in s) of all files of all versions in the folder, the oldest first."""
    above, found = root(), []
    for path in above.rglob("*") if above is not None and above.is_dir() else ():
        if (path.suffix in (CODE, *EARLIER) or ".part" in path.suffixes) and path.is_file():
            state = path.stat()
            found.append((path, state.st_size, max(state.st_atime, state.st_mtime)))
    return sorted(found, key=lambda file: file[2])


def shrink(limit):
    """Delete the files that were not used for longest until no more than `limit` bytes are left; (files, bytes) deleted."""
    files = contents()
    excess, count, freed = sum(size for _, size, _ in files) - limit, 0, 0
    for path, size, _ in files:
        if freed >= excess:
            break
        path.unlink(missing_ok=True)
        count, freed = count + 1, freed + size
    if limit <= 0 and (above := root()) is not None:
        for old in above.glob("numba-*"):
            shutil.rmtree(old, ignore_errors=True)
    return count, freed
