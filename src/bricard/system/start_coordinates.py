"""Start coordinates: the coordinates in which a start stays as drawn and at rest. The table of all joints is KINDS.

    hinge, pin              the angle                        slide, slider   the displacement
    cylindrical, universal  both coordinates                 user, linkage   those named; inner joints are not counted
    ball                    the rotation vector from the drawn pose
    planar, free            the shift at the mid-point of both origins, and the turn as that of the ball
    a body that no such joint reaches: shift of its origin and rotation vector in the world, from the drawn pose
    distance, point on a line or plane, constant angle, rolling, rows of one's own: none

A shift at the mid-point is d turned back by half the rotation vector, exp(-phi/2) d, with d the way between both origins in the
axes of a: the same seen from b, so that the direction of a declaration does not count. Natural sizes are the characteristic
length and one radian. Values are along all of a group at once; derivatives are by the velocities (12) of two bodies: of the
centre of mass of a, of its turn in world axes, and the same of b.
"""

from typing import NamedTuple

import numpy as np

from .user_joint import coordinates_of, relative_pose, relative_speed

MIDDLE, TURN = (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1)
# joint -> names of its measures, or which of (shift, rotation vector) it has
KINDS: dict[str, tuple] = {
    "revolute": ("angle",),
    "pin": ("angle",),
    "prismatic": ("displacement",),
    "slider": ("displacement",),
    "cylindrical": ("displacement", "angle"),
    "universal": ("angle_a", "angle_b"),
    "fixed": (),
    "spherical": TURN,
    "planar": (1, 1, 0, 0, 0, 1),
    "free": (1, 1, 1, 1, 1, 1),
}
LOOSE = ("planar", "free")  # kinds that may have no rows
UNITS = ("length",) * 3 + ("angle",) * 3
TWISTS = np.eye(12)


class Values(NamedTuple):
    """Numbers (n,), the two bodies of each (n, 2), and the derivatives (n, 12)."""

    value: np.ndarray
    bodies: np.ndarray
    slope: np.ndarray


def measuring_joints(model):
    """Names of joints that hold nothing (free, planar in the plane) and only measure: coordinates of others place the bodies."""
    root = {}

    def end(body):
        while root.get(body, body) is not body:
            body = root[body]
        return body

    def joined(joint):
        """Join the bodies of a joint; False where they were joined before."""
        first, *rest = {end(body): None for body in joint.bodies}
        root.update(dict.fromkeys(rest, first))
        return bool(rest)

    loose = {name: joint for name, joint in model.joints.items() if joint.kind in LOOSE and not rows_of(joint)}
    if not loose:
        return frozenset()
    for name, joint in model.joints.items():
        if name not in loose and (KINDS.get(joint.kind) or joint.kind in ("user", "linkage")):
            joined(joint)
    return frozenset(name for name, joint in loose.items() if not joined(joint))


def rows_of(joint):
    """How many rows a joint has."""
    return sum(len(block.labels) for block in joint.blocks())


def counted_joints(model):
    """Joints with start coordinates, but for inner ones of linkages and those that only measure."""
    measuring = measuring_joints(model)
    linkages = tuple(f"{joint.name}/" for joint in model.joints.values() if joint.kind == "linkage")
    return [
        joint
        for name, joint in model.joints.items()
        if (joint.kind in KINDS or joint.kind in ("user", "linkage")) and not (linkages and name.startswith(linkages))
        if name not in measuring
    ]


def loose_bodies(model):
    """Bodies that no joint with start coordinates reaches: their poses are counted."""
    reached = {body for joint in counted_joints(model) for body in joint.bodies}
    linkages = tuple(f"{joint.name}/" for joint in model.joints.values() if joint.kind == "linkage")
    return [
        body
        for name, body in model.bodies.items()
        if body not in reached and not (linkages and name.startswith(linkages))
    ]


