"""A Certificate in words."""

from __future__ import annotations

from .certificate import Certificate

ONCE = 12  # names in a sentence
FAILED = 3  # runs that are told


def text(found: Certificate) -> str:
    """All that a Certificate says."""
    return "\n".join([_verdict(found), *_runs(found), *_errors(found), *_checks(found), *_rest(found)])


def _verdict(found):
    what = f'"{found.name}" over {found.duration:g} s, to {found.accuracy:.0e} of natural sizes'
    if found.ok:
        return f"Certified: {what}. Motion, energy and the reactions that are unique are those of two methods that share little."
    until = f"Motion and energy are known so well until t = {found.agrees_until:.6g} s"
    return "\n".join([f"Not certified: {what}. {until}.", *(f"  {sentence}" for sentence in found.disagreements)])


def _runs(found):
    yield "Runs"
    failed = [run for run in found.runs if not run.ok]
    for run in found.runs:
        if run.ok:
            known = run.balance == run.balance
            balance = (
                f"energy balances to {run.balance:.1e} of the energy in motion" if known else "its energy is not known"
            )
            yield f"  {run.role:10} {run}: {run.solution.counters['steps']} steps, {balance}"
    shown = FAILED if not found.ok else 0
    yield from (f"  failed     {run}: {run.status}" for run in failed[:shown])
    if len(failed) > shown:
        yield f"  {len(failed) - shown} {'other' if shown else 'methods or tolerances'} failed on the way, see `.runs`"


def _errors(found):
    worst = {}
    for name, entry in found.errors.items():
        if entry.kind not in worst or entry.error > worst[entry.kind][1].error:
            worst[entry.kind] = name, entry
    if not worst:
        return
    until = "" if found.agrees_until >= found.duration else f" up to t = {found.agrees_until:.6g} s"
    yield f"Errors vouched for{until}, the largest of each kind"
    for kind, (name, entry) in worst.items():
        yield f"  {kind:24} {entry.error:.1e} {entry.unit}, {entry.share:.1e} of {entry.size:.3g} {entry.unit} ({name})"


def _checks(found):
    yield "Checks that two runs of one model do not share"
    for check in found.checks:
        yield f"  {check.name:12} {'holds' if check.ok else 'FAILS'}: {check.sentence}"


def _rest(found):
    if found.left_out:
        names = ", ".join(found.left_out[:ONCE]) + (
            f" and {len(found.left_out) - ONCE} more" * (len(found.left_out) > ONCE)
        )
        yield f"Not unique, and left out: the reactions of {names}. Redundant rows leave other splits of their loads possible."
    yield from (f"Note: {note}" for note in found.notes)
