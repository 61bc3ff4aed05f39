"""Errors of Python's and math's own functions of floats that a user's function catches: numbers raise them, too, where it does.

Numbers of ours do not raise: 1/0 is infinite, and a root of -1 is no number. Inside of a `try`, whether a float would raise is
a comparison like any other: a branch of the function, which its `except` may take.
"""

import dis
import functools
import math
import operator
import sys
from typing import Any

HERE = __name__.rpartition(".")[0] + "."  # modules of this folder, and of the package
PACKAGE = HERE.partition(".")[0] + "."
COPY = "__copy_that_takes_numbers__"  # a name among the builtins of a copy, by which its frames are known
ZERO, DOMAIN, RANGE = (
    ZeroDivisionError("division by zero"),
    ValueError("math domain error"),
    OverflowError("range error"),
)


def _below(limit):
    return lambda x, *_: x < limit


def _not_above(limit):
    return lambda x, *_: x <= limit


# word -> (what floats raise, a truth of the numbers that tells whether they do)
OF_NUMBERS = {word: [(ZERO, lambda x, y: y == 0.0)] for word in (operator.truediv, operator.floordiv, operator.mod)}
OF_NUMBERS |= {math.fmod: [(DOMAIN, lambda x, y: y == 0.0)]}
OF_NUMBERS |= {word: [(DOMAIN, _not_above(0.0))] for word in (math.log, math.log2, math.log10)}
OF_NUMBERS |= {math.log1p: [(DOMAIN, _not_above(-1.0))], math.sqrt: [(DOMAIN, _below(0.0))]}
OF_NUMBERS |= {math.acosh: [(DOMAIN, _below(1.0))], math.atanh: [(DOMAIN, lambda x: abs(x) >= 1.0)]}
OF_NUMBERS |= {word: [(DOMAIN, lambda x: abs(x) > 1.0)] for word in (math.asin, math.acos)}
# the same of the result
OVERFLOWS = {math.exp, math.exp2, math.expm1, math.sinh, math.cosh, operator.pow, math.pow}


def raising(of: Any) -> Any:
    """The `of` of a class of numbers, which raises what floats would where a user's function may catch it."""

    @functools.wraps(of)
    def called(word, *numbers):
        known, overflows = OF_NUMBERS.get(word, ()), word in OVERFLOWS
        if not (known or overflows) or not _may_catch():
            return of(word, *numbers)
        for error, truth in known:
            if truth(*numbers):
                raise type(error)(*error.args)
        result = of(word, *numbers)
        if overflows and abs(result) == math.inf:
            raise type(RANGE)(*RANGE.args)
        return result

    return staticmethod(called)


def _may_catch():
    """Whether a copy of a user's function is inside of a `try` now."""
    frame, inside = sys._getframe(2), False
    while frame is not None:
        if COPY in frame.f_builtins:
            inside = True
            if any(first <= frame.f_lasti < end for first, end in _tries(frame.f_code)):
                return True
        elif inside and _calls_users(frame.f_globals.get("__name__", "")):
            return False
        frame = frame.f_back
    return False


def _calls_users(module):
    """Whether functions of a module call users' functions, and are not called by them."""
    return module.startswith(PACKAGE) and (not module.startswith(HERE) or module == HERE + "following")


@functools.lru_cache(1024)
def _tries(code):
    """The places in a code at which its `except` would catch an error."""
    return tuple((entry.start, entry.end) for entry in dis.Bytecode(code).exception_entries) if catches(code) else ()


def catches(code):
    """The line of the first `except` of a code; None without one."""
    before = ""
    for instruction in dis.get_instructions(code):
        bare = before == "PUSH_EXC_INFO" and instruction.opname == "POP_TOP"
        if bare or instruction.opname == "CHECK_EXC_MATCH":
            return instruction.positions.lineno if instruction.positions else code.co_firstlineno
        before = instruction.opname
    return None
