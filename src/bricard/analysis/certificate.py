"""Certificate: what certify() has found, as a record and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..solution.solution import Solution
from .soundness import Check
from .unlike import Pair

FIRST, TIGHTENED, SECOND = "first", "tightened", "second"


@dataclass(frozen=True, eq=False)
class Run:
    """One of the runs that were compared, or one that did not reach its end.

    role : "first", the one that is delivered; "tightened", the same with a tighter tolerance; "second", the other method.
    status : how it ended, in a sentence. solution : None where there is none. balance : largest error of its energy balance, as a
    share of the energy in motion; NaN where it is not known.
    """

    role: str
    coordinates: str
    pair: Pair
    rtol: float
    ok: bool
    status: str
    solution: Solution | None = field(default=None, repr=False)
    balance: float = np.nan

    def __str__(self) -> str:
        return f"{self.coordinates} coordinates, {self.pair}, rtol {self.rtol:.0e}"


@dataclass(frozen=True, eq=False)
class Vouched:
    """The error that is vouched for of one channel.

    error : the largest up to the time that the certificate reaches, in `unit`. size : natural size of such a channel, beside
    which it is judged. course (n,) : the same up to each sample of the solution.
    """

    kind: str
    unit: str
    size: float
    error: float
    course: np.ndarray = field(repr=False)

    @property
    def share(self) -> float:
        """The error in natural sizes, as `accuracy` is."""
        return self.error / self.size


@dataclass(frozen=True, eq=False)
class Certificate:
    """What two methods that share little say of one motion, and the error that they vouch for.

    ok : whether motion, energy and reactions are known to `accuracy` (in natural sizes) over the whole `duration` (s), and all
    checks hold. solution : the motion, None where no run gave one. errors : name of a channel -> Vouched. agrees_until : time (s)
    up to which motion and energy are known to that accuracy. disagreements : sentences, what is amiss and from when on. runs :
    those compared, and those that failed. checks : what agreement alone does not show. left_out : joints whose reactions are not
    unique, and are not compared. notes : what else is to be known. text : all of it.
    """

    name: str
    duration: float
    accuracy: float
    ok: bool
    solution: Solution | None = field(repr=False)
    agrees_until: float
    errors: Mapping[str, Vouched] = field(repr=False)
    disagreements: tuple[str, ...]
    checks: tuple[Check, ...] = field(repr=False)
    runs: tuple[Run, ...] = field(repr=False)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def error_of(self, value: Callable[[Solution], Any]) -> np.ndarray:
        """Error (n,) that is vouched for up to each sample, of what you compute from a Solution: value(solution) gives (n, ...).

        Made as those of the channels: how far the three runs are apart in it.
        """
        first, tightened, second = (np.asarray(value(self.run(role)), float) for role in (FIRST, TIGHTENED, SECOND))
        k = min(map(len, (first, tightened, second)))
        return claimed(*(distance(first[:k], other[:k]) for other in (tightened, second)))

    def run(self, role: str) -> Solution:
        """The Solution of a role; of the first one where there is no other."""
        found = [run.solution for run in self.runs if run.role == role and run.ok and run.solution is not None]
        if not found and self.solution is not None:
            return self.solution
        return found[-1]

    @property
    def text(self) -> str:
        """The certificate in words."""
        from .wording import text

        return text(self)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Everything but the solutions, for JSON."""
        return {
            "model": self.name,
            "duration": self.duration,
            "accuracy": self.accuracy,
            "ok": self.ok,
            "agrees_until": self.agrees_until,
            "disagreements": list(self.disagreements),
            "errors": {
                name: {"kind": e.kind, "unit": e.unit, "error": e.error, "size": e.size}
                for name, e in self.errors.items()
            },
            "checks": [check._asdict() for check in self.checks],
            "runs": [_row(run) for run in self.runs],
            "left_out": list(self.left_out),
            "notes": list(self.notes),
        }


def _row(run):
    table = {"role": run.role, "coordinates": run.coordinates, **run.pair._asdict(), "rtol": run.rtol}
    return table | {"ok": run.ok, "status": run.status, "balance": run.balance}


def distance(one, other):
    """Distance (n,) of values (n, ...)."""
    return np.linalg.norm((one - other).reshape(len(one), -1), axis=1)


def claimed(*gaps: np.ndarray) -> np.ndarray:
    """The error (n,) that is vouched for, from the distances (n,) of the delivered run from others: their sum, never to fall.

    If all others are better, each distance is the error but for what they are off, and the sum has room for that; where one of
    them is worse, its distance is too large, not too small.
    """
    with np.errstate(invalid="ignore"):
        total = np.sum(gaps, axis=0)
    return np.maximum.accumulate(np.where(np.isfinite(total), total, np.inf))
