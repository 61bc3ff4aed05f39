"""Random mechanisms with wishes for their start, judged by plain NumPy that shares no code with the assembler.

    python tests/system/random_starts.py 2000 [first seed]

A mechanism is a description: bodies, joints, wishes. `declared` makes a model of it, in any order, direction and unit of length,
which is built in any coordinates;
`Judge` computes blocks, coordinates, rows and their derivatives (by differences) from the description and the poses alone.
"""

import sys
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import bricard as br
from bricard.solution.motion import twists
from bricard.system.assembler import assemble
from bricard.system.channels import poses as poses_of

SIZES = {"revolute": 1, "pin": 1, "prismatic": 1, "slider": 1, "cylindrical": 2, "universal": 2, "spherical": 3}
FREEDOM = SIZES | {
    "planar": 3,
    "fixed": 0,
    "distance": 5,
    "point_on_plane": 5,
    "point_on_line": 4,
    "screw": 1,
    "linkage": 2,
}
PITCH = 0.07
COORDINATES = ({}, {"rotation": "quaternion"}, {"coordinates": "relative"})


def screw(s, p):
    """A screw about z."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def two_hinges():
    """A linkage of two crossed hinges with a body between them."""
    inner = br.Model("crossed")
    inner.body("first", mass=1.0, inertia=(1, 1, 1))
    inner.body("middle", mass=0.2, inertia=(0.01, 0.01, 0.01))
    inner.body("last", mass=1.0, inertia=(1, 1, 1))
    inner.revolute("u", "first", "middle", (0, 0, 0), (1, 0, 0))
    inner.revolute("w", "middle", "last", (0, 0, 0), (0, 1, 0))
    return br.UserJoint.from_linkage(inner, ("first", "last"), {"u": "u", "w": "w"})


@dataclass
class Joint:
    """A joint between bodies by number (-1: ground), at a point, with axes (3, 3) as columns, all in the world as drawn."""

    name: str
    kind: str
    a: int
    b: int
    point: np.ndarray
    axes: np.ndarray
    other: np.ndarray | None = None  # second point of a distance
    gap: float = 0.0  # what a distance is longer than drawn


@dataclass
class Mechanism:
    """bodies: (mass, position (3,), rotation (3, 3)); gears: (joint, joint, ratio); wishes: (kind, target, value)."""

    planar: bool
    bodies: list
    flat: list = field(default_factory=list)
    joints: list = field(default_factory=list)
    gears: list = field(default_factory=list)
    drives: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    velocities: list = field(default_factory=list)


def random_mechanism(seed):
    """A tree, a loop, several loops, or a floating group, in space or in the plane."""
    rng = np.random.default_rng(seed)
    planar = bool(rng.random() < 0.3)
    n = int(rng.integers(1, 7))
    floating = rng.random() < 0.2 and n > 1
    bodies, flat = [], []
    for _ in range(n):
        place = rng.uniform(-1, 1, 3) * (1, 1, 0 if planar else 1)
        turn = Rotation.from_rotvec([0, 0, rng.uniform(-3, 3)] if planar else rng.normal(size=3)).as_matrix()
        bodies.append((float(rng.uniform(0.3, 3.0)), place, turn))
        flat.append(planar)
    m = Mechanism(planar, bodies, flat)
    kinds = ("pin", "pin", "slider") if planar else (
        "revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed", "screw", "linkage"
    )  # fmt: skip

    def add(kind, a, b):
        ends = [np.zeros(3) if i < 0 else bodies[i][1] for i in (a, b)]
        point = 0.5 * (ends[0] + ends[1]) + 0.3 * rng.normal(size=3) * (1, 1, 0 if planar else 1)
        axes = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
        if planar:
            along = np.append(rng.normal(size=2), 0.0)
            along /= np.linalg.norm(along)
            z = along if kind == "slider" else np.array([0.0, 0, 1])
            x = np.array([0.0, 0, 1]) if kind == "slider" else along
            axes = np.column_stack([x, np.cross(z, x), z])
        other = point + rng.normal(size=3) * (0.5, 0.5, 0 if planar else 0.5) if kind == "distance" else None
        m.joints.append(Joint(f"J{len(m.joints)}", kind, a, b, point, axes, other))

    if floating and not planar and rng.random() < 0.5:
        add("free", -1, int(rng.integers(0, n)))
    for i in range(n):
        first = -1 if i == 0 else int(rng.integers(-1 if not floating else 0, i))
        if i == 0 and floating:
            continue
        add(str(rng.choice(kinds)), first, i)
    for _ in range(int(rng.choice([0, 0, 1, 1, 2]))):
        a = int(rng.integers(0 if floating else -1, n))
        others = [b for b in range(n) if b != a]
        if others:
            kind = (
                ("distance", "pin")
                if planar
                else ("distance", "spherical", "universal", "point_on_plane", "point_on_line")
            )
            add(str(rng.choice(kind)), a, int(rng.choice(others)))
    turning = [j for j in m.joints if j.kind in ("revolute", "pin")]
    if len(turning) > 1 and rng.random() < 0.25:
        one, two = (turning[i] for i in rng.choice(len(turning), 2, replace=False))
        ratio = float(rng.choice([-2.0, 0.5, 3.0]))
        if {one.a, one.b} != {two.a, two.b}:  # two pins of the same bodies measure the same angle
            m.gears.append((one.name, two.name, ratio))
    if rng.random() < 0.15:
        for joint in m.joints:
            if joint.kind == "distance":
                joint.gap = 0.05
    _wish(m, rng)
    return m


def wishable(m):
    """(kind, target) of all that can be wished: coordinates of joints, points of bodies."""
    found = []
    for j in m.joints:
        names = {
            "cylindrical": ("displacement", "angle"),
            "universal": ("angle_a", "angle_b"),
            "planar": ("x", "y", "angle"),
        }
        names |= {
            "revolute": ("angle",),
            "pin": ("angle",),
            "prismatic": ("displacement",),
            "slider": ("displacement",),
        }
        names |= {"screw": ("angle",), "linkage": ("u", "w")}
        found += [("joint", (j.name, key)) for key in names.get(j.kind, ())]
    return found


def _wish(m, rng):
    """One to three wishes that the mechanism can meet nearby: independent of the rows and of each other as drawn."""
    judge, here = Judge(m), drawn_poses(m)
    for wishes, size in ((m.positions, 0.4), (m.velocities, 1.5)):
        options = wishable(m)
        options += [
            ("point", (i, np.array(rng.uniform(-0.3, 0.3, 3)) * (1, 1, 0 if m.planar else 1)))
            for i in range(len(m.bodies))
        ]
        rng.shuffle(options)
        count = int(rng.integers(1, 4))
        for kind, target in options[: 2 * count]:
            if len(wishes) >= count:
                break
            if kind == "point" and rng.random() < 0.6:
                continue
            value = (
                float(rng.uniform(-size, size))
                if kind == "joint"
                else rng.uniform(-size, size, 3) * (1, 1, 0 if m.planar else 1) * 0.4
            )
            trial = (kind, target, value)
            if _independent(judge, here, wishes, trial):
                wishes.append(trial)
    hinges = [
        w for w in m.positions if w[0] == "joint" and w[1][1] == "angle" and not any(w[1] == v[1] for v in m.velocities)
    ]
    kinds = {j.name: j.kind for j in m.joints}
    if hinges and rng.random() < 0.2 and kinds[hinges[0][1][0]] in ("revolute", "pin"):
        one, rate = hinges[0], float(rng.uniform(-1, 1))
        trial = ("joint", one[1], rate)
        if _independent(judge, here, m.velocities, trial):
            m.velocities.append(trial)
            m.drives.append((one[1][0], one[2], rate))


def _independent(judge, here, wishes, trial):
    """Whether a wish is independent of the rows and of other wishes as drawn."""
    rows = judge.gradients(lambda poses: judge.wish(trial, poses), here)
    held = judge.gradients(
        lambda poses: np.concatenate([judge.all_rows(poses), *(judge.wish(w, poses) for w in wishes)]), here
    )
    basis = np.linalg.svd(held, full_matrices=True)
    free = rows @ basis[2][int((basis[1] > 1e-6).sum()) :].T
    return min(free.shape) >= len(rows) and np.linalg.svd(free, compute_uv=False)[len(rows) - 1] > 0.3


def drawn_poses(m):
    """Poses (position, rotation) of all bodies, the ground last (number -1)."""
    return [(b[1], b[2]) for b in m.bodies] + [(np.zeros(3), np.eye(3))]


def declared(m, *, order=None, flip=(), unit=1.0):
    """The model. order: a generator that shuffles declarations; flip: names of joints declared the other way; unit: metres in a
    unit of length."""
    model = br.Model("random", planar=m.planar, gravity=(0, 0, 0))
    numbers, joints = list(range(len(m.bodies))), list(m.joints)
    if order is not None:
        order.shuffle(numbers)
        order.shuffle(joints)
    for i in numbers:
        mass, place, turn = m.bodies[i]
        size = np.array([0.2, 0.3, 0.35]) * mass * unit**2
        model.body(f"b{i}", mass=mass, inertia=size[2] if m.planar else size, position=place * unit, rotation=turn)
    names = {-1: "ground"} | {i: f"b{i}" for i in numbers}
    for j in joints:
        a, b = (names[j.b], names[j.a]) if j.name in flip else (names[j.a], names[j.b])
        point, axis = tuple(j.point * unit), tuple(j.axes[:, 2])
        if j.kind in ("screw", "linkage"):
            bodies = [model.ground if name == "ground" else model.bodies[name] for name in (a, b)]
            frames = [body.frame(body.point(j.point * unit), body.rotation.T @ j.axes) for body in bodies]
            what = (
                two_hinges()
                if j.kind == "linkage"
                else br.UserJoint.explicit(screw, {"angle": "angle"}, (PITCH * unit,))
            )
            model.user_joint(j.name, a, b, what, frame_a=frames[0], frame_b=frames[1])
        elif j.kind == "distance":
            ends = (j.other, j.point) if j.name in flip else (j.point, j.other)
            length = float(np.linalg.norm(j.other - j.point)) + j.gap
            model.distance(j.name, a, b, *(tuple(end * unit) for end in ends), length=length * unit)
        elif j.kind == "universal":
            along = (j.axes[:, 0], j.axes[:, 2]) if j.name in flip else (j.axes[:, 2], j.axes[:, 0])
            model.universal(j.name, a, b, point, *(tuple(axis) for axis in along))
        elif j.kind in ("spherical", "pin", "fixed", "free"):
            getattr(model, j.kind)(j.name, a, b, point)
        else:
            extra = {"x": tuple(j.axes[:, 0])} if j.kind == "planar" else {}
            getattr(model, j.kind)(j.name, a, b, point, axis, **extra)
    for k, (one, two, ratio) in enumerate(m.gears):
        model.gear(f"gear{k}", one, two, ratio if (one in flip) == (two in flip) else -ratio)
    for k, (name, angle, rate) in enumerate(m.drives):
        sign = -1.0 if name in flip else 1.0
        model.drive(f"drive{k}", name, br.Polynomial((sign * angle, sign * rate)))
    driven = {name for name, _, _ in m.drives}
    lengths = {"displacement", "x", "y"}
    for key, wishes in (("position", m.positions), ("velocity", m.velocities)):
        for kind, target, value in wishes:
            if kind == "joint":
                name, coordinate = target
                if name in driven:
                    continue
                factor = unit if coordinate in lengths else 1.0
                if name in flip:
                    factor, coordinate = (
                        -factor,
                        {"angle_a": "angle_b", "angle_b": "angle_a"}.get(coordinate, coordinate),
                    )
                model.start(joint=f"{name}.{coordinate}", **{key: factor * value})
            else:
                i, local = target
                goal = value + (m.bodies[i][1] + m.bodies[i][2] @ local if key == "position" else 0.0)
                model.start(point=(f"b{i}", tuple(local * unit)), **{key: tuple(goal * unit)})
    return model


# the judge


class Judge:
    """Coordinates, rows and blocks of a mechanism, from its description."""

    def __init__(self, m):
        self.m, self.drawn = m, drawn_poses(m)
        self.inner = [j for j in m.joints if j.kind == "linkage"]

    def frames(self, j, poses, inner=None):
        """(origin, axes) of the frames of a and b, in the world."""
        found = []
        for i, point in ((j.a, j.point), (j.b, j.other if j.other is not None else j.point)):
            (x0, R0), (x, R) = self.drawn[i], poses[i if i >= 0 else len(self.m.bodies)]
            found.append((x + R @ R0.T @ (point - x0), R @ R0.T @ j.axes))
        return found

    def middle(self, j, poses):
        """Pose of the inner body of a linkage: determined by one hinge on each side, kept among the poses behind the ground."""
        return poses[len(self.m.bodies) + 1 + self.inner.index(j)]

    def all_poses(self, poses):
        """Drawn poses of inner bodies put behind those of the mechanism."""
        return [*poses, *((j.point, j.axes) for j in self.inner)]

    def coordinates(self, j, poses):
        """Start coordinates of a joint, angles and lengths as changes from the drawn pose."""
        (p, A), (q, B) = self.frames(j, poses)
        d, turn = A.T @ (q - p), Rotation.from_matrix(A.T @ B).as_rotvec()
        if j.kind in ("revolute", "pin", "screw"):
            return np.array([np.arctan2((A.T @ B)[1, 0], (A.T @ B)[0, 0])])
        if j.kind in ("prismatic", "slider"):
            return d[2:]
        if j.kind == "cylindrical":
            return np.array([d[2], np.arctan2((A.T @ B)[1, 0], (A.T @ B)[0, 0])])
        if j.kind == "universal":
            C = A.T @ B  # axes of the cross: z of a and x of b, perpendicular
            return np.array([np.arctan2(C[1, 0], C[0, 0]), np.arctan2(C[2, 1], C[2, 2])])
        if j.kind == "spherical":
            return turn
        if j.kind == "free":
            return np.concatenate([Rotation.from_rotvec(-0.5 * turn).as_matrix() @ d, turn])
        if j.kind == "planar":
            half = Rotation.from_rotvec(-0.5 * turn).as_matrix() @ d
            return np.array([half[0], half[1], turn[2]])
        if j.kind == "linkage":
            M = self.middle(j, poses)[1]
            return np.array(
                [np.arctan2((A.T @ M)[2, 1], (A.T @ M)[1, 1]), np.arctan2((M.T @ B)[0, 2], (M.T @ B)[2, 2])]
            )
        return np.zeros(0)

    def wish_coordinate(self, j, key, poses):
        """A named coordinate, as a user wishes for it."""
        if j.kind == "planar":
            (p, A), (q, B) = self.frames(j, poses)
            d, C = A.T @ (q - p), A.T @ B
            return {"x": d[0], "y": d[1], "angle": np.arctan2(C[1, 0], C[0, 0])}[key]
        names = {"cylindrical": ("displacement", "angle"), "universal": ("angle_a", "angle_b"), "linkage": ("u", "w")}
        return self.coordinates(j, poses)[names.get(j.kind, (key,)).index(key)]

    def rows(self, j, poses):
        """Residuals of a joint."""
        (p, A), (q, B) = self.frames(j, poses)
        d, C = A.T @ (q - p), A.T @ B
        flat = self.m.planar
        if j.kind == "pin":
            return (q - p)[:2]
        if j.kind == "slider":
            return np.array([d[1], C[1, 2]])
        if j.kind == "distance":
            return np.array([np.linalg.norm(q - p) - np.linalg.norm(j.other - j.point) - j.gap])
        if j.kind == "linkage":
            x, M = self.middle(j, poses)
            U, W = A.T @ M, M.T @ B
            return np.concatenate([p - x, q - x, [U[1, 0], U[2, 0], W[0, 1], W[2, 1]]])
        parallel = [C[0, 2], C[1, 2]]
        return (
            {
                "revolute": [*d, *parallel],
                "prismatic": [*d[:2], *parallel, C[1, 0]],
                "cylindrical": [*d[:2], *parallel],
                "universal": [*d, C[2, 0]],
                "spherical": d,
                "planar": [d[2], *parallel],
                "fixed": [*d, *parallel, C[1, 0]],
                "point_on_plane": d[2:],
                "point_on_line": d[:2],
                "free": [],
                "screw": [*d[:2], *parallel, d[2] - PITCH * np.arctan2(C[1, 0], C[0, 0])],
            }[j.kind]
            * np.array(1.0)
            if not flat
            else np.zeros(0)
        )

    def gear(self, g, poses):
        by = {j.name: j for j in self.m.joints}
        return np.array([self.coordinates(by[g[0]], poses)[0] + g[2] * self.coordinates(by[g[1]], poses)[0]])

    def wish(self, wish, poses):
        """Residual of a wish, up to its value."""
        kind, target, _ = wish
        if kind == "joint":
            joint = next(j for j in self.m.joints if j.name == target[0])
            return np.array([self.wish_coordinate(joint, target[1], poses)])
        x, R = poses[target[0]]
        return (x + R @ target[1])[: 2 if self.m.planar else 3]

    def all_rows(self, poses):
        """Residuals of all joints and gears."""
        parts = [self.rows(j, poses) for j in self.m.joints] + [self.gear(g, poses) for g in self.m.gears]
        return np.concatenate([np.zeros(0), *parts])

    def gradients(self, function, poses, bodies=None):
        """Derivatives of a function of poses by shifts and turns of bodies (and inner bodies), by differences of fourth order."""
        n = len(self.m.bodies)
        if len(poses) == n + 1:
            poses = self.all_poses(poses)
        columns, h = [], 2e-3
        for i in range(len(poses)) if bodies is None else bodies:
            if i == n:
                continue
            for way in (0, 1, 5) if self.m.planar else range(6):
                ends = []
                for step in (-2, -1, 1, 2):
                    x, R = poses[i]
                    one = np.eye(6)[way] * h * step
                    moved = list(poses)
                    moved[i] = x + one[:3], Rotation.from_rotvec(one[3:]).as_matrix() @ R
                    ends.append(np.asarray(function(moved), float))
                columns.append((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h))
        return np.array(columns).T

    def blocks(self, wishes):
        """Classes of edges: those of a fundamental cycle, and of cycles that share an edge, belong together. (edge -> class)"""
        n = len(self.m.bodies)
        edges = [(("joint", j.name), (j.a, j.b)) for j in self.m.joints]
        for k, j in enumerate(self.inner):
            edges += [(("inner", k, 0), (j.a, n + 1 + k)), (("inner", k, 1), (n + 1 + k, j.b))]
        by = {j.name: j for j in self.m.joints}
        for k, g in enumerate(self.m.gears):
            ends = list(dict.fromkeys([by[g[0]].a, by[g[0]].b, by[g[1]].a, by[g[1]].b]))
            pairs = list(zip(ends, ends[1:] + ends[:1], strict=True)) if len(ends) > 2 else [tuple(ends)]
            edges += [(("gear", k), pair) for pair in pairs]
        for k, (kind, target, _) in enumerate(wishes):
            pair = (by[target[0]].a, by[target[0]].b) if kind == "joint" else (-1, target[0])
            edges.append((("wish", k), pair))
        reached = self._reach([ends for key, ends in edges if key[0] != "wish"])
        for group in reached:
            if -1 not in group:
                edges.append((("root", self.root(group, wishes)), (-1, self.root(group, wishes))))
        return edges, _classes(edges)

    def root(self, group, wishes):
        """The body of a floating group that stays."""
        own = [i for i in group if any(kind == "point" and target[0] == i for kind, target, _ in wishes)]
        return min(own or [i for i in group if i < len(self.m.bodies)], key=lambda i: (-self.m.bodies[i][0], f"b{i}"))

    def _reach(self, pairs):
        label = {
            i: i
            for i in [
                *range(len(self.m.bodies)),
                -1,
                *range(len(self.m.bodies) + 1, len(self.m.bodies) + 1 + len(self.inner)),
            ]
        }
        for a, b in pairs:
            old, new = label[a], label[b]
            label = {i: new if value == old else value for i, value in label.items()}
        return [[i for i in label if label[i] == value] for value in dict.fromkeys(label.values())]


def _classes(edges):
    """Class of each edge."""
    tree, near, classes, found = {-1: None}, {}, list(range(len(edges))), []
    for k, (_, (a, b)) in enumerate(edges):
        near.setdefault(a, []).append((b, k))
        near.setdefault(b, []).append((a, k))
    todo = [-1]
    while todo:
        here = todo.pop()
        for other, k in near.get(here, ()):
            if other not in tree:
                tree[other] = (here, k)
                found.append(k)
                todo.append(other)

    def way(vertex):
        up = []
        while tree[vertex] is not None:
            vertex, k = tree[vertex]
            up.append(k)
        return up

    same = {}
    for k, (key, (a, b)) in enumerate(edges):
        cycle = [k] if k in found else [k, *(set(way(a)) ^ set(way(b)))]
        cycle += [i for i, (other, _) in enumerate(edges) if other == key]
        for i in cycle[1:]:
            old, new = classes[i], classes[k]
            classes = [new if c == old else c for c in classes]
    del same
    return classes


def judged(m, poses, speeds, length):
    """The largest errors: (unwished coordinates of trees and resting blocks, gradient outside the span of the rows) of positions,
    then of velocities. speeds: (velocity of origin, angular velocity) of each body and inner body in the world."""
    judge, n = Judge(m), len(m.bodies)
    here, drawn = poses, judge.all_poses(judge.drawn)
    found = []
    for wishes, moving in ((m.positions, False), (m.velocities, True)):
        edges, classes = judge.blocks(wishes)
        still, slope = 0.0, 0.0
        for c in set(classes):
            own = [edge for edge, k in zip(edges, classes, strict=True) if k == c]
            keys = list(dict.fromkeys(key for key, _ in own))
            vertices = sorted({i for _, ends in own for i in ends})
            joints = [j for j in m.joints if ("joint", j.name) in keys]
            wanted = [w for k, w in enumerate(wishes) if ("wish", k) in keys]
            gears = [g for k, g in enumerate(m.gears) if ("gear", k) in keys]
            owned = [i for i in range(n) if not _reached(m, i) or ("root", i) in keys]
            loose = [i for i in owned if i in vertices and (("root", i) in keys or not _carried(edges, classes, c, i))]

            def coordinates(poses, joints=joints, loose=loose):
                parts = [np.zeros(0)]
                for j in joints:
                    size = np.array([length if key else 1.0 for key in _lengths(j.kind)])
                    parts.append(judge.coordinates(j, poses) / size)
                for i in loose:
                    (x0, R0), (x, R) = judge.drawn[i], poses[i]
                    parts += [(x - x0) / length, Rotation.from_matrix(R @ R0.T).as_rotvec()]
                return np.concatenate(parts)

            def rows(poses, joints=joints, gears=gears, wanted=wanted):
                parts = [np.zeros(0), *(judge.rows(j, poses) for j in joints), *(judge.gear(g, poses) for g in gears)]
                return np.concatenate([*parts, *(judge.wish(w, poses) for w in wanted)])

            gaping = any(j.gap for j in joints) and not moving
            change = coordinates(here) - coordinates(drawn)
            anchor = _anchor(edges, classes, c, vertices)
            bodies = [i % (n + 1 + len(judge.inner)) if i >= 0 else n for i in vertices if i != anchor]
            bodies = [i for i in bodies if i != n]
            C = judge.gradients(coordinates, here, bodies)
            if moving:
                base = speeds[anchor] if anchor != -1 else (np.zeros(3), np.zeros(3))
                parts = []
                for i in bodies:
                    v = speeds[i][0] - base[0] - np.cross(base[1], here[i][0] - here[anchor if anchor != -1 else n][0])
                    parts.append(np.concatenate([v, speeds[i][1] - base[1]])[[0, 1, 5] if m.planar else slice(None)])
                change = C @ np.concatenate(parts) if parts and C.size else np.zeros(len(change))
            if not wanted and not gaping:
                still = max(still, float(np.abs(change).max(initial=0.0)))
                continue
            if (
                len(joints) == 1
                and len(vertices) == 2
                and all(w[0] == "joint" for w in wanted)
                and joints[0].kind not in ("planar", "free")
            ):
                names = {
                    "cylindrical": ("displacement", "angle"),
                    "universal": ("angle_a", "angle_b"),
                    "linkage": ("u", "w"),
                }
                asked = {w[1][1] for w in wanted}
                free = [i for i, key in enumerate(names.get(joints[0].kind, ())) if key not in asked]
                still = max(still, float(np.abs(change[free]).max(initial=0.0)))
            G, gradient = judge.gradients(rows, here, bodies), C.T @ change
            scale = np.tile([length] * 3 + [1.0] * 3 if not m.planar else [length, length, 1.0], len(bodies))
            G, gradient = G * scale, gradient * scale
            left = gradient - G.T @ np.linalg.lstsq(G.T, gradient, rcond=1e-9)[0]
            slope = max(slope, float(np.abs(left).max(initial=0.0)))
        found += [still, slope]
    return found


def _lengths(kind):
    """Which start coordinates are lengths."""
    return {
        "prismatic": (1,),
        "slider": (1,),
        "cylindrical": (1, 0),
        "planar": (1, 1, 0),
        "free": (1, 1, 1, 0, 0, 0),
        "universal": (0, 0),
        "linkage": (0, 0),
    }.get(kind, (0,) * SIZES.get(kind, 1 if kind == "screw" else 0))


def _reached(m, i):
    return any(i in (j.a, j.b) for j in m.joints if j.kind not in ("distance", "point_on_plane", "point_on_line"))


def _carried(edges, classes, c, i):
    """Whether body i is the vertex by which class c hangs on what is nearer to the ground."""
    return (
        _anchor(
            edges, classes, c, sorted({v for (_, ends), k in zip(edges, classes, strict=True) if k == c for v in ends})
        )
        == i
    )


def _anchor(edges, classes, c, vertices):
    """The vertex of a class that is nearest to the ground: without the edges of the class it still reaches it."""
    reached, grown = {-1}, True
    while grown:
        grown = False
        for (_, (a, b)), k in zip(edges, classes, strict=True):
            if k != c and (a in reached) != (b in reached):
                reached |= {a, b}
                grown = True
    return next(v for v in vertices if v in reached)


def shown_state_of(model, **coordinates):
    """The same as state_of in any coordinates, which the package itself turns into poses."""
    system = model.build(**coordinates)
    state = assemble(system)
    found = poses_of(system, state.q[None])
    moving = twists(system, state.q[None], state.v[None], found)
    return (
        {name: (x[0], R[0]) for name, (x, R) in found.items()},
        {name: (v[0], w[0]) for name, (v, w) in moving.items()},
    )


def state_of(model):
    """Poses of reference frames and their velocities, from the State in absolute coordinates; characteristic length."""
    system = model.build()
    state = assemble(system)
    poses, speeds, o, u = {}, {}, 0, 0
    for name, body in model.bodies.items():
        if body.planar:
            R = Rotation.from_rotvec([0, 0, state.q[o + 2]]).as_matrix()
            poses[name], speeds[name] = (
                (np.append(state.q[o : o + 2], 0.0), R),
                (np.append(state.v[u : u + 2], 0), np.array([0, 0, state.v[u + 2]])),
            )
            o, u = o + 3, u + 3
        else:
            w, x, y, z = state.q[o + 3 : o + 7]
            R = Rotation.from_quat([x, y, z, w]).as_matrix()
            poses[name], speeds[name] = (state.q[o : o + 3], R), (state.v[u : u + 3], R @ state.v[u + 3 : u + 6])
            o, u = o + 7, u + 6
    return poses, speeds, system.length


def listed(m, found):
    """Poses or velocities by name in the order of the judge: bodies, ground, inner bodies."""
    zero = (np.zeros(3), np.eye(3)) if np.shape(next(iter(found.values()))[1]) == (3, 3) else (np.zeros(3), np.zeros(3))
    inner = [found[f"{j.name}/middle"] for j in m.joints if j.kind == "linkage"]
    return [found[f"b{i}"] for i in range(len(m.bodies))] + [zero] + inner


def errors(seed):
    """All errors of one mechanism: what judged() gives, the gaps of rows and wishes, and the change under permutations."""
    m = random_mechanism(seed)
    poses, speeds, length = state_of(declared(m))
    here, moving = listed(m, poses), listed(m, speeds)
    found = judged(m, here, moving, length)
    judge = Judge(m)
    gap = float(np.abs(judge.all_rows(here)).max(initial=0.0))
    rng = np.random.default_rng(seed + 1)
    one_way = {"screw", "linkage", "point_on_plane", "point_on_line"}
    wished = {w[1][0] for w in (*m.positions, *m.velocities) if w[0] == "joint"}
    flip = [
        j.name
        for j in m.joints
        if rng.random() < 0.5 and j.kind not in one_way and not (j.kind == "planar" and j.name in wished)
    ]
    unit = float(rng.choice([1e-3, 1.0, 1e3]))
    coordinates = COORDINATES[int(rng.integers(len(COORDINATES)))]
    other, other_speeds = shown_state_of(declared(m, order=rng, flip=flip, unit=unit), **coordinates)
    change = max(
        max(np.abs(poses[k][0] - other[k][0] / unit).max(), np.abs(poses[k][1] - other[k][1]).max()) for k in poses
    )
    faster = max(
        max(np.abs(speeds[k][0] - other_speeds[k][0] / unit).max(), np.abs(speeds[k][1] - other_speeds[k][1]).max())
        for k in speeds
    )
    return [*found, gap, float(change), float(faster)]


NAMES = ("as drawn", "gradient", "at rest", "gradient of rates", "gap", "permuted", "permuted rates")
LIMITS = (1e-9, 1e-8, 1e-9, 1e-8, 1e-9, 1e-9, 1e-9)


def reachable(m):
    """The gap that plain least squares leave from the drawn pose: with none, a refusal was false."""
    judge = Judge(m)
    drawn, n = judge.all_poses(judge.drawn), len(m.bodies)
    moving, ways = [i for i in range(len(drawn)) if i != n], [0, 1, 5] if m.planar else list(range(6))

    def gaps(z):
        poses, parts = list(drawn), []
        for i, own in zip(moving, z.reshape(len(moving), -1), strict=True):
            one = np.zeros(6)
            one[ways] = own
            poses[i] = drawn[i][0] + one[:3], Rotation.from_rotvec(one[3:]).as_matrix() @ drawn[i][1]
        for kind, target, value in m.positions:
            found = judge.wish((kind, target, value), poses)
            if kind == "point":
                parts.append(found - judge.wish((kind, target, value), drawn) - value[: len(found)])
            else:
                parts.append(found - value)
        return np.concatenate([judge.all_rows(poses), *parts])

    found = least_squares(gaps, np.zeros(len(moving) * len(ways)), xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=300)
    return float(np.abs(found.fun).max(initial=0.0))


def main(count, first=0):
    """Run mechanisms and print what is beyond the limits, and the largest errors."""
    worst, refused, beyond, impossible = np.zeros(len(NAMES)), 0, 0, 0
    for seed in range(first, first + count):
        try:
            found = errors(seed)
        except br.BricardError as error:
            m = random_mechanism(seed)
            if isinstance(error, br.AssemblyError) and "No velocity" not in str(error) and reachable(m) > 1e-9:
                impossible += 1
                print(seed, "impossible", str(error)[:150])
                continue
            refused += 1
            print(seed, type(error).__name__, str(error)[:150])
            continue
        except Exception as error:
            refused += 1
            print(seed, "!!", type(error).__name__, str(error)[:150])
            continue
        worst = np.maximum(worst, found)
        if any(value > limit for value, limit in zip(found, LIMITS, strict=True)):
            beyond += 1
            print(
                seed,
                {
                    name: f"{value:.1e}"
                    for name, value, limit in zip(NAMES, found, LIMITS, strict=True)
                    if value > limit
                },
            )
    print({name: f"{value:.1e}" for name, value in zip(NAMES, worst, strict=True)})
    print(f"of {count}: beyond a limit {beyond}, falsely refused {refused}, impossible {impossible}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
