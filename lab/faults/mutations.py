"""Files a little, or very, wrong: mutations of bytes, of words and of trees, from a seed.

A mutation of bytes mostly ends in the parser, one of words in the reader, one of a tree in the model behind it.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import re
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree

__all__ = ["JUNK", "mutant_of_bytes", "mutant_of_toml", "mutant_of_words", "mutant_of_xml", "toml_text"]

NUMBERS = [
    0,
    -1,
    1e308,
    -1e308,
    1e-308,
    1e150,
    1e17,
    math.nan,
    math.inf,
    -math.inf,
    10**30,
    10**400,
    0.1,
    -0.0,
    2**63,
    7,
]
TEXTS = [
    "",
    " ",
    "ground",
    "x" * 5000,
    "${1/0}",
    "${9**9**9}",
    "${(((",
    "${crank}",
    "a:b",
    "os:system",
    "../..",
    "\x7f",
    "é𝄞",
]
STRUCTURES: list[Any] = [
    [],
    {},
    [[]],
    [[], {}],
    {"": 1},
    {"a": {"b": {"c": 1}}},
    [1, "a", None],
    [1] * 1000,
    True,
    False,
]
JUNK = [
    *NUMBERS,
    *TEXTS,
    *STRUCTURES,
    datetime.date(1979, 5, 27),
    [1.0, 2.0, 3.0],
    [math.nan] * 3,
    [1e200] * 3,
    [0, 0, 0],
]
BYTES = [b"\x00", b"\xff", b"\xef\xbb\xbf", *(bytes([letter]) for letter in b"\"'[]{}<>&=#.\n\r")]
WORDS = re.compile(rb"[A-Za-z_0-9.+-]+|\s+|.", re.DOTALL)
WRONG_WORDS = [*b'nan 1e999 -1 0 true "" [] {} 0x7fffffffffffffff 1979-05-27'.split(), b"9" * 5000]


def mutant_of_bytes(seed: bytes, rng: random.Random) -> bytes:
    """Return the bytes of a file with some of them flipped, left out, doubled, put in, or cut off."""
    found = bytearray(seed)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at = rng.randrange(len(found) + 1)
        end = min(len(found), at + rng.choice([1, 2, 8, 64, 1000]))
        match rng.randrange(6):
            case 0 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                del found[at:end]
            case 2:
                found[at:at] = found[at:end]
            case 3:
                found[at:at] = rng.choice(BYTES) * rng.choice([1, 1, 3, 300])
            case 4 if rng.random() < 0.3:
                del found[at:]
            case _:
                found[at:end] = rng.randbytes(end - at)
    return bytes(found)


def mutant_of_words(seed: bytes, rng: random.Random) -> bytes:
    """Return a text with some words replaced, exchanged, doubled or left out."""
    words = WORDS.findall(seed)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at, other = rng.randrange(len(words)), rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                words[at] = rng.choice(WRONG_WORDS)
            case 1:
                words[at], words[other] = words[other], words[at]
            case 2:
                words[at] = words[other]
            case 3:
                words[at] = b""
            case _:
                words[at] = words[at] * rng.choice([2, 100])
    return b"".join(words)


def mutant_of_toml(data: dict[str, Any], rng: random.Random) -> bytes:
    """Return tables as the text of a TOML file, with some values replaced, moved, renamed or left out."""
    found = deepcopy(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        places = list(_places(found))
        if not places:
            break
        (holder, key), (source, source_key) = rng.choice(places), rng.choice(places)
        match rng.randrange(8):
            case 0 | 1:
                holder[key] = deepcopy(rng.choice(JUNK))
            case 6 | 7 if isinstance(holder[key], float):  # mostly still a model, but another one
                holder[key] *= rng.choice([0.0, -1.0, 1e-9, 1e3, 1e12, rng.gauss(0.0, 1.0)])
            case 2:
                holder[key] = deepcopy(source[source_key])
            case 3:
                del holder[key]
            case 4 if isinstance(holder, dict):
                holder[rng.choice([*TEXTS, "type", "bodies", "shape", "name", str(source_key)])] = holder.pop(key)
            case _:
                holder[key] = [deepcopy(holder[key])] * rng.choice([1, 2, 4])
    return toml_text(found).encode("utf-8", "surrogatepass")


def _places(value: Any):
    """(table or list, key or index) of every value in a tree."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)


def toml_text(data: dict[str, Any]) -> str:
    """Return tables as TOML, with a line for each key of the top."""
    return "".join(f"{json.dumps(str(key))} = {_value(value)}\n" for key, value in data.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(inner) for inner in value if inner is not None) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def mutant_of_xml(root: ElementTree.Element, rng: random.Random) -> bytes:
    """Return a tree of elements as XML, with some of them or of their attributes replaced, moved or left out."""
    found = deepcopy(root)
    for _ in range(rng.choice([1, 1, 2, 3])):
        elements = list(found.iter())
        one, other = rng.choice(elements), rng.choice(elements)
        attributes = [(element, key) for element in elements for key in element.attrib]
        match rng.randrange(7):
            case 0 | 1 if attributes:
                element, key = rng.choice(attributes)
                element.set(key, _word(rng))
            case 2 if attributes:
                (a, key), (b, source) = rng.choice(attributes), rng.choice(attributes)
                a.set(key, b.get(source, ""))
            case 3 if attributes:
                element, key = rng.choice(attributes)
                del element.attrib[key]
            case 4:
                one.tag = other.tag
            case 5:
                one.append(deepcopy(other))
            case _ if len(one):
                one.remove(one[rng.randrange(len(one))])
    return ElementTree.tostring(found, encoding="utf-8")


def _word(rng: random.Random) -> str:
    value = rng.choice([*NUMBERS, *TEXTS[:-2], [0, 0, 0], [math.nan] * 3, [1e200] * 3, [1, 2], [1] * 50])
    return " ".join(str(item) for item in value) if isinstance(value, list) else str(value)
