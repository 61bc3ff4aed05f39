"""What makes a 3x3 tensor the inertia of a real body."""

from __future__ import annotations

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks

__all__ = ["checked_inertia"]

TOLERANCE = 1e-9  # relative to the largest entry


def checked_inertia(value: object, where: str) -> np.ndarray:
    """Return a valid (3, 3) inertia tensor (kg m^2) from a tensor (3, 3) or three principal moments (3,).

    Valid means symmetric, positive semidefinite, and no principal moment larger than the sum of the other two
    (the integrals of x^2, y^2 and z^2 are not negative).
    """
    wanted = f"{where} must be a 3x3 matrix or 3 principal moments (kg m^2)"
    try:
        shape = np.shape(value)  # pyright: ignore[reportArgumentType, reportCallIssue]
    except ValueError:
        raise ModelError(f"{wanted}, not {value!r}.") from None
    if shape == (3,):
        tensor = np.diag(checks.vector(value, where))
    elif shape == (3, 3):
        tensor = np.array([checks.vector(row, where) for row in value])  # pyright: ignore[reportGeneralTypeIssues]
    else:
        raise ModelError(f"{wanted}, not {value!r}.")
    scale = np.abs(tensor).max()
    skew = np.abs(tensor - tensor.T).max()
    if skew > TOLERANCE * scale:
        raise ModelError(f"{where} is not symmetric: entries differ by {skew:.3g} kg m^2.")
    tensor = 0.5 * (tensor + tensor.T)
    moments = np.linalg.eigvalsh(tensor)
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    if moments[0] < -TOLERANCE * scale:
        raise ModelError(f"{where} has a negative principal moment: {shown} kg m^2.")
    if moments[2] - moments[0] - moments[1] > TOLERANCE * scale:
        raise ModelError(
            f"{where} belongs to no real body: of its principal moments {shown} kg m^2 the largest exceeds the sum of "
            "the other two. Check the units and the signs of the products of inertia."
        )
    return checks.frozen(tensor)
