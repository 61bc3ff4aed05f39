"""Where the command line writes: data to standard output, messages to standard error; NO_COLOR is respected by rich."""

from __future__ import annotations

import json
import math
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

__all__ = ["Json", "data", "emit", "listing", "messages"]

WIDE = 200

Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output, and nothing else there.")]


def data() -> Console:
    """Standard output, for results; wide in a pipe, so that tables keep one line per row."""
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDE)


def messages() -> Console:
    """Standard error, for everything else."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def emit(value: Any) -> None:
    """Write a value to standard output as JSON that every parser accepts: numbers that are not finite become null."""
    data().out(json.dumps(_plain(value), indent=2, ensure_ascii=False), highlight=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    item = getattr(value, "item", None)  # a number of NumPy
    return _plain(item()) if callable(item) else str(value)


def listing(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> Table:
    """A table of some columns of `rows`."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold", no_wrap=column == "name")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value) or "-"
    if isinstance(value, dict):
        words = {key: f"{item:g}" if isinstance(item, float) else str(item) for key, item in value.items()}
        return ", ".join(f"{key}={word}" for key, word in words.items()) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
