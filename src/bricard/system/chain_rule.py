"""From derivatives along the directions of v to derivatives in q: dF/dq = (dF along v) T+."""

import numpy as np

from ..linalg.sparse import index


def chain_rule(system):
    """The system with the pairs of entries of G and T+, and of K and T+, whose products are derivatives in q."""
    r = system.record
    if r.gq_entry.size:
        return system
    order = np.argsort(r.t_column, kind="stable")
    start = np.searchsorted(r.t_column[order], np.arange(r.n_v + 2))

    def pairs(columns):
        columns = np.minimum(columns.astype(np.int64), r.n_v)
        count = start[columns + 1] - start[columns]
        count[columns == r.n_v] = 0
        entry = np.repeat(np.arange(columns.size), count)
        within = np.arange(entry.size) - np.repeat(np.cumsum(count) - count, count)
        return index(entry), index(order[np.repeat(start[columns], count) + within])

    (gq_entry, gq_map), (kq_entry, kq_map) = pairs(r.g_column), pairs(r.k_column)
    return system.with_record(gq_entry=gq_entry, gq_map=gq_map, kq_entry=kq_entry, kq_map=kq_map)
