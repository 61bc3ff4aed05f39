"""Users' functions as they stand: copies in which helpers, closures, partial functions and methods are replaced by others.

Compiled code needs helpers that are compiled, plain Python a `math` that knows hyper-dual numbers. The user's module stays as
it is.
"""

import dis
import functools
import math
from collections import namedtuple
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from ..errors import UserFunctionError
from .plain import MATH, STAND_INS

LIBRARIES = ("numpy", "scipy", "math", "numba", "builtins", "bricard")
VECTORS = "bricard.kernels.vectors"
OWN = "the docs say what may be written: docs/functions.md"


def plain_of(function):
    """The plain Python function behind a compiled one, or the function itself."""
    return getattr(function, "py_func", function)


def is_users(value):
    """Whether a value is a plain Python function of no library."""
    return isinstance(value, FunctionType) and (value.__module__ or "").partition(".")[0] not in LIBRARIES


def is_bound(value):
    """Whether a value is a function with something bound to it: partial, a method, an object that can be called."""
    if isinstance(value, (functools.partial, MethodType)):
        return True
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)) or hasattr(value, "py_func"):
        return False
    return callable(value) and is_users(type(value).__call__)


def names_of(code):
    """Global names that a function's code may use, those of nested functions included."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= names_of(constant)
    return found


def rebuilt(function: Any, replaced: Any) -> Any:
    """A copy of a plain function in which each global and closed-over value v is replaced(v).

    A new function in any case: its fingerprint (compiled/cache.py) is that of the values that its globals have now.
    """
    own = function.__globals__
    names = {name: own[name] for name in names_of(function.__code__) if name in own}
    changed = {name: replaced(value) for name, value in names.items()}
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(CellType(replaced(cell.cell_contents)))
        except ValueError:  # empty: defined later
            cells.append(cell)
    copy = FunctionType(
        function.__code__, {**own, **changed}, function.__name__, function.__defaults__, tuple(cells) or None
    )
    copy.__kwdefaults__, copy.__doc__, copy.__module__ = function.__kwdefaults__, function.__doc__, function.__module__
    copy.__qualname__ = function.__qualname__
    return copy


def plain_copy(function: Any, mathematics: Any = MATH, stand_ins: Any = STAND_INS) -> Any:
    """A copy for plain Python, whose `math` takes hyper-dual numbers."""
    known = {}

    def replaced(value: Any) -> Any:
        if value is math:
            return mathematics
        if isinstance(value, ModuleType) and value.__name__ == VECTORS:
            return SimpleNamespace(**{name: replaced(item) for name, item in vars(value).items() if name[0] != "_"})
        if isinstance(value, BuiltinFunctionType):
            return stand_ins.get(value, value)
        if isinstance(value, functools.partial):
            return functools.partial(replaced(value.func), *value.args, **value.keywords)
        if isinstance(value, MethodType):
            return MethodType(replaced(value.__func__), value.__self__)
        if is_bound(value):
            return MethodType(replaced(type(value).__call__), value)
        value = plain_of(value)
        if not isinstance(value, FunctionType) or (not is_users(value) and _is_library(value)):
            return value
        if id(value) not in known:
            known[id(value)] = value  # functions that call each other
            known[id(value)] = rebuilt(value, replaced)
        return known[id(value)]

    return replaced(function)


def _is_library(function):
    return not (function.__module__ or "").startswith("bricard.kernels")


def unbound(value, count):
    """A function of `count` arguments for a partial function, a method or an object that can be called."""
    if isinstance(value, functools.partial):
        function, before, named = value.func, value.args, value.keywords
    elif isinstance(value, MethodType):
        function, before, named = value.__func__, (_record_of(value.__func__, value.__self__),), {}
    else:
        function, before, named = type(value).__call__, (_record_of(type(value).__call__, value),), {}
    scope = {"function": function} | {f"before_{i}": x for i, x in enumerate(before)}
    scope |= {f"named_{name}": x for name, x in named.items()}
    given = [f"x{i}" for i in range(count)]
    words = [f"before_{i}" for i in range(len(before))] + given + [f"{name}=named_{name}" for name in named]
    body = f" def called({', '.join(given)}):\n  return function({', '.join(words)})\n return called"
    text = f"def make({', '.join(scope)}):\n{body}"
    made = {}
    exec(text, made)
    called = made["make"](**scope)
    called.__module__ = getattr(function, "__module__", "") or ""
    return called


def _record_of(method, owner):
    """What a method reads of its object, as a record of constants."""
    code = method.__code__
    first, attributes, before = code.co_varnames[0], {}, None
    for instruction in dis.get_instructions(code):
        if before is not None and before.opname == "LOAD_FAST" and before.argval == first:
            if instruction.opname == "LOAD_METHOD":
                raise UserFunctionError(
                    f'"{method.__qualname__}" calls {first}.{instruction.argval}(): make that a function of its own; {OWN}.'
                )
            if instruction.opname == "LOAD_ATTR":
                attributes[instruction.argval] = getattr(owner, instruction.argval)
            if instruction.opname == "STORE_ATTR":
                raise UserFunctionError(
                    f'"{method.__qualname__}" sets {first}.{instruction.argval}: a function keeps nothing between its calls.'
                )
        before = instruction
    return namedtuple(type(owner).__name__, attributes)(**attributes)
