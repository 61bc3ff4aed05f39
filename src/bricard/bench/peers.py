"""Time to accuracy beside other packages: `bricard bench peers`.

Nine cases (peers_cases.py), three target errors. Our time is that of the compiled march, warm, the best of several runs, with the
whole simulate() call beside it. Other packages run in the same session at the settings that a survey of them found best for each
case and target (peers.json), each in a process of its own, on one thread; what is not installed, or would take too long, is shown
with the time of the survey. Where the goal is missed, the rows tell where our time goes: evaluations and microseconds for each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from ..errors import ModelError, suggest
from .peers_cases import CASES, TARGETS, Case, stored
from .peers_ours import ours

PACKAGES = {
    "exudyn-fast": "exudyn",
    "exudyn": "exudyn",
    "mujoco": "mujoco",
    "pinocchio": "pinocchio",
    "ida": "sksundae",
}
IDA = "scikit-sundae IDA"  # its name in the survey
LONGEST = 3.0  # s: what took longer in the survey is not run again
PATIENCE = 240.0  # s for one package on one case


@dataclass
class PeerTable:
    """rows : one per case and target; runs : every run of ours and of the others."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def missed(self) -> list[dict[str, Any]]:
        """The rows at 1e-6 in which the goal is missed."""
        return [row for row in self.rows if row["target"] == 1e-6 and not row["met"]]


def installed() -> list[str]:
    """Packages that can run here."""
    return [package for package, module in PACKAGES.items() if find_spec(module) is not None]


def bench_peers(cases: Any = None, packages: Any = None, longest: float = LONGEST, tell: Any = None) -> PeerTable:
    """Run cases (names; all if not given) with packages (all installed ones if not given; () for none)."""
    for name in cases or ():
        if name not in CASES:
            raise ModelError(f'There is no case "{name}".{suggest(name, CASES)} Known: {", ".join(CASES)}.')
    chosen = installed() if packages is None else list(packages)
    for name in chosen:
        if name not in PACKAGES:
            raise ModelError(f'There is no package "{name}".{suggest(name, PACKAGES)} Known: {", ".join(PACKAGES)}.')
    table, say = PeerTable(), tell or (lambda text: None)
    for case in (CASES[name] for name in cases or CASES):
        say(f"{case.name}: bricard")
        found, rows = ours(case)
        table.runs += rows
        others = []
        for package in chosen:
            say(f"{case.name}: {package}")
            others += run_package(package, case, longest)
        table.runs += others
        table.rows += [_row(case, target, found.get(target), others) for target in TARGETS]
    return table


def run_package(package: str, case: Case, longest: float) -> list[dict[str, Any]]:
    """Runs of one package on one case at its settings of the survey, in a process of its own."""
    settings = []
    for entry in _surveyed(case.name, package):
        number = float(entry["setting"].removeprefix("tol ").removesuffix(" steps"))
        method = "GGL index 2" if package == "ida" else entry["variant"]
        if entry["seconds"] <= longest and [method, number] not in settings:
            settings.append([method, number])
    if not settings:
        return []
    job = json.dumps({"package": package, "case": case.name, "settings": settings})
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "bricard.bench.peers_process", job]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
        text = done.stdout
    except subprocess.TimeoutExpired as error:
        text = (error.stdout or b"").decode() if isinstance(error.stdout, bytes) else error.stdout or ""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def _surveyed(case, package):
    name = IDA if package == "ida" else package
    return [entry for entry in stored()["published"] if entry["case"] == case and entry["package"] == name]


def _row(case, target, own, others):
    """One line: ours, the best of the others in this run, the best of the survey, and whether the goal is met."""
    hits = [run for run in others if run["ok"] and run["error"] is not None and run["error"] <= target]
    here = min(hits, key=lambda run: run["seconds"], default=None)
    known = [e for e in stored()["published"] if e["case"] == case.name and e["target"] == target]
    survey = min(known, key=lambda entry: entry["seconds"], default=None)
    rivals = [(here["seconds"], here["package"])] if here else []
    if survey is not None and (here is None or survey["package"] == "simbody" or survey["seconds"] < here["seconds"]):
        rivals.append((survey["seconds"], f"{survey['package']} (survey)"))
    best = min(rivals, default=None)
    seconds = own["seconds"] if own else None
    ratio = best[0] / seconds if best and seconds else None
    row = {"case": case.name, "target": target, "seconds": seconds, "goal": case.goal, "ratio": ratio}
    row |= {"best": best[1] if best else None, "best_s": best[0] if best else None}
    row |= {"here": here, "survey": survey, "met": ratio is not None and ratio >= case.goal}
    keys = ("method", "setting", "error", "whole_s", "firm", "steps", "rejected", "evaluations", "us_per_evaluation")
    return row | {key: own.get(key) if own else None for key in keys}