class StartCoordinates:
    """The coordinates of some joints and bodies. owner : the joint or body of each; unit : "length" or "angle"."""

    def __init__(self, number, joints, bodies, drawn):
        self.owner, self.unit, measures, shifts = [], [], [], []
        balls = []
        for joint in joints:
            if joint.kind in KINDS and isinstance(next(iter(KINDS[joint.kind]), ""), int):
                shifts.append((joint, KINDS[joint.kind]))
                continue
            named = joint.coordinates()
            chosen = [named[key] for key in KINDS.get(joint.kind, tuple(named))]
            measures += chosen
            self.owner += [joint] * len(chosen)
            self.unit += [measure.unit for measure in chosen]
            if joint.kind == "user" and joint.what.ball:
                balls.append(joint)
        shifts += [(body, (1, 1, 1, 1, 1, 1)) for body in bodies]
        self.listed, self.measures = measures, Measures(number, measures)
        self.motions = Motions(number, shifts, drawn)
        self.balls = Balls(number, balls, self.measures)
        for owner, which in shifts:
            self.owner += [owner] * sum(which)
            self.unit += [unit for unit, on in zip(UNITS, which, strict=True) if on]
        for joint in balls:
            self.owner += [joint] * 3
            self.unit += ["angle"] * 3
        self.angles = self.measures.angles
        self.first = self._parts(*drawn).value
        self.change = np.zeros(len(self.first))

    def at(self, x, R):
        """Values at poses, as changes from the drawn ones; angles are counted on from the last call."""
        found = self._parts(x, R)
        change, n = found.value - self.first, self.angles.size
        change[:n] = np.where(self.angles, nearest(change[:n], self.change[:n]), change[:n])
        self.change = change
        return found._replace(value=change)

    def counted(self):
        """Angles among the measures of joints -> where they have come to, counted from the drawn pose."""
        values = self.first + self.change
        return {m: float(values[i]) for i, m in enumerate(self.listed) if self.angles[i]}

    def _parts(self, x, R):
        parts = [self.measures.at(x, R), self.motions.at(x, R), self.balls.at(x, R)]
        return Values(*(np.concatenate(same) for same in zip(*parts, strict=True)))


def nearest(angle, reference):
    """The angles plus full turns that are nearest to others; half a turn away they stay as they are."""
    turns = (reference - angle) / (2.0 * np.pi)
    return angle + 2.0 * np.pi * np.where(np.abs(turns) <= 0.5 + 1e-9, 0.0, np.round(turns))


class Measures:
    """Values of measures in the order given, all of one kind at once; those of users' joints near the last ones."""

    def __init__(self, number, measures):
        self.bodies = np.array([[number[body] for body in measure.bodies] for measure in measures], int).reshape(-1, 2)
        kinds = np.array([measure.kind for measure in measures])
        self.angles = kinds == "angle"
        self.groups = []
        for kind, function in (("angle", _angles), ("displacement", _displacements), ("distance", _distances)):
            chosen = np.flatnonzero(kinds == kind)
            if chosen.size:
                self.groups.append((chosen, function, np.array([measures[i].parameters for i in chosen])))
        self.users: dict = {}
        for i, measure in enumerate(measures):
            if measure.joint is not None:
                self.users.setdefault(measure.joint, []).append((i, int(measure.parameters[0])))
        self.near: dict = {}
        self.found: dict = {}

    def at(self, x, R):
        """The Values at poses x (n + 1, 3), R (n + 1, 3, 3)."""
        value, slope = np.zeros(len(self.bodies)), np.zeros((len(self.bodies), 12))
        for chosen, function, parameters in self.groups:
            a, b = self.bodies[chosen].T
            value[chosen], slope[chosen] = function(parameters, x[a], R[a], x[b], R[b])
        for joint, places in self.users.items():
            a, b = self.bodies[places[0][0]]
            s, rates = user_slopes(joint, x, R, a, b, self.near.get(joint))
            if np.isfinite(s).all():
                self.near[joint] = s
            self.found[joint] = a, b, s, rates
            for i, k in places:
                value[i], slope[i] = s[k], rates[k]
        return Values(value, self.bodies, slope)


def user_slopes(joint, x, R, a, b, near):
    """Coordinates (numbers,) of a user's joint between bodies a and b, and derivatives (n_v, 12) of its velocities."""
    pose_a, pose_b = [(np.tile(x[i], (12, 1)), np.tile(R[i], (12, 1, 1))) for i in (a, b)]
    d, C = relative_pose(joint, pose_a, pose_b)
    twist_a, twist_b = (TWISTS[:, :3], TWISTS[:, 3:6]), (TWISTS[:, 6:9], TWISTS[:, 9:])
    s, rates = coordinates_of(joint, d, C, near, relative_speed(joint, pose_a, pose_b, twist_a, twist_b))
    return s[0], rates.T


