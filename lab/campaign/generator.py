"""Random mechanisms: `draw(seed, index)` always gives the same one.

Bodies are drawn in a pose, and joints are put where they fit, so that every loop closes as drawn. An element that would take the
last freedom, or whose rows hold in the drawn pose only, is taken out again.
"""

from __future__ import annotations

import numpy as np

from . import forces, joints
from .board import Board
from .mechanism import GROUND, Mechanism
from .oracle.geometry import unit
from .oracle.motion import moved, projected, reference_at
from .oracle.system import System, nearest, rank
from .world import World

SHAPES = {"space": 0.35, "flat": 0.25, "plane": 0.2, "mixed": 0.12, "sphere": 0.08}
SPHERICAL = ("revolute", "spherical", "universal")  # joints of a sphere mechanism
TREE_OF_FLAT = ("revolute", "prismatic", "planar")  # those that keep a flat mechanism in its plane
LOOPS_OF_FLAT = (*TREE_OF_FLAT, "cylindrical", "spherical", "universal", "distance", "point_on_line", "point_on_plane")
WEAKEST = 1e-3  # smallest pivot of the constraints as drawn, of rows of length one
BY_FRAMES = ("revolute", "cylindrical", "prismatic", "spherical", "planar", "fixed", "pin", "slider")


def draw(seed: int, index: int) -> Mechanism:
    """Draw the mechanism with this number of a campaign."""
    rng = np.random.default_rng([seed, index])
    shape = str(rng.choice(list(SHAPES), p=list(SHAPES.values())))
    world = World.draw(rng, shape in ("plane", "mixed"))
    down = world.axes @ unit([*rng.normal(size=2), 0.0 if shape == "plane" else rng.normal()])
    pull = rng.uniform(0.5, 10.0) if rng.random() < 0.85 else 0.0
    gravity = (pull * world.length / world.time**2 * down).tolist()
    duration = float(world.time * rng.uniform(0.4, 1.0))
    mechanism = Mechanism(f"{seed}-{index}", shape, shape == "plane", gravity, duration)
    board = Board(rng, mechanism, world)
    count = 1 + int(rng.choice(8, p=[0.08, 0.15, 0.2, 0.2, 0.15, 0.1, 0.07, 0.05]))
    _bodies(board, count)
    _tree(board)
    _loops(board)
    _couplings(board)
    _forces(board)
    _starts(board)
    _shuffle(board)
    return Mechanism.loads(mechanism.dumps())  # plain numbers


