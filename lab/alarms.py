"""Does the look at the energy behind a run give false alarms? `python -m lab.alarms --help`.

Every problem of the library with every allowed pair of a formulation and an integrator, for a short time. A run whose energy is
said not to balance is an alarm; each is decided by a reference, the default method at tight tolerances, whose own energy holds:

    true        kinetic plus potential energy of the run, from its states alone, is off by most of what the alarm says, or by
                most of the energy that is in motion
    false       it is off by little of that: the work was summed up wrongly, or the judge is wrong
    undecided   anything else, and where no reference is good enough

Runs that fail for another reason, that need too many steps or too long are no alarms. Runs are kept, one line each, in
build/alarms.jsonl: what stands there is not run again.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import bricard as br
from bricard.balance import Course
from bricard.problems import PROBLEMS
from bricard.registry import INTEGRATORS
from lab.campaign.combinations import available

FILE = Path(__file__).resolve().parents[1] / "build" / "alarms.jsonl"
LONGEST, STEPS, MOST = 1.2, 2000, 5000  # s of motion; steps of a fixed size; steps that are tried
PATIENCE = 20.0  # s that a run may take
TRUE, FALSE, GOOD = 0.5, 0.1, 0.05  # of the energy that an alarm claims: off by more, by less; error of a reference
OPTIONS = {"n-four-bar": {"loops": 6}}  # as large as shows what there is to see
WORDS = ("the energy does not balance", "the energy grows beyond", "the method is unstable")  # of an alarm


def combinations():
    """(problem, formulation, integrator) of all that is allowed and installed."""
    pairs = sorted({(f, i) for f, i, _ in available() if INTEGRATORS[i].external is None})
    return [(name, *pair) for name in PROBLEMS for pair in pairs]


def model_of(name):
    """The model or system of a problem, fresh, and how long it is run (s)."""
    problem = PROBLEMS[name]
    return problem.system(**OPTIONS.get(name, {})), min(problem.span, LONGEST)


def with_patience(work):
    """What work() returns; None where it has taken too long."""
    timer = threading.Timer(PATIENCE, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        return work()
    except br.Interrupted:
        return None
    finally:
        timer.cancel()


def attempt(name, formulation, integrator):
    """One run: its end in a word, its sentence, and the judgement of an alarm."""
    system, duration = model_of(name)
    method = INTEGRATORS[integrator]
    step = None if method.adaptive else duration / STEPS
    settings = {"formulation": formulation, "integrator": integrator, "step": step, "check": False}
    try:
        run = with_patience(lambda: br.simulate(system, duration, most_steps=MOST, output=201, **settings))
    except br.BricardError as error:
        return {"end": "refused", "said": str(error)[:200]}
    if run is None:
        return {"end": "slow", "said": ""}
    if run.ok or not any(words in run.status for words in WORDS):
        return {"end": "ok" if run.ok else "failed", "said": run.status[:300]}
    return {"end": "alarm", "said": run.status[:300], **decide(run, name)}


def decide(run, name):
    """Whether an alarm is true, by a reference: the energies (J) or growths that say so."""
    functions = run.system.record.n_bodies == 0
    claim = np.abs(run.v).max() if functions else np.abs(run.energy.error).max()
    for rtol in (1e-11, 1e-10, 1e-9, 1e-8):
        system, _ = model_of(name)
        reference = br.simulate(system, run.t[-1], rtol=rtol, output=run.t, check=False)
        if reference.ok and (functions or np.abs(reference.energy.error).max() <= GOOD * claim):
            break
    else:
        return {"judged": "undecided", "claim": float(claim)}
    one, two = (x.v if functions else (x.energy.kinetic + x.energy.potential)[:, None] for x in (run, reference))
    off = np.abs(one - two).max() if np.isfinite(one).all() else np.inf
    motion = np.inf if functions else Course.of(reference).traffic[-1]
    judged = "true" if off >= TRUE * min(claim, motion) else "false" if off <= FALSE * claim else "undecided"
    return {"judged": judged, "claim": float(claim), "off": float(off)}


def main(arguments=None):
    """Run what is missing, and print what was found; 1 if an alarm is false or undecided."""
    parser = argparse.ArgumentParser(prog="python -m lab.alarms", description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--share", type=int, default=1, metavar="N", help="every N-th pair only")
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="stop after so long; the rest is run by the next call"
    )
    parser.add_argument("--file", type=Path, default=FILE)
    given, began = parser.parse_args(arguments), time.monotonic()
    given.file.parent.mkdir(parents=True, exist_ok=True)
    text = given.file.read_text(encoding="utf-8") if given.file.exists() else ""
    known = {tuple(entry["case"]): entry for entry in map(json.loads, text.splitlines())}
    wanted = [case for k, case in enumerate(combinations()) if case[0] in given.problems and k % given.share == 0]
    warnings.simplefilter("ignore")
    with given.file.open("a", encoding="utf-8") as kept:
        for case in wanted:
            if case not in known and time.monotonic() - began < 60.0 * given.minutes:
                start = time.process_time()
                found = {"case": case, **attempt(*case)}
                known[case] = found | {"seconds": round(time.process_time() - start, 2)}
                kept.write(json.dumps(known[case]) + "\n")
                kept.flush()
    done = [known[case] for case in wanted if case in known]
    print(
        f"{len(done)} of {len(wanted)} runs, {sum(e['seconds'] for e in done):.0f} s:",
        dict(Counter(e["end"] for e in done)),
    )
    alarms = [entry for entry in done if entry["end"] == "alarm"]
    for e in sorted(alarms, key=lambda entry: entry["judged"]):
        print(
            f"{e['judged']:9} {' + '.join(e['case'])}: claims {e['claim']:.3g}, off by {e.get('off', np.nan):.3g}. {e['said']}"
        )
    print("alarms:", dict(Counter(e["judged"] for e in alarms)))
    return 1 if any(e["judged"] != "true" for e in alarms) else 0


if __name__ == "__main__":
    sys.exit(main())
