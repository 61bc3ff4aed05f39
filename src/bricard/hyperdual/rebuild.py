"""Users' functions as they stand: copies in which helpers, closures, partial functions and methods are replaced by others.

Compiled code needs helpers that are compiled, plain Python a `math` that knows hyper-dual numbers. The user's module stays as
it is.
"""

import builtins
import dis
import functools
import operator
import sys
from collections import namedtuple
from collections.abc import Hashable
from pathlib import Path
from types import BuiltinFunctionType as Builtin
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ..errors import UserFunctionError
from .arithmetic import each
from .caught import COPY, catches
from .objects import Copies
from .stand_ins import MODULES, SILENT, SILENT_MODULES, STAND_INS, Constants

LIBRARIES = ("numpy", "scipy", "math", "numba", "builtins", "bricard")
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE")
VECTORS = "bricard.kernels.vectors"
Remembering = type(functools.lru_cache(len))  # of functions that remember their results
OWN = "the docs say what may be written: docs/functions.md"


def plain_of(function):
    """The plain Python function behind a compiled one, or the function itself."""
    return getattr(function, "py_func", None) or getattr(_kernel(function), "py_func", function)


def _kernel(function):
    """What computes one number of a function made by numba.vectorize; None for others."""
    return getattr(function, "_dispatcher", None)


def is_vectorized(function):
    """Whether a function was made by numba.vectorize."""
    return hasattr(_kernel(function), "py_func")


def is_library(module):
    """Whether a name is that of a module of the libraries, whose functions are known here."""
    return (module or "").partition(".")[0] in LIBRARIES


def is_elsewhere(module):
    """Whether a name is that of a module of a library, known here or not, or of Python itself."""
    return is_library(module) or (module or "").partition(".")[0] in sys.stdlib_module_names


def is_installed(module):
    """Whether a name is that of a module of Python or of an installed package, whose objects are left as they are."""
    place = getattr(sys.modules.get(module or ""), "__file__", None) or ""
    return is_elsewhere(module) or "site-packages" in place or "dist-packages" in place


def is_users(value):
    """Whether a value is a plain Python function of no library."""
    return isinstance(value, FunctionType) and not is_library(value.__module__)


def is_bound(value):
    """Whether a value is a function with something bound to it: partial, a method, an object that can be called."""
    if isinstance(value, (functools.partial, MethodType)):
        return True
    if isinstance(value, (type, FunctionType, Builtin)) or hasattr(value, "py_func"):
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
    """A copy of a plain function in which each global, closed-over and default value v is replaced(v).

    A new function in any case: its fingerprint (compiled/cache.py) is that of the values that its globals have now.
    """
    own = function.__globals__
    names = {name: own[name] for name in names_of(function.__code__) if name in own}
    refuse_changeable(function, names)
    refuse_memory(function, function.__code__)
    python = {name: vars(builtins)[name] for name in names_of(function.__code__) if name in vars(builtins)}
    changed = {name: replaced(value) for name, value in names.items()}
    changed |= {
        name: new for name, value in python.items() if name not in own and (new := replaced(value)) is not value
    }
    cells = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # empty: defined later
            cells.append(cell)
        else:
            refuse_changeable(function, {name: value})
            cells.append(CellType(replaced(value)))
    defaults = None if function.__defaults__ is None else tuple(map(replaced, function.__defaults__))
    imports = {"__builtins__": {**vars(builtins), "__import__": _importing(replaced), COPY: True}}
    copy = FunctionType(
        function.__code__, {**own, **imports, **changed}, function.__name__, defaults, tuple(cells) or None
    )
    copy.__kwdefaults__, copy.__doc__, copy.__module__ = function.__kwdefaults__, function.__doc__, function.__module__
    copy.__qualname__ = function.__qualname__
    return copy


def refuse_changeable(function, names):
    """Refuse global and closed-over values that may be changed later, which compiled code would not notice."""
    found = {}
    for name, value in sorted(names.items()):
        line = _line_of(function.__code__, name) if isinstance(value, (list, dict, set, bytearray)) else None
        if line is not None:
            where = "global" if name in function.__globals__ else "outer"
            found[f'the {where} {type(value).__name__} "{name}"'] = line
    if found:
        place = f"({Path(function.__code__.co_filename).name}, line {min(found.values())})"
        what = (
            "Make that a tuple, an array, or numbers, which do"
            if len(found) == 1
            else "Make them tuples, arrays, or numbers, which do"
        )
        raise UserFunctionError(
            f'The function "{function.__name__}" {place} cannot be compiled: it uses {", ".join(found)}. {what} not change; '
            f"{OWN}."
        )


