"""Solutions as HDF5 files: everything that is needed to go on with them, exact to the last bit.

    attributes   format, version, name, status, ok; counters, seconds as JSON
    t, q, v      samples: (n,), (n, n_q), (n, n_v); own_a (n, n_v), own_lam (n, n_rows) where the method has its own
    step_times   ends of the steps (s) of an adaptive run
    turns        (n, n_measures) counted measures; totals (n, n_angles + n_kept + 1): what the steps have counted: angles,
                 coordinates of users' joints, work
    end          t, q, v, a, lam, turn, totals of the last state (and extra, the integrator's own numbers, where it has some)
    events       JSON, provenance too (up to version 2 an attribute); model: the model as the text of its TOML file; folders:
                 an attribute, where the modules of its functions are

A model with functions that cannot be imported by name, and a system given by its functions, cannot be written: then the
file holds the data only and the reason why. What needs the model is an error after loading such a file, unless the
model is given to `load`. Samples are compressed, with checksums; a seal stands behind the file, see `bricard.io.sealing`. An
older file is replaced as a whole or not at all.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ..atomic import replacing
from ..errors import BricardError, FileFormatError, ModelError, UserFunctionError
from ..interrupts import whole
from ..model.travelling import folder_of, function_path, functions_of, importing_from
from ..solution.solution import NOTHING, Event, Solution
from ..system.build import build
from ..system.state import State
from ..system.system import System
from . import toml
from .content import check_regular
from .sealing import is_sealed, rehearse, sealed

__all__ = ["contents", "load", "save"]

FORMAT, VERSION = "bricard-solution", 3
STATE = ("q", "v", "a", "lam", "turn")
UNITS = {"t": "s", "step_times": "s"}
OTHERS = {  # suffixes of files that something else writes
    ".csv": "a table is written by `bricard export FILE.h5 --csv`",
    ".parquet": "a table is written by `bricard export FILE.h5 --parquet`",
    ".html": "a page to look at is written by solution.view(path)",
    ".toml": "the model is written by solution.system.model.save(path)",
}
DENSEST = 1100  # bytes that one byte of a file can stand for: deflate knows 1032 at most


class MissingSystem:
    """Stands for the system of a solution that was saved without its model: says so as soon as it is needed."""

    recipe = None  # it travels as it is

    def __init__(self, name: str, file: Path, reason: str):
        self.name = name
        self._text = (
            f"{file} holds the samples of {name!r} without its model: {reason} "
            "Give the model when loading: bricard.io.results.load(path, model=...)."
        )

    def __getattr__(self, attribute: str) -> NoReturn:
        if attribute.startswith("__"):  # copy, pickle and the like look for these
            raise AttributeError(attribute)
        raise ModelError(self._text)


@whole
def save(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write a solution to an HDF5 file. Its model is left out, with the reason, where it cannot be written.

    A name that ends like that of another format is refused.

    The file is made in memory: on a disk that is full, h5py ends the process with a segmentation fault.
    """
    import h5py

    other = OTHERS.get(Path(path).suffix.lower())
    if other is not None:
        raise ModelError(f"{path}: save() writes HDF5, so call the file {Path(path).stem}.h5; {other}.")
    folders = _folders(solution, Path(path).parent)
    text, reason = _model_text(solution, Path(path), folders)
    name = f"thread {threading.get_ident()}"  # a file in memory has a name, too, and one name stands for one file
    with h5py.File(name, "w", driver="core", backing_store=False) as file:
        _write_all(file, solution, text, reason, folders)
        file.flush()
        image = file.id.get_file_image()
    with replacing(path) as temporary:  # an older file makes room only for one that can be read
        temporary.write_bytes(sealed(image))
        with h5py.File(temporary, "r", locking=False) as file:  # replacing() holds the lock
            _check(_read(file, Path(path)), solution.system, Path(path))


