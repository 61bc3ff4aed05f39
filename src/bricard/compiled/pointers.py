"""Compiled functions that are combined at run time.

An `Interface` is one fixed signature. Decorating a function with it gives a `Pointer`: nothing is compiled until its
`address` is asked for, then it comes from the disk cache or is compiled once. Compiled code calls an address with
`Interface.call(address, ...)`; addresses live in plain int64 arrays. The callee is called with Numba's own calling
convention, so exceptions raised inside it reach Python.

With NUMBA_DISABLE_JIT=1 an address is an index into a list of Python functions, and everything runs as plain Python.
"""

from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from .cache import PackageCache, fingerprint
from .complaints import complaint

PYTHON_ONLY = bool(config.DISABLE_JIT)
_python_functions = [None]  # an address 0 means: no function


def compiled(function):
    """Compile lazily, with the package's cache. For helpers that are called directly and inlined."""
    if PYTHON_ONLY:
        return function
    dispatcher = njit(error_model="numpy", nogil=True)(function)
    dispatcher._cache = PackageCache(function)  # what enable_caching() does, with our cache class
    dispatcher.get_call_template = _without_literals(dispatcher.get_call_template)
    return dispatcher


def _without_literals(get_call_template):
    """Constants among the arguments are numbers like others: Numba would compile a helper once for each of them."""

    def template(args, kws):
        return get_call_template(
            tuple(map(types.unliteral, args)), {name: types.unliteral(k) for name, k in kws.items()}
        )

    return template


def unique(function):
    """A copy of a function made at run time (a user's, or a closure) whose name carries its fingerprint.

    Machine code is found by symbols that are made of names; in two processes the same name may stand for different code, and
    a third process that loads both from the cache would run one of them twice.
    """
    if PYTHON_ONLY or hasattr(function, "py_func"):
        return function
    mark = fingerprint(function)[:16]
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__qualname__ = f"{function.__qualname__}_{mark}"
    copy.__module__ = function.__module__
    return copy


def inlined(function):
    """A function made at run time, compiled into its callers."""
    if PYTHON_ONLY or hasattr(function, "py_func"):
        return function
    return njit(error_model="numpy")(unique(function))


def spread(function):
    """The same, copied into each place that calls it: what is not used there is not computed."""
    return (
        function
        if PYTHON_ONLY
        else njit(error_model="numpy", forceinline=True)(unique(getattr(function, "py_func", function)))
    )


class Bound:
    """Base class of what holds addresses of this process. A copy, or a pickle read elsewhere, would point to nothing."""

    __slots__ = ()

    def __reduce__(self):
        raise TypeError(cannot_leave(self))

    __copy__ = __reduce__

    def __deepcopy__(self, memo):
        raise TypeError(cannot_leave(self))

    def __setstate__(self, state):
        raise TypeError(cannot_come(self))


def cannot_come(thing):
    """The sentence with which something that holds addresses refuses to be made from a pickle; early versions wrote such."""
    return (
        f"This pickle was written by an early version of bricard: its {type(thing).__name__} holds addresses of a process that "
        "has ended. Build the System again, or load the Solution from the file that its save() has written."
    )


def cannot_leave(thing):
    """The sentence with which something that holds addresses refuses to be copied or pickled."""
    return (
        f"{type(thing).__name__} holds addresses of compiled code, which mean nothing outside of this process: it cannot be "
        "copied or pickled. Copy or send the Model, the System or the Solution that it belongs to."
    )


class Pointer(Bound):
    """One implementation of an interface. Keep it alive as long as its address is in use."""

    def __init__(self, interface, function):
        if function.__closure__ is not None:
            function = unique(function)
        self.interface, self.function = interface, compiled(function)
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.branching: Any = None  # of a user's function: how to ask for its branches (kernels/branches.py)
        self.followed: tuple[Any, ...] = ()  # users' functions in it, as they were when it was made (users.py)

    @cached_property
    def address(self):
        """Where the machine code lies in this process; compiles or loads it when first asked."""
        if PYTHON_ONLY:
            _python_functions.append(self.function)
            return len(_python_functions) - 1
        try:
            result = self.function.get_compile_result(self.interface.signature)
        except Exception as error:  # Numba's own, and what its parts raise instead
            raise complaint(self.function, error) from error
        return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)

    def __call__(self, *arguments):
        """Call from Python, always with the interface's own signature."""
        _ = self.address
        return self.function(*arguments)


class Interface:
    """A fixed signature shared by all implementations of one role."""

    def __init__(self, signature):
        self.signature = signature
        self.call = _call_python if PYTHON_ONLY else _call_address(signature)

    def __call__(self, function):
        """Make `function` an implementation of this interface; nothing is compiled yet."""
        return Pointer(self, function)


def address_of(interface, pointer):
    """The address of `pointer` after checking that it fits `interface`; 0 for None."""
    if pointer is None:
        return 0
    if pointer.interface is not interface:  # a wrong address would crash the process
        raise TypeError(
            f"{pointer.__name__} has signature {pointer.interface.signature}, needed is {interface.signature}"
        )
    return pointer.address


def table(interfaces, pointers):
    """The addresses of `pointers` as an array for compiled code, each checked against its interface."""
    return np.array([address_of(*pair) for pair in zip(interfaces, pointers, strict=True)], np.int64)


def _call_python(address, *arguments):
    return _python_functions[address](*arguments)


def _call_address(signature):
    """An intrinsic that calls the machine code at an integer address; arguments are cast to the signature."""

    @intrinsic
    def call(typingctx, address, *arguments):
        if len(arguments) != len(signature.args):
            raise TypeError(f"{len(signature.args)} arguments expected, {len(arguments)} given")
        for given, expected in zip(arguments, signature.args, strict=True):
            if typingctx.can_convert(given, expected) is None:
                raise TypeError(f"argument of type {expected} expected, {given} given")

        def generate(context, builder, call_signature, values):
            given_values = cgutils.unpack_tuple(builder, values[1])
            triples = zip(given_values, call_signature.args[1], signature.args, strict=True)
            passed = [context.cast(builder, value, given, expected) for value, given, expected in triples]
            convention = context.call_conv
            pointer_type = convention.get_function_type(signature.return_type, signature.args).as_pointer()
            function = builder.inttoptr(values[0], pointer_type)
            status, result = convention.call_function(builder, function, signature.return_type, signature.args, passed)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return signature.return_type(types.intp, types.StarArgTuple(arguments)), generate

    return call
