"""Pauses at accepted steps, to see whether users' functions still keep their contract: the routines of users' joints
(user_routine.py), loads and laws that are given with their potential (user_potential.py).

Ever more rarely, as a long run is to pay for some hundred looks of about 0.1 ms. More often where SDQ and CDQ grow or
shrink: at the end of its range a joint becomes infinitely steep, and few steps are needed to cross it and to come back. What a
potential may leave for a few steps tells nothing before: it is looked at in every step of a short run.
"""

import numpy as np

from ..compiled.march import STEPS
from ..system.user_potential import Potentials
from ..system.user_routine import Routines

STRIDE = 32  # accepted steps between two looks, from one on
SPREAD = 20  # later ones are this share (1 / SPREAD) of the steps behind them apart,
GROWTH = 0.2  # but no farther than where SDQ and CDQ have changed by this share


class Contracts:
    """Looks at the contracts of one run, if it has any (`watched`)."""

    def __init__(self, problem, run, work):
        self.problem, self.run, self.work = problem, run, work
        self.routines, self.potentials = Routines(problem.system), Potentials(problem.system)
        self.watched, self.apart, self.due = bool(self.routines.each or self.potentials.each), 1, 1

    def steps_left(self):
        """Steps up to the next look: a chunk of the time loop must not be longer."""
        return self.due - int(self.run.counters[STEPS])

    def broken(self):
        """Whether a function has broken its contract; to be asked after each chunk of the time loop."""
        if not self.watched or self.steps_left() > 0:
            return False
        steps, t, before = int(self.run.counters[STEPS]), float(self.run.clock[0]), self._steepness()
        q, v = self.problem.full(t, self.run.y, self.work)
        found = self.routines.fault(t, q, v, self.work.memory) or self.potentials.fault(t, q, v, self.work.turn)
        with np.errstate(all="ignore"):
            growth = np.abs(np.log(self._steepness() / before)).max(initial=0.0)
        closer = GROWTH / growth if growth > GROWTH else 1.0 if growth > 0.5 * GROWTH else 2.0
        stride = 1 if self.potentials.each else STRIDE
        self.apart = int(max(1.0, min(closer * self.apart, max(stride, steps // SPREAD))))
        self.due = steps + self.apart
        return found is not None

    def _steepness(self):
        return np.array([routine.steepness for routine in self.routines.each])
