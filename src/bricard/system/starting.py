"""Where a start moves from the drawn pose, and how fast: as little as wishes, drives and gaps ask for, joint by joint.

Start coordinates are those of start_coordinates.py: each joint's own, and the poses of bodies that no joint with coordinates
reaches. A block is a two-connected part of the graph whose vertices are the bodies and the ground, and whose edges are joints,
gears, drives, rows and wishes, each joining all of its bodies; blocks hang on each other from the ground outwards.

    * Angles are between -pi and pi as drawn and counted from there: a wish, a drive or a gear for more is gone to all the way
      round. Where the mechanism cannot, or where a block is one joint, they are met up to full turns, which are added then.
    * A block in which nothing is missing does not move: it is carried along with the body that it hangs on.
    * In every other block the rows hold, and the start is a local minimum of the sum of (change / natural size)^2 over all start
      coordinates in it, cut joints included. Where the block is one joint, its other coordinates stay as drawn.
    * What this leaves free is decided by the least kinetic energy (of the steps, of the velocity), each body of the block with
      all that it carries.
    * A group of bodies without a way to the ground stays where one of its bodies stands as drawn: a body with a wish of its own
      if there is one, else the heaviest, of equals the first by name. (A declared free joint is a way to the ground.)
    * Velocities likewise: the least sum of (rate / natural size)^2, then the least kinetic energy.
    * Weighted wishes yield to hard ones and to the rows; they are met as well as these allow, and only then the sum counts.
    * Where the rows that gape have no derivative (parallel axes that shall make an angle), every body of the block takes a step
      of NUDGE rad and NUDGE characteristic lengths first, in directions that depend on its place in the order of names alone.

The sum is lowered by the method of Gauss and Newton. A start coordinate is a row of softness one, a hard row of softness HARD:

    [d M  C^T  G^T ] [step]   [  0  ]
    [C    -1       ] [ .  ] = [-c   ]       d small: the steps between the minima of the sum are those of least kinetic energy
    [G          -e ] [ .  ]   [-Phi ]

A row that sees more of the world than how its bodies stand to each other may gape once its block is carried: then all blocks
are taken as one.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..linalg.kkt import LEFT_OUT, evaluate
from ..model.unchanging import FrozenDict
from .moved import Moved
from .start_blocks import blocks_of
from .start_coordinates import StartCoordinates, counted_joints, cross_matrix, loose_bodies, rotated

TOLERANCE = 1e-11  # scaled gap of a row from which on its block moves
HARD, SOFT, INERTIA = 1e-10, 1e-3, 1e-5  # softness of hard rows, of a wish of weight one; weight of the kinetic energy
LIGHT = 1e-6  # inertia of directions that have less, of the largest
ITERATIONS = 200
CLOSED = 1e-9  # gap of positions up to which a start is taken


class Found(NamedTuple):
    """q or v (n,), scaled gaps of the rows of the system and of the wishes (n_rows + wishes,), and what was moved to close.

    turn (n_measures,), angles : the measures of the system, and angles of joints beyond half a turn, counted from the drawn pose.
    """

    value: np.ndarray
    gap: np.ndarray
    moved: tuple[Moved, ...] = ()
    turn: np.ndarray | None = None
    angles: Mapping = FrozenDict()

    def hard(self, wishes, kept=None):
        """|gap| of all rows and hard wishes, 0 of others; no number counts as infinite."""
        size = np.abs(np.where(np.isfinite(self.gap), self.gap, np.inf))
        size[size.size - wishes.size :][wishes.softness > 0.0] = 0.0
        if kept is not None:
            size[: kept.size][~kept] = 0.0
        return size

    def error(self, wishes, kept=None):
        """The largest of them."""
        return float(self.hard(wishes, kept).max(initial=0.0))


class Search:
    """What is common to positions and velocities: blocks, unknowns, rows, and the equations of a step."""

    def __init__(self, system, t, wishes, kept=None):
        self.system, self.t, self.wishes, self.model = system, float(t), wishes, system.model
        self.r, self.number = system.record, wishes.number
        self.n = len(self.number) - 1
        self.work = system.work()
        self.packed = pack(self.work)
        self.kept = np.ones(self.r.n_rows, bool) if kept is None else kept
        self.row_joint = [row.joint for row in system.rows]
        self.wish_scale = np.array([1.0 / self.r.length if unit == "length" else 1.0 for unit in wishes.units])

    def evaluate(self, q, v):
        """Fill work; the poses x (n + 1, 3), R (n + 1, 3, 3)."""
        evaluate(self.t, q, v, VELOCITY, self.system.compiled, self.packed)
        return self.work.x.copy(), self.work.rotation.reshape(-1, 3, 3).copy()

    def choose(self, gap, drawn, here, one=False):
        """Take the blocks in which a row gapes, by `gap` (n_rows + wishes,) as scaled; their unknowns, rows and coordinates.

        drawn, here : poses as drawn, and where the kinetic energy is that of.
        """
        parts, joints, asked, roots = blocks_of(self.system, self.wishes, self.number, one)
        row_part = np.array([joints[name] for name in self.row_joint], int)
        part_of = np.concatenate([row_part, asked]).astype(int)
        active = np.zeros(len(parts) + 1, bool)
        active[part_of[np.abs(gap) > TOLERANCE]] = True
        active[-1] = False
        home, head, level = np.full(self.n + 1, -1), np.arange(self.n + 1), np.zeros(self.n + 1, int)
        self.blocks = []
        for k, part in enumerate(parts):
            members = np.array(part.vertices, int)
            if active[k]:
                home[members] = k
                level[members] = level[part.anchor] + 1
                self.blocks.append((part.anchor, members, k))
            else:
                head[members] = head[part.anchor]
                level[members] = level[part.anchor]
        self.head, self.home, self.active = head, home, active
        self.rows = np.flatnonzero(active[row_part] & self._imposed() & self.kept) if row_part.size else row_part
        self.asked = np.flatnonzero(active[asked]) if asked.size else asked
        self._unknowns()
        self._inertia(*here)
        self._entries(row_part, asked)
        counted = counted_joints(self.model)
        chosen = [joint for joint in counted if active[joints[joint.name]]]
        bodies = list(self.number)
        loose = {self.number[body] for body in loose_bodies(self.model)} | set(roots)
        poses = [bodies[b] for b in sorted(loose) if home[b] >= 0]
        self.coordinates = StartCoordinates(self.number, chosen, poses, drawn)
        self.owner_part = np.array(
            [joints[o.name] if hasattr(o, "kind") else home[self.number[o]] for o in self.coordinates.owner], int
        )
        length = self.r.length
        self.natural = np.array([length if unit == "length" else 1.0 for unit in self.coordinates.unit])
        self.joints = joints

    def _unknowns(self):
        r = self.r
        moving = np.flatnonzero(self.home[: self.n] >= 0)
        columns = r.column[moving].astype(int)
        real = columns < r.n_v
        self.columns = np.unique(columns[real])
        self.place = np.full(r.n_v + 1, -1)
        self.place[self.columns] = np.arange(self.columns.size)
        self.column_home = np.full(r.n_v + 1, -2)
        self.column_home[columns[real]] = np.repeat(self.home[moving], 6).reshape(-1, 6)[real]
        self.scale = np.where(self.system.translations[self.columns], r.length, 1.0)

    def _inertia(self, x, R):
        """Entries of the kinetic energy: of each body that moves in its block with all that it carries, as one rigid body."""
        r, n = self.r, self.n
        own = R[:n] @ r.inertia.reshape(-1, 3, 3) @ np.swapaxes(R[:n], 1, 2)
        mass, first, turn = np.zeros(n + 1), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
        second = np.zeros((n + 1, 3, 3))  # sums of m, m x, J, m x x^T
        np.add.at(mass, self.head[:n], r.mass)
        np.add.at(first, self.head[:n], r.mass[:, None] * x[:n])
        np.add.at(turn, self.head[:n], own)
        np.add.at(second, self.head[:n], r.mass[:, None, None] * x[:n, :, None] * x[:n, None, :])
        for anchor, members, _ in reversed(self.blocks):
            for total in (mass, first, turn, second):
                total[self.head[anchor]] += total[members].sum(axis=0)
        moving = np.flatnonzero(self.home[:n] >= 0)
        m, c, at, axes = mass[moving], first[moving], x[moving], R[moving]
        shifted = second[moving] - c[:, :, None] * at[:, None, :] - at[:, :, None] * c[:, None, :]
        shifted += m[:, None, None] * at[:, :, None] * at[:, None, :]
        whole = np.zeros((moving.size, 6, 6))
        whole[:, :3, :3] = m[:, None, None] * np.eye(3)
        whole[:, :3, 3:] = -cross_matrix(c - m[:, None] * at) @ axes
        whole[:, 3:, :3] = np.swapaxes(whole[:, :3, 3:], 1, 2)
        spread = np.trace(shifted, axis1=1, axis2=2)[:, None, None] * np.eye(3) - shifted
        whole[:, 3:, 3:] = np.swapaxes(axes, 1, 2) @ (turn[moving] + spread) @ axes
        column = self.place[r.column[moving].astype(int)]
        rows, columns = (np.broadcast_to(part, whole.shape) for part in (column[:, :, None], column[:, None, :]))
        real = (rows >= 0) & (columns >= 0) & (whole != 0.0)
        self.m_row, self.m_column = rows[real], columns[real]
        values = whole[real] * self.scale[self.m_row] * self.scale[self.m_column]
        largest = float(values[self.m_row == self.m_column].max(initial=0.0)) or 1.0
        self.mass = INERTIA * values / largest
        diagonal = np.zeros(self.columns.size)
        same = self.m_row == self.m_column
        diagonal[self.m_row[same]] = self.mass[same]
        self.floor = np.where(diagonal < INERTIA * LIGHT, INERTIA * LIGHT, 0.0)

    def _entries(self, row_part, asked):
        """Which entries of g belong to the unknowns of their row's block, and where."""
        r = self.r
        number = np.full(r.n_rows, -1)
        number[self.rows] = np.arange(self.rows.size)
        rows, columns = r.g_row.astype(int), r.g_column.astype(int)
        own = (number[rows] >= 0) & (self.column_home[columns] == row_part[rows]) if rows.size else np.zeros(0, bool)
        self.g_own, self.g_row, self.g_column = np.flatnonzero(own), number[rows[own]], self.place[columns[own]]
        self.g_scale = r.row_scale[rows[own]] * self.scale[self.g_column]
        self.wish_part = asked

    def slopes(self, values, part, natural, R):
        """Entries (row, column, value) of derivatives by the unknowns, in natural sizes."""
        slope = values.slope.copy()
        for side in (0, 1):
            turn = slice(6 * side + 3, 6 * side + 6)
            slope[:, turn] = rotated(np.swapaxes(R[values.bodies[:, side]], 1, 2), slope[:, turn])
        columns = self.r.column[values.bodies].reshape(-1, 12).astype(int)
        rows = np.repeat(np.arange(len(slope)), 12).reshape(-1, 12)
        own = (self.column_home[columns] == part[:, None]) & (slope != 0.0)
        column = self.place[columns[own]]
        return rows[own], column, slope[own] * self.scale[column] / natural[rows[own]]

    def equations(self, blocks, softness):
        """The factorised matrix of a step: blocks of rows as entries, and the softness of each row."""
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        m, first = self.columns.size, self.columns.size
        rows, columns, entries = [self.m_row, np.arange(m)], [self.m_column, np.arange(m)], [self.mass]
        entries.append(self.floor)
        for (row, column, value), count in blocks:
            rows += [first + row, column]
            columns += [column, first + row]
            entries += [value, value]
            first += count
        diagonal = np.arange(m, first)
        rows.append(diagonal)
        columns.append(diagonal)
        entries.append(-softness)
        matrix = csc_array(
            (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=(first, first)
        )
        return splu(matrix)

    def _step(self, blocks, change, gap, softness):
        """The step (unknowns,) that closes gaps, and behind it the one that lowers the sum."""
        m, ones, hard = self.columns.size, np.ones(len(change)), np.full(len(gap), HARD)
        solve = other = self.equations(blocks, np.concatenate([ones, hard])).solve
        pulls, yielding = 0.0, hard.copy()
        if softness.any():  # of weighted wishes no more is kept than what closing leaves
            yielding[len(gap) - len(softness) :] = np.where(softness > 0.0, SOFT * softness, HARD)
            other = self.equations(blocks, np.concatenate([ones, yielding])).solve
            pulls = HARD * np.where(yielding == HARD, self.pulls, 0.0)
        found = other(np.concatenate([np.zeros(m), 0.0 * change, -gap - pulls]))
        closing, self.pulls = found[:m], found[m + len(change) :]
        row, column, value = blocks[0][0]
        there = change + np.bincount(row, value * closing[column], len(change))
        found = solve(np.concatenate([np.zeros(m), -there, -HARD * self.multipliers]))
        lowering, self.multipliers = found[:m], found[m + len(change) :]
        return closing, lowering

    def _closing(self, blocks, gap, softness):
        """The step (unknowns,) that closes hard rows, whatever that does to weighted wishes: they pull no more."""
        m, count = self.columns.size, blocks[0][1]
        soft = np.concatenate([np.ones(count), np.full(len(gap), HARD)])
        soft[soft.size - len(softness) :][softness > 0.0] = LEFT_OUT
        return self.equations(blocks, soft).solve(
            np.concatenate([np.zeros(m + count), np.where(soft[count:] == HARD, -gap, 0.0)])
        )[:m]

    def _imposed(self):
        """Which rows of the system count."""
        return np.ones(self.r.n_rows, bool)
