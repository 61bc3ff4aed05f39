"""Every python block of README.md and docs/*.md runs as printed, and prints what the `output` block behind it says.

Blocks of one page build on each other; so do the commands of the tutorial, which run as well. Numbers in an `output` block are
compared, not their digits: plain ones to three figures, those with an exponent (errors) to a factor of ten, so that a change of
rounding is no failure.
"""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from bricard import registry
from bricard.cli.main import app
from bricard.kernels.laws import LAWS
from bricard.system.elements import TYPES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"python", "sh", "output", "text", "toml"}
COMMANDS_RUN = {"tutorial.md"}
SHORTER = {"compare": ["--budget", "1", "--only", "index1", "--only", "rk4"]}  # added to a command that takes minutes
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


def run_command(line):
    """Run one line of a `sh` block, in the working folder."""
    program, *words = shlex.split(line, comments=True)
    assert program == "bricard", line
    result = CliRunner().invoke(app, [*words, *SHORTER.get(words[0], [])])
    assert result.exit_code == 0, f"{line}\n{result.output}"


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
        elif block.language == "sh" and page.name in COMMANDS_RUN:
            for line in block.text.splitlines():
                run_command(line)


def test_the_two_commands_of_the_readme(tmp_path, monkeypatch):
    """Both are targets of the Makefile; what `make demo` runs, runs, and ends with a page. `make test` runs this."""
    (commands,) = (block.text for block in blocks(ROOT / "README.md") if block.language == "sh")
    assert [shlex.split(line, comments=True) for line in commands.splitlines()] == [["make", "demo"], ["make", "test"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^test:", makefile, flags=re.MULTILINE)
    (recipe,) = re.findall(r"^demo:.*\n\t\$\(BIN\)/(bricard .*)$", makefile, flags=re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_command(recipe)
    assert (tmp_path / "demo" / "bricard.html").stat().st_size > 100_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_say_their_language(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page.name}:{block.line}: language {block.language!r}"


def test_comparison_is_no_rubber_stamp():
    assert same("error 6.3e-08 J, angle -19.2063", "error 5.1e-08 J, angle -19.2061")
    assert not same("error 6.3e-08 J", "error 6.3e-10 J")
    assert not same("angle -19.2", "angle -19.3")
    assert not same("one", "two")
