"""Makes the pictures of the gallery, docs/pictures/gallery/: one moment of each mechanism, as the viewer shows it.

`make gallery` runs it, `make gallery NAMES="chain bricard"` makes only those. It needs what make_viewer.py needs. The pictures
are kept in the repository, so the documentation is built without a simulation.
"""

import base64
import io
import sys
import tempfile
import tomllib
from importlib import import_module
from pathlib import Path

from make_viewer import EXAMPLES, FLAGS, HERE, chromium, opened
from PIL import Image
from playwright.sync_api import sync_playwright

import bricard as br
from bricard.problems import PROBLEMS

SIZE = 560, 380  # of a picture, in pixels


def simulated(mechanism):
    """The solution of an entry of mechanisms.toml, a little longer than its moment, so that the path is seen."""
    duration = 1.6 * mechanism["at"]
    if "problem" in mechanism:
        return PROBLEMS[mechanism["problem"]].run(duration, rtol=1e-6, progress=False)
    return br.simulate(import_module(mechanism["example"]).build(), duration, rtol=1e-6, progress=False)


def photographed(browser, mechanism, folder):
    """The picture of one moment, without the controls."""
    page = opened(browser, simulated(mechanism), folder, *SIZE)
    page.evaluate(
        "(name) => { bricard.plots(false); bricard.theme('light'); bricard.view(name); }", mechanism.get("view", "home")
    )
    page.evaluate("(zoom) => { bricard.stage.camera.zoom = zoom; bricard.stage.resize(); }", mechanism.get("zoom", 1.2))
    text = page.evaluate("(t) => { bricard.seek(t); return bricard.picture(); }", mechanism["at"])
    page.close()
    return Image.open(io.BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGB").resize(SIZE)


def main(wanted):
    """Make the pictures of the names, of all if there are none."""
    sys.path.insert(0, str(EXAMPLES))
    mechanisms = tomllib.loads((HERE.parent / "gallery" / "mechanisms.toml").read_text(encoding="utf-8"))["mechanism"]
    (HERE / "gallery").mkdir(exist_ok=True)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        for mechanism in mechanisms:
            name = mechanism.get("problem") or mechanism["example"].replace("_", "-")
            if not wanted or name in wanted:
                picture = photographed(browser, mechanism, Path(folder))
                picture.save(HERE / "gallery" / f"{name}.webp", quality=84, method=6)
                print(name)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
