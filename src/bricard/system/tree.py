"""The spanning tree of a model: which joint hangs each body on its parent, and which joints are cut.

The tree grows from the ground. Of all joints that reach a new body the one with the fewest freedoms is taken, and among these the
one nearest to the ground: so there are few coordinates, few rows in the cut joints, and short ways. Bodies that no joint reaches
hang on the ground by a free joint.

Each velocity is coupled with all others on its way to the ground: long ways make M full. Where it has to be factorised, because
there are rows, long ways are divided into sections, each beginning with a free body whose joint is cut: a mixture of relative and
absolute coordinates whose cost is linear in the number of bodies.
"""

import heapq
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError, suggest
from .topology import connects
from .tree_joints import TREE_JOINTS, TreeJoint, free_joint, tree_joint

SECTION = 16  # velocities in a row; beyond 20 the factorisation of a section costs more than what all else does


class Node(NamedTuple):
    """A body of the tree: its parent (perhaps the ground), the joint of the model (None: a free body), and how it moves."""

    body: Any
    parent: Any
    joint: Any
    motion: TreeJoint

    @property
    def name(self):
        """Name of the joint, or of the body that hangs on none."""
        return self.body.name if self.joint is None else self.joint.name


def spanning_tree(model, cut=()):
    """The nodes of a model, each subtree in a row behind its root; `cut` are names of joints to be cut."""
    cut = checked_cut(model, cut)
    at = {body: [] for body in [model.ground, *model.bodies.values()]}
    for order, joint in enumerate(model.joints.values()):
        if joint.name not in cut and joint.kind in TREE_JOINTS and joint.body_a is not joint.body_b:
            at[joint.body_a].append((order, joint))
            at[joint.body_b].append((order, joint))
    nodes, heap = {}, []

    def reach(body, depth):
        for order, joint in at[body]:
            reverse = joint.body_b is body
            child = joint.body_a if reverse else joint.body_b
            if child in nodes or child.is_ground:
                continue
            flat = child.planar and body.stays_in_plane
            motion = tree_joint(joint, reverse, flat) if flat or not child.planar else None
            if motion is not None and motion.n_v < (3 if flat else 6):  # a joint that holds nothing makes no tree
                heapq.heappush(heap, (motion.n_v, depth, order, Node(child, body, joint, motion)))

    reach(model.ground, 0)
    # joints of users' own hang their second body on the first, so that one is better free
    hung = {joint.body_b for joint in model.joints.values() if joint.kind == "user" and joint.name not in cut}
    waiting = iter(sorted(model.bodies.values(), key=lambda body: body in hung))
    while len(nodes) < len(model.bodies):
        if heap:
            _, depth, _, node = heapq.heappop(heap)
        else:  # nothing reaches further: the next body is free
            body = next(body for body in waiting if body not in nodes)
            depth, node = 0, Node(body, model.ground, None, free_joint(body))
        if node.body not in nodes:
            nodes[node.body] = node
            reach(node.body, depth + 1)
    return _preorder(model, nodes)


def depths(model, nodes):
    """Number (n,) of velocities on the way from the ground to each node, its own included."""
    found = {model.ground: 0}
    for node in nodes:
        found[node.body] = found[node.parent] + node.motion.n_v
    return np.array([found[node.body] for node in nodes], int)


def in_sections(model, nodes):
    """The nodes with ways to the ground of at most SECTION velocities: where one gets longer, a free body begins another."""
    found, depth = {}, {model.ground: 0}
    for node in nodes:
        if depth[node.parent] + node.motion.n_v > SECTION:
            node = Node(node.body, model.ground, None, free_joint(node.body))
        found[node.body], depth[node.body] = node, depth[node.parent] + node.motion.n_v
    return _preorder(model, found)


def checked_cut(model, cut):
    """Names of the joints to be cut, from one or several names or joints."""
    one = isinstance(cut, str) or hasattr(cut, "name")
    if not one and not isinstance(cut, (tuple, list, set, frozenset)):
        raise ModelError(f'cut must be names of joints, for example cut=("A",), not {cut!r}.')
    names = tuple(getattr(joint, "name", joint) for joint in ((cut,) if one else cut))
    for name in names:
        if not isinstance(name, str) or name not in model.joints:
            near = suggest(str(name), model.joints)
            raise ModelError(f'cut: there is no joint "{name}" in model "{model.name}".{near}')
    return names


def _preorder(model, nodes):
    """Nodes in the order of a walk that finishes each branch before the next."""
    children = {}
    for body in model.bodies.values():
        children.setdefault(nodes[body].parent, []).append(nodes[body])
    found, todo = [], children.get(model.ground, [])[::-1]
    while todo:
        node = todo.pop()
        found.append(node)
        todo += children.get(node.body, [])[::-1]
    return found


def outside_joints(model, nodes):
    """Names of the joints that are not in the tree and have rows: those that are cut, and drives, gears and rolling, which put
    conditions on the motion of others."""
    inside = {node.joint for node in nodes}
    outside = [joint for joint in model.joints.values() if joint not in inside and joint.blocks()]
    return [joint.name for joint in outside if connects(joint)], [
        joint.name for joint in outside if not connects(joint)
    ]
