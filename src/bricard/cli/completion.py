"""What the shell offers for a name that is being typed."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from pathlib import Path

from .listing import Family, rows_of

__all__ = ["models", "names"]


def names(family: str) -> Callable[[str], list[str]]:
    """Return the completion of names of a family of `bricard list`."""

    def complete(incomplete: str) -> list[str]:
        return [row["name"] for row in rows_of(Family(family)) if row["name"].startswith(incomplete)]

    return complete


def models(*suffixes: str) -> Callable[[str], list[str]]:
    """Return the completion of problems of the library, of files with these endings, and of folders on the way to them."""
    problems = names("problems")

    def complete(incomplete: str) -> list[str]:
        start = os.path.basename(incomplete)
        way = incomplete.removesuffix(start)
        near = [path for path in sorted(Path(way).glob(f"{glob.escape(start)}*")) if start or path.name[0] != "."]
        files = [f"{way}{path.name}" for path in near if path.suffix in suffixes]
        return [*problems(incomplete), *files, *(f"{way}{path.name}/" for path in near if path.is_dir())]

    return complete
