"""How a generator writes what it found: one TOML file for each problem, with digits, accuracy and where they come from."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import mpmath as mp
import tomlkit

FOLDER = Path(__file__).resolve().parents[1] / "src" / "bricard" / "problems" / "references"


def write(name, entries):
    """Write the references of a problem.

    entries : dicts with time (s), values {output: number}, accuracy (relative, of the worst value), digits to print, provenance,
    generator, and options of the model if it has any.
    """
    document = tomlkit.document()
    document.add(
        tomlkit.comment(f"End values of {name}; written by references/{entries[0]['generator']}, do not edit.")
    )
    array = tomlkit.aot()
    for entry in entries:
        table = tomlkit.table()
        for key in ("time", "options", "accuracy"):
            if entry.get(key) is not None:
                table[key] = entry[key]
        table["provenance"], table["generator"] = entry["provenance"], f"references/{entry['generator']}"
        table["date"] = date.today().isoformat()
        digits = entry["digits"]
        table["values"] = {key: mp.nstr(value, digits, strip_zeros=False) for key, value in entry["values"].items()}
        array.append(table)
    document["reference"] = array
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.toml").write_text(tomlkit.dumps(document), encoding="utf-8")
