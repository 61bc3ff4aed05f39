"""Short names of positions and velocities: "crank.x", "crank.angle", "crank.wz"; "q1", "v1" where there are no bodies."""

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
    names, r = [f"q{i + 1}" for i in range(system.n_q)], system.record
    ends = np.append(r.q_start, system.n_q).astype(int)
    for body, first, last in zip(_bodies(system), ends[:-1], ends[1:], strict=True):
        for i, label in enumerate(POSITIONS.get(int(last - first), ())):
            names[first + i] = f"{body}.{label}"
    return tuple(names)


def velocity_names(system):
    """Names of v (n_v): velocity in the world, angular velocity in body axes; "crank.p1'" where v = q'."""
    if system.base is not None:
        return tuple(f"{name}'" for name in position_names(system))
    return _along(system, VELOCITIES, "v")


def increment_names(system):
    """Names of small motions (n_v) along the directions of v: shifts in the world, turns about body axes."""
    if system.base is not None:
        return position_names(system)
    return _along(system, INCREMENTS, "d")


def _along(system, labels, letter):
    names = [f"{letter}{i + 1}" for i in range(system.n_v)]
    for body, columns in zip(_bodies(system), system.record.column[:-1].astype(int), strict=True):
        for label, column in zip(labels, columns, strict=True):
            if column < system.n_v:
                names[column] = f"{body}.{label}"
    return tuple(names)


def _bodies(system):
    return list(system.model.bodies) if system.model is not None else []
