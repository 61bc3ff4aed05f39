"""The two-connected parts of a graph whose edges join two or more vertices (Hopcroft and Tarjan 1973), hung on one vertex."""

from typing import NamedTuple


class Part(NamedTuple):
    """A two-connected part: the vertex by which it hangs on those nearer to the root, its other vertices, its edges."""

    anchor: int
    vertices: tuple[int, ...]
    edges: tuple[int, ...]


def two_connected_parts(n, edges, root):
    """The parts of a graph of `n` vertices that are reached from `root`, each behind the one that it hangs on.

    edges : tuples of different vertices; one with more than two counts as a ring through all of them.
    """
    near = [[] for _ in range(n)]
    for edge, ends in enumerate(edges):
        for a, b in zip(ends, (*ends[1:], ends[0]), strict=True) if len(ends) > 2 else [ends]:
            near[a].append((b, edge))
            near[b].append((a, edge))
    number, low, found = [-1] * n, [0] * n, []
    number[root], count = 0, 1
    path, open_vertices, open_edges = [(root, -1, 0, iter(near[root]))], [], []
    while path:
        vertex, before, first, rest = path[-1]
        for other, edge in rest:
            if number[other] < 0:
                number[other] = low[other] = count
                count += 1
                path.append((other, len(open_vertices), len(open_edges), iter(near[other])))
                open_vertices.append(other)
                open_edges.append(edge)
                break
            if number[other] <= number[vertex]:
                open_edges.append(edge)
                low[vertex] = min(low[vertex], number[other])
        else:
            path.pop()
            if not path:
                break
            above = path[-1][0]
            low[above] = min(low[above], low[vertex]) if above != root else 0
            if low[vertex] >= number[above]:
                found.append(Part(above, tuple(open_vertices[before:]), tuple(dict.fromkeys(open_edges[first:]))))
                del open_vertices[before:], open_edges[first:]
    return found[::-1]
