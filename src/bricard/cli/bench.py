"""`bricard bench`: the benchmark library, measured on this machine."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .bench_methods import methods
from .bench_peers import peers
from .console import data, emit, listing, messages

__all__ = ["bench"]

bench = typer.Typer(help="Run benchmarks: accuracy and time on this machine.", no_args_is_help=True)


@bench.callback()
def _group() -> None:
    """Run benchmarks: accuracy and time on this machine."""


bench.command("methods")(methods)
bench.command("peers")(peers)


@bench.command("iftomm")
def iftomm(
    problems: Annotated[list[str] | None, typer.Argument(help="Names of problems; all if none are given.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Run the IFToMM library of benchmarks; exit code 1 if an error exceeds the library's bound.

    Published solutions are shown beside ours with the processors they were measured on; nothing is scaled.
    """
    from ..bench.iftomm import iftomm as run
    from ..problems import get
    from .compiling import Compiling

    names = tuple(get(name).name for name in problems or ())
    with Compiling(json):
        result = run(
            names, (lambda text: None) if json else lambda text: messages().print(f"running {text}", style="dim")
        )
    if json:
        emit([{**row, "published": result.published[row["problem"]], "machine": result.machine} for row in result.rows])
    else:
        _show(result)
    if not result.acceptable:
        messages().print("Not every run is acceptable.", style="red")
        raise typer.Exit(1)


def _show(result: Any) -> None:
    """Our rows and the published ones, problem by problem."""
    columns = ("id", "name", "method", "step or tolerance", "error", "bound", "acceptable", "cpu s", "processor")
    ours = result.machine["processor"]
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(row["problem"] for row in result.rows):
        for row in result.rows:
            if row["problem"] == name:
                rows.append(_ours(row, ours))
        for entry in result.published[name]:
            shown = {"name": "", "method": f"{entry['author']}: {entry['method']}", "processor": entry["processor"]}
            shown |= {"step or tolerance": _number(entry["step"]), "error": _number(entry["error"], "J")}
            rows.append(shown | {"cpu s": _number(entry["cpu_s"])})
    data().print(listing(rows, columns))
    told = ", ".join(f"{key} {value}" for key, value in result.machine.items() if key not in ("processor", "time"))
    messages().print(f"{ours}; {told}. CPU time of the whole call of simulate(), the best of three, compiled before.")


def _ours(row: dict[str, Any], processor: str) -> dict[str, Any]:
    """One of our rows in words."""
    method = f"{row['formulation']} + {row['integrator']}" if row["integrator"] else row["formulation"]
    options = ", ".join(f"{key}={value}" for key, value in row["options"].items())
    setting = f"{row['kind']} {row['step_or_tolerance']:g}" if row["kind"] else ""
    return {
        "id": row["id"],
        "name": row["problem"] + (f" ({options})" if options else ""),
        "method": f"bricard: {method}",
        "step or tolerance": setting,
        "error": _number(row["error"], row["unit"]) if row["error"] is not None else row["status"],
        "bound": _number(row["bound"], row["unit"]),
        "acceptable": row["acceptable"],
        "cpu s": _number(row["cpu_s"]),
        "processor": processor,
    }


def _number(value: Any, unit: str = "") -> str:
    """A number in three digits with its unit, or words as they are."""
    if value is None:
        return "not told"
    return f"{value:.3g} {unit}".strip() if isinstance(value, int | float) else str(value)
