"""linearise(): A, B, C, D of a mechanism about a state or an equilibrium, in independent coordinates.

The states are x = [z, u]: z, small motions from the state in as many independent directions as there are degrees of freedom;
u, velocities in them (with nonholonomic rows there are fewer u than z). Motions d and velocities v of all bodies follow from
G d = 0 and G v = -Phi_t. With M v' + G^T lam = f and G v' = gamma, for a change (dz, du) of the state and a change of input:

    d = N dz,   dv = N du + V dz,   V = -G+ d(G v + Phi_t)/dq N
    N^T M N du' = N^T (F input - K d - D dv + M G+ d(G v' - gamma))
    dz' = (dv + e(d)) in the independent directions; e: half the commutator of d and v, as turns do not commute

K holds the stiffness of springs, of weight and of the multipliers (geometric stiffness); D damping and gyroscopic terms. Both
are exact. d(G v' - gamma), which vanishes in an equilibrium, comes from central differences of eighth order.
Reference: the tangent matrices are those of Negrut and Ortiz, J. Comput. Nonlinear Dyn. 1 (2006) 230-239, in other coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import AssemblyError, ModelError, largest
from ..interrupts import whole
from ..model import Model
from ..system.assembler import assemble, complete
from ..system.inputs import input_force, motor, with_forces
from ..system.redundancy import redundancy
from ..system.regularise import row_sizes
from ..system.rotation import in_group
from ..system.state import State, check_state
from ..system.system import System
from .equilibrium import position_of_rest
from .instant import Instant, directions
from .outputs import Coordinate, as_output, state_names

DIFFERENCE = 1e-2  # of the state, in characteristic lengths or radians
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # of central differences of eighth order
SPINNING, STILL = (
    0.8,
    1e-9,
)  # what a velocity along a turning axis counts as a state; such a part of the fastest is no turning
CONSISTENT = 1e-6  # scaled errors of position and velocity that a state may have


@dataclass(frozen=True, eq=False)
class Linearisation:
    """x' = x_dot + A x + B u, y = y_0 + C x + D u near `state`, for small x and u; x_dot vanishes in an equilibrium.

    A : (n, n). B : (n, inputs). C : (outputs, n). D : (outputs, inputs). states, inputs, outputs : their names. x counts from
    the state: motions (m, rad) and velocities of the bodies named. motions : (n_v, n), all bodies' small motions for each x.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    state: State
    x_dot: np.ndarray
    motions: np.ndarray
    _instant: Instant = field(repr=False)
    _outputs: tuple = field(repr=False)

    @cached_property
    def _eigen(self):
        values, vectors = np.linalg.eig(self.A)
        order = np.lexsort((values.imag, values.real, np.round(np.abs(values), 9)))
        return values[order], vectors[:, order]

    @property
    def eigenvalues(self):
        """Of A (n,), 1/s, by size."""
        return self._eigen[0]

    @property
    def frequencies(self):
        """Natural frequencies (n,), the size of each eigenvalue, rad/s."""
        return np.abs(self.eigenvalues)

    @property
    def damping(self):
        """Damping ratios (n,): 1 for motions that only decay, negative for those that grow, NaN for eigenvalue 0."""
        sizes = self.frequencies
        return np.divide(-self.eigenvalues.real, sizes, out=np.full(sizes.size, np.nan), where=sizes > 0.0)

    @property
    def modes(self):
        """Motions of the bodies (n_v, n), complex, for each eigenvalue: shifts in the world, turns about body axes."""
        return self.motions @ self._eigen[1]

    def transfer(self, s):
        """C (s - A)^-1 B + D, (outputs, inputs), at a complex frequency s (1/s)."""
        return self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B) + self.D

    def output(self, t, q, v):
        """The outputs themselves (outputs,), not linearised, at (t, q, v): what a controller would measure."""
        self._instant.t = float(t)
        parts = [output.value(self._instant, np.asarray(q, float), np.asarray(v, float)) for output in self._outputs]
        return np.concatenate([np.atleast_1d(part) for part in parts]) if parts else np.zeros(0)


