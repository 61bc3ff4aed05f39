"""The recommendation of a comparison in words: what to take, what for, and what fails where."""

from __future__ import annotations

import re

from .compare_table import Outcome
from .report_figures import seconds_text

CLOSE = 1.3  # times within this factor of each other are the same within noise
WORTH = 30.0  # a method for long runs may cost so many times the fastest one
NEAR = 0.02  # share of the span within which a failure counts as one at a singular position


def recommendation(comparison) -> list[str]:
    """Sentences, the most important first."""
    table = comparison.table
    good = [outcome for outcome in table if outcome.seconds is not None]
    sentences = _accuracy(comparison, table, good) + _long_runs(comparison, good) + failures(comparison)
    if any(row["ok"] for row in comparison.rows) and not comparison.reference.get("certain", False):
        sentences.append(f"The reference is not certain. {comparison.reference.get('text', '')}".strip())
    if comparison.interrupted and comparison.rows:
        sentences.append("The comparison was interrupted: what is said here rests on the runs up to then.")
    return sentences


def call(comparison, outcome: Outcome) -> str:
    """The line of Python that runs a method with its setting."""
    row = outcome.nearest
    if row is None:
        return ""
    setting = f"rtol={row['setting']:.2g}" if row["kind"] == "rtol" else f"step={comparison.span / row['setting']:.6g}"
    pair = f'formulation="{outcome.formulation}", integrator="{outcome.integrator}"'
    model = "model" if outcome.coordinates == "absolute" else f'model.build(coordinates="{outcome.coordinates}")'
    return f"br.simulate({model}, {comparison.span:g}, {pair}, {setting})"


def not_run(comparison) -> str:
    """Why methods were not run, to be followed by which."""
    return "Not run before the interrupt" if comparison.interrupted else "Not run, for the budget was spent"


def grouped(names) -> dict[str, list[str]]:
    """Formulation (and kind of coordinates) -> integrators of names of methods; a name without an integrator stands alone."""
    found: dict[str, list[str]] = {}
    for name in names:
        pair, _, coordinates = name.partition(", ")
        formulation, _, integrator = pair.partition(" + ")
        key = f"{formulation}, {coordinates}" if coordinates else formulation
        found.setdefault(key, []).extend([integrator] if integrator else [])
    return found


def _accuracy(comparison, table, good):
    asked = f"{comparison.accuracy:.0e}"
    if not comparison.rows:
        if comparison.interrupted:
            return ["No method was run before the interrupt, so nothing is known."]
        return [
            f"No method was run: the budget of {comparison.budget:g} s was spent before, "
            f"{comparison.seconds.get('reference', 0.0):.3g} s of it on the reference. Give a larger budget or a shorter span."
        ]
    if comparison.reference.get("sensitive"):
        return [
            f"Sensitive motion: runs at the tightest tolerances end {comparison.reference['accuracy']:.0e} apart after "
            f"{comparison.span:g} s, more than the {asked} asked for: no method can be judged by its end. Shorten the span."
        ]
    if not comparison.told and any(row["ok"] for row in comparison.rows):
        return [
            f"No method can be judged: the reference is not known to {asked}, for the runs that would tell it took too long or "
            "failed. Give a larger budget or a shorter span."
        ]
    if not good:
        best = next((outcome for outcome in table if outcome.best is not None), None)
        if best is None:
            return [f"No method reached the end of the motion, so none can be recommended for {asked}."]
        return [
            f"No method reached an error of {asked} within the budget; {best.name} comes nearest with {best.best:.0e} at "
            f"{best.setting}. Give a larger budget or a shorter span."
        ]
    firm = [outcome for outcome in good if outcome.firm] or good
    first = firm[0]
    sentences = [
        f"For an error of {asked} take {first.name} at {first.setting}: {seconds_text(first.seconds)} of computing for "
        f"{comparison.span:g} s of motion, error {first.row['error']:.0e}."
    ]
    same = [o.name for o in firm[1:] if o.seconds <= CLOSE * first.seconds]
    if same:
        sentences.append(f"As fast within noise (factor {CLOSE:g}): {_listed(same)}.")
    chance = [o.name for o in good if not o.firm]
    if chance:
        sentences.append(f"Met by chance only, for a finer rung misses it: {_listed(chance)}.")
    return sentences


