"""Ctrl-C: it is noted, and what runs ends between two pieces of work; a run with what it has computed so far.

Python raises KeyboardInterrupt wherever the main thread happens to be; in the middle of compiled code that becomes an error of
its caller, and in the middle of h5py it is lost. So a run takes the signal itself, and so does whatever calls compiled code or
libraries: the first one is remembered and raised at the next check, a second one at once.

Python itself loses it too: where the text of an error is made of an object (`int("0.3")` says what it was given), it looks for
signals, and the error takes the place of KeyboardInterrupt (3.10 to 3.13). Readers of text catch such errors all the time; they
are `heard`.

What is torn while it is imported cannot be imported again in the same process (numpy and numba say that they lack a part), so
the modules that are loaded when they are first used are loaded whole.
"""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Listening:
    """While it is entered, `asked` tells whether Ctrl-C was pressed. In other threads, and where a program has a handler of its
    own, nothing is changed."""

    def __init__(self):
        self.asked, self._taken, self._before = False, False, None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if before is signal.default_int_handler or isinstance(getattr(before, "__self__", None), Raising):
                self._before = before
                signal.signal(signal.SIGINT, self._note)
                self._taken = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._taken:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number, frame):
        if self.asked:
            signal.default_int_handler(number, frame)
        self.asked = True

    def check(self):
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt


class Waiting(Listening):
    """While it is entered, Ctrl-C waits; it is raised at its end, whatever else is."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self.check()


class Raising(Listening):
    """While it is entered, Ctrl-C is raised at once, and once more at its end where somebody has swallowed it."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.asked:
            super().__exit__(kind, error, trace)
        elif kind is None or not issubclass(kind, KeyboardInterrupt):
            raise KeyboardInterrupt

    def _note(self, number, frame):
        self.asked = True
        signal.signal(signal.SIGINT, self._before)  # before it raises: that may be in __enter__ or __exit__
        signal.default_int_handler(number, frame)


def end_if_asked() -> None:
    """Raise KeyboardInterrupt where Ctrl-C was pressed and waits: between two pieces of what takes long."""
    waiting = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    if isinstance(waiting, Listening) and threading.current_thread() is threading.main_thread():
        waiting.check()


def whole(function: Callable[P, R]) -> Callable[P, R]:
    """Let Ctrl-C end a function behind its last line only: for what takes little time, and must not be torn."""

    @functools.wraps(function)
    def kept(*arguments: P.args, **keywords: P.kwargs) -> R:
        with Waiting():
            return function(*arguments, **keywords)

    return kept


def heard(function: Callable[P, R]) -> Callable[P, R]:
    """Let Ctrl-C end a function at once, and behind its last line at the latest: for what may take long, and can be torn."""

    @functools.wraps(function)
    def kept(*arguments: P.args, **keywords: P.kwargs) -> R:
        with Raising():
            return function(*arguments, **keywords)

    return kept


def was_interrupted(error):
    """Whether an exception is Ctrl-C, or what compiled code has made of it."""
    inner = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, SystemError) and isinstance(inner, KeyboardInterrupt)
    )
