"""`bricard experiment`: run one of the experiments and print its table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ModelError, suggest
from .completion import names
from .console import Json, data, emit, listing, messages

if TYPE_CHECKING:
    from ..experiments import Experiment

__all__ = ["experiment"]


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of the experiment; see `bricard list experiments`.", autocompletion=names("experiments")
        ),
    ],
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the table as Markdown.")] = False,
    figure: Annotated[Path | None, typer.Option(help="Write the figure to this file (png, svg, pdf).")] = None,
) -> None:
    """Run an experiment: methods on mechanisms, one question, one table."""
    from ..experiments import EXPERIMENTS
    from ..experiments.base import shown

    if name not in EXPERIMENTS:
        raise ModelError(
            f'There is no experiment "{name}".{suggest(name, EXPERIMENTS)} Known: {", ".join(EXPERIMENTS)}.'
        )
    chosen = EXPERIMENTS[name]
    if figure is not None:
        _check_figure(chosen, figure)
    messages().print(f"{chosen.title} ({chosen.source})")
    result = chosen.run()
    if figure is not None and result.draw is not None:
        from matplotlib.figure import Figure

        picture = Figure(figsize=(8, 5), layout="constrained")
        result.draw(picture.subplots())
        picture.savefig(figure, dpi=150)
    if json:
        emit({"experiment": name, "title": chosen.title, "rows": result.rows, "notes": result.notes})
    elif markdown:
        data().out(result.markdown(), highlight=False)
    else:
        rows = [{column: shown(row.get(column)) for column in result.columns} for row in result.rows]
        data().print(listing(rows, result.columns))
        for note in result.notes:
            messages().print(note)


def _check_figure(chosen: Experiment, file: Path) -> None:
    """What would spoil the figure is said before the run, which may be long."""
    from matplotlib.figure import Figure

    from ..experiments import EXPERIMENTS

    if not chosen.figure:
        drawn = ", ".join(name for name, other in EXPERIMENTS.items() if other.figure)
        raise ModelError(f'Experiment "{chosen.name}" has no figure: leave --figure. Those that have one: {drawn}.')
    known = Figure().canvas.get_supported_filetypes()
    if file.suffix.removeprefix(".").lower() not in known:
        raise ModelError(
            f'{file}: no figure can be written to a file that ends in "{file.suffix}"; take png, svg or pdf.'
        )
    if not file.parent.is_dir():
        raise ModelError(f"{file}: there is no folder {file.parent}. Make it, or write the figure elsewhere.")
    if file.is_dir():
        raise ModelError(f"{file} is a folder; give the name of a file.")
