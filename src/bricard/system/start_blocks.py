"""The graph of a model at its start: bodies joined by joints, gears, drives, rows and wishes, and its two-connected parts."""

import numpy as np

from .start_coordinates import measuring_joints
from .two_connected import Part, two_connected_parts


def blocks_of(system, wishes, number, one=False):
    """All blocks of a model with these wishes, the block of each joint by name and of each wish row, roots of floating groups.

    one : everything in one block.
    """
    model, ground = system.model, len(number) - 1
    edges, names = [], {}

    def add(bodies):
        ends = tuple(dict.fromkeys(bodies))
        if len(ends) < 2:
            return -1
        edges.append(ends)
        return len(edges) - 1

    measuring = measuring_joints(model)
    for name, joint in model.joints.items():
        names[name] = -1 if name in measuring else add(number[body] for body in joint.bodies)
    asked = [add(ends) for ends in wishes.edges(ground)]
    joined = edges[: len(edges) - sum(edge >= 0 for edge in asked)] + [
        edges[edge] for edge, name in zip(asked, wishes.names, strict=True) if "body" not in name.split('"')[0]
    ]
    in_plane = np.array([body.stays_in_plane for body in number])
    mixed = {b for ends in edges if not in_plane[list(ends)].all() for b in ends if in_plane[b] and b != ground}
    for b in sorted(mixed):
        add((b, ground))
        joined.append((b, ground))
    bodies, wished = list(number), {pose[1] for pose in wishes.poses}
    roots = []
    for group in _groups(len(number), joined):
        if ground not in group:
            chosen = [b for b in group if b in wished] or group
            roots.append(min(chosen, key=lambda b: (-bodies[b].mass, bodies[b].name)))
            add((roots[-1], ground))
    parts = (
        [Part(ground, tuple(range(ground)), tuple(range(len(edges))))]
        if one
        else two_connected_parts(len(number), edges, ground)
    )
    block = np.full(len(edges) + 1, -1)
    for k, part in enumerate(parts):
        block[list(part.edges)] = k
    return parts, {name: int(block[edge]) for name, edge in names.items()}, block[np.array(asked, int)], roots


def _groups(n, edges):
    """Vertices that edges join, group by group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = np.array([(ends[0], other) for ends in edges for other in ends[1:]], int).reshape(-1, 2)
    count, label = connected_components(coo_array((np.ones(len(pairs)), pairs.T), shape=(n, n)), directed=False)
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])
