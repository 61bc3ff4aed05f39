"""Level: three runs at one tolerance, and how far they are apart in each channel."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .certificate import Run, claimed
from .courses import REACTIONS, Channel, courses, natural, near_singular
from .soundness import Check
from .trials import Three

ALONE = 2.0  # times the distance of two runs are vouched for, where there is no third one
ROUNDING = 1e-14  # of a natural size: nothing is known better
HALF = 0.5  # of the accuracy: what each of two distances may be
PASSED = 0.05  # of the samples: more that look singular are no passage, but rows that are hard to tell from each other


@dataclass
class Level:
    """Three runs compared at the samples that all have, k of them.

    found : name -> course of the first run. sizes : natural sizes by kind. own, cross : name -> distance (k,) of the first run
    from the tightened one, and from the second one. course : name -> error (k,) that is vouched for. weak (k,) : samples close to
    singular positions whose reactions differ, and are left out. outvoted : the same with second methods that do not agree.
    checked : what the checks have found.
    """

    runs: Three
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    found: dict[str, Channel] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    own: dict[str, np.ndarray] = field(default_factory=dict)
    cross: dict[str, np.ndarray] = field(default_factory=dict)
    course: dict[str, np.ndarray] = field(default_factory=dict)
    weak: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    outvoted: tuple[Level, ...] = ()
    checked: tuple[Check, ...] = ()

    @classmethod
    def of(cls, runs: Three, accuracy: float, loops: bool) -> Level:
        """The comparison of three runs; an empty one where there are not two. loops : whether singular positions are possible."""
        if runs.first is None or runs.second is None:
            return cls(runs)
        solutions = [run.solution for run in runs if run is not None and run.solution is not None]
        k, channels = _alike(solutions), [courses(solution) for solution in solutions]
        first, second = channels[0], channels[-1]
        names = [name for name in first if all(name in each for each in channels)]
        weak = near_singular(solutions[0])[:k]
        weak &= loops and weak.mean() <= PASSED
        sizes = natural(solutions[0], first, weak)
        own, cross = {}, {name: first[name].away(second[name])[:k] for name in names}
        if runs.tightened is not None:
            own = {name: first[name].away(channels[1][name])[:k] for name in names}
        weak = _left_out(weak, first, sizes, [gaps for gaps in (own, cross) if gaps], accuracy)
        course = {}
        for name in names:
            errors = claimed(own[name], cross[name]) if own else claimed(ALONE * cross[name])
            course[name] = errors + ROUNDING * sizes[first[name].kind]
        return cls(runs, solutions[0].t[:k], first, sizes, own, cross, course, weak)

    def size(self, name: str) -> float:
        """Natural size of a channel."""
        return self.sizes[self.found[name].kind]

    def shares(self, reactions: bool | None = None) -> dict[str, np.ndarray]:
        """Name -> error (k,) in natural sizes; of reactions only, or of all else only."""
        wanted = (n for n in self.course if reactions is None or reactions == (self.found[n].kind in REACTIONS))
        return {name: self.course[name] / self.size(name) for name in wanted}

    @property
    def share(self) -> float:
        """The worst of all channels."""
        return max((float(share[-1]) for share in self.shares().values() if share.size), default=np.inf)

    @property
    def alone(self) -> float:
        """Largest distance of the first run from its tightened twin, in natural sizes."""
        return max((float(gap.max(initial=0.0)) / self.size(name) for name, gap in self.own.items()), default=np.inf)

    @property
    def sound(self) -> bool:
        """Whether all checks hold."""
        return all(check.ok for check in self.checked)

    def apart(self, one: Run, other: Run) -> float:
        """Distance at the end of two other runs in motion and energy, in natural sizes."""
        if one.solution is None or other.solution is None:
            return np.inf
        mine, theirs = courses(one.solution), courses(other.solution)
        names = [name for name in self.shares(reactions=False) if name in mine and name in theirs]
        return max(float(mine[name].away(theirs[name])[-1]) / self.size(name) for name in names)

    def known(self, accuracy: float) -> int:
        """Number of samples up to which motion and energy are known to an accuracy; errors never fall."""
        held = [share <= accuracy for share in self.shares(reactions=False).values()]
        return int(np.logical_and.reduce(held).sum()) if held else 0


def _left_out(weak, channels, sizes, gaps, accuracy):
    """Samples (k,) close to singular positions at which reactions differ: they are not determined there, and count no more."""
    names = [name for name in gaps[0] if channels[name].kind in REACTIONS]
    differ = np.zeros(weak.size, bool)
    for of in gaps:
        for name in names:
            differ |= weak & ~(of[name] <= HALF * accuracy * sizes[channels[name].kind])
    for of in gaps:
        for name in names:
            of[name][differ] = 0.0
    return differ


def _alike(solutions):
    """Number of samples at the same times, from the first one on."""
    k = min(solution.t.size for solution in solutions)
    same = np.logical_and.reduce([solution.t[:k] == solutions[0].t[:k] for solution in solutions])
    return k if same.all() else int(np.argmin(same))
