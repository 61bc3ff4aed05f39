"""The search for the position of a start; what it is, says starting.py."""

import numpy as np

from .moved import Moved
from .plane_angles import sense
from .start_blocks import blocks_of
from .start_coordinates import KINDS, nearest, rotated
from .starting import CLOSED, ITERATIONS, TOLERANCE, Found, Search

STATIONARY, NOISE = 1e-12, 1e-10  # last step, in natural sizes; the same where steps get no smaller
LARGEST_STEP, SMALLEST_STEP = 0.3, 1e-13  # natural sizes
FULL_TURN = 2.0 * np.pi
# limited steps in a row behind which they grow, by how much, and how far: two bodies turn by less than half a turn in a step
STRAIGHT, GROWTH, STRIDE, MOST = 15, 1.2, 0.8, 20_000
LEAPING, LEAPS, NEARLY = 60, 100, 1e-6  # most unknowns of a leap and looks around it; gap that it may leave
SHORTEST, LONGEST = 0.05, 20.0  # by what a step of Gauss and Newton is shortened and stretched
PATIENCE, FEW, NEAR = (
    60,
    8,
    3e-4,
)  # steps without getting nearer; the same at gaps below NEAR, as of data with some digits
LOOSE = 1e-3  # gap, in natural sizes, up to which the sum is lowered whatever the gap does
NUDGE, VANISHING = 1e-3, 1e-7  # step that leaves a vanishing derivative; what vanishes, in natural sizes
CLOSING = 1e-9  # natural sizes: what counts as moved
DRIVES, UNITS = ("drive", "drive_distance"), ("length", "angle")