def _bodies(board, count):
    rng, world, mechanism = board.rng, board.world, board.mechanism
    for k in range(count):
        planar = board.shape == "plane" or (board.shape == "mixed" and board.chance(0.5))
        place = np.cumsum(0.5 * rng.normal(size=(k + 2, 3)), axis=0)[-1] if k == 0 else None
        if place is None:
            place = board.places[f"b{rng.integers(k)}"] + 0.7 * rng.normal(size=3)
        axes = board.frame()
        if board.shape == "flat":
            place = place - (place @ board.normal) * board.normal
        if planar:
            place[2], angle = 0.0, rng.uniform(0.0, 6.0)
            axes = np.array(
                [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
            )
        if board.shape == "plane":
            place[1] *= board.thin
        name = f"b{k}"
        board.places[name] = place
        mass = world.mass * board.log(0.3, 3.0) * (board.log(0.01, 100.0) if board.chance(0.1) else 1.0)
        com = 0.1 * rng.normal(size=3) * board.chance(0.5)
        com[2] *= not planar
        mechanism.bodies.append(
            {
                "name": name,
                "mass": float(mass),
                "inertia": _inertia(board, mass, planar),
                "com": (world.length * com).tolist(),
                "position": world.place(place),
                "rotation": world.quaternion(axes),
                "planar": bool(planar),
            }
        )


def _inertia(board, mass, planar):
    """A tensor (3, 3) of three point masses on each of three random axes."""
    spread = mass * board.world.length**2 * board.rng.uniform(0.03, 0.3, 3)
    axes = np.eye(3) if planar else board.frame()
    tensor = axes @ np.diag(spread.sum() - spread) @ axes.T
    return (0.5 * (tensor + tensor.T)).tolist()


def _kinds(board, a, b, tree):
    """The kinds of joints that may stand between two bodies."""
    if board.shape == "sphere":
        return list(SPHERICAL) + ([] if tree else ["constant_angle"])
    if board.shape == "flat":
        return list(TREE_OF_FLAT if tree else LOOPS_OF_FLAT)
    place = joints.PLANE if board.flat(a, b) else joints.SPACE
    planar = any(name != GROUND and board.body(name)["planar"] for name in (a, b))
    kinds = [kind for kind, (_, where, holds) in joints.BETWEEN.items() if place in where and (holds or not tree)]
    own = ("joint", "user_joint", "nonholonomic")  # compiled for each run of a campaign: not in every mechanism
    if planar or not board.chance(0.25):
        kinds = [kind for kind in kinds if kind not in own]
    if b == GROUND:
        kinds = [kind for kind in kinds if kind not in ("knife_edge", "rolling_disc")]
    return kinds


def _place(board, kind, a, b, drawn):
    """An element between two bodies, in either direction."""
    if kind in ("rolling_disc", "knife_edge", "force"):
        table = drawn(board, a, b)
        return {"kind": kind, "name": _name(board), **table}
    if board.chance(0.5):
        a, b = b, a
    element = {"kind": kind, "name": _name(board), "a": a, "b": b, **drawn(board, a, b)}
    if kind in BY_FRAMES and board.chance(0.3):
        element["by_frames"] = True
    return element


def _name(board):
    return f"e{len(board.mechanism.elements)}"


def _tree(board):
    names = [body["name"] for body in board.mechanism.bodies]
    for k, name in enumerate(names):
        if board.chance(0.06):
            continue  # a body that nothing holds
        other = GROUND if k == 0 or board.chance(0.25) else names[int(board.rng.integers(k))]
        kinds = _kinds(board, other, name, tree=True)
        kind = board.choice(kinds)
        board.mechanism.elements.append(_place(board, kind, other, name, joints.BETWEEN[kind][0]))


def _try(board, element):
    """Add an element if some freedom is left and its rows hold not in the drawn pose only."""
    before = _freedom(board.mechanism)
    board.mechanism.elements.append(element)
    after = _freedom(board.mechanism)
    least = 0 if board.chance(0.05) else 1
    driven = element["kind"] in ("drive", "drive_distance")  # it must have something to drive
    if after is None or before is None or after < least or (driven and after == before):
        board.mechanism.elements.pop()


def _freedom(mechanism):
    """Freedoms as drawn, or None where the rows are weak or hold in the drawn pose only."""
    system = System(mechanism)
    drawn, near = system.start(), np.zeros(len(system.m.angles))
    found = []
    for state in (drawn, _aside(system, drawn, near)):
        if state is None:
            return None
        _, G, phi_dot, _, _, R = system.constraints(0.0, state, near)
        T = system.metric(R)
        count, weakest = rank(G @ T)
        found.append(count)
        torn = np.abs(phi_dot + G @ T @ nearest(G @ T, -phi_dot)).max(initial=0.0)  # by drives of what is held
        if weakest < WEAKEST or torn > 1e-9 * np.abs(phi_dot).max(initial=0.0):
            return None
    return len(system.columns) - found[0] if found[0] == found[1] else None


def _aside(system, drawn, near):
    """A State a little aside that satisfies the constraints, or None where there is none."""
    _, G, _, _, _, R = system.constraints(0.0, drawn, near)
    G = G[~system.speed_level()]
    T = system.metric(R)
    rng = np.random.default_rng(1)
    free = rng.normal(size=len(system.columns))
    free -= nearest(G @ T, G @ T @ free)
    way = T @ free
    scale = max(np.abs(system.drawn_x[:-1]).max(), 1e-12)
    size = max(np.abs(system.spread(way)[0]).max() / scale, np.abs(system.spread(way)[1]).max(), 1e-300)
    state = moved(system, drawn, way * min(1.0, 0.02 / size))
    state = projected(system, 0.0, state, near, 6)
    phi = system.constraints(0.0, state, near)[0]
    return state if np.abs(phi).max(initial=0.0) < 1e-9 * max(scale, 1.0) else None


def _loops(board):
    names = [GROUND, *(body["name"] for body in board.mechanism.bodies)]
    for _ in range(int(board.rng.choice(4, p=[0.3, 0.35, 0.2, 0.15]))):
        a, b = (names[int(k)] for k in board.rng.choice(len(names), size=2, replace=False))
        kinds = _kinds(board, a, b, tree=False)
        kind = board.choice(kinds)
        _try(board, _place(board, kind, a, b, joints.BETWEEN[kind][0]))
    if board.chance(0.25):
        _again(board)


def _again(board):
    """A second joint on the axis of another one, or a second wheel on an axle: redundant rows, on purpose."""
    elements = board.mechanism.elements
    hinges = [
        e for e in elements if e["kind"] in ("revolute", "prismatic", "cylindrical") and not board.flat(e["a"], e["b"])
    ]
    wheels = [e for e in elements if e["kind"] == "rolling_disc" and abs(np.dot(e["axis"], e["normal"])) < 1e-12]
    if not hinges + wheels:
        return
    first = board.choice(wheels or hinges)
    key = "centre" if first in wheels else "point"
    shift = board.world.length * board.uniform(-1.0, 1.0) * np.array(first["axis"])
    copy = {**first, "name": _name(board), key: (np.array(first[key]) + shift).tolist()}
    _try(board, copy) if first in wheels else elements.append(copy)


def coordinates_of(mechanism):
    """(name, unit) of all joint coordinates that may move."""
    found = []
    for e in mechanism.elements:
        found += [(f"{e['name']}.{key}", unit) for key, unit in joints.COORDINATES.get(e["kind"], {}).items()]
    return found


def _couplings(board):
    for _ in range(int(board.rng.choice(3, p=[0.6, 0.3, 0.1]))):
        kind, coordinates = board.choice(list(joints.COUPLING)), coordinates_of(board.mechanism)
        if len(coordinates) < (2 if kind == "gear" else 1):
            continue
        element = {"kind": kind, "name": _name(board), **joints.COUPLING[kind](board, coordinates)}
        _try(board, element)


def _forces(board):
    names = [GROUND, *(body["name"] for body in board.mechanism.bodies)]
    for _ in range(int(board.rng.choice(5, p=[0.2, 0.3, 0.25, 0.15, 0.1]))):
        kind = board.choice([*forces.BETWEEN, *forces.COUPLING])
        if kind in forces.COUPLING:
            coordinates = coordinates_of(board.mechanism)
            if coordinates:
                element = {"kind": kind, "name": _name(board), **forces.COUPLING[kind](board, coordinates)}
                board.mechanism.elements.append(element)
            continue
        a, b = (names[int(k)] for k in board.rng.choice(len(names), size=2, replace=False))
        if b == GROUND:
            a, b = b, a
        if kind == "user_force" and not board.chance(0.4):
            continue
        board.mechanism.elements.append(_place(board, kind, a, b, forces.BETWEEN[kind][0]))


def _starts(board):
    """Velocities that the constraints allow, as starts of bodies (weighted) or of joints (hard)."""
    mechanism, world = board.mechanism, board.world
    system = System(mechanism)
    near = reference_at(system, system.start())
    _, G, phi_dot, _, _, R = system.constraints(0.0, system.start(), near)
    T = system.metric(R)
    free = board.rng.normal(size=len(system.columns)) * np.sqrt(world.mass) * world.length / world.time
    fast = 5.0 if board.chance(0.1) else 1.0  # enough for full turns
    v = T @ (free * fast * board.log(0.1, 2.0))
    v = v - T @ nearest(G @ T, G @ v + phi_dot)
    V, W = system.spread(v)
    way = board.choice(["bodies", "bodies", "joints", "joints", "none", "position"])
    if way == "bodies":
        for body in mechanism.bodies:
            i = system.index[body["name"]]
            lever = system.drawn[i] @ -system.com[i]
            start = {"body": body["name"], "velocity": (V[i] + np.cross(W[i], lever)).tolist(), "weight": 1.0}
            mechanism.starts.append(start | {"angular_velocity": W[i].tolist()})
    if way == "joints":
        measured = system.m.evaluate(system.drawn_x, system.drawn, V, W, near)
        names = sorted(coordinates_of(mechanism))
        for name, _ in names:
            if board.chance(0.5):
                speed = float(measured[2][system.m.place(system.coordinate(name))])
                mechanism.starts.append({"joint": name, "velocity": speed})

    if way == "position":
        _position(board)


def _position(board):
    """One coordinate a little away from where it is drawn, where the mechanism can move it."""
    mechanism, coordinates = board.mechanism, coordinates_of(board.mechanism)
    if not coordinates or any(e["kind"] in ("drive", "drive_distance", "gear") for e in mechanism.elements):
        return
    name, unit = board.one_of(coordinates)
    system = System(mechanism)
    drawn = system.start()
    near = reference_at(system, drawn)
    _, G, _, _, measured, R = system.constraints(0.0, drawn, near)
    way = measured[1][system.m.place(system.coordinate(name))].ravel()[system.columns] @ system.metric(R)
    stays = way - nearest(G @ system.metric(R), G @ system.metric(R) @ way)
    if np.linalg.norm(stays) > 0.1 * np.linalg.norm(way):
        position = board.value(name) + board.world.of(unit)[0] * board.uniform(-0.05, 0.05)
        mechanism.starts.append({"joint": name, "position": position})


def _shuffle(board):
    """Declare everything in random order; couplings and forces on coordinates need their joints first."""
    mechanism, rng = board.mechanism, board.rng
    rng.shuffle(mechanism.bodies)
    later = {*joints.COUPLING, *forces.COUPLING}
    first = [e for e in mechanism.elements if e["kind"] not in later]
    last = [e for e in mechanism.elements if e["kind"] in later]
    rng.shuffle(first)
    rng.shuffle(last)
    mechanism.elements[:] = first + last
