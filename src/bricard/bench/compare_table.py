"""The table of a comparison: one line per method, from its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .ladder import FLOOR, order_of, reached


@dataclass(frozen=True)
class Outcome:
    """What the ladder of a method shows.

    seconds : of the fastest run that reaches the accuracy, None if none does. firm : all finer rungs reach it too. row : that
    run. nearest : that run, or the one with the smallest error. order : measured with fixed steps.
    best : smallest error seen. failures : reasons.
    """

    name: str
    coordinates: str
    formulation: str
    integrator: str
    family: str
    seconds: float | None
    firm: bool
    row: dict[str, Any] | None
    nearest: dict[str, Any] | None
    order: float | None
    stated: int
    best: float | None
    runs: int
    failures: dict[str, int]

    @property
    def setting(self) -> str:
        """The setting of `nearest` in words."""
        if self.nearest is None:
            return ""
        return words(self.nearest["kind"], self.nearest["setting"])


def words(kind: str, setting: float) -> str:
    """A setting in words."""
    return f"rtol {setting:.2g}" if kind == "rtol" else f"{setting:.0f} steps"


def outcomes(rows: list[dict[str, Any]], accuracy: float, span: float, floor: float = FLOOR) -> list[Outcome]:
    """One Outcome per method, sorted by time to the accuracy; then by the smallest error; those that always fail last.

    `floor`: errors below say nothing.
    """
    by_method: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_method.setdefault(row["method"], []).append(row)
    return sorted((_outcome(name, own, accuracy, span, floor) for name, own in by_method.items()), key=_rank)


def _outcome(name, rows, accuracy, span, floor):
    row, firm = reached(rows, accuracy)
    measured = [r for r in rows if r["ok"] and r["error"] is not None]
    closest = min(measured, key=lambda r: r["error"], default=None)
    return Outcome(
        name=name,
        coordinates=rows[0]["coordinates"],
        formulation=rows[0]["formulation"],
        integrator=rows[0]["integrator"],
        family=rows[0]["family"],
        seconds=row["cpu_s"] if row else None,
        firm=firm,
        row=row,
        nearest=row or closest,
        order=order_of(rows, span, floor),
        stated=rows[0]["order"],
        best=closest["error"] if closest else None,
        runs=len(rows),
        failures=dict(Counter(r["reason"] for r in rows if not r["ok"])),
    )


def _rank(outcome):
    """Chance hits stand behind firm ones of the same time; then what comes near, then what never ends."""
    if outcome.seconds is not None:
        return 0, outcome.seconds
    return (1, outcome.best) if outcome.best is not None else (2, 0.0)
