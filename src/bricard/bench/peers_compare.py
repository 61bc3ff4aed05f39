"""Other packages in a comparison (`bricard compare --peers`): at recommended settings, over a ladder of steps."""

from __future__ import annotations

from typing import Any

from ..errors import BricardError
from .compare_run import distance
from .peers import installed
from .peers_process import repeated, variants

FIRST, GROWTH, RUNGS = 128, 2, 16  # steps of the first rung, factor to the next, rungs at most
FAILURES = 4  # rungs one after the other after which a ladder ends
LONGEST = 1.5  # s, of a run after which a ladder ends
# the variants that the survey of other packages found best; of each package those that a model has
RECOMMENDED = {
    "exudyn": (
        "kinematic tree, RK67",
        "2D, index-3 generalized-alpha",
        "3D redundant, dense, index-3 generalized-alpha",
    ),
    "mujoco": ("hinge tree, RK4", "tree+connect, RK4, solref=2dt", "tree+connect, implicitfast, solref=2dt"),
    "pinocchio": ("aba, RK4", "constraintDynamics, Baumgarte Kp=10000, RK4", "constraintDynamics, Baumgarte Kp=0, RK4"),
}


def peer_rows(system: Any, comparison: Any, end: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Rows of all installed packages; one row with the reason for a package that cannot hold the model.

    Errors are against `end`, where our most accurate run ended, or the reference: bodies as in compare_run.ended().
    """
    rows: list[dict[str, Any]] = []
    for package in (name for name in installed() if name in RECOMMENDED):
        try:
            found = variants(package, system, False)
        except BricardError as error:
            rows.append(
                {"method": package, "ok": False, "reason": str(error), "error": None, "cpu_s": None, "setting": ""}
            )
            continue
        for name in (name for name in RECOMMENDED[package] if name in found):
            rows += _ladder(f"{package}: {name}", found[name], comparison, end, system.length)
    return rows


def _ladder(name, run, comparison, end, length):
    rows, steps = [], FIRST
    for _ in range(RUNGS):
        answer = repeated(run, steps, comparison.span, lambda poses: distance(poses, end, length))
        rows.append({"method": name, "setting": f"{steps} steps", **answer, "cpu_s": answer["seconds"]})
        failed = not any(row["ok"] for row in rows[-FAILURES:]) and len(rows) >= FAILURES
        done = answer["ok"] and (answer["error"] <= comparison.accuracy or answer["seconds"] > LONGEST)
        if failed or done:
            break
        steps *= GROWTH
    return rows
