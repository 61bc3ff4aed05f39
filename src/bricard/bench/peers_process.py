"""One other package on one case, in a process of its own: `python -m bricard.bench.peers_process '{"package": ..., ...}'`.

Prints one JSON line per run. exudyn-fast is exudyn without range checks, chosen before it is imported; ida is the solver of
SUNDIALS through scikit-sundae on our compiled residual of the GGL equations, which is faster than a residual in Python.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

from ..errors import BricardError
from .peers_cases import CASES
from .peers_scene import scene

ENOUGH, REPEATS = 1.5, 5


def variants(package: str, system: Any, depth: bool):
    """Name -> function(setting, span) -> (seconds, poses) of a package."""
    if package == "ida":
        return {"GGL index 2": _ida(system)}
    if package == "exudyn-fast":
        sys.exudynFast = True  # type: ignore[attr-defined]
    module = import_module(f".peers_{package.removesuffix('-fast')}", __package__)
    return module.variants(scene(system), depth)


def _ida(system):
    from ..simulation import simulate
    from .compare_run import ended

    def run(rtol, span):
        simulate(
            system, 1e-3 * span, formulation="ggl", integrator="ida", rtol=rtol, output=2, progress=False
        )  # compiles
        solution = simulate(system, span, formulation="ggl", integrator="ida", rtol=rtol, output=2, progress=False)
        return solution.seconds["march"], ended(solution)

    return run


def repeated(run, setting: float, span: float, error) -> dict[str, Any]:
    """Best time of a few runs and the error of the last one."""
    times: list[float] = []
    poses = None
    try:
        while poses is None or (len(times) < REPEATS and sum(times) < ENOUGH):
            seconds, poses = run(setting, span)
            times.append(seconds)
    except BricardError as problem:
        return {"ok": False, "reason": str(problem), "seconds": None, "error": None}
    return {"ok": True, "reason": "", "seconds": min(times), "error": error(poses), "runs": len(times)}


def main(text: str) -> None:
    """Run the settings of a case: a list of (variant, setting)."""
    job = json.loads(text)
    case = CASES[job["case"]]
    row = {"case": case.name, "package": job["package"]}
    try:
        found = variants(job["package"], case.model().build(), case.depth)
    except (BricardError, ImportError) as error:
        sys.stdout.write(
            json.dumps(row | {"ok": False, "reason": str(error), "method": "", "error": None, "seconds": None}) + "\n"
        )
        return
    for name, setting in job["settings"]:
        if name not in found:
            continue
        answer = repeated(found[name], setting, case.span, case.error)
        sys.stdout.write(json.dumps(row | {"method": name, "setting": setting} | answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
