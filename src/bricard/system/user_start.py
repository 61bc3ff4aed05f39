"""A user's joint at its drawn pose, in plain Python: start values, scales, and its numbers.

The layout of the numbers is that of kernels/user_layout.py.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled.hyperdual import HyperDual, lifted
from ..compiled.users import pointer
from ..errors import ModelError
from ..hyperdual.following import Numbers
from ..hyperdual.rebuild import plain_copy, plain_of
from ..kernels import user_functions
from ..kernels.user_changes import changed, changed_closure
from ..kernels.user_elimination import settle, settle_closure
from ..kernels.user_joint import closure_motion, closure_slopes, joint_motion, joint_slopes
from ..kernels.user_layout import EXPLICIT, IMPLICIT, ROUTINE, WITH_MOTION
from ..kernels.user_rows import curved, curved_closure, linear
from .user_joint_check import axial, check, check_rotations

CODES = {"explicit": EXPLICIT, "implicit": IMPLICIT, "routine": ROUTINE}
# of joints given by their pose, and of implicit ones: none holds what only the others need
PIECES = (
    (joint_motion, joint_slopes, settle, linear, curved, changed),
    (closure_motion, closure_slopes, settle_closure, linear, curved_closure, changed_closure),
)
BRANCH = 0.1  # in natural sizes: what start= may be off from the coordinates of the drawn pose
CLOSED = 1e-6  # residuals, in lengths or radians, of a pose of an implicit joint
SINGULAR = 1e-9  # smallest singular value, of the largest, below which a transmission is singular
STRIDE = 0.3  # largest step to begin with, in natural sizes
RUNGS, BENT, SHORTEST = (
    10,
    0.5,
    1e-3,
)  # doublings in search of a bend; change of slopes that is one; shortest length, of its way


class Prepared(NamedTuple):
    """A user's joint ready for compiled code: its numbers, and what keeps its function alive."""

    numbers: tuple[float, ...]
    pointer: Any


def asked(what, n_p):
    """Each function of a user's joint with the names and shapes of its arguments."""
    s, p = ("s", (what.numbers,)), ("p", Numbers(n_p))
    if what.kind == "routine":
        return ((what.function, (s, ("u", (what.freedom,)), p)),)
    if what.kind == "implicit":
        return ((what.function, (("d", (3,)), ("C", (3, 3)), s, p)),)
    return tuple((function, (s, p)) for function in (what.function, what.motion) if function is not None)


def pointer_of(what, n_p):
    """The compiled function."""
    n_q, n_v = what.numbers, what.freedom
    if what.motion is not None:
        return pointer(user_functions.with_motion, asked(what, n_p), n_q, n_p)
    if what.kind == "routine":
        return pointer(user_functions.routine, asked(what, n_p), n_q, n_v, n_p)
    return pointer(getattr(user_functions, what.kind), asked(what, n_p), n_q, n_p)


def directed(values, along):
    """Numbers (an array of any shape) with a direction, as tuples of hyper-dual numbers."""
    if np.ndim(values) == 0:
        return HyperDual(values, along)
    return tuple(directed(value, way) for value, way in zip(values, along, strict=True))


def slope_of(values: Any) -> Any:
    """Derivatives along the first direction of what a function gives, as an array."""
    if isinstance(values, (tuple, list, np.ndarray)):
        return np.array([slope_of(value) for value in values])
    return float(lifted(values).a)


@lru_cache(maxsize=512)
def prepared(joint) -> Prepared:
    """The numbers of a joint, found at its drawn pose."""
    return Start(joint).prepared()


