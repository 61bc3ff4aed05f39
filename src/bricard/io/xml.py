"""Reading XML files: numbers and names of elements, with errors that say which element of which file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from bricard.errors import FileFormatError, ModelError
from bricard.io.content import LARGEST, content, shortened

__all__ = ["DEEPEST", "Source", "read", "shown"]

DEEPEST = 200  # elements in each other: a chain of 190 bodies in MJCF


def read(file: Path, left: int = LARGEST) -> Element:
    """Return the outermost element of an XML file of at most `left` bytes."""
    parser = ElementTree.XMLParser(target=_Tree(file))
    try:
        parser.feed(content(file, left))
        return parser.close()
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the last two: of an encoding that is none
        raise FileFormatError(f"{file}: this is not a valid XML file, or it is incomplete: {error}.") from error


class _Tree(ElementTree.TreeBuilder):
    """Builds the tree of a file, as long as it is no deeper than a model can be, and declares no entities."""

    def __init__(self, file: Path):
        super().__init__()
        self.file, self.depth = file, 0

    def start(self, tag: str, attributes: dict[str, str], /) -> Element:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FileFormatError(
                f"{self.file}: more than {DEEPEST} elements in each other: this is no file of a model."
            )
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag)

    def doctype(self, name: str, *_: object) -> None:
        raise FileFormatError(
            f"{self.file}: <!DOCTYPE {name}> is not read, for a few entities in it can stand for gigabytes. Delete it, and "
            "write what its entities stand for."
        )


class Source:
    """An XML file that is being read; errors name it."""

    def __init__(self, file: Path):
        self.file = file

    @contextmanager
    def complaining(self) -> Iterator[None]:
        """Turn errors of the model into such that name the file."""
        try:
            yield
        except FileFormatError:
            raise
        except ModelError as error:
            raise FileFormatError(shortened(f"{self.file}: {error}")) from error

    def name(self, element: Element) -> str:
        """Return the name of an element that must have one."""
        name = (element.get("name") or "").strip()
        if not name:
            raise ModelError(f"<{element.tag}> has no name.")
        return name

    def number(self, element: Element, key: str, default: float | None = None) -> float:
        """Return a number of an element."""
        return float(self.numbers(element, key, 1, None if default is None else (default,))[0])

    def numbers(
        self, element: Element, key: str, count: int | None, default: Sequence[float] | None = None
    ) -> np.ndarray:
        """Return `count` numbers of an element, or any number of them; the default where the key is missing."""
        text = element.get(key)
        where = f"{shown(element)}: {key}"
        if text is None:
            if default is None:
                raise ModelError(f"{where} is missing.")
            return np.array(default, float)
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = [math.nan]
        if not all(math.isfinite(value) for value in values) or (count is not None and len(values) != count):
            wanted = "numbers" if count is None else "a number" if count == 1 else f"{count} numbers"
            raise ModelError(f'{where} must be {wanted}, not "{text}".')
        return np.array(values)


def shown(element: Element) -> str:
    """Return how messages call an element: its tag, and its name if it has one."""
    name = element.get("name")
    return f'<{element.tag} "{name}">' if name else f"<{element.tag}>"