@whole
def linearise(
    what: Any, inputs: Any = (), outputs: Any = (), state: State | None = None, equilibrium: bool = False
) -> Linearisation:
    """A, B, C, D of a Model or System about a state (the assembled start if not given), see Linearisation.

    inputs : names of motors and loads ("M", "F", "F.Fx") to which the input is added, or columns (n_v,) of generalized
    forces. outputs : joint coordinates ("A", "A.angle"), their velocities ("A.velocity"), points (body, (3,)), functions
    h(t, q, v) that stand complex numbers, or rows (2 n_v,) for motions and velocities. equilibrium : first look for the
    position of rest near the state.

    >>> import bricard as br
    >>> model = br.Model("pendulum", planar=True)
    >>> rod = model.body("rod", mass=1.0, inertia=0.1, position=(0, -1, 0))
    >>> _ = model.pin("A", model.ground, rod, (0, 0, 0))
    >>> br.linearise(model, outputs=["A"]).frequencies.round(4)
    array([2.9863, 2.9863])
    """
    inputs, outputs = (list(x) if isinstance(x, (list, tuple)) else [x] for x in (inputs, outputs))
    model = what if isinstance(what, Model) else getattr(what, "model", None)
    if model is None and not isinstance(what, System):
        raise ModelError(f"linearise() takes a Model or a System, not {what!r}.")
    outputs = [as_output(output, i, model) for i, output in enumerate(outputs)]
    system, places = _extended(what, model, inputs, outputs)
    state = _consistent(system, what, state)
    if equilibrium:
        state = position_of_rest(system, state)
    instant = Instant(system, state.t, state.turn)
    motion = Motion(instant, state)
    A, B = motion.equations(_columns(instant, state, inputs, places))
    rows = [output.rows(instant, state.q, state.v) for output in outputs]
    C = np.vstack([np.zeros((0, len(A))), *(along @ motion.d + with_ @ motion.v for along, with_ in rows)])
    names = [output.names(len(along)) for output, (along, _) in zip(outputs, rows, strict=True)]
    return Linearisation(
        A=A,
        B=B,
        C=C,
        D=np.zeros((len(C), B.shape[1])),
        states=state_names(system, motion.places, motion.speed_places),
        inputs=tuple(name if isinstance(name, str) else f"u{i + 1}" for i, name in enumerate(inputs)),
        outputs=tuple(name for part in names for name in part),
        state=state,
        x_dot=np.concatenate([state.v[motion.places], state.a[motion.speed_places]]),
        motions=motion.d,
        _instant=instant,
        _outputs=tuple(outputs),
    )


class Motion:
    """Small changes of a motion: d, v (n_v, n), changes of positions and velocities for each state.

    tangent : as coordinates take directions that all rows admit, orthonormal when turns are multiplied by this length (m), and
    not velocities of bodies.
    """

    def __init__(self, instant, state, tangent=None):
        self.instant, self.state, system = instant, state, instant.system
        r, metric = system.record, system.record.metric[: system.n_v]
        if tangent is not None:
            metric = np.where(metric == 1.0, 1.0, metric * (system.length / tangent) ** 2)
        now = instant.look(state.q, state.v, state.a, state.lam)
        self.M, self.K, self.D, G, rate = now.M, now.K, now.D, now.G, now.rate
        holonomic, natural = r.velocity_level == 0, float(row_sizes(system, state.q).max(initial=0.0)) / r.length
        every = directions(G, r.row_scale, metric, natural)
        positions = directions(G[holonomic], r.row_scale[holonomic], metric, natural) if not holonomic.all() else every
        if every.rank < system.n_rows - redundancy(system, state):
            raise AssemblyError(
                f"The position at t = {state.t:g} s is singular: {system.n_rows - redundancy(system, state)} independent rows "
                f"have only rank {every.rank} there, so that no independent coordinates describe the motions near it. "
                "Linearise a little beside it."
            )
        steady = _steadiness(system, state.v)
        self.places, self.speed_places = (_places(part.B * np.sqrt(metric) * steady) for part in (positions, every))
        self.positions, self.every = positions.picking(self.places), every.picking(self.speed_places)
        if tangent is not None:
            self.positions = self.every = every
        n_z = len(self.positions.B)
        self.scale = np.where(metric == 1.0, system.length, 1.0)  # natural size of each motion
        self.d = np.hstack([self.positions.N, np.zeros((system.n_v, len(self.every.B)))])
        moving = self._derivative(lambda: np.where(holonomic, instant.work.phi_t, 0.0), self.d[:, :n_z], 0.0)
        self.v = np.hstack([-self.every.lift @ (rate @ self.positions.N + moving), self.every.N])

    def equations(self, forces):
        """A (n, n) and B (n, inputs) for columns of generalized forces (n_v, inputs)."""
        state, instant, N = self.state, self.instant, self.every.N

        def unbalanced():
            return instant.G @ state.a - instant.work.gamma

        rows = self._derivative(unbalanced, self.d, self.v)
        push = -self.K @ self.d - self.D @ self.v + self.M @ self.every.lift @ rows
        mass = N.T @ self.M @ N
        A = np.vstack([self.positions.B @ (self.v + self._commutator()), np.linalg.solve(mass, N.T @ push)])
        B = np.vstack([np.zeros((len(self.positions.B), forces.shape[1])), np.linalg.solve(mass, N.T @ forces)])
        return A, B

    def _commutator(self):
        """e(d) (n_v, n) in d' = v + e(d): half of T+ (d(T v)/dq T d - d(T d)/dq T v)."""
        q, v = self.state.q, self.state.v
        T, inverse, slope = self.instant.map(q, v)
        turned = [self.instant.map(q, d)[2] @ (T @ v) for d in self.d.T]
        return 0.5 * inverse @ (slope @ T @ self.d - np.column_stack(turned))

    def _derivative(self, quantity, d, v):
        """Derivatives of what `quantity()` reads from the instant, along motions d (n_v, n) and velocities v: (rows, n)."""
        state, system, columns = self.state, self.instant.system, []
        speed = 1.0 + float(np.abs(state.v / self.scale).max(initial=0.0))
        for way, change in zip(d.T, np.broadcast_to(v, d.shape).T, strict=True):
            size = np.abs(way / self.scale).max() + np.abs(change / self.scale).max() / speed
            total, h = np.zeros(system.n_rows), DIFFERENCE / size
            for steps, weight in enumerate(WEIGHTS, 1):
                for move in (steps * h, -steps * h):
                    self.instant.look(system.retract(state.q, move * way), state.v + move * change)
                    total += np.sign(move) * weight / h * quantity()
            columns.append(total)
        return np.column_stack(columns) if columns else np.zeros((system.n_rows, 0))


