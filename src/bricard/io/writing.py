"""From a model to the tables of its file, as tomlkit writes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bricard.errors import ModelError, UserFunctionError
from bricard.io.reading import UNITS
from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.laws import FunctionLaw, Law, TimeLaw
from bricard.model.model import Model
from bricard.model.profiles import Constant, FunctionProfile, Profile, resolve
from bricard.model.references import check_references
from bricard.model.travelling import function_name

__all__ = ["FAMILIES", "LISTS", "tables", "toml_table"]

FAMILIES = ("bodies", "joints", "forces")
LISTS = {"start": "wishes", "drawings": "drawings"}  # key of the file: attribute of the model


def tables(model: Model, folder: Path | None = None) -> dict[str, Any]:
    """Return what a model file holds, as plain dicts, lists, numbers and texts.

    folder : of the file; paths of meshes are written relative to it, or as they are if it is None.
    """
    check_references(model)
    found: dict[str, Any] = {"name": model.name, "units": UNITS, "gravity": model.gravity.tolist()}
    found["planar"] = model.is_planar
    if model.notes:
        found["notes"] = list(model.notes)
    for family in FAMILIES:
        elements = getattr(model, family)
        for name, element in elements.items():
            table = element.declaration()
            if table.get("planar") is model.is_planar:
                del table["planar"]
            found.setdefault(family, {})[name] = _plain(_placed(table, folder), f'{family} "{name}"')
    for key, attribute in LISTS.items():
        for number, element in enumerate(getattr(model, attribute), 1):
            table = _placed(element.declaration(), folder)
            found.setdefault(key, []).append(_plain(table, f"{key} {number}"))
    return found


def _placed(table: dict[str, Any], folder: Path | None) -> dict[str, Any]:
    """The path of a mesh relative to the folder of the file, where there is a way from one to the other."""
    if table.get("shape") == "mesh" and folder is not None:
        try:
            table["path"] = Path(os.path.relpath(table["path"], folder.resolve())).as_posix()
        except ValueError:  # another drive
            pass
    return table


def toml_table(table: Mapping[str, Any]) -> Any:
    """Return a plain table for tomlkit: its own keys line by line, tables within them inline."""
    import tomlkit

    written = tomlkit.table()
    for key, value in table.items():
        written.add(key, toml_value(value))
    return written


def toml_value(value: Any) -> Any:
    """Return a plain value for tomlkit, tables inline."""
    import tomlkit

    if isinstance(value, dict):
        inline = tomlkit.inline_table()
        inline.update({key: toml_value(item) for key, item in value.items()})
        return inline
    if isinstance(value, list):
        array = tomlkit.array()
        array.extend(toml_value(item) for item in value)
        return array
    return value


def _plain(value: Any, where: str) -> Any:
    """Return what stands in the file for a value of a declaration."""
    if isinstance(value, Body):
        return value.name
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, FunctionProfile) or (isinstance(value, FunctionLaw) and value.potential is None):
        return _function_path(value.function, where)
    if isinstance(value, TimeLaw) and not isinstance(value.profile, FunctionProfile):
        return _plain(value.profile, where)
    if isinstance(value, Frame | Profile | Law):
        return _plain(value.declaration(), where)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{where}: {key}") for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_plain(item, where) for item in value]
    if callable(value):
        return _function_path(value, where)
    if isinstance(value, str | int | float):
        return value
    raise ModelError(f"{where}: {value!r} cannot be written to a TOML file.")


def _function_path(function: Any, where: str) -> str:
    """Return `module:function`, if that leads back to the very same function."""
    path = function_name(function)
    try:
        found = None if path.startswith("__main__:") or "<" in path else resolve(path)
    except UserFunctionError:
        found = None
    if found is not function:
        raise ModelError(
            f"{where}: the function {getattr(function, '__qualname__', function)!r} cannot be saved, for it cannot be "
            "imported by name. Put it at the top level of a module and import it from there."
        )
    return path
