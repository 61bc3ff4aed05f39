"""How a generator writes what it found: one TOML file for each problem, with digits, accuracy and where they come from."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import mpmath as mp
import tomlkit

SAMPLES = 2000  # of the motion, in which the sizes of outputs are looked for
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
        table["sizes"] = sizes(name, entry["time"], entry.get("options") or {})
        array.append(table)
    document["reference"] = array
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.toml").write_text(tomlkit.dumps(document), encoding="utf-8")


def sizes(name, time, options):
    """Largest size of each output on the way, by which errors are judged: {output: number}, four digits."""
    from bricard.problems import PROBLEMS

    problem = PROBLEMS[name]
    solution = problem.run(time, options=dict(options), rtol=1e-7, output=SAMPLES + 1, progress=False)
    return {output.name: float(f"{abs(output.value(solution)).max():.4g}") for output in problem.outputs}
