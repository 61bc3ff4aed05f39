"""From the tables of a model file to a model: every table is a call of a method of `Model`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bricard.errors import FileFormatError, ModelError, UserFunctionError, suggest
from bricard.io.content import check_depth, shortened
from bricard.io.expressions import parameters_of, resolved
from bricard.io.places import Keys, line_of
from bricard.model import checks
from bricard.model.model import Model
from bricard.model.shapes import SHAPES, Mesh, Shape
from bricard.model.travelling import importing_from, without_code

__all__ = ["FORCE_TYPES", "JOINT_TYPES", "TOP_KEYS", "UNITS", "Reader", "complaining", "parsed"]

JOINT_TYPES = (
    *("spherical", "revolute", "cylindrical", "prismatic", "universal", "planar", "fixed", "free", "pin", "slider"),
    *("distance", "point_on_line", "point_on_plane", "constant_angle", "gear", "drive", "drive_distance"),
    *("joint", "user_joint", "linkage", "nonholonomic", "knife_edge", "rolling_disc"),
)
FORCE_TYPES = ("spring", "torsion", "motor", "force", "user_force", "bushing")
TOP_KEYS = (
    *("name", "units", "gravity", "planar", "notes", "parameters", "bodies", "joints", "forces"),
    *("start", "drawings", "simulation"),
)
UNITS = "SI"


def parsed(text: str, file: object) -> dict[str, Any]:
    """Return the tables of a TOML text; `file` is named in errors."""
    import tomllib

    check_depth(text, file)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not only of the parser: an integer can have too many digits
        raise FileFormatError(
            f"{file}: this is not a valid TOML file, or it is incomplete: {shortened(str(error))}."
        ) from error


class Reader:
    """Reads the tables of one file into a model.

    at : keys of what is being read, for messages. folder : where meshes and modules of users' functions are looked for.
    code : whether functions may be imported.
    """

    def __init__(self, folder: Path, code: bool = True):
        self.folder, self.code = folder, code
        self.at: Keys = ()

    def resolve(self, data: Mapping[str, Any], given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the tables with numbers in place of expressions, without the table of parameters."""
        self.at = ("parameters",)
        numbers = parameters_of(_table(data, "parameters"), given)
        return {key: self._numbers(value, numbers, (key,)) for key, value in data.items() if key != "parameters"}

    def _numbers(self, value: Any, numbers: Mapping[str, float], at: Keys) -> Any:
        if isinstance(value, dict):
            return {key: self._numbers(item, numbers, (*at, key)) for key, item in value.items()}
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            return [self._numbers(item, numbers, (*at, index)) for index, item in enumerate(value)]
        self.at = at
        return resolved(value, numbers, ".".join(str(key) for key in at))

    def model(self, data: Mapping[str, Any]) -> Model:
        """Return a new model from resolved tables."""
        self.at = ()
        model = Model(data.get("name", "model"), data.get("gravity"), data.get("planar", False))
        self.extend(model, {key: value for key, value in data.items() if key not in ("name", "gravity", "planar")})
        return model

    def extend(self, model: Model, data: Mapping[str, Any]) -> None:
        """Add what resolved tables declare to a model."""
        for key in data:
            self.at = (key,)
            if key not in TOP_KEYS:
                raise ModelError(f'unknown key "{key}".{suggest(key, TOP_KEYS)} Known keys: {", ".join(TOP_KEYS)}.')
        self._head(model, data)
        for name in _table(data, "bodies"):
            self.at = ("bodies", name)
            self._body(model, name, _table(data["bodies"], name, "bodies."))
        for family, types in (("joints", JOINT_TYPES), ("forces", FORCE_TYPES)):
            for name in _table(data, family):
                self.at = (family, name)
                table = _table(data[family], name, f"{family}.")
                where = f"[{family}.{name}]"
                _declare(model, name, _known(table, "type", types, where), table, where)
        for number, (where, wish) in enumerate(_tables(data, "start")):
            self.at = ("start", number)
            _call(model.start, where, checks.keys(model.start, wish, where))
        for number, (where, table) in enumerate(_tables(data, "drawings")):
            self.at = ("drawings", number)
            shape = self._shape({key: value for key, value in table.items() if key != "body"}, where, ("body",))
            _call(model.draw, where, {"body": table.get("body"), "shape": shape})
        self.at = ("simulation",)
        _table(data, "simulation")

    def _head(self, model: Model, data: Mapping[str, Any]) -> None:
        self.at = ("units",)
        if data.get("units", UNITS) != UNITS:
            raise ModelError(
                f'units must be "{UNITS}" (m, kg, s, rad, N), not {data["units"]!r}. Write other units as factors: '
                'length = "${25*mm}", angle = "${30*deg}".'
            )
        self.at = ("gravity",)
        if "gravity" in data:
            model.gravity = data["gravity"]
        for key in ("name", "planar"):
            if key in data:
                raise ModelError(f'unknown key "{key}": it belongs to the model that this file adds to.')
        self.at = ("notes",)
        notes = data.get("notes", [])
        if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
            raise ModelError(f"notes must be a list of texts, not {notes!r}.")
        model.notes.extend(notes)

    def _body(self, model: Model, name: str, table: dict[str, Any]) -> None:
        where = f"[bodies.{name}]"
        if "shape" not in table:
            options = checks.keys(model.body, table, where, skip=("name", "shape"))
            _call(model.body, where, {"name": name, **options})
            return
        others = ("position", "rotation", "planar")
        kind = SHAPES[_known(table, "shape", SHAPES, where)]
        own = (*inspect.signature(kind).parameters, "shape")
        shape = self._shape(
            {key: value for key, value in table.items() if key in own or key not in others}, where, others
        )
        rest = {key: value for key, value in table.items() if key in others and key not in own}
        _call(model.body, where, {"name": name, "shape": shape, **rest})

    def _shape(self, table: dict[str, Any], where: str, others: tuple[str, ...]) -> Shape:
        """Make a shape; `others` are keys that may stand beside those of the shape, for messages."""
        kind = SHAPES[_known(table, "shape", SHAPES, where)]
        options = {key: value for key, value in table.items() if key != "shape"}
        known = tuple(dict.fromkeys((*inspect.signature(kind).parameters, *others)))
        for key in options:
            if key not in known:
                raise ModelError(f'{where}: unknown key "{key}".{suggest(key, known)} Known keys: {", ".join(known)}.')
        if kind is Mesh and isinstance(options.get("path"), str):
            options["path"] = self.folder / options["path"]
        return _call(kind, where, checks.keys(kind, options, where))


