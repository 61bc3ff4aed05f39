"""Relative coordinates: from the elements of a model and its spanning tree to a System (kernels/tree.py).

Elements and their kernels stay as they are: they write entries along the directions of bodies, into the first part of g, k, d and
behind the dummy of f. These entries have no place in the matrices; behind them come those in joint coordinates, which are made of
them. M has entries for two velocities of which one lies on the way from the ground to the other; G where a row depends on a body
beyond the velocity, as far as the row's bodies have no common way.
"""

from dataclasses import replace

import numpy as np

from ..compiled import records
from ..compiled.interfaces import METHODS, TREE_JOINT
from ..compiled.pointers import address_of, table
from ..kernels.articulated import articulated_accelerations
from ..kernels.tree import evaluate_tree, kinematics_tree, map_tree, place_tree, retract_tree
from ..linalg import sparse
from ..linalg.kkt import sparse_accelerations
from ..linalg.ordering import candidate_orders
from .elements import CONSTRAINT, TYPES
from .regularise import check_open
from .tree import checked_cut, depths, in_sections, spanning_tree
from .tree_map import from_absolute
from .turns import element_memory, tree_coordinates

# sums of squared depths, about the products of an elimination of M: of open trees with more than that M is never made, they
# have articulated inertias only; closed ones are divided before they get slow
OPEN, CLOSED = 3e7, 3e5


def relative(model, base, cut=()):
    """The system of a model in relative coordinates; `base` is the one in absolute coordinates."""
    from .build import assemble_records, well_ordered

    nodes = spanning_tree(model, cut)
    collection = _without_tree(model, nodes)
    if collection.rows and _products(model, nodes) > CLOSED:
        nodes = in_sections(model, nodes)
        collection = _without_tree(model, nodes)
    loose = replace(assemble_records(model, collection), cut=checked_cut(model, cut))
    parts = _Relative(model, base, nodes, collection, loose)
    return well_ordered(parts.system, collection.groups) if parts.factorised else check_open(parts.system())


def _without_tree(model, nodes):
    """All elements but those of the joints in the tree."""
    from .build import collect

    return collect(model, without=frozenset(node.joint.name for node in nodes if node.joint is not None))


def _products(model, nodes):
    return float(np.sum(np.repeat(depths(model, nodes), [node.motion.n_v for node in nodes]).astype(float) ** 2))


