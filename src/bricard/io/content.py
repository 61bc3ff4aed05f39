"""What files may cost that strangers wrote: only whole, regular files of a bounded size and depth are read.

A link to /dev/zero has no end, a pipe never answers, and a few bytes can ask for gigabytes: brackets in brackets, keys of
thousands of parts, entities of XML that are made of entities, files that include each other. Every reader of this package
therefore takes the bytes from here, and says no before a parser sees what it cannot bear.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from bricard.errors import FileFormatError

__all__ = ["DEEPEST", "LARGEST", "check_depth", "content", "shortened", "text_of"]

LARGEST = 32 * 2**20  # bytes of a model, its included files too: some 50,000 bodies
DEEPEST = 64  # brackets of TOML in each other, and parts of a key: our own files need 5
LONGEST = 2000  # characters of a sentence about a file, which quotes what stands there

# In texts and comments brackets and dots mean nothing. Everything is matched in one go, also what is not closed.
MARKS = re.compile(
    r"""\#[^\n]*+ | \"{3}(?:\\.|(?!\"{3})[^\\])*+\"{0,5} | '{3}(?:(?!'{3}).)*+'{0,5}
      | "(?:\\[^\n]|[^"\\\n])*+"? | '[^'\n]*+'? | [\[\]{}.,=\n]""",
    re.VERBOSE | re.DOTALL,
)


def content(path: str | os.PathLike[str], left: int = LARGEST) -> bytes:
    """Return the bytes of a file that is no device, no pipe and no folder, and not larger than `left` bytes."""
    file = Path(path)
    check_regular(file)
    with file.open("rb") as stream:
        found = stream.read(left + 1)
    if len(found) > left:
        raise FileFormatError(
            f"{file}: this is too large for a model, with all files that it includes: {_megabytes()}."
        )
    return found


def check_regular(file: Path) -> None:
    """Complain about what is no file to read to its end; a missing one is an OSError."""
    mode = file.stat().st_mode
    kinds = {"a folder": stat.S_ISDIR, "a pipe": stat.S_ISFIFO, "a socket": stat.S_ISSOCK}
    if not stat.S_ISREG(mode):
        kind = next((name for name, test in kinds.items() if test(mode)), "a device")
        raise FileFormatError(f"{file}: this is {kind}, not a file.")


def text_of(path: str | os.PathLike[str]) -> str:
    """Return the text of a TOML file; the mark that some editors put before it is left out."""
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path}: this is not a valid TOML file, for it is no text in UTF-8: byte {error.start + 1}."
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_depth(text: str, file: object) -> None:
    """Complain about a TOML text of brackets or keys so deep that its parser would need the square of its size."""
    if len(text) > LARGEST:
        raise FileFormatError(f"{file}: this is too large for a model: {_megabytes()}.")
    depth = parts = 0
    for mark in MARKS.finditer(text):
        first = mark[0][0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        elif first == ".":
            parts += 1
        elif first in ",=\n":
            parts = 0
        if max(depth, parts) > DEEPEST:
            line = 1 + text.count("\n", 0, mark.start())
            what = "brackets in each other" if depth > DEEPEST else "parts of one key"
            raise FileFormatError(f"{file}, line {line}: more than {DEEPEST} {what}: this is no file of a model.")


def shortened(sentence: str) -> str:
    """Return a sentence about a file without the middle of what it quotes at length."""
    if len(sentence) <= LONGEST:
        return sentence
    kept = LONGEST // 2
    return f"{sentence[:kept]} ... ({len(sentence) - 2 * kept} characters) ... {sentence[-kept:]}"


def _megabytes() -> str:
    return f"up to {LARGEST // 2**20} MB are read"
