"""Copies of users' classes and objects whose methods take Numbers, for copies of users' functions (rebuild.py).

An object may be global, closed over, the owner of a method, part of another one, or made inside of the function. Its class is
copied with all of its own bases, so that `super()`, `isinstance` and class attributes mean what they did. Numbers, arrays and
objects of libraries are left as they are.
"""

import functools
from abc import ABC, ABCMeta
from types import FunctionType, MemberDescriptorType
from typing import Any

import numpy as np

from ..errors import UserFunctionError
from .number import Refusal

PLAIN = (object, tuple, ABC)  # bases that say nothing of how an object is stored
OF_EACH = ("__dict__", "__weakref__", "__abstractmethods__", "_abc_impl")  # made anew with a class


class Copies:
    """The copies for one function. Of each class and object there is one, also where it has several names.

    replaced : what stands for a value in the copy; is_installed : whether a module of that name is none of the user.
    """

    def __init__(self, replaced, is_installed):
        self.replaced, self.is_installed, self.known, self.outer = replaced, is_installed, {}, set()

    def copied(self, kind):
        """Whether a class is one that a user has written, without an own way of storing its objects."""
        if type(kind) not in (type, ABCMeta) or self.is_installed(kind.__module__):
            return False
        return all(base in PLAIN or self.copied(base) for base in kind.__bases__)

    def of_class(self, kind: Any) -> Any:
        """The copy of a user's class; another one as it is."""
        if id(kind) in self.known:
            return self.known[id(kind)][1]
        if not self.copied(kind):
            return kind
        names = {name: value for name, value in vars(kind).items() if name not in OF_EACH}
        first = {name: names[name] for name in ("__slots__", "__module__", "__qualname__") if name in names}
        made = type(kind)(kind.__name__, tuple(map(self.of_class, kind.__bases__)), first)
        self.known[id(kind)] = kind, made  # before its methods, which may speak of it
        for name, value in names.items():
            if name not in first and not isinstance(value, MemberDescriptorType):
                setattr(made, name, self._of_attribute(value, made, name))
        self._guard(made)
        return made

    def _of_attribute(self, value, owner, name):
        if isinstance(value, (staticmethod, classmethod)):
            return type(value)(self._method(value.__func__))
        if isinstance(value, property):
            return property(*(part and self._method(part) for part in (value.fget, value.fset, value.fdel)))
        if isinstance(value, functools.cached_property):
            kept = functools.cached_property(self._method(value.func))
            kept.__set_name__(owner, name)
            return kept
        return self._method(value) if isinstance(value, FunctionType) else self.constant(value)

    def _method(self, function: Any) -> Any:
        """The copy of a method, made when it is called: what others contain does not matter."""

        def method(*arguments, **named):
            return self.replaced(function)(*arguments, **named)

        return method

    def _guard(self, made):
        """Refuse to set attributes of objects from outside of the function: it keeps nothing between its calls."""
        own, outer = made.__setattr__, self.outer

        def guarded(thing, name, value):
            if id(thing) in outer:
                raise Refusal(f"it sets self.{name}, but a function keeps nothing between its calls")
            own(thing, name, value)

        made.__setattr__ = guarded

    def of_object(self, value: Any) -> Any:
        """The copy of an object of a user's class, from outside of the function; another one as it is."""
        if id(value) in self.known:
            return self.known[id(value)][1]
        kind: Any = self.of_class(type(value))
        if kind is type(value):
            return value
        made = tuple.__new__(kind, map(self.replaced, value)) if isinstance(value, tuple) else object.__new__(kind)
        self.known[id(value)] = value, made
        slots = (name for base in type(value).__mro__ for name in _words(vars(base).get("__slots__", ())))
        state = {name: getattr(value, name) for name in slots if hasattr(value, name)}
        for name, part in (state | getattr(value, "__dict__", {})).items():
            try:
                object.__setattr__(made, name, self.constant(part))
            except UserFunctionError:  # of a function that may not be used at all
                object.__setattr__(made, name, part)
        self.outer.add(id(made))
        return made

    def constant(self, value: Any) -> Any:
        """What stands for an attribute: lists as tuples, as what is appended to a copy would be lost."""
        if isinstance(value, list):
            return tuple(map(self.replaced, value))
        if isinstance(value, dict):
            return Kept((key, self.replaced(part)) for key, part in value.items())
        if isinstance(value, set):
            return frozenset(value)
        return value.copy() if isinstance(value, np.ndarray) else self.replaced(value)


def _changes(self: Any, *_arguments: Any, **_named: Any) -> Any:
    raise Refusal("it changes a dictionary of an object, but a function keeps nothing between its calls")


class Kept(dict):
    """A dictionary of an object from outside of the function."""

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _changes


def _words(slots):
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return [name for name in names if name not in OF_EACH and not name.startswith("__")]
