"""Faults on purpose: what comes of them must be a sentence or the right result.

python -m lab.faults files N --seed S [--kind toml]   N damaged files of each format; it goes on where it was stopped
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import files
from .seeds import FORMATS


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 1 if there is a fault."""
    parser = argparse.ArgumentParser(prog="python -m lab.faults", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("files", help="damaged files")
    run.add_argument("count", type=int)
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--kind", choices=FORMATS, action="append")
    run.add_argument("--file", type=Path, help="records; build/faults/SEED.jsonl if not given")
    given = parser.parse_args(arguments)
    return _files(given)


def _files(given: argparse.Namespace) -> int:
    path = given.file or Path("build") / "faults" / f"{given.seed}.jsonl"
    records = files.run(given.count, given.seed, path, tuple(given.kind or FORMATS))
    sys.stdout.write(files.summary(records) + "\n")
    return int(any(record["outcome"] in files.FAULTS for record in records))


if __name__ == "__main__":
    sys.exit(main())
