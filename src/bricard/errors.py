"""Errors of the package: each says what happened, where (by name), the numbers, and what to do."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable

import numpy as np

__all__ = [
    "AssemblyError",
    "BricardError",
    "FileFormatError",
    "IncompatibleMethods",
    "Interrupted",
    "ModelChanged",
    "ModelError",
    "NearlyRedundant",
    "SimulationError",
    "SingularMassError",
    "StartMoved",
    "StiffSystem",
    "UncountedTurns",
    "UserFunctionError",
    "largest",
    "suggest",
    "warn",
]


EQUAL = 1e-6  # relative difference of values that no sentence tells from each other


class BricardError(Exception):
    """Root of all errors raised on purpose by this package."""


class ModelError(BricardError):
    """A declaration or an input value makes no sense."""


class FileFormatError(ModelError):
    """A file is malformed, truncated, or holds something unknown."""


class UserFunctionError(ModelError):
    """A function given by the user cannot be found, fails, or disagrees with its own derivatives."""


class SingularMassError(ModelError):
    """Some motion allowed by the constraints has no inertia, so its acceleration is undetermined."""


class AssemblyError(BricardError):
    """A loop cannot close, or a hard wish for the start contradicts the constraints."""


class IncompatibleMethods(BricardError):
    """A formulation and an integrator do not fit together."""


class SimulationError(BricardError):
    """A simulation stopped early; `solution` holds what was computed up to that time (or None)."""

    def __init__(self, message: str, solution: object = None):
        super().__init__(message)
        self.solution = solution


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run, whatever `check` is; `solution` holds what was computed so far, None before the first step.

    Of a comparison it is the Comparison so far.
    """

    def __init__(self, message: str = "Interrupted.", solution: object = None):
        super().__init__(message)
        self.solution = solution


class ModelChanged(UserWarning):
    """A System is simulated whose model was changed after it was built; the changes do not count."""


class NearlyRedundant(UserWarning):
    """Redundant constraints fit each other only nearly, as of typed dimensions; some of them were left out."""


class StartMoved(UserWarning):
    """The mechanism does not close as drawn and was moved noticeably, where nothing was wished for its start."""


class StiffSystem(UserWarning):
    """An explicit integrator takes steps far smaller than the motion needs: the system is stiff."""


class UnrealInertia(UserWarning):
    """The largest principal moment of an inertia slightly exceeds the sum of the other two: no real body has it."""


class UncountedTurns(UserWarning):
    """The samples are too few to count the turns of a joint: its angle is sure up to multiples of 2 pi only."""


def suggest(name: object, candidates: Iterable[str]) -> str:
    """Return ` Did you mean "x"?` for the candidate nearest to `name`, or an empty string.

    >>> suggest("revolut", ["revolute", "prismatic"])
    ' Did you mean "revolute"?'
    """
    names = {str(candidate).lower(): str(candidate) for candidate in candidates}
    near = difflib.get_close_matches(str(name).lower(), list(names), n=1, cutoff=0.6)
    return f' Did you mean "{names[near[0]]}"?' if near else ""


def largest(values) -> int:
    """Return the place of the value largest in size, for a sentence that names it; what is no number counts as infinite.

    Of values that are equal but for round-off it is the first: sentences are the same on every machine.

    >>> largest([0.5, -1.0, 1.0 + 1e-12])
    1
    """
    sizes = np.abs(np.asarray(values, float))
    sizes = np.where(np.isnan(sizes), np.inf, sizes)
    return int(np.argmax(sizes >= (1.0 - EQUAL) * sizes.max()))


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Warn, at the line outside of this package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "bricard":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)
