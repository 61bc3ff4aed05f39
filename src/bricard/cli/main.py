"""The console script `bricard`.

Exit codes: 0 fine, 1 the simulation failed (or a bug of ours), 2 bad input. Errors are one sentence on standard error;
with BRICARD_DEBUG=1 the traceback is shown too. Results go to standard output, messages to standard error; `--json` means
the same everywhere; NO_COLOR is respected; `bricard --install-completion` teaches the shell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import BricardError, SimulationError
from .bench import bench
from .cache import cache
from .certify import certify
from .check import check
from .compare import compare
from .console import messages
from .doctor import doctor
from .experiment import experiment
from .export import export
from .importing import import_
from .listing import list_
from .new import new
from .rerun import rerun
from .run import INTERRUPTED, run
from .schema import schema
from .view import view
from .warmup import warmup

__all__ = ["app", "main"]

FAILED, BAD_INPUT = 1, 2


def _examples(*lines: str) -> str:
    """The end of a help page; typer joins lines, but not paragraphs."""
    return "\n\n".join(["Examples:", *lines])


app = typer.Typer(
    name="bricard",
    help="Dynamics of mechanisms with closed loops.",
    epilog=_examples(
        "bricard new arm", "bricard run arm.toml", "bricard view arm.toml", "bricard --install-completion"
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "new": (new, ("bricard new arm", "bricard new models/arm.toml --force")),
    "check": (check, ("bricard check arm.toml", "bricard check robot.urdf --json")),
    "run": (
        run,
        (
            "bricard run arm.toml --output results --plots",
            "bricard run arm.toml --duration 2 --set length=0.25 --json",
            "bricard run arm.toml --formulation ggl --integrator radau5 --rtol 1e-9",
        ),
    ),
    "certify": (
        certify,
        (
            "bricard certify arm.toml",
            "bricard certify double-four-bar --duration 2 --accuracy 1e-5",
            "bricard certify robot.urdf --duration 1 --json",
        ),
    ),
    "view": (view, ("bricard view results/arm.h5", "bricard view examples/bricard.toml --output six-bar.html --open")),
    "compare": (compare, ("bricard compare double-four-bar --budget 60",)),
    "export": (
        export,
        ("bricard export results/arm.h5 --csv", "bricard export results/arm.h5 --parquet -o arm.parquet"),
    ),
    "rerun": (rerun, ("bricard rerun results/arm.h5", "bricard rerun results/arm.h5 --json")),
    "import": (import_, ("bricard import robot.urdf -o robot.toml", "bricard import leg.xml --keyframe home")),
    "list": (list_, ("bricard list joints", "bricard list formulations --json")),
    "experiment": (experiment, ("bricard experiment lecture-table", "bricard experiment drift --figure drift.png")),
    "schema": (schema, ("bricard schema > bricard.schema.json",)),
    "warmup": (warmup, ("bricard warmup",)),
    "cache": (cache, ("bricard cache --info", "bricard cache --limit 200MB", "bricard cache --clear")),
    "doctor": (doctor, ("bricard doctor", "bricard doctor --json > report.json")),
}
for _name, (_command, _lines) in COMMANDS.items():
    app.command(_name, epilog=_examples(*_lines))(_command)
app.add_typer(
    bench, name="bench", epilog=_examples("bricard bench iftomm", "bricard bench iftomm pendulum bricard --json")
)


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
        _fail(error, "Interrupted.", INTERRUPTED)
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
