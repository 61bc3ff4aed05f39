"""A real browser for the tests: Debian's chromium, driven by the Python library of Playwright, drawing in software."""

import shutil

import pytest

FLAGS = [
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-sandbox",
    "--disable-dev-shm-usage",
]


def launch():
    """(playwright, browser), or a skip with its reason."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no chromium on this machine (Debian: apt install chromium)")
    library = pytest.importorskip("playwright.sync_api", reason="the Python library playwright is not installed")
    driver = library.sync_playwright().start()
    try:
        return driver, driver.chromium.launch(executable_path=program, args=FLAGS)
    except library.Error as error:
        driver.stop()
        pytest.skip(f"chromium does not start here: {str(error).splitlines()[0]}")


class Tab:
    """A page that was opened, with what it asked for and what it complained about."""

    def __init__(self, browser, file, width=780, height=480, scheme="light"):
        self.page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type != "log" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
        self.run("bricard.play(false)")

    def run(self, expression):
        """The value of a JavaScript expression."""
        return self.page.evaluate(f"() => {{ return ({expression}); }}")

    def key(self, name):
        self.page.keyboard.press(name)
