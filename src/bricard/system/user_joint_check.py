"""Functions of users' joints are checked at the start, in plain Python: shapes, finite numbers, rotations, own derivatives.

Derivatives that a routine gives itself are compared with differences. The same comparison is made on the way of a run, by
compiled code (user_routine.py): a routine that is right at the start may leave its range later.
"""

import numpy as np

from ..errors import UserFunctionError
from .user_check import STEP, TOLERANCE

SOME = np.random.default_rng(6).normal(size=6)
BESIDE = (1e-3, 0.1)  # in natural sizes: where C is looked at, too


def check(start):
    """Raise where the function fails, has the wrong shape, is not finite, or disagrees with its own derivatives."""
    if start.kind == "routine":
        _check_routine(start)
        return
    if start.joint.what.motion is not None:
        _check_motion(start)
        return
    if start.kind == "explicit":
        _check_shape(start, lambda: start.pose(start.s), "d (3 numbers) and C (3 rows of 3)", ((3,), (3, 3)))
        _check_rotation(start, start.pose(start.s)[1])
    else:
        _check_shape(start, lambda: (start.closure(start.d, start.C, start.s),), "6 residuals", ((6,),))


def _check_motion(start):
    """The user's derivatives against differences of the position."""
    _check_shape(start, lambda: start.pose(start.s), "d (3 numbers) and C (3 rows of 3)", ((3,), (3, 3)))
    _check_rotation(start, start.pose(start.s)[1])
    shape = (start.n_v, 6)
    _check_shape(start, lambda: (start.motion(start.s),), f"from motion: {start.n_v} rows of 6", (shape,))
    given, C = start.motion(start.s), np.asarray(start.pose(start.s)[1], float)
    for k, row in enumerate(given):
        step = STEP * np.eye(start.n_v)[k]
        (d_1, C_1), (d_0, C_0) = (map(np.asarray, start.pose(start.s + side * step)) for side in (1, -1))
        wanted = np.concatenate([(d_1 - d_0) / (2 * STEP), axial((C_1 - C_0) / (2 * STEP) @ C.T)])
        if not np.abs(row - wanted).max() <= TOLERANCE * (1.0 + np.abs(wanted).max()):
            raise UserFunctionError(
                f'Row {k + 1} of the motion of joint "{start.joint.name}" is {row.tolist()}, but {wanted.tolist()} by '
                "differences of its position."
            )


def _check_shape(start, call, wanted, shapes):
    try:
        with np.errstate(all="ignore"):
            values = [np.asarray(value, float) for value in call()]
    except Exception as error:
        raise UserFunctionError(
            f"{start.label} fails at the start: {type(error).__name__}: {error}. It must return {wanted}; see "
            "docs/user-joints.md."
        ) from error
    found = tuple(value.shape for value in values)
    if found != shapes:
        raise UserFunctionError(f"{start.label} returns arrays of shape {found}, needed is {wanted}.")
    if not all(np.isfinite(value).all() for value in values):
        raise UserFunctionError(
            f"{start.label} is not finite at the start, s = {start.s.tolist()}: it gives {[v.tolist() for v in values]}."
        )


def _check_rotation(start, C, s=None):
    C, where = np.asarray(C, float), "the start" if s is None else f"s = {s.tolist()}, near the start"
    gap = float(np.abs(C.T @ C - np.eye(3)).max())
    if gap > 1e-8:
        raise UserFunctionError(f"{start.label} gives a C that is no rotation at {where}: C^T C is off by {gap:.3g}.")
    if np.linalg.det(C) < 0.0:
        raise UserFunctionError(f"{start.label} gives a C that is no rotation at {where}: it mirrors, det C = -1.")


def check_rotations(start):
    """C stays a rotation beside the start, where the function is defined."""
    for way in (*np.eye(start.n_v), *-np.eye(start.n_v)):
        for size in BESIDE:
            s = start.advanced(start.s, size * way * start.natural())
            try:
                with np.errstate(all="ignore"):
                    C = np.asarray(start.pose(s)[1], float)
            except (ArithmeticError, ValueError):
                continue
            if np.isfinite(C).all():
                _check_rotation(start, C, s)


def _check_routine(start):
    n = start.n_v
    shapes = ((3,), (3,), (3, n), (3,), (3, 3), (3,), (3, n), (3,))
    wanted = f"SD (3), SDT (3), SDQ (3 rows of {n}), SDTT (3), CD (3 rows of 3), CDT (3), CDQ (3 rows of {n}), CDTT (3)"

    def call(s, u):
        return [np.asarray(part, float) for part in start.plain(tuple(s), tuple(u), start.p)]

    u = some_velocities(start.natural())
    _check_shape(start, lambda: call(start.s, u), wanted, shapes)
    _check_rotation(start, call(start.s, u)[4])
    found = contradiction(call, start, start.s, start.length, STEP, TOLERANCE)
    if found is not None:
        raise UserFunctionError(
            f"{start.label} contradicts itself at the start: {found}. The joint must not depend on time, and all components are "
            "in the axes of frame a."
        )


def some_velocities(sizes):
    """Velocities u (n_v,) of natural sizes, in all directions."""
    return SOME[: len(sizes)] * sizes


def contradiction(call, start, s, length, step, tolerance):
    """Where a routine contradicts its own derivatives at s (n_q,), in words, or None.

    call(s, u) : its eight parts as arrays. length (m) : what shifts are measured by. step : of differences, in natural sizes.
    """
    sizes = np.array([length if unit == "length" else 1.0 for unit in start.joint.units])
    u = some_velocities(sizes)
    value, later, earlier = (call(start.advanced(s, way * u), u) for way in (0.0, step, -step))
    change = [(x - y) / (2.0 * step) for x, y in zip(later, earlier, strict=True)]
    equations = (
        ("SDT", value[1], "SDQ u", value[2] @ u),
        ("CDT", value[5], "CDQ u", value[6] @ u),
        ("SDT", value[1], "the derivative of SD", change[0]),
        ("CDT", value[5], "the turning of CD", axial(change[4] @ value[4].T)),
        ("SDTT", value[3], "(d SDQ/dt) u", change[2] @ u),
        ("CDTT", value[7], "(d CDQ/dt) u", change[6] @ u),
    )
    for left, given, right, expected in equations:
        size = length if left.startswith("S") else 1.0
        if not np.abs(given - expected).max() <= tolerance * (size + np.abs(expected).max()):
            return f"{left} is {given.tolist()}, but {right} is {expected.tolist()}"
    return None


def axial(M):
    """Axial vector (3,) of a matrix."""
    return 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
