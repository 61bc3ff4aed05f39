"""A progress bar on a terminal; silent otherwise."""

import sys
from typing import Any


class Progress:
    """Shows simulated time, steps and rejected steps. `show` None: only if standard error is a terminal."""

    def __init__(self, start, end, show=None):
        self.start, self.end = start, end
        self.show = sys.stderr.isatty() if show is None else show
        self._bar = None
        self._task: Any = None

    def __enter__(self):
        return self

    def update(self, t, steps, rejected):
        """Show how far the march is; the bar appears with the first call that does not end the run."""
        if not self.show:
            return
        if self._bar is None:
            if t >= self.end:
                return
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[text]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("simulating", total=self.end - self.start, text="")
        text = f"t = {t:.4g} s, {steps} steps" + (f", {rejected} rejected" if rejected else "")
        self._bar.update(self._task, completed=t - self.start, text=text)

    def __exit__(self, *exception):
        if self._bar is not None:
            self._bar.stop()
