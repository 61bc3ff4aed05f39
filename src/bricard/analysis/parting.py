"""What two methods disagree about, from when on, and which of them keeps the energy."""

from __future__ import annotations

from .courses import UNITS

AMPLIFIED = 1e3  # times the accuracy asked for: a run that is so far from its tightened twin has a sensitive motion
NAMED = 5  # channels in a sentence


def failures(trials, level, duration):
    """Sentences where a run did not reach the end of the duration."""
    runs = level.runs
    for role, run in zip(("first", "tightened", "second"), runs, strict=True):
        if run is None and (role == "first" or runs.first is not None):
            yield _missing(trials, role)
        elif run is not None and run.solution is not None and run.solution.t[-1] < duration * (1.0 - 1e-12):
            yield f"The {role} run ends early: {run.status}"


def _missing(trials, role):
    failed = [run for run in trials.runs if not run.ok and role in (run.role, "first")]
    told = "; ".join(f"{run}: {run.status}" for run in failed[:1])
    more = f" ({len(failed) - 1} more under runs)" if len(failed) > 1 else ""
    return f"No {role} run reached the end. {told}{more}"


def parting(trials, level, accuracy):
    """Sentences about channels that are not known to the accuracy; those of reactions only while the motion is."""
    k = level.known(accuracy)
    if k < level.t.size:
        yield _of_motion(trials, level, k, accuracy)
    reactions = level.shares(reactions=True)
    worse = {name: share for name, share in reactions.items() if k and not share[k - 1] <= accuracy}
    if worse:
        yield _of_reactions(level, worse, k, accuracy)


def _of_motion(trials, level, k, accuracy):
    shares = level.shares(reactions=False)
    name = max(shares, key=lambda key: shares[key][k])
    gaps = f"{_told(level, name, level.cross, k)} between both methods"
    if level.own:
        gaps += f", {_told(level, name, level.own, k)} between two tolerances of the first one"
    return f"From t = {level.t[k]:.6g} s on, first in {name}: {gaps}. {_cause(trials, level, accuracy)}{_energy(level)}"


def _of_reactions(level, worse, k, accuracy):
    names = sorted(worse, key=lambda name: -worse[name][k - 1])
    first = min(int((share <= accuracy).sum()) for share in worse.values())
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(
        f"{name} ({_told(level, name, level.course, k - 1)} of {level.size(name):.2g})" for name in names[:NAMED]
    )
    return (
        f"Reactions are known less well than the motion, from t = {level.t[first]:.6g} s on: {listed}{more}. "
        "They are more sensitive than the motion; ask for less accuracy, or leave them out of what you sign."
    )


def _told(level, name, of, k):
    return f"{of[name][k]:.1e} {UNITS[level.found[name].kind]}".rstrip()


def _cause(trials, level, accuracy):
    """Why two methods part: what each does by itself at two tolerances."""
    if not level.own:
        return "Nothing is known of the first method at another tolerance. "
    own = max(level.own[name][-1] / level.size(name) for name in level.shares(reactions=False))
    if own > AMPLIFIED * accuracy:
        return (
            f"By the end two tolerances of the first method are {own:.1g} natural sizes apart: the motion is sensitive, every "
            "error grows, and no method knows it so far. "
        )
    if own > accuracy:
        return f"The first method is not that accurate by itself, with rtol {level.runs.first.rtol:.0e}. "
    second = level.runs.second
    if not level.apart(second, trials.looser(second)) <= accuracy:
        return "The first method agrees with itself at two tolerances, the second one does not. "
    return (
        f"Each method agrees with itself at two tolerances: one is wrong, or they go different ways.{singular(level)} "
    )


def singular(level):
    """A further sentence on the first singular position that a run has met, or nothing."""
    events = [e for run in level.runs if run is not None for e in run.solution.events if e.kind == "singular"]
    if not events:
        return ""
    t = min(event.t for event in events)
    return f" A singular position was met at t = {t:.6g} s: a mechanism may go on from there in several ways."


def _energy(level):
    """Which of both methods keeps the energy."""
    first, second = level.runs.first.balance, level.runs.second.balance
    if not first == first or not second == second:
        return ""
    better = "first" if first <= second else "second"
    return f"The energy balances to {first:.1e} in the first run, to {second:.1e} in the second: the {better} keeps it better."
