"""The package works without its optional packages, and nothing imports them by the way."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import bricard

ROOT = Path(__file__).resolve().parents[1]
OPTIONAL = (
    *("trimesh", "pyarrow", "sksundae", "mujoco", "exudyn", "pinocchio", "gymnasium", "jsonschema", "IPython"),
    *("hypothesis", "pytest", "sphinx", "playwright", "towncrier", "mpmath", "gmpy2", "flint", "joblib", "distributed"),
)
BLOCKED = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL}:
            raise ImportError(name + " is blocked")

sys.meta_path.insert(0, Blocked())
"""
EVERYTHING = """
import importlib, pkgutil, bricard
for module in pkgutil.walk_packages(bricard.__path__, "bricard."):
    importlib.import_module(module.name)
for name in bricard.__all__:
    getattr(bricard, name)
"""
A_RUN = """
import bricard as br
model = br.Model("pendulum")
rod = model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
model.draw(rod, br.Mesh("nowhere.stl", mass=0.0))
model.revolute("hinge", model.ground, rod, point=(0, 0, 0), axis=(0, 1, 0))
assert br.simulate(model, 0.02, step=0.01).ok
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("code", [EVERYTHING, A_RUN], ids=["every module and name", "a run"])
def test_without_optional_packages(code):
    result = run(BLOCKED + code)
    assert result.returncode == 0, result.stderr


def test_importing_loads_none_of_them():
    result = run(f"{EVERYTHING}\nimport sys\nsys.exit(' '.join(n for n in {OPTIONAL} if n in sys.modules))")
    assert result.stderr.strip() == ""


def test_the_list_is_that_of_the_project():
    """Every extra of pyproject.toml that is not an own one has a name in the list above, but for tools without a module."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = {re.split(r"[\[<>=~ ]", package)[0] for packages in extras.values() for package in packages} - {"bricard"}
    modules = {"scikit-sundae": "sksundae", "pin": "pinocchio", "python-flint": "flint", "myst-parser": "sphinx"}
    tools = {"pytest-xdist", "ruff", "pyright", "pydata-sphinx-theme", "sphinx-gallery"}
    assert {modules.get(name, name) for name in wanted - tools} <= set(OPTIONAL)


# Habits of the project


def test_one_version_everywhere():
    assert version("bricard") == bricard.__version__
    assert f"\nversion: {bricard.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_fragments_of_the_changelog_have_a_kind():
    kinds = [
        kind["directory"] for kind in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]["type"]
    ]
    for file in (ROOT / "changes").iterdir():
        if file.name != "README.md":
            assert re.fullmatch(rf"(\+[a-z0-9-]+|\d+)\.({'|'.join(kinds)})\.md", file.name), file.name
            assert file.read_text().strip().endswith((".", ".)"))


def test_make_help_names_every_target():
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)[1].split()
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert {line.split()[0] for line in shown.splitlines()} == set(phony)


def test_the_wheel_holds_what_is_no_python():
    """Data files that the package reads, and that an installed one must find: all of them lie inside of the package."""
    package = Path(bricard.__file__).parent
    assert (package / "io" / "bricard.schema.json").is_file()
