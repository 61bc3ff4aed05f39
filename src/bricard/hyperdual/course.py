"""A user's function made ready: followed along its branches, or refused by name and line with what to write instead."""

import traceback
from pathlib import Path

from ..errors import UserFunctionError
from .following import Course, follow
from .number import Refusal
from .rebuild import plain_copy, plain_of

ALLOWED = "docs/functions.md says what may be written."
PACKAGE = Path(__file__).parents[1]


def course_of(function, arguments) -> Course | None:
    """The Course of a user's function; None where it cannot be followed. arguments : (name, shape) of each (following.py)."""
    try:
        return follow(plain_copy(function), arguments)
    except UserFunctionError:
        raise
    except Exception as error:
        raise UserFunctionError(f"{_place(function, error)} cannot be compiled: {_what(error)}; {ALLOWED}") from error


def name_of(function):
    """What a function is called."""
    function = plain_of(getattr(function, "func", function))
    return getattr(function, "__name__", type(function).__name__)


def _what(error):
    if isinstance(error, Refusal):
        return str(error).rstrip(".")
    if isinstance(error, NameError):
        return f'it uses "{error.name}", which is not defined'
    return f"it raises {type(error).__name__}: {str(error).rstrip('.')}"


def _place(function, error):
    """The name of a function, with the file and the line of the user's that the error comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PACKAGE not in Path(frame.filename).parents and "site-packages" not in frame.filename]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f'The function "{name_of(function)}"{where}'