class Balls:
    """Rotation vectors of users' joints whose last coordinate is a quaternion, from the drawn one, in the axes of b as drawn."""

    def __init__(self, number, joints, measures):
        self.joints, self.measures, self.drawn, self.vector = joints, measures, {}, {}
        self.bodies = [[number[body] for body in joint.bodies] for joint in joints]

    def at(self, x, R):
        """The Values at poses; behind those of the measures, whose coordinates they are."""
        value, slope = np.zeros((len(self.joints), 3)), np.zeros((len(self.joints), 3, 12))
        for i, (joint, (a, b)) in enumerate(zip(self.joints, self.bodies, strict=True)):
            known = self.measures.found.get(joint)
            s, rates = known[2:] if known else user_slopes(joint, x, R, a, b, self.drawn.get((joint, "near")))
            self.drawn[joint, "near"] = s
            turned = _matrix(s[-4:])
            first = self.drawn.setdefault(joint, turned)
            value[i] = rotation_vector((first.T @ turned)[None], value[i : i + 1])[0]
            # the rate of exp(phi) is exp(phi) [w]x with w in the axes of b
            slope[i] = left_jacobian_inverse(-value[i : i + 1])[0] @ rates[-3:]
        bodies = np.repeat(np.array(self.bodies, int).reshape(-1, 2), 3, axis=0)
        return Values(value.ravel(), bodies, slope.reshape(-1, 12))


class Motions:
    """Shifts and rotation vectors of frames of b against frames of a, or of bodies against where they are drawn."""

    def __init__(self, number, owners, drawn):
        x, R = drawn
        n = len(owners)
        self.bodies, self.A, self.B = np.zeros((n, 2), int), np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
        self.p_a, self.p_b, self.half = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
        self.which = np.array([which for _, which in owners], bool).reshape(-1, 6)
        for i, (owner, _) in enumerate(owners):
            if hasattr(owner, "com"):
                b = number[owner]
                self.bodies[i] = len(x) - 1, b
                self.A[i], self.B[i], self.p_b[i] = np.eye(3), np.eye(3), -owner.com
                self.p_a[i] = x[b] - R[b] @ owner.com
                continue
            a, b = owner.frame_a, owner.frame_b
            self.bodies[i] = number[a.body], number[b.body]
            self.A[i], self.B[i], self.p_a[i], self.p_b[i] = a.rotation, b.rotation, a.point, b.point
            self.half[i] = 0.5
        self.vector, self.first = np.zeros((n, 3)), self._relative(x, R)[1]

    def _relative(self, x, R):
        a, b = self.bodies.T
        A = R[a] @ self.A
        back = np.swapaxes(A, 1, 2)
        lever_a, lever_b = rotated(R[a], self.p_a), rotated(R[b], self.p_b)
        return back, back @ R[b] @ self.B, x[b] + lever_b - x[a] - lever_a, lever_a, lever_b

    def at(self, x, R):
        """The Values of all components that count."""
        back, C, way, lever_a, lever_b = self._relative(x, R)
        phi = self.vector = rotation_vector(C @ np.swapaxes(self.first, 1, 2), self.vector)
        d, n = rotated(back, way), len(C)
        w = np.zeros((n, 3, 12))  # relative angular velocity in the axes of A
        w[:, :, 3:6], w[:, :, 9:] = -back, back
        turning = left_jacobian_inverse(phi) @ w
        speed = np.zeros((n, 3, 12))  # of the origin of b against that of a, seen from a, in world axes
        speed[:, :, :3], speed[:, :, 6:9] = -np.eye(3), np.eye(3)
        speed[:, :, 3:6], speed[:, :, 9:] = cross_matrix(lever_a + way), -cross_matrix(lever_b)
        half = self.half[:, None] * phi
        turned = rotation_of_vector(-half)
        spin = left_jacobian(half) @ (self.half[:, None, None] * turning)
        shifting = turned @ (back @ speed + cross_matrix(d) @ spin)
        value = np.concatenate([rotated(turned, d), phi], axis=1)
        slope = np.concatenate([shifting, turning], axis=1)
        bodies = np.broadcast_to(self.bodies[:, None], (n, 6, 2))
        return Values(value[self.which], bodies[self.which], slope[self.which])