def _write_all(file: Any, solution: Solution, text: str | None, reason: str, folders: list[str]) -> None:
    file.attrs.update({"format": FORMAT, "version": VERSION, "name": solution.name})
    file.attrs.update({"status": solution.status, "ok": solution.ok, "without_model": reason})
    for key in ("counters", "seconds"):
        file.attrs[key] = json.dumps(getattr(solution, key))
    file["provenance"] = json.dumps(solution.provenance)  # an attribute would hold 64 kB only
    for key in ("t", "q", "v", "own_a", "own_lam", "step_times", "turns", "totals"):
        _write(file, key, getattr(solution, key))
    end = file.create_group("end")
    end.attrs["t"] = solution.end.t
    for key in STATE:
        _write(end, key, getattr(solution.end, key))
    _write(end, "extra", solution.end.extra)
    _write(end, "totals", solution.end.totals)
    file["events"] = json.dumps([[_plain(part) for part in event] for event in solution.events])
    if text is not None:
        file["model"] = text
        file.attrs["folders"] = json.dumps(folders)


def _folders(solution: Solution, here: Path) -> list[str]:
    """Folders of the modules of users' functions, seen from the file (so that both can move) and absolute."""
    model = None if isinstance(solution.system, MissingSystem) else solution.system.model
    found: dict[str, None] = {}
    for function in functions_of(model.__dict__) if model is not None else ():
        path = function_path(function) or "bricard:"
        folder = "" if path.startswith(("bricard.", "bricard:")) else folder_of(path)
        if folder:
            with suppress(ValueError):  # another drive
                found[Path(os.path.relpath(folder, here.resolve())).as_posix()] = None
            found[folder] = None
    return list(found)


def _model_text(solution: Solution, file: Path, folders: list[str]) -> tuple[str | None, str]:
    """The model as TOML that can be read again, or None and the reason why not."""
    if isinstance(solution.system, MissingSystem):
        return None, "it was loaded from a file without a model."
    if solution.system.model is None:
        return None, "its system was given by functions."
    try:
        text = toml.dumps(solution.system.model)
        _model(text, file, folders)
    except ModelError as error:
        return None, str(error)
    return text, ""


def _write(group: Any, name: str, values: np.ndarray | None) -> None:
    if values is None:
        return
    array = np.ascontiguousarray(values, float)
    packed = {"compression": "gzip", "shuffle": True, "fletcher32": True} if array.size else {}
    data = group.create_dataset(name, data=array, **packed)
    if name in UNITS:
        data.attrs["units"] = UNITS[name]


@whole
def load(path: str | os.PathLike[str], model: Any = None, *, code: bool = True) -> Solution:
    """Return the solution of an HDF5 file written by `save`.

    model : a Model or a System to use in place of the stored one, for a file without it. Functions of users are
    imported by name as in a TOML file, modules beside the HDF5 file included. code : False refuses such functions.
    """
    file = Path(path)
    check_regular(file)
    if not is_sealed(file) or not code:
        rehearse(file)
    data = contents(file)
    text, reason, folders = data.pop("model"), data.pop("reason"), data.pop("folders")
    if model is not None:
        system = model if isinstance(model, System) else build(model, **_choices(data))
    elif text is not None:
        system = build(_model(text, file, folders, code), **_choices(data))
    else:
        system = MissingSystem(data.pop("name"), file, reason)
    data.pop("name", None)
    _check(data, system, file)
    return Solution(system=system, **data)  # pyright: ignore[reportArgumentType]


def contents(file: Path) -> dict[str, Any]:
    """Return what stands in a file, as the fields of a Solution and what its system is made from."""
    import h5py

    try:
        with h5py.File(file, "r") as content:
            return _read(content, file)
    except BricardError:
        raise
    except (
        OSError,
        RuntimeError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        MemoryError,
    ) as error:
        raise FileFormatError(
            f"{file}: this is not a complete HDF5 file of a solution ({_first_line(error)}). It is cut off, damaged or "
            "something else: copy the file again, or run the simulation again."
        ) from error


def _choices(data: dict[str, Any]) -> dict[str, Any]:
    """The coordinates that the system was built with."""
    return {key: data["provenance"][key] for key in ("coordinates", "cut", "rotation") if key in data["provenance"]}


def _model(text: str, file: Path, folders: list[str], code: bool = True) -> Any:
    try:
        with ExitStack() as stack:
            for folder in folders if code else ():
                stack.enter_context(importing_from(file.parent / folder))
            return toml.loads(text, file, code=code)[0]
    except UserFunctionError as error:
        if not code:
            raise
        remedy = "Put the module beside the file or on the path of Python, or give the model: load(path, model=...)."
        raise UserFunctionError(f"{error} {remedy}") from error


