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
BEGUN = 0.3  # by so much a ladder that has been begun waits less than one that promises as much
SOON = 0.1  # by so much a rung of a method that has only failed waits less
BEYOND = 6.0  # by so much a rung that only adds to the figure waits longer than one that the table needs
RUNGS = 3.0  # how many a ladder is thought to need where errors are not known
HOPELESS = 10.0  # a method whose first run is cut short is thought to need so many times that time


@dataclass
class Ladder:
    """Rungs of a method, from coarse to fine. `limit` (s): longest run. `floor`: errors below say nothing more."""

    method: Method
    first_steps: int
    accuracy: float
    limit: float
    rows: dict[float, dict[str, Any]] = field(default_factory=dict)  # level -> row
    level: float = 0.0  # of the rung that runs
    guess: float = 0.0  # s, what is expected of it before it has begun
    floor: float = FLOOR
    ended: str = ""  # why there is no further rung

    def setting(self, level: float) -> float:
        """Tolerance or number of steps of a level."""
        if self.method.adaptive:
            return COARSEST_RTOL * 10.0**-level
        return float(round(self.first_steps * 2.0**level))

    def next(self) -> tuple[float, float] | None:
        """(level, rank) of the next rung, or None with `ended` set; the smallest rank, a time to the accuracy (s), goes first."""
        if not self.rows:
            return 0.0, self.guess
        between = self._between()
        if between is not None:
            return between, BEGUN * self._seconds(between)
        last = max(self.rows)
        level = math.floor(last) + 1.0
        self.ended = self._end(level)
        if self.ended:
            return None
        if not any(row["ok"] for row in self.rows.values()):
            return level, SOON * self._seconds(level)  # one failure says little about a method
        return level, BEYOND * self._seconds(level) if self._confirmed() else BEGUN * (self.promised() or 0.0)

    def promised(self) -> float | None:
        """Predicted time to the accuracy (s of marching), from its finest rung that has ended; None where none has."""
        ended = [level for level in sorted(self.rows) if self.rows[level]["ok"]]
        if not ended:
            cut = any(row.get("cut") for row in self.rows.values())
            return HOPELESS * self.limit if cut else None
        good = [self.rows[level]["cpu_s"] for level in ended if self._reaches(level)]
        if good:
            return min(good)
        error, rungs = self.rows[ended[-1]]["error"], RUNGS
        if error is not None:  # it falls with the tolerance, or with the power of the step that the order is
            rungs = math.log10(max(error / self.accuracy, 1.0)) / (
                1.0 if self.method.adaptive else 0.3 * self.method.order
            )
        return self._seconds(ended[-1] + min(max(rungs, 1.0), 20.0))

    def add(self, level: float, row: dict[str, Any]) -> None:
        """Keep the row of a rung."""
        row["level"], self.rows[level] = level, row

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

    def _seconds(self, level):
        """Predicted time of a level, of the march, from the rungs that are nearest."""
        known = [(known, row["cpu_s"] or row["total_s"] or 0.0) for known, row in sorted(self.rows.items())]
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
        if errors and errors[-1] < (self.floor if self._confirmed() else FLOOR):
            return "round-off, or the accuracy of the reference, has been reached"
        if len(errors) > 2 and self._confirmed() and errors[-1] > errors[-2] > errors[-3]:
            return "finer rungs are no longer better"
        if self._seconds(level) > self.limit:
            return f"the next rung would take longer than {self.limit:.3g} s"
        return ""


def order_of(rows: list[dict[str, Any]], span: float, floor: float = FLOOR) -> float | None:
    """Slope of log error over log step, by least squares over the finest rungs above round-off; None where it is no line.

    Of fixed steps only: with a tolerance, methods choose steps that vary, and some of them the order too. `floor`: errors
    below say nothing.
    """
    points = [
        (math.log(span / row["steps"]), math.log(row["error"]))
        for row in rows
        if row["kind"] == "steps" and row["ok"] and row["error"] and row["steps"] and 30 * floor < row["error"] < 3e-2
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
