"""`bricard run`: simulate a model file, show how good the result is, write it, its plots and its moving picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from ..errors import Interrupted, ModelError
from .check import ModelFile, NoCode, Settings, declared
from .completion import names
from .console import Json, data, emit, messages
from .settings import check_settings, choices

__all__ = ["run"]

INTERRUPTED = 130  # exit code: 128 and the number of the signal, as shells have it
ADAPTIVE = ("rtol", "atol", "first_step", "max_step")  # settings of steps that the integrator chooses


def run(
    model: ModelFile,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate.")] = None,
    step: Annotated[float | None, typer.Option(help="Fixed step size (s); without it steps are adaptive.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of adaptive steps.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of adaptive steps.")] = None,
    max_step: Annotated[float | None, typer.Option(help="Longest of the adaptive steps (s).")] = None,
    coordinates: Annotated[str | None, typer.Option(help="absolute (if not given) or relative.")] = None,
    cut: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT", help="Joint that the tree of relative coordinates must not use; may be repeated."
        ),
    ] = None,
    formulation: Annotated[
        str | None, typer.Option(help="See `bricard list formulations`.", autocompletion=names("formulations"))
    ] = None,
    integrator: Annotated[
        str | None, typer.Option(help="See `bricard list integrators`.", autocompletion=names("integrators"))
    ] = None,
    correction: Annotated[
        str | None, typer.Option(help="See `bricard list corrections`.", autocompletion=names("corrections"))
    ] = None,
    kinks: Annotated[
        str | None, typer.Option(help='"stop at" ends all steps where a function leaves its branch, "count" none.')
    ] = None,
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the HDF5 result and plots.")] = None,
    plots: Annotated[
        bool, typer.Option("--plots", help="Write plots as PNG, into the working folder by default.")
    ] = False,
    view: Annotated[
        bool, typer.Option("--view", help="Write the moving picture as HTML, into the working folder by default.")
    ] = False,
    parameters: Settings = None,
    no_code: NoCode = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show errors only.")] = False,
    json: Json = False,
) -> None:
    """Simulate a model file or a problem of the library; exit code 1 if it stops early.

    Options override the table `simulation` of the file, or the span of the problem.
    """
    from ..model import Model
    from ..system.report import report
    from .compiling import Compiling

    what, table = declared(model, parameters, code=not no_code)
    given = {"duration": duration, "step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    given |= {"coordinates": coordinates, "cut": cut or None}
    given |= {"formulation": formulation, "integrator": integrator, "correction": correction, "kinks": kinks}
    settings = merged(table, {key: value for key, value in given.items() if value is not None}, model)
    folder = output or (Path() if plots or view else None)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with Compiling(quiet) as compiling:
        # a system of functions has no bodies and joints
        topology = report(what, **choices(settings)) if isinstance(what, Model) else None
        if topology is not None and not (json or quiet):
            data().print(str(topology), markup=False)
        solution, stopped = _run(what, settings, quiet)
        summary = solution.summary()
        files = _write(solution, folder, plots, view) if folder is not None else []
    seconds = solution.seconds
    summary["seconds"] = {
        **seconds,
        "compile": compiling.seconds,
        "prepare": max(0.0, seconds["prepare"] - compiling.seconds),
    }
    if json:
        emit(
            {
                **summary,
                "settings": settings,
                "report": topology.to_dict() if topology is not None else None,
                "files": [str(file) for file in files],
            }
        )
    elif not quiet:
        _show(summary, files)
    if not solution.ok:
        messages().print(solution.status, style="red", markup=False)
        raise typer.Exit(INTERRUPTED if stopped else 1)


def _run(what: Any, settings: dict[str, Any], quiet: bool) -> tuple[Any, bool]:
    """The Solution of a run, up to where Ctrl-C has ended it, and whether that was so."""
    from ..simulation import simulate

    try:
        return simulate(what, **settings, check=False, progress=False if quiet else None), False
    except Interrupted as interrupt:
        if interrupt.solution is None:
            raise
        return interrupt.solution, True


def merged(table: dict[str, Any], given: dict[str, Any], file: Path) -> dict[str, Any]:
    """The keywords of simulate(): the table [simulation] of the file with the options of the command line over it."""
    check_settings(table, file)
    settings = dict(table)
    if "step" in given:
        settings = {key: value for key, value in settings.items() if key not in ADAPTIVE}
    elif any(key in given for key in ADAPTIVE):
        settings.pop("step", None)
    if given.get("coordinates", table.get("coordinates")) != table.get("coordinates"):
        settings.pop("cut", None)
    settings |= given
    if "duration" not in settings:
        raise ModelError(f"{file}: how long? Give --duration SECONDS, or write duration in the table [simulation].")
    if "step" in given and any(key in given for key in ADAPTIVE):
        raise ModelError("Give either --step (fixed) or --rtol, --atol and --max-step (adaptive), not both.")
    return settings


def _write(solution: Any, folder: Path, plots: bool, view: bool) -> list[Path]:
    """Write the result, its plots and its page, each complete or not at all; a run that failed gets a name of its own."""
    from ..atomic import replacing

    stem = re.sub(r"[^\w.-]+", "-", solution.name).strip("-.") or "model"
    stem += "" if solution.ok else "-partial"
    files = [folder / f"{stem}.h5"]
    solution.save(files[0])
    if plots and solution.t.size > 1:
        draw: dict[str, Any] = {"energy": solution.plot.energy, "constraints": solution.plot.constraints}
        draw |= {"joints": solution.plot.joint} if solution.channels else {}
        draw |= {"steps": solution.plot.steps}
        for name, plot in draw.items():
            files.append(folder / f"{stem}-{name}.png")
            with replacing(files[-1]) as temporary:
                plot().figure.savefig(temporary)
    if view:
        files.append(folder / f"{stem}.html")
        solution.view(files[-1])
    return files


def _show(summary: dict[str, Any], files: list[Path]) -> None:
    """The main figures as a table."""
    used, seconds = summary["provenance"], summary["seconds"]
    steps = f"fixed, {used['step']:g} s" if used["step"] else f"adaptive, rtol {used['rtol']:g}, atol {used['atol']:g}"
    counts = f"{summary['steps']}" + (f", {summary['rejected']} rejected" if summary["rejected"] else "")
    length = f"x {summary['characteristic_length']:.3g} m, or rad"
    rows = {
        "method": f"{used['formulation']} + {used['integrator']}"
        + (f", correction {used['correction']}" if used["correction"] != "none" else ""),
        "step size": steps,
        "energy error": f"{summary['energy_error']:.2e} J of {summary['energy_size']:.3g} J",
        "position error": f"{summary['position_error']:.2e} {length}",
        "velocity error": f"{summary['velocity_error']:.2e} {length} per s",
        "acceleration error": f"{summary['acceleration_error']:.2e} {length} per s²",
        "steps": f"{counts}; {summary['evaluations']} evaluations, {summary['factorisations']} factorisations",
        "time": ", ".join(f"{key} {seconds[key]:.3f} s" for key in ("compile", "prepare", "march")),
    }
    if summary["events"]:
        rows["events"] = f"{len(summary['events'])}, first: {summary['events'][0]['text']}"
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in rows.items():
        table.add_row(key, value)
    console = data()
    console.print()
    console.print(table)
    for file in files:
        console.print(f"wrote {file}", markup=False)
    if summary["ok"]:
        console.print(summary["status"], style="green", markup=False)
