"""The elimination order: a permutation in which no constraint comes before its bodies leave it enough freedom."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bricard.linalg.ordering import elimination_order

few = settings(derandomize=True, max_examples=40, deadline=None)


def random_graph(seed, redundant=True):
    """Bodies of 3 or 6 unknowns, joints of 1 to 6 rows between one or two of them; without redundant ones if asked."""
    rng = np.random.default_rng(seed)
    bodies, joints = int(rng.integers(1, 15)), int(rng.integers(0, 25))
    sizes = [int(s) for s in rng.choice([3, 6], bodies)]
    start, rows = np.concatenate([[0], np.cumsum(sizes)]), np.zeros((0, sum(sizes)))
    neighbours = [set() for _ in range(bodies)]
    for _ in range(joints):
        size, pair = int(rng.integers(1, 7)), set(rng.integers(0, bodies, 2).tolist())
        new = np.zeros((size, rows.shape[1]))
        for b in pair:
            new[:, start[b] : start[b + 1]] = rng.normal(size=(size, sizes[b]))
        more = np.vstack([rows, new])
        if not redundant and np.linalg.matrix_rank(more) < len(more):
            continue
        rows = more
        for b in pair:
            neighbours[b].add(len(sizes))
        neighbours.append(pair)
        sizes.append(size)
    return sizes, [i >= bodies for i in range(len(sizes))], neighbours


@few
@given(seed=st.integers(0, 10**6))
def test_it_is_a_permutation(seed):
    order = elimination_order(*random_graph(seed))
    assert sorted(order.tolist()) == list(range(len(order)))


@few
@given(seed=st.integers(0, 10**6))
def test_constraints_wait_for_their_bodies_or_their_freedom(seed):
    """Otherwise pivots without pivoting are differences of large numbers."""
    sizes, is_constraint, neighbours = random_graph(seed, redundant=False)
    order = elimination_order(sizes, is_constraint, neighbours)
    done = set()
    for node in order.tolist():
        if is_constraint[node] and not neighbours[node] <= done:
            assert freedom_around(node, done, sizes, is_constraint, neighbours) >= sizes[node]
        done.add(node)


def freedom_around(node, done, sizes, is_constraint, neighbours):
    """Freedoms minus rows of the eliminated clusters that touch a node."""
    todo, cluster = [k for k in neighbours[node] if k in done], set()
    while todo:
        k = todo.pop()
        if k not in cluster:
            cluster.add(k)
            todo += [m for m in neighbours[k] if m in done]
    return sum(-sizes[k] if is_constraint[k] else sizes[k] for k in cluster)


def test_chain_is_eliminated_without_fill():
    """In a long open chain every node has at most two neighbours left when its turn comes: work grows linearly."""
    n = 200
    neighbours = [set() for _ in range(2 * n)]
    for b in range(n):
        neighbours[n + b] |= {b} | ({b - 1} if b else set())
        for k in neighbours[n + b]:
            neighbours[k].add(n + b)
    order = elimination_order([6] * n + [3] * n, [False] * n + [True] * n, neighbours).tolist()
    graph, most = [set(near) for near in neighbours], 0
    for node in order:
        most = max(most, len(graph[node]))
        for k in graph[node]:
            graph[k] |= graph[node] - {k}
            graph[k].discard(node)
    assert most <= 3
