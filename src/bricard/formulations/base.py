"""What a formulation is, and how to add one.

1. Write one file: module docstring (what it is, the equation, the reference, when to use it), compiled functions with the
   signatures of the forms it offers (compiled/interfaces.py, docs/signatures.md), and one `Formulation`.
2. A form is a function `System, options -> Problem`. The Problem names the compiled functions, lays out y and makes the
   initial y. Positions come first in y, then velocities, so that output and failures can be read without knowing the rest.
3. Add it to FORMULATIONS in registry.py. Listings, docs, tests and benchmarks find it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiled.pointers import Pointer
from ..system.state import State

ODE, RESIDUAL_DAE, MECHANICAL_DAE = "Ode", "ResidualDae", "MechanicalDae"


@dataclass(frozen=True, eq=False)
class Problem:
    """The equations in one of the three forms, ready to be stepped.

    y begins with q (n_q) and v (n_v). `scale` (n_y,) is the natural size of each component, infinite for those that no
    error test may look at. For a ResidualDae, `pattern` holds rows and columns of its Jacobian's entries, `nodes` the
    unknowns of each node of the elimination graph with a mark for constraint nodes, and `regularisation` (n_y,) is positive
    for an added mass, negative for a multiplier.
    """

    form: str
    system: Any
    functions: tuple[Pointer, ...]
    initial: Callable[[State], np.ndarray]
    scale: np.ndarray
    after_step: Pointer | None = None
    rebase: Pointer | None = None
    keep_a: int = -1  # where in y the accelerations begin, if it has them
    keep_lam: int = -1  # the same for the multipliers
    pattern: tuple[np.ndarray, np.ndarray] | None = None
    nodes: list = field(default_factory=list)
    regularisation: np.ndarray | None = None
    options: np.ndarray = field(default_factory=lambda: np.zeros(8))


@dataclass(frozen=True, eq=False)
class Formulation:
    """One way to treat the constraints.

    forms : name of the form -> function that makes the Problem, in order of preference. keeps, drifts : which of the three
    constraint levels ("position", "velocity", "acceleration") hold to round-off, which drift.
    """

    name: str
    title: str
    index: int
    forms: dict[str, Callable[..., Problem]]
    keeps: tuple[str, ...]
    drifts: tuple[str, ...]
    references: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    correction: str = "mass"  # of its Ode form, unless the user asks for another


def position_scale(system):
    """Natural size of each q: the characteristic length, or 1 for rotation parameters and functions."""
    record = system.record
    scale = np.ones(record.n_q)
    for b in range(record.n_bodies):
        scale[record.q_start[b] : record.q_start[b] + (2 if record.planar[b] else 3)] = record.length
    return scale


def velocity_scale(system):
    """Natural size of each v, per second: the characteristic length, or 1."""
    record = system.record
    scale = np.ones(record.n_v)
    moving = record.column[:-1, :3].ravel()
    scale[moving[moving < record.n_v].astype(int)] = record.length
    return scale
