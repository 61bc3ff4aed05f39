"""inverse_dynamics(): the loads that a prescribed motion asks for.

Every freedom follows a function of time. Positions, velocities and accelerations are those of kinematics; the multipliers of the
driven coordinates are the forces and torques that make the mechanism move so:

    M v' + G^T lam = f,   G v' = gamma   with as many independent rows in G as there are velocities;   load = -lam
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AssemblyError, BricardError, ModelError, suggest
from ..interrupts import whole
from ..linalg.rank import rank
from ..model import Model
from ..solution.solution import Solution
from ..system.assembler import assemble
from ..system.build import build
from .instant import Instant
from .kinematics import kinematics
from .snapshots import snapshots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOLERANCE, ITERATIONS = 1e-14, 30
LARGEST = (
    0.1  # way between two positions, in characteristic lengths or radians; beyond, positions in between are computed
)
LONGEST = 1e4  # way between two times that is followed


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """Loads for a prescribed motion. t : (n,) s. motion : the motion as a Solution, with paths, reactions and energy.

    loads : coordinate -> (n,), what drives it, N or N m, positive towards larger values.
    """

    t: np.ndarray
    loads: dict[str, np.ndarray]
    motion: Solution = field(repr=False)

    def load(self, coordinate: str) -> np.ndarray:
        """The load (n,) on one driven coordinate."""
        if coordinate not in self.loads:
            raise ModelError(f'"{coordinate}" is not driven.{suggest(coordinate, self.loads)}')
        return self.loads[coordinate]

    @property
    def power(self) -> np.ndarray:
        """Power (n,) of all loads, W."""
        rates = [load * self.motion.joint_velocity(name) for name, load in self.loads.items()]
        return np.sum(rates, axis=0) if rates else np.zeros(self.t.size)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the loads over time."""
        from ..plot.sweeps import draw_loads

        return draw_loads(self, ax)


@whole
def inverse_dynamics(model: Model, motion: dict[str, Any], times: Any) -> InverseDynamics:
    """The loads with which coordinates of a model follow a motion, see InverseDynamics.

    motion : {coordinate: profile}, each what `model.drive` takes: a number, a profile such as `br.Sine(...)` or
    `br.Tabulated(...)`, or a function u(t). Together with drivers of the model they must determine every freedom.
    times : (n,), s, rising.

    >>> import bricard as br
    >>> model = br.Model("arm", planar=True, gravity=(0, -10, 0))
    >>> arm = model.body("arm", br.PointMass((1, 0, 0), mass=2.0))
    >>> _ = model.pin("A", model.ground, arm, (0, 0, 0))
    >>> br.inverse_dynamics(model, {"A": 0.0}, [0.0]).load("A").round(6)
    array([20.])
    """
    if not isinstance(model, Model):
        raise ModelError(f"inverse_dynamics() takes a Model, not {model!r}.")
    if not isinstance(motion, Mapping):
        raise ModelError(f"inverse_dynamics: motion must be {{coordinate: profile}}, not {motion!r}.")
    try:
        t = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        raise ModelError(f"inverse_dynamics: times must be finite numbers that rise, not {times!r}.") from None
    if t.ndim != 1 or not t.size or not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        raise ModelError("inverse_dynamics: times must be finite numbers that rise.")
    driven, names = model.copy(), {}
    for coordinate, profile in motion.items():
        name = f"drive of {coordinate}"
        while name in driven.joints:
            name += "'"
        names[coordinate] = driven.drive(name, coordinate, profile).name
    system = build(driven)
    walk = Prescribed(system, model, t, {coordinate: driven.joints[name].profile for coordinate, name in names.items()})
    q, turn = _begin(model, driven, motion, names, float(t[0]), system)
    samples = [walk.settle(float(t[0]), q, turn)]
    for until in t[1:]:
        samples.append(walk.go_on(samples[-1], float(until)))
    solution = snapshots(system, t, samples, "inverse dynamics")
    places = {row.joint: i for i, row in enumerate(system.rows)}
    loads = {coordinate: -solution.lam[:, places[name]] for coordinate, name in names.items()}
    return InverseDynamics(t, loads, solution)


