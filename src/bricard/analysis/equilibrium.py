"""equilibrium(): the position, near a given one, in which the mechanism stays at rest, its loads and its stiffness.

    G^T lam = f(t, q, 0),   Phi(t, q) = 0

On the constraint surface: in the directions N that the constraints leave, the force N^T f has the derivative -N^T K N, where K
holds springs, weight, and the geometric stiffness of preloaded springs and of the multipliers (statics.py has the steps). The way
there is sought in the coordinates of the bodies whatever those of the system are: all kinds end in the same position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import AssemblyError, ModelError, largest, suggest
from ..interrupts import whole
from ..model import Model
from ..model.forces import CoordinateForce
from ..solution.solution import Solution
from ..system.assembler import assemble, complete
from ..system.inputs import motor, with_forces
from ..system.rotation import from_group, in_group
from ..system.state import State, check_state
from ..system.system import System
from ..system.tree_map import counted
from ..system.user_functions import named
from .instant import Instant
from .outputs import Coordinate
from .snapshots import snapshots
from .statics import ENOUGH, TIGHT, Statics

ITERATIONS = 200
NEUTRAL = 1e-9  # of the largest stiffness: what is told from none


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A mechanism at rest. state : the State. directions : (n_v, k), small motions that the constraints leave, orthonormal when
    turns are multiplied by the characteristic length. stiffness : (k, k), N/m, of these motions: springs, weight, preload.

    at : the position as a Solution of one sample, with poses, reactions and joint coordinates. status : whether it is stable, as
    a sentence.
    """

    state: State
    directions: np.ndarray
    stiffness: np.ndarray
    at: Solution = field(repr=False)

    @property
    def stable(self) -> bool:
        """Whether every small motion is pushed back."""
        return bool((self._modes()[0] > 0.0).all())

    @property
    def status(self) -> str:
        """A sentence: stable, unstable and along which motion, or neutral."""
        values, motions = self._modes()
        if not values.size:
            return "Nothing can move."
        if (values > 0.0).all():
            return f"Stable: every small motion is pushed back, the softest with {values[0]:.3g} N/m."
        if values[0] == 0.0:
            count = int((values == 0.0).sum())
            return f"Neutral: {count} of {values.size} small motions are not pushed back, and none is pushed away."
        most = self.at.system.unknown_name(largest(motions[:, 0]))
        return (
            f"Unstable: a small motion is pushed away with {-values[0]:.3g} N/m, most in {most}. "
            "To find where it falls, start a little to one side of this position (model.start)."
        )

    def __str__(self) -> str:
        return f'Equilibrium of "{self.at.system.name}" at t = {self.state.t:g} s. {self.status}'

    def joint(self, coordinate: str) -> float:
        """Value of a joint coordinate, m or rad."""
        return float(self.at.joint(coordinate)[0])

    def force(self, name: str) -> float:
        """What a spring or motor pushes with, N or N m, towards larger values of its coordinate."""
        model = self.at.system.model
        force = model.forces.get(name)
        if not isinstance(force, CoordinateForce):
            known = [each for each, found in model.forces.items() if isinstance(found, CoordinateForce)]
            raise ModelError(f'There is no spring or motor "{name}".{suggest(name, known)}')
        value = self.state.turn[
            self.at.system.measures.index(force.measure)
        ]  # with the turns that the force has counted
        return float(force.law(self.state.t, float(value), 0.0))

    def stiffness_of(self, coordinate: str) -> float:
        """Force (N or N m) per unit of a joint coordinate that moves it slowly from here, all other freedoms following freely."""
        model = self.at.system.model
        measure = model.coordinate(coordinate)
        system, _ = with_forces(model, [motor(measure, "measure")])
        instant = Instant(system, self.state.t, np.zeros(system.n_measures))
        ways = np.vstack([np.zeros(len(self.directions)), self.directions.T])
        _, q, ways = in_group(self.at.system, np.tile(self.state.q, (len(ways), 1)), ways)  # the motions of the bodies
        row = Coordinate(coordinate, measure, True).rows(instant, q[0], ways[0])[1] @ ways[1:].T
        softness = float((row @ np.linalg.pinv(self.stiffness) @ row.T)[0, 0])
        loose = row - row @ np.linalg.pinv(self.stiffness) @ self.stiffness
        if np.abs(loose).max(initial=0.0) > 1e-9 * np.abs(row).max(initial=0.0):
            return 0.0
        return 1.0 / softness if softness else np.inf

    def _modes(self):
        """Stiffnesses (k,), N/m, ascending, 0 where there is none, and their motions (n_v, k), turns times a length."""
        values, modes = np.linalg.eigh(0.5 * (self.stiffness + self.stiffness.T))
        values = np.where(np.abs(values) > NEUTRAL * np.abs(values).max(initial=0.0), values, 0.0)
        size = np.sqrt(self.at.system.record.metric[: len(self.directions), None])
        return values, self.directions @ modes / size