def _long_runs(comparison, good):
    """The smallest drift of energy among what is not much dearer than the fastest."""
    drifting = [(o, comparison.drift[o.name]) for o in good if o.name in comparison.drift]
    if not drifting:
        return []
    fastest = good[0].seconds
    worth = [(o, found) for o, found in drifting if o.seconds <= WORTH * fastest] or drifting
    outcome, found = min(worth, key=lambda entry: _size(entry[1]))
    energy, position = max(found["energy"]), max(found["position"], default=0.0)
    keeps = f"it keeps the energy to {energy:.0e} of its size and the positions to {position:.0e} over the whole span"
    growth = _growth(found["energy"])
    words = "bounded" if growth < 2.0 else f"growing (factor {growth:.1f} from the first to the second half)"
    times = outcome.seconds / fastest
    cost = "and is the fastest" if times < 1.05 else f"at {times:.1f} times the time of the fastest"
    return [f"For long runs take {outcome.name}: {keeps}, its energy error is {words}, {cost}."]


def _size(found):
    return max(max(found["energy"]), max(found["position"], default=0.0))


def _growth(values):
    half = len(values) // 2
    early, late = max(values[1:half], default=0.0), max(values[half:], default=0.0)
    return late / early if early > 0.0 else 1.0


def failures(comparison) -> list[str]:
    """Why methods fail, those with the same reason together; at singular positions first."""
    groups: dict[tuple[str, bool, bool], dict[str, list[str]]] = {}
    tried: dict[tuple[str, bool, bool], set[int]] = {}
    for outcome in comparison.table:
        if outcome.best is not None or not outcome.failures:
            continue
        rows = [row for row in comparison.rows if row["method"] == outcome.name]
        reason = max(outcome.failures, key=lambda text: outcome.failures[text])
        key = (_kind(reason), _at_singular(comparison, rows), outcome.runs > 1)
        tried.setdefault(key, set()).add(outcome.runs)
        name = outcome.formulation + ("" if outcome.coordinates == "absolute" else f" ({outcome.coordinates})")
        groups.setdefault(key, {}).setdefault(name, []).append(outcome.integrator)
    sentences = []
    for key, found in sorted(groups.items(), key=lambda entry: (not entry[0][1], not entry[0][2])):
        kind, singular, several = key
        where = " at the singular position" if singular else ""
        names = "; ".join(f"{f} with {_listed(sorted(i))}" for f, i in found.items())
        low, high = min(tried[key]), max(tried[key])
        count = f"all {low}" if low == high else f"all {low} to {high}"
        settings = f"at {count} settings tried" if several else "at the only setting tried, the coarsest one"
        open_end = "" if several else " Finer ones were not tried."
        sentences.append(f"Fail{where} {settings}, because {kind}: {names}.{open_end}")
    return sentences


REASONS = (
    ("No good independent coordinates", "no good set of independent coordinates exists there"),
    ("could not be brought back", "the positions cannot be brought back onto the constraints"),
    ("are singular at", "the equations of motion are singular there"),
    ("stopped being finite", "the numbers grow without bound"),
    ("Newton's method did not converge", "Newton's method does not converge"),
    ("step size fell", "the tolerance cannot be met, the step size falls to nothing"),
    ("constraints do not hold", "the end is reached with torn constraints"),
    ("not finished after", "they need longer than one run may take"),
    ("process died", "the process died"),
)


def _kind(reason):
    return next((words for mark, words in REASONS if mark in reason), reason.rstrip(".").split(". ")[0])


def _at_singular(comparison, rows):
    times = comparison.conditioning.get("singular", [])
    found = [re.search(r"at t = ([-+.\de]+) s", row["reason"]) for row in rows if not row["ok"]]
    ends = [float(match[1]) for match in found if match]
    return any(abs(end - t) < NEAR * comparison.span for end in ends for t in times)


def _listed(names, most: int = 12):
    shown = list(names)[:most]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    if len(shown) == 1 or more:
        return ", ".join(shown) + more
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
