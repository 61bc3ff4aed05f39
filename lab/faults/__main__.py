"""Faults on purpose: what comes of them must be a sentence or the right result.

python -m lab.faults files N --seed S [--kind toml]   N damaged files of each format; it goes on where it was stopped
python -m lab.faults interrupts N --seed S            N interrupts of each of some twenty things that take time
python -m lab.faults caches                           caches of compiled code in a dozen broken environments
python -m lab.faults kills N --seed S                 kill -9 of N processes that fill a cache
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import caches, files, interrupts
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
    press = commands.add_parser("interrupts", help="Ctrl-C at random moments")
    press.add_argument("count", type=int)
    press.add_argument("--seed", type=int, default=1)
    press.add_argument("--only", choices=list(interrupts.ACTIONS), action="append")
    commands.add_parser("caches", help="broken environments of the cache")
    kill = commands.add_parser("kills", help="kill -9 of processes that fill a cache")
    kill.add_argument("count", type=int)
    kill.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    return {"files": _files, "interrupts": _interrupts, "caches": _caches, "kills": _kills}[given.command](given)


def _files(given: argparse.Namespace) -> int:
    path = given.file or Path("build") / "faults" / f"{given.seed}.jsonl"
    records = files.run(given.count, given.seed, path, tuple(given.kind or FORMATS))
    sys.stdout.write(files.summary(records) + "\n")
    return int(any(record["outcome"] in files.FAULTS for record in records))


def _interrupts(given: argparse.Namespace) -> int:
    found = interrupts.run(given.count, given.seed, given.only, lambda text: sys.stderr.write(text + "\n"))
    sys.stdout.write(interrupts.summary(found) + "\n")
    return int(bool(interrupts.faults(found)))


def _caches(_: argparse.Namespace) -> int:
    return int(not caches.run(lambda text: sys.stdout.write(text + "\n")))


def _kills(given: argparse.Namespace) -> int:
    return int(not caches.kills(given.count, given.seed, lambda text: sys.stdout.write(text + "\n")))


if __name__ == "__main__":
    sys.exit(main())
