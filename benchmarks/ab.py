"""Is this tree slower than another revision? `make ab BASE=rev` says so with a number and its uncertainty.

Two processes live side by side, one with the package of this tree, one with that of the revision (a git worktree below
build/ab); only one of them works at any time. For every case of ab_cases.py they are asked in turn, which of the two is first
changes from pair to pair, and each answers with CPU seconds. A drift of the machine meets both sides of a pair alike, so the
statistics are made from the logarithms of the ratios within pairs. A slow outlier (another process, an interrupt) only adds to a
time, never takes away: the ratio of a case is the median over its pairs.

The interval: pairs are drawn again with replacement (bootstrap, BOOTSTRAPS times, percentiles 2.5 and 97.5), for each case, and
for the geometric mean of the cases of one kind. Both trees run with the libraries of this tree's environment.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

from ab_cases import CASES, KINDS

ROOT = Path(__file__).resolve().parents[1]
WORKTREE = ROOT / "build" / "ab"
BOOTSTRAPS, PERCENT = 2000, 2.5
LIMIT = 1.02  # what the upper end of an interval may be


class Side:
    """One of the two trees: a process that runs cases when asked."""

    def __init__(self, name, tree):
        self.name = name
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("ab_cases.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | threads | {"PYTHONPATH": str(tree / "src")},
        )

    def ask(self, case):
        """What the process says of one run of a case: {"seconds": ...} and "steps", or {"failed": why}."""
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else {"failed": "the process has ended"}


def checked_out(revision):
    """The folder of a revision: a worktree that is made, or moved to it."""
    name = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    if not name:
        sys.exit(
            f'"{revision}" is no revision of this repository: make ab BASE=... wants one, such as HEAD~5 or a hash.'
        )
    if WORKTREE.exists():
        subprocess.run(["git", "checkout", "--quiet", "--detach", "--force", name], cwd=WORKTREE, check=True)
    else:
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(WORKTREE), name], cwd=ROOT, check=True)
    return WORKTREE, name[:9]


def interval(rows, rng):
    """(median ratio, lower end, upper end) of several cases' logarithms of ratios, pair by pair; one row a case."""

    def middle(pick):
        return statistics.fmean(statistics.median([row[i] for i in pick(len(row))]) for row in rows)

    drawn = sorted(middle(lambda n: [rng.randrange(n) for _ in range(n)]) for _ in range(BOOTSTRAPS))
    last = len(drawn) - 1
    ends = (drawn[round(last * PERCENT / 100.0)], drawn[round(last * (1.0 - PERCENT / 100.0))])
    return tuple(math.exp(x) for x in (middle(range), *ends))


def measured(case, base, new, pairs):
    """(logarithms of the ratios new / base, remark) of one case; no ratios where one side cannot run it."""
    for _ in range(2):  # compile, load, fill the caches
        first = {side.name: side.ask(case) for side in (base, new)}
    failed = [f"{name}: {answer['failed']}" for name, answer in first.items() if "failed" in answer]
    if failed:
        return [], "; ".join(failed)
    steps = [first[side.name].get("steps") for side in (base, new)]
    ratios = []
    for pair in range(pairs):
        sides = (base, new) if pair % 2 == 0 else (new, base)
        took = {side.name: side.ask(case)["seconds"] for side in sides}
        ratios.append(math.log(took[new.name] / took[base.name]))
    return ratios, "" if steps[0] == steps[1] else f"steps {steps[0]} -> {steps[1]}"


def main():
    """Run, print, and end with 1 where the upper end of a kind's interval is above the limit."""
    parser = argparse.ArgumentParser(description="CPU time of this tree over that of a revision.")
    parser.add_argument("base", help="revision to compare with")
    parser.add_argument("--pairs", type=int, default=30, help="pairs of runs of every case (default 30)")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help=f"of the upper end of the intervals (default {LIMIT})"
    )
    parser.add_argument("--json", help="file to write the ratios to")
    chosen = parser.parse_args()
    tree, revision = checked_out(chosen.base)
    base, new = Side("base", tree), Side("new", ROOT)
    rng, found = random.Random(0), {}
    print(f"CPU time of this tree over {revision}, {chosen.pairs} pairs: ratio (95 % interval)")
    for name in CASES:
        if chosen.only not in name:
            continue
        ratios, remark = measured(name, base, new, chosen.pairs)
        found[name] = ratios
        text = "{:6.3f} ({:.3f} to {:.3f})".format(*interval([ratios], rng)) if ratios else "not compared"
        print(f"  {name:44s} {text}  {remark}".rstrip(), flush=True)
    slower = False
    for kind in KINDS:
        rows = [ratios for name, ratios in found.items() if CASES[name].kind == kind and ratios]
        if rows:
            middle, low, high = interval(rows, rng)
            slower |= high > chosen.limit
            print(f"{kind:9s} geometric mean of {len(rows):2d} cases: {middle:.3f} ({low:.3f} to {high:.3f})")
    if chosen.json:
        Path(chosen.json).write_text(json.dumps({"base": revision, "ratios": found}), encoding="utf-8")
    if slower:
        sys.exit(f"slower: the upper end of an interval is above {chosen.limit:g}")


if __name__ == "__main__":
    main()
