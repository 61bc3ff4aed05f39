"""Problems of the IFToMM library at the accuracy it asks for, beside exudyn and beside published times.

Double four-bar and Bricard's six-bar for 10 s, Andrews' squeezer for 0.05 s. exudyn runs with its best settings (exudyn_side.py)
at the largest step with which the drift of energy keeps the library's bound; the fastest such run counts, with its error: the
largest distance of a centre of mass from the reference at the end. Ours is the fastest of many runs that keeps the bound and has
at most that error. Then null-space Newmark at the step of its source, 0.01 s, whose times there are quoted as facts: another
machine, in C. Times are CPU seconds of the solver alone, best of several, taken in turns.
"""

import time
from dataclasses import dataclass

import numpy as np

import bricard as br
import exudyn_side as peer
from bricard.problems import PROBLEMS

REPEATS = 5
SAMPLES = 100  # at which the energy is looked at
GOAL_RATIO, GOAL_STEP = 10.0, 40.0  # times faster than exudyn; microseconds per step of null-space Newmark
PUBLISHED = {
    "double-four-bar": 0.4,
    "bricard": 0.348,
}  # s for 1000 steps: Uriarte 2023, section 8.3, C, Xeon E5-2637 v3
ADAPTIVE = ("dopri5", "dop853", "adams", "rkf45", "heun")
FIXED = ("rk4", "rattle", "central-difference", "ce5", "generalized-alpha", "energy-momentum", "null-space-newmark")


@dataclass(frozen=True)
class Task:
    """A problem: our name and options, exudyn's name, duration (s), first step of exudyn (s)."""

    name: str
    options: dict
    theirs: str
    duration: float
    step: float

    @property
    def bound(self):
        """Drift of energy that the library admits, J."""
        return PROBLEMS[self.name].measures[0].bound

    @property
    def title(self):
        """Its name in tables."""
        return f"{self.name}, planar" if self.options else self.name


TASKS = (
    Task("double-four-bar", {}, "double-four-bar", 10.0, 0.01),
    Task("double-four-bar", {"planar": True}, "double-four-bar-planar", 10.0, 0.01),
    Task("bricard", {}, "bricard", 10.0, 0.01),
    Task("andrews-testset", {}, "andrews", 0.05, 5e-6),
)


def centres(solution):
    """Centres of mass (n, 3) at the end."""
    bodies = solution.system.model.bodies.values()
    return np.array([solution.point(body, body.com)[-1] for body in bodies])


def drift(task, system, **options):
    """Energy error of a run as the library measures it, J."""
    solution = br.simulate(system, task.duration, output=SAMPLES + 1, **options)
    return PROBLEMS[task.name].measures[0].value(solution)


def timed(system, duration, repeats=REPEATS, **options):
    """(CPU s of the march, Solution) of the best of several runs."""
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        solution = br.simulate(system, duration, output=2, **options)
        best = min(best, solution.seconds["march"], time.process_time() - began)
    return best, solution


def largest_step(task, setting):
    """(step, drift) of exudyn, the largest one that keeps the bound; drift falls with the square of the step."""
    count = round(task.duration / task.step)
    for _ in range(6):
        found = peer.drift(task.theirs, setting, task.duration / count, task.duration)
        if 0.8 * task.bound <= found <= task.bound:
            break
        count = int(np.ceil(count * (np.sqrt(found / (0.9 * task.bound)) if np.isfinite(found) else 2.0)))
    return task.duration / count, found


def their_best(task, reference):
    """The fastest of exudyn's runs that keep the bound, as a dict."""
    rows = []
    for setting in dict.fromkeys(peer.BEST[task.theirs].values()):
        step, found = largest_step(task, setting)
        if found > task.bound:
            continue
        result = peer.best_of(task.theirs, setting, step, repeats=3, duration=task.duration)
        if result.ok:
            error = peer.error(result.positions, reference)
            rows.append({"setting": setting, "step": step, "s": result.cpu, "error": error, "drift": found})
    return min(rows, key=lambda row: row["s"])


def candidates(task):
    """Runs worth trying, cheap ones first: (words, options)."""
    for correction in ("none", "mass"):
        for rtol in 10.0 ** -np.arange(2.0, 10.5, 0.5):
            for integrator in ADAPTIVE:
                yield (
                    f"{integrator}, rtol {rtol:.0e}, correction {correction}",
                    {
                        "integrator": integrator,
                        "rtol": float(rtol),
                        "correction": correction,
                    },
                )
    for count in (100 * 2 ** np.arange(0.0, 9.5, 0.5)).astype(int):
        for integrator in FIXED:
            corrections = ("none", "mass") if integrator == "rk4" else (None,)
            for correction in corrections:
                words = f"{integrator}, {count} steps" + (f", correction {correction}" if correction else "")
                yield words, {"integrator": integrator, "step": task.duration / count, "correction": correction}


