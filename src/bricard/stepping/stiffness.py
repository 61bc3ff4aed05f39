"""Whether an explicit integrator creeps: its steps are limited by stability, not by the accuracy that is asked for.

Explicit methods are stable only while h rho is of the order of one, rho the fastest rate of y' = f(t, y). A stiff spring makes
rho huge although nothing moves fast. Both are looked at, at fixed numbers of steps, never by the clock: the same run warns, or
does not, on every machine. The motion: whether it is a straight line over hundreds of steps, which then are far smaller than it
needs. The rate: by a few evaluations of f (power iteration on its derivative), whether h rho is of that order. Then a warning
says so, once; the run goes on. A motion that does vibrate so fast is told of if millions of steps are ahead.
Reference: Hairer and Wanner, Solving ODEs II (1996), section IV.2, for the test on h rho.
"""

import numpy as np

from ..compiled.handles import duplicate, pack
from ..compiled.march import STEPS
from ..compiled.status import RUNNING
from ..errors import StiffSystem, warn

STRIDE = 300  # steps up to the first look, and between the next ones
SPREAD = 20  # later looks are this share (1 / SPREAD) of the steps behind them apart: a long run pays for few of them
STRAIGHT = 0.01  # of the natural sizes of positions and velocities: how far a motion may be from a straight line
LIMITED, RESOLVED = (
    0.3,
    0.01,
)  # h rho from which on stability is felt; below which only the tolerance asks for such steps
MANY, VERY_MANY = 2e4, 2e6  # fewer further steps are no nuisance; where the motion does vibrate
LASTING = 0.01  # share of the further steps: a vibration that has lasted for so many does not die out soon
ROUNDS, FIRST, NUDGE = 24, 12, 1e-7  # of the power iteration: how many, how many of them are forgotten, relative size


class Creeping:
    """Watches one run, if `watched`: after STRIDE steps, then ever more rarely."""

    def __init__(self, problem, method, run, work, watched):
        self.problem, self.method, self.run, self.work, self.watched = problem, method, run, work, watched
        self.looks = []  # (number of steps, t, [q, v] in natural sizes)
        self.bent_since = 0  # number of the step since which the motion is not straight
        self.due = STRIDE  # number of the step after which to look next

    def steps_left(self):
        """Steps up to the next look: a chunk of the time loop must not be longer."""
        return self.due - int(self.run.counters[STEPS])

    def look(self):
        """To be called between chunks of the time loop; warns where the run creeps."""
        steps = int(self.run.counters[STEPS])
        if not self.watched or steps < self.due:
            return
        self.due = steps + max(STRIDE, steps // SPREAD)
        t = float(self.run.clock[0])
        self.looks = [*self.looks[-2:], (steps, t, self._state(t))]
        if len(self.looks) < 3 or not t > self.looks[0][1]:
            return
        h = (t - self.looks[0][1]) / (steps - self.looks[0][0])
        further, straight = (float(self.run.clock[6]) - t) / h, self._straight()
        if straight:
            self.bent_since = steps
        if further < (MANY if straight else VERY_MANY) or 0 < steps - self.bent_since < LASTING * further:
            return
        rate = self._fastest(t)
        if h * rate < (LIMITED if straight else RESOLVED):
            return
        self.watched = False
        warn(
            f"The system is stiff: at t = {t:.6g} s the steps of {self.method.name} are {h:.2g} s, because its equations have "
            f"rates up to {rate:.1g} 1/s (stiff springs, dampers or motors, a large penalty, or a singular position close by). "
            f"The motion itself {'needs far larger ones' if straight else 'vibrates so fast'}. About {further:.1g} more steps "
            "are ahead. Take "
            + ('formulation="ggl" with integrator="radau5", which is implicit, or ' if straight else "")
            + 'integrator="generalized-alpha" with a step of your choice'
            + ("." if straight else ", which damps what is faster than that."),
            StiffSystem,
        )

    def _state(self, t):
        system = self.problem.system
        q, v = self.problem.full(t, self.run.y, self.work)
        columns = np.where(system.translations, system.length, 1.0)
        return np.concatenate([q / max(np.abs(q).max(initial=0.0), 1e-300), v / columns])

    def _straight(self):
        """Whether the three last looks lie on a straight line."""
        (_, t_0, a), (_, t_1, b), (_, t_2, c) = self.looks
        bend = np.abs(b - a - (c - a) * (t_1 - t_0) / (t_2 - t_0))
        return bend.max(initial=0.0) <= STRAIGHT * max(1.0, np.abs(c).max(initial=0.0))

    def _fastest(self, t):
        """An estimate of the largest |eigenvalue| (1/s) of the derivative of f at the present state; 0 where there is none."""
        problem, run = self.problem, self.run
        work, n = duplicate(self.work), problem.scale.size
        y, scale = run.y[:n].copy(), np.where(np.isfinite(run.scale[:n]), run.scale[:n], 1.0)
        packed, f, moved = pack(work), np.zeros(n), np.zeros(n)
        if problem.functions[0](t, y, f, problem.system.compiled, packed) != RUNNING:
            return 0.0
        direction, growth = np.random.default_rng(5).normal(size=n), []
        for _ in range(ROUNDS):
            direction *= NUDGE / np.linalg.norm(direction)
            status = problem.functions[0](t, y + direction * scale, moved, problem.system.compiled, packed)
            direction = (moved - f) / scale
            ratio = np.linalg.norm(direction) / NUDGE
            if status != RUNNING or not 0.0 < ratio < np.inf:
                return 0.0
            growth.append(np.log(ratio))
        return float(np.exp(np.mean(growth[FIRST:])))  # of an even number: those of an oscillation come in pairs
