"""Users' functions as compiled functions of hyper-dual numbers, as they stand: plain helpers, closures, methods and all."""

from types import FunctionType

from ..errors import UserFunctionError
from ..hyperdual.rebuild import OWN, is_bound, is_users, plain_copy, rebuilt, unbound
from .cache import fingerprint
from .pointers import PYTHON_ONLY, inlined

_pointers = {}  # by kind, fingerprint of the function and details


def pointer(make, functions, count, *details):
    """The Pointer make(*functions, *details) of users' functions of `count` arguments, or of as many as `count` says for each;
    the same one for the same code.

    Code is the same where all that it uses is, values of global names included.
    """
    counts = (count,) * len(functions) if isinstance(count, int) else count
    ready = [differentiable(*pair) for pair in zip(functions, counts, strict=True)]
    if PYTHON_ONLY:
        return make(*ready, *details)
    key = make.__module__, make.__qualname__, tuple(map(fingerprint, ready)), details
    if key not in _pointers:
        _pointers[key] = make(*ready, *details)
    return _pointers[key]


def differentiable(function, count):
    """A user's function of `count` arguments, to be called from compiled code with numbers of any kind."""
    if PYTHON_ONLY:
        return plain_copy(function)
    if hasattr(function, "py_func"):
        return function
    if is_bound(function):
        function = unbound(function, count)
    if not isinstance(function, FunctionType):
        raise UserFunctionError(f"{function!r} cannot be compiled: write it with def or lambda; {OWN}.")
    known = {}

    def replaced(value):
        if is_bound(value):
            raise UserFunctionError(
                f'The function "{function.__name__}" calls {value!r}: write that as a function with def; {OWN}.'
            )
        if not is_users(value):
            return value
        if id(value) not in known:
            known[id(value)] = value  # of functions that call each other, which compiled code refuses
            known[id(value)] = inlined(rebuilt(value, replaced))
        return known[id(value)]

    return inlined(rebuilt(function, replaced))
