"""What a picture of the viewer costs: ten, a thousand and ten thousand bodies, in a browser that draws in software.

`update` is the program of the page (poses, matrices), `calls` are its calls to the graphics interface, both in ms;
`frame` is the whole picture, nearly all of it the software that stands in for a graphics processor here. Medians of thirty.

    .venv/bin/python benchmarks/viewer.py
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "view"))

from chromium import Tab, launch
from scenes import swarm

import bricard as br

MEASURE = """(async () => {
  const update = [], calls = [], frame = [];
  bricard.play(true);
  for (let i = 0, last = performance.now(); i < 30; i++) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    update.push(bricard.timing.update);
    calls.push(bricard.timing.render);
    frame.push(now - last);
    last = now;
  }
  return [update, calls, frame].map((values) => values.slice(2).sort((a, b) => a - b)[14]);
})()"""


def main():
    """Measure and print a table."""
    driver, browser = launch()
    print(f"{'bodies':>8} {'page MB':>8} {'update':>8} {'calls':>8} {'frame':>8}")
    for count in (10, 1_000, 10_000):
        solution = br.simulate(swarm(count), 2.0, step=0.02, progress=False)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "swarm.html"
            size = len(solution.view(file).text)
            tab = Tab(browser, file)
            update, calls, frame = tab.run(MEASURE)
            print(f"{count:>8} {size / 1e6:>8.2f} {update:>8.1f} {calls:>8.1f} {frame:>8.0f}")
            tab.page.close()
    browser.close()
    driver.stop()


if __name__ == "__main__":
    main()
