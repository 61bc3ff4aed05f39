"""Users' functions as compiled functions of hyper-dual numbers.

A function that can be followed along all its branches (hyperdual/following.py) is compiled as the straight code that was found,
another as it stands, with its helpers and closures.
"""

from types import FunctionType

from ..errors import UserFunctionError
from ..hyperdual.course import course_of, name_of
from ..hyperdual.number import lifted
from ..hyperdual.rebuild import (
    OWN,
    is_bound,
    is_users,
    is_vectorized,
    plain_copy,
    plain_of,
    rebuilt,
    refuse_except,
    unbound,
)
from ..hyperdual.writing import written
from .cache import fingerprint
from .pointers import PYTHON_ONLY, inlined

_pointers = {}  # by kind, fingerprint of the function and details


def pointer(make, asked, *details):
    """The Pointer make(*functions, *details) of users' functions; the same one for the same code.

    asked : each function with (name, shape) of each of its arguments, shapes as in hyperdual/following.py. Code is the same where
    all that it uses is, values of global names included.
    """
    return pointer_of(make, tuple(differentiable(function, arguments) for function, arguments in asked), *details)


def pointer_of(make, ready, *details):
    """The same of functions that are ready."""
    key = None if PYTHON_ONLY else (make.__module__, make.__qualname__, tuple(map(fingerprint, ready)), details)
    made = None if key is None else _pointers.get(key)
    if made is None:
        made = make(*ready, *details)
        made.followed = ready
    if key is not None:
        _pointers[key] = made
    return made


def differentiable(function, arguments):
    """A user's function, to be called from compiled code with numbers of any kind."""
    if hasattr(function, "py_func") and function.__module__.startswith("bricard."):
        return function  # our own
    course = course_of(function, arguments)
    if PYTHON_ONLY:
        return plain_copy(function)
    followed = course and written(course, name_of(function), [name for name, _ in arguments], lifted)
    return inlined(followed) if followed else as_it_stands(function, len(arguments))


def as_it_stands(function, count):
    """A function of `count` arguments, compiled with all its branches and loops."""
    if hasattr(function, "py_func"):
        return function
    function = plain_of(function)
    if is_bound(function):
        function = unbound(function, count)
    if not isinstance(function, FunctionType):
        raise UserFunctionError(f"{function!r} cannot be compiled: write it with def or lambda; {OWN}.")
    known = {}
    refuse_except(function, function.__code__)

    def replaced(value):
        value = plain_of(value) if is_vectorized(value) else value
        if is_bound(value):
            raise UserFunctionError(
                f'The function "{function.__name__}" calls {value!r}: write that as a function with def; {OWN}.'
            )
        if not is_users(value):
            return value
        if id(value) not in known:
            refuse_except(value, value.__code__)
            known[id(value)] = value  # of functions that call each other, which compiled code refuses
            known[id(value)] = inlined(rebuilt(value, replaced))
        return known[id(value)]

    return inlined(rebuilt(function, replaced))
