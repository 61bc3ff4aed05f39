"""Models as TOML files: readable, and exact to the last digit.

    name = "four-bar"
    gravity = [0, -9.81, 0]
    [bodies.crank]
    shape = "rod"
    start = [0, 0, 0]
    end = [0, 0.3, 0]
    mass = 1
    [joints.A]
    type = "revolute"
    bodies = ["ground", "crank"]
    point = [0, 0, 0]
    axis = [0, 0, 1]
    [[start]]
    joint = "A"
    velocity = -6
    [simulation]
    duration = 10

Every table is a call of the method of `Model` that its `type` names, so its keys are the keywords of that method.
`bodies = [a, b]` stands for body_a and body_b; a profile is a number, a text `module:function` or a table such as
{profile = "sine", amplitude = 1, frequency = 2}; a law likewise with {law = "linear", ...}; a frame is a table with
position and rotation (3x3, or quaternion scalar first) or axis. Modules are also looked for beside the file.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bricard.errors import FileFormatError, ModelError, UserFunctionError, suggest
from bricard.io.atomic import replacing
from bricard.model import checks
from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.laws import FunctionLaw, Law, TimeLaw
from bricard.model.model import Model
from bricard.model.profiles import Constant, FunctionProfile, Profile, resolve
from bricard.model.shapes import SHAPES

__all__ = ["dumps", "load", "loads", "save"]

JOINT_TYPES = (
    *("spherical", "revolute", "cylindrical", "prismatic", "universal", "planar", "fixed", "pin", "slider"),
    *("distance", "point_on_line", "point_on_plane", "constant_angle", "gear", "drive", "drive_distance"),
    *("joint", "nonholonomic", "knife_edge", "rolling_disc"),
)
FORCE_TYPES = ("spring", "torsion", "motor", "force", "user_force", "bushing")
TOP_KEYS = ("name", "gravity", "planar", "bodies", "joints", "forces", "start", "simulation")


def load(path: str | os.PathLike[str]) -> tuple[Model, dict[str, Any]]:
    """Return the model of a TOML file, and its table `simulation` (empty if there is none)."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{file}: this is not a valid TOML file, for it is no text: {error}.") from error
    return loads(text, file)


