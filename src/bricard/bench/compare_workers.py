"""Processes that run the jobs of a comparison: one per core, each with its own copy of the systems.

They are forked where that is possible, or started as `multiprocessing.set_start_method` says; then the systems are pickled, and
the processes load what has been compiled before their first job. A process that takes longer than its job may, or dies, is
replaced; its job gets an answer that says so. A job is a dict: "task", a function (systems, span, **job) of a module, "limit"
(s), and the other keywords of that function.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from typing import Any

from ..errors import BricardError
from ..interrupts import whole

READY = "ready"  # first word of a process; the time of its jobs begins behind it
ALONE = 1.0  # s after which an idle process looks whether its parent is still there


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Lost(BricardError):
    """A process died, or took longer than it may."""


class Workers:
    """`start(job)` while `free`; `finished(timeout)` gives (job, answer) pairs. Close it, or use it as a context.

    The answer is what the task returned, or the BricardError that it raised; Lost if there is no answer.
    """

    def __init__(self, systems, span: float, count: int, prepare: Callable[[], None] | None = None):
        """Start `count` processes; those that are not forked call prepare() first, to load what the jobs will use."""
        chosen = multiprocessing.get_start_method(allow_none=True)
        if chosen is None and "fork" in multiprocessing.get_all_start_methods():
            chosen = "fork"
        self._context: Any = multiprocessing.get_context(chosen)
        self._arguments = systems, span, None if chosen == "fork" else prepare
        self._idle = [self._worker() for _ in range(count)]
        for _, connection in self._idle:
            connection.poll(None)  # until it is ready, or has ended
        self._busy: dict[Any, tuple[Any, dict[str, Any], float]] = {}  # connection -> process, job, deadline

    @property
    def free(self) -> int:
        """How many more jobs can be started now."""
        return len(self._idle)

    @property
    def busy(self) -> int:
        """How many jobs run."""
        return len(self._busy)

    def all(self, jobs: list[dict[str, Any]], until: float = math.inf) -> list[Any]:
        """The answers to all jobs, in their order; see each()."""
        answers = dict(self.each(jobs, until))
        return [answers[k] for k in range(len(jobs))]

    def each(self, jobs: list[dict[str, Any]], until: float = math.inf) -> Iterator[tuple[int, Any]]:
        """(number of the job, answer) as they come. `until`, as time.monotonic() counts: what has not ended by then is Lost."""
        waiting, running = list(enumerate(jobs)), {}
        while waiting or running:
            while waiting and self.free and (left := until - time.monotonic()) > 0.0:
                k, job = waiting.pop(0)
                job = job | {"limit": min(job["limit"], left)}
                running[id(job)] = k
                self.start(job)
            if not running:
                break
            for job, answer in self.finished():
                yield running.pop(id(job)), answer
        for k, _ in waiting:
            yield k, Lost("no time was left for it")

    def drop(self) -> None:
        """Give up the jobs that run: nobody needs them any more."""
        for connection, (process, *_) in self._busy.items():
            process.kill()
            process.join()
            connection.close()
            self._idle.append(self._worker())
        self._busy = {}

    def start(self, job: dict[str, Any]) -> None:
        """Give a job to an idle process."""
        process, connection = self._idle.pop()
        try:
            connection.recv()  # READY
        except EOFError:
            process.join()
            raise BricardError(
                f"A process of the comparison ended before its first job (exit code {process.exitcode}). A script that starts "
                'processes by spawn or forkserver needs `if __name__ == "__main__":` around what it does.'
            ) from None
        connection.send(job)
        self._busy[connection] = (process, job, time.monotonic() + job["limit"])

    def finished(self, timeout: float = 0.1) -> list[tuple[dict[str, Any], Any]]:
        """(job, answer) of the jobs that have ended since the last call; waits up to `timeout` (s) for the first one."""
        done = []
        ready: list[Any] = wait(list(self._busy), timeout)
        for connection in ready:
            process, job, _ = self._busy.pop(connection)
            try:
                answer = connection.recv()
                self._idle.append((process, connection))
            except EOFError:
                process.join()
                answer = Lost(f"its process died (exit code {process.exitcode})")
                self._idle.append(self._worker())
            done.append((job, answer))
        for connection, (process, job, deadline) in list(self._busy.items()):
            if time.monotonic() > deadline:
                del self._busy[connection]
                process.kill()
                process.join()
                self._idle.append(self._worker())
                done.append((job, Lost(f"not finished after {job['limit']:.3g} s")))
        return done

    def close(self) -> None:
        """End all processes."""
        for process, connection in [*self._idle, *((p, c) for c, (p, _, _) in self._busy.items())]:
            process.kill()
            process.join()
            connection.close()
        self._idle, self._busy = [], {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @whole  # Python swallows what is raised while it forks
    def _worker(self):
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there, *self._arguments), daemon=True)
        process.start()
        there.close()
        return process, here


def _serve(connection, systems, span, prepare):
    """The loop of a process: Ctrl-C belongs to the parent, what C libraries print belongs to nobody."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    if prepare is not None:
        prepare()
    connection.send(READY)
    parent = os.getppid()
    while True:
        while not connection.poll(ALONE):
            if os.getppid() != parent:
                return
        job = connection.recv()
        task = job.pop("task")
        try:
            answer = task(systems, span, **job)
        except BricardError as error:
            answer = BricardError(str(error))
        connection.send(answer)
        connection.send(READY)
