"""Solutions as plain tables, one row per sample: CSV for everybody, Parquet for large ones (`pip install bricard[parquet]`).

Columns: t; of each body x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz (reference frame, world axes); of each joint
coordinate its value and rate; energies; constraint errors. CSV holds all 17 digits, so reading it gives the same numbers.
A system given by its functions has q1, q2, ..., v1, v2, ... in place of bodies and joints.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..atomic import replacing
from ..errors import ModelError
from ..interrupts import Waiting, whole
from .dataset import quaternions

if TYPE_CHECKING:
    from ..solution.solution import Solution

__all__ = ["columns", "to_csv", "to_parquet"]


def columns(solution: Solution) -> dict[str, tuple[str, np.ndarray]]:
    """Return unit and values (n,) of every column by its name."""
    found: dict[str, tuple[str, np.ndarray]] = {"t": ("s", solution.t)}
    if solution.system.model is None:
        for letter, values in (("q", solution.q), ("v", solution.v)):
            found |= {f"{letter}{i}": ("", column) for i, column in enumerate(values.T, 1)}
    else:
        found |= _bodies(solution) | _joints(solution)
    energy, errors = solution.energy, solution.constraint_errors
    found |= {f"{key}_energy": ("J", getattr(energy, key)) for key in ("kinetic", "potential", "total")}
    found |= {"work": ("J", energy.work), "energy_error": ("J", energy.error)}
    found |= {f"{key}_error": ("", getattr(errors, key)) for key in ("position", "velocity", "acceleration")}
    return found


def _bodies(solution: Solution) -> dict[str, tuple[str, np.ndarray]]:
    found, turns = {}, quaternions(solution)
    for index, name in enumerate(solution.system.model.bodies):
        groups = {
            ("x", "y", "z"): ("m", solution.poses[name][0]),
            ("qw", "qx", "qy", "qz"): ("", turns[:, index]),
            ("vx", "vy", "vz"): ("m/s", solution.velocity(name)),
            ("wx", "wy", "wz"): ("rad/s", solution.angular_velocity(name)),
        }
        for letters, (unit, values) in groups.items():
            found |= {f"{name}.{letter}": (unit, column) for letter, column in zip(letters, values.T, strict=True)}
    return found


def _joints(solution: Solution) -> dict[str, tuple[str, np.ndarray]]:
    found = {}
    for name in solution.channels:
        unit = "rad" if solution.system.model.coordinate(name).kind == "angle" else "m"
        found[f"joint {name}"] = (unit, solution.joint(name))
        found[f"joint {name} rate"] = (f"{unit}/s", solution.joint_velocity(name))
    return found


def to_csv(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write all columns to a CSV file; the first line holds their names. Ctrl-C leaves an older file as it was."""
    import csv

    table = columns(solution)
    with (
        Waiting() as waiting,
        replacing(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table)
        for row in np.column_stack([values for _, values in table.values()]).tolist():
            waiting.check()
            writer.writerow([repr(value) for value in row])


@whole  # others write it
def to_parquet(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write all columns to a Parquet file; units are in the metadata of the columns."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ModelError(
            "Parquet files are written with the package pyarrow: pip install 'bricard[parquet]'."
        ) from None
    table = columns(solution)
    fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit}) for name, (unit, _) in table.items()]
    about: Any = {"model": solution.name, "status": solution.status}
    content = pyarrow.table([values for _, values in table.values()], pyarrow.schema(fields, metadata=about))
    with replacing(path) as temporary:
        parquet.write_table(content, temporary, compression="zstd")
