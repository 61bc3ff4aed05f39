"""Where in the text of a TOML file a key stands, for messages: the parser of Python does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["line_of"]

PART = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
PATH = rf"{PART}(?:\s*\.\s*{PART})*"
HEADER = re.compile(rf"\s*(\[\[?)\s*({PATH})\s*\]\]?")
KEY = re.compile(rf"\s*({PATH})\s*=")
WORDS = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*|[\[\]{}]')

Keys = tuple[str | int, ...]


def line_of(text: str, keys: Keys) -> int | None:
    """Return the number, from 1, of the line where `keys` stand, or else the longest beginning of them that is there.

    keys : names of tables and keys, with the number from 0 of a table of a list: ("start", 0, "joint").
    """
    best, size = None, 0
    for line, found in _keys(text):
        common = next(
            (i for i, (a, b) in enumerate(zip(found, keys, strict=False)) if a != b), min(len(found), len(keys))
        )
        if common > size:
            best, size = line, common
    return best


def _keys(text: str) -> Iterator[tuple[int, Keys]]:
    """All headers and keys of a file with their lines; what stands inside a value is skipped."""
    table: Keys = ()
    lists: dict[Keys, int] = {}
    open_brackets, open_text = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        start = 0
        if open_text:
            end = line.find(open_text)
            if end < 0:
                continue
            start, open_text = end + 3, ""
        elif open_brackets == 0:
            header, key = HEADER.match(line), KEY.match(line)
            if header:
                table = _parts(header[2])
                if header[1] == "[[":
                    lists[table] = lists.get(table, -1) + 1
                    table = (*table, lists[table])
                yield number, table
                continue
            if key:
                yield number, (*table, *_parts(key[1]))
                start = key.end()
        for word in WORDS.findall(line, start):
            if word in ('"""', "'''"):
                open_text = "" if open_text else word
            elif not open_text and word in "[{":
                open_brackets += 1
            elif not open_text and word in "]}":
                open_brackets -= 1


def _parts(path: str) -> Keys:
    return tuple(part.strip("\"'") for part in re.findall(PART, path))
