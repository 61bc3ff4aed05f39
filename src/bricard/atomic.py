"""Files that are replaced as a whole or not at all, whoever else writes to them, and whenever a process is killed."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from .interrupts import Waiting

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

__all__ = ["replacing"]

WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # what some network file systems answer


@contextmanager
def replacing(path: str | os.PathLike[str], *, lasting: bool = True) -> Iterator[Path]:
    """Give the path of a temporary file beside `path`; what was written to it takes the place of `path` at the end.

    If anything fails on the way, the temporary file is removed and an older file stays as it was. An OSError names `path`,
    never the temporary file. What a killed process leaves behind is written over by the next one that replaces this file.
    Of several at once the last one counts. Ctrl-C waits until the replacement is whole.
    lasting : wait until the disk has it, so that it outlives a loss of power.
    """
    file = Path(os.path.realpath(path))
    try:
        with Waiting(), _own(file) as temporary:
            try:
                yield temporary
                if lasting:
                    with temporary.open("rb") as stream:
                        os.fsync(stream.fileno())
                os.replace(temporary, file)
            except BaseException:
                _remove(temporary)
                raise
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


@contextmanager
def _own(file: Path) -> Iterator[Path]:
    """A path beside `file` that no other thread or process writes to now: the first that nobody holds a lock on.

    The lock goes with the process, however that ends, and then the path is free again.
    """
    path, descriptor = _reserved(file)
    try:
        yield path
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _reserved(file: Path) -> tuple[Path, int | None]:
    """The path, and what holds the lock; without locks the path has the numbers of this process and thread in it."""
    if fcntl is not None:
        for number in count():
            path = _part(file, number)
            try:
                descriptor = _locked(path)
            except OSError as error:
                if error.errno not in WITHOUT_LOCKS:
                    raise
                _remove(path)
                break
            if descriptor is not None:
                return path, descriptor
    return _part(file, f"{os.getpid()}-{threading.get_ident()}"), None


def _part(file: Path, mark: object) -> Path:
    return file.with_name(f".{file.stem}.{mark}.part{file.suffix}")


def _locked(path: Path) -> int | None:
    """Open and lock a file; None where somebody else writes to it."""
    assert fcntl is not None
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except PermissionError:
        if path.exists():  # left behind by another user
            return None
        raise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):  # else its owner was done between open and lock
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _remove(temporary: Path) -> None:
    """Remove what was written so far; it may be nothing, or in a folder that is none."""
    try:
        temporary.unlink(missing_ok=True)
    except OSError:
        pass
