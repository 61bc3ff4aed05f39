"""The console script `bricard`.

Exit codes: 0 fine, 1 the simulation failed (or a bug of ours), 2 bad input. Errors are one sentence on standard error;
with BRICARD_DEBUG=1 the traceback is shown too.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import BricardError, SimulationError
from .check import check
from .console import messages
from .doctor import doctor
from .experiment import experiment
from .listing import list_
from .run import run
from .warmup import warmup

__all__ = ["app", "main"]

FAILED, BAD_INPUT = 1, 2

app = typer.Typer(
    name="bricard",
    help="Dynamics of mechanisms with closed loops.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run)
app.command("check")(check)
app.command("list")(list_)
app.command("warmup")(warmup)
app.command("experiment")(experiment)
app.command("doctor")(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line and exit with its code."""
    try:
        app(arguments)
    except SimulationError as error:
        _fail(error, str(error), FAILED)
    except BricardError as error:
        _fail(error, str(error), BAD_INPUT)
    except BrokenPipeError as error:  # the reader of our output went away, as in `bricard list joints | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _fail(error, "", FAILED)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(error, f"{name}{error.strerror or error}.", BAD_INPUT)
    except KeyboardInterrupt as error:
        _fail(error, "Interrupted.", FAILED)
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        _fail(
            error, f"{text} This is a bug in bricard: run again with BRICARD_DEBUG=1 and report what it shows.", FAILED
        )


def _fail(error: BaseException, text: str, code: int) -> None:
    if os.environ.get("BRICARD_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if text:
        console = messages()
        console.print("error: ", style="bold red", end="")
        console.print(text, markup=False)
    sys.exit(code)


if __name__ == "__main__":
    main()
