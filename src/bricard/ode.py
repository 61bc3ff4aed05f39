"""problem(): a model as a system of ordinary differential equations y' = rhs(t, y), for loops and controllers of your own."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

import numpy as np

from .admission import check_admitted, formulation_options
from .compiled import status as codes
from .compiled.handles import pack
from .compiled.interfaces import STEPPED
from .compiled.pointers import Bound
from .errors import AssemblyError, IncompatibleMethods, ModelError, SimulationError, suggest
from .model import Model
from .pairing import correction_of, named, schedule_of
from .registry import FORMULATIONS
from .system.assembler import assemble, complete
from .system.build import build
from .system.inputs import input_force, with_forces
from .system.names import position_names, velocity_names
from .system.state import State
from .system.system import System

ODE = "Ode"
TURN = 1.0  # rad: a joint that has turned so far gets a new reference for the count of its turns
REASONS = {
    codes.NOT_FINITE: "a number is not finite there",
    codes.SINGULAR: "the equations of motion are singular there: a singular position, or a direction without mass that is free",
    codes.NEWTON_FAILED: (
        "the dependent positions cannot be found there: y has left the region in which its independent coordinates describe the "
        "motion. Call rebase(t, y) after each step, or take smaller steps"
    ),
    codes.PROJECTION_FAILED: "the position cannot be brought back onto the constraints. Take smaller steps",
    codes.NO_COORDINATES: (
        "y has left the region in which its independent coordinates describe the motion, or the position is singular. Call "
        "rebase(t, y) after each step, or take a formulation in dependent coordinates, such as index1"
    ),
}


class Full(NamedTuple):
    """All coordinates behind a y: q (n_q,), v (n_v,), and lam (n_rows,) from the acceleration level."""

    q: np.ndarray
    v: np.ndarray
    lam: np.ndarray


class OdeProblem(Bound):
    """y' = rhs(t, y): what simulate() integrates, for a loop of your own. Made by `br.problem(...)`.

    rhs(t, y) can be given to scipy.integrate.solve_ivp as it is. Two things that simulate() does after each step are left to
    the caller; each takes (t, y) of an accepted step and returns a new y:

    * correct(t, y): back onto the constraints (the formulation's correction), unit quaternions. Without it the constraints
      of formulations in dependent coordinates (index1, ...) drift as fast as the integrator errs; with tight tolerances and
      short runs that is nothing.
    * rebase(t, y): new independent coordinates where the present ones become bad. Formulations with frozen bases or chosen
      coordinates describe the motion only near the place where these were chosen. Beyond it rhs raises SimulationError with
      a sentence: it never answers with something wrong. After a change the history of a multistep method is void.

    Turns of joints are counted along t, from the start that initial() has set: a joint may turn by up to half a turn between
    two calls. names: of the components of y. size: their number. t0: time of the start (s). inputs: names of the inputs.
    """

    def __init__(self, problem, formulation, correction, inputs=(), places=()):
        self._problem, self._system, self.formulation, self.correction = (
            problem,
            problem.system,
            formulation,
            correction,
        )
        self.inputs, self._places = tuple(inputs), np.asarray(places, int)
        self._start = assemble(self._system)
        self.t0 = self._start.t
        self.names = self._names()
        self.size = len(self.names)
        self._y_dot = np.zeros(self.size)

    def initial(self, state: State | None = None):
        """y (size,) of the assembled start, or of a State; independent coordinates and counts of turns begin there."""
        state = self._start if state is None else state.copy()
        system = self._system
        if state.q.size != system.n_q or state.v.size != system.n_v:
            raise ModelError(
                f"The state has {state.q.size} positions and {state.v.size} velocities, the system {system.n_q} and {system.n_v}."
            )
        if state.turn.size != system.n_measures:
            state = complete(system, state.t, state.q, state.v)
        self._work = self._problem.work(state)
        self._work.schedule[:3] = schedule_of(self.correction, 1, 0.0)
        self._packed = pack(self._work)
        self._turns = [(state.t, state.turn.copy())]
        y = np.array(self._problem.initial(state, self._work), float)
        self._anchor(state.t, y)
        return y

    def rhs(self, t, y, u=None):
        """y' (size,) at time t (s) and y (size,); u (inputs,) is added to the inputs, 0 if not given."""
        t, y = float(t), self._vector(y)
        self._apply(u)
        self._count_turns(t)
        if self._problem.expand is not None:
            self._coordinates(t, y)  # raises where y has no meaning
        status = self._problem.functions[0](t, y, self._y_dot, self._system.compiled, self._packed)
        self._note_turns(t)
        if status == codes.RUNNING and not np.isfinite(self._y_dot).all():
            status = codes.NOT_FINITE
        self._require(status, t)
        return self._y_dot.copy()

    def expand(self, t, y, u=None):
        """Full(q, v, lam) of a y: all coordinates and velocities, and multipliers consistent with them and the inputs u."""
        t, y = float(t), self._vector(y)
        self._apply(u)
        q, v = self._coordinates(t, y)
        try:
            state = complete(self._system, t, q, v, self._work.turn)
        except AssemblyError as error:
            raise SimulationError(f"There are no accelerations at t = {t:g} s: {error}") from error
        return Full(q, v, state.lam)

    def correct(self, t, y):
        """y after an accepted step, back where it belongs: on the constraints, quaternions of length one."""
        t, y = float(t), self._vector(y).copy()
        self._count_turns(t)
        if self._problem.after_step is not None:
            status = self._problem.after_step(t, y, STEPPED, self._system.compiled, self._packed)
            self._require(status, t)
        return y

    def rebase(self, t, y):
        """(y, changed): y in new independent coordinates if the present ones are no longer good at an accepted step."""
        t, y = float(t), self._vector(y).copy()
        if self._problem.rebase is None:
            return y, False
        self._coordinates(t, y)
        status = self._problem.rebase(t, y, self._system.compiled, self._packed)
        changed = status in (codes.REBASED, codes.RENEW)
        if status == codes.RENEW:
            status = self._problem.renew(t, y, self._work)
        self._require(codes.RUNNING if status == codes.REBASED else status, t)
        if changed:
            self._anchor(t, y)
        return y, changed

    def _apply(self, u):
        u = np.zeros(self._places.size) if u is None else np.atleast_1d(np.asarray(u, float))
        if u.shape != self._places.shape:
            known = ", ".join(self.inputs) or "none; name them in problem(..., inputs=...)"
            raise ModelError(f"u has the shape {u.shape}; it must have one number for each input: {known}.")
        self._system.record.parameters[self._places] = u

    def _vector(self, y):
        y = np.array(y, float, order="C")
        if y.shape != self._y_dot.shape:
            raise ModelError(
                f"y has the shape {y.shape}; it must have {self.size} components: {', '.join(self.names)}."
            )
        return y

    def _coordinates(self, t, y):
        """q and v of a y; raises where its coordinates do not describe the motion."""
        n_q, n_v = self._system.n_q, self._system.n_v
        self._count_turns(t)
        if self._problem.expand is None:
            return y[:n_q].copy(), y[n_q : n_q + n_v].copy()
        q, v = np.zeros(n_q), np.zeros(n_v)
        status = self._expanded(t, y, q, v)
        if status != codes.RUNNING:
            self._return_to_base()
            status = self._expanded(t, y, q, v)
        self._require(status, t)
        return q, v

    def _expanded(self, t, y, q, v):
        status = self._problem.expand(t, y, q, v, self._system.compiled, self._packed)
        folded = self._problem.frozen and status == codes.RUNNING and self._orientation() != self._sign
        return codes.NO_COORDINATES if folded else status

    def _return_to_base(self):
        """Forget the way since the base: t and y may have jumped."""
        for part, base in zip(self._work.basis, self._base, strict=True):
            part[...] = base

    def _orientation(self):
        """Sign of the determinant of the matrix of dependent coordinates: it changes where these fold over."""
        return np.sign(self._work.kkt.a[: self._system.pattern.size]).prod()

    def _anchor(self, t, y):
        """Remember the base of frozen coordinates, just chosen at (t, y)."""
        self._base, self._sign = [part.copy() for part in self._work.basis], 0.0
        if self._problem.frozen:
            q, v = np.zeros(self._system.n_q), np.zeros(self._system.n_v)
            self._require(self._problem.expand(t, y, q, v, self._system.compiled, self._packed), t)
            self._sign = self._orientation()

    def _require(self, status, t):
        if status != codes.RUNNING:
            reason = REASONS.get(status, f"status {status}")
            raise SimulationError(f"{self.formulation} cannot go on at t = {t:g} s: {reason}.")

    def _count_turns(self, t):
        """The reference of each angle: the last one noted up to t."""
        if self._work.turn.size:
            k = bisect_right(self._turns, t, key=lambda entry: entry[0])
            self._work.turn[:] = self._turns[max(k - 1, 0)][1]

    def _note_turns(self, t):
        value = self._work.value
        if value.size and t > self._turns[-1][0] and np.abs(value - self._turns[-1][1]).max() > TURN:
            self._turns.append((t, value.copy()))

    def _names(self):
        """Those of q and v where y has them; independent positions z and velocities w are numbered."""
        system, y = self._system, self.initial()
        positions = position_names(system)
        if self._problem.expand is None:
            return (*positions, *velocity_names(system))
        independent = system.n_v - int((self._work.epsilon <= system.record.row_diagonal).sum())
        if y.size != len(positions) + independent or not np.array_equal(y[: len(positions)], self._start.q):
            positions = tuple(f"z{i + 1}" for i in range(y.size - independent))
        return (*positions, *(f"w{i + 1}" for i in range(independent)))


def problem(
    what: Any, formulation: str = "index1", *, correction: str | None = None, inputs: Any = (), **options: Any
) -> OdeProblem:
    """The equations of a Model or System as an ODE y' = rhs(t, y); see OdeProblem.

    formulation : one with an Ode form; its options follow. correction : what correct(t, y) does, as in simulate().
    inputs : names of motors and loads of a Model ("M", or "F.Fx" for a component) that rhs(t, y, u) adds u to (N or N m).

    >>> import bricard as br
    >>> model = br.Model("pendulum", planar=True)
    >>> rod = model.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0, 0))
    >>> _ = model.pin("A", model.ground, rod, (0, 0, 0))
    >>> ode = br.problem(model)
    >>> ode.names
    ('rod.x', 'rod.y', 'rod.angle', 'rod.vx', 'rod.vy', 'rod.wz')
    >>> float(ode.rhs(0.0, ode.initial())[5].round(3))
    -14.014
    """
    chosen, options = named(FORMULATIONS, formulation, "formulation"), dict(options)
    if ODE not in chosen.forms:
        fitting = ", ".join(f.name for f in FORMULATIONS.values() if ODE in f.forms)
        raise IncompatibleMethods(f'Formulation "{chosen.name}" is no ODE. Those that are: {fitting}.')
    own, correction = formulation_options(chosen, options), correction_of(ODE, correction, chosen)
    for key in options:
        known, near = ", ".join(chosen.options) or "none", suggest(key, chosen.options)
        raise IncompatibleMethods(f'Unknown option "{key}".{near} Options of {chosen.name}: {known}.')
    names, places = ([inputs] if isinstance(inputs, str) else list(inputs)), []
    if names:
        if not isinstance(what, Model):
            raise ModelError("Inputs are motors and loads of a Model: give the model. In functions, write them into f.")
        system, places = with_forces(what, [input_force(what, name) for name in names])
    else:
        system = what if isinstance(what, System) else _built(what)
    check_admitted(chosen, system, ODE)
    form = chosen.forms[ODE](system, correction=correction, **own)
    return OdeProblem(form, chosen.name, correction, names, places)


def _built(what):
    if not isinstance(what, Model):
        raise ModelError(f"problem() takes a Model or a System, not {what!r}.")
    return build(what)


__all__ = ["Full", "OdeProblem", "problem"]
