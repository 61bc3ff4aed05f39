"""What a formulation is, and how to add one.

1. Write one file: module docstring (what it is, the equation, the reference, when to use it), compiled functions with the
   signatures of the forms it offers (compiled/interfaces.py, docs/signatures.md), and one `Formulation`.
2. A form is a function `System, options -> Problem`. The Problem names the compiled functions, lays out y and makes the
   initial y. Where y does not begin with q and v (independent coordinates), an `expand` makes them of y.
3. Add it to FORMULATIONS in registry.py. Listings, docs, tests and benchmarks find it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import CONFIRM, CONFIRMATION, CORRECT, EXPAND, FORMS, PARAMETRISE
from ..compiled.pointers import Pointer, address_of, table
from ..compiled.records import Basis, Work
from ..errors import ModelError
from ..linalg.kkt import near_singular
from ..system.redundancy import choose_rows
from ..system.state import State
from ..system.user_functions import RAISED

ODE, RESIDUAL_DAE, SEMI_EXPLICIT_DAE, MECHANICAL_DAE = "Ode", "ResidualDae", "SemiExplicitDae", "MechanicalDae"
SECOND_ORDER_ODE, OVERDETERMINED_DAE = "SecondOrderOde", "OverdeterminedDae"
HOOK_INTERFACES = (CORRECT, EXPAND, PARAMETRISE, CONFIRM)  # of work.hooks, by place


@dataclass(frozen=True, eq=False)
class Problem:
    """The equations in one of the forms, ready to be stepped.

    y begins with q (n_q) and v (n_v) unless there is an `expand`. `initial(state, work)` makes the first y, and the basis in
    work where there is one. `scale` (n_y,) is the natural size of each component, infinite for those that no error test may
    look at. `hooks` : place in work.hooks -> what stands there. `renew(t, y, work)` chooses new independent coordinates when
    REBASE has answered RENEW: it changes work.basis, y and perhaps `scale` in place and returns a status. For a ResidualDae or
    SemiExplicitDae, `pattern` holds rows and columns of its Jacobian's entries, `nodes` the unknowns of each node of the
    elimination graph with a mark for constraint nodes, `levels` (n_y,) the index of each component, and `regularisation` (n_y,)
    is minus the epsilon of a multiplier, 0 otherwise; `differential` (n_y,) is the diagonal of the H of a SemiExplicitDae.
    """

    form: str
    system: Any
    functions: tuple[Pointer, ...]
    initial: Callable[[State, Work], np.ndarray]
    scale: np.ndarray
    after_step: Pointer | None = None
    rebase: Pointer | None = None
    expand: Pointer | None = None
    renew: Callable[[float, np.ndarray, Work], int] | None = None
    hooks: dict[int, Pointer] = field(default_factory=dict)
    basis: Basis | None = None  # sizes of work.basis
    frozen: bool = False  # y are coordinates of a basis that stays; EXPAND leaves the factors of its matrix in work.kkt
    keep_a: int = -1  # where in y the accelerations begin, if it has them
    keep_lam: int = -1  # the same for the multipliers
    pattern: tuple[np.ndarray, np.ndarray] | None = None
    nodes: list = field(default_factory=list)
    regularisation: np.ndarray | None = None
    differential: np.ndarray | None = None
    levels: np.ndarray | None = None
    options: np.ndarray = field(default_factory=lambda: np.zeros(8))

    @property
    def table(self):
        """Addresses of the hooks and functions, for compiled code."""
        return table(FORMS[self.form], (self.after_step, self.rebase, self.expand, *self.functions))

    def work(self, state):
        """Memory for a run that starts at `state`: options, hooks and basis in place, independent rows chosen."""
        work = self.system.work()
        if self.basis is not None:
            work = work._replace(basis=Basis(*(part.copy() for part in self.basis)))
        work.turn[:] = state.turn
        work.options[: self.options.size] = self.options
        for place, pointer in ({CONFIRMATION: near_singular} | self.hooks).items():
            work.hooks[place] = address_of(HOOK_INTERFACES[place], pointer)
        choose_rows(self.system, state, work)
        return work

    def full(self, t, y, work):
        """q (n_q,) and v (n_v,) of a y; no numbers where a user's function raises on the way to them."""
        n_q, n_v = self.system.n_q, self.system.n_v
        if self.expand is None:
            return y[:n_q].copy(), y[n_q : n_q + n_v].copy()
        q, v = np.zeros(n_q), np.zeros(n_v)
        try:
            self.expand(t, y, q, v, self.system.compiled, pack(work))
        except RAISED:
            q[:], v[:] = np.nan, np.nan
        return q, v


@dataclass(frozen=True, eq=False)
class Formulation:
    """One way to treat the constraints.

    forms : name of the form -> function that makes the Problem, in order of preference. keeps, drifts : which of the three
    constraint levels ("position", "velocity", "acceleration") hold to round-off, which drift. bounds : what keeps the errors of
    the others small, in words.
    """

    name: str
    title: str
    index: int
    forms: dict[str, Callable[..., Problem]]
    keeps: tuple[str, ...]
    drifts: tuple[str, ...]
    references: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)  # of options that are numbers
    correction: str = "mass"  # of its Ode form, of every form if it drifts; unless the user asks for another
    corrections: tuple[str, ...] = ("none", "least-squares", "mass", "augmented-lagrangian", "dependent-only")
    nonholonomic: bool = True  # whether it takes nonholonomic rows
    singular_mass: bool = True  # whether it takes directions without mass of their own
    aliases: tuple[str, ...] = ()  # other names that users know it by
    needs: tuple[str, ...] = ()  # options without which it cannot run
    unfactorised: tuple[str, ...] = ()  # forms that ask for accelerations only and never factorise M themselves
    cost: str = ""  # of one evaluation, in words
    bounds: str = ""
    # errors of position and velocity (scaled) that its correction leaves at most
    tolerance: tuple[float, float] = (0.0, 0.0)

    def tolerated(self, rtol):
        """The errors that its correction leaves: no more than a run with an rtol is asked for; None with fixed steps."""
        position, velocity = self.tolerance
        return self.tolerance if rtol is None else (min(position, rtol), min(velocity, 10.0 * rtol))


def as_second_order(ode):
    """The SecondOrderOde form of an Ode form with y = [q, v]: the same function; integrators take v' from it alone."""
    return lambda system, **options: replace(ode(system, **options), form=SECOND_ORDER_ODE)


def picked(independent, k, system):
    """k different places in v (n_v) from a user's `independent=`, or an error."""
    try:
        places = np.atleast_1d(np.asarray(independent))
    except ValueError:
        places = np.zeros(0)
    if places.dtype.kind not in "iu" or places.shape != (k,) or np.unique(places).size != k:
        raise ModelError(f"independent is {independent!r}; it must name {k} different coordinates by their places.")
    if places.min(initial=0) < 0 or places.max(initial=0) >= system.n_v:
        raise ModelError(f"independent is {independent!r}; places count from 0 to {system.n_v - 1}.")
    return places.astype(int)


def position_scale(system):
    """Natural size of each q: the characteristic length, or 1 for rotation parameters and functions."""
    record = system.record
    scale, lengths = np.ones(record.n_q), system.translations[record.t_column.astype(int)]
    scale[record.t_row[lengths].astype(int)] = record.length
    return scale


def velocity_scale(system):
    """Natural size of each v, per second: the characteristic length, or 1."""
    return np.where(system.translations, system.length, 1.0)
