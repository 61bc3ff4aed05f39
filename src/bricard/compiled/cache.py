"""Disk cache of compiled code that is never stale and never recompiles more than what changed.

Numba stamps a cached function with the hash of its own file only: a change in a helper of another file goes unnoticed, and
a blank line in its own file recompiles everything. Here the key of a function is a fingerprint of its byte code, its
constants and, recursively, of all compiled functions it calls directly. It ends at calls by address, of which only the
signature counts. No global setting of Numba is touched.
"""

import functools
import hashlib
from enum import EnumMeta
from types import CodeType, FunctionType, ModuleType
from weakref import WeakKeyDictionary

import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from ..interrupts import end_if_asked
from .cache_folder import CODE, folder

_known = WeakKeyDictionary()  # fingerprints of functions


def fingerprint(value):
    """Text that changes when the function, constant or type `value` changes, and is the same in every process."""
    if hasattr(value, "__fingerprint__"):  # of a type whose rules count with it (hyperdual.py)
        return value.__fingerprint__
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a record of arrays: its repr would be short of digits
        return str([fingerprint(field) for field in value])
    if isinstance(value, CodeType):
        return f"{value.co_code.hex()}{value.co_names}{value.co_varnames}{[fingerprint(c) for c in value.co_consts]}"
    if isinstance(value, ModuleType):
        if value.__name__.startswith(__package__.partition(".")[0]):
            raise TypeError(
                f"compiled code must import names, not the module {value.__name__}: changes there would go unnoticed"
            )
        return value.__name__
    if isinstance(value, EnumMeta):  # compiled code has their numbers built in
        return str([(name, member.value) for name, member in value.__members__.items()])
    function = getattr(value, "py_func", getattr(value, "_defn", value))  # of a dispatcher, of an intrinsic
    if isinstance(function, FunctionType):
        return _function_fingerprint(function)
    return repr(value) if isinstance(value, (int, float, complex, str, tuple)) else str(value).split(" at 0x")[0]


def _function_fingerprint(function):
    if function not in _known:
        _known[function] = function.__qualname__  # ends the recursion of functions that call each other
        code = function.__code__
        names = [n for n in code.co_names if n in function.__globals__]
        parts = [fingerprint(code), *(n + fingerprint(function.__globals__[n]) for n in names)]
        parts += [fingerprint(cell.cell_contents) for cell in function.__closure__ or ()]
        parts += [fingerprint(default) for default in function.__defaults__ or ()]  # callers have them built in
        _known[function] = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return _known[function]


class PackageLocator(_CacheLocator):
    """Tells Numba what cached code is called. The fingerprint is part of the name: one name, one content, so that processes that
    compile different users' joints at the same time cannot overwrite each other's code."""

    def __init__(self, function, file):
        self._py_file, self._function = file, function

    @classmethod
    def from_function(cls, function, file):
        """Numba's way to ask for a locator."""
        return cls(function, file)

    def get_cache_path(self):
        """Folder of the cached code; it is ours to read and write (cache_folder.py)."""
        return str(folder().path)

    def ensure_cache_path(self):
        """Nothing: the folder was made, or could not be, when it was first asked for."""

    def get_source_stamp(self):
        """What cached code must agree with."""
        return fingerprint(self._function)

    def get_disambiguator(self):
        """Part of the file names."""
        return fingerprint(self._function)[:16]


class _PackageCacheImpl(CompileResultCacheImpl):
    _locator_classes = (PackageLocator,)


class Pieces:
    """Files of one function, in the place of Numba's index and data files: named by signature and processor, too."""

    def __init__(self, base):
        self._base = base

    def _name(self, key):
        return f"{self._base}.{hashlib.sha256(str(key).encode()).hexdigest()[:16]}{CODE}"

    def load(self, key):
        """The machine code of a key, or None."""
        return folder().read(self._name(key))

    def save(self, key, data):
        """Keep the machine code of a key."""
        folder().write(self._name(key), data)

    def flush(self):
        """Nothing: no index can be out of date."""


class _PackageFunctionCache(FunctionCache):
    _impl_class = _PackageCacheImpl

    def __init__(self, function):
        super().__init__(function)
        self._cache_file = Pieces(self._impl.filename_base)

    def _index_key(self, signature, codegen):
        return signature, codegen.magic_tuple()  # of triple, processor and its features

    def load_overload(self, signature, target_context):
        """Compiled code from the disk; says once that something has to be compiled."""
        try:
            found = super().load_overload(signature, target_context)
        except Exception:  # written by a module that no longer exists: compile again
            found = None
        if found is None:
            folder().announce()
        return found

    def save_overload(self, sig, data):
        """Keep code that was compiled; Ctrl-C ends here what compiles many pieces, which may take a minute."""
        super().save_overload(sig, data)
        end_if_asked()


class PackageCache:
    """Numba's function cache with our locator, opened when first used: at import some helpers are not yet defined."""

    def __init__(self, function):
        self._function = function

    @functools.cached_property
    def _opened(self):
        return _PackageFunctionCache(self._function)

    def __getattr__(self, name):
        return getattr(self._opened, name)
