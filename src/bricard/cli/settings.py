"""The table [simulation] of a model file: what may stand in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import FileFormatError, IncompatibleMethods, suggest

__all__ = ["check_methods", "check_settings", "choices"]

NUMBERS = ("duration", "step", "rtol", "atol", "first_step", "max_step")


def check_settings(table: dict[str, Any], file: Path) -> None:
    """Unknown keys and values of the wrong kind in the table are errors that name them."""
    from ..io.schema import settings
    from ..model import checks
    from ..registry import FORMULATIONS, INTEGRATORS

    known = settings()
    known += [key for method in (*FORMULATIONS.values(), *INTEGRATORS.values()) for key in method.options]
    for key, value in table.items():
        where = f"{file}: [simulation] {key}"
        if key not in known:
            text = ", ".join(dict.fromkeys(known))
            raise FileFormatError(
                f'{file}: [simulation]: unknown key "{key}".{suggest(key, known)} Known keys: {text}.'
            )
        if key in NUMBERS:
            checks.number(value, where, positive=True)
        elif key in ("coordinates", "formulation", "integrator", "correction", "kinks") and not isinstance(value, str):
            raise FileFormatError(f"{where} must be a text, not {value!r}.")


def check_methods(table: dict[str, Any], file: Path) -> None:
    """Names of methods that there are not, or that do not fit together, are errors too."""
    from ..pairing import choose, correction_of

    try:
        formulation, integrator, step, form = (table.get(k) for k in ("formulation", "integrator", "step", "form"))
        chosen, method, form = choose(formulation, integrator, step, form)
        if method.external is None:
            correction_of(form, table.get("correction"), chosen)
    except IncompatibleMethods as error:
        raise FileFormatError(f"{file}: [simulation]: {error}") from error


def choices(table: dict[str, Any]) -> dict[str, Any]:
    """What of a table is for building the model: its coordinates, and the joints to be cut."""
    return {key: table[key] for key in ("coordinates", "cut") if key in table}
