"""`bricard schema`: the JSON Schema of model files, for editors and checkers."""

from __future__ import annotations

from .console import emit

__all__ = ["schema"]


def schema() -> None:
    """Write the JSON Schema of model files to standard output.

    Editors complete and check a model whose first line is `#:schema PATH-TO-THE-SCHEMA`.
    """
    from ..io.schema import schema as made

    emit(made())
