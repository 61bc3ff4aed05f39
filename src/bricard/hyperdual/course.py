"""A user's function made ready: followed along its branches, or refused by name and line with what to write instead."""

import linecache
import os
import re
import traceback
from pathlib import Path

from ..errors import UserFunctionError
from .following import OURS, Course, Term, follow
from .number import FloatsOnly, Refusal
from .rebuild import plain_copy, plain_of

ALLOWED = "docs/functions.md says what may be written."
PACKAGE, PYTHON = Path(__file__).parents[1], Path(os.__file__).parent


def course_of(function, arguments) -> Course | None:
    """The Course of a user's function; None where it cannot be followed. arguments : (name, shape) of each (following.py)."""
    try:
        return follow(plain_copy(function, silent=True), arguments)
    except UserFunctionError:
        raise
    except Exception as error:
        frame = _frame(function, error)
        where = f"({Path(frame.filename).name}, line {frame.lineno})"
        text = f'The function "{name_of(function)}" {where} cannot be compiled: {_what(error, frame)}; {ALLOWED}'
        raise UserFunctionError(text) from error


def name_of(function):
    """What a function is called."""
    function = plain_of(getattr(function, "func", function))
    return getattr(function, "__name__", type(function).__name__)


def _frame(function, error):
    """The last frame of the user's that an error passed: where it comes from; else the function's first line."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame
        for frame in frames
        if PACKAGE not in Path(frame.filename).parents
        and "site-packages" not in frame.filename
        and not frame.filename.endswith(".pyx")
        and PYTHON not in Path(frame.filename).parents
    ]
    if own:
        return own[-1]
    code = plain_of(function).__code__ if hasattr(plain_of(function), "__code__") else type(function).__call__.__code__
    return traceback.FrameSummary(code.co_filename, code.co_firstlineno, code.co_name)


def _what(error, frame):
    called, text = re.search(r"([\w.]+)\(", _segment(frame)), str(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, Term):
        return f'it asks a number that it was given for "{error.name}", which only floats have. Write it out'
    of_floats = isinstance(error, (AttributeError, TypeError, ValueError)) and any(words in text for words in OURS)
    if called and (isinstance(error, FloatsOnly) or of_floats):
        return f'it uses "{called[1]}", which takes floats only. Write it out with def, or take a table'
    if isinstance(error, Refusal):
        return str(error).rstrip(".")
    if isinstance(error, NameError):
        return f'it uses "{error.name}", which is not defined'
    return f"it raises {type(error).__name__}: {str(error).rstrip('.')}"


def _segment(frame):
    """The text of what was being done in a frame."""
    text = linecache.getline(frame.filename, frame.lineno)
    one_line = frame.end_lineno == frame.lineno
    return text.encode()[frame.colno : frame.end_colno].decode() if frame.colno is not None and one_line else text
