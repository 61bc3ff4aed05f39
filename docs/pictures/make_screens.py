"""Makes the screenshots of this folder that are not the viewer's alone: tutorial, report of `bricard compare`, documentation.

`make screens` runs it, after `make docs`. It needs what make_viewer.py needs.
"""

import io
import re
import tempfile
from pathlib import Path

from make_viewer import FLAGS, HERE, chromium, opened
from PIL import Image
from playwright.sync_api import sync_playwright

import bricard as br

SITE = HERE.parents[1] / "build" / "docs"
PAGES = {"docs-home": "index.html", "docs-gallery": "gallery.html", "docs-method": "formulations/ggl.html"}


def engine():
    """The first solution of the tutorial, from its own code."""
    text = (HERE.parent / "tutorial.md").read_text(encoding="utf-8")
    code, names = "".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)), {}
    exec(code.partition('solution.view("engine.html")')[0], names)
    return names["solution"]


def save(page, name):
    """A PNG of what a page shows."""
    Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(HERE / f"{name}.png", optimize=True)


def main():
    """Make all screenshots."""
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = opened(browser, engine(), Path(folder), 960, 600)
        page.evaluate("() => { bricard.theme('light'); bricard.seek(0.09); }")
        page.wait_for_timeout(2000)
        save(page, "tutorial-engine")

        br.compare("four-bar", budget=30.0, output=folder)
        page = browser.new_page(viewport={"width": 1200, "height": 1320})
        page.goto((Path(folder) / "report.html").as_uri())
        page.wait_for_timeout(1000)
        save(page, "compare-report")

        for name, file in PAGES.items():
            page.set_viewport_size({"width": 1200, "height": 800})
            page.goto((SITE / file).as_uri())
            page.wait_for_timeout(1000)
            save(page, name)
        browser.close()


if __name__ == "__main__":
    main()
