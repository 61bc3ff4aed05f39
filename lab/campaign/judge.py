"""One run of the package against the oracle, and what came of it.

agree       adaptive: within 10 times rtol, times the growth of errors in this motion; where it is not, a run with a hundredth
            of rtol has to be (then `excess` says by how much the first one was off). Fixed steps: within 10 times the distance of
            two runs, one with half the step of the other; so a method that converges to something else is found out.
ended       an error of ours, or a Solution that says that it is not ok: with a sentence.
disagree    everything else that comes back; crash: what is raised and is none of our errors.
"""

from __future__ import annotations

import re
import time
import traceback
import warnings
from typing import Any

import numpy as np

from . import declaring
from .combinations import family
from .generator import coordinates_of
from .mechanism import Mechanism
from .oracle.motion import TooLong
from .reference import CLOSES, Reference, distances

TIMES = 10.0  # what rtol asks
FLOOR = 1e-11  # round-off
HALVINGS = 3
COARSE = 1e-2  # distance of two runs with different steps beyond which nothing can be said
OWN_MODEL = ("penalty",)  # formulations whose error does not vanish with the step


class Failed(Exception):
    """A run has ended with a sentence."""


class Trial:
    """A mechanism under trial: its Reference, the package's model and systems, made once."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.names = coordinates_of(mechanism)
        self.model = declaring.model(mechanism)
        self.systems: dict[tuple, Any] = {}
        self.reference: Reference | None = None

    def judge(self, run: dict[str, Any]) -> dict[str, Any]:
        """Return what came of one run: outcome, and reason, excess, seconds."""
        from bricard import BricardError

        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = self._judge(run)
            except TooLong as error:
                found = {"outcome": "no oracle", "reason": str(error)}
            except (BricardError, Failed) as error:
                found = {"outcome": "ended", "reason": f"{type(error).__name__}: {error}"}
            except Exception as error:
                frame = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
                found = {"outcome": "crash", "reason": f"{type(error).__name__} in {place}: {error}"}
        return {"run": run, "family": family(run), **found, "seconds": round(time.process_time() - began, 3)}

    def _judge(self, run):
        solution = self._solution(run)
        seen = self.reference.seen(solution)
        start = self.reference.state(seen)
        gap, slip = self.reference.start_errors(start)
        if not max(gap, slip) <= CLOSES:
            return {"outcome": "disagree", "reason": f"the start violates the constraints by {gap:.1g} and {slip:.1g}"}
        oracle = self.reference.of(start)
        if "step" in run:
            return self._fixed(run, solution, seen, oracle)
        return self._adaptive(run, solution, seen, oracle)

    def _solution(self, run, **changes):
        """The Solution of a run that has reached its end."""
        import bricard as br

        options = {**run, **changes}
        key = options.pop("coordinates"), options.pop("rotation", "group")
        if key not in self.systems:
            self.systems[key] = self.model.build(coordinates=key[0], rotation=key[1])
        system = self.systems[key]
        if self.reference is None:
            self.reference = Reference(self.mechanism, self.names, float(system.length))
        if "step" in options:
            options["step"] *= self.mechanism.duration
        solution = br.simulate(system, self.mechanism.duration, output=self.reference.times, check=False, **options)
        if not solution.ok:
            raise Failed(solution.status)
        return solution

    def _adaptive(self, run, solution, seen, oracle):
        errors, allowed = self._errors(solution, seen, oracle, run["rtol"])
        excess = float((errors / allowed).max(initial=0.0))
        if excess <= 1.0:
            return {"outcome": "agree", "excess": excess, "until": oracle.until}
        tighter = max(run["rtol"] / 100.0, 1e-12)
        second = self._solution(run, rtol=tighter)
        again, limit = self._errors(second, self.reference.seen(second), oracle, tighter)
        rest = float((again / limit).max(initial=0.0))
        if rest <= 1.0 or (again.max() < 0.03 * errors.max() and rest <= excess):
            return {"outcome": "agree", "excess": excess, "until": oracle.until}
        return self._apart(errors, allowed, f"; with rtol {tighter:.0e} by {again.max():.2g}")

    def _errors(self, solution, seen, oracle, rtol):
        """(errors, what is allowed) at the samples that can be compared."""
        n = oracle.until
        errors = distances(seen, oracle.seen, oracle.weights)[:n]
        allowed = TIMES * rtol * oracle.growth[:n] + oracle.part[:n] + FLOOR * oracle.growth[:n]
        return np.where(np.isfinite(errors), errors, np.inf), allowed

    def _fixed(self, run, solution, seen, oracle):
        step, n = run["step"], oracle.until
        models = []
        if run["formulation"] in OWN_MODEL:
            models = [self.reference.seen(self._solution(run, kappa=1e6))]
        coarse = seen
        for _ in range(HALVINGS):
            step *= 0.5
            fine = self.reference.seen(self._solution(run, step=step))
            own = np.maximum.accumulate(distances(coarse, fine, oracle.weights))[:n]
            if models:
                own = own + distances(models[0], fine, oracle.weights)[:n]
            errors = distances(fine, oracle.seen, oracle.weights)[:n]
            errors = np.where(np.isfinite(errors), errors, np.inf)
            allowed = TIMES * own + oracle.part[:n] + 1e3 * FLOOR * oracle.growth[:n]
            excess = float((errors / allowed).max(initial=0.0))
            if excess <= 1.0 and own.max(initial=0.0) < COARSE:
                return {"outcome": "agree", "excess": excess, "until": n}
            coarse = fine
        return self._apart(errors, allowed, f"; two steps differ by {own.max(initial=0.0):.2g}")

    def _apart(self, errors, allowed, more):
        worst = int(np.argmax(errors / allowed))
        when = self.reference.times[worst]
        text = f"off by {errors[worst]:.2g}, allowed {allowed[worst]:.2g}, at t = {when:.4g}{more}"
        return {"outcome": "disagree", "reason": text, "excess": float(errors[worst] / allowed[worst])}


def kind_of(reason: str) -> str:
    """Return a reason without its names and numbers, for counting."""
    text = re.sub(r'"[^"]*"', "...", reason)
    text = re.sub(r"\(.*?\)", "", text)
    text = re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", text)
    return text[:110]
