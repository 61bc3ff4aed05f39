"""`bricard experiment`: run one of the experiments and print its table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ModelError, suggest
from .completion import names
from .console import Json, data, emit, listing, messages

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
    messages().print(f"{chosen.title} ({chosen.source})")
    result = chosen.run()
    if figure is not None:
        if result.draw is None:
            raise ModelError(f'Experiment "{name}" has no figure.')
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