@whole
def equilibrium(what: Any, state: State | None = None, *, stable: bool = True) -> Equilibrium:
    """The position of rest of a Model or System near a state (the assembled start if not given), see Equilibrium.

    stable : go downhill, to a position that the mechanism comes back to. False: take what Newton's method finds, stable or not,
    such as the upright position of a pendulum that leans.

    >>> import bricard as br
    >>> model = br.Model("weight", gravity=(0, 0, -10))
    >>> _ = model.body("block", br.Box((0.1, 0.1, 0.1), mass=2.0))
    >>> _ = model.prismatic("slide", model.ground, "block", (0, 0, 0), (0, 0, 1))
    >>> _ = model.spring("spring", model.ground, "block", (0, 0, 1), (0, 0, 0), stiffness=1000.0, length=0.5)
    >>> found = br.equilibrium(model)
    >>> round(found.joint("slide"), 6), round(found.stiffness_of("slide"), 3), round(found.force("spring"), 3)
    (0.48, 1000.0, -20.0)
    >>> found.status
    'Stable: every small motion is pushed back, the softest with 1e+03 N/m.'
    """
    if not isinstance(what, (Model, System)):
        raise ModelError(f"equilibrium() takes a Model or a System, not {what!r}.")
    system = what if isinstance(what, System) else what.build()
    if system.n_v and not system.pattern.size:
        raise ModelError(
            f'equilibrium() needs the stiffness of "{system.name}", which its long open branches do not have in relative '
            'coordinates. Build with coordinates="absolute", or divide the branches by cutting a joint here and there (cut=...).'
        )
    if state is not None:
        state = check_state(system, state, "equilibrium()")
    with named(system):
        state = position_of_rest(system, assemble(system) if state is None else state, stable)
    still, turn = np.zeros(system.n_v), state.turn
    here = Statics(system, state.t, state.q, turn)
    stiffness = here.all.N.T @ here.stiffness() @ here.all.N
    at = snapshots(system, [state.t], [(state.q, still, turn)], "equilibrium")
    return Equilibrium(state, here.all.N, stiffness, at)


def position_of_rest(system, state, stable=False):
    """The State of rest downhill from `state` (stable), or nearest to it in the sense of Newton's method."""
    bodies, (q,), _ = in_group(system, state.q[None], None)
    turn = counted(bodies.measures, state.turn, system.measures) if state.turn.size else np.zeros(bodies.n_measures)
    way = _way_to_rest(Statics(bodies, state.t, q, turn), stable)
    q, turn, still = state.q, way[-1].turn, np.zeros(bodies.n_v)
    if system is bodies:
        return complete(system, state.t, way[-1].q, still, turn)
    for here in way:  # joints may have turned by more than half a turn
        q, _ = from_group(system, here.q, still, near=q)
    return complete(system, state.t, q, np.zeros(system.n_v), counted(system.measures, turn, bodies.measures))


def _way_to_rest(here, stable):
    """Positions (Statics), the last of them at rest."""
    system, t, way, scale = here.system, here.instant.t, [here], here.natural()
    moving = np.abs(here.instant.work.phi_t * system.record.row_scale)
    if moving.max(initial=0.0) > 1e-12:
        row = system.row_name(largest(moving))
        raise ModelError(f"There is no equilibrium at t = {t:g} s: {row} is driven and moves then.")
    for _ in range(ITERATIONS):
        scale = max(scale, here.scale)
        if here.size <= TIGHT * scale or not np.isfinite(here.size + scale):
            break
        better = next(here.downhill(scale) if stable else here.newton(), None)
        if better is None or (here.size <= ENOUGH * scale and not better.size < here.size):
            break
        here = better
        way.append(here)
    if not here.size <= ENOUGH * scale:
        worst = system.unknown_name(largest(here.left))
        raise AssemblyError(
            f"No equilibrium was found from this start at t = {t:g} s: a force of {here.size:.3g} N of {scale:.3g} N "
            f"is left over, most in {worst}. Start nearer to it (model.start), or hold or spring what falls freely."
        )
    return way


__all__ = ["Equilibrium", "equilibrium"]
