"""The course of a comparison: reference, ladders, then times and drift of the best again; rows are written as they come."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import BricardError
from . import reference as referring
from .compare_conditioning import conditioning
from .compare_drift import drift
from .compare_methods import promise
from .compare_run import blank, distance, run
from .compare_workers import Lost
from .ladder import FLOOR, Ladder
from .recommend import STIFF, stiffness
from .reference import Candidate, Reference

REFERENCE = 0.25  # share of the budget that the reference may take
LONGEST = 0.05  # share of the budget that one run may take
FIRST_LONGEST = 0.2  # the same as long as no run has reached the end
LAST = 0.12  # share of the budget that is kept for repeating the times of the best and for their drift
FIRST = 0.02  # s to the accuracy, taken for the most promising method before anything is known
SCOUT = 1e-6  # by so much the first of each kind waits less
STIFFER = 10.0  # by so much explicit methods are thought to take longer where a model is stiff
REPEATED, DRIFTING = 16, 12  # methods whose times are taken again; whose drift is followed
REPEATING = 2.0  # rungs of these that took at most so many times the fastest one are run again
REFRESH = 5.0  # s between two reports on the way
FILES = ("report.html", "comparison.json", "rows.parquet")


class Course:
    """The course of one comparison."""

    def __init__(self, comparison, about, chosen, folder, tell):
        self.comparison, self.about, self.folder, self.tell = comparison, about, folder, tell
        self.chosen, self.ladders = chosen, {}
        self.kinds = {kind: [m for m in chosen if _kind(m) == kind] for kind in dict.fromkeys(map(_kind, chosen))}
        self.rungs = {}  # method -> (level, rank) of the next rung of ladders that have begun
        self.scales = {}  # kind -> method -> predicted time to the accuracy over what is usual
        self.ends = {}  # (name of a method, level) -> where that run ended
        self.reference = Reference("", None, 0)
        self.stiff = False
        self.began = self.shown = time.monotonic()
        self.lines = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            for name in FILES:  # of an earlier comparison
                (folder / name).unlink(missing_ok=True)
            self.lines = (folder / "rows.jsonl").open("w", encoding="utf-8")

    @property
    def elapsed(self):
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def length(self):
        """Characteristic length of the mechanism."""
        return self.about.systems["absolute"].length

    def all(self, workers):
        """Reference, ladders, then times and drift of the best."""
        c = self.comparison
        self.began = time.monotonic()
        self.tell(0.0, "reference")
        self.stiff = stiffness(self.about.systems["absolute"]) > STIFF
        seconds = REFERENCE * c.budget
        self._refer(referring.make(workers, self.length, c.span, c.accuracy, seconds, self.about.problem, self.stiff))
        c.seconds["reference"] = self.elapsed
        first = max(32, 2 ** round(np.log2(self.reference.steps)) // 2)
        limit = max(0.5, LONGEST * c.budget)
        for method in self.chosen:
            self.ladders[method] = Ladder(method, first, c.accuracy, limit)
        self._climb(workers, limit)
        self._improve()
        self._last(workers, limit)

    def _refer(self, found):
        c, self.reference = self.comparison, found
        c.reference = {"text": found.text, "accuracy": found.accuracy, "certain": found.certain(c.accuracy)}
        c.reference |= {"measure": found.measure, "sensitive": found.sensitive, "failed": found.failed}

    def _improve(self):
        """Where the reference is not certain, choose it again from the runs of the ladders too; errors follow it."""
        c, old = self.comparison, self.reference
        if old.certain(c.accuracy) or old.sensitive or old.problem:
            return
        rows = [row for row in c.rows if (row["method"], row["level"]) in self.ends]
        found = [_candidate(row, self.ends[row["method"], row["level"]]) for row in rows]
        new = referring.chosen([*old.found, *found], self.length, c.accuracy, old.failed)
        worse = old.accuracy is not None and (new.accuracy is None or new.accuracy >= old.accuracy)
        if worse or new.end is None:
            return
        self._refer(replace(new, found=old.found, sensitive=False))
        for row in rows:
            row["error"] = self._error(self.ends[row["method"], row["level"]])
        for method in [method for method, ladder in self.ladders.items() if ladder.rows]:
            self._look(method)

    def _error(self, end):
        """The error of a run; of the reference itself what it is known to, None if that is not known."""
        assert self.reference.end is not None
        return distance(end, self.reference.end, self.length) or self.reference.accuracy

    def _climb(self, workers, limit):
        c, running = self.comparison, set()
        while True:
            longest = limit if any(row["ok"] for row in c.rows) else max(limit, FIRST_LONGEST * c.budget)
            while workers.free and self.elapsed < (1.0 - LAST) * c.budget and (rung := self._next(running)):
                _, method, level = rung
                ladder = self.ladders[method]
                job = {"task": run, "method": method, "setting": ladder.setting(level), "limit": longest}
                running.add(method)
                workers.start(job | {"repeats": 1, "measure": self._measure()})
                ladder.level = level
            if not workers.busy:
                break
            for job, answer in workers.finished():
                method = job["method"]
                running.discard(method)
                self._keep(method, job["setting"], answer)
        for method, ladder in self.ladders.items():
            c.ended[method.name] = ladder.ended if ladder.next() is None else "the budget was spent"

    def _measure(self):
        return self.reference.error if self.reference.known else None

    def _next(self, running):
        """(rank, method, level) of the rung that promises most, of ladders that have begun and the next one of each kind.

        What is expected of these is what is usual for them, in units of what their kind takes here. The most promising one of
        each kind goes first, implicit ones before explicit ones where the model is stiff.
        """
        waiting = [(rank, method, level) for method, (level, rank) in self.rungs.items() if method not in running]
        typical = {kind: statistics.median(found.values()) for kind, found in self.scales.items()}
        usual = statistics.median(typical.values()) if typical else FIRST
        for kind, methods in self.kinds.items():
            method = next((m for m in methods if not self.ladders[m].rows and m not in running), None)
            if method is None:
                continue
            dearer = STIFFER if self.stiff and method.family == "explicit" else 1.0
            ladder, scout = self.ladders[method], method is methods[0]
            ladder.guess = promise(method) * typical.get(kind, usual * dearer)
            waiting.append((SCOUT * ladder.guess if scout else ladder.guess, method, 0.0))
        return min(waiting, key=lambda entry: entry[0], default=None)

    def _look(self, method):
        """The next rung of a ladder that has begun, and what it says about its kind."""
        ladder = self.ladders[method]
        rung, seconds = ladder.next(), ladder.promised()
        self.rungs.pop(method, None)
        if rung is not None:
            self.rungs[method] = rung
        if seconds:
            self.scales.setdefault(_kind(method), {})[method] = seconds / promise(method)

    def _keep(self, method, setting, answer):
        """One more row: kept, written, and shown now and then."""
        c, ladder = self.comparison, self.ladders[method]
        if isinstance(answer, BricardError):
            answer = blank(method, setting, str(answer)) | {"cut": isinstance(answer, Lost)}
        row = answer | {"method": method.name, "level": ladder.level}
        end: Any = row.pop("end", None)
        if end is not None:
            self.ends[method.name, ladder.level] = end
            if self.reference.end is not None:  # it may have changed since the run began
                row["error"] = self._error(end)
        if self.reference.certain(c.accuracy):
            ladder.floor = max(FLOOR, self.reference.accuracy or 0.0)
        ladder.add(ladder.level, row)
        self._look(method)
        c.rows.append(row)
        if method.name in c.not_run:
            c.not_run.remove(method.name)
        if self.lines is not None:
            self.lines.write(json.dumps(row, default=float) + "\n")
            self.lines.flush()
        begun = len(self.chosen) - len(c.not_run)
        self.tell(min(self.elapsed / c.budget, 1.0), f"{len(c.rows)} runs, {begun} of {len(self.chosen)} methods")
        if time.monotonic() - self.shown > REFRESH:
            self._improve()
            if self.folder is not None:
                self._write()
            self.shown = time.monotonic()

    def _last(self, workers, limit):
        """Repeat the times of the best, follow the drift of the best of every kind, look at the conditioning."""
        c = self.comparison
        by_name = {method.name: method for method in self.chosen}
        best = {outcome.name: outcome.seconds for outcome in c.table[:REPEATED] if outcome.seconds is not None}
        rows = [row for row in c.rows if row["method"] in best and row["error"] is not None]
        # a coarser rung may be the faster one after all
        rows = [row for row in rows if row["error"] <= c.accuracy and row["cpu_s"] <= REPEATING * best[row["method"]]]
        rows = sorted(rows, key=lambda row: row["cpu_s"])
        jobs = [
            {"task": run, "method": by_name[row["method"]], "setting": row["setting"], "measure": None, "limit": limit}
            for row in (*rows, *rows)
        ]
        until = self.began + c.budget
        answers = workers.all(jobs, until - 0.4 * (until - time.monotonic()))  # the rest is for the drift
        for row, answer in zip((*rows, *rows), answers, strict=True):
            if isinstance(answer, dict) and answer["ok"]:
                row["cpu_s"] = min(row["cpu_s"], answer["cpu_s"])
                row["runs"] += answer["runs"]
                row["seconds_per_step"] = row["cpu_s"] / max(row["steps"] + row["rejected"], 1)
        shown = self._varied(c.table)
        settings = [{"method": by_name[o.name], "setting": o.nearest["setting"], "limit": limit} for o in shown]
        first, *answers = workers.all(
            [{"task": conditioning, "limit": 4 * limit}, *({"task": drift, **setting} for setting in settings)], until
        )
        c.drift = {o.name: a for o, a in zip(shown, answers, strict=True) if isinstance(a, dict)}
        c.conditioning = first if isinstance(first, dict) else {}

    @staticmethod
    def _varied(table):
        """The best methods, but at most two of one integrator: what drifts is a matter of kinds."""
        shown, count = [], {}
        for outcome in table:
            kind = outcome.integrator
            if outcome.nearest is not None and count.get(kind, 0) < (2 if outcome.seconds is not None else 1):
                shown.append(outcome)
                count[kind] = count.get(kind, 0) + 1
        return shown[:DRIFTING]

    def end(self):
        """Where the motion ends, for other packages: as the reference does, or our most accurate run; None if none ended."""
        if self.reference.end is not None:
            return self.reference.end
        measured = [row for row in self.comparison.rows if row["error"] is not None]
        best = min(measured, key=lambda row: row["error"], default=None)
        return None if best is None else self.ends[best["method"], best["level"]]

    def _write(self):
        self.comparison.save(self.folder)

    def finish(self):
        """Write what is known; rows once more, for the reference may have changed on the way."""
        c = self.comparison
        c.seconds["run"] = self.elapsed
        self._improve()
        for method, ladder in self.ladders.items():
            if ladder.rows and method.name not in c.ended:
                c.ended[method.name] = ladder.ended or "the comparison was interrupted"
        if self.lines is not None:
            self.lines.seek(0)
            self.lines.truncate()
            self.lines.writelines(json.dumps(row, default=float) + "\n" for row in c.rows)
            self.lines.close()
            self._write()


def _kind(method):
    return method.family, method.coordinates


def _candidate(row: dict[str, Any], end: dict[str, np.ndarray]) -> Candidate:
    """A run of a ladder as a candidate for the reference."""
    name = f"{row['method']} at {row['kind']} {row['setting']:.3g}"
    kind = referring.KINDS.get(str(row["integrator"]), str(row["family"]))
    return Candidate(
        name, row["formulation"], kind, end, row["steps"], 10.0 ** -(3.0 + row["level"]), row["integrator"]
    )