class Prescribed:
    """The motion of a system without freedom, from time to time; profiles : of the prescribed coordinates of the model."""

    def __init__(self, system, model, t, profiles):
        self.system, self.model, self.profiles = system, model, profiles
        r = system.record
        self.columns = r.length * np.sqrt(r.metric[: r.n_v])
        self.instant = Instant(system, t[0], np.zeros(system.n_measures))

    def _solve(self, right):
        """(n_v,) increments or velocities that rows with this right-hand side ask for."""
        r = self.system.record
        G = self.instant.G * self.columns * r.row_scale[:, None]
        return self.columns * np.linalg.lstsq(G, right * r.row_scale, rcond=None)[0]

    def settle(self, t, q, turn):
        """(q, v, turn) at time t, by Newton's method from a position nearby."""
        system, instant, still = self.system, self.instant, np.zeros(self.system.n_v)
        instant.t, instant.work.turn[:] = t, turn
        position, worst = system.record.velocity_level == 0, np.inf
        for _ in range(ITERATIONS):
            work = instant.look(q, still).work
            gap = np.where(position, work.phi, 0.0)
            worst = float(np.abs(gap * system.record.row_scale).max(initial=0.0))
            if not worst > TOLERANCE:
                break
            step = self._solve(-gap)
            if not np.abs(step / self.columns).max() < 1.0:
                worst = np.inf
                break
            work.turn[:], q = work.value, system.retract(q, step)
        if not worst <= 1e3 * TOLERANCE:
            raise AssemblyError(self._not_closed(t))
        instant.work.turn[:] = instant.work.value
        G = instant.G * self.columns * system.record.row_scale[:, None]
        missing = system.n_v - (rank(np.linalg.svd(G, compute_uv=False)) if G.size else 0)
        if missing:
            raise ModelError(
                f'The motion leaves {missing} freedoms of model "{self.model.name}" undetermined at t = {t:.6g} s, or passes a '
                "dead point there. Give as many coordinates as there are freedoms (model.report() counts them)."
            )
        v = self._solve(-instant.work.phi_t)
        return q, v, instant.work.value.copy()

    def _not_closed(self, t):
        """The sentences for a time at which there is no position: what is asked for, and where the range of motion ends."""
        asked = {name: float(profile(t)) for name, profile in self.profiles.items()}
        units = {name: "rad" if self.model.coordinate(name).unit == "angle" else "m" for name in asked}
        values = ", ".join(f'"{name}" = {x:.6g} {units[name]}' for name, x in asked.items())
        text = (
            f'Model "{self.model.name}" cannot follow the motion at t = {t:.6g} s{f" ({values})" if values else ""}: '
        )
        text += "the constraints do not close there."
        if not asked:
            return f"{text} Look at the ranges of its drivers."
        try:
            kinematics(self.model, asked, t=t)
        except BricardError as error:
            return f"{text} {error}" if isinstance(error, AssemblyError) else text
        return f'{text} Look for the range of motion with kinematics(model, "{next(iter(asked))}"), and stay inside.'

    def go_on(self, sample, until):
        """The next sample, with positions in between where the way is long."""
        t, (q, v, turn) = self.instant.t, sample
        way = float(np.abs(v / self.columns).max(initial=0.0) * (until - t))
        if not way < LONGEST:
            raise ModelError(
                f'The motion of model "{self.model.name}" goes {way:.3g} characteristic lengths or radians from t = {t:.6g} to '
                f"{until:.6g} s, too far to be followed. Look at the units of its profiles, or ask for more times in between."
            )
        pieces = int(np.ceil(way / LARGEST)) or 1
        for time in np.linspace(t, until, pieces + 1)[1:]:
            ahead = self.system.retract(q, (float(time) - self.instant.t) * v)
            q, v, turn = self.settle(float(time), ahead, turn)
        return q, v, turn


def _begin(model, driven, motion, names, t, system):
    """A position at time t on the branch of the drawn one, and its counted measures."""
    if not motion:
        state = assemble(system, t)
        return state.q, state.turn
    targets = {coordinate: driven.joints[name].profile(t) for coordinate, name in names.items()}
    found = kinematics(model, targets, t=t)
    counted = dict(zip(found.system.measures, found._turns[-1], strict=True))
    return found.q[-1], np.array([counted.get(measure, 0.0) for measure in system.measures])


__all__ = ["InverseDynamics", "inverse_dynamics"]