def _angles(p, x_a, R_a, x_b, R_b):
    side, x, y = rotated(R_b, p[:, 6:9]), rotated(R_a, p[:, :3]), rotated(R_a, p[:, 3:6])
    s, c = np.sum(side * y, 1), np.sum(side * x, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        axis = np.cross(side, c[:, None] * y - s[:, None] * x) / (s * s + c * c)[:, None]
    zero = np.zeros_like(axis)
    return np.arctan2(s, c), np.concatenate([zero, -axis, zero, axis], axis=1)


def _displacements(p, x_a, R_a, x_b, R_b):
    n, lever = rotated(R_a, p[:, :3]), rotated(R_b, p[:, 3:6])
    way = x_b + lever - x_a
    slope = np.concatenate([-n, np.cross(n, way), n, np.cross(lever, n)], axis=1)
    return np.sum(way * n, 1) - p[:, 6], slope


def _distances(p, x_a, R_a, x_b, R_b):
    lever_a, lever_b = rotated(R_a, p[:, :3]), rotated(R_b, p[:, 3:6])
    way = x_b + lever_b - x_a - lever_a
    value = np.linalg.norm(way, axis=1)
    u = way / np.maximum(value, 1e-300)[:, None]
    return value, np.concatenate([-u, -np.cross(lever_a, u), u, np.cross(lever_b, u)], axis=1)


# rotations, many at once


def rotated(R, vectors):
    """Matrices (n, 3, 3) times vectors (n, 3)."""
    return np.einsum("nij,nj->ni", R, vectors)


def cross_matrix(v):
    """Matrices (n, 3, 3) of the cross product with vectors (n, 3)."""
    out = np.zeros((len(v), 3, 3))
    out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    return out - np.swapaxes(out, 1, 2)


def rotation_of_vector(phi):
    """exp of rotation vectors (n, 3)."""
    size = np.linalg.norm(phi, axis=1)
    K = cross_matrix(phi)
    return np.eye(3) + np.sinc(size / np.pi)[:, None, None] * K + _cosine_part(size)[:, None, None] * (K @ K)


def _cosine_part(size):
    """(1 - cos) / size^2."""
    return 0.5 * np.sinc(size / (2.0 * np.pi)) ** 2


def left_jacobian(phi):
    """J (n, 3, 3) with w = J phi' for the angular velocity w of exp(phi), in the axes that phi is counted from."""
    size = np.linalg.norm(phi, axis=1)
    K = cross_matrix(phi)
    small = size < 1e-2
    safe = np.where(small, 1.0, size)
    third = np.where(small, 1.0 / 6.0 - size**2 / 120.0 + size**4 / 5040.0, (safe - np.sin(safe)) / safe**3)
    return np.eye(3) + _cosine_part(size)[:, None, None] * K + third[:, None, None] * (K @ K)


def left_jacobian_inverse(phi):
    """The inverse of left_jacobian."""
    size = np.linalg.norm(phi, axis=1)
    K = cross_matrix(phi)
    small = size < 1e-2
    half = np.where(small, 0.5, 0.5 * size)
    part = np.where(small, 1.0 / 12.0 + size**2 / 720.0, (1.0 - half / np.tan(half)) / np.where(small, 1.0, size) ** 2)
    return np.eye(3) - 0.5 * K + part[:, None, None] * (K @ K)


def rotation_vector(R, near):
    """Rotation vectors (n, 3) of matrices (n, 3, 3), of those of one rotation the one nearest to others (n, 3)."""
    axial = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    sine, cosine = np.linalg.norm(axial, axis=1), 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
    size = np.arctan2(sine, cosine)
    out = axial * (1.0 / np.sinc(np.minimum(size, 3.0) / np.pi))[:, None]
    for i in np.flatnonzero(size > 3.0):  # near half a turn the axis is that of R + R^T
        rows = R[i] + R[i].T + (1.0 - np.trace(R[i])) * np.eye(3)
        axis = rows[np.argmax(np.diag(rows))]
        axis = axis / np.linalg.norm(axis)
        out[i] = size[i] * axis * (1.0 if axis @ axial[i] >= 0.0 else -1.0)
    size = np.linalg.norm(out, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        axis = np.where(size[:, None] > 0.0, out / size[:, None], near / np.linalg.norm(near, axis=1)[:, None])
    turns = np.round((np.sum(near * axis, axis=1) - size) / (2.0 * np.pi))
    return np.where((np.abs(turns) > 0.0)[:, None], out + 2.0 * np.pi * turns[:, None] * np.nan_to_num(axis), out)


def _matrix(p):
    w, x, y, z = p / np.linalg.norm(p)
    K = cross_matrix(np.array([[x, y, z]]))[0]
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K
