"""`bricard cache`: what compiled code takes on the disk, and how to get rid of it."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import ModelError
from .console import Json, data, emit

__all__ = ["cache"]

UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}


def cache(
    info: Annotated[bool, typer.Option("--info", help="Show folder, files and size (the default).")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Delete all compiled code, of all versions.")] = False,
    limit: Annotated[
        str | None, typer.Option("--limit", help="Delete what was not used for longest down to a size, such as 200MB.")
    ] = None,
    json: Json = False,
) -> None:
    """Show or shrink the folder of compiled code. What is deleted is compiled again when it is needed."""
    from ..compiled.cache_folder import contents, folder, root, shrink

    if sum((info, clear, limit is not None)) > 1:
        raise ModelError("bricard cache: give one of --info, --clear and --limit.")
    deleted, freed = shrink(0) if clear else shrink(_bytes(limit)) if limit is not None else (0, 0)
    files = contents()
    size = sum(size for _, size, _ in files)
    if json:
        told = {"folder": str(root()), "files": len(files), "bytes": size, "obstacle": folder().obstacle}
        emit(told | {"deleted": deleted, "freed": freed})
        return
    if clear or limit is not None:
        data().print(f"deleted {deleted} files, {freed / 1e6:.1f} MB", markup=False)
    data().print(f"{len(files)} files, {size / 1e6:.1f} MB in {root()}", markup=False)
    if folder().obstacle:
        data().print(f"cannot be written: {folder().obstacle}", markup=False)


def _bytes(text: str) -> float:
    """The number of bytes of "200MB", "1.5 GB" or "500 kB"."""
    for unit, factor in UNITS.items():
        number = text.removesuffix(unit)
        if number != text:
            try:
                found = float(number) * factor
            except ValueError:
                break
            if found >= 0.0:
                return found
    raise ModelError(f"bricard cache --limit {text}: a size has a number and one of {', '.join(UNITS)}, such as 200MB.")
