"""How each force is drawn: a function of a Board and two bodies, or of the coordinates that there are.

Stiffnesses and dampings are such that frequencies stay near one: an explicit oracle has to keep up.
"""

import numpy as np

from .joints import PLANE, SPACE


def _linear(board, unit):
    """Stiffness and damping along a coordinate."""
    size, force = board.world.of(unit)
    stiffness = force / size * board.log(0.3, 30.0)
    damping = force / size * board.world.time * board.log(0.01, 1.0) if board.chance(0.6) else 0.0
    return {"stiffness": stiffness, "damping": damping}


def law(board, unit, rest):
    """A law along a coordinate whose value as drawn is `rest`, of any kind."""
    size, force = board.world.of(unit)
    kind = board.choice(["linear", "table", "time", "function"] if board.plain else ["linear", "table", "time"])
    if kind == "linear":
        return {"law": kind, **_linear(board, unit), "free": rest + size * board.uniform(-0.3, 0.3)}
    if kind == "table":
        x = rest + size * np.array([-3.0, -1.0, -0.3, 0.4, 1.1, 3.0])
        falls = -np.cumsum(board.rng.uniform(0.2, 2.0, 6))
        y = force * (falls - falls.mean())
        damping = force / size * board.world.time * board.log(0.01, 0.3)
        return {"law": kind, "x": x.tolist(), "force": y.tolist(), "damping": damping}
    if kind == "time":
        return {"law": kind, "profile": board.profile(force * board.uniform(-1.0, 1.0), force, 1.0)}
    given = {"function": "hardening", "potential": "hardening_energy"}
    return {"law": kind, **{key: given[key] for key in board.choice([("function",), ("potential",), tuple(given)])}}


def spring(board, a, b):
    """Draw a spring and damper between two points."""
    table = board.two_points(a, b)
    length = float(np.linalg.norm(np.subtract(table["point_b"], table["point_a"])))
    if board.chance(0.3):
        return table | {"law": law(board, "length", length)}
    if board.chance(0.7):
        table["length"] = length * board.uniform(0.6, 1.3)
    return table | _linear(board, "length")


def force(board, a, b):
    """Draw a load on one body."""
    world, flat = board.world, board.flat(a, b)
    scale, moment = world.force, world.torque
    table = {"body": b, "point": world.place(board.point(b, b)), "axes": board.choice(["world", "body"])}
    forces = [board.profile(scale * board.uniform(-2.0, 2.0), scale, 1.0) for _ in range(3)]
    torques = [board.profile(moment * board.uniform(-0.3, 0.3), moment, 0.2) for _ in range(3)]
    if flat:
        forces[2] = torques[0] = torques[1] = 0.0
    return table | {"force": forces, "torque": torques}


def user_force(board, a, b):
    """Draw drag, a pull and a moment, as a user's function; or a tether by its potential, alone or with the load."""
    w = board.world
    if board.chance(0.5):
        given = {"potential": "tether_energy", "point": w.place(board.point(a, b))}
        pull, moment, damping = w.force / w.length * board.log(0.1, 3.0), w.torque * board.uniform(-0.5, 0.5), 0.0
        if board.chance(0.5):
            given["load"], damping = "tether", 0.2 * pull * w.time * board.chance(0.5)
        return given | {"parameters": [pull, w.length**2 * board.log(0.3, 3.0), moment, damping]}
    drag, pull = w.mass / w.length * board.log(0.01, 0.5), w.force / w.length * board.log(0.1, 3.0)
    numbers = [drag, pull, 0.1 * w.length / w.time, w.torque * board.uniform(-0.1, 0.1), 2.0 / w.time]
    return {"load": "drag", "parameters": numbers, "point": w.place(board.point(a, b))}


def bushing(board, a, b):
    """Draw an elastic bearing."""
    w, count = board.world, 3
    along = [w.force / w.length * board.log(1.0, 30.0) for _ in range(count)]
    about = [w.torque * board.log(0.3, 10.0) for _ in range(count)]
    damping = [0.0] * 6
    if board.chance(0.6):
        damping = [0.05 * w.time * x for x in (*along, *about)]
    axes = w.axes @ (board.frame() if not board.flat(a, b) else np.eye(3))
    table = {"point": w.place(board.point(a, b)), "rotation": axes.tolist()}
    return table | {"stiffness": [*along, *about], "damping": damping}


def torsion(board, coordinates):
    """Draw a spring and damper on a coordinate."""
    name, unit = board.one_of(coordinates)
    if board.chance(0.3):
        return {"coordinate": name, "law": law(board, unit, board.value(name))}
    rest = board.value(name) + board.world.of(unit)[0] * board.uniform(-0.5, 0.5)
    return {"coordinate": name, **_linear(board, unit), "angle": rest}


def motor(board, coordinates):
    """Draw a force on a coordinate."""
    name, unit = board.one_of(coordinates)
    scale = board.world.of(unit)[1]
    if board.chance(0.3):
        return {"coordinate": name, "torque": law(board, unit, board.value(name))}
    return {"coordinate": name, "torque": board.profile(scale * board.uniform(-1.0, 1.0), scale, 1.0)}


BETWEEN = {
    "spring": (spring, (SPACE, PLANE)),
    "force": (force, (SPACE, PLANE)),
    "user_force": (user_force, (SPACE, PLANE)),
    "bushing": (bushing, (SPACE, PLANE)),
}
COUPLING = {"torsion": torsion, "motor": motor}
