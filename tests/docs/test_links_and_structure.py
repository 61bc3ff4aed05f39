"""The documentation is whole (links, signatures, records, tables), and imports in src point one way.

Order of the package, lowest first; a folder or module may import itself and what stands before it:

    errors < interrupts < atomic < hyperdual < compiled < kernels < linalg < model < system < solution < formulations
    < integrators, stepping < registry < progress, admission, provenance < pairing < ending, balance < simulation < ode, repeat
    < io, plot < view < analysis < problems < bench, experiments < cli

Imports inside functions count as well. Imports for type checking only do not: they never run.
"""

import ast
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from bricard.compiled import interfaces, march, records, status

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "bricard"
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")

LAYERS = [
    {"errors"},
    {"interrupts"},
    {"atomic"},
    {"hyperdual"},
    {"compiled"},
    {"kernels"},
    {"linalg"},
    {"model"},
    {"system"},
    {"solution"},
    {"formulations"},
    {"integrators", "stepping"},
    {"registry"},
    {"progress", "admission", "provenance"},
    {"pairing"},
    {"ending", "balance"},
    {"simulation"},
    {"ode", "repeat"},
    {"io", "plot"},
    {"view"},
    {"analysis"},
    {"problems"},
    {"bench", "experiments"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# Imports against the order, each inside a function: methods that users expect on Model and Solution and that only pass the
# call on. The list says what is there today; a new one needs a reason, one that went away must leave the list too.
PASSED_ON = {
    ("model/model.py", "system"),  # Model.report(), Model.build()
    ("model/model.py", "io"),  # Model.save(), Model.load()
    ("solution/solution.py", "io"),  # Solution.save(), load(), to_xarray()
    ("solution/solution.py", "plot"),  # Solution.plot
    ("model/model.py", "view"),  # Model.view(), Model in a notebook
    ("solution/solution.py", "view"),  # Solution.view(), Solution in a notebook
}


def prose(page):
    """The page without its code blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """The anchors that headings make, as on GitHub."""
    titles = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_resolve(page):
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(file), f"{page.name}: {target}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT / "docs"], ids=lambda page: page.name)
def test_index_leads_to_every_page(page):
    index = ROOT / "docs" / "index.md"
    assert page == index or page.name in LINK.findall(prose(index))


@pytest.mark.parametrize("name", [n for n, v in vars(interfaces).items() if isinstance(v, interfaces.Interface)])
def test_signature_is_documented(name):
    """Each interface has a heading, and its line lists as many arguments as it has."""
    text = (ROOT / "docs" / "signatures.md").read_text(encoding="utf-8")
    found = re.search(rf"^### {name}\n\n`(\w+)\((.*?)\)`", text, flags=re.MULTILINE)
    assert found, f"docs/signatures.md has no section {name} that begins with its signature"
    signature = getattr(interfaces, name).signature
    returned = {"void": "none", "i8": "int64", "b1": "bool", "f8": "float64"}[found[1]]
    assert str(signature.return_type) == returned
    kinds = [part.split()[0] for part in found[2].split(", ")]
    known = {
        "f8": interfaces.f8,
        "i8": interfaces.i8,
        "b1": interfaces.b1,
        "VECTOR": records.VECTOR,
        "INTEGERS": records.INTEGERS,
        "SYSTEM": records.SYSTEM,
        "WORK": records.WORK,
        "RUN": records.RUN,
    }
    assert [known[kind] for kind in kinds] == list(signature.args)


@pytest.mark.parametrize(
    "record",
    [
        records.System,
        records.Work,
        records.Run,
        records.Basis,
        records.Chart,
        records.Turning,
        records.Matrix,
        records.Watch,
    ],
    ids=lambda r: r.__name__,
)
def test_record_is_documented(record):
    """The section of a record names all of its fields, and no others."""
    text = (ROOT / "docs" / "signatures.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {record.__name__}$(.*?)(?=^### |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert section
    cells = re.findall(r"^\| (`[^|]*) \|", section[1], flags=re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == set(record._fields)


def test_status_codes_and_counters_are_documented():
    text = (ROOT / "docs" / "signatures.md").read_text(encoding="utf-8")
    codes = {name: value for name, value in vars(status).items() if isinstance(value, int)}
    flags = {n: v for n, v in vars(interfaces).items() if isinstance(v, int) and not isinstance(v, bool)}
    for name, value in (codes | flags).items():
        assert f"| {name} | {value} |" in text, name
    imported = vars(status)
    for name, value in vars(march).items():
        if (
            isinstance(value, int)
            and name not in imported
            and name not in ("N_COUNTERS", "LOG_SINGULAR", "LOG_REBASED", "LOG_TURNS", "LOG_DIVIDED")
        ):
            assert re.search(rf"^\| .*\b{name}\b.*\| .*\b{value}\b.*\|", text, flags=re.MULTILINE), name


def test_generated_pages_are_up_to_date():
    """After a change of a method's file or of the registry: `make pages`."""
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = module_from_spec(spec)
    spec.loader.exec_module(generate)
    pages = generate.pages()
    for path, text in pages.items():
        assert path.exists() and path.read_text(encoding="utf-8") == text, f"{path.name}: run `make pages`"
    for folder in ("formulations", "integrators", "gallery"):
        assert set((ROOT / "docs" / folder).glob("*.md")) <= set(pages), (
            f"{folder}: a page of something that is no more"
        )


def imported(file):
    """(line, folder or module of bricard, whether inside a function) of all imports in a file that run."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    package = ("bricard", *file.relative_to(SOURCE).parent.parts)
    found = []

    def visit(node, inside):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.orelse:
                visit(child, inside)
            return
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            targets = [[*base, alias.name] for alias in node.names]
        else:
            targets = []
            inside = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for child in ast.iter_child_nodes(node):
                visit(child, inside)
        for target in targets:
            if target[0] == "bricard" and len(target) > 1 and target[1] in LEVEL:
                found.append((node.lineno, target[1], inside))

    visit(tree, False)
    return found


def against_the_order():
    """All imports that point upwards: (file, line, target, whether inside a function)."""
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        own = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if own == "__init__":  # the public names
            continue
        for line, target, inside in imported(file):
            if target != own and LEVEL[target] >= LEVEL[own]:
                found.append((file.relative_to(SOURCE).as_posix(), line, target, inside))
    return found


def test_every_module_has_a_level():
    here = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert here - {"__init__", "__pycache__", "__main__", "py.typed"} <= set(LEVEL)


def test_imports_point_one_way():
    new = [entry for entry in against_the_order() if (entry[0], entry[2]) not in PASSED_ON or not entry[3]]
    assert not new, "\n".join(f"{file}:{line} imports {target}" for file, line, target, _ in new)


def test_exceptions_are_still_needed():
    assert PASSED_ON == {(file, target) for file, _, target, _ in against_the_order()} & PASSED_ON


def test_the_walker_sees_all_kinds_of_imports(tmp_path):
    """Otherwise the tests above would pass whatever happens."""
    seen = {target for _, target, _ in imported(SOURCE / "model" / "model.py")}
    assert {"errors", "model", "system", "io"} <= seen
    assert "compiled" in {target for _, target, _ in imported(SOURCE / "simulation.py")}
    assert ("registry", True) in {(target, inside) for _, target, inside in imported(SOURCE / "cli" / "listing.py")}
