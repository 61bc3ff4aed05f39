"""A failing mechanism made small: parts are taken out and numbers made simple while a run still fails in the same way.

Each attempt runs in a process of its own, so that crashes and hangs can be shrunk too.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from typing import Any

from .judge import Trial, kind_of
from .mechanism import Mechanism
from .oracle.system import System

LIMIT = 60.0  # seconds of one attempt
HALVINGS = 4  # of the duration
BUDGET = 240.0  # seconds of all attempts


def outcome_of(mechanism: Mechanism, run: dict[str, Any]) -> tuple[str, str]:
    """Return (outcome, kind of the reason) of one run, in this process."""
    from bricard import BricardError

    try:
        found = Trial(mechanism).judge(run)
    except BricardError as error:
        return "ended", kind_of(str(error))
    except Exception as error:  # the campaign's own, or a crash while the model is declared
        return "crash", type(error).__name__
    return found["outcome"], _way(found)


def _way(found):
    """How a run has failed: of crashes the place, of disagreements nothing more."""
    return kind_of(found["reason"]) if found["outcome"] in ("crash", "ended") else ""


class Shrinker:
    """Attempts on one failing mechanism, with a server process that is replaced where it dies."""

    def __init__(self, mechanism: Mechanism, run: dict[str, Any], limit: float = LIMIT, budget: float = BUDGET):
        self.run, self.limit, self.end = run, limit, time.monotonic() + budget
        self.context, self.process, self.pipe = multiprocessing.get_context("spawn"), None, None
        self.mechanism, self.halvings = mechanism.copy(), HALVINGS
        self.failure = self.outcome(self.mechanism, run)

    def outcome(self, mechanism, run):
        """(outcome, way) of a run; "crash" and "hang" where its process dies or does not come back."""
        if self.process is None or not self.process.is_alive():
            self.pipe, theirs = self.context.Pipe()
            self.process = self.context.Process(target=_serve, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
        self.pipe.send((mechanism.dumps(), run))
        if not self.pipe.poll(self.limit):
            self._stop()
            return "hang", ""
        try:
            return self.pipe.recv()
        except EOFError:
            self._stop()
            return "crash", "process"

    def shrunk(self) -> Mechanism:
        """Return the smallest mechanism that was found in the time."""
        progress = True
        while progress and time.monotonic() < self.end:
            progress = False
            for attempt in self._attempts():
                if time.monotonic() > self.end:
                    break
                if self._fails(attempt):
                    self.mechanism, progress = attempt, True
                    break
        self._stop()
        return self.mechanism

    def _fails(self, attempt):
        try:
            System(attempt)
        except Exception:  # a part was taken out that another one needs
            return False
        return self.outcome(attempt, self.run) == self.failure

    def _stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = None

    def _attempts(self):
        """Smaller mechanisms, the greatest steps first."""
        m = self.mechanism
        for k, body in reversed(list(enumerate(m.bodies))):
            smaller = m.copy()
            del smaller.bodies[k]
            names = _gone(smaller, body["name"])
            yield _without(smaller, names)
        for e in reversed(m.elements):
            yield _without(m.copy(), {e["name"]})
        if m.starts:
            smaller = m.copy()
            smaller.starts = []
            yield smaller
        for k in range(len(m.starts)):
            smaller = m.copy()
            del smaller.starts[k]
            yield smaller
        if any(m.gravity):
            smaller = m.copy()
            smaller.gravity = [0.0, 0.0, 0.0]
            yield smaller
        yield from self._simpler()

    def _simpler(self):
        """The same with plainer numbers."""
        m = self.mechanism
        for digits in (1, 3):
            smaller = _rounded(m, digits)
            if smaller.dumps() != m.dumps():
                yield smaller
        for k, body in enumerate(m.bodies):
            for key, plain in (("com", [0.0, 0.0, 0.0]), ("rotation", [1.0, 0.0, 0.0, 0.0])):
                if list(body[key]) != plain:
                    smaller = m.copy()
                    smaller.bodies[k][key] = plain
                    yield smaller
        for k, e in enumerate(m.elements):
            if e.get("by_frames"):
                smaller = m.copy()
                del smaller.elements[k]["by_frames"]
                yield smaller
        if self.halvings > 0:
            self.halvings -= 1
            smaller = m.copy()
            smaller.duration = 0.5 * m.duration
            yield smaller


def _gone(mechanism, body):
    """Names of the elements of a body that is gone; its starts are taken out."""
    gone = {e["name"] for e in mechanism.elements if body in (e.get("a"), e.get("b"), e.get("body"))}
    mechanism.starts = [start for start in mechanism.starts if start.get("body") != body]
    return gone


def _without(mechanism, names):
    """The mechanism without these elements, and those that need their coordinates."""

    def needs(e):
        used = (e.get(key, "") for key in ("coordinate", "coordinate_1", "coordinate_2"))
        return e["name"] in names or any(text.rpartition(".")[0] in names for text in used if text)

    names = {e["name"] for e in mechanism.elements if needs(e)}
    mechanism.elements = [e for e in mechanism.elements if e["name"] not in names]
    mechanism.starts = [s for s in mechanism.starts if s.get("joint", ".").rpartition(".")[0] not in names]
    return mechanism


def _rounded(mechanism, digits):
    """The mechanism with places and directions of so many digits; nothing that says how things fit is rounded."""
    smaller = mechanism.copy()
    keys = ("point", "point_a", "point_b", "axis", "position", "com", "mass", "stiffness", "damping")
    for table in (*smaller.bodies, *smaller.elements):
        for key in keys:
            if key in table:
                table[key] = _number(table[key], digits)
    smaller.gravity, smaller.duration = _number(smaller.gravity, digits), _number(smaller.duration, digits)
    return smaller


def _number(value, digits):
    if isinstance(value, list):
        return [_number(item, digits) for item in value]
    return (
        value
        if not isinstance(value, float) or value == 0.0 or not math.isfinite(value)
        else float(f"{value:.{digits}g}")
    )


def _serve(pipe):
    while True:
        try:
            text, run = pipe.recv()
        except EOFError:
            return
        pipe.send(outcome_of(Mechanism.loads(text), run))
