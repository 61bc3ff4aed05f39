"""The graph of bodies and joints: spanning tree, closed loops, Gruebler's count."""

from typing import NamedTuple


class Loop(NamedTuple):
    """A closed loop: the joint that closes it, and all joints along it by name."""

    closing: str
    joints: tuple[str, ...]


def loops(model):
    """Fundamental loops: one for each joint that closes a path already there. Couplings of coordinates do not count."""
    tree = {body: {} for body in [model.ground, *model.bodies.values()]}  # body -> {neighbour: joint name}
    found = []
    for joint in model.joints.values():
        if not connects(joint):
            continue
        a, b = joint.bodies[0], joint.bodies[1]
        path = _path(tree, a, b)
        if path is None:
            tree[a][b] = tree[b][a] = joint.name
        else:
            found.append(Loop(joint.name, (*path, joint.name)))
    return found


def connects(joint):
    """Whether a joint ties two bodies together, rather than coordinates of other joints or velocities only."""
    blocks = joint.blocks()
    only_couplings = all(block.kernel == "coupling" for block in blocks) and joint.kind in ("gear", "drive")
    only_velocities = all(block.element is not None and block.element.kind == "nonholonomic" for block in blocks)
    return bool(blocks) and not only_couplings and not only_velocities


def _path(tree, start, end):
    """Names of the joints on the way from start to end, or None."""
    came: dict = {start: None}
    todo = [start]
    while todo:
        body = todo.pop()
        if body is end:
            names = []
            while came[body] is not None:
                body, name = came[body]
                names.append(name)
            return tuple(reversed(names))
        for near, name in tree[body].items():
            if near not in came:
                came[near] = (body, name)
                todo.append(near)
    return None


def loop_of(model, name):
    """The joints of a loop through the named joint, or None for an open chain."""
    for loop in loops(model):
        if name in loop.joints:
            return loop
    return None


def gruebler(system):
    """Freedoms by counting: velocities minus constraint rows."""
    return system.n_v - system.n_rows