def _table(data: Mapping[str, Any], key: str, prefix: str = "") -> dict[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise ModelError(f"[{prefix}{key}] must be a table, not {value!r}.")
    return value


def _tables(data: Mapping[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    """The tables of a list, each with how to call it in messages."""
    tables = data.get(key, [])
    if not isinstance(tables, list):
        raise ModelError(f"[[{key}]] must be a list of tables, written with double brackets.")
    found = [(f"[[{key}]] number {number}", table) for number, table in enumerate(tables, 1)]
    for where, table in found:
        if not isinstance(table, dict):
            raise ModelError(f"{where} must be a table, not {table!r}.")
    return found


def _known(table: Mapping[str, Any], key: str, candidates: Any, where: str) -> str:
    value = table.get(key)
    known = ", ".join(candidates)
    if value is None:
        raise ModelError(f'{where}: the key "{key}" is missing. Known: {known}.')
    if value not in tuple(candidates):
        raise ModelError(f'{where}: unknown {key} "{value}".{suggest(value, candidates)} Known: {known}.')
    return value


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


@contextmanager
def complaining(reader: Reader, text: str, file: object) -> Iterator[None]:
    """Turn errors into such that name the file and the line; modules are looked for beside the file too."""
    try:
        with without_code(reader.code), importing_from(reader.folder):
            yield
    except UserFunctionError as error:
        raise UserFunctionError(shortened(f"{file}{_line(reader, text, error)}: {error}")) from error
    except ModelError as error:
        raise FileFormatError(shortened(f"{file}{_line(reader, text, error)}: {error}")) from error


def _line(reader: Reader, text: str, error: Exception) -> str:
    """`, line 12`: of the key that the message names first, or whose value it quotes, or of the table."""
    data: Any = parsed(text, "")
    for key in reader.at:
        inside = isinstance(data, list) or (isinstance(data, dict) and key in data)
        data = data[key] if inside else {}  # pyright: ignore[reportCallIssue, reportArgumentType]
    message = str(error).partition("]")[2] or str(error)
    table = data if isinstance(data, dict) else {}
    keys = [word for word in re.findall(r"\w+", message) if word in table]
    keys += [key for quoted in re.findall(r'"([^"]+)"', message) for key in table if quoted in _texts(table[key])]
    line = line_of(text, (*reader.at, *keys[:1]))
    return f", line {line}" if line else ""


def _texts(value: Any) -> list[Any]:
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else [value]
