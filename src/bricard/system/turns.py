"""Coordinates of joints that can be asked for: which are coordinates of the system themselves, and which a run has to keep.

Angles are known from poses up to full turns; coordinates of users' joints where one looks for them near the right place.
"""

from ..kernels.user_elimination import MEMORY
from ..kernels.user_layout import WARM, S


def tree_coordinates(nodes, q_first):
    """Measure -> place in q, of the angles and of the users' coordinates that are coordinates of a tree."""
    found = {}
    for node, first in zip(nodes, q_first, strict=False):
        known = {} if node.joint is None else node.joint.coordinates()
        for k, label in enumerate(node.motion.labels):
            if label in known and known[label].kind in ("angle", "user"):
                found[known[label]] = int(first) + k
    return found


def tree_places(system):
    """The same of a system, none in absolute coordinates."""
    return tree_coordinates(system.tree, system.record.tree.q_first)


def in_plane(system, measure):
    """Whether the bodies of an angle have their turns in the plane as coordinates."""
    return system.base is None and all(body.planar or body.is_ground for body in measure.bodies)


def counted_angles(system):
    """The angles (measures) whose turns the time loop has to count: those that are no coordinates, or that forces depend on."""
    if system.model is None:
        return ()
    own = tree_places(system)
    asked = dict.fromkeys(m for joint in system.model.joints.values() for m in joint.coordinates().values())
    angles = (m for m in asked if m.kind == "angle" and m not in own)
    return tuple(m for m in angles if m in system.measures or not in_plane(system, m))


def kept_joints(system):
    """Users' joints whose coordinates the time loop has to keep, those with rows -> places of all their elements in Work.memory;
    the first of them is that of the rows."""
    return {
        joint: [element_memory(system.record, e) for e in elements] for joint, elements in kept_elements(system).items()
    }


def kept_elements(system):
    """The same joints -> their elements, that of the rows first."""
    if system.model is None:
        return {}
    r, found = system.record, {}
    for e in range(int(r.first[r.stage[1]]), int(r.first[r.stage[2]])):
        row = system.rows[int(r.row[e])]
        joint = system.model.joints.get(row.joint) if row.owner == "joint" else None
        if joint is not None and joint.kind == "user":
            found[joint] = [e]
    for e, measure in enumerate(system.measures):
        if measure.joint in found:
            found[measure.joint].append(e)
    return found


def kept_places(system):
    """Places in Work.memory of the coordinates of kept_joints, joint by joint."""
    return [
        m + S + k
        for joint, places in kept_joints(system).items()
        for m in places[:1]
        for k in range(joint.what.numbers)
    ]


def known_places(system):
    """Places in Work.memory where all elements of kept_joints look for the coordinates, and which of kept_places each is."""
    places, which, first = [], [], 0
    for joint, elements in kept_joints(system).items():
        n = joint.what.numbers
        places += [m + S + k for m in elements for k in range(n)]
        which += [first + k for _ in elements for k in range(n)]
        first += n
    return places, which


def tell_coordinates(system, work, totals):
    """Let the elements of kept_joints look for their coordinates near those that a run has counted (State.totals), if one has."""
    if not totals.size:
        return
    values = totals[len(system.angles) : -1]
    places, which = known_places(system)
    for elements in kept_joints(system).values():
        work.memory[[m + WARM for m in elements]] = 1.0
    work.memory[places] = values[which]


def known_joints(system, q, memory):
    """User's joint -> its coordinates (numbers,): those in q (n_q,) of a tree, and those that its rows keep in Work.memory."""
    found = {}
    for node, first in zip(system.tree, system.record.tree.q_first, strict=False):
        if node.joint is not None and node.joint.kind == "user":
            found[node.joint] = q[int(first) : int(first) + node.joint.what.numbers]
    for joint, places in kept_joints(system).items():
        found[joint] = memory[places[0] + S : places[0] + S + joint.what.numbers].copy()
    return found


def tell_joints(system, work, known):
    """Let the elements of joints look for their coordinates near known ones, see known_joints."""
    for joint, places in kept_joints(system).items() if known else ():
        for m in places if joint in known else ():
            work.memory[m + WARM] = 1.0
            work.memory[m + S : m + S + joint.what.numbers] = known[joint]


def element_memory(record, e):
    """First place in Work.memory of an element of a user's joint."""
    return int(record.parameters[int(record.parameter[e]) + MEMORY])
