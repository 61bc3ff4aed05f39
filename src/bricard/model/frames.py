"""Frames fixed in bodies, and the rotations they are made of.

A rotation is a (3, 3) matrix whose columns are the axes of the turned frame, or a quaternion (4,), scalar first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks
from bricard.model.travelling import Immutable

if TYPE_CHECKING:
    from bricard.model.body import Body

__all__ = ["Frame", "as_rotation", "quaternion", "rotation_from_axis", "rotation_matrix"]

ACCEPTED = 1e-6  # deviation from orthonormality taken for rounding of printed figures
EXACT = 1e-12  # below this a matrix is left untouched, so that saving and loading is exact


def rotation_matrix(quaternion: object, where: str = "quaternion") -> np.ndarray:
    """Return the (3, 3) rotation matrix of a quaternion (4,), scalar first, of any length but zero."""
    q = checks.vector(quaternion, where, 4)
    largest = np.abs(q).max()
    if largest == 0.0:
        raise ModelError(f"{where} is zero and gives no rotation; no rotation is (1, 0, 0, 0).")
    w, x, y, z = (q / largest).tolist()
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return checks.frozen(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ]
    )


def quaternion(matrix: object, where: str = "rotation") -> np.ndarray:
    """Return the unit quaternion (4,), scalar first and not negative, of a (3, 3) rotation matrix."""
    R = as_rotation(matrix, where)
    trace = np.trace(R)
    # 4 q q^T, of which the row with the largest diagonal entry is accurate for every rotation
    outer = np.empty((4, 4))
    outer[0, 0] = 1.0 + trace
    outer[0, 1:] = outer[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    outer[1:, 1:] = R + R.T + (1.0 - trace) * np.eye(3)
    row = outer[np.argmax(np.diag(outer))]
    result = row / np.linalg.norm(row)
    return checks.frozen(-result if result[0] < 0.0 else result)


def as_rotation(value: object, where: str) -> np.ndarray:
    """Return a (3, 3) rotation matrix from None (no rotation), a quaternion (4,) or a matrix (3, 3)."""
    if value is None:
        return checks.frozen(np.eye(3))
    wanted = f"{where} must be a 3x3 matrix or a quaternion (4 numbers, scalar first)"
    shape = checks.shape(value)
    if shape == (4,):
        return rotation_matrix(value, where)
    if shape != (3, 3):
        raise ModelError(f"{wanted}, not {value!r}.")
    matrix = np.array([checks.vector(row, where) for row in value])  # pyright: ignore[reportGeneralTypeIssues]
    deviation = np.abs(matrix.T @ matrix - np.eye(3)).max()
    if deviation > ACCEPTED:
        raise ModelError(f"{where} is not orthonormal: R^T R differs from the identity by {deviation:.2g}.")
    if np.linalg.det(matrix) < 0.0:
        raise ModelError(f"{where} is left-handed (determinant -1); reverse one of its axes.")
    if deviation > EXACT:
        u, _, vt = np.linalg.svd(matrix)
        matrix = u @ vt
    return checks.frozen(matrix)


def rotation_from_axis(axis: object, x: object = None, where: str = "axis") -> np.ndarray:
    """Return the rotation whose z axis points along `axis` and whose x axis lies nearest to `x`.

    Without `x` the world x axis is taken, or the world y axis where `axis` is within about 26 degrees of x.
    """
    z = checks.unit(axis, where)
    if x is None:
        near = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    else:
        near = checks.unit(x, f"{where}, x direction")
        if np.linalg.norm(np.cross(z, near)) < 1e-9:
            raise ModelError(f"{where}: the x direction is parallel to the axis; choose another one.")
    for _ in range(2):  # twice, for directions that are nearly parallel
        near = near - (near @ z) * z
        near = near / np.linalg.norm(near)
    return checks.frozen(np.column_stack([near, np.cross(z, near), z]))


@dataclass(frozen=True, eq=False)
class Frame(Immutable):
    """A frame fixed in a body: origin (3,) in m and axes (3, 3, columns), both in the body's reference frame."""

    body: Body
    position: np.ndarray
    rotation: np.ndarray

    @classmethod
    def at(cls, body: Body, position: object, rotation: object, where: str) -> Frame:
        """Return the frame of `body` that stands at `position`, `rotation` of the world at the start."""
        turned = body.rotation.T @ as_rotation(rotation, f"{where} rotation")
        return cls(body, body.point(checks.vector(position, f"{where} point")), checks.frozen(turned))

    @property
    def point(self) -> np.ndarray:
        """Origin (3,) relative to the centre of mass, in body axes (m)."""
        return self.position - self.body.com

    @property
    def x(self) -> np.ndarray:
        """First axis (3,) in body axes."""
        return self.rotation[:, 0]

    @property
    def y(self) -> np.ndarray:
        """Second axis (3,) in body axes."""
        return self.rotation[:, 1]

    @property
    def z(self) -> np.ndarray:
        """Third axis (3,) in body axes: the axis of a joint."""
        return self.rotation[:, 2]

    @property
    def world_position(self) -> np.ndarray:
        """Origin (3,) in the world at the start, as drawn (m)."""
        return self.body.position + self.body.rotation @ self.position

    @property
    def world_rotation(self) -> np.ndarray:
        """Axes (3, 3) in the world at the start, as drawn."""
        return self.body.rotation @ self.rotation

    def declaration(self) -> dict[str, Any]:
        """Return the keywords that make this frame again with `body.frame(...)`."""
        table: dict[str, Any] = {"position": self.position}
        if not np.array_equal(self.rotation, np.eye(3)):
            table["rotation"] = self.rotation
        return table


def as_frame(value: object, body: Body, where: str) -> Frame:
    """Return `value` as a frame of `body`: a Frame, or a table with `position`, `rotation`, `axis`."""
    if isinstance(value, Mapping):
        return body.frame(**checks.keys(body.frame, value, where))
    if not isinstance(value, Frame):
        raise ModelError(f"{where} must be a frame, for example of {body.name}.frame(position), not {value!r}.")
    if value.body is not body:
        raise ModelError(f'{where} is fixed in the body "{value.body.name}", but must be fixed in "{body.name}".')
    return value
