"""Profiles: functions of time for prescribed motion and applied loads.

Each profile has a `kind`, its numbers as a flat tuple `parameters`, and `function`, None or the user's callable.
Calling it gives the value at time t (s), as reference for the compiled code.
"""

from __future__ import annotations

import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bricard.errors import ModelError, UserFunctionError, suggest
from bricard.model import checks, interpolation
from bricard.model.travelling import Immutable, refuse_code

__all__ = [
    "PROFILES",
    "Constant",
    "FunctionProfile",
    "Polynomial",
    "Profile",
    "Sine",
    "SmoothStep",
    "StartValue",
    "Tabulated",
    "as_function",
    "as_profile",
    "resolve",
]


def resolve(text: str, where: str = "function") -> Callable[..., Any]:
    """Return the callable that a text of the form `module:function` names."""
    module_name, _, path = text.partition(":")
    if not module_name or not path:
        raise UserFunctionError(f'{where}: "{text}" must have the form "module:function".')
    refuse_code(text, where)
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # whatever the user's module does when it is imported
        kind = type(error).__name__
        raise UserFunctionError(f'{where}: the module of "{text}" cannot be imported: {kind}: {error}.') from error
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            near = suggest(part, dir(found))
            raise UserFunctionError(f'{where}: "{text}" cannot be found: there is no "{part}".{near}') from None
    if not callable(found):
        raise UserFunctionError(f'{where}: "{text}" is not a function but {found!r}.')
    return found


def as_function(value: object, where: str) -> Callable[..., Any]:
    """Return a callable from a callable or a text `module:function`."""
    if isinstance(value, str):
        return resolve(value, where)
    if not callable(value):
        raise ModelError(f'{where} must be a function or a text "module:function", not {value!r}.')
    return value


class Profile(Immutable, ABC):
    """A value that depends on time only."""

    kind: ClassVar[str]
    function: Callable[..., Any] | None = None

    @property
    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """The numbers of the profile, flat."""

    @abstractmethod
    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""

    def declaration(self) -> dict[str, Any]:
        """Return the table that `as_profile` turns into this profile again."""
        return {"profile": self.kind, **{field.name: getattr(self, field.name) for field in fields(self)}}  # pyright: ignore[reportArgumentType]

    def _check_numbers(self) -> None:
        for field in fields(self):  # pyright: ignore[reportArgumentType]
            value = checks.number(getattr(self, field.name), f"{self.kind} profile: {field.name}")
            object.__setattr__(self, field.name, value)


@dataclass(frozen=True)
class Constant(Profile):
    """The same value at all times."""

    kind = "constant"
    value: float

    def __post_init__(self) -> None:
        self._check_numbers()

    @property
    def parameters(self) -> tuple[float, ...]:
        """The value."""
        return (self.value,)

    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""
        return self.value


@dataclass(frozen=True)
class Sine(Profile):
    """Offset + amplitude sin(2 pi frequency t + phase); frequency in Hz, phase in rad."""

    kind = "sine"
    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        self._check_numbers()

    @property
    def parameters(self) -> tuple[float, ...]:
        """Amplitude, frequency (Hz), phase (rad), offset."""
        return self.amplitude, self.frequency, self.phase, self.offset

    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""
        return self.offset + self.amplitude * math.sin(2.0 * math.pi * self.frequency * t + self.phase)


@dataclass(frozen=True)
class Polynomial(Profile):
    """c0 + c1 t + c2 t^2 + ...: coefficients in ascending order."""

    kind = "polynomial"
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        numbers = checks.numbers(self.coefficients, "polynomial profile: coefficients", 1)
        object.__setattr__(self, "coefficients", numbers)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The coefficients in ascending order."""
        return self.coefficients

    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""
        value = 0.0
        for coefficient in reversed(self.coefficients):
            value = value * t + coefficient
        return value


@dataclass(frozen=True)
class Tabulated(Profile):
    """The twice continuous cubic through points (time in s, value); beyond the ends along the end tangents."""

    kind = "tabulated"
    time: tuple[float, ...]
    value: tuple[float, ...]

    def __post_init__(self) -> None:
        time, value = interpolation.checked_points(self.time, self.value, "tabulated profile", ("time", "value"))
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "value", value)

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Coefficients (n-1, 4) of the pieces, ascending powers of t - t_i."""
        return checks.frozen(interpolation.spline(self.time, self.value))

    @property
    def parameters(self) -> tuple[float, ...]:
        """The n knots, then the 4 (n-1) coefficients piece by piece."""
        return (*self.time, *self.coefficients.ravel().tolist())

    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""
        return interpolation.evaluate(self.time, self.coefficients, t)


@dataclass(frozen=True)
class SmoothStep(Profile):
    """From `start` to `end` between the times t_start and t_end (s), with velocity and acceleration zero at both."""

    kind = "smooth_step"
    start: float
    end: float
    t_start: float
    t_end: float

    def __post_init__(self) -> None:
        self._check_numbers()
        if self.t_end <= self.t_start:
            raise ModelError(
                f"smooth_step profile: t_end = {self.t_end:g} s must be after t_start = {self.t_start:g} s."
            )

    @property
    def parameters(self) -> tuple[float, ...]:
        """Start, end, t_start, t_end."""
        return self.start, self.end, self.t_start, self.t_end

    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""
        s = min(max((t - self.t_start) / (self.t_end - self.t_start), 0.0), 1.0)
        return self.start + (self.end - self.start) * s**3 * (10.0 + s * (6.0 * s - 15.0))


@dataclass(frozen=True)
class FunctionProfile(Profile):
    """A user's function of the time t (s), or its name as a text `module:function`."""

    kind = "function"
    function: Callable[..., Any]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __post_init__(self) -> None:
        object.__setattr__(self, "function", as_function(self.function, "function profile: function"))

    @property
    def parameters(self) -> tuple[float, ...]:
        """No numbers."""
        return ()

    def __call__(self, t: float) -> float:
        """Return the value at time t (s)."""
        return float(self.function(t))


@dataclass(frozen=True)
class StartValue(Profile):
    """The value at the start pose as drawn, filled in when the system is built."""

    kind = "start"

    @property
    def parameters(self) -> tuple[float, ...]:
        """No numbers."""
        return ()

    def __call__(self, t: float) -> float:
        """Raise an error: there is no value yet."""
        raise ModelError("The value at the start is known only after the system has been built.")


PROFILES: dict[str, type[Profile]] = {
    profile.kind: profile for profile in (Constant, Sine, Polynomial, Tabulated, SmoothStep, FunctionProfile)
}


def as_profile(value: object, where: str) -> Profile:
    """Return a profile from a profile, a number, a function of t, a text `module:function` or a table."""
    if isinstance(value, Profile):
        return value
    if isinstance(value, Mapping):
        kind = value.get("profile")
        if not isinstance(kind, str) or kind not in PROFILES:
            known = ", ".join(PROFILES)
            raise ModelError(f'{where}: unknown profile "{kind}".{suggest(kind, PROFILES)} Known profiles: {known}.')
        options = {key: item for key, item in value.items() if key != "profile"}
        return PROFILES[kind](**checks.keys(PROFILES[kind], options, where))
    if isinstance(value, str) or callable(value):
        return FunctionProfile(as_function(value, where))
    return Constant(checks.number(value, where))