def _read(content: Any, file: Path) -> dict[str, Any]:
    attributes = content.attrs
    if attributes.get("format") != FORMAT:
        raise FileFormatError(f"{file}: this HDF5 file was not written by bricard; give one of solution.save().")
    if int(attributes["version"]) > VERSION:
        raise FileFormatError(
            f"{file}: its format is version {attributes['version']}, we read up to {VERSION}: update bricard."
        )
    end = content["end"]
    return {
        **{key: _array(content, key) for key in ("t", "q", "v", "step_times", "turns")},
        **{key: _array(content, key) if key in content else None for key in ("own_a", "own_lam")},
        "totals": _array(content, "totals") if "totals" in content else NOTHING,  # files of version 1 have none
        **{key: _json(attributes[key], dict, key) for key in ("counters", "seconds")},
        "provenance": _json(
            _text(content, "provenance") if "provenance" in content else attributes["provenance"], dict, "provenance"
        ),
        "name": str(attributes["name"]),
        "status": str(attributes["status"]),
        "ok": bool(attributes["ok"]),
        "events": tuple(_event(*event) for event in _json(_text(content, "events"), list, "events")),
        "end": State(
            float(end.attrs["t"]),
            *(_array(end, key) for key in STATE),
            extra=_array(end, "extra") if "extra" in end else None,
            totals=_array(end, "totals") if "totals" in end else np.zeros(0),
        ),
        "model": _text(content, "model") if "model" in content else None,
        "reason": str(attributes["without_model"]),
        "folders": [str(folder) for folder in _json(attributes.get("folders", "[]"), list, "folders")],
    }


def _plain(part: Any) -> Any:
    return part.tolist() if isinstance(part, np.ndarray) else part


def _text(group: Any, name: str) -> str:
    if group[name].shape != ():
        raise ValueError(f"{name} is no text")
    return group[name].asstr()[()]


def _json(text: str, kind: type, name: str) -> Any:
    value = json.loads(text)
    if not isinstance(value, kind):
        raise ValueError(f"{name} is no {kind.__name__}")
    return value


def _event(t: float, kind: str, text: str, name: str = "", *states: Any) -> Event:
    return Event(t, kind, text, name, *(None if state is None else np.array(state, float) for state in states))


def _array(group: Any, name: str) -> np.ndarray:
    data = group[name]
    if data.external or data.is_virtual:
        raise ValueError(f"{name} stands in another file")
    if data.nbytes > DENSEST * data.id.get_storage_size():  # such sizes are announced, there is nothing behind them
        raise ValueError(f"{name} is {data.nbytes} bytes long, more than can stand in the file")
    return np.asarray(data[()], float)


def _check(data: dict[str, Any], system: Any, file: Path) -> None:
    """The arrays fit each other, and the system where there is one."""
    end = data["end"]
    n, n_q, n_v, n_rows, n_turns = data["t"].size, end.q.size, end.v.size, end.lam.size, end.turn.size
    expected = {"t": (n,), "q": (n, n_q), "v": (n, n_v), "own_a": (n, n_v), "own_lam": (n, n_rows)}
    expected |= {"turns": (n, n_turns), "end.q": (n_q,), "end.v": (n_v,), "end.a": (n_v,), "end.lam": (n_rows,)}
    for key, shape in expected.items():
        values = getattr(end, key.removeprefix("end.")) if key.startswith("end.") else data[key]
        if values is not None and values.shape != shape:
            raise FileFormatError(
                f"{file}: {key} has the shape {values.shape}, expected is {shape}: the file is damaged."
            )
    if isinstance(system, MissingSystem):
        return
    sizes, wanted = (n_q, n_v, n_rows, n_turns), (system.n_q, system.n_v, system.n_rows, system.n_measures)
    if sizes != wanted:
        raise FileFormatError(
            f"{file}: the samples belong to another model than {system.name!r}: positions, velocities, rows, measures "
            f"are {sizes} in the file and {wanted} in the model. Give the model of this simulation."
        )


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
