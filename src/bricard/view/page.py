"""The page: one HTML text with the program, the scene and the motion in it. Nothing is loaded from anywhere.

The program is viewer.html, built from the folder viewer/ by `make viewer`; the scene takes the place of a mark in it.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import replacing
from ..errors import AssemblyError, ModelError, suggest, warn
from ..model import checks
from ..solution.solution import Solution
from ..system.assembler import assemble
from .curves import build_curves
from .loads import build_loads
from .packing import Archive, deflated
from .solids import attachments, build_solids, thickness, unreadable
from .symbols import build_symbols
from .timeline import Timeline, finite, frames_for, playing_speed, timeline

__all__ = ["ANGLE_STEP", "LENGTH_STEP", "Page", "model_page", "solution_page"]

LARGEST = 9_000_000  # bytes of a page; a longer run or a larger model is shown with fewer frames per second
FEWEST = 25  # frames that are kept whatever the size
LENGTH_STEP = 2.0**-17  # positions are whole multiples of this share of the size of the mechanism
ANGLE_STEP = 2.0**-15  # components of quaternions are whole multiples of this
MOST_PATHS = 8
SCENE, TITLE = "@SCENE@", "@TITLE@"


@dataclass(frozen=True)
class Page:
    """A page that shows a mechanism: `save` it, or let a notebook show it."""

    name: str
    text: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; an older file is replaced as a whole or not at all."""
        if Path(path).is_dir():
            raise ModelError(
                f"The page is one file, but {path} is a folder: give a file such as {Path(path) / 'page.html'}."
            )
        if not Path(path).resolve().parent.is_dir():
            raise ModelError(f"The page cannot be written to {path}: there is no folder {Path(path).parent}.")
        try:
            with replacing(path) as temporary:
                temporary.write_text(self.text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise ModelError(f"The page cannot be written to {path}: {error.strerror}.") from error

    def frame(self, height: int = 480) -> str:
        """The page as a frame (HTML) of so many pixels, for notebooks and other pages."""
        style = f"width:100%;height:{height}px;border:1px solid #8884;border-radius:8px"
        quoted = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{quoted}" style="{style}" title="{html.escape(self.name)}" loading="lazy"></iframe>'

    def _repr_html_(self) -> str:
        return self.frame()

    def __repr__(self) -> str:
        return f"<page of {self.name!r}, {len(self.text) / 1e6:.2f} MB: save it as an HTML file>"


def solution_page(
    solution: Any,
    *,
    fps: float = 60.0,
    paths: Sequence[tuple[Any, Any]] | None = None,
    channels: Mapping[str, Any] | None = None,
) -> Page:
    """Return the page of a solution.

    fps : frames per second of playing, fewer where the file would become larger than 9 MB. paths : (body, point (3,) in its
    reference frame) whose way is drawn; some joints if not given. channels : curves of your own by name, (samples,) each.
    """
    model = solution.system.model
    if model is None:
        raise ModelError("This system was given by its functions: it has no bodies and joints to show.")
    if not (np.isfinite(fps) and fps > 0.0):
        raise ModelError(f"fps must be a number greater than zero, not {fps!r}.")
    if not solution.t.size:
        raise ModelError(f'The solution of "{solution.name}" has no samples to show.')
    own = {str(name): _per_sample(name, values, solution.t) for name, values in (channels or {}).items()}
    solution = finite(solution)
    notes = _notes(model)
    count = frames_for(solution, fps)
    while True:
        frames = timeline(solution, count)
        text = deflated(_scene(solution, frames, paths, own, notes))
        room = LARGEST - len(template())
        if len(text) <= room or count <= FEWEST:
            return _filled(solution.name, text)
        count = max(FEWEST, int(0.9 * count * room / len(text)))


def model_page(model: Any) -> Page:
    """Return the page of a model at its assembled start, or as drawn where it cannot be assembled."""
    system = model.build()
    try:
        state, sentence, fine = assemble(system), "The assembled start.", True
        q, v = state.q, state.v
    except AssemblyError as error:
        q, v, sentence, fine = system.start, np.zeros(system.n_v), f"As drawn, not assembled: {error}", False
    still = Solution(
        system=system,
        t=np.zeros(1),
        q=q[None],
        v=v[None],
        own_a=None,
        own_lam=None,
        ok=fine,
        status=sentence,
        counters={},
        events=(),
        seconds={},
        provenance={},
        step_times=np.zeros(0),
        end=None,  # pyright: ignore[reportArgumentType]
        turns=np.zeros((1, system.n_measures)),
    )
    return _filled(model.name, deflated(_scene(still, timeline(still, 1), (), {}, _notes(model), loads=False)))


@cache
def template() -> str:
    """The built page without a scene."""
    return (files("bricard.view") / "viewer.html").read_text(encoding="utf-8")


def _filled(name: str, scene: str) -> Page:
    head, rest = template().split(SCENE)
    return Page(name, f"{head.replace(TITLE, html.escape(name))}{scene}{rest}")


def _notes(model: Any) -> list[str]:
    """What is not shown as it is, warned of: a drawing that is missing is no reason to show nothing."""
    notes = unreadable(model)
    for note in notes:
        warn(f"The view of {model.name!r}: {note}")
    return notes


def _scene(
    solution: Any,
    frames: Timeline,
    paths: Any,
    channels: Mapping[str, Any],
    notes: list[str],
    loads: bool = True,
) -> bytes:
    """The scene as bytes: see `Archive.closed`, and docs/viewer.md for the keys of its header."""
    model, archive = solution.system.model, Archive()
    positions, rotations = frames.poses
    size = _size(model, positions)
    places = archive.add(positions - frames.origin[:, None], size * LENGTH_STEP)
    duration = float(frames.t[-1] - frames.t[0])
    header = {
        "name": model.name,
        "status": solution.status,
        "ok": bool(solution.ok),
        "notes": notes,
        "method": _method(solution),
        "up": _up(model),
        "flat": _flat(model),
        "bodies": [{"name": body.name, "mass": body.mass} for body in model.bodies.values()],
        "start": float(frames.t[0]),
        "duration": duration,
        "frames": int(frames.t.size),
        "speed": playing_speed(duration),
        "accuracy": {"length": 0.5 * places["step"], "angle": 2.0 * ANGLE_STEP},
        "origin": frames.origin.tolist(),
        "positions": places,
        "rotations": archive.add(rotations, ANGLE_STEP),
        **build_solids(model, frames, archive),
        **build_symbols(model, frames),
        "paths": _paths(model, paths),
        "loads": build_loads(solution, frames, archive) if loads else [],
        "curves": build_curves(solution, frames, channels, archive) if loads else [],
        "own": list(channels),
        "events": [{"t": event.t, "text": event.text} for event in solution.events[:200]],
    }
    return archive.closed(header)


def _per_sample(name: Any, values: Any, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A channel of the user with its times, checked."""
    array = np.asarray(values, float)
    if array.shape != t.shape:
        raise ModelError(f'channel "{name}" must have one number per sample, {t.size}, not the shape {array.shape}.')
    return t, array


def _size(model: Any, positions: np.ndarray) -> float:
    """Diagonal (m) of the box around all reference frames and joints at the first frame, or the largest body if larger."""
    points = [positions[:, :, 0]] if positions.size else []
    holds = attachments(model)
    largest = max((thickness(body, holds[body])[1] for body in model.bodies.values()), default=0.0)
    for number, (body, ends) in enumerate(holds.items()):
        origin = positions[number, :, 0] if number < len(positions) else np.zeros(3)
        points += [(body.rotation @ end + origin)[None] for end in ends]
    box = np.ptp(np.concatenate(points), axis=0) if points else np.zeros(3)
    return max(float(np.linalg.norm(box)), largest) or 1.0


def _method(solution: Any) -> str:
    used = solution.provenance
    return f"{used['formulation']} + {used['integrator']}" if "formulation" in used and "integrator" in used else ""


def _up(model: Any) -> str:
    """The axis that points up: against gravity; without it y in a planar model, otherwise z."""
    if not np.any(model.gravity):
        return "y" if model.is_planar else "z"
    axis = int(np.argmax(np.abs(model.gravity)))
    return ("-" if model.gravity[axis] > 0.0 else "") + "xyz"[axis]


def _flat(model: Any) -> bool:
    """Whether everything happens in planes parallel to x-y."""
    if all(body.planar for body in model.bodies.values()):
        return True
    joints = [joint for joint in model.joints.values() if getattr(joint, "frame_b", None) is not None]
    hinges = [joint for joint in joints if joint.kind in ("revolute", "pin")]
    slides = [joint for joint in joints if joint.kind in ("prismatic", "slider")]
    upright = all(abs(joint.frame_b.world_rotation[2, 2]) > 1 - 1e-9 for joint in hinges)
    level = all(abs(joint.frame_b.world_rotation[2, 2]) < 1e-9 for joint in slides)
    return bool(hinges) and len(hinges) + len(slides) == len(joints) and upright and level


def _paths(model: Any, wanted: Sequence[tuple[Any, Any]] | None) -> list[dict[str, Any]]:
    """Points whose way is drawn: those asked for, or else joints between moving bodies, or else centres of mass."""
    names = list(model.bodies)
    if wanted is not None:
        if isinstance(wanted, str) or not isinstance(wanted, Iterable):
            raise ModelError(f"paths: give a list of (body, point) pairs, not {wanted!r}.")
        found = [_followed(entry, names) for entry in wanted]
    else:
        point_like = (
            "revolute",
            "pin",
            "spherical",
            "universal",
            "prismatic",
            "slider",
            "cylindrical",
            "fixed",
            "distance",
        )
        joints = [joint for joint in model.joints.values() if joint.kind in point_like]
        moving = [joint.frame_b for joint in joints if not any(body.is_ground for body in joint.bodies)]
        found = [(frame.body.name, frame.position) for frame in moving]
        found = found or [(body.name, body.com) for body in model.bodies.values()]
        found = found if len(found) <= MOST_PATHS else found[-1:]
    return [{"body": names.index(name), "p": [float(f"{x:.7g}") for x in point]} for name, point in found]


def _followed(entry: Any, names: list[str]) -> tuple[str, np.ndarray]:
    """The name of the body and the point (3,) of one of the user's paths, checked."""
    example = f'("{names[0]}", (0, 0, 0))' if names else '("body", (0, 0, 0))'
    if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) != 2:
        raise ModelError(f"paths: each is a body and a point in its reference frame, such as {example}, not {entry!r}.")
    name = getattr(entry[0], "name", entry[0])
    if name not in names:
        raise ModelError(f'paths: there is no body "{name}".{suggest(name, names)}')
    return name, checks.vector(entry[1], f'paths: the point of "{name}"')
