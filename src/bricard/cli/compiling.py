"""Notices when Numba compiles, as opposed to loading from the cache: one line for the user, and the seconds it took."""

from __future__ import annotations

import time
from typing import Any

from numba.core import event

from ..compiled.cache import folder
from .console import messages

__all__ = ["Compiling"]


class Compiling(event.Listener):
    """Context in which compilations are announced once (unless quiet) and timed: `seconds`, `count`."""

    def __init__(self, quiet: bool = False):
        self.quiet, self.seconds, self.count = quiet, 0.0, 0
        self._depth, self._began = 0, 0.0

    def on_start(self, event: Any) -> None:
        """Called by Numba; compilations that need other ones are nested."""
        if self.count == 0 and not self.quiet:
            messages().print(f"compiling (some seconds, once; cached in {folder()})", style="dim")
        self.count += 1
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Called by Numba."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began

    def __enter__(self) -> Compiling:
        event.register("numba:compile", self)
        return self

    def __exit__(self, *exception: object) -> None:
        event.unregister("numba:compile", self)
