"""Work and precision of all integrators on four mechanisms: Andrews' squeezer, Bricard's six-bar, the double four-bar and a top.

Every integrator runs with the formulation it is usually combined with, over tolerances (adaptive methods) or steps (the others).
An error is the root mean square over the way of the largest distance of a centre of mass from the reference. The reference is
index1 with dop853 at rtol 1e-13; how far adams at 1e-12 is from it is printed. Time is CPU time of
the march, the best of several. The double four-bar passes singular positions; the top turns with 523.6 rad/s. The table says
how long an integrator takes to an error, and which runs failed; JSON has all runs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..errors import BricardError
from ..pairing import choose
from ..problems import PROBLEMS
from ..registry import INTEGRATORS
from ..simulation import simulate
from .base import Experiment, Result

SAMPLES = 10  # equal parts of the way at whose ends errors are taken
TARGETS = (1e-3, 1e-6, 1e-9)  # of the characteristic length
FINEST = 1e-10  # of the characteristic length: an error that ends a ladder
HOPELESS = 5  # failures in a row that end a ladder
LONGEST = 0.5  # s of a run after which no finer one follows
QUICK, REPEATS = 0.05, 3  # runs of fewer s are repeated so often
# how long (s), and the fewest steps of integrators without error control
SPANS = {"andrews-testset": (0.03, 50), "bricard": (3.0, 50), "double-four-bar": (3.0, 50), "spinning-top": (1.0, 1000)}
TIGHT = {"formulation": "index1", "integrator": "dop853", "rtol": 1e-13}
OTHER = {"formulation": "index1", "integrator": "adams", "rtol": 1e-12}
FAMILIES = {
    "explicit": ("euler", "heun", "rk4", "rkf45", "dopri5", "dop853", "adams"),
    "implicit, first order": ("radau5", "radau", "gamd", "sdirk", "trapezoidal", "bdf", "ida"),
    "implicit, second order": ("newmark", "hht", "generalized-alpha", "wilson-theta", "collocation", "energy-momentum"),
    "positions first": ("rattle", "null-space-newmark", "central-difference", "ce3", "ce4", "ce5"),
}


@dataclass
class Course:
    """The runs of one integrator on one mechanism: (setting, error, s), coarse to fine, and the failures in words."""

    mechanism: str
    integrator: str
    formulation: str
    runs: list[tuple[str, float, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def seconds(self, target):
        """The shortest time to an error of at most `target`, or None."""
        return min((s for _, error, s in self.runs if error <= target), default=None)


def centres(solution):
    """Centres of mass (samples, bodies, 3), m."""
    return np.stack([solution.point(body, body.com) for body in solution.system.model.bodies.values()], axis=1)


def distance(solution, reference):
    """Root mean square over the way of the largest distance of a centre of mass from the reference, m."""
    apart = np.linalg.norm(centres(solution) - reference, axis=2).max(axis=1)
    return float(np.sqrt(np.mean(apart * apart)))


def timed(system, span, **options):
    """(Solution, CPU s of the march), the best of several runs."""
    best, solution = np.inf, None
    for _ in range(REPEATS):
        began = time.process_time()
        solution = simulate(system, span, output=SAMPLES + 1, **options)
        best = min(best, solution.seconds["march"], time.process_time() - began)
        if best > QUICK:
            break
    return solution, best


def ladder(method, span, fewest):
    """(words, options) of the runs, coarse to fine."""
    if method.adaptive:
        return [(f"rtol {rtol:.0e}", {"rtol": float(rtol)}) for rtol in 10.0 ** -np.arange(3.0, 12.0)]
    return [(f"{n} steps", {"step": span / n}) for n in (fewest * 2**k for k in range(18))]


def course(name, system, reference, integrator, finest):
    """The Course of one integrator."""
    chosen, method, _ = choose(None, integrator, None if INTEGRATORS[integrator].adaptive else 1.0)
    found, (span, fewest) = Course(name, integrator, chosen.name), SPANS[name]
    failed = 0  # in a row
    for words, options in ladder(method, span, fewest):
        try:
            solution, seconds = timed(system, span, formulation=chosen.name, integrator=integrator, **options)
        except BricardError as error:
            found.failures.append(f"{words}: {str(error).split('. ')[0]}")
            failed += 1
            if failed == HOPELESS:
                break
            continue
        found.runs.append((words, distance(solution, reference), seconds))
        failed = 0
        if seconds > LONGEST or found.runs[-1][1] <= finest:
            break
    return found


def run() -> Result:
    """Rows: mechanism and integrator; columns: time to each target, smallest error, failures."""
    courses, rows, notes = [], [], []
    for name, (span, _) in SPANS.items():
        system = PROBLEMS[name].model().build()
        tight = simulate(system, span, output=SAMPLES + 1, **TIGHT)
        reference, length = centres(tight), system.length
        apart = distance(simulate(system, span, output=SAMPLES + 1, **OTHER), reference)
        notes.append(
            f"{name}: {span:g} s, characteristic length {length:.3g} m; the two references differ by {apart:.1e} m."
        )
        for integrator in (i for family in FAMILIES.values() for i in family):
            found = course(name, system, reference, integrator, max(FINEST * length, 3.0 * apart))
            courses.append(found)
            row: dict[str, Any] = {"mechanism": name, "integrator": integrator, "formulation": found.formulation}
            for target in TARGETS:
                seconds = found.seconds(target * length)
                row[f"ms to {target:.0e}"] = None if seconds is None else 1e3 * seconds
            row["smallest error"] = min((error for _, error, _ in found.runs), default=None)
            row["failed"] = f"{len(found.failures)}: {found.failures[-1]}" if found.failures else ""
            row["runs"] = [dict(zip(("setting", "error", "s"), one, strict=True)) for one in found.runs]
            rows.append(row | {"failures": found.failures})
    columns = (
        "mechanism",
        "integrator",
        "formulation",
        *(f"ms to {t:.0e}" for t in TARGETS),
        "smallest error",
        "failed",
    )
    return Result(columns, rows, (*notes, *NOTES), partial(draw, courses))


def draw(courses, ax):
    """Small multiples: a row for each family, a column for each mechanism; the best of all integrators in grey."""
    from ..plot.plots import COLOURS

    figure = ax.figure
    figure.clear()
    figure.set_size_inches(4.2 * len(SPANS), 3.4 * len(FAMILIES))
    axes = figure.subplots(len(FAMILIES), len(SPANS), sharex="col", sharey="col")
    for column, name in enumerate(SPANS):
        here = {c.integrator: c for c in courses if c.mechanism == name}
        best = frontier([run for c in here.values() for run in c.runs])
        for row, (family, members) in enumerate(FAMILIES.items()):
            panel = axes[row, column]
            panel.plot(*best, color="#cccccc", linewidth=5, solid_capstyle="round", zorder=0)
            for integrator, colour in zip(members, COLOURS, strict=False):
                if here[integrator].runs:
                    errors, seconds = np.array([run[1:] for run in here[integrator].runs]).T
                    panel.loglog(
                        errors, seconds, color=colour, marker=".", markersize=4, linewidth=1.3, label=integrator
                    )
                else:
                    panel.plot([], [], color=colour, label=f"{integrator}: failed")
            panel.legend(fontsize=7, frameon=False, loc="upper right", handlelength=1.2, labelspacing=0.25)
            panel.grid(True, color="#eeeeee", linewidth=0.7)
            panel.spines[["top", "right"]].set_visible(False)
            if row == 0:
                panel.set_title(PROBLEMS[name].title.split(",")[0], fontsize=11)
            if row == len(FAMILIES) - 1:
                panel.set_xlabel("error (m)")
            if column == 0:
                panel.set_ylabel(f"{family}\nCPU time (s)")
        axes[0, column].set_xlim(2.0, 1e-13)
        axes[0, column].set_ylim(top=100.0 * max(s for c in here.values() for _, _, s in c.runs))


def frontier(runs):
    """Errors and times of the runs that no other one beats in both."""
    found, least = [], np.inf
    for _, error, seconds in sorted(runs, key=lambda one: one[1]):
        if seconds < least:
            found.append((error, seconds))
            least = seconds
    return np.array(found).T


NOTES = (
    "Adaptive methods: rtol 1e-3 to 1e-11. The others: steps halved. No finer run follows one of more than 0.5 s.",
)

WORK_PRECISION = Experiment(
    name="work-precision",
    title="Work and precision of all integrators on four mechanisms",
    source="issue 4",
    run=run,
)
