"""Models as TOML files: readable, and exact to the last digit.

    name = "four-bar"
    units = "SI"
    gravity = [0, -9.81, 0]
    [parameters]
    L1 = 0.3
    [bodies.crank]
    shape = "rod"
    start = [0, 0, 0]
    end = [0, "${L1}", 0]
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
position and rotation (3x3, or quaternion scalar first) or axis. Modules and meshes are looked for beside the file.
`[[drawings]]` are shapes that are only shown, `notes` remarks that travel with the model. Expressions `"${...}"` are
explained in `bricard.io.expressions`, the JSON Schema of the format is `bricard schema`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bricard.atomic import replacing
from bricard.errors import FileFormatError
from bricard.interrupts import heard
from bricard.io.content import text_of
from bricard.io.reading import FORCE_TYPES, JOINT_TYPES, Reader, complaining, parsed
from bricard.io.rewriting import rewritten
from bricard.io.writing import tables, toml_table, toml_value
from bricard.model.model import Model

__all__ = ["FORCE_TYPES", "JOINT_TYPES", "dumps", "extend", "load", "loads", "save"]

Parameters = Mapping[str, float] | None


@heard
def load(
    path: str | os.PathLike[str], parameters: Parameters = None, *, code: bool = True
) -> tuple[Model, dict[str, Any]]:
    """Return the model of a TOML file, and its table `simulation` (empty if there is none).

    parameters : other values for some of the file's parameters. code : whether functions that it names may be imported.
    """
    return loads(text_of(path), path, parameters, code=code)


@heard
def loads(
    text: str, file: str | os.PathLike[str], parameters: Parameters = None, *, code: bool = True
) -> tuple[Model, dict[str, Any]]:
    """Return what `load` does, from the text itself; `file` is named in errors, modules are looked for beside it."""
    reader, data = Reader(Path(file).parent, code), parsed(text, file)
    with complaining(reader, text, file):
        data = reader.resolve(data, parameters)
        model = reader.model(data)
        model.parameters = dict(parameters or {})
        return model, data.get("simulation", {})


def extend(
    model: Model,
    path: str | os.PathLike[str],
    parameters: Parameters = None,
    translated: Callable[[dict[str, Any]], dict[str, Any]] = lambda tables: tables,
    *,
    code: bool = True,
) -> dict[str, Any]:
    """Add what a TOML file declares (bodies, joints, forces, start, ...) to a model; return its table `simulation`.

    translated : turns the tables, with all numbers computed, into such that fit the model. code : as in `load`.
    """
    text, reader = text_of(path), Reader(Path(path).parent, code)
    data = parsed(text, path)
    with complaining(reader, text, path):
        data = translated(reader.resolve(data, parameters))
        reader.extend(model, data)
        return data.get("simulation", {})


@heard
def save(model: Model, path: str | os.PathLike[str], simulation: Mapping[str, Any] | None = None) -> None:
    """Write a model, and perhaps how to simulate it, to a TOML file.

    Where the file holds a model of this name already, what did not change stays as it is written there: comments, the order,
    parameters (with the values that the model was loaded with) and expressions, joints placed in the world, and the table
    `simulation` if none is given. The file is replaced as a whole or not at all.
    """
    file = Path(path)
    if file.suffix.lower() not in ("", ".toml"):
        raise FileFormatError(
            f'{file}: models are written as TOML, not as "{file.suffix}". Name the file "{file.stem}.toml".'
        )
    text = rewritten(model, file, simulation) if file.is_file() else None
    if text is None:
        text = dumps(model, simulation, file.parent)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@heard
def dumps(model: Model, simulation: Mapping[str, Any] | None = None, folder: Path | None = None) -> str:
    """Return a model, and perhaps how to simulate it, as the text of a TOML file.

    folder : where the file will stand; paths of meshes are written relative to it.
    """
    import tomlkit

    document = tomlkit.document()
    content = tables(model, folder)
    if simulation:
        content["simulation"] = dict(simulation)
    for key, value in content.items():
        if key == "simulation":
            document.add(key, toml_table(value))
        elif isinstance(value, dict):
            group = tomlkit.table(is_super_table=True)
            for name, table in value.items():
                group.add(name, toml_table(table))
            document.add(key, group)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            array = tomlkit.aot()
            for table in value:
                array.append(toml_table(table))
            document.add(key, array)
        else:
            document.add(key, toml_value(value))
    return tomlkit.dumps(document)
