"""`bricard bench peers`: time to accuracy beside other packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .console import data, emit, listing, messages

__all__ = ["peers"]

COLUMNS = (
    "case",
    "error <=",
    "ours",
    "simulate()",
    "best peer",
    "its time",
    "ratio",
    "goal",
    "",
    "method",
    "where the time goes",
)


def peers(
    cases: Annotated[list[str] | None, typer.Argument(help="Cases; all nine if none are given.")] = None,
    package: Annotated[
        list[str] | None, typer.Option(help="A package to run; may be repeated; all installed ones.")
    ] = None,
    no_peers: Annotated[bool, typer.Option("--no-peers", help="Only ours, beside the times of the survey.")] = False,
    longest: Annotated[
        float, typer.Option(help="Do not run again what took longer than this (s) in the survey.")
    ] = 3.0,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write rows and all runs to this JSON file.")] = None,
) -> None:
    """Time to reach errors of 1e-4, 1e-6 and 1e-8 on nine mechanisms, beside exudyn, mujoco, pinocchio and IDA.

    Ours: the compiled march, warm; the whole simulate() call beside it. `make bench-peers` installs the others.
    """
    import json as format_

    from ..bench.peers import bench_peers, installed
    from .compiling import Compiling

    with Compiling(quiet=True):
        packages = () if no_peers else package or installed()
        table = bench_peers(cases, packages, longest, lambda text: messages().print(text, style="dim"))
    if output is not None:
        output.write_text(
            format_.dumps({"rows": table.rows, "runs": table.runs}, indent=1, default=float), encoding="utf-8"
        )
    if json:
        emit({"rows": table.rows, "runs": table.runs})
        return
    data().print(listing([_shown(row) for row in table.rows], COLUMNS))
    for row in table.missed:
        if row["seconds"] is None:
            data().print(f"{row['case']}: 1e-6 is not reached.", markup=False)
            continue
        factor = row["goal"] / row["ratio"]
        text = f"{row['case']}: the goal at 1e-6 is missed by a factor of {factor:.2f}: {_where(row)}."
        data().print(text, markup=False)


def _where(row: dict[str, Any]) -> str:
    rejected = f", {row['rejected']} rejected" if row["rejected"] else ""
    return f"{row['steps']} steps{rejected}, {row['evaluations']} evaluations of {row['us_per_evaluation']:.2f} us"


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    from ..bench.report_figures import seconds_text

    known = row["seconds"] is not None
    return {
        "case": row["case"],
        "error <=": f"{row['target']:.0e}",
        "ours": seconds_text(row["seconds"]) if known else "not reached",
        "simulate()": seconds_text(row["whole_s"]),
        "best peer": row["best"],
        "its time": seconds_text(row["best_s"]),
        "ratio": f"{row['ratio']:.1f}" if row["ratio"] else "-",
        "goal": f"{row['goal']:g}",
        "": "met" if row["met"] else "missed",
        "method": f"{row['method']}, rtol {row['setting']:.1e}" if known else "-",
        "where the time goes": _where(row) if known else "-",
    }