def _places(B):
    """Places (k,) of velocities that describe the directions with scaled B (k, n_v) well: pivots, of equal ones the first."""
    places, left = [], B.copy()
    for _ in range(len(B)):
        size = np.linalg.norm(left, axis=0)
        places.append(largest(size))
        way = left[:, places[-1]] / size[places[-1]]
        left -= np.outer(way, way @ left)
    return np.sort(np.array(places, int))


def _steadiness(system, v):
    """(n_v,), SPINNING for turns about axes that other turns of the same body carry along, otherwise 1.

    In a steady motion, a wheel that rolls, the equations for such velocities have coefficients that change with its angle: their
    eigenvalues of one instant mean nothing. Another one that describes the motion nearly as well is preferred.
    """
    steady, slow = np.ones(system.n_v), STILL * (np.abs(v).max(initial=0.0) + 1e-300)
    for o in system.record.turn_v.astype(int):
        spin = v[o : o + 3]
        for k in range(3):
            if np.linalg.norm(np.delete(spin, k)) > slow:
                steady[o + k] = SPINNING
    return steady


def _extended(what, model, inputs, outputs):
    """The System with motors of size 0 for the inputs and the joint coordinates asked for; places of the inputs' sizes."""
    if model is None:
        if any(isinstance(name, str) for name in inputs):
            raise ModelError(
                "A system given by its functions has no motors or loads: give columns of generalized forces."
            )
        return what, np.zeros(0, int)
    forces = [input_force(model, name) for name in inputs if isinstance(name, str)]
    measured = [motor(o.measure, f"measure {o.name}") for o in outputs if isinstance(o, Coordinate)]
    system, places = with_forces(model, forces + measured)
    return system, places[: len(forces)]


def _consistent(system, what, state):
    """The state to linearise about, its multipliers and turns those of the extended system."""
    if state is None:
        return assemble(system)
    built = what if isinstance(what, System) else what.build()
    state = check_state(built, state, "linearise()")
    counted = dict(zip(built.measures, state.turn, strict=False))
    turn = np.array([counted.get(measure, 0.0) for measure in system.measures])
    q, v = state.q, state.v
    if isinstance(what, System):  # linearised along small motions, whatever its rotation parameters
        _, (q,), (v,) = in_group(what, q[None], v[None])
    instant = Instant(system, state.t, turn).look(q, v)
    scale = system.record.row_scale
    error = max(np.abs(part * scale).max(initial=0.0) for part in (instant.work.phi, instant.work.phi_dot))
    if not error <= CONSISTENT:
        raise ModelError(
            f"The state violates the constraints by {error:.3g} (scaled): it must be one of the mechanism."
        )
    return complete(system, state.t, q, v, turn)


def _columns(instant, state, inputs, places):
    """Generalized forces (n_v, inputs) of unit inputs."""
    n_v, parameters, columns, named = instant.system.n_v, instant.system.record.parameters, [], iter(places)
    for given in inputs:
        if isinstance(given, str):
            place, before = next(named), instant.look(state.q, state.v).f
            parameters[place] = 1.0
            column = instant.look(state.q, state.v).f - before
            parameters[place] = 0.0
        else:
            try:
                column = np.asarray(given, float)
            except (TypeError, ValueError):
                column = np.zeros(0)
            if column.shape != (n_v,) or not np.isfinite(column).all():
                raise ModelError(
                    f"An input must be the name of a motor or load, or a column of {n_v} numbers, not {given!r}."
                )
        columns.append(column)
    return np.column_stack(columns) if columns else np.zeros((n_v, 0))


__all__ = ["Linearisation", "linearise"]
