"""Whether the energy of a run balances: the look at its physics behind a march that has reached its end.

Kinetic plus potential energy minus the work of dampers, motors and drivers, E - W, is constant in the exact motion. What it has
moved by is judged relative to the *traffic*, the energy that goes to and fro: largest kinetic energy, spread of the potential
energy, largest work. A few samples are looked at, all of them only where these look bad.

Expected is, of a run with error control, the tolerance times the number of steps, as local errors add up in E - W at worst; of
fixed steps a hundredth of the traffic. Where more has moved, the piece in which it moved most is run again with finer steps (half
the size; a hundredth of the tolerance), and the two are compared:

* the finer steps move E - W far less: the steps were too coarse. With fixed steps that is the user's choice, unless half of the
  traffic is gone; with error control it is not, unless it is little (LOST).
* they do not: no steps explain it. Of a method that damps by design a loss is expected, and only said; all else is a failure.

Systems given by functions have no potential energy here. A motion of theirs that has grown a million times is run again up to
there: an unstable motion grows with finer steps, too, an explosion of the method does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .solution.motion import known_coordinates
from .solution.observe import mechanical_energy
from .solution.solution import Solution
from .system.system import System

FEW = 5  # samples of the first look
EXPECTED = 1e-3  # of the traffic: less is nothing to look at
FIXED = 1e-2  # of the traffic, with fixed steps
LOST = 1e-2  # of the traffic: more than that is not what a run with a tolerance may lose,
GONE = 0.5  # and more than that not what any run may
CONVERGES = 0.7  # what half the step may leave of an error of first order or higher
PIECES = 20  # a second look is at one of so many parts of the samples
EXPLODED = 1e6  # growth of the velocities in a run
AGREES = 1e3  # factor within which a second look must find such a growth again
RESTING = 0.05  # of the energy of all bodies at a height of the characteristic length: so much traffic counts at least


class Balance(NamedTuple):
    """What is to be said of the energy of a run: a sentence, and whether the run has failed by it."""

    sentence: str
    failed: bool


class Judged(NamedTuple):
    """A run to be judged.

    first : its first sample in `solution`, which may have gone on from an earlier one. rtol : of its steps, 0 for fixed ones.
    damping : whether its method damps by design. look_again(a, b) : the Solution from sample a to b with finer steps, None where
    that run fails.
    """

    solution: Solution
    first: int
    rtol: float
    damping: bool
    look_again: Callable[[int, int], Solution | None]

    @property
    def expected(self) -> float:
        """Share of the traffic by which E - W may move."""
        return max(EXPECTED, self.rtol * self.solution.counters["steps"]) if self.rtol else FIXED


class Course(NamedTuple):
    """Samples of a run: times (n,) in s, kinetic, potential energy and work (n,) in J."""

    t: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    work: np.ndarray

    @classmethod
    def of(cls, solution: Solution) -> Course:
        """That of all samples of a Solution."""
        energy = solution.energy
        return cls(solution.t, energy.kinetic, energy.potential, energy.work)

    @property
    def moved(self) -> np.ndarray:
        """By how much E - W has moved (n,) since the first sample, J."""
        total = self.kinetic + self.potential - self.work
        return total - total[0]

    @property
    def traffic(self) -> np.ndarray:
        """Energy (n,) that has gone to and fro up to each sample, J."""
        largest = np.maximum.accumulate
        spread = largest(self.potential) + largest(-self.potential)
        return largest(self.kinetic) + spread + largest(np.abs(self.work - self.work[0]))


def judge_balance(run: Judged) -> Balance | None:
    """What is to be said of the energy of a run that has reached its end; None where all is well."""
    last = len(run.solution.t) - 1
    if last <= run.first:
        return None
    few, every = np.unique(np.linspace(run.first, last, FEW).astype(int)), np.arange(run.first, last + 1)
    if run.solution.system.record.n_bodies == 0:
        return _judge_growth(run, every)
    if not len(run.solution.totals) or not np.isfinite(run.solution.totals[-1, -1]):
        return None  # nobody knows the work
    if not _suspicious(run, _course(run.solution, few, run)):
        return None
    seen = _course(run.solution, every, run)
    return _second_look(run, seen) if _suspicious(run, seen) else None


def _course(solution, rows, run):
    """The Course of some samples of a Solution of the judged run's System."""
    part, out = solution.samples(rows), np.zeros((rows.size, 2))
    system = run.solution.system
    work, packed = system.scratch
    jumps = part.jumps if any(event.kind == "reset" for event in solution.events) else 0.0
    places, known = known_coordinates(part, work)
    t, q, v, turns = (np.array(x) for x in (part.t, part.q, part.v, part.turns))  # compiled code wants them writeable
    mechanical_energy(t, q, v, turns, places, known, out, system.compiled, packed)
    return Course(part.t, out[:, 0], out[:, 1], part.totals[:, -1] + jumps)


