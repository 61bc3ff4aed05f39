"""`bricard certify`: whether a motion can be signed, and with which error."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import ModelError
from .check import ModelFile, NoCode, Settings, declared
from .console import Json, data, emit
from .settings import check_settings, choices

__all__ = ["certify"]


def certify(
    model: ModelFile,
    duration: Annotated[float | None, typer.Option(help="Seconds; those of the file or problem if not given.")] = None,
    accuracy: Annotated[
        float, typer.Option(help="Largest error that is accepted, in characteristic lengths, radians and the like.")
    ] = 1e-6,
    parameters: Settings = None,
    no_code: NoCode = False,
    json: Json = False,
) -> None:
    """Run a model with two methods that share little, and say with which error the motion is known.

    The exit code is 1 if motion, energy or reactions are not known to the accuracy, or if a check fails.
    """
    from ..analysis.certify import certify as run
    from ..model import Model
    from .compiling import Compiling

    what, table = declared(model, parameters, code=not no_code)
    check_settings(table, model)
    span = table.get("duration") if duration is None else duration
    if span is None:
        raise ModelError(f"{model}: how long? Give --duration SECONDS, or write duration in the table [simulation].")
    with Compiling(quiet=json):
        system = what.build(**choices(table)) if isinstance(what, Model) else what
        found = run(system, span, accuracy, progress=False if json else None)
    if json:
        emit(found.to_dict())
    else:
        data().print(found.text, markup=False)
    if not found.ok:
        raise typer.Exit(1)
