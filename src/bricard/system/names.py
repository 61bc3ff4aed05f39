"""Short names of positions and velocities: "crank.x", "crank.angle", "crank.wz"; "q1", "v1" where there are no bodies.

In relative coordinates they are those of the joints: "A.angle", "A.angle'"; of bodies only where these hang on no joint.
"""

import numpy as np

CENTRE = ("x", "y", "z")
POSITIONS = {  # by the size of a body's part of q
    3: ("x", "y", "angle"),
    6: (*CENTRE, "p1", "p2", "p3"),
    7: (*CENTRE, "p0", "p1", "p2", "p3"),
}
VELOCITIES = ("vx", "vy", "vz", "wx", "wy", "wz")
INCREMENTS = ("x", "y", "z", "turn x", "turn y", "turn z")


def position_names(system):
    """Names of q (n_q): centre of mass and angle, or quaternion or other rotation parameters p, of each body."""
    if system.tree:
        return tuple(f"{node.name}.{label}" for node in system.tree for label in _coordinates(node.motion))
    names, r = [f"q{i + 1}" for i in range(system.n_q)], system.record
    ends = np.append(r.q_start, system.n_q).astype(int)
    for body, first, last in zip(_bodies(system), ends[:-1], ends[1:], strict=True):
        for i, label in enumerate(POSITIONS.get(int(last - first), ())):
            names[first + i] = f"{body}.{label}"
    return tuple(names)


def velocity_names(system):
    """Names of v (n_v): velocity in the world, angular velocity in body axes; "crank.p1'" where v = q'."""
    if system.tree:
        return tuple(f"{node.name}.{label}" for node in system.tree for label in _along_joint(node.motion, "'", "w"))
    if system.base is not None:
        return tuple(f"{name}'" for name in position_names(system))
    return _along(system, VELOCITIES, "v")


def increment_names(system):
    """Names of small motions (n_v) along the directions of v: shifts in the world, turns about body axes."""
    if system.tree:
        return tuple(f"{node.name}.{label}" for node in system.tree for label in _along_joint(node.motion, "", "turn "))
    if system.base is not None:
        return position_names(system)
    return _along(system, INCREMENTS, "d")


def plain_angles(system):
    """Places in q of angles, which may be counted in full turns."""
    r = system.record
    if not system.tree:
        return np.array([int(r.q_start[b]) + 2 for b in range(r.n_bodies) if r.planar[b]], int)
    return r.tree.plain_q.astype(int)[~system.translations[r.tree.plain_v.astype(int)]]


def owner(system, velocity):
    """The body, or in relative coordinates the joint, that a velocity belongs to, in words."""
    if system.tree:
        node = system.tree[int(system.record.tree.node_of[velocity])]
        return f'{"body" if node.joint is None else "joint"} "{node.name}"'
    body = int(np.flatnonzero((system.record.column == velocity).any(axis=1))[0])
    return f'body "{_bodies(system)[body]}"'


def _coordinates(motion):
    """Labels of the coordinates of a tree joint."""
    return (*motion.labels[:-3], "p0", "p1", "p2", "p3") if motion.quaternion else motion.labels


def _along_joint(motion, mark, turn):
    """Labels of its velocities, or of small motions."""
    plain = motion.labels[:-3] if motion.quaternion else motion.labels
    turns = tuple(f"{turn}{axis}" for axis in "xyz") if motion.quaternion else ()
    return (*(f"{label}{mark}" for label in plain), *turns)


def _along(system, labels, letter):
    names = [f"{letter}{i + 1}" for i in range(system.n_v)]
    for body, columns in zip(_bodies(system), system.record.column[:-1].astype(int), strict=True):
        for label, column in zip(labels, columns, strict=True):
            if column < system.n_v:
                names[column] = f"{body}.{label}"
    return tuple(names)


def _bodies(system):
    return list(system.model.bodies) if system.model is not None else []
