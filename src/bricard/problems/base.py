"""What a benchmark problem is, and how to add one.

Write one file: module docstring (what it is, where its data come from, what makes it hard), a function that makes the model, and
one `Mechanism`; add it to PROBLEMS in __init__.py. Reference values are not typed in: a generator under references/ of the
repository computes them and writes them, with their accuracy, to references/<name>.toml of this folder.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, UncountedTurns, suggest
from ..model import Model, checks
from ..model.travelling import Immutable
from ..simulation import simulate
from ..solution.solution import Solution
from ..system.system import System

__all__ = ["Measure", "Mechanism", "Output", "Reference"]

FOLDER = Path(__file__).parent / "references"


@dataclass(frozen=True)
class Output(Immutable):
    """A number of the motion that is compared with references: `value(solution)` gives (samples,) in `unit`."""

    name: str
    unit: str
    value: Callable[[Solution], np.ndarray]


@dataclass(frozen=True)
class Measure(Immutable):
    """How its source judges a run: `value(solution)` is the error in `unit`; a run is acceptable with at most `bound`.

    source : who defines measure and bound.
    """

    name: str
    unit: str
    value: Callable[[Solution], float]
    bound: float
    source: str


@dataclass(frozen=True)
class Reference:
    """Values of outputs at a time (s), as decimal digits: more than a float holds where they are known.

    accuracy : error of the worst value, as Mechanism.error() has it. options : of the model, to which they belong. sizes : the
    largest of each output on the way. provenance : how they were found. generator : the script that did it. date : when.
    """

    time: float
    values: dict[str, str]
    accuracy: float
    provenance: str
    generator: str
    date: str
    options: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return float(self.values[name])


@dataclass(frozen=True)
class Mechanism(Immutable):
    """A ready problem: `model(**options)` makes what `simulate` takes, `span` (s) is how long it is run.

    provenance : whose data these are, "ours" where no source gives them. citations : where to read about it. singular : names
    the singular positions that the motion passes, empty if there are none. build : options of `model.build(...)` with which its
    source runs it. outputs : what is compared with references. measures : how its source judges a run.
    """

    name: str
    title: str
    model: Callable[..., Any]
    span: float
    provenance: str
    citations: tuple[str, ...] = ()
    singular: str = ""
    build: dict[str, Any] | None = None
    outputs: tuple[Output, ...] = ()
    measures: tuple[Measure, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", _checked(self.model, self.name))

    def __reduce_ex__(self, protocol):
        from . import PROBLEMS, get

        if PROBLEMS.get(self.name) is self:
            return get, (self.name,)
        return super().__reduce_ex__(protocol)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """What is known about the motion, read from references/<name>.toml; empty if nothing is."""
        file = FOLDER / f"{self.name}.toml"
        if not file.exists():
            return ()
        return tuple(Reference(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["reference"])

    def reference(self, time: float | None = None, **options: Any) -> Reference:
        """The reference at a time (s), by default the end of the span or the last one, of the model with these options."""
        fitting = [reference for reference in self.references if reference.options == options]
        wanted = self.span if time is None else float(time)
        found = [r for r in fitting if abs(r.time - wanted) <= 1e-12 * wanted] or (fitting if time is None else [])
        if found:
            return found[-1]
        known = ", ".join(f"{r.time:g} s {r.options or ''}".strip() for r in self.references) or "none"
        asked = f"t = {wanted:g} s" + (f" and the options {options}" if options else "")
        raise ModelError(f'Problem "{self.name}" has no reference for {asked}; it has {known}.')

    def system(self, **options: Any) -> System:
        """The model built as its source runs it."""
        made = self.model(**options)
        return made.build(**(self.build or {})) if isinstance(made, Model) else made

    def run(self, duration: float | None = None, *, options: dict[str, Any] | None = None, **settings: Any) -> Solution:
        """Simulate it over its span, or for `duration` (s); settings go to simulate()."""
        return simulate(self.system(**(options or {})), self.span if duration is None else duration, **settings)

    def error(self, solution: Solution, reference: Reference) -> float:
        """Largest error of the outputs at the end of a solution: angles relative to the reference or to 1 rad, others relative to
        their largest size on the way, which comes with the reference."""
        if abs(solution.t[-1] - reference.time) > 1e-12 * reference.time:
            raise ModelError(
                f'Problem "{self.name}": the solution ends at t = {solution.t[-1]:.9g} s, the reference is for '
                f"{reference.time:.9g} s."
            )
        errors = [0.0]
        for output in self.outputs:
            if output.name in reference.values:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UncountedTurns)  # so large a step has an error to be seen
                    values, exact = output.value(solution), reference[output.name]
                size = 1.0 if output.unit == "rad" else reference.sizes[output.name]
                errors.append(abs(float(values[-1]) - exact) / max(abs(exact), size))
        return max(errors)


def _checked(make: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function that makes a model, with a sentence for parameters that it does not have."""
    parameters = signature(make).parameters
    known = f"it has {', '.join(parameters)}" if parameters else "it has none"

    @wraps(make)
    def model(*values: Any, **options: Any) -> Any:
        for key in options:
            if key not in parameters:
                raise ModelError(f'Problem "{name}" has no parameter "{key}"; {known}.{suggest(key, parameters)}')
        try:
            given = signature(make).bind(*values, **options).arguments
        except TypeError as error:
            raise ModelError(f'Problem "{name}": {error}; {known}.') from None
        for key, value in given.items():
            _check_option(f'Problem "{name}": {key}', value, parameters[key].default)
        return make(*values, **options)

    return model


def _check_option(where: str, value: Any, default: Any) -> None:
    """Raise where an option is not of the kind of its default: true or false, a count, a number."""
    if isinstance(default, bool):
        if not isinstance(value, (bool, np.bool_)):
            raise ModelError(f"{where} must be True or False, not {value!r}.")
    elif isinstance(default, int):
        checks.integer(value, where)
    elif isinstance(default, float):
        checks.number(value, where)


def joint(coordinate: str, unit: str = "rad", offset: float = 0.0, name: str = "") -> Output:
    """The output of a joint coordinate, plus what it was when drawn."""
    return Output(name or coordinate, unit, lambda solution: solution.joint(coordinate) + offset)


def joint_velocity(coordinate: str, unit: str = "rad/s", name: str = "") -> Output:
    """The output of the rate of a joint coordinate."""
    return Output(name or f"{coordinate}'", unit, lambda solution: solution.joint_velocity(coordinate))


def point(name: str, body: str, where: tuple[float, float, float], axes: str = "xyz") -> tuple[Output, ...]:
    """The outputs of the coordinates of a point of a body."""

    def along(axis: str) -> Output:
        k = "xyz".index(axis)
        return Output(f"{name}.{axis}", "m", lambda solution: solution.point(body, where)[:, k])

    return tuple(along(axis) for axis in axes)


def energy_balance(bound: float, source: str) -> Measure:
    """max |E(t) - E(0) - work| of a mechanism with dampers, motors or drivers, J."""
    return Measure("energy balance", "J", lambda solution: float(np.abs(solution.energy.error).max()), bound, source)


def energy_drift(bound: float, source: str) -> Measure:
    """max |E(t) - E(0)| of a conservative mechanism, J."""

    def value(solution: Solution) -> float:
        total = solution.energy.total
        return float(np.abs(total - total[0]).max())

    return Measure("energy drift", "J", value, bound, source)
