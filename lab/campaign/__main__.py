"""Random mechanisms against an independent oracle.

python -m lab.campaign run N --seed S          run the first N mechanisms of a seed, going on where it was stopped
python -m lab.campaign show S INDEX [RUN]      print a failing one, shrunk, as a short script
python -m lab.campaign store FILE --seed S N   write N mechanisms and the oracle's answers
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from .combinations import draw as draw_run
from .declaring import script
from .generator import draw
from .runner import Runner
from .shrink import Shrinker
from .stored import write
from .summary import FAILURES, outcomes, text
from .worker import RUNS


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 1 if a run disagrees, crashes or hangs."""
    parser = argparse.ArgumentParser(prog="python -m lab.campaign", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run mechanisms")
    run.add_argument("count", type=int, help="number of mechanisms")
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--workers", type=int, default=2)
    run.add_argument("--file", type=Path, help="records; build/campaign/SEED.jsonl if not given")
    show = commands.add_parser("show", help="shrink a failing one")
    show.add_argument("seed", type=int)
    show.add_argument("index", type=int)
    show.add_argument("run", type=int, nargs="?", help="number of the run, from 0; the first that fails if not given")
    show.add_argument("--whole", action="store_true", help="do not shrink")
    store = commands.add_parser("store", help="write answers of the oracle")
    store.add_argument("file", type=Path)
    store.add_argument("count", type=int)
    store.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    return {"run": _run, "show": _show, "store": _store}[given.command](given)


def _run(given):
    path = given.file or Path("build") / "campaign" / f"{given.seed}.jsonl"
    began = time.monotonic()

    def progress(done, count):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {count}")

    records = Runner(given.seed, given.count, path, given.workers).run(progress)
    sys.stdout.write(text(records, time.monotonic() - began) + "\n")
    found = outcomes(records)
    return int(any(found[name] for name in (*FAILURES, "broken")))


def _show(given):
    mechanism = draw(given.seed, given.index)
    rng = np.random.default_rng([given.seed, given.index, 1])
    runs = [draw_run(rng, mechanism) for _ in range(RUNS)]
    for number, run in enumerate(runs):
        if given.run not in (None, number):
            continue
        shrinker = Shrinker(mechanism, run)
        outcome, way = shrinker.failure
        if outcome in FAILURES or given.run is not None:
            found = mechanism if given.whole else shrinker.shrunk()
            comment = f"{given.seed} {given.index} {number}: {outcome} {way}".rstrip()
            sys.stdout.write(script(found, run, comment))
            return 1
    sys.stdout.write("no run fails\n")
    return 0


def _store(given):
    write(given.file, given.seed, given.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
