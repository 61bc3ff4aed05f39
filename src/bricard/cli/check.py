"""`bricard check`: the topology report of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import data, emit, messages

__all__ = ["ModelFile", "check"]

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL.toml", help="Model file.", show_default=False)]


def check(model: ModelFile, json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False) -> None:
    """Show degrees of freedom, loops, redundant rows and how far the start is from singular.

    The exit code is 2 if the model cannot be assembled.
    """
    from ..io.toml import load
    from ..system.report import report
    from .compiling import Compiling

    declared = load(model)[0]
    with Compiling():
        found = report(declared)
    if json:
        emit(found.to_dict())
    else:
        data().print(str(found), markup=False)
    if not found.assembled:
        messages().print("The model cannot be assembled.", style="red")
        raise typer.Exit(2)