class Start:
    """A joint at its drawn pose, in plain Python: start values, scales."""

    def __init__(self, joint):
        what = joint.what
        self.joint, self.kind = joint, what.kind
        self.plain = plain_of(what.function)
        self.smooth = plain_copy(what.function)  # of hyper-dual numbers
        self.p, self.n_q, self.n_v, self.ball = np.array(joint.parameters), what.numbers, what.freedom, what.ball
        a, b = joint.frame_a, joint.frame_b
        self.d = a.world_rotation.T @ (b.world_position - a.world_position)
        self.C = a.world_rotation.T @ b.world_rotation
        self.length = _size_of(a, b)
        rest = np.zeros(self.n_q)
        if self.ball:
            rest[-4] = 1.0
        self.s = rest if joint.start is None else np.array(joint.start)
        self.label = f'The {self.kind} function of joint "{joint.name}"'

    def prepared(self):
        """Check, find the start, and write all numbers down."""
        what = self.joint.what
        check(self)
        if self.kind == "implicit":
            self.close()
        else:
            self.approach()
            self._check_branch(self.s)
            check_rotations(self)
        self.length = self.fitting_length()
        hx, hs = self.slopes(self.d, self.C, self.s)
        scale = self.length / np.maximum(np.linalg.norm(hx, axis=1), 1e-300)
        hx, hs = hx * scale[:, None], hs * scale[:, None]
        natural = np.array([self.length if unit == "length" else 1.0 for unit in self.joint.units])
        self.refuse_singular(hs * natural, "residuals do not depend on the coordinates", "coordinates that move it")
        branch = 1.0
        if self.kind == "implicit":
            self.refuse_singular(hx, "coordinates do not determine the pose", "other coordinates, or another start")
            branch = float(np.linalg.det(hx))
        basis = np.linalg.svd(hs * natural, full_matrices=True)[0]
        pointer = pointer_of(what, self.p.size)
        from ..model.frames import quaternion

        start = np.concatenate([self.s, np.zeros(7 - self.n_q), self.d, quaternion(self.C)])
        numbers = np.concatenate(
            [
                [
                    WITH_MOTION if what.motion is not None else CODES[self.kind],
                    self.n_q,
                    self.n_v,
                    self.ball,
                    float(pointer.address),
                    branch,
                    self.length,
                ],
                [float(piece.address) for piece in PIECES[self.kind == "implicit"]],
                start,
                np.concatenate([natural, np.ones(6 - self.n_v)]),
                scale,
                basis.ravel(),
                self.p,
            ]
        )
        return Prepared(tuple(numbers.tolist()), pointer)

    # the user's function in NumPy

    def pose(self, s):
        """d (3,), C (3, 3) of an explicit function or a routine."""
        if self.kind == "explicit":
            d, C = self.plain(tuple(s), self.p)
        else:
            d, C = (self.plain(tuple(s), (0.0,) * self.n_v, self.p)[i] for i in (0, 4))
        return np.asarray(d), np.asarray(C)

    def closure(self, d, C, s):
        """Residuals (6,) of an implicit function."""
        return np.asarray(self.plain(tuple(d), tuple(tuple(row) for row in C), tuple(s), self.p))

    def closure_slope(self, *numbers_and_ways):
        """Derivatives (6,) of residuals at d, C, s along their ways."""
        numbers, ways = numbers_and_ways[:3], numbers_and_ways[3:]
        return slope_of(self.smooth(*map(directed, numbers, ways), self.p))

    def directions(self, s):
        """Derivatives (n_v, n_q) of s along each velocity."""
        rows = np.zeros((self.n_v, self.n_q))
        plain = self.n_v - 3 * self.ball
        rows[:plain, :plain] = np.eye(plain)
        if self.ball:
            w, x, y, z = s[-4:]
            rows[plain:, plain:] = 0.5 * np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
        return rows

    def advanced(self, s, u):
        """s after a step u (n_v,)."""
        s = s + u @ self.directions(s)
        if self.ball:
            s[-4:] /= np.linalg.norm(s[-4:])
        return s

    def motion(self, s):
        """Rows (n_v, 6) of an explicit function or a routine: d' and w, in the axes of A, for each velocity."""
        if self.kind == "routine":
            found = self.plain(tuple(s), (0.0,) * self.n_v, self.p)
            return np.hstack([np.asarray(found[i], float).reshape(3, self.n_v).T for i in (2, 6)])
        if self.joint.what.motion is not None:
            given = getattr(self.joint.what.motion, "py_func", self.joint.what.motion)
            return np.asarray(given(tuple(s), self.p), float)
        _, C = self.pose(s)
        rows = []
        for way in self.directions(s):
            d_dot, C_dot = map(slope_of, self.smooth(directed(s, way), self.p))
            rows.append([*d_dot, *axial(C_dot @ np.asarray(C, float).T)])
        return np.array(rows)

    def slopes(self, d, C, s):
        """h_x (6, 6), in lengths and turns about the axes of B, and h_s (6, n_v)."""
        if self.kind != "implicit":
            motion = self.motion(s)
            hx = np.zeros((6, 6))
            hx[:3, :3], hx[3:, 3:] = self.length * C.T, self.length * np.eye(3)
            return hx, -np.vstack([C.T @ motion[:, :3].T, self.length * C.T @ motion[:, 3:].T])
        columns = []
        for k in range(6):
            one = np.eye(3)[k % 3]
            shift, turn = (self.length * one, 0 * one) if k < 3 else (0 * one, one)
            columns.append(self.closure_slope(d, C, s, shift, np.cross(C, turn), 0.0 * s))
        along = [self.closure_slope(d, C, s, 0.0 * d, 0.0 * C, way) for way in self.directions(s)]
        return np.column_stack(columns), np.column_stack(along)

    # the length

    def fitting_length(self):
        """Length (m): that of the bodies, or the way that belongs to a radian, but not far from that over which the joint bends.

        Where the frames lie says nothing of it: they may coincide up to rounding as drawn, or be far apart.
        """
        length = self.length
        if self.kind != "implicit":
            ways = np.linalg.norm(self.motion(self.s)[:, :3], axis=1)
            length = max(
                length, *(way if unit == "angle" else 0.0 for way, unit in zip(ways, self.joint.units, strict=True))
            )
        bend = self._bend(length)
        return float(length if bend is None else np.clip(length, SHORTEST * bend, bend))

    def _bend(self, length):
        """Way (m) along coordinates, or shifts of an implicit function, over which slopes change by half their size; or None."""
        moves = [
            (np.zeros(3), u) for u, unit in zip(np.eye(self.n_v), self.joint.units, strict=True) if unit == "length"
        ]
        moves += [(shift, np.zeros(self.n_v)) for shift in np.eye(3) if self.kind == "implicit"]
        for rung in range(-RUNGS, RUNGS + 1):
            way = length * 2.0**rung
            for shift, u in moves:
                here = self._rows(self.d, self.s, way)
                if self.kind != "implicit" and way * np.linalg.norm(u @ self.motion(self.s)[:, 3:]) > 1.0:
                    return way
                for side in (way, -way):
                    try:
                        with np.errstate(all="ignore"):
                            there = self._rows(self.d + side * shift, self.advanced(self.s, side * u), way)
                    except (ArithmeticError, ValueError):  # outside of the domain of the function
                        continue
                    change, size = (np.linalg.norm(rows, axis=1) for rows in (there - here, here))
                    if (change > BENT * size).any():
                        return way
        return None

    def _rows(self, d, s, way):
        """Slopes by rows, in units of a way (m): the motion, or the derivatives of the residuals."""
        if self.kind != "implicit":
            return self.motion(s) * np.repeat([1.0, way], 3)
        hx, hs = self.slopes(d, self.C, s)
        sizes = [way if unit == "length" else 1.0 for unit in self.joint.units]
        return np.hstack([hx * np.repeat([way / self.length, 1.0], 3), hs * sizes])

    # the start

    def approach(self):
        """s of the pose nearest to the drawn one, by Gauss-Newton, and that pose."""
        stride, before = 0.5 * STRIDE, np.inf
        for _ in range(60):
            d, C = (np.asarray(part, float) for part in self.pose(self.s))
            error = np.concatenate([C.T @ (self.d - d), self.length * axial(C.T @ self.C)])
            motion = self.motion(self.s)
            step = np.linalg.lstsq(
                np.vstack([C.T @ motion[:, :3].T, self.length * C.T @ motion[:, 3:].T]), error, rcond=None
            )[0]
            size, left = np.abs(step / self.natural()).max(initial=0.0), np.abs(error).max()
            stride, before = 2.0 * stride if left < before else STRIDE, left
            self.s = self.advanced(self.s, step * min(1.0, stride / max(size, 1e-300)))
            if not size > 1e-14:
                break
        self.d, self.C = (np.asarray(part, float) for part in self.pose(self.s))

    def close(self):
        """s of the drawn pose unless it is given, and the pose at s, by Newton's method."""
        drawn = self._fitted()
        if self.joint.start is None:
            self.s = drawn
        error = np.inf
        for _ in range(60):
            hx = self.slopes(self.d, self.C, self.s)[0]
            h = self.closure(self.d, self.C, self.s)
            if self._is_singular(hx) and not (np.abs(h) <= CLOSED * np.linalg.norm(hx, axis=1)).all():
                break  # not at a pose of the joint
            self.refuse_singular(hx, "coordinates do not determine the pose", "other coordinates, or another start")
            step = -np.linalg.solve(hx, h)
            error = np.abs(step).max()
            if not np.isfinite(error):
                break
            step *= min(1.0, 0.3 / max(error, 1e-300))
            self.d, self.C = self.d + self.length * step[:3], self.C @ _rotation(step[3:])
            if error < 1e-14:
                break
        if not error < 1e-9:
            values = ", ".join(
                f"{name} = {x:.6g}" for name, x in zip(self.joint.what.coordinates, self.s, strict=False)
            )
            left = np.abs(self.closure(self.d, self.C, self.s)).max()
            raise ModelError(
                f'Joint "{self.joint.name}" cannot be closed from its drawn pose at {values}: the residuals stay at {left:.3g}. '
                "Its coordinates may lie outside the range of motion: draw the bodies nearer to a closed pose, or give start=... "
                "inside the range."
            )
        self._check_branch(drawn)

    def _fitted(self):
        """s with the smallest residuals of an implicit function at the drawn pose, by Gauss-Newton."""
        s, stride, before = self.s, 0.5 * STRIDE, np.inf
        for _ in range(60):
            with np.errstate(all="ignore"):
                h, hs = self.closure(self.d, self.C, s), self.slopes(self.d, self.C, s)[1]
            if not (np.isfinite(h).all() and np.isfinite(hs).all()):
                break
            step = -np.linalg.lstsq(hs, h, rcond=None)[0]
            size, left = np.abs(step / self.natural()).max(initial=0.0), np.abs(h).max()
            stride, before = 2.0 * stride if left < before else STRIDE, left
            s = self.advanced(s, step * min(1.0, stride / max(size, 1e-300)))
            if not size > 1e-14:
                break
        return s

    def turn_back(self):
        """d, C, s at the limit of one coordinate nearby: h = 0 and h_x phi = 0, by Newton's method (Moore and Spence 1980)."""
        hx, phi0 = self.slopes(self.d, self.C, self.s)[0], np.linalg.svd(self.slopes(self.d, self.C, self.s)[0])[2][-1]
        phi, h = phi0, 1e-5
        for _ in range(20):
            (hx, hs), value = self.slopes(self.d, self.C, self.s), self.closure(self.d, self.C, self.s)
            columns = []
            for way in np.eye(7):
                ahead, behind = (
                    self.slopes(self.d + side * h * self.length * way[:3], self.C @ _rotation(side * h * way[3:6]), s)[
                        0
                    ]
                    @ phi
                    for side, s in (
                        (1, self.s + h * way[6] * self.natural()),
                        (-1, self.s - h * way[6] * self.natural()),
                    )
                )
                columns.append((ahead - behind) / (2 * h))
            matrix = np.zeros((13, 13))
            matrix[:6, :6], matrix[:6, 6:7], matrix[6:12, :7] = hx, hs * self.natural(), np.column_stack(columns)
            matrix[6:12, 7:], matrix[12, 7:] = hx, phi0
            step = np.linalg.lstsq(matrix, -np.concatenate([value, hx @ phi, [phi0 @ phi - 1.0]]), rcond=None)[0]
            self.d, self.C = self.d + self.length * step[:3], self.C @ _rotation(step[3:6])
            self.s, phi = self.s + step[6] * self.natural(), phi + step[7:]
            if np.abs(step[:7]).max() < 1e-13:
                break

    def natural(self):
        """Natural sizes (n_v,) of the velocities."""
        return np.array([self.length if unit == "length" else 1.0 for unit in self.joint.units])

    def refuse_singular(self, matrix, what, remedy):
        """Raise where a matrix that must have full column rank does not."""
        shown = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.joint.what.coordinates, self.s, strict=False))
        if not np.isfinite(matrix).all():
            raise ModelError(
                f'Joint "{self.joint.name}" has no pose at {shown}: its function is not finite there. Draw the bodies, or give '
                "start=..., inside its range."
            )
        values = self._singular_values(matrix)
        if self._is_singular(matrix):
            raise ModelError(
                f'Joint "{self.joint.name}" has a singular transmission at {shown}: its {what} there (smallest singular value '
                f"{values[-1]:.2g} of {values[0]:.2g}). Take {remedy}."
            )

    def _singular_values(self, matrix):
        """Of rows of equal size."""
        rows = np.linalg.norm(matrix, axis=1)
        return np.linalg.svd(matrix / np.where(rows > 0.0, rows, 1.0)[:, None], compute_uv=False)

    def _is_singular(self, matrix):
        if not np.isfinite(matrix).all():
            return True
        values = self._singular_values(matrix)
        return not values[min(matrix.shape) - 1] > SINGULAR * values[0]

    def _check_branch(self, drawn):
        """Raise where a given start is not that of the drawn pose, which has the coordinates `drawn`."""
        if self.joint.start is None:
            return
        given = np.array(self.joint.start)
        plain = self.n_v - 3 * self.ball  # a quaternion has no turns to be counted
        if (np.abs(drawn - given)[:plain] > BRANCH * self.natural()[:plain]).any():
            raise ModelError(
                f'Joint "{self.joint.name}" has start = {given.tolist()}, but as drawn its coordinates are {drawn.tolist()}. '
                "start= only tells which of several values belongs to the drawn pose: leave it out, draw the bodies there, or "
                f'move them with model.start(joint="{self.joint.name}.{self.joint.labels[0]}", position=...).'
            )


def _size_of(a, b):
    """Largest radius of gyration (m) of the bodies of two frames; of bodies without, the distance of their frames."""
    moving = [frame for frame in (a, b) if not frame.body.is_ground]
    radii = [np.trace(f.body.inertia) / (2.0 * f.body.mass) for f in moving if f.body.mass > 0.0]
    largest = max([0.0, *radii]) ** 0.5 or max([0.0, *(np.linalg.norm(f.point) for f in moving)])
    return float(largest) or 1.0


def _rotation(turn):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(turn).as_matrix()