def refuse_except(function, code):
    """Refuse code that catches errors: in compiled code a number never raises one, so that it would never be caught."""
    line = catches(code)
    if line is not None:
        raise UserFunctionError(
            f'The function "{function.__name__}" ({Path(code.co_filename).name}, line {line}) cannot be compiled: an `except` '
            "there would have to decide by values. Compare before, as in `if x > 0.0:` or `if i < len(table):`, in the place "
            f"of `try`; {OWN}."
        )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            refuse_except(function, constant)


def refuse_memory(function, code):
    """Refuse code that sets global names, those of an outer function, or their attributes: they would be lost between calls."""
    before = None
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        is_outer = instruction.opname == "STORE_DEREF" and name in function.__code__.co_freevars
        if instruction.opname == "STORE_ATTR" and before is not None and before.opname in ("LOAD_GLOBAL", "LOAD_DEREF"):
            name, is_outer = f"{before.argval}.{name}", True
        if instruction.opname == "STORE_GLOBAL" or is_outer:
            line = instruction.positions.lineno if instruction.positions else code.co_firstlineno
            raise UserFunctionError(
                f'The function "{function.__name__}" ({Path(code.co_filename).name}, line {line}) cannot be compiled: it sets '
                f'"{name}", but a function keeps nothing between its calls; {OWN}.'
            )
        before = instruction
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            refuse_memory(function, constant)


def _importing(replaced):
    """The import statement inside of a function, of replaced modules."""
    return lambda name, *others: replaced(builtins.__import__(name, *others))


def _line_of(code, name):
    """The line of a code that uses a global or closed-over name; None where the name is only one of an attribute."""
    for instruction in dis.get_instructions(code):
        if instruction.argval == name and instruction.opname in LOADS and instruction.positions is not None:
            return instruction.positions.lineno
    inner = (_line_of(constant, name) for constant in code.co_consts if isinstance(constant, CodeType))
    return next((found for found in inner if found is not None), None)


def plain_copy(function: Any, silent: bool = False) -> Any:
    """A copy for plain Python that takes Numbers: it uses the stand-ins for math, NumPy and some of Python's functions.

    silent : it neither prints nor warns, as where branches are followed that are never reached.
    """
    known, stand_ins, modules = {}, STAND_INS | (SILENT if silent else {}), MODULES | (SILENT_MODULES if silent else {})

    def replaced(value: Any) -> Any:
        if isinstance(value, ModuleType):
            if value.__name__ == VECTORS:
                return SimpleNamespace(**{name: replaced(item) for name, item in vars(value).items() if name[0] != "_"})
            known_elsewhere = is_elsewhere(value.__name__) and not value.__name__.startswith("bricard")
            return modules.get(value) or (value if known_elsewhere else Copied(value, replaced))
        if isinstance(value, (Builtin, type, np.ufunc)) or (callable(value) and _of_numpy(value)):
            known_one = stand_ins.get(value, value) if isinstance(value, Hashable) else value
            return copies.of_class(value) if known_one is value and isinstance(value, type) else known_one
        if type(value) is np.ndarray:
            array: Any = value
            return array.view(Constants) if array.dtype == float else array
        if isinstance(value, functools.partial):
            named = {name: replaced(part) for name, part in value.keywords.items()}
            return functools.partial(replaced(value.func), *map(replaced, value.args), **named)
        if isinstance(value, MethodType):
            return MethodType(replaced(value.__func__), replaced(value.__self__))
        if type(value) is tuple:
            own: Any = value
            parts = [replaced(part) for part in own]
            return tuple(parts) if any(map(operator.is_not, parts, own)) else value
        if isinstance(value, Remembering):
            return replaced(value.__wrapped__)
        if is_vectorized(value):
            return functools.partial(each, replaced(plain_of(value)))
        value = plain_of(value)
        if not isinstance(value, FunctionType):
            found = copies.of_object(value)
            return MethodType(replaced(type(value).__call__), value) if found is value and is_bound(value) else found
        if not is_users(value) and _is_library(value):
            return value
        if id(value) not in known:
            known[id(value)] = value  # functions that call each other
            known[id(value)] = rebuilt(value, replaced)
        return known[id(value)]

    copies = Copies(replaced, is_installed)
    return replaced(function)


class Copied:
    """A module of the user's: its functions are copies that take Numbers, too."""

    def __init__(self, module, replaced):
        vars(self).update(_module=module, _replaced=replaced)

    def __getattr__(self, name):
        return self._replaced(getattr(self._module, name))


def _of_numpy(value):
    return (getattr(value, "__module__", "") or "").partition(".")[0] == "numpy"


def _is_library(function):
    return not (function.__module__ or "").startswith(("bricard.kernels", "bricard.problems"))


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