def _suspicious(run, seen):
    """Whether E - W has moved by more than expected, or is no number."""
    return bool(_wrong(run, seen)[-1])


def _wrong(run, seen):
    """Whether E - W has moved by more than expected up to each sample (n,), or is no number."""
    with np.errstate(all="ignore"):
        return ~(np.maximum.accumulate(np.abs(seen.moved)) <= run.expected * (seen.traffic + rest(run.solution.system)))


def rest(system: System) -> float:
    """Energy (J) that counts as traffic in any case."""
    r = system.record
    height = max(float(np.linalg.norm(r.gravity)), r.length) * r.length  # without gravity: of one length per s^2
    return RESTING * float(r.mass.sum()) * height


def _second_look(run, seen):
    """The Balance by a run of the worst piece with finer steps."""
    with np.errstate(all="ignore"):
        moved, traffic, since = seen.moved, float(seen.traffic[-1]), seen.t[int(np.argmax(_wrong(run, seen)))]
    if not np.isfinite(traffic):
        return Balance(f"from t = {since:.6g} s on the energy grows beyond all numbers. Take a smaller step", True)
    start, stop = _worst_piece(run, seen)
    again = run.look_again(run.first + start, run.first + stop) if stop > start else None
    change, finer = float(moved[stop] - moved[start]), 0.0
    if again is not None:
        finest = _course(again, np.arange(len(again.t)), run)
        finer, traffic = abs(float(finest.moved[-1])), max(traffic, float(finest.traffic[-1]))
    share = float(np.abs(moved).max()) / (traffic + rest(run.solution.system))
    helps = finer <= CONVERGES * abs(change)
    if share <= run.expected or (helps and share <= (LOST if run.rtol else GONE)):
        return None
    said = (
        f"from t = {since:.6g} s on the energy does not balance: {abs(float(moved[-1])):.3g} J were "
        f"{'gained' if moved[-1] > 0.0 else 'lost'} that no force accounts for, of {traffic:.3g} J in motion"
    )
    if run.damping and not helps and change < 0.0:
        return Balance(f"{said}, by the damping of the method", False)
    tighter = "Take a tighter rtol" if run.rtol else "Take a smaller step"
    return Balance(f"{said}. {tighter if helps else 'Finer steps do not help: take another method'}", True)


def _worst_piece(run, seen):
    """Rows between which E - W moves most; the same row twice where resets, which are not repeated, lie in all pieces."""
    moved, t = seen.moved, seen.t
    width = max(1, (len(moved) - 1) // PIECES)
    pieces = np.abs(moved[width:] - moved[:-width])
    for event in run.solution.events:
        if event.kind == "reset":
            pieces[(t[:-width] < event.t) & (event.t <= t[width:])] = 0.0
    start = int(np.argmax(pieces))
    return start, start + width * (pieces[start] > 0.0)


def _judge_growth(run, every):
    """The Balance of a system without bodies, by the growth of its velocities."""
    v, system = run.solution.v[every], run.solution.system
    speed = np.abs(v).max(axis=1, initial=0.0)
    span = run.solution.t[every[-1]] - run.solution.t[every[0]]
    grown = ~(speed <= EXPLODED * max(float(speed[0]), system.length / span))
    if not grown.any():
        return None
    row = int(np.argmax(grown))
    again = run.look_again(int(every[0]), int(every[row]))
    if again is None or np.abs(again.v[-1]).max(initial=0.0) * AGREES >= speed[row]:
        return None
    return Balance(
        f"up to t = {run.solution.t[every[row]]:.6g} s the velocities grow {EXPLODED:.0e} times, and with finer steps they do "
        "not: the method is unstable. Take a smaller step",
        True,
    )
