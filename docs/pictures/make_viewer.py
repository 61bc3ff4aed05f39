"""Makes the pictures of the viewer in this folder: the moving one of the README, and those of docs/viewer.md.

`make pictures` runs it. It needs Debian's chromium, and playwright and pillow for Python. Everything is simulated, shown by
the page of the package itself and photographed in a browser without a window.
"""

import base64
import io
import shutil
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import bricard as br
from bricard.problems import PROBLEMS

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]


def bricard(duration):
    """The six-bar of the demo."""
    return br.simulate(br.Model.load(EXAMPLES / "bricard.toml"), duration, step=1e-3, progress=False)


def problem(name, duration):
    """A mechanism of the library."""
    return br.simulate(PROBLEMS[name].model(), duration, step=1e-3, progress=False)


SCENES = {  # picture: (solution, share of its time, theme, what is switched on)
    "viewer-bricard": (lambda: bricard(10.0), 0.3, "light", ("reactions",)),
    "viewer-stewart": (lambda: problem("stewart-platform", 3.0), 0.4, "dark", ()),
    "viewer-four-bar": (lambda: problem("four-bar", 4.0), 0.27, "light", ("reactions",)),
    "viewer-bicycle": (lambda: problem("bicycle", 5.0), 0.3, "dark", ("frames",)),
}


def opened(browser, solution, folder, width, height):
    """A page that shows a solution and stands still."""
    solution.view(folder / "page.html")
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto((folder / "page.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
    page.evaluate("() => bricard.play(false)")
    return page


def photograph(browser, folder):
    """The pictures of docs/viewer.md, with everything around the mechanism."""
    for name, (simulated, share, theme, layers) in SCENES.items():
        page = opened(browser, simulated(), folder, 960, 620)
        page.evaluate("(name) => bricard.theme(name)", theme)
        for layer in layers:
            page.evaluate("(key) => bricard.show(key, true)", layer)
        page.evaluate("(share) => bricard.seek(bricard.header.start + share * bricard.header.duration)", share)
        page.wait_for_timeout(3000)
        Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(HERE / f"{name}.png", optimize=True)
        page.close()


def film(browser, folder, rate=20):
    """The moving picture of the README: one period of the six-bar, `rate` pictures a second."""
    solution = bricard(6.0)
    late = solution.t > 3.0
    period = float(solution.t[late][np.argmin(solution.energy.kinetic[late])])  # at rest again where it began
    page = opened(browser, solution, folder, 620, 440)
    page.evaluate("() => { bricard.plots(false); bricard.theme('light'); bricard.view('home'); }")
    page.evaluate("() => { const s = bricard.stage; s.camera.zoom = 1.22; s.resize(); }")
    pictures = []
    for t in np.arange(0.0, period, 1.0 / rate):
        text = page.evaluate("(t) => { bricard.seek(t); return bricard.picture(); }", float(t))
        pictures.append(Image.open(io.BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGB"))
    page.close()
    options = {"duration": 1000 // rate, "loop": 0, "quality": 82, "method": 4}
    pictures[0].save(HERE / "bricard.webp", save_all=True, append_images=pictures[1:], **options)


def chromium():
    """The path of the browser."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("There is no chromium here; on Debian: apt install chromium.")
    return program


def main():
    """Make all pictures."""
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        photograph(browser, Path(folder))
        film(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
