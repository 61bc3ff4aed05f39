"""What the shell offers for a name that is being typed."""

from __future__ import annotations

from collections.abc import Callable

from .listing import Family, rows_of

__all__ = ["names"]


def names(family: str) -> Callable[[str], list[str]]:
    """Return the completion of names of a family of `bricard list`."""

    def complete(incomplete: str) -> list[str]:
        return [row["name"] for row in rows_of(Family(family)) if row["name"].startswith(incomplete)]

    return complete
