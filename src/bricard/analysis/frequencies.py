"""frequencies(), reduced(), largest_step(): natural frequencies of a mechanism along its motion, and the steps they allow.

Small motions d = N z from a state, in directions N that the constraints admit, orthonormal when turns are multiplied by a length,
follow

    M_R z'' + C_R z' + K_R z = 0,   M_R = N^T M N

C_R and K_R hold springs, dampers, weight, multipliers, gyroscopic terms, and the curvature of the constraint surface along a
motion (spec 004, equation 5.20). The natural frequencies are omega^2 = eigenvalues of M_R^-1 K_R. About a state of rest they
belong to the mechanism; along a motion they describe the equations with frozen coefficients, and depend on the coordinates: here
tangent ones, as in null-space methods, so that the length and the rotation parameters of the system count. A method whose limit
in `stability` is z is stable below z / omega.
Reference: Uriarte 2023, PhD thesis, UPV/EHU, chapters 5 to 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import AssemblyError, ModelError
from ..interrupts import whole
from ..model import Model
from ..model.checks import number
from ..solution.solution import Solution
from ..system.assembler import assemble, complete
from ..system.state import State
from ..system.system import System
from .instant import Instant
from .linearise import Motion
from .stability import stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLES = 500  # of a solution that are looked at, if it is not said


class Reduced(NamedTuple):
    """M, C, K (k, k) of small motions from a state: mass, damping, stiffness in kg, N s/m, N/m. N : (n_v, k) directions."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    N: np.ndarray

    @property
    def frequencies(self):
        """Natural frequencies (k,), rad/s, by size; 0 for motions that do not swing back."""
        squares = np.linalg.eigvals(np.linalg.solve(self.M, self.K))
        return np.sort(np.sqrt(np.maximum(squares.real, 0.0)))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Natural frequencies along a motion. t : (n,) s. omega : (n, k) rad/s, by size; NaN at singular positions."""

    name: str
    t: np.ndarray
    omega: np.ndarray

    @property
    def largest(self):
        """The largest frequency (n,) of each sample, rad/s."""
        return self.omega.max(axis=1, initial=0.0)

    @property
    def peak(self):
        """The largest of all, rad/s."""
        return float(np.nanmax(self.largest, initial=0.0))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the frequencies over time."""
        from ..plot.curves import draw_frequencies

        return draw_frequencies(self, ax)


@whole
def reduced(what: Any, state: State | None = None, length: float | None = None) -> Reduced:
    """Mass, damping and stiffness matrices of a Model or System at a state (the assembled start if not given), see Reduced.

    length : by which turns are multiplied (m); that of the mechanism if not given.
    """
    if not isinstance(what, (Model, System)):
        raise ModelError(f"reduced() takes a Model or a System, not {what!r}.")
    system = what if isinstance(what, System) else what.build()
    if state is None:
        state = assemble(system)
    else:
        state = complete(system, state.t, state.q, state.v, state.turn if state.turn.size else None)
    return _reduced(system, state, length)


@whole
def frequencies(what: Any, samples: int = SAMPLES, length: float | None = None) -> Frequencies:
    """Natural frequencies along a Solution, at most at so many of its samples; of a Model or System at its start.

    length : see `reduced`.

    >>> import bricard as br
    >>> model = br.Model("pendulum", planar=True, gravity=(0, -9.8, 0))
    >>> bob = model.body("bob", br.PointMass((0, -1, 0), mass=1.0))
    >>> _ = model.pin("A", model.ground, bob, (0, 0, 0))
    >>> round(br.analysis.frequencies(model).peak, 4)
    3.1305
    """
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 1:
        raise ModelError(f"samples is {samples!r}; it must be a whole number of at least 1.")
    if not isinstance(what, Solution):
        found = reduced(what, length=length)
        return Frequencies(what.name, np.zeros(1), found.frequencies[None])
    places = np.unique(np.linspace(0, what.t.size - 1, min(samples, what.t.size)).round().astype(int))
    rows: list[Any] = []
    for k in places:
        try:
            state = complete(what.system, float(what.t[k]), what.q[k], what.v[k], what.turns[k])
            rows.append(_reduced(what.system, state, length).frequencies)
        except AssemblyError:  # a singular position has no independent coordinates
            rows.append(None)
    known = next((row.size for row in rows if row is not None), 0)
    omega = np.array([np.full(known, np.nan) if row is None else row for row in rows]).reshape(places.size, known)
    return Frequencies(what.name, what.t[places], omega)


@whole
def largest_step(what: Any, integrator: str, *, xi: float = 0.0, samples: int = SAMPLES, **options: Any) -> float:
    """The largest step (s) with which a method is stable: its limit over the largest natural frequency, see `frequencies`.

    what : a Solution, or a Model or System at its start. integrator, options : as in `stability`. xi : damping ratio that the
    fastest motion is taken to have. inf where the method is stable at any step, 0 where at none. Strong dampers ask for
    smaller steps of explicit methods than frequencies say.
    """
    peak, limit = frequencies(what, samples).peak, stability(integrator, **options).limit(xi)
    return limit / peak if peak > 0.0 else np.inf


def _reduced(system, state, length):
    if length is not None:
        length = number(length, "length", positive=True)
    tangent = system.length if length is None else length
    motion = Motion(Instant(system, state.t, state.turn), state, tangent)
    A, _ = motion.equations(np.zeros((system.n_v, 0)))
    k, N = len(A) // 2, motion.every.N
    turning, stiffness, damping = A[:k, :k], -A[k:, :k], -A[k:, k:]  # z' = u + turning z
    M = N.T @ motion.M @ N
    return Reduced(M, M @ (damping - turning), M @ (stiffness - damping @ turning), N)


__all__ = ["Frequencies", "Reduced", "frequencies", "largest_step", "reduced"]
