"""`bricard bench methods`: measure all methods on the library, for br.recommend() and the default of simulate()."""

from __future__ import annotations

from typing import Annotated

import typer

from .console import data, messages

__all__ = ["methods"]


def methods(
    problems: Annotated[list[str] | None, typer.Argument(help="Problems; the whole library if none are given.")] = None,
    budget: Annotated[float, typer.Option(help="Seconds for each problem, without those of compiling.")] = 6.0,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="A formulation, integrator or kind of coordinates; adaptive ones on absolute coordinates if not given."
        ),
    ] = None,
) -> None:
    """Compare all methods on problems of the library and write the file that br.recommend() reads (methods.json)."""
    from ..bench.recommend_measure import measure, write
    from ..problems import get

    names = tuple(get(name).name for name in problems or ())
    content = measure(names, budget, only=only, tell=lambda text: messages().print(text, style="dim"))
    data().print(f"wrote {write(content)}", markup=False)
