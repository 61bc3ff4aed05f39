"""What the documentation promises beyond its pages: gallery, API, pictures, and a site that builds offline."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bricard as br
from bricard.cli.main import app
from bricard.problems import PROBLEMS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MECHANISMS = tomllib.loads((DOCS / "gallery" / "mechanisms.toml").read_text(encoding="utf-8"))["mechanism"]
SHOWN = [entry["problem"] for entry in MECHANISMS if "problem" in entry]
EXAMPLES = [entry["example"] for entry in MECHANISMS if "example" in entry]
NAMES = SHOWN + [name.replace("_", "-") for name in EXAMPLES]


def test_the_gallery_is_large_enough():
    assert len(NAMES) == len(set(NAMES)) >= 15
    assert set(SHOWN) <= set(PROBLEMS)  # all of these run in tests/problems/test_library.py
    tested = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert set(EXAMPLES) <= tested  # in tests/examples/test_examples.py


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_the_gallery_is_complete(name):
    """Picture, one command, source."""
    text = (DOCS / "gallery" / f"{name}.md").read_text(encoding="utf-8")
    picture = DOCS / "pictures" / "gallery" / f"{name}.webp"
    assert 2_000 < picture.stat().st_size < 40_000 and f"(../pictures/gallery/{name}.webp)" in text
    assert len(re.findall(r"^```sh\n(?:bricard view|python examples/)\S*.*\n```$", text, flags=re.MULTILINE)) == 1
    (source,) = re.findall(r"\]\(\.\./\.\./(\S+\.py)\)", text)
    assert (ROOT / source).is_file()
    assert f"(gallery/{name}.md)" in (DOCS / "gallery.md").read_text(encoding="utf-8")


def test_pictures_belong_to_the_gallery():
    assert {path.stem for path in (DOCS / "pictures" / "gallery").iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", SHOWN)
def test_the_command_of_a_mechanism_shows_it(name, tmp_path):
    """With --start: the motion itself is simulated by the tests of the problems."""
    page = tmp_path / "page.html"
    result = CliRunner().invoke(app, ["view", name, "--start", "--output", str(page)])
    assert result.exit_code == 0, result.output
    assert page.stat().st_size > 100_000


def test_pictures_are_small():
    for picture in (DOCS / "pictures").glob("*.png"):
        assert picture.stat().st_size < 300_000, picture.name


def test_the_screenshots_are_here():
    names = {path.stem for path in (DOCS / "pictures").glob("*.png")}
    assert {"viewer-bricard", "compare-report", "docs-home", "docs-gallery", "tutorial-engine"} <= names


def test_the_api_page_has_every_public_name():
    listed = set(re.findall(r"^   ([\w.]+)$", (DOCS / "sphinx" / "api.rst").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(br.__all__) - {"analysis", "io", "problems"} <= listed
    for name in listed:
        found = br
        for part in name.split("."):
            found = getattr(found, part)
        assert found.__doc__


def test_the_first_screen_of_the_readme():
    """One sentence, the moving picture, two commands, fifteen lines of code."""
    first = (ROOT / "README.md").read_text(encoding="utf-8").partition("It prints:")[0]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", first, flags=re.DOTALL | re.MULTILINE)
    (commands,), (code,) = ([text for language, text in blocks if language == kind] for kind in ("sh", "python"))
    assert "docs/pictures/bricard.webp" in first.partition("```")[0]
    assert [line.split()[0] for line in commands.splitlines()] == ["make", "make"]
    assert len([line for line in code.splitlines() if line]) <= 15


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None, reason="Sphinx is not installed: pip install '.[docs]'")
def test_the_site_builds_and_needs_no_network():
    built = subprocess.run([sys.executable, DOCS / "sphinx" / "build.py"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = list((ROOT / "build" / "docs").rglob("*.html"))
    assert len(pages) > 100
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"([^\"]+)", text)
        loaded += re.findall(r"<link[^>]*rel=\"(?:stylesheet|preload|icon)\"[^>]*href=\"([^\"]+)", text)
        assert loaded and not [target for target in loaded if re.match(r"(https?:)?//", target)], page.name
