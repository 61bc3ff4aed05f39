"""The campaign: two workers, a time limit for each run, one line of JSON for each mechanism; it resumes where it was stopped."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from .combinations import family
from .worker import work

LIMIT = 150.0  # seconds of CPU of one run; users' functions are compiled in it
WAITING = 8.0  # times as much of the clock
FIRST = 4.0  # times as much for the first mechanism of a process, which may have to compile the package


class Runner:
    """Runs mechanisms 0 ... count - 1 of a seed and keeps their records in a file."""

    def __init__(self, seed: int, count: int, path: Path, workers: int = 2, limit: float = LIMIT):
        self.seed, self.count, self.path, self.workers, self.limit = seed, count, path, workers, limit
        self.context = multiprocessing.get_context("spawn")

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the file, the last one perhaps torn by a kill left out."""
        found = []
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    found.append(json.loads(line))
                except json.JSONDecodeError:
                    continue
        return [record for record in found if record["seed"] == self.seed and record["index"] < self.count]

    def run(self, progress=lambda done, count: None) -> list[dict[str, Any]]:
        """Run what is not in the file yet; all records."""
        done = self.records()
        known = {record["index"] for record in done}
        self.todo = iter([index for index in range(self.count) if index not in known])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        team = [worker for worker in (self._hire() for _ in range(self.workers)) if worker]
        with self.path.open("a") as file:
            while team:
                ready = wait([worker["pipe"] for worker in team], timeout=1.0)
                for worker in list(team):
                    record = self._hear(worker, worker["pipe"] in ready)
                    if record is None:
                        continue
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                    done.append(record)
                    progress(len(done), self.count)
                    alive = worker["process"].is_alive() and "stopped" not in record
                    if not (self._next(worker) if alive else self._replace(team, worker)):
                        self._dismiss(team, worker)
        return sorted(done, key=lambda record: record["index"])

    def _hire(self):
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=work, args=(theirs, self.seed), daemon=True)
        process.start()
        theirs.close()
        worker = {"process": process, "pipe": ours, "fresh": True}
        if self._next(worker):
            return worker
        self._stop(worker)
        return None

    def _next(self, worker):
        """Give the worker the next mechanism; False if there is none."""
        worker |= {"index": next(self.todo, None), "run": None}
        worker |= {"since": cpu_time(worker["process"].pid), "clock": time.monotonic()}
        if worker["index"] is not None:
            worker["pipe"].send(worker["index"])
        return worker["index"] is not None

    def _hear(self, worker, ready):
        """The record of a worker that has finished, died or is late; None while it works."""
        if ready:
            try:
                what, value = worker["pipe"].recv()
            except (EOFError, OSError):
                worker["process"].join(5.0)
                return self._lost(worker, "crash", f"the process ended with code {worker['process'].exitcode}")
            if what == "done":
                worker["fresh"] = False
                return value
            worker |= {"run": value, "since": cpu_time(worker["process"].pid), "clock": time.monotonic()}
        elif self._late(worker):
            self._stop(worker)
            return self._lost(worker, "hang", f"no end after {self.limit:g} s")
        return None

    def _late(self, worker):
        """Whether a run takes too long: by its CPU time, or by the clock if it waits for something."""
        times = FIRST if worker["fresh"] else 1.0
        spent = cpu_time(worker["process"].pid) - worker["since"]
        return max(spent, (time.monotonic() - worker["clock"]) / WAITING) > times * self.limit

    def _lost(self, worker, outcome, reason):
        run = worker["run"] or {"coordinates": "absolute"}
        entry = {"run": run, "family": family(run), "outcome": outcome, "reason": reason, "seconds": self.limit}
        from .generator import draw

        drawn = draw(self.seed, worker["index"])
        record = {"seed": self.seed, "index": worker["index"], "shape": drawn.shape, "bodies": len(drawn.bodies)}
        kinds = [e["kind"] for e in drawn.elements]
        return record | {"kinds": kinds, "functions": [], "runs": [entry], "stopped": True}

    def _replace(self, team, worker):
        self._stop(worker)
        fresh = self._hire()
        if fresh is not None:
            team[team.index(worker)] = fresh
        return fresh is not None

    def _dismiss(self, team, worker):
        self._stop(worker)
        team.remove(worker)

    @staticmethod
    def _stop(worker):
        worker["process"].kill()
        worker["process"].join()
        worker["pipe"].close()


def cpu_time(pid: int) -> float:
    """Return the CPU time (s) of a process, so that a busy machine makes no hangs; the clock's where that is not told."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
