"""Angles of joints that can be asked for, and which of them are coordinates themselves: these know their turns."""


def tree_coordinates(system):
    """Measure -> place in q, of the angles that are coordinates of the tree."""
    found = {}
    for node, first in zip(system.tree, system.record.tree.q_first, strict=False):
        known = {} if node.joint is None else node.joint.coordinates()
        for k, label in enumerate(node.motion.labels):
            if label in known and known[label].kind == "angle":
                found[known[label]] = int(first) + k
    return found


def in_plane(system, measure):
    """Whether the bodies of an angle have their turns in the plane as coordinates."""
    return system.base is None and all(body.planar or body.is_ground for body in measure.bodies)


def counted_angles(system):
    """The angles (measures) whose turns the time loop has to count."""
    if system.model is None:
        return ()
    own = tree_coordinates(system)
    asked = dict.fromkeys(m for joint in system.model.joints.values() for m in joint.coordinates().values())
    return tuple(m for m in asked if m.kind == "angle" and m not in own and not in_plane(system, m))
