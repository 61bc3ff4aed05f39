"""Elimination order of a KKT matrix [A G^T; G 0]: minimum degree on the graph of bodies and joints.

Without pivoting, a constraint node may be eliminated only when the bodies gone before it leave it enough freedom: each
cluster of eliminated nodes keeps a budget, body freedoms minus constraint rows, and a node with r rows waits until its
neighbouring clusters together have more than r left, or until it has no body among its neighbours any more (then what is missing
is redundancy). Otherwise the pivots would be differences of large numbers. With exactly r left, a part of the mechanism would be
held rigidly by its neighbours that are still to come, and have dead points of its own, which the mechanism has not; only
bodies that nothing holds yet give up all their freedom, and joint coordinates are held by what they hang on. Counting is not
always enough: nodes that turned out to have weak pivots are `delayed`, they wait for all bodies around them.
"""

import heapq

import numpy as np

TRIES, SMALL = 24, 60  # orders that are tried for graphs of at most so many nodes


def candidate_orders(sizes, is_constraint, neighbours, delayed=frozenset(), hung=False):
    """Orders of the nodes, as `elimination_order` makes them: several, which break ties differently, for small graphs."""
    rng = np.random.default_rng(8)
    for attempt in range(TRIES if len(sizes) <= SMALL else 1):
        ties = rng.permutation(len(sizes)).tolist() if attempt else None
        yield elimination_order(sizes, is_constraint, neighbours, delayed, ties, hung)


def elimination_order(sizes, is_constraint, neighbours, delayed=frozenset(), ties=None, hung=False):
    """The order of the nodes.

    sizes : unknowns per node; is_constraint : bool per node; neighbours : list of iterables of nodes (symmetric);
    delayed : constraint nodes that wait for all bodies around them; ties : numbers that decide among nodes of equal degree;
    hung : bodies hang on each other, so that none is ever without a hold.
    """
    n = len(sizes)
    adjacent = [set(map(int, near)) - {i} for i, near in enumerate(neighbours)]
    original = [tuple(near) for near in adjacent]
    cluster, budget, untouched = list(range(n)), [0] * n, [not (c or hung) for c in is_constraint]
    done = np.zeros(n, bool)

    def root(i):
        while cluster[i] != i:
            cluster[i] = cluster[cluster[i]]
            i = cluster[i]
        return i

    def ready(i):
        if not is_constraint[i] or all(is_constraint[k] for k in adjacent[i]):
            return True
        if i in delayed:
            return False
        roots = {root(k) for k in original[i] if done[k]}
        left = sum(budget[k] for k in roots)
        return left > sizes[i] or (left == sizes[i] and all(untouched[k] for k in roots))

    def degree(i):
        return sum(sizes[k] for k in adjacent[i])

    key = [degree(i) for i in range(n)]
    ties = range(n) if ties is None else ties
    heap = [(key[i], ties[i], i) for i in range(n) if ready(i)]
    heapq.heapify(heap)
    order = []
    while len(order) < n:
        forced = not heap  # only constraints without freedom are left: take one as it comes
        if forced:
            heap = [(key[i], ties[i], i) for i in range(n) if not done[i]]
            heapq.heapify(heap)
        d, _, i = heapq.heappop(heap)
        if done[i] or d != key[i] or not (forced or ready(i)):
            continue
        done[i] = True
        order.append(i)
        budget[i] = -sizes[i] if is_constraint[i] else sizes[i]
        for k in original[i]:
            if done[k]:
                a, b = root(i), root(k)
                if a != b:
                    cluster[a], budget[b] = b, budget[a] + budget[b]
                    untouched[b] = False
        near = adjacent[i]
        for k in near:
            adjacent[k].discard(i)
        for k in near:
            adjacent[k] |= near
            adjacent[k].discard(k)
        for k in near:
            key[k] = degree(k)
            if ready(k):
                heapq.heappush(heap, (key[k], ties[k], k))
    return np.array(order, np.int64)
