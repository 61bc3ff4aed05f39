"""Files that are replaced as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the path of a temporary file beside `path`; what was written to it takes the place of `path` at the end.

    If anything fails on the way, the temporary file is removed and an older file stays as it was. An OSError names `path`,
    never the temporary file.
    """
    file = Path(path).resolve()
    temporary = file.with_name(f".{file.stem}.{os.getpid()}.part{file.suffix}")
    try:
        yield temporary
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    except OSError as error:
        _remove(temporary)
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error
    except BaseException:
        _remove(temporary)
        raise


def _remove(temporary: Path) -> None:
    """Remove what was written so far; it may be nothing, or in a folder that is none."""
    try:
        temporary.unlink(missing_ok=True)
    except OSError:
        pass
