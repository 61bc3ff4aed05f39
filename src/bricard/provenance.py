"""Provenance: what has made a result, enough to make it again and to say what is different then.

Numbers are the same to the bit where the model, its functions, the arguments, the versions of what computes and the processor
(for which code is compiled) are the same.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from .compiled.cache import fingerprint
from .model.body import Body
from .model.frames import Frame
from .model.model import Model
from .model.shapes import Shape
from .model.travelling import folder_of, function_name, function_path, functions_of
from .system.recipe import Recipe

SOFTWARE = ("numpy", "scipy", "numba", "llvmlite")  # besides ourselves and Python
NOT_RECORDED = (
    "what",
    "triggers",
    "progress",
    "check",
)  # the model has a hash, triggers are tables; the others change no number
PLAIN = (bool, int, float, str, type(None))


def provenance(
    pair: Any, system: Any, run: Any, arguments: Mapping[str, Any], moved: Iterable[Any], earlier: Any
) -> dict[str, Any]:
    """Return what has made a result: versions, machine, methods, steps, options, coordinates, model, all arguments.

    moved : bodies that were moved to close the loops. earlier : provenance of the Solution that the run goes on from, or None.
    """
    chosen, method, fixed = pair.formulation, pair.integrator, run.clock[7] > 0.0
    every, *tolerance = pair.schedule
    options, triggers = chosen.options | pair.options | pair.numbers, arguments["triggers"]
    made = {
        **software(),
        "formulation": chosen.name,
        "integrator": method.name,
        "form": pair.form,
        "correction": pair.correction,
        "correction_every": every,
        "correction_tolerance": tolerance,
        "step": float(run.clock[7]) if fixed else None,
        "rtol": None if fixed else float(run.tolerance[0]),
        "atol": None if fixed else float(run.tolerance[1]),
        "options": {key: value if isinstance(value, PLAIN) else str(value) for key, value in options.items()},
        "references": [*chosen.references, *method.references],
        "coordinates": system.coordinates,
        "cut": list(system.cut),
        "rotation": system.rotation,
        "moved_to_close": [str(one) for one in moved] if earlier is None else earlier.get("moved_to_close", []),
        "model": model_hash(system),
        "functions": function_marks((system.recipe.arguments if system.recipe else {}, triggers)),
        "arguments": recorded(arguments) | {"triggers": [_trigger(trigger) for trigger in triggers]},
        "part": 1,
    }
    if earlier is None:
        return made
    parts = [*earlier.get("earlier", ()), {key: value for key, value in earlier.items() if key != "earlier"}]
    return made | {"part": len(parts) + 1, "earlier": parts}


@cache
def software() -> dict[str, str]:
    """Return the versions of what computes, the operating system and the processor."""
    from . import __version__

    found = {"bricard": __version__, "python": platform.python_version()}
    for package in SOFTWARE:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    blas = np.show_config(mode="dicts")["Build Dependencies"].get("blas", {})
    found["blas"] = f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
    found |= {"system": platform.platform(), "machine": platform.machine()}
    return found | {"processor": processor(), "compiled for": _compiled_for()}


def processor() -> str:
    """Return the name of the processor, as Linux tells it, or what Python knows."""
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _compiled_for() -> str:
    """The kind of processor that code is compiled for, and a text that changes with its instructions."""
    from numba.core.registry import cpu_target

    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    return f"{name} {hashlib.sha256(features.encode()).hexdigest()[:8]}"


def recorded(value: Any) -> Any:
    """Return arguments as JSON holds them: numbers, texts, lists, tables; anything else as a text."""
    if isinstance(value, Mapping):
        return {str(key): recorded(item) for key, item in value.items() if key not in NOT_RECORDED}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Iterable):
        return [recorded(item) for item in value]
    return str(value)


def _trigger(trigger: Any) -> dict[str, Any]:
    """A trigger as a table; a function in it by its name and folder."""
    table: dict[str, Any] = {key: getattr(trigger, key) for key in ("at", "direction", "velocity", "name")}
    for key in ("function", "action"):
        value = getattr(trigger, key)
        table[key] = {"path": function_path(value), "folder": _folder(value)} if callable(value) else value
    return table


def _folder(function: Callable[..., Any]) -> str:
    path = function_path(function)
    return folder_of(path) if path is not None else ""


def model_hash(system: Any) -> str:
    """Return a text that changes with everything that a model declares, functions of users by their names only."""
    if "model" not in system.kept:
        what = system.model if system.model is not None else system.recipe
        text = repr(_described(what)).encode()
        system.kept["model"] = hashlib.sha256(text).hexdigest()[:16]
    return system.kept["model"]


def function_marks(holder: Any) -> dict[str, str]:
    """Name of each function of users that `holder` holds -> a text that changes with its code and all that it calls."""
    marks: dict[str, str] = {}
    for function in functions_of(_opened(holder)):
        try:
            mark = hashlib.sha256(fingerprint(function).encode()).hexdigest()[:16]
        except Exception:  # something that the fingerprint of compiled code does not know
            mark = "unknown"
        key = function_name(function)
        marks[key] = marks[key] + mark if key in marks else mark
    return marks


def _opened(value: Any) -> Any:
    """Models as the tables that they hold."""
    if isinstance(value, Model):
        return vars(value)
    if isinstance(value, Mapping):
        return {key: _opened(item) for key, item in value.items()}
    return [_opened(item) for item in value] if isinstance(value, tuple) and not hasattr(value, "_fields") else value


def _described(value: Any) -> Any:
    """What a declaration says, as nested lists of texts and numbers with all digits; bodies and functions by name."""
    if isinstance(value, Model):
        kept = {key: vars(value)[key] for key in ("is_planar", "_gravity", "joints", "forces", "wishes")}
        return [[_content(body) for body in value.bodies.values()], _described(kept)]
    if isinstance(value, Recipe):
        return _described(value.arguments)
    if isinstance(value, Body | Shape):
        return getattr(value, "name", "shape")  # of a shape all that moves is in the body
    if isinstance(value, Frame):
        return [value.body.name, value.position.tobytes(), value.rotation.tobytes()]
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, Mapping):
        return [[str(key), _described(item)] for key, item in value.items()]
    if isinstance(value, tuple | list):
        return [_described(item) for item in value]
    if hasattr(value, "declaration"):
        return _described(value.declaration())
    if callable(value):
        return function_name(value)
    return value if isinstance(value, PLAIN) else str(value)


def _content(body: Body) -> list[Any]:
    arrays = body.inertia, body.com, body.position, body.rotation
    return [body.name, body.mass, body.planar, *(array.tobytes() for array in arrays)]


__all__ = ["function_marks", "model_hash", "processor", "provenance", "software"]
