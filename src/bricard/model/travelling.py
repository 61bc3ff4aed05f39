"""How declarations are copied and pickled. They never change: a copy is the object itself, and arrays come back read-only.

Functions of users are pickled as `module:function`, with the folder of the module; what cannot be imported (a lambda, a
function of a script or a notebook) by cloudpickle, where that is installed. Unpickling runs code, as always with pickle.

Files name functions in the same words. `without_code` reads a file that is not trusted: nothing that it names is imported.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from bricard.errors import UserFunctionError
from bricard.model.unchanging import FrozenDict

__all__ = [
    "Immutable",
    "folder_of",
    "function_name",
    "function_path",
    "functions_of",
    "importing_from",
    "packed",
    "refuse_code",
    "unpacked",
    "without_code",
]

_code_runs: ContextVar[bool] = ContextVar("code_runs", default=True)  # whether what a file names is imported
SPAWNED = (
    "__mp_main__"  # what multiprocessing calls the script in the processes that it starts: nowhere else is it known
)
CLOUDPICKLE = ("cloudpickle", "joblib.externals.cloudpickle")  # joblib brings a copy of its own


class Immutable:
    """Base class of what is never changed after it was made."""

    def __post_init__(self) -> None:
        """Keep arrays and dicts as they are now; a dataclass with a `__post_init__` of its own does it there."""
        for key, value in self.__dict__.items():
            if isinstance(value, np.ndarray) and value.flags.writeable:
                self.__dict__[key] = value = value.copy()
                value.flags.writeable = False
            elif type(value) is dict:
                self.__dict__[key] = FrozenDict(value)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo: dict[int, Any]):
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, functions packed; what is only kept to save time is left out."""
        kept = {key for key in self.__dict__ if not isinstance(getattr(type(self), key, None), cached_property)}
        return {key: packed(value) for key, value in self.__dict__.items() if key in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            self.__dict__[key] = FrozenDict(value) if type(value) is dict else unpacked(value)


class Named(NamedTuple):
    """A function by its name, `module:function`, and the folder that its module was imported from (or "")."""

    path: str
    folder: str


class Pickled(NamedTuple):
    """A function as pickle or cloudpickle writes it."""

    content: bytes


def packed(value: Any) -> Any:
    """Return what stands for a function in a pickle; other values as they are."""
    if not callable(value) or isinstance(value, (type, Immutable)):
        return value
    path = function_path(value)
    if path is not None and not path.startswith("__main__:"):
        return Named(path, folder_of(path))
    for name in CLOUDPICKLE:
        try:
            return Pickled(_by_value(import_module(name), value))
        except ImportError:
            continue
        except Exception as error:  # whatever the parts of a callable object do when they are pickled
            raise _cannot_travel(value, f"cloudpickle fails: {type(error).__name__}: {error}") from error
    try:
        return Pickled(pickle.dumps(value))  # of the script itself: its processes import it under the same name
    except Exception as error:
        raise _cannot_travel(value, "it cannot be imported by name, and cloudpickle is not installed") from error


def _by_value(cloudpickle: Any, value: Any) -> bytes:
    """Return what cloudpickle writes; functions of the script themselves, not their names."""
    script = sys.modules.get(SPAWNED)
    if script is None or script.__name__ != SPAWNED:
        return cloudpickle.dumps(value)
    cloudpickle.register_pickle_by_value(script)
    try:
        return cloudpickle.dumps(value)
    finally:
        cloudpickle.unregister_pickle_by_value(script)


def unpacked(value: Any) -> Any:
    """Return the function that `packed` has written; other values as they are."""
    if isinstance(value, Pickled):
        return pickle.loads(value.content)
    if not isinstance(value, Named):
        return value
    from bricard.model.profiles import resolve

    with importing_from(value.folder):
        return resolve(value.path)


def _cannot_travel(function: object, reason: str) -> UserFunctionError:
    name = getattr(function, "__qualname__", None) or repr(function)
    return UserFunctionError(
        f"The function {name} cannot be pickled: {reason}. Put it at the top level of a module and import it from there, or "
        "install cloudpickle."
    )


def function_name(function: Any) -> str:
    """Return `module:function`, whether or not that leads back; the same in all processes that run a script."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return f"{'__main__' if module == SPAWNED else module}:{name}"


def function_path(function: Any) -> str | None:
    """Return `module:function` if that leads back to the very same function, else None."""
    path = function_name(function)
    module, _, name = path.partition(":")
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return path if found is function else None


def folder_of(path: str) -> str:
    """Return the folder that the module of `module:function` was imported from; "" where it is not a file."""
    top = path.partition(":")[0].partition(".")[0]
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None:
        return ""
    place = Path(file).resolve()
    return str(place.parent.parent if place.stem == "__init__" else place.parent)


@contextmanager
def without_code(code: bool = False) -> Iterator[None]:
    """Refuse whatever would import a function by its name, unless `code`; then nothing of a file's folder can run."""
    token = _code_runs.set(code and _code_runs.get())
    try:
        yield
    finally:
        _code_runs.reset(token)


def refuse_code(text: str, where: str) -> None:
    """Raise an error where the function that a file names must not be imported."""
    if not _code_runs.get():
        raise UserFunctionError(
            f'{where}: "{text}" is a function, and importing it runs the code of the module "{text.partition(":")[0]}", which '
            "--no-code (code=False) forbids. Read that module; if you trust it, open the file without this."
        )


@contextmanager
def importing_from(folder: str | Path) -> Iterator[None]:
    """Look for modules in a folder too, behind all others; "" stands for none. Without code nothing is looked for there."""
    entry = str(Path(folder).resolve()) if folder != "" and _code_runs.get() else ""
    if not entry or entry in sys.path:
        yield
        return
    sys.path.append(entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


def functions_of(value: Any, seen: set[int] | None = None) -> Iterator[Callable[..., Any]]:
    """Yield the functions that a declaration holds, each once."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, (str, bytes, np.ndarray, int, float, type)):
        return
    seen.add(id(value))
    if isinstance(value, FunctionType) or (callable(value) and not isinstance(value, Immutable)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from functions_of(item, seen)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from functions_of(item, seen)
    elif isinstance(value, Immutable):
        yield from functions_of(value.__dict__, seen)
