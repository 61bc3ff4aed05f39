"""The course of a comparison: reference, ladders, then times and drift of the best again; rows are written as they come."""

from __future__ import annotations

import json
import time

import numpy as np

from ..errors import BricardError
from ..simulation import simulate
from . import reference as referring
from .compare_conditioning import conditioning
from .compare_drift import drift
from .compare_run import blank, ended, run, setting_of
from .compare_workers import Lost
from .ladder import Ladder
from .reference import Reference

REFERENCE = 0.1  # share of the budget that one candidate for the reference may take
LONGEST = 0.05  # share of the budget that one run may take
LAST = 0.12  # share of the budget that is kept for repeating the times of the best and for their drift
FIRST = 0.02  # s, taken for a first rung before anything is known
PATIENCE = 12.0  # the least promising method waits for rungs of so many times a typical run
REPEATED, DRIFTING = 16, 12  # methods whose times are taken again; whose drift is followed
REFRESH = 5.0  # s between two reports on the way


class Course:
    """The course of one comparison."""

    def __init__(self, comparison, about, chosen, folder, tell):
        self.comparison, self.about, self.folder, self.tell = comparison, about, folder, tell
        self.chosen, self.ladders = chosen, {}
        self.reference = Reference("", None, 0)
        self.began = self.shown = time.perf_counter()
        self.lines = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self.lines = (folder / "rows.jsonl").open("w", encoding="utf-8")

    @property
    def elapsed(self):
        """Seconds since it began."""
        return time.perf_counter() - self.began

    def all(self, workers):
        """Reference, ladders, then times and drift of the best."""
        c = self.comparison
        self.tell(0.0, "reference")
        length, budget = self.about.systems["absolute"].length, c.budget
        seconds = max(1.0, REFERENCE * budget)
        found = referring.make(workers, length, c.span, c.accuracy, seconds, self.about.problem)
        self.reference = found
        c.reference = {"text": found.text, "accuracy": found.accuracy, "certain": found.certain(c.accuracy)}
        c.reference |= {"measure": found.measure}
        first = max(32, 2 ** round(np.log2(found.steps)) // 2)
        limit = max(0.5, LONGEST * budget)
        for method in self.chosen:
            self.ladders[method] = Ladder(method, first, c.accuracy, limit)
        self._climb(workers, limit)
        self._last(workers, limit)

    def _climb(self, workers, limit):
        c, running = self.comparison, set()
        while True:
            self._guess()
            waiting = [
                (rung[1], m, rung[0]) for m in self.chosen if m not in running and (rung := self.ladders[m].next())
            ]
            waiting.sort(key=lambda entry: entry[0])
            while workers.free and waiting and self.elapsed < (1.0 - LAST) * c.budget:
                _, method, level = waiting.pop(0)
                ladder = self.ladders[method]
                job = {"task": run, "method": method, "setting": ladder.setting(level), "limit": limit}
                running.add(method)
                workers.start(job | {"repeats": 1, "measure": self.reference.error})
                ladder.level = level
            if not workers.busy:
                break
            for job, answer in workers.finished():
                method = job["method"]
                running.discard(method)
                self._keep(method, job["setting"], answer)
        for method, ladder in self.ladders.items():
            c.ended[method.name] = ladder.ended if ladder.next() is None else "the budget was spent"

    def _guess(self):
        """How long methods that have not begun must wait: the less promising, the longer; in units of what runs take here."""
        times = [row["total_s"] for row in self.comparison.rows if row["total_s"]]
        typical = float(np.median(times)) if times else FIRST
        for k, method in enumerate(self.chosen):
            self.ladders[method].guess = typical * (0.5 + PATIENCE * (k / len(self.chosen)) ** 1.5)

    def _keep(self, method, setting, answer):
        """One more row: kept, written, and shown now and then."""
        c, ladder = self.comparison, self.ladders[method]
        if isinstance(answer, BricardError):
            answer = blank(method, setting, str(answer)) | {"cut": isinstance(answer, Lost)}
        row = answer | {"method": method.name, "level": ladder.level}
        ladder.add(ladder.level, row)
        c.rows.append(row)
        if method.name in c.not_run:
            c.not_run.remove(method.name)
        if self.lines is not None:
            self.lines.write(json.dumps(row, default=float) + "\n")
            self.lines.flush()
        begun = len(self.chosen) - len(c.not_run)
        self.tell(min(self.elapsed / c.budget, 1.0), f"{len(c.rows)} runs, {begun} of {len(self.chosen)} methods")
        if self.folder is not None and time.perf_counter() - self.shown > REFRESH:
            self._write()
            self.shown = time.perf_counter()

    def _last(self, workers, limit):
        """Repeat the times of the best, follow the drift of the best of every kind, look at the conditioning."""
        c = self.comparison
        by_name = {method.name: method for method in self.chosen}
        best = [outcome for outcome in c.table if outcome.row is not None][:REPEATED]
        jobs = [
            {
                "task": run,
                "method": by_name[o.name],
                "setting": o.row["setting"],
                "measure": self.reference.error,
                "limit": limit,
            }
            for o in (*best, *best)
        ]
        for outcome, answer in zip((*best, *best), workers.all(jobs), strict=True):
            if isinstance(answer, dict) and answer["ok"]:
                outcome.row["cpu_s"] = min(outcome.row["cpu_s"], answer["cpu_s"])
                outcome.row["runs"] += answer["runs"]
        shown = self._varied(c.table)
        settings = [{"method": by_name[o.name], "setting": o.nearest["setting"], "limit": limit} for o in shown]
        answers = workers.all(
            [*({"task": drift, **setting} for setting in settings), {"task": conditioning, "limit": 4 * limit}]
        )
        c.drift = {o.name: a for o, a in zip(shown, answers, strict=False) if isinstance(a, dict)}
        c.conditioning = answers[-1] if isinstance(answers[-1], dict) else {}
        c.seconds["run"] = self.elapsed

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
        """Where the motion ends, for other packages: the reference's own end, or that of our most accurate method."""
        if self.reference.end is not None:
            return self.reference.end
        measured = [row for row in self.comparison.rows if row["error"] is not None]
        best = min(measured, key=lambda row: row["error"])
        method = next(method for method in self.chosen if method.name == best["method"])
        keywords = setting_of(method, self.comparison.span, best["setting"])
        system = self.about.systems[method.coordinates]
        return ended(simulate(system, self.comparison.span, output=1, progress=False, **keywords))

    def _write(self):
        self.comparison.save(self.folder)

    def finish(self):
        """Close the file of rows and write what is known."""
        self.comparison.seconds["run"] = self.elapsed
        if self.lines is not None:
            self.lines.close()
            self._write()
