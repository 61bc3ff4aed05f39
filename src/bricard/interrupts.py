"""Ctrl-C: it is noted, and what runs ends between two pieces of work; a run with what it has computed so far.

Python raises KeyboardInterrupt wherever the main thread happens to be; in the middle of compiled code that becomes an error of
its caller, and in the middle of h5py it is lost. So a run takes the signal itself, and so does whatever calls compiled code or
libraries: the first one is remembered and raised at the next check, a second one at once.
"""

import functools
import signal
import threading


class Listening:
    """While it is entered, `asked` tells whether Ctrl-C was pressed. In other threads, and where a program has a handler of its
    own, nothing is changed."""

    def __init__(self):
        self.asked, self._taken = False, False

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._note)
                self._taken = True
        return self

    def __exit__(self, *_):
        if self._taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number, frame):
        if self.asked:
            signal.default_int_handler(number, frame)
        self.asked = True

    def check(self):
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt


def whole(function):
    """Let Ctrl-C end a function behind its last line only: for what takes little time, and must not be torn."""

    @functools.wraps(function)
    def kept(*arguments, **keywords):
        listening = Listening()
        try:
            with listening:
                return function(*arguments, **keywords)
        finally:
            listening.check()

    return kept


def was_interrupted(error):
    """Whether an exception is Ctrl-C, or what compiled code has made of it."""
    inner = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, SystemError) and isinstance(inner, KeyboardInterrupt)
    )
