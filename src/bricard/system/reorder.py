"""Another order of elimination for the KKT matrix of a system."""

from dataclasses import replace

import numpy as np

from ..linalg import sparse
from ..linalg.ordering import elimination_order


def reordered(system, nodes):
    """The system with its KKT matrix [M G^T; G -epsilon] on a new pattern, eliminated in the order of `nodes`.

    nodes : list of (is a constraint, unknowns). Only M and G have places in it: K and D, whose entries would fill it, go to the
    place that collects what belongs nowhere. For formulations that never factorise them.
    """
    r, offset = system.record, system.n_v + 1
    layout = offset + r.n_rows
    g_row, g_column = offset + r.g_row.astype(int), r.g_column.astype(int)
    m_row, m_column, real = r.m_row.astype(int), r.m_column.astype(int), r.g_column < r.n_v
    rows, columns = np.concatenate([m_row, g_row[real]]), np.concatenate([m_column, g_column[real]])
    pattern = sparse.pattern(
        rows, columns, np.concatenate([np.zeros(0, int), *(unknowns for _, unknowns in nodes)]), layout
    )
    g_slot, gt_slot = pattern.slots(g_row, g_column, real), pattern.slots(g_column, g_row, real)
    diagonal, nowhere = np.arange(layout), np.uint32(pattern.size + 2 * pattern.l_row.size)
    record = r._replace(
        m_slot=pattern.slots(m_row, m_column),
        g_slot=g_slot,
        gt_slot=gt_slot,
        g_upper=np.where(g_slot < pattern.size + pattern.l_row.size, g_slot, gt_slot).astype(np.uint32),
        k_slot=np.full(r.k_slot.size, nowhere),
        d_slot=np.full(r.d_slot.size, nowhere),
        rotation_slot=np.full(r.rotation_slot.shape, nowhere),
        diagonal_slot=pattern.slots(diagonal, diagonal, diagonal != r.n_v),
    )
    return replace(system, record=record, pattern=pattern, nodes=nodes)


def velocities_first(system):
    """Nodes of the KKT matrix: all velocities, then the rows in an order that keeps G M^-1 G^T sparse (minimum degree)."""
    bodies = [unknowns for is_constraint, unknowns in system.nodes if not is_constraint]
    joints = [unknowns for is_constraint, unknowns in system.nodes if is_constraint]
    if not joints:
        return list(system.nodes)
    r = system.record
    joint_of, block_of = np.zeros(r.n_rows, int), _blocks(system)
    for j, unknowns in enumerate(joints):
        joint_of[unknowns - r.n_v - 1] = j
    touched = {}  # block of M -> joints whose rows reach into it
    for row, column in zip(r.g_row.tolist(), r.g_column.tolist(), strict=True):
        if column < r.n_v:
            touched.setdefault(int(block_of[column]), set()).add(int(joint_of[row]))
    neighbours = [set() for _ in joints]
    for near in touched.values():
        for j in near:
            neighbours[j] |= near
    order = elimination_order([unknowns.size for unknowns in joints], [False] * len(joints), neighbours)
    return [(False, unknowns) for unknowns in bodies] + [(True, joints[j]) for j in order]


def _blocks(system):
    """Number of the diagonal block of M that each velocity (n_v,) belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    r = system.record
    entries = (np.ones(r.m_row.size), (r.m_row.astype(int), r.m_column.astype(int)))
    return connected_components(coo_array(entries, shape=(r.n_v, r.n_v)).tocsr(), directed=False)[1]
