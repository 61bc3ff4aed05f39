"""Writing a model over its own file without losing what a person wrote there: comments, order, parameters, expressions.

Tables whose meaning did not change stay untouched. Of the others only the changed keys are replaced, if they are written
there; else the whole table is. Then the text is read again and compared with the model: a joint placed in the world, for
example, means something else after its body was moved, and is then replaced by its frames. So the result is always exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bricard.errors import ModelError
from bricard.io.content import text_of
from bricard.io.reading import Reader, complaining, parsed
from bricard.io.writing import FAMILIES, LISTS, tables, toml_table, toml_value
from bricard.model.model import Model

__all__ = ["rewritten"]

HEAD = ("name", "units", "gravity", "planar", "notes")


def rewritten(model: Model, file: Path, simulation: Mapping[str, Any] | None) -> str | None:
    """Return the new text of `file` for a model, or None where the old text cannot be kept."""
    import tomlkit

    wanted = tables(model, file.parent)
    try:
        text = _with_parameters(text_of(file), model.parameters)
        before = _meaning(text, file)
    except (ModelError, tomlkit.exceptions.TOMLKitError):
        return None
    if before["name"] != wanted["name"]:  # another model: nothing of the old one should stay
        return None
    for gently in (True, False):
        document = tomlkit.parse(text)
        _edit(document, before, wanted, gently)
        if simulation is not None:
            _edit_table(document, "simulation", dict(simulation))
        text = tomlkit.dumps(document)
        try:
            before = _meaning(text, file)
        except ModelError:
            return None
        if before == wanted and _in_order(before, wanted):
            return text
    return None


def _with_parameters(text: str, values: Mapping[str, float]) -> str:
    """The text with the values that its parameters had when the model was made from it."""
    import tomlkit

    document = tomlkit.parse(text)
    table = document.get("parameters", {})
    for name in values:
        if name in table:
            table[name] = values[name]
    return tomlkit.dumps(document)


def _meaning(text: str, file: Path) -> dict[str, Any]:
    """What the model of a text is, in the same words as the model to be written."""
    reader = Reader(file.parent)
    with complaining(reader, text, file):
        return tables(reader.model(reader.resolve(parsed(text, file))), file.parent)


def _in_order(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(list(before.get(family, {})) == list(wanted.get(family, {})) for family in FAMILIES)


def _edit(document: Any, before: dict[str, Any], wanted: dict[str, Any], gently: bool) -> None:
    """Change a document where what it means is not what is wanted; `gently`: single keys, not whole tables."""
    for key in HEAD:
        if before.get(key) != wanted.get(key):
            if key in wanted:
                document[key] = toml_value(wanted[key])
            else:
                del document[key]
    for family in FAMILIES:
        old, new = before.get(family, {}), wanted.get(family, {})
        for name in [name for name in old if name not in new]:
            del document[family][name]
        for name, table in new.items():
            if old.get(name) != table:
                if family not in document:
                    import tomlkit

                    document[family] = tomlkit.table(is_super_table=True)
                _edit_element(document[family], name, old.get(name), table, gently)
    for key in LISTS:
        old, new = before.get(key, []), wanted.get(key, [])
        if old != new:
            _edit_list(document, key, old, new)


def _edit_element(group: Any, name: str, old: dict[str, Any] | None, new: dict[str, Any], gently: bool) -> None:
    if old is None or name not in group:
        group[name] = toml_table(new)
        return
    table = group[name]
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    if gently and all(key in table and key in new for key in changed):
        for key in changed:
            table[key] = toml_value(new[key])
    else:
        _edit_table(group, name, new)


def _edit_table(group: Any, name: str, new: dict[str, Any]) -> None:
    """Give a table new content; comments that stand in it stay."""
    if name not in group:
        group[name] = toml_table(new)
        return
    table = group[name]
    for key in [key for key in table if key not in new]:
        del table[key]
    for key, value in new.items():
        if table.get(key) != value:
            table[key] = toml_value(value)


def _edit_list(document: Any, key: str, old: list[dict[str, Any]], new: list[dict[str, Any]]) -> None:
    """Replace what changed in a list of tables, from its first difference on."""
    import tomlkit

    if not new:
        del document[key]
        return
    if key not in document:
        document[key] = tomlkit.aot()
    array = document[key]
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    while len(array) > same:
        del array[-1]
    for table in new[same:]:
        array.append(toml_table(table))
