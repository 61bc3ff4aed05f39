"""The forces at a position that the constraints do not carry, and the steps that lead from there to a position of rest.

In the directions N that the constraints leave, orthonormal in metres, the force is g = N^T f and the stiffness S = N^T K N.

* newton: S d = g, damped where a step does not bring the force down (Levenberg-Marquardt). It ends in any position of rest.
* downhill: where S pushes back in all directions, S d = g again. Elsewhere |S| d = g, with the absolute eigenvalues of its
  symmetric part, so that a direction that is pushed away is followed (saddle-free Newton, Dauphin et al. 2014, arXiv:1406.2572).
  A step is halved until the force at its end does not turn against it: along such steps the forces do work. A potential falls,
  but none is needed.

Directions without force and without stiffness stay as they are; where there is force but no stiffness, downhill goes on.
"""

import numpy as np

from ..errors import AssemblyError
from ..system.assembler import settle
from ..system.regularise import row_sizes
from .instant import Instant, directions

LARGEST_STEP, HALVINGS = 0.3, 12  # in characteristic lengths, times `reach`, or radians
FARTHEST = 1e4  # largest reach
DAMPING = (0.0, 1e-6, 1e-4, 1e-2, 1.0, 1e2)  # relative to the largest stiffness, squared
TIGHT, ROUNDING, ENOUGH = 1e-14, 1e-12, 1e-9  # of the largest force
NEUTRAL, SOFT = 1e-11, 1e-6  # of the largest stiffness
AGAINST = 0.5  # of the force along a step at its beginning, what may push back at its end


class Statics:
    """The forces of a system at rest in (t, q). size : of what is left of them, N. reach : how much further than by LARGEST_STEP
    bodies may go; it grows along a way that goes well, as a large mechanism has far to fall."""

    def __init__(self, system, t, q, turn, reach=1.0):
        self.system, self.q, self.instant, self.reach = system, q, Instant(system, t, turn), reach
        r, v = system.record, np.zeros(system.n_v)
        now = self.instant.look(q, v)
        metric, G, f = r.metric[: r.n_v], now.G, now.f
        self.turn = now.work.value.copy()
        natural = float(row_sizes(system, q).max(initial=0.0)) / r.length
        self.all = directions(G, r.row_scale, metric, natural, r.n_rows - r.redundant)
        holonomic = r.velocity_level == 0
        self.holonomic = self.all
        if not holonomic.all():
            least = int(holonomic.sum()) - r.redundant
            self.holonomic = directions(G[holonomic], r.row_scale[holonomic], metric, natural, least)
        self.lam = self.all.lift.T @ f
        self.force = self.all.N.T @ f  # along the directions that are left
        self.left = self.all.B.T @ self.force * np.sqrt(metric)  # per velocity, in units of force
        self.scale = float(np.abs(np.sqrt(metric) * f).max(initial=0.0))
        self.size = float(np.linalg.norm(self.force))

    def natural(self):
        """The size of forces (N) that are in play, also where they balance: weights, and springs at a characteristic length."""
        system, r, metric = self.system, self.system.record, np.sqrt(self.system.record.metric[: self.system.n_v])
        weight = np.abs(r.mass).max(initial=0.0) * np.linalg.norm(r.gravity)
        return max(
            float(weight), float(np.abs(metric[:, None] * self.stiffness() * metric).max(initial=0.0)) * system.length
        )

    def stiffness(self):
        """K (n_v, n_v)."""
        still = np.zeros(self.system.n_v)
        return self.instant.look(self.q, still, still, self.lam).K

    def newton(self):
        """Positions with less force after a step of Newton's method, more and more damped."""
        U, s, Vt = np.linalg.svd(self.all.N.T @ self.stiffness() @ self.holonomic.N)
        keep = min(U.shape[0], Vt.shape[0])
        largest = s.max(initial=0.0)
        stiff = s > NEUTRAL * largest
        for damping in DAMPING:
            inverse = np.where(stiff, s / np.where(stiff, s * s + damping * largest**2, 1.0), 0.0)
            step = self.holonomic.N @ (Vt[:keep].T @ (inverse * (U[:, :keep].T @ self.force)))
            trial = self._moved(self._limited(step))
            if trial is not None and trial.size < (1 - 1e-4) * self.size:
                yield trial

    def downhill(self, scale):
        """Positions after a step along which the forces do work, the longest first; scale : of forces, N."""
        step = self._limited(self.all.N @ self._descent(scale))
        work = (self.all.B @ step) @ self.force
        for halving in range(HALVINGS):
            part = 0.5**halving
            trial = self._moved(part * step, min(max(1.0, self.reach * (part if halving else 2.0)), FARTHEST))
            if trial is not None and (trial.all.B @ step) @ trial.force >= -AGAINST * work:
                yield trial

    def _descent(self, scale):
        """Step (k,), m, in the directions that are left."""
        S = self.all.N.T @ self.stiffness() @ self.all.N
        values, modes = np.linalg.eigh(0.5 * (S + S.T))
        largest, along = np.abs(values).max(initial=0.0), modes.T @ self.force
        if (values > SOFT * largest).all():
            return np.linalg.solve(S, self.force)
        limit, force, values = LARGEST_STEP * self.reach * self.system.length, np.abs(along), np.abs(values)
        # rounding must not push along a soft direction
        idle = (values <= SOFT * largest) & (force <= ROUNDING * scale)
        idle |= (values <= NEUTRAL * largest) & (force <= ENOUGH * scale)
        far = values * limit < force
        step = np.where(far, limit * np.sign(along), along / np.where(far | idle, 1.0, values))
        return modes @ np.where(idle, 0.0, step)

    def _limited(self, step):
        """The step (n_v,), no part of it longer than LARGEST_STEP."""
        unit = np.where(self.system.translations, self.reach * self.system.length, 1.0)
        return step * min(1.0, LARGEST_STEP / max(float(np.abs(step / unit).max(initial=0.0)), 1e-300))

    def _moved(self, step, reach=1.0):
        """Statics after a step (n_v,), back on the constraints; None where there is no such position, or no finite force."""
        still, t = np.zeros(self.system.n_v), self.instant.t
        try:
            q, _ = settle(self.system, t, self.system.retract(self.q, step), still, self.turn)
        except (AssemblyError, ZeroDivisionError):  # cannot be assembled, or has no contact point there
            return None
        moved = Statics(self.system, t, q, self.turn, reach)
        return moved if np.isfinite(moved.size) else None


__all__ = ["ENOUGH", "TIGHT", "Statics"]
