"""The frames of an animation: times in equal steps, and what the solution says at them.

Positions and rotations between two samples are cubics through both poses and their velocities, everything else is straight
between the samples. Both sides of a reset (a bounce) are samples of their own, so that no curve is smoothed over it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ModelError
from ..solution.motion import hermite

__all__ = ["Timeline", "finite", "frames_for", "playing_speed", "timeline"]

SHORT = 4.0  # s: a run that takes less than half of this is played more slowly, to take about as long
TURN = 0.5  # rad: what a body may turn from one frame to the next
MOST_FRAMES = 20_000


@dataclass(frozen=True, eq=False)
class Timeline:
    """Frames of a solution.

    t : (n,) their times, s, in equal steps. solution : its samples next to the frames. left : (n,) the sample at or before
    each frame. share : (n,) how far the frame is on the way to the next sample.
    """

    solution: Any
    t: np.ndarray
    left: np.ndarray
    share: np.ndarray

    @property
    def _right(self) -> np.ndarray:
        return np.minimum(self.left + 1, self.solution.t.size - 1)

    def values(self, samples: np.ndarray) -> np.ndarray:
        """Values (n, ...) at the frames of what is known at the samples (samples, ...)."""
        share = self.share.reshape(-1, *(1,) * (samples.ndim - 1))
        return (1.0 - share) * samples[self.left] + share * samples[self._right]

    @cached_property
    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (bodies, 3, n) of the reference frames and unit quaternions (bodies, 4, n), scalar first."""
        names = list(self.solution.system.model.bodies)
        if not names:
            return np.zeros((0, 3, self.t.size)), np.zeros((0, 4, self.t.size))
        x = np.stack([self.solution.poses[name][0] for name in names])
        v = np.stack([self.solution.velocity(name) for name in names])
        w = np.stack([self.solution.angular_velocity(name) for name in names])
        p = continuous(np.stack([quaternions(self.solution.poses[name][1]) for name in names]))
        left, right, s = self.left, self._right, self.share[:, None]
        h = (self.solution.t[right] - self.solution.t[left])[:, None]
        h = np.where(h > 0.0, h, 1.0)
        rate = 0.5 * product(np.concatenate([np.zeros_like(w[..., :1]), w], -1), p)
        x, _ = hermite(s, h, x[:, left], v[:, left], x[:, right], v[:, right])
        p, _ = hermite(s, h, p[:, left], rate[:, left], p[:, right], rate[:, right])
        p /= np.linalg.norm(p, axis=-1, keepdims=True)
        return np.swapaxes(x, 1, 2), np.swapaxes(p, 1, 2)

    @cached_property
    def origin(self) -> np.ndarray:
        """The middle (3,) of the motion, m: the page counts positions from here, as it draws with numbers of 32 bits."""
        positions = self.poses[0]
        if not positions.size:
            return np.zeros(3)
        middle = 0.5 * (positions.min(axis=(0, 2)) + positions.max(axis=(0, 2)))
        return np.array([float(f"{x:.9g}") for x in middle])

    def place(self, body: Any, point: Any) -> list[float]:
        """A point (3,) of a body in its reference frame as the page has it; a point of the ground is counted from `origin`."""
        shown = np.asarray(point) - self.origin if body.is_ground else point
        return [float(f"{x:.7g}") for x in shown]


def timeline(solution: Any, frames: int) -> Timeline:
    """Return the Timeline with so many frames."""
    t, q, v, turns, totals = solution.t, solution.q, solution.v, solution.turns, solution.totals
    own_a, own_lam = solution.own_a, solution.own_lam
    resets = [event for event in solution.events if event.kind == "reset" and t[0] <= event.t <= t[-1]]
    if resets:
        near = np.searchsorted(t, [event.t for event in resets for _ in range(2)]).clip(0, t.size - 1)
        t = np.concatenate([t, [event.t for event in resets for _ in range(2)]])
        q = np.concatenate([q, *([event.q, event.q_after] for event in resets)])
        v = np.concatenate([v, *([event.v, event.v_after] for event in resets)])
        turns, totals = (np.concatenate([x, x[near]]) if len(x) else x for x in (turns, totals))
        order = np.argsort(t, kind="stable")
        t, q, v = t[order], q[order], v[order]
        turns, totals = (x[order] if len(x) else x for x in (turns, totals))
        own_a = own_lam = None
    times = np.linspace(t[0], t[-1], frames) if t[-1] > t[0] else t[:1]
    left = np.searchsorted(t, times, side="right").clip(1, max(t.size - 1, 1)) - 1
    used = np.unique(np.concatenate([left, np.minimum(left + 1, t.size - 1)]))
    chosen = replace(
        solution,
        t=t[used],
        q=q[used],
        v=v[used],
        own_a=None if own_a is None else own_a[used],
        own_lam=None if own_lam is None else own_lam[used],
        turns=turns[used] if len(turns) else turns,
        totals=totals[used] if len(totals) else totals,
        events=(),
    )
    ends = np.minimum(left + 1, t.size - 1)
    span = t[ends] - t[left]
    share = np.divide(times - t[left], span, out=np.zeros_like(times), where=span > 0.0)
    return Timeline(chosen, times, np.searchsorted(used, left), share)


def finite(solution: Any) -> Any:
    """The solution without samples that are not finite, as a run that failed may leave them."""
    good = np.isfinite(solution.q).all(axis=1) & np.isfinite(solution.v).all(axis=1)
    if good.all():
        return solution
    if not good.any():
        raise ModelError(
            f'The solution of "{solution.name}" has no sample with finite numbers: there is nothing to show.'
        )
    keys = ("t", "q", "v", "own_a", "own_lam", "turns", "totals")
    kept = {key: getattr(solution, key) for key in keys}
    return replace(solution, **{key: x[good] for key, x in kept.items() if x is not None and len(x)})


def frames_for(solution: Any, fps: float) -> int:
    """How many frames show a solution at `fps` frames per second of playing, with more of them for fast rotations."""
    duration = float(solution.t[-1] - solution.t[0]) if solution.t.size else 0.0
    if duration <= 0.0:
        return 1
    count = min(math.ceil(duration / playing_speed(duration) * fps) + 1, MOST_FRAMES)
    few = timeline(solution, min(count, 200)).solution
    fastest = max((float(np.abs(few.angular_velocity(name)).max()) for name in few.system.model.bodies), default=0.0)
    turn = fastest * duration / count
    return min(math.ceil(count * min(max(1.0, turn / TURN), 8.0)), MOST_FRAMES)


def playing_speed(duration: float) -> float:
    """Seconds of the run per second of playing: 1, or less (in steps of 1, 2, 5) for a short run."""
    if duration >= 0.5 * SHORT or duration <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(duration / SHORT))
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= duration / SHORT * (1 + 1e-9))


def quaternions(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), scalar first, of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(np.asarray(rotation).reshape(-1, 3, 3)).as_quat(scalar_first=True)
    return flat.reshape(*rotation.shape[:-2], 4)


def continuous(p: np.ndarray) -> np.ndarray:
    """Quaternions (..., n, 4) with signs such that none jumps to the other side of the sphere."""
    flips = np.sum(p[..., 1:, :] * p[..., :-1, :], -1) < 0.0
    sign = np.ones(p.shape[:-1])
    sign[..., 1:] = 1.0 - 2.0 * (np.cumsum(flips, -1) % 2)
    return p * sign[..., None]


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product (..., 4) of quaternions."""
    w, u, s, v = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate([w * s - np.sum(u * v, -1, keepdims=True), w * v + s * u + np.cross(u, v)], -1)
