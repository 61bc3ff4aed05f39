"""The search for the velocity of a start; what it is, says starting.py."""

import numpy as np

from .start_coordinates import rotated
from .starting import ITERATIONS, TOLERANCE, Found, Search

ROUNDS = 20  # nonholonomic rows may be nonlinear
CLOSINGS = 3  # steps that only close, behind weighted wishes
FLOWING = 1e-9  # gap of rows outside of the blocks that move, of all velocities
STEADY = 1e-13  # last change, of all velocities


class Velocities(Search):
    """The search for v at a position q."""

    def run(self, q, one=False):
        """The Found velocity at q."""
        self.q, v = q, np.zeros(self.r.n_v)
        x, R = self.evaluate(self.q, v)
        gap = self._gaps(v, self.wishes.at(x, R), R)
        if not (np.abs(gap) > TOLERANCE).any():
            return Found(v, gap)
        self.choose(gap, self.evaluate(self.system.start, v), (x, R), one)
        self.evaluate(q, v)
        asked = self.wishes.at(x, R)
        c = self.coordinates.at(x, R)
        chosen = type(asked)(asked.gap[self.asked], asked.bodies[self.asked], asked.slope[self.asked])
        coordinates = self.slopes(c, self.owner_part, self.natural, R)
        wanted = self.slopes(chosen, self.wish_part[self.asked], 1.0 / self.wish_scale[self.asked], R)
        softness, own = self.wishes.softness[self.asked], np.zeros(self.columns.size)
        self.multipliers = self.pulls = np.zeros(self.rows.size + self.asked.size)
        weighted = bool(softness.any())
        rounds = ITERATIONS if weighted else ROUNDS
        for i in range(rounds + CLOSINGS * weighted):
            blocks = [
                (coordinates, len(c.value)),
                ((self.g_row, self.g_column, self.work.g[self.g_own] * self.g_scale), self.rows.size),
                (wanted, self.asked.size),
            ]
            left = np.concatenate([gap[self.rows], gap[self.r.n_rows + self.asked]])
            if i < rounds:
                rates = np.bincount(coordinates[0], coordinates[2] * own[coordinates[1]], len(c.value))
                step = sum(self._step(blocks, rates, left, softness))
            else:  # weighted wishes have pulled at the rows
                step = self._closing(blocks, left, softness)
            own += step
            v = self.carried(own, x, R)
            self.evaluate(self.q, v)
            gap = self._gaps(v, asked, R)
            steady = np.abs(step).max(initial=0.0) <= STEADY * np.abs(own).max(initial=0.0)
            if i >= rounds + CLOSINGS - 1 or (steady and not weighted):
                break
            if steady and i < rounds:
                rounds = i + 1
        free = np.concatenate([np.ones(self.r.n_rows, bool), self.wishes.softness == 0.0])
        inside = np.zeros(gap.size, bool)
        inside[self.rows], inside[self.r.n_rows + self.asked] = True, True
        gaping = (np.abs(gap) > FLOWING * (1.0 + np.abs(v).max(initial=0.0))) & free
        if not one and (gaping & ~inside).any() and not (gaping & inside).any():
            return self.run(q, one=True)
        return Found(v, gap)

    def _gaps(self, v, asked, R):
        speed = np.zeros((self.n + 1, 6))
        speed[:-1] = np.append(v, 0.0)[self.r.column[:-1].astype(int)]
        speed[:, 3:] = rotated(R, speed[:, 3:])
        rates = np.sum(asked.slope * speed[asked.bodies].reshape(-1, 12), axis=1)
        return np.concatenate(
            [np.where(self.kept, self.work.phi_dot, 0.0) * self.r.row_scale, (asked.gap + rates) * self.wish_scale]
        )

    def carried(self, own, x, R):
        """v of all bodies: of each block its own motion and that of the body on which it hangs."""
        r, n = self.r, self.n
        moved = np.zeros(r.n_v + 1)
        moved[self.columns] = own * self.scale
        moved[r.n_v] = 0.0
        spin, speed = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        for anchor, members, _ in self.blocks:
            by = self.head[anchor]
            part = moved[r.column[members].astype(int)]
            spin[members] = spin[by] + rotated(R[members], part[:, 3:])
            speed[members] = speed[by] + np.cross(spin[by], x[members] - x[by]) + part[:, :3]
        with_head = speed[self.head] + np.cross(spin[self.head], x - x[self.head])
        spin = spin[self.head]
        v = np.zeros(r.n_v + 1)
        local = np.concatenate([with_head, rotated(np.swapaxes(R, 1, 2), spin)], axis=1)[:n]
        v[r.column[:n].astype(int)] = local
        return v[: r.n_v]
