"""How each joint and constraint is drawn: a function of a Board and two bodies, or of the coordinates that there are.

Each returns the numbers of its declaration as drawn; what is drawn between two bodies in a pose always holds in that pose.
"""

import numpy as np

PLANE, SPACE = "plane", "space"


def _point(board, a, b):
    return {"point": board.world.place(board.point(a, b))}


def _hinge(board, a, b):
    return _point(board, a, b) | {"axis": board.world.direction(board.axis(a, b))}


def _slide(board, a, b):
    return _point(board, a, b) | {"axis": board.world.direction(board.across(a, b))}


def spherical(board, a, b):
    """Draw a ball."""
    return _point(board, a, b)


def universal(board, a, b):
    """Draw a Cardan joint."""
    first = board.axis(a, b)
    second = board.normal_to(first)
    turn = board.world.direction
    return _point(board, a, b) | {"axis_a": turn(first), "axis_b": turn(second)}


def planar(board, a, b):
    """Draw a plane on a plane."""
    axis = board.axis(a, b)
    turn = board.world.direction
    return _point(board, a, b) | {"axis": turn(axis), "x": turn(board.normal_to(axis))}


def distance(board, a, b):
    """Draw a rod."""
    return board.two_points(a, b)


def drive_distance(board, a, b):
    """Draw an actuator between two points."""
    table = board.two_points(a, b)
    length = float(np.linalg.norm(np.subtract(table["point_b"], table["point_a"])))
    return table | {"profile": board.profile(length, board.world.length, 0.2)}


def point_on_line(board, a, b):
    """Draw a point on a line, sometimes away from the point that says where the line is."""
    table = _slide(board, a, b)
    if board.chance(0.5):
        table["point_b"] = (np.array(table["point"]) + board.world.length * 0.3 * np.array(table["axis"])).tolist()
    return table


def point_on_plane(board, a, b):
    """Draw a point on a plane."""
    return _slide(board, a, b)


def constant_angle(board, a, b):
    """Draw two axes that keep their angle."""
    first, second = (board.across(a, b) for _ in range(2))
    if abs(first @ second) > 0.95:
        second = board.normal_to(first) if not board.flat(a, b) else np.cross(board.normal, first)
    turn = board.world.direction
    return {"axis_a": turn(first), "axis_b": turn(second)}


def user_joint(board, a, b):
    """Draw a screw, in one of the ways in which a user may give it."""
    lead, way = board.world.length * board.uniform(-0.3, 0.3), board.choice(["explicit", "implicit", "routine"])
    return _hinge(board, a, b) | {"lead": lead, "way": way}


def joint(board, a, b):
    """Draw a point on an ellipsoid, as a user's function."""
    half = [board.uniform(0.3, 1.5) for _ in range(3)]
    way = [h * x for h, x in zip(half, board.direction(), strict=True)]  # from its centre to both points, axes of a
    scale = board.world.length
    numbers = [scale * h for h in half] + [-scale * x for x in way] + [1.0]
    return {"residual": "ellipsoid", "rows": 1, "parameters": numbers, "units": "angle", **_point(board, a, b)}


def nonholonomic(board, a, b):
    """Draw a speed along an axis of a that is proportional to the spin about it."""
    numbers = [board.world.length * board.uniform(-0.5, 0.5)]
    return {"residual": "geared_speed", "rows": 1, "parameters": numbers, **_point(board, a, b)}


def knife_edge(board, a, b):
    """Draw a blade under a body."""
    return {"body": b} | _point(board, a, b) | {"direction": board.world.direction(board.across(a, b))}


def rolling_disc(board, a, b):
    """Draw a disc on a plane that touches it as drawn."""
    centre, axis, normal = board.place(b), board.direction(), board.direction()
    while abs(axis @ normal) > 0.9:
        normal = board.direction()
    if board.chance(0.5):  # it stands upright
        normal = board.normal_to(axis)
    radius = board.uniform(0.2, 0.8)
    down = (axis @ normal) * axis - normal
    lowest = centre + radius * down / np.linalg.norm(down)
    world = board.world
    table = {"body": b, "radius": world.length * radius, "axis": world.direction(axis), "centre": world.place(centre)}
    return table | {"plane_point": world.place(lowest), "normal": world.direction(normal)}


def gear(board, coordinates):
    """Draw a relation of two coordinates."""
    (first, one), (second, two) = board.two_of(coordinates)
    ratio = board.sign() * board.uniform(0.3, 3.0) * board.world.of(one)[0] / board.world.of(two)[0]
    return {"coordinate_1": first, "coordinate_2": second, "ratio": ratio}


def drive(board, coordinates):
    """Draw a coordinate that is a function of time."""
    name, unit = board.one_of(coordinates)
    return {"coordinate": name, "profile": board.profile(board.value(name), board.world.of(unit)[0], 0.3)}


# kind -> how it is drawn, between which bodies, whether it may hold a tree together
BETWEEN = {
    "revolute": (_hinge, (SPACE, PLANE), True),
    "cylindrical": (_hinge, (SPACE,), True),
    "prismatic": (_slide, (SPACE, PLANE), True),
    "spherical": (spherical, (SPACE, PLANE), True),
    "universal": (universal, (SPACE,), True),
    "planar": (planar, (SPACE, PLANE), True),
    "fixed": (spherical, (SPACE, PLANE), True),
    "free": (spherical, (SPACE, PLANE), True),
    "distance": (distance, (SPACE, PLANE), False),
    "drive_distance": (drive_distance, (SPACE, PLANE), False),
    "point_on_line": (point_on_line, (SPACE, PLANE), True),
    "point_on_plane": (point_on_plane, (SPACE, PLANE), False),
    "constant_angle": (constant_angle, (SPACE, PLANE), False),
    "pin": (spherical, (PLANE,), True),
    "slider": (_slide, (PLANE,), True),
    "joint": (joint, (SPACE,), False),
    "user_joint": (user_joint, (SPACE,), True),
    "nonholonomic": (nonholonomic, (SPACE,), False),
    "knife_edge": (knife_edge, (SPACE, PLANE), False),
    "rolling_disc": (rolling_disc, (SPACE,), False),
}
COUPLING = {"gear": gear, "drive": drive}
COORDINATES = {  # of each joint, with their units
    "revolute": {"angle": "angle"},
    "cylindrical": {"displacement": "length", "angle": "angle"},
    "prismatic": {"displacement": "length"},
    "universal": {"angle_a": "angle", "angle_b": "angle"},
    "planar": {"x": "length", "y": "length", "angle": "angle"},
    "free": {"x": "length", "y": "length"},
    "distance": {},  # held by its own row
    "point_on_line": {"displacement": "length"},
    "point_on_plane": {"x": "length", "y": "length"},
    "pin": {"angle": "angle"},
    "slider": {"displacement": "length"},
    "user_joint": {"angle": "angle"},
}
MISSING = {"linkage": "made by user_joint from a whole model; its parts are all drawn by themselves"}
