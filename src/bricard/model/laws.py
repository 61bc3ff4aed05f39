"""Laws of forces along one coordinate x: the value is the force (N) or torque (N m) towards increasing x.

Like a profile, a law has a `kind`, its numbers `parameters` and perhaps a user's `function`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bricard.errors import ModelError, suggest
from bricard.model import checks, interpolation
from bricard.model.profiles import Profile, as_function, as_profile
from bricard.model.travelling import Immutable

__all__ = ["LAWS", "FunctionLaw", "Law", "Linear", "Table", "TimeLaw", "as_law"]


class Law(Immutable, ABC):
    """A force that depends on the time t, a coordinate x and its rate x'."""

    kind: ClassVar[str]
    function: Callable[..., Any] | None = None

    @property
    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """The numbers of the law, flat."""

    @abstractmethod
    def __call__(self, t: float, x: float, xdot: float) -> float:
        """Return the force towards increasing x."""

    @abstractmethod
    def declaration(self) -> dict[str, Any]:
        """Return the table that `as_law` turns into this law again."""


@dataclass(frozen=True)
class Linear(Law):
    """F = -stiffness (x - free) - damping x'; free is the coordinate without spring force."""

    kind = "linear"
    stiffness: float = 0.0
    damping: float = 0.0
    free: float = 0.0

    def __post_init__(self) -> None:
        for key in ("stiffness", "damping", "free"):
            object.__setattr__(self, key, checks.number(getattr(self, key), f"linear law: {key}"))

    @property
    def parameters(self) -> tuple[float, ...]:
        """Stiffness, damping, free."""
        return self.stiffness, self.damping, self.free

    def __call__(self, t: float, x: float, xdot: float) -> float:
        """Return the force towards increasing x."""
        return -self.stiffness * (x - self.free) - self.damping * xdot

    def declaration(self) -> dict[str, Any]:
        """Return the law as a table."""
        return {"law": self.kind, "stiffness": self.stiffness, "damping": self.damping, "free": self.free}


@dataclass(frozen=True)
class Table(Law):
    """A cubic without overshoot through the points (x, force), minus damping x'; straight on beyond the ends."""

    kind = "table"
    x: tuple[float, ...]
    force: tuple[float, ...]
    damping: float = 0.0

    def __post_init__(self) -> None:
        x, force = interpolation.checked_points(self.x, self.force, "table law", ("x", "force"))
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "force", force)
        object.__setattr__(self, "damping", checks.number(self.damping, "table law: damping"))

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Coefficients (n-1, 4) of the pieces, ascending powers of x - x_i."""
        return interpolation.monotone(self.x, self.force)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Damping, the n knots, then the 4 (n-1) coefficients piece by piece."""
        return (self.damping, *self.x, *self.coefficients.ravel().tolist())

    def __call__(self, t: float, x: float, xdot: float) -> float:
        """Return the force towards increasing x."""
        return interpolation.evaluate(self.x, self.coefficients, x) - self.damping * xdot

    def declaration(self) -> dict[str, Any]:
        """Return the law as a table."""
        return {"law": self.kind, "x": self.x, "force": self.force, "damping": self.damping}


@dataclass(frozen=True)
class TimeLaw(Law):
    """F = profile(t)."""

    kind = "time"
    profile: Profile

    def __post_init__(self) -> None:
        profile = as_profile(self.profile, "time law: profile")
        object.__setattr__(self, "profile", profile)
        object.__setattr__(self, "function", profile.function)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers of the profile."""
        return self.profile.parameters

    def __call__(self, t: float, x: float, xdot: float) -> float:
        """Return the force towards increasing x."""
        return self.profile(t)

    def declaration(self) -> dict[str, Any]:
        """Return the law as a table."""
        return {"law": self.kind, "profile": self.profile}


@dataclass(frozen=True)
class FunctionLaw(Law):
    """F = function(t, x, x'), a user's function or its name as a text `module:function`."""

    kind = "function"
    function: Callable[..., Any]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __post_init__(self) -> None:
        object.__setattr__(self, "function", as_function(self.function, "function law: function"))

    @property
    def parameters(self) -> tuple[float, ...]:
        """No numbers."""
        return ()

    def __call__(self, t: float, x: float, xdot: float) -> float:
        """Return the force towards increasing x."""
        return float(self.function(t, x, xdot))

    def declaration(self) -> dict[str, Any]:
        """Return the law as a table."""
        return {"law": self.kind, "function": self.function}


LAWS: dict[str, type[Law]] = {law.kind: law for law in (Linear, Table, TimeLaw, FunctionLaw)}


def as_law(value: object, where: str) -> Law:
    """Return a law from a law, a profile, a number, a function (t, x, x'), a text `module:function` or a table."""
    if isinstance(value, Law):
        return value
    if isinstance(value, Mapping) and "law" in value:
        kind = value["law"]
        if not isinstance(kind, str) or kind not in LAWS:
            raise ModelError(f'{where}: unknown law "{kind}".{suggest(kind, LAWS)} Known laws: {", ".join(LAWS)}.')
        options = {key: item for key, item in value.items() if key != "law"}
        return LAWS[kind](**checks.keys(LAWS[kind], options, where))
    if isinstance(value, str) or (callable(value) and not isinstance(value, Profile)):
        return FunctionLaw(as_function(value, where))
    return TimeLaw(as_profile(value, where))
