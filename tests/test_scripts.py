"""Scripts beside the package (benchmarks, references, docs) use names that there are; nothing is run, no peer is needed.

The examples are not among them: tests/examples runs them all.
"""

import ast
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted(path for folder in ("benchmarks", "docs", "references") for path in (ROOT / folder).rglob("*.py"))


def used(text):
    """(line, module, name) of all that a text imports (name "" for a module), and of the attributes of what it imports."""
    nodes, found, bound = list(ast.walk(ast.parse(text))), [], {}
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, "") for alias in node.names]
            bound |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found += [(node.lineno, node.module, alias.name) for alias in node.names]
            bound |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            found.append((node.lineno, bound[node.value.id], node.attr))
    return found


def in_package(module, name):
    """Whether bricard has a module, and the name in it."""
    try:
        resolve_name(f"{module}.{name}".rstrip("."))
    except (AttributeError, ImportError):
        return False
    return True


def in_file(path, name):
    """Whether a file, which is not imported, binds a name."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return name in names or not name


def missing(text, folder):
    """What a text takes from bricard or from the files of a folder, and does not find there."""
    found = []
    for line, module, name in used(text):
        beside = folder / f"{module}.py"
        if module.split(".")[0] == "bricard":
            there = in_package(module, name)
        else:
            there = not beside.exists() or in_file(beside, name)
        found += [] if there else [f"line {line}: {module} has no {name}"]
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_names_are_there(path):
    assert missing(path.read_text(encoding="utf-8"), path.parent) == []


@pytest.mark.parametrize(
    "text",
    [
        "from bricard.compiled.records import pack",  # it moved, and nobody told benchmarks/trees.py
        "def main():\n    from bricard.simulation import nobody",
        "import bricard.nowhere",
        "import bricard as br\nbr.simulat()",
        "from bricard.kernels import tree_joints as kinds\nkinds.NOBODY",
        "from trees_peers import nobody",
        "import trees_peers as peers\npeers.nobody()",
    ],
)
def test_missing_names_are_seen(text):
    """Otherwise the test above would pass whatever happens."""
    assert len(missing(text, ROOT / "benchmarks")) == 1


def test_what_is_there_is_left_alone():
    text = (
        "import exudyn\nfrom bricard import Model\nfrom bricard.problems import PROBLEMS\nPROBLEMS.items(), Model.load"
    )
    assert missing(text, ROOT / "benchmarks") == []
