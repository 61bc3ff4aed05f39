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
from bricard.hyperdual.gradient import curve
from bricard.hyperdual.rebuild import plain_copy
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

    @property
    def conservative(self) -> bool:
        """Whether the force has a potential and nothing else."""
        return False

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
    def conservative(self) -> bool:
        """Whether there is no damping."""
        return self.damping == 0.0

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
    """A cubic without overshoot through the points (x, force), minus damping x'; straight on beyond the ends.

    Its potential is minus the integral of the cubic, zero at the first point.
    """

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
        return checks.frozen(interpolation.monotone(self.x, self.force))

    @cached_property
    def integrals(self) -> np.ndarray:
        """Integral (n,) of the cubic from its first knot to each."""
        return checks.frozen(interpolation.integrals(self.x, self.coefficients))

    @property
    def conservative(self) -> bool:
        """Whether there is no damping."""
        return self.damping == 0.0

    @property
    def parameters(self) -> tuple[float, ...]:
        """Damping, the n knots, the 4 (n-1) coefficients piece by piece, the n integrals up to the knots."""
        return (self.damping, *self.x, *self.coefficients.ravel().tolist(), *self.integrals.tolist())

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
    """F = function(t, x, x'), a user's function or its name as a text `module:function`.

    potential : U(x), J. Alone, F = -U'(x). With a function, F(t, x, 0) must be -U'(x), and only the rest of F is work.
    """

    kind = "function"
    function: Callable[..., Any] | None = None
    potential: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.function is None and self.potential is None:
            raise ModelError("function law: give a function, a potential, or both.")
        for key in ("function", "potential"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, as_function(getattr(self, key), f"function law: {key}"))

    @property
    def conservative(self) -> bool:
        """Whether it is given by its potential alone."""
        return self.function is None

    @cached_property
    def _smooth(self) -> Callable[..., Any]:
        """The potential in plain Python, of hyper-dual numbers."""
        return plain_copy(self.potential)

    @property
    def parameters(self) -> tuple[float, ...]:
        """No numbers."""
        return ()

    def __call__(self, t: float, x: float, xdot: float) -> float:
        """Return the force towards increasing x."""
        return -curve(self._smooth, x)[1] if self.function is None else float(self.function(t, x, xdot))

    def declaration(self) -> dict[str, Any]:
        """Return the law as a table."""
        given = {"function": self.function, "potential": self.potential}
        return {"law": self.kind, **{key: value for key, value in given.items() if value is not None}}


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
