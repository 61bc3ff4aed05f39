"""`make docs`: the HTML documentation, built offline into build/docs, with warnings as errors.

The pages of docs/ are Markdown that reads well on a repository's site; nothing in them is Sphinx's own. So they are copied to
build/docs-source and get there what a site needs: a table of contents, links that stay inside, the source of each mechanism
of the gallery, and a first page with the moving picture. Nothing is simulated: pictures and generated pages are in the
repository (`make pages`, `make gallery`).
"""

import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "docs" / "sphinx"
SOURCE, TARGET = ROOT / "build" / "docs-source", ROOT / "build" / "docs"
OUTSIDE = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
CONTENTS = {  # page: the pages below it, in the order of the side bar; those of index are the links of the top bar;
    # formulations, integrators and gallery have the pages that they link to, in that order
    "index": ["tutorial", "how-to", "theory", "gallery", "api", "develop"],
    "how-to": [
        "close-a-loop",
        "own-joints-and-forces",
        "user-joints",
        "read-reactions",
        "choosing-a-method",
        "comparing-methods",
        "speed",
        "troubleshooting",
        "model-files",
        "files-and-pickles",
        "viewer",
        "events",
        "kinematics",
        "relative-coordinates",
        "for-control-engineers",
        "stability",
    ],
    "theory": ["notation", "formulations", "integrators", "problems", "experiments", "claims"],
    "develop": [
        "README <readme>",
        "add-a-joint",
        "add-a-force",
        "add-a-formulation",
        "add-an-integrator",
        "signatures",
        "design-notes",
        "contributing",
        "changelog",
    ],
}
TREE = "\n\n```{{toctree}}\n:hidden:\n:glob:\n\n{}\n```\n"
HERO = """```{raw} html
<div class="hero"><div>
<h1>Bricard</h1>
<p class="lead">Mechanisms with closed loops, simulated: any loop, any joint, every method, numbers one can sign.</p>
<p class="start"><a href="tutorial.html">Tutorial</a><a href="gallery.html">Gallery</a><a href="api.html">API</a></p>
</div><img src="_static/bricard.webp" alt="The Bricard six-bar linkage moving, with the paths of its hinges"></div>
```
"""


def prepare():
    """Write the sources of the site."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE, ignore=shutil.ignore_patterns("*.py", "*.toml", "sphinx", "__pycache__"))
    for name in ("conf.py", "api.rst"):
        shutil.copy(HERE / name, SOURCE / name)
    for name in ("static", "templates"):
        shutil.copytree(HERE / name, SOURCE / name)
    shutil.copy(ROOT / "docs" / "pictures" / "bricard.webp", SOURCE / "static")
    for there, here in OUTSIDE.items():
        text = (ROOT / there).read_text(encoding="utf-8")
        (SOURCE / here).write_text(re.sub(r'(\]\(|src=")docs/', r"\1", text), encoding="utf-8")
    for page in sorted(SOURCE.rglob("*.md")):
        page.write_text(_for_the_site(page), encoding="utf-8")


def _for_the_site(page):
    """The text of a page with its links, source and contents."""
    text, name = page.read_text(encoding="utf-8"), page.relative_to(SOURCE).with_suffix("").as_posix()
    for there, here in OUTSIDE.items():
        text = text.replace(f"](../{there}", f"]({here}").replace(f"]({there}", f"]({here}")
    if name.startswith("gallery/"):
        text = re.sub(r"\[(\S+\.py)\]\(\S+\)", r"`\1`\n\n```{literalinclude} ../../../\1\n:language: python\n```", text)
    if name == "gallery":
        text = text.replace("\n|   |", "\n{.gallery}\n|   |")
    if name == "index":
        text = HERO + re.sub(r"^# .*\n", "", text, count=1, flags=re.MULTILINE)
        text = "---\ntitle: Bricard\n---\n\n" + text
    text = re.sub(
        r"\[([^\]]+)\]\((?:\.\./)*(?:(?:examples|changes|src|viewer|benchmarks)/|LICENSE)[^)]*\)", r"\1", text
    )
    below = CONTENTS.get(name, []) or list(dict.fromkeys(re.findall(rf"\]\(({name}/[\w-]+)\.md\)", text)))
    if name in ("formulations", "integrators"):  # by their words, which are shorter than their titles
        below = [f"{path.partition('/')[2]} <{path}>" for path in below]
    below = below + _forgotten() if name == "develop" else below
    return text + TREE.format("\n".join(below)) if below else text


def _forgotten():
    """Pages that CONTENTS does not name yet, so that a new page is never lost."""
    named = {name.partition("<")[2].rstrip(">") or name for names in CONTENTS.values() for name in names} | set(
        CONTENTS
    )
    return sorted(page.stem for page in SOURCE.glob("*.md") if page.stem not in named)


if __name__ == "__main__":
    prepare()
    sys.exit(main(["-W", "--keep-going", "-q", "-b", "html", *sys.argv[1:], str(SOURCE), str(TARGET)]))
