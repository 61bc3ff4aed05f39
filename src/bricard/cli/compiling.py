"""Times what Numba compiles, as opposed to what it loads from the cache. (The cache itself says that it compiles.)"""

from __future__ import annotations

import logging
import time
from typing import Any

from numba.core import event

__all__ = ["Compiling"]


class Compiling(event.Listener):
    """Context in which compilations are counted and timed: `seconds`, `count`; if quiet, they are not announced."""

    def __init__(self, quiet: bool = False):
        self.seconds, self.count = 0.0, 0
        self._depth, self._began = 0, 0.0
        self._log = logging.getLogger("bricard")
        self._level, self._wanted = self._log.level, logging.ERROR if quiet else self._log.level

    def on_start(self, event: Any) -> None:
        """Called by Numba; compilations that need other ones are nested."""
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
        self._log.setLevel(self._wanted)
        event.register("numba:compile", self)
        return self

    def __exit__(self, *exception: object) -> None:
        event.unregister("numba:compile", self)
        self._log.setLevel(self._level)