class _Relative:
    """Numbers and patterns of the system in relative coordinates."""

    def __init__(self, model, base, nodes, collection, loose):
        self.model, self.base, self.nodes, self.collection, self.loose = model, base, nodes, collection, loose
        self.n, bodies = len(nodes), list(model.bodies.values())
        number = {body: b for b, body in enumerate(bodies)}
        self.node = {node.body: i for i, node in enumerate(nodes)} | {model.ground: self.n}
        self.body = np.array([number[node.body] for node in nodes])
        self.parent = np.array([self.node[node.parent] for node in nodes])
        self.q_first = np.concatenate([[0], np.cumsum([node.motion.n_q for node in nodes])]).astype(int)
        self.v_first = np.concatenate([[0], np.cumsum([node.motion.n_v for node in nodes])]).astype(int)
        self.n_q, self.n_v = int(self.q_first[-1]), int(self.v_first[-1])
        self.sizes = np.diff(self.v_first)
        self.node_of = np.repeat(np.arange(self.n), self.sizes)
        self.depth, self.end = depths(model, nodes), np.arange(1, self.n + 1)
        for i in range(self.n - 1, -1, -1):
            if self.parent[i] < self.n:
                self.end[self.parent[i]] = max(self.end[self.parent[i]], self.end[i])
        self.factorised = bool(collection.rows) or _products(model, nodes) <= OPEN
        # of each velocity of the loose bodies: its node, and which of six
        r = loose.record
        self.of_column, self.part = np.full(r.n_v + 1, self.n), np.zeros(r.n_v + 1, int)
        place = {body: i for i, body in enumerate(self.body.tolist())}
        for b in range(self.n):
            for part, column in enumerate(r.column[b].astype(int)):
                if column < r.n_v:
                    self.of_column[column], self.part[column] = place[b], part

    def way(self, node, stop=None):
        """Nodes from `node` towards the ground, before `stop`."""
        found = []
        while node != self.n and node != stop:
            found.append(node)
            node = self.parent[node]
        return found

    def along(self, nodes):
        """Velocities of nodes, in their order."""
        parts = [np.arange(int(self.v_first[i]), int(self.v_first[i + 1])) for i in nodes]
        return np.concatenate(parts) if parts else np.zeros(0, int)

    def stops(self):
        """For each row the last common node of its bodies, where it depends on how they stand to each other only; n: none."""
        found = np.full(len(self.collection.rows), self.n)
        # a gap in world axes turns with both bodies, so that its rows depend on common turns where they are not satisfied
        invariant = {id(kind) for name, kind in TYPES.items() if not name.startswith("coincide")}
        for element in self.collection.elements:
            if element.type.stage == CONSTRAINT and id(element.type) in invariant:
                ways = [self.way(self.node[body])[::-1] for body in dict.fromkeys(element.bodies)]
                common = self.n
                for level in zip(*ways, strict=False):
                    if len(set(level)) > 1:
                        break
                    common = level[0]
                found[element.row : element.row + element.type.rows] = common
        return found

    def constraints(self):
        """Row and column of all entries of G; place of the loose ones; row, node, stop and first entry of the pulls."""
        r = self.loose.record
        rows, columns = r.g_row.astype(int), r.g_column.astype(int)
        real = columns < r.n_v
        pulls, inverse = np.unique((rows * self.n + self.of_column[columns])[real], return_inverse=True)
        place = np.full(rows.size, 6 * pulls.size)
        place[real] = 6 * inverse + self.part[columns[real]]
        pull_row, pull_node = pulls // max(self.n, 1), pulls % max(self.n, 1)
        stop = self.stops()[pull_row] if pulls.size else np.zeros(0, int)
        ways = [self.along(self.way(node, end)) for node, end in zip(pull_node.tolist(), stop.tolist(), strict=True)]
        lengths = np.array([way.size for way in ways], int)
        first = rows.size + np.cumsum(lengths) - lengths
        none = np.zeros(0, int)
        all_rows = np.concatenate([rows, np.repeat(pull_row, lengths)])
        all_columns = np.concatenate([np.full(rows.size, self.n_v), *(ways or [none])])
        return all_rows, all_columns, place, pull_row, pull_node, stop, first

    def mass(self):
        """Row and column of the entries of M in the order of kernels/tree.py."""
        rows, columns = [np.zeros(0, int)], [np.zeros(0, int)]
        for i in range(self.n - 1, -1, -1) if self.factorised else ():
            own, above = self.along([i]), self.along(self.way(i)[1:])
            for j in own:
                pair = np.column_stack([np.full(above.size, j), above])
                rows += [np.full(own.size, j), pair.ravel()]
                columns += [own, pair[:, ::-1].ravel()]
        return np.concatenate(rows), np.concatenate(columns)

    def tangent(self, m_row, m_column):
        """Blocks (n, 2) of nodes, places of the loose entries of K and D, and rows of K and D by columns."""
        r, codes = self.loose.record, []
        entries = {}
        for which in "kd":
            rows, columns = (getattr(r, f"{which}_{part}").astype(int) for part in ("row", "column"))
            real = (rows < r.n_v) & (columns < r.n_v)
            code = self.of_column[rows] * (self.n + 1) + self.of_column[columns]
            entries[which] = rows, columns, real, code
            codes.append(code[real])
        blocks = np.unique(np.concatenate(codes))
        places = {}
        for which, (rows, columns, real, code) in entries.items():
            inner = 6 * self.part[rows] + self.part[columns]
            places[which] = np.where(real, 36 * np.searchsorted(blocks, code) + inner, 36 * blocks.size)
        pairs = np.column_stack([blocks // (self.n + 1), blocks % (self.n + 1)]).reshape(-1, 2)
        if not self.factorised:
            none = np.zeros(0, int)
            return np.zeros((0, 2), int), places["k"] * 0, places["d"] * 0, np.zeros(self.n_v + 1, int), none
        found = [m_column * self.n_v + m_row]
        for i, j in pairs.tolist():
            left, right = self.along(self.way(i)), self.along(self.way(j))
            found.append((right[:, None] * self.n_v + left).ravel())
        whole = np.unique(np.concatenate(found))
        column, row = (whole // self.n_v, whole % self.n_v) if self.n_v else (whole, whole)
        start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=self.n_v))]).astype(int)
        return pairs, places["k"], places["d"], start, row

    def orders(self, entries, delayed):
        """Candidates of the order of elimination: lists of (is a constraint, unknowns)."""
        groups, offset = self.collection.groups, self.n_v + 1
        moving = np.flatnonzero(self.sizes)
        unknowns = [self.along([i]) for i in moving]
        unknowns += [np.arange(offset + first, offset + last) for first, last, _ in groups]
        node = np.zeros(offset + len(self.collection.rows), int)
        for k, members in enumerate(unknowns):
            node[members] = k
        pairs = np.unique(np.column_stack([node[entries[0]], node[entries[1]]]), axis=0)
        neighbours = [set() for _ in unknowns]
        for a, b in pairs.tolist():
            neighbours[a].add(b)
            neighbours[b].add(a)
        kinds = [False] * moving.size + [True] * len(groups)
        late = frozenset(moving.size + j for j in delayed)
        for order in candidate_orders([u.size for u in unknowns], kinds, neighbours, late, hung=True):
            yield [(kinds[k], unknowns[k]) for k in order]

    def forces(self):
        """Where elements add to f: three or six places for each body behind the dummy."""
        column, place = np.full((self.n + 1, 6), self.n_v), self.n_v + 1
        for b, body in enumerate(self.model.bodies.values()):
            parts = (0, 1, 5) if body.planar else range(6)
            column[b, list(parts)] = place + np.arange(len(parts))
            place += len(parts)
        return column

    def kinematics(self):
        """Places of plain coordinates in q and v, and of quaternions and their angular velocities."""
        plain_q, plain_v, turn_q, turn_v = [], [], [], []
        for i, node in enumerate(self.nodes):
            plain = node.motion.n_v - (3 if node.motion.quaternion else 0)
            plain_q += range(self.q_first[i], self.q_first[i] + plain)
            plain_v += range(self.v_first[i], self.v_first[i] + plain)
            if node.motion.quaternion:
                turn_q.append(self.q_first[i] + plain)
                turn_v.append(self.v_first[i] + plain)
        return tuple(np.array(places, int) for places in (plain_q, plain_v, turn_q, turn_v))

    def tree(self, g, k, plain_q, plain_v):
        """The Tree record."""
        _, _, g_place, pull_row, pull_node, pull_stop, pull_first = g
        block, k_place, d_place, k_start, k_dof = k
        index, motions = sparse.index, [node.motion for node in self.nodes]
        kernels = list(dict.fromkeys(motion.kernel for motion in motions))
        members = [[i for i, motion in enumerate(motions) if motion.kernel is kernel] for kernel in kernels]
        frames = [
            np.concatenate([m.frame_a[0], m.frame_a[1].ravel(), m.frame_b[0], m.frame_b[1].ravel()]) for m in motions
        ]
        planar = all(node.body.planar for node in self.nodes)
        places, measures = tree_coordinates(self.nodes, self.q_first), self.loose.measures
        own = [(number, places[measure]) for number, measure in enumerate(measures) if measure in places]
        first = dict(zip((node.joint for node in self.nodes), self.q_first, strict=False))
        known = [
            (element_memory(self.loose.record, number), first[joint], joint.what.numbers)
            for number, joint in ((number, measures[number].joint) for number, _ in own)
            if joint is not None
        ]
        return records.Tree(
            planar=int(planar),
            g_entries=g_place.size,
            k_entries=k_place.size,
            d_entries=d_place.size,
            body=index(self.body),
            parent=index(self.parent),
            end=index(self.end),
            q_first=index(self.q_first),
            v_first=index(self.v_first),
            depth=index(self.depth),
            node_of=index(self.node_of),
            frame=np.array(frames).reshape(-1, 24),
            kernels=np.array([address_of(TREE_JOINT, kernel) for kernel in kernels], np.int64),
            first=np.concatenate([[0], np.cumsum([len(own) for own in members])]).astype(np.int64),
            members=index([i for own in members for i in own]),
            parameter=index(np.concatenate([[0], np.cumsum([len(m.parameters) for m in motions])])),
            memory=index(np.concatenate([[0], np.cumsum([m.memory for m in motions])])),
            parameters=np.array([x for m in motions for x in m.parameters], float),
            motion=np.concatenate([m.motion.reshape(-1, 6) for m in motions]),
            plain_q=index(plain_q),
            plain_v=index(plain_v),
            g_place=index(g_place),
            k_place=index(k_place),
            d_place=index(d_place),
            pull_row=index(pull_row),
            pull_node=index(pull_node),
            pull_stop=index(pull_stop),
            pull_first=index(pull_first),
            block=index(block),
            k_start=index(k_start),
            k_dof=index(k_dof),
            turned=index([pair for pair in own if self.loose.measures[pair[0]].kind == "angle"]).reshape(-1, 2),
            known=index(known).reshape(-1, 3),
        )

    def system(self, delayed=frozenset()):
        """The System; `delayed` are groups of rows to be eliminated late."""
        r, index, n_v, n_rows = self.loose.record, sparse.index, self.n_v, len(self.collection.rows)
        offset, layout = n_v + 1, n_v + 1 + n_rows
        g, (m_row, m_column) = self.constraints(), self.mass()
        k = self.tangent(m_row, m_column)
        plain_q, plain_v, turn_q, turn_v = self.kinematics()
        k_start, k_dof = k[3], k[4]
        own_column = np.repeat(np.arange(n_v), np.diff(k_start))
        k_row, d_row = (np.concatenate([np.full(count, n_v), k_dof]) for count in (r.k_row.size, r.d_row.size))
        k_column, d_column = (
            np.concatenate([np.full(count, n_v), own_column]) for count in (r.k_row.size, r.d_row.size)
        )
        g_row, g_column = g[:2]
        real_g, real_k, real_d = g_column < n_v, k_row < n_v, d_row < n_v
        entries = (
            np.concatenate([m_row, k_dof, offset + g_row[real_g]]),
            np.concatenate([m_column, own_column, g_column[real_g]]),
        )
        if self.factorised:
            candidates = [
                (nodes, sparse.pattern(*entries, np.concatenate([np.zeros(0, int), *(u for _, u in nodes)]), layout))
                for nodes in self.orders(entries, delayed)
            ]
            nodes, pattern = min(candidates, key=lambda pair: pair[1].t_start[-1])
        else:
            nodes, pattern = [], sparse.no_pattern(layout)
        g_slot, gt_slot = (
            pattern.slots(offset + g_row, g_column, real_g),
            pattern.slots(g_column, offset + g_row, real_g),
        )
        diagonal = np.arange(layout)
        t_row = np.concatenate([plain_q, np.repeat(turn_q, 12) + np.tile(np.repeat(np.arange(4), 3), turn_q.size)])
        t_column = np.concatenate([plain_v, np.repeat(turn_v, 12) + np.tile(np.tile(np.arange(3), 4), turn_v.size)])
        tq_row = np.repeat(turn_q, 16) + np.tile(np.repeat(np.arange(4), 4), turn_q.size)
        tq_column = np.repeat(turn_q, 16) + np.tile(np.tile(np.arange(4), 4), turn_q.size)
        units = [unit for node in self.nodes for unit in node.motion.units]
        metric = np.append(np.where([unit == "length" for unit in units], 1.0, r.length**-2.0), 1.0)
        open_tree = n_rows == 0 and not (r.mass == 0.0).any()
        accelerate = articulated_accelerations if open_tree or not self.factorised else sparse_accelerations
        methods = (evaluate_tree, retract_tree, kinematics_tree, map_tree, accelerate, place_tree)
        grid = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
        turns = turn_v[:, None] + grid[0], turn_v[:, None] + grid[1]
        record = r._replace(
            n_q=self.n_q,
            n_v=n_v,
            methods=table(METHODS, methods),
            q_start=index(np.zeros(self.n)),
            group=index(np.zeros(self.n)),
            vectors=np.zeros((0, 2), np.uint32),  # averages over a step are for absolute coordinates
            column=index(self.forces()),
            rotation_slot=pattern.slots(
                turns[0].ravel(), turns[1].ravel(), np.full(9 * turn_v.size, self.factorised)
            ).reshape(-1, 9),
            regularisation=np.zeros(n_rows),
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
            diagonal_slot=pattern.slots(diagonal, diagonal, (diagonal != n_v) & self.factorised),
            added_mass=np.zeros(n_v),
            metric=metric,
            row_diagonal=np.ones(n_rows),
            row_weight=np.ones(n_rows),
            t_row=index(t_row),
            t_column=index(t_column),
            tq_row=index(tq_row),
            tq_column=index(tq_column),
            turn_q=index(turn_q),
            turn_v=index(turn_v),
            tree=self.tree(g, k, plain_q, plain_v),
        )
        system = replace(
            self.loose,
            record=record,
            pattern=pattern,
            mass_values=np.zeros(m_row.size),
            keep=(*self.loose.keep, *(node.motion.kernel for node in self.nodes)),
            nodes=nodes,
            entry_body=None,
            base=self.base,
            tree=tuple(self.nodes),
        )
        return replace(system, start=from_absolute(system, self.base.start, np.zeros(self.base.n_v))[0])
