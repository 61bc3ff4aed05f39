"""`bricard check`: the topology report of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import FileFormatError, ModelError, suggest
from .completion import models
from .console import Json, data, emit, messages
from .settings import check_methods, check_settings, choices

__all__ = ["ModelFile", "NoCode", "Settings", "check", "declared"]

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL.toml|PROBLEM",
        help="Model file (TOML, URDF, MJCF), or a name of `bricard list problems`.",
        show_default=False,
        autocompletion=models(".toml", ".urdf", ".xml", ".mjcf"),
    ),
]

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Another value for a parameter of the file; may be repeated."),
]

NoCode = Annotated[
    bool,
    typer.Option(
        "--no-code", help="For files of others: refuse one that names a function (module:function) to import."
    ),
]


def declared(model: Path, settings: list[str] | None = None, *, code: bool = True) -> tuple[Any, dict[str, Any]]:
    """What a file declares with its table [simulation], or what a problem of the library is with its span.

    settings : texts NAME=VALUE for parameters of the file, or options of the problem. code : whether functions that the file
    names may be imported.
    """
    from ..io.loading import read
    from ..problems import PROBLEMS

    if model.exists() or model.suffix:
        return read(model, dict(_setting(text) for text in settings or []), code=code)
    if str(model) not in PROBLEMS:
        near = suggest(str(model), PROBLEMS)
        raise FileFormatError(f'There is neither a file nor a problem "{model}".{near} See `bricard list problems`.')
    problem = PROBLEMS[str(model)]
    options = dict(_option(text) for text in settings or [])
    return problem.model(**options), {"duration": problem.span}


def _option(text: str) -> tuple[str, Any]:
    """An option of a problem: true, false, a number, or else a text."""
    name, _, value = text.partition("=")
    if value in ("true", "false"):
        return name.strip(), value == "true"
    for kind in (int, float):
        try:
            return name.strip(), kind(value)
        except ValueError:
            continue
    return name.strip(), value


def _setting(text: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    try:
        return name.strip(), float(value if sign else "")
    except ValueError:
        raise ModelError(f"--set {text}: write NAME=VALUE with a number, for example --set length=0.25.") from None


def check(model: ModelFile, parameters: Settings = None, no_code: NoCode = False, json: Json = False) -> None:
    """Show degrees of freedom, loops, redundant rows and how far the start is from singular.

    The exit code is 2 if the model cannot be assembled, or if the table `simulation` of the file cannot be used.
    """
    from ..model import Model
    from ..system.report import report
    from .compiling import Compiling

    what, table = declared(model, parameters, code=not no_code)
    check_settings(table, model)
    check_methods(table, model)
    if not isinstance(what, Model):
        raise ModelError(f'Problem "{model}" is given by its functions: it has no bodies and joints to report on.')
    with Compiling():
        found = report(what, **choices(table))
    if json:
        emit(found.to_dict())
    else:
        data().print(str(found), markup=False)
    if not found.assembled:
        messages().print("The model cannot be assembled.", style="red")
        raise typer.Exit(2)
