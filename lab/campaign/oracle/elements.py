"""What each element of a declaration means: rows of constraints, coordinates of joints, loads. One function per kind.

`System` calls them with the parts of the mechanism that they add to; see there for `row`, `measure` and `load`.
"""

import numpy as np

from .. import functions
from .geometry import axes_about, unit
from .loads import Applied, Bushing, OwnLoad
from .own_rows import KnifeEdge, OwnRows, OwnSpeedRows, RollingContact, RollingSlip
from .profiles import law, profile


def spherical(s, e):
    """Two points stay together."""
    s.coincide(e, s.frames(e, e["point"]))


def revolute(s, e):
    """Two points stay together, two axes parallel."""
    f = s.frames(e, e["point"], axes_about(e["axis"]))
    s.coincide(e, f)
    s.parallel(f)
    s.coordinates[e["name"]] = {"angle": s.angle(f)}


def cylindrical(s, e):
    """Turn about and shift along an axis."""
    f = s.frames(e, e["point"], axes_about(e["axis"]))
    s.beside(f)
    s.parallel(f)
    s.coordinates[e["name"]] = {"displacement": s.shift(f, 2), "angle": s.angle(f)}


def prismatic(s, e):
    """Shift along an axis."""
    f = s.frames(e, e["point"], axes_about(e["axis"]))
    s.beside(f)
    s.parallel(f)
    s.row({s.m.dot(f.a, f.A[:, 0], f.b, f.B[:, 1]): 1.0})
    s.coordinates[e["name"]] = {"displacement": s.shift(f, 2)}


def universal(s, e):
    """Two points stay together, one axis of each body stay perpendicular."""
    z_a, z_b = unit(e["axis_a"]), unit(e["axis_b"])
    f = s.frames(e, e["point"], axes_about(z_a, z_b), axes_about(z_b, z_a))
    s.coincide(e, f)
    s.row({s.m.dot(f.a, f.A[:, 2], f.b, f.B[:, 2]): 1.0})
    s.coordinates[e["name"]] = {
        "angle_a": s.m.angle(f.a, f.A[:, 0], f.A[:, 1], f.b, f.B[:, 2]),
        "angle_b": s.m.angle(f.b, f.B[:, 0], -f.B[:, 1], f.a, f.A[:, 2]),
    }


def planar(s, e):
    """A plane of b stays on a plane of a."""
    f = s.frames(e, e["point"], axes_about(e["axis"], e["x"]))
    s.row({s.shift(f, 2): 1.0})
    s.parallel(f)
    s.coordinates[e["name"]] = {"x": s.shift(f, 0), "y": s.shift(f, 1), "angle": s.angle(f)}


def fixed(s, e):
    """No relative motion."""
    f = s.frames(e, e["point"])
    s.coincide(e, f)
    s.parallel(f)
    s.row({s.m.dot(f.a, f.A[:, 0], f.b, f.B[:, 1]): 1.0})


def free(s, e):
    """No row."""
    f = s.frames(e, e["point"])
    s.coordinates[e["name"]] = {name: s.shift(f, k) for k, name in enumerate("xyz")}


def distance(s, e):
    """Two points keep their distance."""
    f = s.points(e)
    key = s.m.distance(f.a, f.p, f.b, f.q)
    s.row({key: 1.0}, level=e.get("length"))
    s.coordinates[e["name"]] = {"distance": key}


def drive_distance(s, e):
    """The distance of two points is a function of time."""
    f = s.points(e)
    key = s.m.distance(f.a, f.p, f.b, f.q)
    s.row({key: 1.0}, profile(e["profile"]))
    s.coordinates[e["name"]] = {"distance": key}


def point_on_line(s, e):
    """A point of b stays on a line of a."""
    f = s.frames(e, e["point"], axes_about(e["axis"]), place_b=e.get("point_b"))
    s.beside(f)
    s.coordinates[e["name"]] = {"displacement": s.shift(f, 2)}


def point_on_plane(s, e):
    """A point of b stays on a plane of a."""
    f = s.frames(e, e["point"], axes_about(e["axis"]), place_b=e.get("point_b"))
    s.row({s.shift(f, 2): 1.0})
    s.coordinates[e["name"]] = {"x": s.shift(f, 0), "y": s.shift(f, 1)}


