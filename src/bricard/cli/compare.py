"""`bricard compare`: run every method that fits against each other on one mechanism, and say which to take."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..errors import Interrupted, ModelError, suggest
from .check import NoCode
from .console import Json, data, emit, listing, messages
from .run import INTERRUPTED

__all__ = ["compare"]

LINES = 25  # of the table on a terminal


def compare(
    model: Annotated[
        str, typer.Argument(metavar="MODEL.toml|PROBLEM", help="Model file, or a name of `bricard list problems`.")
    ],
    budget: Annotated[float, typer.Option(help="Seconds, without those of compiling.")] = 60.0,
    accuracy: Annotated[float, typer.Option(help="Error at the end that counts.")] = 1e-6,
    duration: Annotated[
        float | None, typer.Option(help="Seconds of motion; the model's or problem's own if not given.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A formulation, integrator or kind of coordinates to look at; may be repeated."),
    ] = None,
    peers: Annotated[bool, typer.Option("--peers", help="Other packages too, where they are installed.")] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for rows and report; compare-NAME if not given.")
    ] = None,
    no_code: NoCode = False,
    json: Json = False,
) -> None:
    """Compare all pairs of formulation and integrator on a mechanism: table, rows, and one HTML report.

    Ctrl-C ends it early; what is known by then is kept and reported.
    """
    from ..bench.compare import compare as run
    from .compiling import Compiling

    declared, span = _declared(model, not no_code)
    stem = re.sub(r"[^\w.-]+", "-", Path(model).stem).strip("-.") or "model"
    folder = output or Path(f"compare-{stem}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite kill keeps what is known, too
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"), TimeElapsedColumn())
    with Progress(*columns, console=messages(), transient=True) as bar, Compiling(quiet=True):
        task = bar.add_task("comparing", total=1.0, text="")
        try:
            found = run(
                declared,
                span if duration is None else duration,
                accuracy=accuracy,
                budget=budget,
                only=only,
                output=folder,
                peers=peers,
                progress=lambda done, text: bar.update(task, completed=done, text=text),
            )
        except Interrupted as error:
            found: Any = error.solution
            if found is None:  # before the first row
                raise
    if json:
        rows = [_short(outcome) for outcome in found.table]
        keys = ("model", "span", "accuracy", "reference", "not_run", "omitted", "interrupted", "peers", "rows")
        emit({**{key: getattr(found, key) for key in keys}, "table": rows, "recommendation": found.recommendation})
    else:
        _show(found, folder)
    if found.interrupted:
        messages().print(f"Interrupted; what is known is in {folder}.", style="red", markup=False)
        raise typer.Exit(INTERRUPTED)


def _declared(model: str, code: bool) -> tuple[Any, float | None]:
    """The Model of a file with its duration, or the name of a problem."""
    from ..problems import PROBLEMS

    if model in PROBLEMS:
        return model, None
    if not model.endswith(".toml") and not Path(model).exists():
        near = suggest(model, PROBLEMS)
        raise ModelError(
            f'"{model}" is neither a model file nor a problem of the library.{near} See `bricard list problems`.'
        )
    from ..io.toml import load

    declared, settings = load(model, code=code)
    return declared, settings.get("duration")


def _short(outcome: Any) -> dict[str, Any]:
    row = outcome.nearest or {}
    keys = ("kind", "setting", "error", "steps", "seconds_per_step", "position_error", "velocity_error", "energy_error")
    return {
        "name": outcome.name,
        "seconds": outcome.seconds,
        "firm": outcome.firm,
        **{key: row.get(key) for key in keys},
        "order": outcome.order,
        "failures": outcome.failures,
    }


def _show(found: Any, folder: Path) -> None:
    from ..bench.report_figures import seconds_text
    from ..bench.report_words import not_run

    rows = []
    for k, outcome in enumerate(found.table[:LINES]):
        row = outcome.nearest or {}
        reached = outcome.seconds is not None
        rows.append(
            {
                "": k + 1 if reached else "",
                "method": outcome.name,
                "setting": outcome.setting,
                "time": ("" if outcome.firm else "~ ") + seconds_text(outcome.seconds)
                if reached
                else "not reached"
                if row
                else "fails",
                "error": f"{row['error']:.1e}" if row else "-",
                "order": f"{outcome.order:.1f} ({outcome.stated})"
                if outcome.order is not None
                else f"({outcome.stated})",
                "us/step": f"{1e6 * row['seconds_per_step']:.3g}" if row else "-",
                "energy": f"{row['energy_error']:.0e} J" if row.get("energy_error") is not None else "-",
            }
        )
    console = data()
    console.print(listing(rows, ("", "method", "setting", "time", "error", "order", "us/step", "energy")))
    rest = len(found.table) - LINES
    if rest > 0:
        console.print(f"... and {rest} more methods; all of them are in the report.", style="dim")
    if any(outcome.nearest and outcome.nearest["energy_error"] is None for outcome in found.table):
        console.print(
            "Energy is left out where a run took too long to be repeated with its work summed up.", style="dim"
        )
    console.print(f"\nReference: {found.reference.get('text', 'none')}", markup=False)
    for sentence in found.recommendation:
        console.print(f"* {sentence}", markup=False)
    if found.not_run:
        count = f"{len(found.not_run)} of {len(found.not_run) + len(found.table)} methods"
        console.print(f"{not_run(found)}: {count}; the report names them.", markup=False)
    for file in sorted(folder.iterdir()):
        console.print(f"wrote {file}", markup=False)
