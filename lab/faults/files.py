"""Thousands of damaged files, each opened by the command line in a process that may be killed; the outcomes are counted.

What may come of a file: it is read ("fine"), refused with a sentence of ours and the code 2 ("refused"), or its simulation fails
with a sentence and the code 1 ("failed"). Anything else is a fault: "bug", "crash", "hang" (by CPU time).
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import random
import tempfile
import time
import tomllib
import warnings
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..campaign.runner import cpu_time
from . import seeds
from .mutations import mutant_of_bytes, mutant_of_toml, mutant_of_words, mutant_of_xml
from .mutations_hdf5 import mutant_of_hdf5

__all__ = ["FAULTS", "LEVELS", "Opener", "damaged", "opened", "outcome", "run", "said", "summary"]

LEVELS = ("bytes", "words", "tree")
FAULTS = ("bug", "crash", "hang")
LIMIT, FIRST = 30.0, 120.0  # s of CPU of one file, and of the first one of a process, which loads the package
MEMORY = 8 * 2**30  # bytes of addresses


def damaged(kind: str, number: int, seed: int, folder: Path) -> Path:
    """Write the mutant of this number, in a format; the same one every time."""
    rng = random.Random(f"{seed} {kind} {number}")
    file, level = folder / f"mutant.{kind}", LEVELS[number % len(LEVELS)]
    if kind == "h5":
        if level == "tree":
            mutant_of_hdf5(seeds.result(), rng, file)
        else:  # half of them with a seal, that no longer fits; of the others it is cut off
            whole = seeds.result()
            file.write_bytes(mutant_of_bytes(whole if rng.random() < 0.5 else whole[:-100], rng))
        return file
    text = rng.choice(seeds.texts(kind))
    if level == "tree":
        mutant = mutant_of_toml(tomllib.loads(text.decode()), rng) if kind == "toml" else None
        file.write_bytes(mutant or mutant_of_xml(ElementTree.fromstring(text), rng))
    else:
        file.write_bytes((mutant_of_bytes if level == "bytes" else mutant_of_words)(text, rng))
    return file


def said(*command: object) -> tuple[int, str]:
    """Return the exit code of the command line, run in this process, and what it writes on standard error."""
    from bricard.cli.main import main

    out, told, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            main([str(word) for word in command])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, told.getvalue()


def outcome(code: int, text: str) -> str:
    """Return what came of a file."""
    if "bug in bricard" in text or "Traceback" in text or code not in (0, 1, 2) or (code and not text.strip()):
        return "bug"
    return ("fine", "failed", "refused")[code]


def opened(file: Path) -> tuple[int, str]:
    """Open a file by the command line: a model is built and reported on, a result becomes a table."""
    if file.suffix == ".h5":
        return said("export", file, "--csv", "--no-code", "-o", file.with_suffix(".csv"))
    return said("check", file)


def _work(connection: Any) -> None:
    """Serve a runner: receive the name of a file, send the exit code, what is said and the CPU time (s)."""
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while True:
        try:
            file = connection.recv()
        except EOFError:
            return
        began = time.process_time()
        code, text = opened(Path(file))
        connection.send((code, text, round(time.process_time() - began, 3)))


def run(count: int, seed: int, path: Path, kinds=seeds.FORMATS, progress=lambda done: None) -> list[dict[str, Any]]:
    """Open the first `count` mutants of every format that are not in the file of records yet; return all records."""
    records = [r for r in _records(path) if r["seed"] == seed and r["number"] < count and r["kind"] in kinds]
    known = {(r["kind"], r["number"]) for r in records}
    todo = [(kind, number) for number in range(count) for kind in kinds if (kind, number) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file, Opener() as opener, tempfile.TemporaryDirectory() as folder:
        for kind, number in todo:
            record = {"seed": seed, "kind": kind, "number": number}
            record |= opener.open(damaged(kind, number, seed, Path(folder)))
            records.append(record)
            file.write(json.dumps(record) + "\n")
            file.flush()
            progress(len(records))
    return records


def _records(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        with contextlib.suppress(json.JSONDecodeError):  # torn by a kill
            found.append(json.loads(line))
    return found


class Opener:
    """Opens files in a process that is replaced when one of them ends it or takes too long."""

    def __init__(self) -> None:
        self.process: Any = None

    def __enter__(self) -> Opener:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def open(self, file: Path) -> dict[str, Any]:
        """Return what comes of a file: outcome, text, seconds."""
        limit = LIMIT
        if self.process is None:
            limit = FIRST
            self._start()
        before, clock = cpu_time(self.process.pid), time.monotonic()
        self.pipe.send(str(file))
        while not self.pipe.poll(0.1):
            if max(cpu_time(self.process.pid) - before, (time.monotonic() - clock) / 10.0) > limit:
                self._stop()
                return {"outcome": "hang", "text": "", "seconds": limit}
        try:
            code, text, seconds = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(5.0)
            ended = self.process.exitcode
            self._stop()
            return {"outcome": "crash", "text": f"exit code {ended}", "seconds": limit}
        return {"outcome": outcome(code, text), "text": text[-400:], "seconds": seconds}

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def _stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None


def summary(records: list[dict[str, Any]]) -> str:
    """Return a table of the outcomes, and the faults."""
    lines = []
    for kind in sorted({r["kind"] for r in records}):
        own = [r for r in records if r["kind"] == kind]
        counts, slowest = Counter(r["outcome"] for r in own), max(r["seconds"] for r in own)
        told = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
        lines.append(f"{kind:5} {len(own):6} files: {told}; the slowest {slowest:.1f} s of CPU")
    faults = [r for r in records if r["outcome"] in FAULTS]
    lines += [
        f"{r['outcome']}: {r['kind']} {r['number']} of seed {r['seed']}: {r['text'].strip()[:200]}" for r in faults[:40]
    ]
    return "\n".join(lines)