def our_best(task, system, reference, target, slowest):
    """The fastest of our runs that keep the bound and reach the target error in fewer than `slowest` s, as a dict."""
    best = {"s": slowest, "error": np.inf, "drift": np.inf, "method": "none reached it"}
    ended = set()  # integrators whose finer runs can only be slower
    for words, options in candidates(task):
        method = options["integrator"], options["correction"]
        if method in ended:
            continue
        try:
            seconds, solution = timed(system, task.duration, 1, **options)
            error = float(np.linalg.norm(centres(solution) - reference, axis=1).max())
            if seconds > 1.5 * best["s"]:
                ended.add(method)
            if error > target or method in ended:
                continue
            found = drift(task, system, **options)
            seconds = timed(system, task.duration, **options)[0]
        except br.BricardError:
            continue
        if found <= task.bound and seconds < best["s"]:
            best = {"s": seconds, "error": error, "drift": found, "method": words, "options": options}
    return best


def null_space(task, system):
    """Null-space Newmark at the step of its source, and what its time goes into."""
    seconds, solution = timed(system, task.duration, step=0.01, integrator="null-space-newmark")
    counters, steps = solution.counters, solution.counters["steps"]
    row = {"us_per_step": 1e6 * seconds / steps, "published_s": PUBLISHED[task.name], "s": seconds, "steps": steps}
    row["drift"] = drift(task, system, step=0.01, integrator="null-space-newmark")
    return row | {key: counters[key] / steps for key in ("iterations", "evaluations", "factorisations")}


def compare(task):
    """All figures of one problem, as a dict."""
    system = PROBLEMS[task.name].model(**task.options).build()
    fine = centres(
        br.simulate(system, task.duration, rtol=1e-10, output=2)
    )  # tighter ones do not pass singular positions
    second = {"formulation": "index1", "integrator": "adams", "rtol": 1e-10}
    other = centres(br.simulate(system, task.duration, output=2, **second))
    row = {"problem": task.title, "duration": task.duration, "bound": task.bound}
    row["reference_accuracy"] = float(np.linalg.norm(fine - other, axis=1).max())
    theirs = their_best(task, fine)
    ours = our_best(task, system, fine, theirs["error"], theirs["s"])
    again = peer.best_of(task.theirs, theirs["setting"], theirs["step"], repeats=3, duration=task.duration)
    theirs["s"] = min(theirs["s"], again.cpu)
    row |= {"exudyn": theirs | {"setting": theirs["setting"].label}, "ours": ours, "ratio": theirs["s"] / ours["s"]}
    if task.name in PUBLISHED and not task.options:
        row["null_space_newmark"] = null_space(task, system)
    return row


def report(rows):
    """Print the tables; what misses a goal is shown with what its time goes into."""
    print(f"\nIFToMM problems at the accuracy of the library; goal: {GOAL_RATIO:g} times faster than exudyn")
    for r in rows:
        e, o = r["exudyn"], r["ours"]
        words = f"{r['problem']}, {r['duration']:g} s, drift of energy <= {r['bound']:g} J"
        print(f"{words} (reference to {r['reference_accuracy']:.0e} m)")
        line = f"  exudyn {1e3 * e['s']:9.2f} ms  error {e['error']:.1e} m  drift {e['drift']:.1e} J  step {e['step']:.2e} s, "
        print(line + e["setting"])
        print(f"  ours   {1e3 * o['s']:9.2f} ms  error {o['error']:.1e} m  drift {o['drift']:.1e} J  {o['method']}")
        print(f"  ratio  {r['ratio']:9.1f}     {'reached' if r['ratio'] >= GOAL_RATIO else 'MISSED'}")
    print(f"\nnull-space Newmark, step 0.01 s; goal: {GOAL_STEP:g} us per step")
    for r in (r for r in rows if "null_space_newmark" in r):
        n = r["null_space_newmark"]
        verdict = "reached" if n["us_per_step"] <= GOAL_STEP else "MISSED"
        print(
            f"  {r['problem']:16} {n['us_per_step']:6.1f} us per step, {n['s']:.4f} s against {n['published_s']:g} s published "
            f"({n['published_s'] / n['s']:.1f} times); drift {n['drift']:.2e} J; {verdict}"
        )
        print(
            f"  {'':16} a step: {n['iterations']:.1f} iterations, {n['evaluations']:.1f} evaluations, "
            f"{n['factorisations']:.1f} factorisations"
        )