def constant_angle(s, e):
    """An axis of a and an axis of b keep their angle."""
    a, b = s.index[e["a"]], s.index[e["b"]]
    u, w = s.drawn[a].T @ unit(e["axis_a"]), s.drawn[b].T @ unit(e["axis_b"])
    s.row({s.m.dot(a, u, b, w): 1.0}, level=None)


def gear(s, e):
    """A sum of two coordinates is constant."""
    s.row({s.coordinate(e["coordinate_1"]): 1.0, s.coordinate(e["coordinate_2"]): e["ratio"]}, level=None)


def drive(s, e):
    """A coordinate is a function of time."""
    s.row({s.coordinate(e["coordinate"]): 1.0}, profile(e["profile"]))


def joint(s, e):
    """A user's rows of position."""
    s.own.append(OwnRows(s.points_at(e), e["residual"], e["parameters"]))


def nonholonomic(s, e):
    """A user's rows of velocity."""
    s.own.append(OwnSpeedRows(s.points_at(e), e["residual"], e["parameters"]))


def knife_edge(s, e):
    """A point has no velocity along a direction of the body."""
    at = s.points_at({**e, "a": "ground", "b": e["body"]})
    s.own.append(KnifeEdge(at, s.drawn[at.b].T @ unit(e["direction"])))


def rolling_disc(s, e):
    """A sharp-edged disc rolls on a plane of the ground."""
    at = s.points_at({**e, "a": "ground", "b": e["body"], "point": e["centre"]})
    axis, normal = s.drawn[at.b].T @ unit(e["axis"]), unit(e["normal"])
    numbers = axis, normal, e["radius"], float(normal @ np.asarray(e["plane_point"]))
    s.own += [RollingContact(at, *numbers), RollingSlip(at, *numbers)]


def user_joint(s, e):
    """A user's own joint; the oracle knows the screw: a cylindrical joint whose shift is the lead times its turn."""
    f = s.frames(e, e["point"], axes_about(e["axis"]))
    s.beside(f)
    s.parallel(f)
    angle = s.angle(f)
    s.row({s.shift(f, 2): 1.0, angle: -e["lead"]})
    s.coordinates[e["name"]] = {"angle": angle}


def spring(s, e):
    """A force along the line between two points."""
    f = s.points(e)
    key = s.m.distance(f.a, f.p, f.b, f.q)
    table = e.get("law")
    if table is None:
        free = e["length"] if e.get("length") is not None else float(np.linalg.norm(f.gap))
        table = {"law": "linear", "stiffness": e["stiffness"], "damping": e["damping"], "free": free}
    s.load(key, *law(table))


def torsion(s, e):
    """A force along a coordinate."""
    table = e.get("law")
    if table is None:
        table = {"law": "linear", "stiffness": e["stiffness"], "damping": e["damping"], "free": e["angle"]}
    s.load(s.coordinate(e["coordinate"]), *law(table))


def motor(s, e):
    """A force along a coordinate, given by a law or a function of time."""
    table = e["torque"]
    if not isinstance(table, dict) or "law" not in table:
        table = {"law": "time", "profile": table}
    s.load(s.coordinate(e["coordinate"]), *law(table))


def force(s, e):
    """A force at a point and a torque on one body."""
    at = s.points_at({**e, "a": "ground", "b": e["body"]})
    parts = [profile(value) for value in (*e["force"], *e["torque"])]
    s.loads.append(Applied(at, parts, e["axes"]))
    s.breaks |= {time for part in parts for time in part.breaks}


def user_force(s, e):
    """A user's load between two bodies."""
    load = getattr(functions, e["load"]) if "load" in e else functions.LOADS[e["potential"]]
    s.loads.append(OwnLoad(s.points_at(e), load, e["parameters"]))


def bushing(s, e):
    """An elastic bearing."""
    f = s.frames(e, e["point"], np.asarray(e["rotation"], dtype=float))
    s.loads.append(Bushing(f, e["stiffness"], e["damping"]))


KINDS = {
    function.__name__: function
    for function in (
        *(spherical, revolute, cylindrical, prismatic, universal, planar, fixed, free, distance, drive_distance),
        *(point_on_line, point_on_plane, constant_angle, gear, drive, joint, nonholonomic, knife_edge, rolling_disc),
        *(user_joint, spring, torsion, motor, force, user_force, bushing),
    )
}
KINDS |= {"pin": lambda s, e: revolute(s, {**e, "axis": (0.0, 0.0, 1.0)}), "slider": prismatic}
