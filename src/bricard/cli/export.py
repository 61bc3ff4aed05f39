"""`bricard export`: a result as a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ModelError
from .check import NoCode
from .console import Json, data, emit

__all__ = ["export"]


def export(
    result: Annotated[Path, typer.Argument(metavar="RESULT.h5", help="Result of `bricard run`.", show_default=False)],
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV: text, all digits.")] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Write Parquet: small and fast, with units.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write; beside the result if not given."),
    ] = None,
    no_code: NoCode = False,
    json: Json = False,
) -> None:
    """Write the samples of a result as a table: time, poses and velocities of bodies, joints, energies, errors."""
    from ..io.tables import columns, to_csv, to_parquet
    from ..solution.solution import Solution

    if csv == parquet:
        raise ModelError("Give either --csv or --parquet.")
    solution = Solution.load(result, code=not no_code)
    target = output or result.with_suffix(".csv" if csv else ".parquet")
    (to_csv if csv else to_parquet)(solution, target)
    table = columns(solution)
    if json:
        units = {name: unit for name, (unit, _) in table.items()}
        emit({"file": str(target), "rows": solution.t.size, "columns": units})
    else:
        data().print(f"wrote {target}: {solution.t.size} rows, {len(table)} columns", markup=False)
