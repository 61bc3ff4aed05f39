"""Lagrangian rotation parameters: from a system with group coordinates to one with v = q' (kernels/lagrangian.py).

Elements and their kernels stay as they are: they write entries along turns in body axes, into the first part of g, k, d, f.
These entries have no place in the matrices; behind them come the entries in the parameters, which are made of them.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ..compiled import records
from ..compiled.interfaces import METHODS
from ..compiled.pointers import table
from ..errors import ModelError, suggest
from ..kernels.direct import kinematics_directly, retract_directly
from ..kernels.lagrangian import evaluate_parameters, map_parameters, place_bodies_by_parameters, to_group
from ..kernels.rotation_sets import LOST, NAMES, QUATERNION, parameters_of, regularity, turning_map
from ..linalg import sparse
from ..linalg.kkt import sparse_accelerations
from .collect import Row
from .regularise import MASSLESS
from .tree_map import from_absolute, in_absolute

GROUP = "group"
ROTATIONS = (GROUP, *NAMES)
WORDS = {
    "quaternion": "unit quaternion",
    "euler-zxz": "Euler angles zxz",
    "cardan": "Cardan angles",
    "gibbs": "Gibbs parameters",
    "euler-rodrigues": "reduced Euler-Rodrigues parameters",
    "rotation-vector": "rotation vector",
    "wiener-milenkovic": "Wiener-Milenkovic parameters",
}
NEAR = 0.05  # a run that fails with a smaller regularity has met the singular position of its parameters


def with_rotation(base, rotation):
    """The system of `base` with the rotation parameters of that name; the base itself for "group"."""
    if rotation not in ROTATIONS:
        known = ", ".join(ROTATIONS)
        raise ModelError(f'Unknown rotation "{rotation}".{suggest(rotation, ROTATIONS)} Known: {known}.')
    return base if rotation == GROUP else _Lagrangian(base, rotation).system()


def in_group(system, q, v=None) -> tuple[Any, Any, Any]:
    """The system in absolute coordinates with unit quaternions, and samples of q (n, n_q) and v (n, n_v) in its coordinates."""
    base = system.base
    if base is None:
        return system, q, v
    n = len(q)
    v = np.zeros((n, system.n_v)) if v is None else v
    q, v = (np.array(x, float, order="C") for x in (q, v))
    if system.tree:
        return base, *in_absolute(system, q, v)
    out_q, out_v = np.zeros((n, base.n_q)), np.zeros((n, base.n_v))
    to_group(q, v, system.compiled, base.compiled, out_q, out_v)
    return base, out_q, out_v


def from_group(system, q, v, near=None):
    """q (n_q,) and v (n_v,) of a system with rotation parameters or relative coordinates, from those of its base.

    Refuses singular positions of the parameters.

    near : (n_q,), where turns and covers are to be counted from.
    """
    if system.tree:
        return from_absolute(system, q, v, near)
    base, r, chart = system.base, system.record, system.record.chart
    out_q, out_v = np.zeros(r.n_q), np.zeros(r.n_v)
    for b, name in enumerate(system.model.bodies):
        i, o, u = int(r.q_start[b]), int(base.record.q_start[b]), int(base.record.column[b, 0])
        out_q[i : i + 3], out_v[i : i + 3] = q[o : o + 3], v[u : u + 3]
        if not r.planar[b]:
            known = None if near is None else near[i + 3 : i + 3 + chart.size]
            p = parameters_of(chart.kind, q[o + 3 : o + 7], known)
            whole = _whole(p)
            if not regularity(chart.kind, whole) > LOST:
                raise ModelError(
                    f'The {WORDS[system.rotation]} of body "{name}" are singular where it starts: use rotation="group", '
                    'rotation="quaternion" or other parameters, or draw the body in a frame that is turned otherwise.'
                )
            out_q[i + 3 : i + 3 + p.size] = p
            H = np.array(turning_map(chart.kind, whole))[:, : p.size]
            out_v[i + 3 : i + 3 + p.size] = np.linalg.pinv(H) @ v[u + 3 : u + 6]
    return out_q, out_v


def lost_parameters(system, q):
    """What to say of the body whose parameters are nearest to their singular position, and their regularity; or None, 1."""
    if system.base is None or system.tree or not np.isfinite(q).all():
        return None, 1.0
    r, worst, name = system.record, 1.0, None
    for b, body in enumerate(system.model.bodies):
        if not r.planar[b]:
            o = int(r.q_start[b]) + 3
            value = float(regularity(r.chart.kind, _whole(q[o : o + r.chart.size])))
            if value < worst:
                worst, name = value, f'the {WORDS[system.rotation]} of body "{body}"'
    return name, worst


def _whole(p):
    """The tuple of four numbers that the functions of a set take."""
    return (*(float(x) for x in p), 0.0)[:4]


class _Lagrangian:
    """Numbers and patterns of the system with rotation parameters."""

    def __init__(self, base, rotation):
        self.base, self.rotation, self.kind = base, rotation, NAMES.index(rotation)
        r = base.record
        self.n, self.planar = r.n_bodies, r.planar.astype(bool)
        self.spatial = np.flatnonzero(~self.planar)
        self.size = 4 if self.kind == QUATERNION else 3
        self.start = np.concatenate([[0], np.cumsum(np.where(self.planar, 3, 3 + self.size))])
        self.n_v = int(self.start[-1])
        self.norms = self.spatial if self.kind == QUATERNION else self.spatial[:0]
        self.n_rows = r.n_rows + self.norms.size
        # of each velocity of the base: its body, whether it is a turn in space, which of three; its place here
        self.body, self.turn = np.zeros(r.n_v + 1, int), np.zeros(r.n_v + 1, int)
        self.part, self.place = np.zeros(r.n_v + 1, int), np.full(r.n_v + 1, self.n_v)
        for b in range(self.n):
            first = int(r.column[b, 0])
            for i in range(3 if self.planar[b] else 6):
                self.body[first + i], self.turn[first + i], self.part[first + i] = b, i // 3, i % 3
                self.place[first + i] = self.start[b] + i if i < 3 else self.n_v

    def columns(self, body, turn):
        """Places of a body's translation (or planar coordinates), or of its parameters."""
        return self.start[body] + (3 + np.arange(self.size) if turn else np.arange(3))

    def constraints(self):
        """Row and column of all entries of G; place of the base's in Turning; row and body of the triples."""
        r = self.base.record
        rows, columns = r.g_row.astype(int), r.g_column.astype(int)
        turning = self.turn[columns] == 1
        triples, inverse = np.unique((rows * self.n + self.body[columns])[turning], return_inverse=True)
        place = np.full(rows.size, 3 * triples.size)
        place[turning] = 3 * inverse + self.part[columns[turning]]
        triple_row, triple_body = triples // self.n, triples % self.n
        own = (self.start[triple_body] + 3)[:, None] + np.arange(self.size)
        norm = (self.start[self.norms] + 3)[:, None] + np.arange(self.size)
        all_rows = [rows, np.repeat(triple_row, self.size), np.repeat(np.arange(r.n_rows, self.n_rows), self.size)]
        all_columns = [self.place[columns], own.ravel(), norm.ravel()]
        return np.concatenate(all_rows), np.concatenate(all_columns), place, triple_row, triple_body

    def blocks(self):
        """The blocks of K and D (n, 4) that contain turns: body of the rows, 1 for its turn; the same for the columns."""
        own = [((2 * b + 1) * self.n + b) * 2 + 1 for b in self.spatial]
        codes = [self._code(which)[0] for which in "kd"]
        codes = np.unique(np.concatenate([np.array(own, int), *(code[code >= 0] for code in codes)]))
        left, right = codes // (2 * self.n), codes % (2 * self.n)
        return codes, np.column_stack([left // 2, left % 2, right // 2, right % 2]).reshape(-1, 4)

    def _code(self, which):
        """The block that each entry of the base's K or D belongs to (-1: none), rows and columns."""
        r = self.base.record
        rows, columns = (getattr(r, f"{which}_{part}").astype(int) for part in ("row", "column"))
        inside = (rows < r.n_v) & (columns < r.n_v) & ((self.turn[rows] == 1) | (self.turn[columns] == 1))
        code = ((2 * self.body[rows] + self.turn[rows]) * self.n + self.body[columns]) * 2 + self.turn[columns]
        return np.where(inside, code, -1), rows, columns

    def tangent(self, which, codes, blocks):
        """Row and column of all entries of K or D; place of the base's in Turning; first entry of each block."""
        code, rows, columns = self._code(which)
        place = np.where(
            code >= 0, 9 * np.searchsorted(codes, code) + 3 * self.part[rows] + self.part[columns], 9 * codes.size
        )
        plain = code < 0
        all_rows = [np.where(plain, self.place[rows], self.n_v)]
        all_columns = [np.where(plain, self.place[columns], self.n_v)]
        first, count = [], rows.size
        for r_body, r_turn, c_body, c_turn in blocks.tolist():
            i, j = self.columns(r_body, r_turn), self.columns(c_body, c_turn)
            all_rows.append(np.repeat(i, j.size))
            all_columns.append(np.tile(j, i.size))
            first.append(count)
            count += i.size * j.size
        return np.concatenate(all_rows), np.concatenate(all_columns), place, np.array(first, int)

    def mass(self):
        """Row, column and value of the entries of M (values of the parameters come later); first entry of each rotation."""
        r = self.base.record
        rows, columns = r.m_row.astype(int), r.m_column.astype(int)
        plain = self.turn[rows] == 0
        all_rows, all_columns = [self.place[rows[plain]]], [self.place[columns[plain]]]
        first, count = np.zeros(self.n, int), int(plain.sum())
        for b in self.spatial:
            own = self.columns(b, 1)
            all_rows.append(np.repeat(own, self.size))
            all_columns.append(np.tile(own, self.size))
            first[b], count = count, count + self.size**2
        values = np.zeros(count)
        values[: plain.sum()] = self.base.mass_values[plain]
        return np.concatenate(all_rows), np.concatenate(all_columns), values, first

    def added(self):
        """Added inertia about the body axes and mass along p (n_bodies, 4), and the diagonal that stands for it (n_v,)."""
        r = self.base.record
        table, diagonal = np.zeros((self.n, 4)), np.zeros(self.n_v + 1)
        diagonal[self.place] = np.append(r.added_mass, 0.0)
        diagonal[self.n_v] = 0.0
        for b in self.spatial:
            extra = r.added_mass[r.column[b, 3:].astype(int)]
            inertia = np.trace(r.inertia[b].reshape(3, 3)) + extra.sum()
            table[b, :3] = extra
            if self.kind == QUATERNION:  # w = 2 p': the mean eigenvalue of M
                table[b, 3] = 4.0 * inertia / 3.0
            own = self.columns(b, 1)
            diagonal[own] = max(extra.max(), MASSLESS * table[b, 3]) * (4.0 if self.kind == QUATERNION else 1.0)
        return table, diagonal[: self.n_v]

    def nodes(self):
        """Nodes in the order of elimination: as in the base, a unit norm right after its body."""
        r, nodes, norm = self.base.record, [], {int(b): i for i, b in enumerate(self.norms)}
        for is_constraint, unknowns in self.base.nodes:
            if is_constraint:
                nodes.append((True, unknowns - r.n_v + self.n_v))
                continue
            b = int(self.body[unknowns[0]])
            nodes.append((False, np.arange(self.start[b], self.start[b + 1])))
            if b in norm:
                nodes.append((True, np.array([self.n_v + 1 + r.n_rows + norm[b]])))
        return nodes

    def forces(self):
        """Where elements add to f: as in v, and behind the dummy for the torques of bodies in space."""
        r = self.base.record
        column = self.place[r.column.astype(int)]
        column[self.spatial, 3:] = self.n_v + 1 + np.arange(3 * self.spatial.size).reshape(-1, 3)
        return column

    def system(self):
        """The System."""
        base, index = self.base, sparse.index
        r, n_v, n_rows = base.record, self.n_v, self.n_rows
        g_row, g_column, g_place, triple_row, triple_body = self.constraints()
        codes, blocks = self.blocks()
        k_row, k_column, k_place, block_k = self.tangent("k", codes, blocks)
        d_row, d_column, d_place, block_d = self.tangent("d", codes, blocks)
        m_row, m_column, mass_values, mass_first = self.mass()
        table_added, diagonal_added = self.added()
        nodes, layout, offset = self.nodes(), n_v + 1 + n_rows, n_v + 1
        real_g, real_k, real_d = g_column < n_v, (k_row < n_v) & (k_column < n_v), (d_row < n_v) & (d_column < n_v)
        pattern = sparse.pattern(
            np.concatenate([m_row, k_row[real_k], d_row[real_d], offset + g_row[real_g]]),
            np.concatenate([m_column, k_column[real_k], d_column[real_d], g_column[real_g]]),
            np.concatenate([unknowns for _, unknowns in nodes]),
            layout,
        )
        g_slot = pattern.slots(offset + g_row, g_column, real_g)
        gt_slot = pattern.slots(g_column, offset + g_row, real_g)
        norm_row = np.full(self.n, n_rows)
        norm_row[self.norms] = np.arange(r.n_rows, n_rows)
        along = table_added[self.norms, 3]
        relative = float(np.max(r.regularisation / r.row_diagonal, initial=1e-15))
        metric = np.ones(n_v + 1)
        metric[self.place] = r.metric
        for b in self.spatial:
            metric[self.columns(b, 1)] = r.metric[int(r.column[b, 3])] * (0.25 if self.kind == QUATERNION else 1.0)
        diagonal, every = np.arange(layout), index(np.arange(n_v))
        none, waste = np.zeros(0, np.uint32), np.zeros((0, 9), np.uint32)
        methods = (
            evaluate_parameters,
            retract_directly,
            kinematics_directly,
            map_parameters,
            sparse_accelerations,
            place_bodies_by_parameters,
        )
        chart = records.Chart(
            kind=self.kind,
            size=self.size,
            norm_entry=r.g_row.size + self.size * triple_row.size,
            g_entries=r.g_row.size,
            k_entries=r.k_row.size,
            d_entries=r.d_row.size,
            norm_row=index(norm_row),
            g_place=index(g_place),
            k_place=index(k_place),
            d_place=index(d_place),
            triple_row=index(triple_row),
            triple_body=index(triple_body),
            block=index(blocks),
            block_k=index(block_k),
            block_d=index(block_d),
            mass_first=index(mass_first),
            added=table_added,
        )
        record = r._replace(
            n_q=n_v,
            n_v=n_v,
            n_rows=n_rows,
            methods=table(METHODS, methods),
            q_start=index(self.start[:-1]),
            group=index(np.zeros(self.n)),
            vectors=np.zeros((0, 2), np.uint32),  # averages over a step are for absolute coordinates
            column=index(self.forces()),
            rotation_slot=waste,
            velocity_level=index(np.append(r.velocity_level, np.zeros(along.size))),
            row_scale=np.append(r.row_scale, np.ones(along.size)),
            regularisation=np.append(r.regularisation, relative / along),
            row_diagonal=np.append(r.row_diagonal, 1.0 / along),
            row_weight=np.append(r.row_weight, np.ones(along.size)),
            refinements=max(r.refinements, 1 if along.size else 0),
            m_row=index(m_row),
            m_column=index(m_column),
            m_slot=pattern.slots(m_row, m_column),
            g_row=index(g_row),
            g_column=index(g_column),
            g_slot=g_slot,
            gt_slot=gt_slot,
            g_upper=np.where(g_slot < pattern.size + pattern.l_row.size, g_slot, gt_slot).astype(np.uint32),
            k_row=index(k_row),
            k_column=index(k_column),
            k_slot=pattern.slots(k_row, k_column, real_k),
            d_row=index(d_row),
            d_column=index(d_column),
            d_slot=pattern.slots(d_row, d_column, real_d),
            diagonal_slot=pattern.slots(diagonal, diagonal, diagonal != n_v),
            added_mass=diagonal_added,
            metric=metric,
            t_row=every,
            t_column=every,
            tq_row=none,
            tq_column=none,
            turn_q=none,
            turn_v=none,
            chart=chart,
        )
        names = list(base.model.bodies)
        norms = tuple(Row(names[b], "unit quaternion", "angle", False, "body") for b in self.norms)
        system = replace(
            base,
            record=record,
            pattern=pattern,
            rows=base.rows + norms,
            mass_values=mass_values,
            base=base,
            rotation=self.rotation,
            entry_body=None,
            nodes=nodes,
        )
        start, _ = from_group(system, base.start, np.zeros(base.n_v))
        return replace(system, start=start)
