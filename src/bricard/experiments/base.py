"""What an experiment is, and how to add one.

An experiment runs methods on mechanisms and answers one question with a table (and a figure): a claim of a source, a comparison.
Write one file: module docstring (the question, the source, how it is measured), a function that returns a Result, and one
`Experiment`; add it to EXPERIMENTS in __init__.py. `bricard experiment NAME` runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """The answer: rows of a table, sentences below it, and a function that draws on matplotlib axes, if there is a figure."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    draw: Callable[[Any], None] | None = None

    def markdown(self) -> str:
        """The table and the notes as Markdown."""
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(shown(row.get(column)) for column in self.columns) + " |" for row in self.rows]
        return "\n".join([*lines, "", *(f"{note}\n" for note in self.notes)]).rstrip() + "\n"


@dataclass(frozen=True)
class Experiment:
    """One question that can be asked by name. figure : whether its Result has one."""

    name: str
    title: str
    source: str
    run: Callable[[], Result]
    figure: bool = True


def shown(value: Any) -> str:
    """A cell of a table: numbers with four digits."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def labelled(ax: Any, title: str, x: str, y: str, **legend: Any) -> None:
    """Title, axes, grid and legend of a figure, the same in all experiments."""
    ax.set_title(title, loc="left", fontsize=11)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True, color="#dddddd", linewidth=0.7)
    ax.set_axisbelow(True)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(**({"framealpha": 1.0, "edgecolor": "none"} | legend))
