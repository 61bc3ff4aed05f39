"""The ladder of one method: which setting to try next, and what the rungs say about time and accuracy.

Level 0 is coarse; a level more is ten times the tolerance or twice the steps. When two neighbours lie on both sides of the
accuracy asked for, the level between them is tried too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from .compare_methods import Method

COARSEST_RTOL, FINEST_RTOL = 1e-3, 1e-12
FINEST_STEPS = 2**24
FLOOR = 3e-12  # errors below say nothing more
FAILURES = 4  # rungs one after the other after which a ladder ends
STRAIGHT = 0.9  # share of the variance that a line must explain to count as an order
SOON = 0.1  # by so much a rung of a method that has only failed waits less
BEYOND = 6.0  # by so much a rung that only adds to the figure waits longer than one that the table needs


@dataclass
class Ladder:
    """Rungs of a method, from coarse to fine. `limit` (s): longest run."""

    method: Method
    first_steps: int
    accuracy: float
    limit: float
    rows: dict[float, dict[str, Any]] = field(default_factory=dict)  # level -> row
    level: float = 0.0  # of the rung that runs
    guess: float = 0.0  # s, how long the first rung waits
    ended: str = ""  # why there is no further rung

    def setting(self, level: float) -> float:
        """Tolerance or number of steps of a level."""
        if self.method.adaptive:
            return COARSEST_RTOL * 10.0**-level
        return float(round(self.first_steps * 2.0**level))

    def next(self) -> tuple[float, float] | None:
        """(level, how long it must wait for others) of the next rung, or None with `ended` set."""
        if not self.rows:
            return 0.0, self.guess
        between = self._between()
        if between is not None:
            return between, self._seconds(between, "total_s")
        last = max(self.rows)
        level = math.floor(last) + 1.0
        self.ended = self._end(level)
        if self.ended:
            return None
        wait = self._seconds(level, "total_s")
        if not any(row["ok"] for row in self.rows.values()):
            return level, SOON * wait  # one failure says little about a method
        return level, wait * (BEYOND if self._confirmed() else 1.0)

    def add(self, level: float, row: dict[str, Any]) -> None:
        """Keep the row of a rung."""
        self.rows[level] = row | {"level": level}

    def _whole(self):
        return sorted(level for level in self.rows if level == math.floor(level))

    def _reaches(self, level):
        row = self.rows[level]
        return row["ok"] and row["error"] is not None and row["error"] <= self.accuracy

    def _between(self):
        """The half level where the accuracy is crossed, if it has not been tried."""
        for a, b in zip(self._whole(), self._whole()[1:], strict=False):
            if self._reaches(b) and not self._reaches(a) and self.rows[a]["ok"] and a + 0.5 not in self.rows:
                return a + 0.5
        return None

    def _confirmed(self):
        whole = self._whole()
        return len(whole) > 1 and self._reaches(whole[-1]) and self._reaches(whole[-2])

    def _seconds(self, level, key="cpu_s"):
        """Predicted time of a level, of the march or with all that is around it, from the rungs that are nearest."""
        known = [(known, row[key] or row["total_s"] or 0.0) for known, row in sorted(self.rows.items())]
        known = [(known, seconds) for known, seconds in known if seconds > 0.0]
        if not known:
            return self.guess
        growth = 2.0 if not self.method.adaptive else 10.0 ** (1.0 / max(self.method.order, 1))
        if len(known) > 1 and known[-1][0] > known[-2][0]:
            seen = (known[-1][1] / known[-2][1]) ** (1.0 / (known[-1][0] - known[-2][0]))
            growth = min(max(seen, 1.2), 10.0)
        return known[-1][1] * growth ** (level - known[-1][0])

    def _end(self, level):
        setting, rows = self.setting(level), [self.rows[k] for k in sorted(self.rows)]
        if self.method.adaptive and setting < 0.99 * FINEST_RTOL:
            return "the finest tolerance has been reached"
        if not self.method.adaptive and setting > FINEST_STEPS:
            return "the largest number of steps has been reached"
        if rows[-1].get("cut"):
            return rows[-1]["reason"]
        if len(rows) >= FAILURES and not any(row["ok"] for row in rows[-FAILURES:]):
            return f"{FAILURES} rungs one after the other failed"
        errors = [row["error"] for row in rows if row["error"] is not None]
        if errors and errors[-1] < FLOOR:
            return "round-off has been reached"
        if len(errors) > 2 and self._confirmed() and errors[-1] > errors[-2] > errors[-3]:
            return "finer rungs are no longer better"
        if self._seconds(level) > self.limit:
            return f"the next rung would take longer than {self.limit:.3g} s"
        return ""


def order_of(rows: list[dict[str, Any]], span: float) -> float | None:
    """Slope of log error over log mean step, by least squares over the finest rungs above round-off; None where it is no line."""
    points = [
        (math.log(span / row["steps"]), math.log(row["error"]))
        for row in rows
        if row["ok"] and row["error"] and row["steps"] and 30 * FLOOR < row["error"] < 3e-2
    ]
    points = sorted(points)[:5]
    if len(points) < 3:
        return None
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    xx, yy = (sum((p[k] - m) ** 2 for p in points) for k, m in ((0, x), (1, y)))
    xy = sum((p[0] - x) * (p[1] - y) for p in points)
    if xx < 1e-3 or xy <= 0.0 or xy * xy < STRAIGHT * xx * yy:
        return None
    return xy / xx


def reached(rows: list[dict[str, Any]], accuracy: float) -> tuple[dict[str, Any] | None, bool]:
    """The fastest rung that meets the accuracy, and whether every finer one meets it too (else it was chance).

    A rung from which on all finer ones meet it is preferred to a faster one that does so by chance.
    """
    ordered = sorted(rows, key=lambda row: row["level"])
    hits = [row for row in ordered if row["ok"] and row["error"] is not None and row["error"] <= accuracy]
    finished = [row for row in ordered if not row.get("cut")]
    firm = [hit for hit in hits if all(row in hits for row in finished if row["level"] > hit["level"])]
    best = min(firm or hits, key=lambda row: row["cpu_s"], default=None)
    return best, bool(firm)
