"""The sizes of outputs beside the references that are there: for references that were found before sizes were written.

python references/sizes.py [problem ...]
"""

from __future__ import annotations

import sys

import tomlkit
from writing import FOLDER, sizes


def main(chosen):
    """All problems, or those named."""
    for file in sorted(FOLDER.glob("*.toml")):
        if chosen and file.stem not in chosen:
            continue
        document = tomlkit.parse(file.read_text(encoding="utf-8"))
        for entry in document["reference"]:
            entry["sizes"] = sizes(file.stem, float(entry["time"]), dict(entry.get("options", {})))
        file.write_text(tomlkit.dumps(document), encoding="utf-8")
        print(file.stem, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
