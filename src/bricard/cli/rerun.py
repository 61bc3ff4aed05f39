"""`bricard rerun`: make a result again and say whether it is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .check import NoCode
from .console import Json, data, emit

__all__ = ["rerun"]


def rerun(
    result: Annotated[Path, typer.Argument(metavar="RESULT.h5", help="Result of `bricard run`.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.h5", help="Keep the new result in this file.")
    ] = None,
    no_code: NoCode = False,
    json: Json = False,
) -> None:
    """Make a result again from what it says of its making; exit code 1 if not all of its bits are the same.

    Otherwise the largest difference is told, in units of the tolerance, with what differs: versions, processor, functions.
    """
    from ..repeat import rerun
    from ..solution.solution import Solution
    from .compiling import Compiling

    with Compiling():
        found = rerun(Solution.load(result, code=not no_code), code=not no_code)
    if output is not None:
        found.solution.save(output)
    if json:
        told = {name: getattr(found, name) for name in ("same", "difference", "rtol", "where", "changed", "parts")}
        emit(told | {"file": str(output) if output is not None else None})
    else:
        data().print(str(found), markup=False)
    if not found.same:
        raise typer.Exit(1)
