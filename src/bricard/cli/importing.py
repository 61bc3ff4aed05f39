"""`bricard import`: a URDF or MJCF file becomes a model file of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ModelError
from .check import NoCode
from .console import Json, data, emit, messages

__all__ = ["import_"]


def import_(
    file: Annotated[Path, typer.Argument(metavar="ROBOT.urdf|MODEL.xml", help="File to read.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="MODEL.toml", help="File to write; NAME.toml if not given.")
    ] = None,
    loops: Annotated[
        Path | None, typer.Option(metavar="LOOPS.toml", help="URDF: loop joints; NAME.loops.toml if not given.")
    ] = None,
    base: Annotated[
        str, typer.Option(help="URDF: whether the first link is `fixed` to the ground or `free`.")
    ] = "fixed",
    keyframe: Annotated[str | None, typer.Option(help="MJCF: start from this keyframe.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    no_code: NoCode = False,
    json: Json = False,
) -> None:
    """Write a URDF or MJCF file as a model file; say what has no counterpart."""
    from ..io import toml

    target = output or Path(f"{file.stem}.toml")
    if target.exists() and not force:
        raise ModelError(f"{target} is there already: give another name with --output, or --force to write over it.")
    model, simulation = _read(file, loops, base, keyframe, not no_code)
    target.unlink(missing_ok=True)
    toml.save(model, target, simulation)
    if json:
        counts = {family: len(getattr(model, family)) for family in ("bodies", "joints", "forces", "drawings")}
        emit({"file": str(target), "model": model.name, **counts, "notes": model.notes})
        return
    for note in model.notes:
        messages().print(f"note: {note}", markup=False)
    data().print(f"wrote {target}: {len(model.bodies)} bodies, {len(model.joints)} joints", markup=False)


def _read(file: Path, loops: Path | None, base: str, keyframe: str | None, code: bool) -> tuple[Any, dict[str, Any]]:
    from ..io.loading import is_urdf
    from ..io.mjcf import from_mjcf
    from ..io.urdf import read_urdf

    if is_urdf(file):
        if keyframe is not None:
            raise ModelError("--keyframe is for MJCF files.")
        return read_urdf(file, loops=loops, base=base, code=code)
    if loops is not None or base != "fixed":
        raise ModelError("--loops and --base are for URDF files.")
    return from_mjcf(file, keyframe=keyframe), {}
