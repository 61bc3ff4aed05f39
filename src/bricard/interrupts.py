"""Ctrl-C during a run: it is noted, and the run ends between two pieces of work, with what it has computed so far.

Python raises KeyboardInterrupt wherever the main thread happens to be; in the middle of compiled code that becomes an error of
its caller. So a run takes the signal itself: the first one is remembered and raised at the next check, a second one at once.
"""

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


def was_interrupted(error):
    """Whether an exception is Ctrl-C, or what compiled code has made of it."""
    inner = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, SystemError) and isinstance(inner, KeyboardInterrupt)
    )
