"""Every python block of README.md and docs/*.md runs as printed, and prints what the `output` block behind it says.

Blocks of one page build on each other. Numbers in an `output` block are compared, not their digits: plain ones to three
figures, those with an exponent (errors) to a factor of ten, so that a change of rounding is no failure.
"""

import contextlib
import io
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from bricard import registry
from bricard.kernels.laws import LAWS
from bricard.system.elements import TYPES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"python", "sh", "output", "text", "toml"}
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


class Block(NamedTuple):
    language: str
    line: int  # of its first line of text, counted from 1
    text: str


def blocks(page):
    """The fenced blocks of a page."""
    found, language, start, lines = [], None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if language is None and line.startswith("```"):
            language, start, lines = line[3:].strip(), number + 1, []
        elif language is not None and line.startswith("```"):
            found.append(Block(language, start, "\n".join(lines) + "\n"))
            language = None
        elif language is not None:
            lines.append(line)
    assert language is None, f"{page.name}:{start}: this block never ends"
    return found


def same(printed, expected):
    """Whether two texts agree, numbers within what the module docstring says."""
    if NUMBER.sub("#", printed).split() != NUMBER.sub("#", expected).split():
        return False
    for number, wanted in zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True):
        x, y = float(number), float(wanted)
        if "e" in wanted:
            if not (x == y or (x * y > 0.0 and 0.1 <= x / y <= 10.0)):
                return False
        elif abs(x - y) > 1e-3 * max(abs(y), 1e-3):
            return False
    return True


@pytest.fixture(autouse=True)
def _registries_as_they_were():
    """Pages that show how to add something add it for themselves only."""
    families = (registry.FORMULATIONS, registry.INTEGRATORS, registry.CONTROLLERS, registry.CORRECTIONS, LAWS, TYPES)
    before = [dict(family) for family in families]
    yield
    for family, content in zip(families, before, strict=True):
        family.clear()
        family.update(content)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_runs_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType("page_" + page.stem.replace("-", "_"))
    monkeypatch.setitem(sys.modules, module.__name__, module)  # compiled functions are cached with their module's name
    namespace, printed = vars(module), None
    for block in blocks(page):
        if block.language == "python":
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(code, namespace)
            printed = out.getvalue()
        elif block.language == "output":
            assert printed is not None, f"{page.name}:{block.line}: no python block before this output"
            where = f"{page.name}:{block.line}: printed was\n{printed}"
            assert same(printed, block.text), where
            printed = None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_say_their_language(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page.name}:{block.line}: language {block.language!r}"


def test_comparison_is_no_rubber_stamp():
    assert same("error 6.3e-08 J, angle -19.2063", "error 5.1e-08 J, angle -19.2061")
    assert not same("error 6.3e-08 J", "error 6.3e-10 J")
    assert not same("angle -19.2", "angle -19.3")
    assert not same("one", "two")