def loads(text: str, file: str | os.PathLike[str]) -> tuple[Model, dict[str, Any]]:
    """Return what `load` does, from the text itself; `file` is named in errors, modules are looked for beside it."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"{file}: this is not a valid TOML file, or it is incomplete: {error}.") from error
    try:
        with _importing_from(Path(file).parent):
            return _model(data), _table(data, "simulation")
    except UserFunctionError as error:
        raise UserFunctionError(f"{file}: {error}") from error
    except ModelError as error:
        raise FileFormatError(f"{file}: {error}") from error


def save(model: Model, path: str | os.PathLike[str], simulation: Mapping[str, Any] | None = None) -> None:
    """Write a model, and perhaps how to simulate it, to a TOML file.

    An older file is replaced as a whole or not at all.
    """
    text = dumps(model, simulation)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Look for modules of users' functions beside the file too."""
    entry = str(folder.resolve())
    if entry in sys.path:
        yield
        return
    sys.path.append(entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


# Reading


def _model(data: dict[str, Any]) -> Model:
    for key in data:
        if key not in TOP_KEYS:
            raise ModelError(f'unknown key "{key}".{suggest(key, TOP_KEYS)} Known keys: {", ".join(TOP_KEYS)}.')
    model = Model(data.get("name", "model"), data.get("gravity"), data.get("planar", False))
    for name in _table(data, "bodies"):
        _body(model, name, _table(data["bodies"], name, "bodies."))
    for family, types in (("joints", JOINT_TYPES), ("forces", FORCE_TYPES)):
        for name in _table(data, family):
            table = _table(data[family], name, f"{family}.")
            where = f"[{family}.{name}]"
            _declare(model, name, _known(table, "type", types, where), table, where)
    wishes = data.get("start", [])
    if not isinstance(wishes, list):
        raise ModelError("[[start]] must be a list of tables, written with double brackets.")
    for number, wish in enumerate(wishes, 1):
        where = f"[[start]] number {number}"
        if not isinstance(wish, dict):
            raise ModelError(f"{where} must be a table, not {wish!r}.")
        _call(model.start, where, checks.keys(model.start, wish, where))
    return model


def _table(data: Mapping[str, Any], key: str, prefix: str = "") -> dict[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise ModelError(f"[{prefix}{key}] must be a table, not {value!r}.")
    return value


def _known(table: Mapping[str, Any], key: str, candidates: Any, where: str) -> str:
    value = table.get(key)
    known = ", ".join(candidates)
    if value is None:
        raise ModelError(f'{where}: the key "{key}" is missing. Known: {known}.')
    if value not in tuple(candidates):
        raise ModelError(f'{where}: unknown {key} "{value}".{suggest(value, candidates)} Known: {known}.')
    return value


def _body(model: Model, name: str, table: dict[str, Any]) -> None:
    where = f"[bodies.{name}]"
    if "shape" not in table:
        options = checks.keys(model.body, table, where, skip=("name", "shape"))
        _call(model.body, where, {"name": name, **options})
        return
    shape = SHAPES[_known(table, "shape", SHAPES, where)]
    own = [key for key in inspect.signature(shape).parameters if key in table]
    rest = {key: value for key, value in table.items() if key not in own and key != "shape"}
    others = ("position", "rotation", "planar")
    for key in rest:
        if key not in others:
            known = (*inspect.signature(shape).parameters, *others)
            raise ModelError(f'{where}: unknown key "{key}".{suggest(key, known)} Known keys: {", ".join(known)}.')
    drawn = _call(shape, where, checks.keys(shape, {key: table[key] for key in own}, where))
    _call(model.body, where, {"name": name, "shape": drawn, **rest})


def _declare(model: Model, name: str, method: str, table: dict[str, Any], where: str) -> None:
    call = getattr(model, method)
    options = {key: value for key, value in table.items() if key != "type"}
    if "body_a" in inspect.signature(call).parameters:
        pair = options.pop("bodies", None)
        if not isinstance(pair, list) or len(pair) != 2:
            raise ModelError(f'{where}: the key "bodies" must hold the names of two bodies, not {pair!r}.')
        for key in ("body_a", "body_b"):
            if key in options:
                raise ModelError(f'{where}: unknown key "{key}". Write bodies = ["first", "second"].')
        options["body_a"], options["body_b"] = pair
    _call(call, where, {"name": name, **checks.keys(call, options, where, skip=("name",))})


def _call(call: Any, where: str, options: dict[str, Any]) -> Any:
    try:
        return call(**options)
    except UserFunctionError as error:
        raise UserFunctionError(f"{where}: {error}") from error
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from error


# Writing


def dumps(model: Model, simulation: Mapping[str, Any] | None = None) -> str:
    """Return a model, and perhaps how to simulate it, as the text of a TOML file."""
    import tomlkit

    document = tomlkit.document()
    document.update({"name": model.name, "gravity": model.gravity.tolist(), "planar": model.is_planar})
    for family, elements in (("bodies", model.bodies), ("joints", model.joints), ("forces", model.forces)):
        if elements:
            group = tomlkit.table(is_super_table=True)
            for name, element in elements.items():
                table = element.declaration()
                if table.get("planar") is model.is_planar:
                    del table["planar"]
                group.add(name, _written(table, f'{family} "{name}"'))
            document.add(family, group)
    if model.wishes:
        wishes = tomlkit.aot()
        for number, wish in enumerate(model.wishes, 1):
            wishes.append(_written(wish.declaration(), f"start wish {number}"))
        document.add("start", wishes)
    if simulation:
        document.add("simulation", _written(dict(simulation), "simulation"))
    return tomlkit.dumps(document)


def _written(declaration: dict[str, Any], where: str) -> Any:
    import tomlkit

    table = tomlkit.table()
    for key, value in declaration.items():
        table.add(key, _value(value, f"{where}: {key}"))
    return table


def _value(value: Any, where: str) -> Any:
    """Return what stands in the file for a value of a declaration."""
    import tomlkit

    if isinstance(value, Body):
        return value.name
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, FunctionProfile):
        return _function_path(value.function, where)
    if isinstance(value, FunctionLaw):
        return _function_path(value.function, where)
    if isinstance(value, TimeLaw) and not isinstance(value.profile, FunctionProfile):
        return _value(value.profile, where)
    if isinstance(value, Frame | Profile | Law):
        return _value(value.declaration(), where)
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        inline.update({key: _value(item, f"{where}.{key}") for key, item in value.items()})
        return inline
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_value(item, where) for item in value]
    if callable(value):
        return _function_path(value, where)
    if isinstance(value, str | int | float):
        return value
    raise ModelError(f"{where}: {value!r} cannot be written to a TOML file.")


def _function_path(function: Any, where: str) -> str:
    """Return `module:function`, if that leads back to the very same function."""
    path = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
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
