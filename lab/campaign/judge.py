"""One run of the package against the oracle, and what came of it.

agree       adaptive: within 10 times rtol, times the growth of errors in this motion; where it is not, a run with a smaller rtol
            has to be, or to be much nearer (then `excess` says by how much the first one was off). Fixed steps: within 10
            times the distance of two runs, one with half the step of the other; so a method that converges to something else
            is found out.
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
from .reference import Reference, distances

TIMES = 10.0  # what rtol asks
FLOOR = 1e-11  # round-off
HALVINGS = 3
# distance of two runs with different steps beyond which errors have to fall by so much with the step
COARSE, CLOSER = 1e-2, 3.0
LEDGER = 10.0  # how much farther than the motion the energy balance may be off, as a share of the energies
STILL = 1e-6  # velocities below this share of the natural one are those of a mechanism at rest
ROUNDING = (
    1e-12  # of potential energies, whose zero is anywhere, and of what loads would do along the places they act at
)
# where an error is beyond 10 times rtol, but not beyond so much: shares of rtol to try, the smallest rtol, and the power of rtol
# with which the error has to fall, 8 times for 100; two, as the errors of one run lie up to ten times above or below what its
# tolerance says
FARTHEST, LOOKS, SMALLEST, FALLS = 100.0, (1e-2, 1e-3), 1e-12, 0.45
OWN_MODEL = {"penalty": {"kappa": 1e6}}  # formulations whose error does not vanish with the step, and how it grows


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
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
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
        found["warned"] = sorted({type(w.message).__name__ for w in told if issubclass(w.category, UserWarning)})
        return {"run": run, "family": family(run), **found, "seconds": round(time.process_time() - began, 3)}

    def _judge(self, run):
        solution = self.solution(run)
        seen = self.reference.seen(solution)
        if not all(np.isfinite(part).all() for part in seen):
            return {"outcome": "disagree", "reason": "samples are not finite, and the run says that all is well"}
        start = self.reference.state(seen)
        wrong = self.reference.wrong_start(start) or energy_fault(self.mechanism, solution, seen)
        if wrong:
            return {"outcome": "disagree", "reason": wrong}
        oracle = self.reference.of(start)
        judge = self._fixed if "step" in run else self._adaptive
        found = judge(run, solution, seen, oracle)
        if found["outcome"] == "disagree" and oracle.doubt():
            found = judge(run, solution, seen, oracle)
        return found

    def solution(self, run, **changes):
        """The Solution of a run that has reached its end."""
        import bricard as br

        options = {**run, **changes}
        key = options.pop("coordinates"), options.pop("rotation", "group"), tuple(options.pop("cut", ()))
        if key not in self.systems:
            self.systems[key] = self.model.build(coordinates=key[0], rotation=key[1], cut=key[2])
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
        errors, allowed = self._errors(run, solution, seen, oracle)
        if (errors <= allowed).all() and oracle.until == len(self.reference.times) and not _index_3(run):
            wrong = self._ledger(run, solution, seen, oracle, allowed.max(initial=0.0))
            if wrong:
                return {"outcome": "disagree", "reason": wrong}
        excess = float((errors / allowed).max(initial=0.0))
        if excess <= 1.0:
            return {"outcome": "agree", "excess": excess, "until": oracle.until}
        for share in LOOKS:
            tighter = max(run["rtol"] * share, SMALLEST)
            falls = _fall(run, tighter)
            second = self.solution(run, rtol=tighter)
            again, limit = self._errors({**run, "rtol": tighter}, second, self.reference.seen(second), oracle)
            rest = float((again / limit).max(initial=0.0))
            if rest <= 1.0 or (falls * again.max() < errors.max() and excess < FARTHEST):
                return {"outcome": "agree", "excess": excess, "until": oracle.until}
        return self._apart(errors, allowed, f"; with rtol {tighter:.0e} by {again.max():.2g}")

    def _ledger(self, run, solution, seen, oracle, allowed):
        """Say where the energy balance of a good motion does not close, or return None.

        A gap that is too large, but not FARTHEST times, may be the balance's own error: with smaller tolerances it has to
        vanish, or to fall as errors of the motion have to.
        """
        gap, limit, size = self._gap(run, solution, seen, oracle, allowed)
        if gap <= limit:
            return None
        for share in LOOKS if gap < FARTHEST * limit else ():
            tighter = max(run["rtol"] * share, SMALLEST)
            falls = _fall(run, tighter)
            second = self.solution(run, rtol=tighter)
            rest, limit, _ = self._gap(
                run, second, self.reference.seen(second), oracle, allowed * tighter / run["rtol"]
            )
            if rest <= limit or falls * rest < gap or self._softer(run, tighter, oracle, allowed, rest):
                return None
        return f"the motion agrees, the energy balance is off by {gap:.2g} J of {size:.2g} J"

    def _softer(self, run, rtol, oracle, allowed, rest):
        """Whether a gap is what the equations themselves are off by: with softer ones it has to be larger."""
        softer = OWN_MODEL.get(run.get("formulation"))
        if softer is None:
            return False
        found = self.solution(run, rtol=rtol, **softer)
        return self._gap(run, found, self.reference.seen(found), oracle, allowed)[0] > CLOSER * rest

    def _gap(self, run, solution, seen, oracle, allowed):
        """By how much the energy balance does not close, by how much it need not, and the energies it is a share of (J).

        Constraints that give way, as those of a penalty do, let loads do work on errors that are allowed.
        """
        energy, mass = solution.energy, sum(body["mass"] for body in self.mechanism.bodies)
        size = np.ptp(energy.potential) + np.ptp(energy.work) + np.ptp(energy.kinetic)
        size += mass * max(np.abs(seen.V).max(), STILL * oracle.weights.V) * oracle.weights.V
        if run.get("formulation") in OWN_MODEL:
            size += self.reference.worth(seen, oracle.weights)
        gap, limit = float(np.abs(energy.error).max()), LEDGER * allowed * size
        if gap > limit:
            limit += ROUNDING * (np.abs(energy.potential).max() + self.reference.worth(seen, oracle.weights))
        return gap, limit, size

    def _errors(self, run, solution, seen, oracle):
        """(errors, what is allowed) at the samples that can be compared."""
        n, weights = oracle.until, oracle.weights
        if _index_3(run):  # velocities are judged times the step
            times = max(1.0, solution.counters["steps"] / self.mechanism.duration)
            weights = weights._replace(V=weights.V * times, W=weights.W * times)
        errors = distances(seen, oracle.seen, weights)[:n]
        allowed = TIMES * run["rtol"] * oracle.growth[:n] + oracle.part[:n] + FLOOR * oracle.growth[:n]
        allowed = allowed + TIMES * self._model(run, seen, oracle)[0]
        return np.where(np.isfinite(errors), errors, np.inf), allowed

    def _fixed(self, run, solution, seen, oracle):
        # steps that had to be divided were smaller than asked for: half of what was asked for would be the same run
        step, n = min(run["step"], 1.0 / solution.counters["steps"]), oracle.until
        coarse, (model, softer) = seen, self._model(run, seen, oracle)
        first = float(distances(seen, oracle.seen, oracle.weights)[:n].max(initial=0.0))
        for _ in range(HALVINGS):
            step *= 0.5
            fine = self.reference.seen(self.solution(run, step=step))
            steps = np.maximum.accumulate(distances(coarse, fine, oracle.weights))[:n]
            own = steps + model
            errors = distances(fine, oracle.seen, oracle.weights)[:n]
            errors = np.where(np.isfinite(errors), errors, np.inf)
            allowed = TIMES * own + oracle.part[:n] + 1e3 * FLOOR * oracle.growth[:n]
            excess = float((errors / allowed).max(initial=0.0))
            if excess <= 1.0 and own.max(initial=0.0) < COARSE:
                return {"outcome": "agree", "excess": excess, "until": n}
            falls = first if steps.max(initial=0.0) >= COARSE else max(first, softer)
            if excess <= 1.0 and CLOSER * errors.max(initial=0.0) < falls:
                return {"outcome": "agree", "excess": excess, "until": n}
            coarse = fine
        return self._apart(errors, allowed, f"; two steps differ by {own.max(initial=0.0):.2g}")

    def _model(self, run, seen, oracle):
        """What the equations themselves are off by (n,), where they are no better than an option of theirs, from softer ones.

        Behind it the largest error of the softer ones, beside which that of the run has to be small if it is not by itself.
        """
        if run.get("formulation") not in OWN_MODEL:
            return 0.0, 0.0
        n, softer = oracle.until, self.reference.seen(self.solution(run, **OWN_MODEL[run["formulation"]]))
        away = np.maximum.accumulate(distances(softer, seen, oracle.weights))[:n]
        return away, float(distances(softer, oracle.seen, oracle.weights)[:n].max(initial=0.0))

    def _apart(self, errors, allowed, more):
        worst = int(np.argmax(errors / allowed))
        when = self.reference.times[worst]
        text = f"off by {errors[worst]:.2g}, allowed {allowed[worst]:.2g}, at t = {when:.4g}{more}"
        return {"outcome": "disagree", "reason": text, "excess": float(errors[worst] / allowed[worst])}


def _index_3(run):
    """Whether the step control judges velocities times the step only."""
    return run.get("formulation", "").startswith("index3")


def _fall(run, tighter):
    """By what the error of a run has to fall with a tighter rtol.

    Step control of index 3 judges velocities times the step h, so that a step may leave rtol / h in them; over T / h steps that
    are rtol (T / h)^2 in positions, and with an estimate of h^4 the root of rtol: less than half of the usual power.
    """
    ratio = run["rtol"] / tighter
    return max(2.0, ratio**0.5 / TIMES) if _index_3(run) else ratio**FALLS


def kinetic_energy(mechanism: Mechanism, seen) -> np.ndarray:
    """Return the kinetic energy (n,) in J of what a run shows, by hand."""
    mass = np.array([body["mass"] for body in mechanism.bodies])
    inertia = np.array([body["inertia"] for body in mechanism.bodies])
    spin = np.einsum("nbji,nbj->nbi", seen.R, seen.W)  # in body axes
    return 0.5 * (mass * (seen.V**2).sum(axis=2) + np.einsum("nbi,bij,nbj->nb", spin, inertia, spin)).sum(axis=1)


def energy_fault(mechanism, solution, seen):
    """Say where the kinetic energy of a Solution is not that of its own velocities, or return None."""
    ours, given = kinetic_energy(mechanism, seen), solution.energy.kinetic
    gap, size = np.abs(ours - given).max(initial=0.0), ours.max(initial=0.0)
    return f"the kinetic energy of {given.max():.6g} J is off by {gap:.2g} J" if gap > 1e-8 * size else None


def kind_of(reason: str) -> str:
    """Return a reason without its names and numbers, for counting."""
    text = re.sub(r'"[^"]*"', "...", reason)
    text = re.sub(r"\(.*?\)", "", text)
    text = re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", text)
    return text[:110]
