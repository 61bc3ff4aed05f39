"""What a benchmark mechanism is, and how to add one.

Write one file: module docstring (what it is, where its data come from, what makes it hard), a function that makes the model, and
one `Mechanism`; add it to PROBLEMS in __init__.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..model import Model


@dataclass(frozen=True)
class Mechanism:
    """A ready mechanism: `model(**options)` makes it, `span` (s) is how long it is run.

    provenance : whose data these are, "ours" where no source gives them. singular : names the singular positions that the
    motion passes, empty if there are none. build : options of `model.build(...)` with which its source runs it.
    """

    name: str
    title: str
    model: Callable[..., Model]
    span: float
    provenance: str
    references: tuple[str, ...] = ()
    singular: str = ""
    build: dict[str, Any] | None = None
