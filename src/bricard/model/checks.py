"""Checks of values that users hand in: each returns a clean copy or raises a ModelError that names the place.

`where` is the start of the sentence, for example `joint "A": axis`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from bricard.errors import ModelError, suggest

__all__ = ["distance", "frozen", "integer", "keys", "number", "numbers", "shape", "unit", "vector"]

LARGEST = 1e100  # the square of anything larger, times a mass, is no longer a number


def frozen(value: Any) -> np.ndarray:
    """Return `value` as a read-only float array of its own."""
    array = np.array(value, dtype=float)
    array.flags.writeable = False
    return array


def number(value: object, where: str, *, positive: bool = False, nonnegative: bool = False) -> float:
    """Return a finite float, on demand above (`positive`) or not below (`nonnegative`) zero."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ModelError(f"{where} must be a number, not {value!r}.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ModelError(f"{where} must be a finite number, not {result}.")
    if abs(result) > LARGEST:
        raise ModelError(f"{where} must not exceed {LARGEST:g}, but is {result:g}.")
    if positive and result <= 0.0:
        raise ModelError(f"{where} must be greater than zero, not {result:g}.")
    if nonnegative and result < 0.0:
        raise ModelError(f"{where} must not be negative, but is {result:g}.")
    return result


def integer(value: object, where: str, *, least: int = 1) -> int:
    """Return an integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ModelError(f"{where} must be an integer of at least {least}, not {value!r}.")
    return int(value)


def _array(value: object, where: str, wanted: str) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise ModelError(f"{where} must be {wanted}, not {value!r}.") from None
    if array.dtype.kind not in "iuf":
        raise ModelError(f"{where} must be {wanted}, not {value!r}.")
    if not np.all(np.isfinite(array)):
        raise ModelError(f"{where} must be {wanted}, all finite, not {value!r}.")
    return frozen(array)


def shape(value: object) -> tuple[int, ...] | None:
    """Return the shape of `value` as an array, () of a single value; None of lists of unequal lengths."""
    try:
        return np.shape(value)  # pyright: ignore[reportArgumentType, reportCallIssue]
    except ValueError:
        return None


def vector(value: object, where: str, size: int = 3) -> np.ndarray:
    """Return a read-only (size,) array of finite numbers."""
    array = _vector(value, where, size)
    if np.any(np.abs(array) > LARGEST):
        raise ModelError(f"{where} must not exceed {LARGEST:g}, but is {value!r}.")
    return array


def _vector(value: object, where: str, size: int) -> np.ndarray:
    array = _array(value, where, f"{size} numbers")
    if array.shape != (size,):
        raise ModelError(f"{where} must be {size} numbers, not {value!r}.")
    return array


def numbers(value: object, where: str, least: int = 0) -> tuple[float, ...]:
    """Return a tuple of at least `least` finite floats."""
    if least == 0 and isinstance(value, tuple | list) and not value:
        return ()
    array = _array(value, where, "a list of numbers")
    if array.ndim != 1 or len(array) < least:
        raise ModelError(f"{where} must be a list of at least {least} numbers, not {value!r}.")
    return tuple(array.tolist())


def unit(value: object, where: str) -> np.ndarray:
    """Return the direction of a 3-vector as a read-only unit vector; a zero vector is an error."""
    direction = _vector(value, where, 3)
    largest = np.abs(direction).max()
    if largest == 0.0:
        raise ModelError(f"{where} has no direction: its length is zero.")
    scaled = direction / largest  # first by the largest entry: no overflow, no underflow
    return frozen(scaled / np.sqrt(scaled @ scaled))


def distance(start: np.ndarray, end: np.ndarray, where: str) -> float:
    """Return |end - start| > 0 (m); points that coincide up to rounding are an error."""
    length = float(np.linalg.norm(end - start))
    if length <= 1e-14 * max(np.abs(start).max(), np.abs(end).max()):
        raise ModelError(f"{where}: the two points coincide at ({', '.join(f'{x:g}' for x in start)}).")
    return length


def keys(call: Callable[..., Any], table: Mapping[str, Any], where: str, skip: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return `table` as keyword arguments of `call`; unknown and missing keys are errors that name them."""
    parameters = {n: p for n, p in inspect.signature(call).parameters.items() if n != "self" and n not in skip}
    for key in table:
        if key not in parameters:
            known = ", ".join(parameters)
            raise ModelError(f'{where}: unknown key "{key}".{suggest(key, parameters)} Known keys: {known}.')
    for key, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and key not in table:
            raise ModelError(f'{where}: the key "{key}" is missing.')
    return dict(table)
