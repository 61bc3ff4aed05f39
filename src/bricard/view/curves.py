"""The curves beside the picture: energy, constraint errors, joint coordinates, reactions, and the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .packing import Archive
from .timeline import Timeline

__all__ = ["build_curves"]

MOST = 200  # joints with curves
FINE = 2**15  # steps between zero and the largest value
ROUND_OFF = 1e-17  # smaller errors are drawn here: a logarithmic axis has no zero
DECADES = 2.0**-10  # step of the logarithm of an error


def build_curves(solution: Any, frames: Timeline, own: Mapping[str, Any], archive: Archive) -> list[dict[str, Any]]:
    """Return groups of curves, each a plot: name, unit, whether logarithmic, and its curves (label, values (n,)).

    own : the user's channels, (times, values) by name.
    """
    if frames.t.size < 2:
        return []
    found = []
    for name, unit, curves in [
        *_own(frames, own),
        *_balance(solution, frames),
        *_joints(solution, frames),
        *_loads(frames),
    ]:
        found.append(
            {"name": name, "unit": unit, "curves": [_packed(label, curve, archive) for label, curve in curves.items()]}
        )
    errors = _errors(solution, frames)
    place = len(own) + 2
    curves = [{"label": label, "values": archive.add(np.log10(curve), DECADES)} for label, curve in errors.items()]
    found.insert(place, {"name": "constraint errors", "unit": "scaled rows", "log": True, "curves": curves})
    return found


def _packed(label: str, curve: np.ndarray, archive: Archive) -> dict[str, Any]:
    curve = np.nan_to_num(curve)
    return {"label": label, "values": archive.add(curve, float(np.abs(curve).max(initial=0.0)) / FINE)}


def _own(frames: Timeline, own: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, np.ndarray]]]:
    for name, (t, values) in own.items():
        yield name, "", {name: np.interp(frames.t, t, values)}


def _balance(solution: Any, frames: Timeline) -> Iterator[tuple[str, str, dict[str, np.ndarray]]]:
    energy = solution.energy
    shown = ("kinetic", "potential", "total", *(("work",) if np.any(energy.work) else ()))
    yield "energy", "J", {key: np.interp(frames.t, solution.t, getattr(energy, key)) for key in shown}
    yield "energy error", "J", {"error": np.interp(frames.t, solution.t, energy.error)}


def _errors(solution: Any, frames: Timeline) -> dict[str, np.ndarray]:
    """The largest error of each level between one frame and the next, so that no peak is lost."""
    start = np.searchsorted(solution.t, frames.t).clip(0, solution.t.size - 1)
    found = {}
    for level, values in solution.constraint_errors._asdict().items():
        found[level] = np.maximum(np.maximum.reduceat(np.nan_to_num(values), start), ROUND_OFF)
    return found


def _joints(solution: Any, frames: Timeline) -> Iterator[tuple[str, str, dict[str, np.ndarray]]]:
    """Joint coordinates and their rates, from all samples: turns are counted from one to the next."""
    if len(solution.channels) > MOST:
        return
    for name in solution.channels:
        unit = "rad" if solution.system.model.coordinate(name).kind == "angle" else "m"
        yield name, unit, {name: np.interp(frames.t, solution.t, solution.joint(name))}
        yield f"{name} rate", f"{unit}/s", {f"{name}'": np.interp(frames.t, solution.t, solution.joint_velocity(name))}


def _loads(frames: Timeline) -> Iterator[tuple[str, str, dict[str, np.ndarray]]]:
    solution = frames.solution
    joints = [joint for joint in solution.system.model.joints.values() if joint.blocks()]
    for joint in joints if len(joints) <= MOST else ():
        reaction = solution.reaction(joint.name)
        for word, unit, values in (("force", "N", reaction.force), ("moment", "N m", reaction.moment)):
            if np.any(np.abs(np.nan_to_num(values)) > 0.0):
                yield f"{joint.name} {word}", unit, dict(zip("xyz", frames.values(values).T, strict=True))
