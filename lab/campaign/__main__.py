"""`python -m lab.campaign run N --seed S`: random mechanisms against the oracle; `show` a failing one as a short script."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .runner import Runner
from .summary import FAILURES, outcomes, text


def main(arguments: list[str] | None = None) -> int:
    """Run a campaign; 1 if a run disagrees, crashes or hangs."""
    parser = argparse.ArgumentParser(prog="python -m lab.campaign", description=__doc__)
    parser.add_argument("count", type=int, help="number of mechanisms")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--file", type=Path, help="records; build/campaign/SEED.jsonl if not given")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    given = parser.parse_args(arguments)
    path = given.file or Path("build") / "campaign" / f"{given.seed}.jsonl"
    began = time.monotonic()

    def progress(done, count):
        if not given.quiet and sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {count}")

    records = Runner(given.seed, given.count, path, given.workers).run(progress)
    sys.stdout.write(text(records, time.monotonic() - began) + "\n")
    found = outcomes(records)
    return int(any(found[name] for name in (*FAILURES, "broken")))


if __name__ == "__main__":
    sys.exit(main())