class Positions(Search):
    """The search for q."""

    def _imposed(self):
        return self.r.velocity_level == 0

    def gaps(self, x, R):
        """Scaled gaps of all rows of the system, then of the wishes; their slopes."""
        phi = np.where(self._imposed() & self.kept, self.work.phi, 0.0)
        asked = self.wishes.at(x, R)
        return np.concatenate([phi * self.r.row_scale, asked.gap * self.wish_scale]), asked

    def evaluate(self, q, v):
        """As that of Search; angles are counted on from the last call."""
        found = super().evaluate(q, v)
        turn, value = self.work.turn, self.work.value
        turn[:] = np.where(np.isfinite(value), value, turn)
        return found

    def run(self, q):
        """The Found position from a first guess q: where the way round ends before, by the short way, or by a leap."""
        found = self._found(q, False)
        if self.far and not self._closes(found):
            short = self._found(q, False, short=True)
            found = short if self._closes(short) else found
        if not self._closes(found) and (guess := self._leap()) is not None:
            other = self._found(guess, False)  # which is no start if the sum of squares is not smallest there
            found = other if self._closes(other) and self.stationary else found
        return found

    def _closes(self, found):
        return found.error(self.wishes, self.kept) <= CLOSED

    def _leap(self):
        """Another first guess: plain least squares of all hard gaps from the drawn pose, which may find another branch; or None.

        The search above goes by small steps along the branch that is drawn, and ends where that has no such position.
        """
        from scipy.optimize import least_squares

        n, hard, still = self.r.n_v, self._hard_all(), np.zeros(self.r.n_v)
        if not 0 < n <= LEAPING:
            return None
        sizes = np.where(self.r.metric[:n] == 1.0, self.r.length, 1.0)

        def gaps(z):
            return self.gaps(*self.evaluate(self.system.retract(self.system.start, sizes * z), still))[0][hard]

        try:
            found = least_squares(gaps, np.zeros(n), xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=LEAPS)
        except ValueError:  # gaps that are no numbers
            return None
        far = np.abs(found.fun).max(initial=0.0) > NEARLY
        return None if far else self.system.retract(self.system.start, sizes * found.x)

    def _found(self, q, one, short=False):
        """The Found position; one : all in one block. short : angles are met up to full turns."""
        still, self.stationary = np.zeros(self.r.n_v), False
        start = self.system.start
        drawn = self._drawn(start, still, short)
        gap, _ = self.gaps(*drawn)
        own = np.abs(gap[: self.r.n_rows]) > TOLERANCE
        if not (np.abs(gap) > TOLERANCE).any():
            return Found(self._turned(start.copy()), gap, (), self.work.turn.copy(), self._angles({}))
        self.choose(gap, drawn, drawn, one)
        found, left = self._iterate(q, still)
        if (
            not one
            and not (np.abs(left) > TOLERANCE)[self._active_rows()].any()
            and (np.abs(left) > TOLERANCE)[self._hard_all()].any()
        ):
            return self._found(q, True, short)
        moved = self._moved(own, drawn, self.evaluate(found, still))
        return Found(self._turned(found), left, moved, self.work.turn.copy(), self._angles(self.coordinates.counted()))

    def _drawn(self, start, still, short):
        """The drawn poses, where the count of all angles begins.

        self.far : whether an angle is asked for that is more than half a turn away from the drawn one. self.added : angle -> full
        turns that are added to the drawn one instead of going them. self.alone : angle -> (block, full turns), of those blocks
        that are one joint.
        """
        self.work.turn[:] = 0.0
        self.wishes.count_anew()
        drawn = self.evaluate(start, still)
        asked = self._asked_angles(*drawn)
        self.far, self.added, self.alone, self.parts = bool(asked), {}, {}, []
        if not asked:
            return drawn
        self.parts, joints, wished, _ = blocks_of(self.system, self.wishes, self.number)
        counts = any(measure.kind == "angle" for measure in self.system.measures)
        for measure, (value, turns, part) in asked.items():
            k = joints[part] if isinstance(part, str) else int(wished[part])
            if self._is_alone(k, joints):
                self.alone[measure] = k, turns
            elif not short and (counts or abs(value) > np.pi):
                continue
            self.added[measure] = turns
        for measures, values in (
            (self.system.measures, self.work.turn),
            ([w.measure for w in self.wishes.wished], self.wishes.near),
        ):
            for i, measure in enumerate(measures):
                values[i] += FULL_TURN * self.added.get(measure, 0)
        return self.evaluate(start, still)

    def _asked_angles(self, x, R):
        """Angle -> (what a wish or a drive asks for, full turns from there to as drawn, number of the wish or name of the drive),
        of those with full turns."""
        found, measures = {}, list(self.system.measures)
        self.wishes.at(x, R)
        for i in np.flatnonzero(self.wishes.measures.angles):
            found[self.wishes.wished[i].measure] = float(self.wishes.asked[i]), float(self.wishes.near[i]), int(i)
        for joint in self.model.joints.values():
            if joint.kind == "drive" and joint.measure.kind == "angle":
                value = float(self.work.value[measures.index(joint.measure)])
                asked = value - float(self.work.phi[self.row_joint.index(joint.name)])
                found[joint.measure] = asked, value, joint.name
        turns = {
            m: int(np.round((asked - nearest(asked, value)) / FULL_TURN)) for m, (asked, value, _) in found.items()
        }
        return {m: (found[m][0], n, found[m][2]) for m, n in turns.items() if n}

    def _is_alone(self, k, joints):
        """Whether block k is one joint, with wishes for it and drives: full turns of it change nothing else."""
        kinds = [self.model.joints[name].kind for name, part in joints.items() if part == k]
        return (
            len(self.parts[k].vertices) == 1
            and sum(kind in KINDS for kind in kinds) == 1
            and {*kinds} <= {*KINDS, "drive"}
        )

    def _angles(self, found):
        """Angles of joints -> their counted values, those beyond half a turn; found : the same of blocks that have moved."""
        wished = {wish.measure: float(x) for wish, x in zip(self.wishes.wished, self.wishes.near, strict=True)}
        angles = {m: x for m, x in wished.items() if m.kind == "angle"}
        angles |= {m: x + FULL_TURN * self.added.get(m, 0) for m, x in found.items()}
        angles |= {m: float(self.work.turn[i]) for i, m in enumerate(self.system.measures) if m in self.added}
        return {m: x for m, x in angles.items() if abs(x) > np.pi}

    def _turned(self, q):
        """q with the full turns of hinges that are alone in the angles of planar bodies, and of all that hang on them."""
        if not self.alone:
            return q
        turns, q = np.zeros(self.n + 1, int), q.copy()
        for k, part in enumerate(self.parts):
            own = 0
            for measure, (block, count) in self.alone.items():
                if block == k and all(body.stays_in_plane for body in measure.bodies):
                    forwards = self.number[measure.bodies[1]] == part.vertices[0]
                    own += int(sense(measure)) * (count if forwards else -count)
            turns[list(part.vertices)] = turns[part.anchor] + own
        planar = self.r.planar.astype(bool)
        q[self.r.q_start.astype(int)[planar] + 2] += FULL_TURN * turns[:-1][planar]
        return q

    def _hard_all(self):
        return np.concatenate([np.ones(self.r.n_rows, bool), self.wishes.softness == 0.0])

    def _active_rows(self):
        active = np.zeros(self.r.n_rows + self.wishes.size, bool)
        active[self.rows], active[self.r.n_rows + self.asked] = True, True
        return active & self._hard_all()

    def _iterate(self, q, still):
        q, hard = q.copy(), self._active_rows()
        softness = self.wishes.softness[self.asked]
        gap, error, nudged, best, waited, before, nearest, least = (
            np.zeros(0),
            np.inf,
            False,
            np.inf,
            0,
            np.inf,
            q,
            np.inf,
        )
        self.multipliers = self.pulls = np.zeros(self.rows.size + self.asked.size)
        self.before, last, share = None, np.inf, 1.0
        count, taken, straight, mark, begin = 0, 0, 0, self._mark(), self._mark()
        while count < ITERATIONS:
            count += 1
            x, R = self.evaluate(q, still)
            gap, asked = self.gaps(x, R)
            error = float(np.abs(gap[hard]).max(initial=0.0))
            if not np.isfinite(error):
                break
            if np.linalg.norm(gap[hard]) < least:
                nearest, least, mark = q, np.linalg.norm(gap[hard]), self._mark()
            change, blocks, phi, want = self._blocks(x, R, gap, asked)
            if not nudged and self._vanishing(blocks, phi, want):
                q, nudged = self._nudged(q, phi, want), True
                continue
            closing, lowering = self._step(blocks, change, np.concatenate([phi, want]), softness)
            size = float(np.abs(closing + lowering).max(initial=0.0))
            if error < LOOSE or error < 0.9 * last:
                share = min(1.0, 1.3 * share)
            elif straight <= STRAIGHT:  # lowering the sum keeps the gaps open
                share *= 0.5
            last = error
            step = closing + self._stretched(closing, lowering, share)
            limited = self._limit(step, min(STRIDE, LARGEST_STEP * GROWTH ** max(0, straight - STRAIGHT)))
            if error <= TOLERANCE and (size <= STATIONARY or (size <= NOISE and size > 0.3 * before)):
                self.stationary = True
                break
            straight = straight + 1 if limited and error < best else 0
            if error < 0.999 * best:
                best, waited = error, 0
                if straight > STRAIGHT and taken < MOST:  # far to go, as over many turns
                    count, taken = count - 1, taken + 1
            else:
                waited += 1
            if error > TOLERANCE and (waited > (PATIENCE if error > NEAR else FEW) or size <= SMALLEST_STEP):
                if nudged or error <= NEAR:
                    break
                q, nudged, best, waited = self._nudged(q, phi, want), True, np.inf, 0
                continue
            before = size
            q = self.advanced(q, step, x, R)
        if error <= TOLERANCE:
            return q, gap
        if not softness.any():
            self._recall(mark)
            return nearest, self.gaps(*self.evaluate(nearest, still))[0]
        q, gap = self._closed(q, still)
        if np.abs(gap[hard]).max() <= TOLERANCE:
            return q, gap
        self._recall(begin)
        return self._closed(self.system.start, still)

    def _mark(self):
        """Where the count of angles stands."""
        return self.work.turn.copy(), self.wishes.near

    def _recall(self, mark):
        """Go on counting from there."""
        self.work.turn[:], self.wishes.near = mark

    def _closed(self, q, still):
        """q on the hard rows, behind weighted wishes that have pulled at them, and all gaps there."""
        hard, softness, gap = self._active_rows(), self.wishes.softness[self.asked], np.zeros(0)
        for _ in range(ITERATIONS):
            x, R = self.evaluate(q, still)
            gap, asked = self.gaps(x, R)
            if not np.abs(gap[hard]).max(initial=0.0) > TOLERANCE:
                break
            _, blocks, phi, want = self._blocks(x, R, gap, asked)
            step = self._closing(blocks, np.concatenate([phi, want]), softness)
            self.before = None
            self._limit(step)
            q = self.advanced(q, step, x, R)
        return q, gap

    def _blocks(self, x, R, gap, asked):
        """Changes of the start coordinates, entries of all rows, gaps of those of the system and of the wishes."""
        c = self.coordinates.at(x, R)
        chosen = type(asked)(asked.gap[self.asked], asked.bodies[self.asked], asked.slope[self.asked])
        wanted = self.slopes(chosen, self.wish_part[self.asked], 1.0 / self.wish_scale[self.asked], R)
        own = self.slopes(c, self.owner_part, self.natural, R), len(c.value)
        rows = (self.g_row, self.g_column, self.work.g[self.g_own] * self.g_scale), self.rows.size
        blocks = own, rows, (wanted, self.asked.size)
        return c.value / self.natural, blocks, gap[self.rows], gap[self.r.n_rows + self.asked]

    def _stretched(self, closing, lowering, share):
        """Steps that lower the sum, in each block stretched by what its last two show (Barzilai and Borwein 1988)."""
        home = self.column_home[self.columns]
        count = len(self.active)

        def product(a, b):
            return np.bincount(home, a * b, count)

        pure = product(closing, closing) <= 0.01 * product(lowering, lowering)
        stretch = np.ones(count)
        if self.before is not None:
            last, taken, was_pure = self.before
            bend = product(last, last - lowering)
            good = pure & was_pure & (bend > 0.0)
            stretch[good] = np.clip((taken * product(last, last))[good] / bend[good], SHORTEST, LONGEST)
        stretch *= share
        self.before = lowering, stretch, pure
        return lowering * stretch[home]

    def _limit(self, step, most=LARGEST_STEP):
        """Shorten the steps of blocks that go too far, and whether there are some."""
        home = self.column_home[self.columns]
        turn = ~self.system.translations[self.columns]
        alone = np.zeros(home.max(initial=0) + 1, bool)
        for _, members, k in self.blocks:
            alone[k] = len(members) == 1
        largest = np.zeros(alone.size)
        np.maximum.at(largest, home, np.where(turn | ~alone[home], np.abs(step), 0.0))
        share = np.minimum(1.0, most / np.maximum(largest, 1e-300))
        step *= share[home]
        if self.before is not None:
            self.before[1][: share.size] *= share
        return bool((share < 1.0).any())

    def _vanishing(self, blocks, phi, want):
        """Whether a row gapes whose derivative vanishes."""
        for gap, ((row, _, value), count) in zip((phi, want), blocks[1:], strict=True):
            size = np.sqrt(np.bincount(row, value**2, count))
            if (np.abs(gap) > TOLERANCE)[~(size > VANISHING)].any():
                return True
        return False

    def _nudged(self, q, phi, want):
        """q after a small step of each body of the blocks that gape."""
        gaping = {self.joints[self.row_joint[i]] for i in self.rows[np.abs(phi) > TOLERANCE]}
        gaping |= set(self.wish_part[self.asked[np.abs(want) > TOLERANCE]].tolist())
        bodies = list(self.number)
        step = np.zeros(self.columns.size)
        for _, members, k in self.blocks:
            if k not in gaping:
                continue
            for rank, b in enumerate(sorted(members.tolist(), key=lambda b: bodies[b].name), 1):
                columns = self.r.column[b].astype(int)
                way = NUDGE * np.cos(rank * np.array([1.0, 2.0, 3.0, 5.0, 7.0, 11.0]) + np.arange(6.0))
                way[3:] = bodies[b].rotation.T @ way[3:]
                if bodies[b].planar:
                    way[5] = NUDGE * np.cos(rank)
                real = columns < self.r.n_v
                step[self.place[columns[real]]] = way[real]
        return self.advanced(q, step, *self.evaluate(q, np.zeros(self.r.n_v)))

    def advanced(self, q, step, x, R):
        """q after a step of each block against the body that it hangs on, everything beyond carried along."""
        r, n = self.r, self.n
        moved = np.zeros(r.n_v + 1)
        moved[self.columns] = step * self.scale
        turn = np.tile([1.0, 0.0, 0.0, 0.0], (n + 1, 1))  # displacement of each body: x -> turn x + shift
        shift = np.zeros((n + 1, 3))
        for anchor, members, _ in self.blocks:
            by = self.head[anchor]
            own = moved[r.column[members].astype(int)]
            own[r.column[members] == r.n_v] = 0.0
            half = 0.5 * np.linalg.norm(own[:, 3:], axis=1)
            local = np.column_stack([np.cos(half), 0.5 * np.sinc(half / np.pi)[:, None] * own[:, 3:]])
            world = np.column_stack([local[:, 0], rotated(R[members], local[:, 1:])])
            turn[members] = _product(np.tile(turn[by], (len(members), 1)), world)
            place = _turned(np.tile(turn[by], (len(members), 1)), x[members] + own[:, :3]) + shift[by]
            shift[members] = place - _turned(turn[members], x[members])
        turn, shift = turn[self.head][:n], shift[self.head][:n]
        q, planar = q.copy(), r.planar.astype(bool)
        where = r.q_start.astype(int)
        place = _turned(turn, x[:n]) + shift
        flat, space = where[planar], where[~planar]
        q[flat], q[flat + 1] = place[planar, 0], place[planar, 1]
        q[flat + 2] += 2.0 * np.arctan2(turn[planar, 3], turn[planar, 0])
        for c in range(3):
            q[space + c] = place[~planar, c]
        old = q[space[:, None] + np.arange(3, 7)]
        new = _product(turn[~planar], old)
        q[space[:, None] + np.arange(3, 7)] = new / np.linalg.norm(new, axis=1)[:, None]
        return q

    def _moved(self, own, drawn, found):
        """What was moved to close: of each block whose own rows gape as drawn (`own`), its joints and bodies."""
        driving = np.array([getattr(self.model.joints[name], "kind", "") in DRIVES for name in self.row_joint], bool)
        row_part = np.array([self.joints[name] for name in self.row_joint], int)
        asked = {*self.wish_part.tolist(), *row_part[driving].tolist()}
        gaping = set(row_part[own & ~driving].tolist())
        bodies, moved, sums = list(self.number), [], {}
        for owner, k, unit, change in zip(
            self.coordinates.owner, self.owner_part, self.coordinates.unit, self.coordinates.change, strict=True
        ):
            if k in gaping and hasattr(owner, "kind"):
                sums.setdefault(owner, (np.zeros(2), k in asked))[0][UNITS.index(unit)] += change**2
        for joint, (squares, wished) in sums.items():
            moved.append(self._largest("joint", joint.name, np.sqrt(squares), wished))
        (x_0, R_0), (x, R) = drawn, found
        for anchor, members, k in self.blocks:
            if k in gaping:
                before, after = (x_0[members] - x_0[anchor]) @ R_0[anchor], (x[members] - x[anchor]) @ R[anchor]
                apart = R_0[anchor].T @ R_0[members] - R[anchor].T @ R[members]
                turn = 2.0 * np.arcsin(np.minimum(1.0, np.linalg.norm(apart, axis=(1, 2)) / np.sqrt(8.0)))
                for b, *by in zip(members.tolist(), np.linalg.norm(after - before, axis=1), turn, strict=True):
                    moved.append(self._largest("body", bodies[b].name, by, k in asked))
        return tuple(sorted((m for m in moved if m.size > CLOSING), key=lambda m: -m.size))

    def _largest(self, what, name, by, wished):
        """The Moved of a shift (m) and a turn (rad), whichever is larger in natural sizes."""
        sizes = float(by[0]) / self.r.length, float(by[1])
        which = int(sizes[1] > sizes[0])
        return Moved(what, name, float(by[which]), UNITS[which], sizes[which], wished)


def _product(p, q):
    """Products of quaternions (n, 4)."""
    w = p[:, 0] * q[:, 0] - np.sum(p[:, 1:] * q[:, 1:], axis=1)
    vector = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])
    return np.column_stack([w, vector])


def _turned(p, v):
    """Vectors (n, 3) turned by unit quaternions (n, 4)."""
    twice = 2.0 * np.cross(p[:, 1:], v)
    return v + p[:, :1] * twice + np.cross(p[:, 1:], twice)
