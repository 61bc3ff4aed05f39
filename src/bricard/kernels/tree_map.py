"""From relative to absolute coordinates: samples of q and v of a tree as those of its bodies."""

import math

from ..compiled.pointers import compiled
from .tree import place_space
from .tree_planar import place_plane


@compiled
def quaternion_of_matrix(rotation, b):
    """Unit quaternion of the rotation matrix in row b, from its largest part."""
    xx, yy, zz = rotation[b, 0], rotation[b, 4], rotation[b, 8]
    w, x, y, z = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    i, j, k = rotation[b, 7] - rotation[b, 5], rotation[b, 2] - rotation[b, 6], rotation[b, 3] - rotation[b, 1]
    xy, xz = rotation[b, 1] + rotation[b, 3], rotation[b, 2] + rotation[b, 6]
    yz = rotation[b, 5] + rotation[b, 7]
    if w >= x and w >= y and w >= z:
        p = (w, i, j, k)
    elif x >= y and x >= z:
        p = (i, x, xy, xz)
    elif y >= z:
        p = (j, xy, y, yz)
    else:
        p = (k, xz, yz, z)
    s = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return s * p[0], s * p[1], s * p[2], s * p[3]


@compiled
def to_absolute(q, v, system, work, base, out_q, out_v):
    """Samples q (n, n_q), v (n, n_v) as those of the base."""
    places, columns, planar, n = base.q_start, base.column, base.planar, base.n_bodies
    x, rotation, velocity = work.x, work.rotation, work.velocity
    for sample in range(q.shape[0]):
        if system.tree.planar:
            place_plane(0.0, q[sample], v[sample], 0, system, work)
        else:
            place_space(0.0, q[sample], v[sample], 0, system, work)
        for b in range(n):
            o, u = places[b], columns[b, 0]
            out_q[sample, o], out_q[sample, o + 1] = x[b, 0], x[b, 1]
            out_v[sample, u], out_v[sample, u + 1] = velocity[b, 0], velocity[b, 1]
            if planar[b]:
                out_q[sample, o + 2] = math.atan2(rotation[b, 3], rotation[b, 0])
                out_v[sample, u + 2] = velocity[b, 5]
                continue
            out_q[sample, o + 2], out_v[sample, u + 2] = x[b, 2], velocity[b, 2]
            p = quaternion_of_matrix(rotation, b)
            for c in range(4):
                out_q[sample, o + 3 + c] = p[c]
            for c in range(3):
                out_v[sample, u + 3 + c] = velocity[b, 3 + c]
