"""What makes a 3x3 tensor the inertia of a real body."""

from __future__ import annotations

import numpy as np

from bricard.errors import ModelError, UnrealInertia, warn
from bricard.model import checks

__all__ = ["CHECKS", "checked_inertia"]

TOLERANCE = 1e-9  # relative to the largest entry
SMALL = 0.1  # of the largest moment: by how much published inertias may miss the triangle inequality
CHECKS = ("error", "warn", "nearest")
OF_MOMENTS = np.ones((3, 3)) - np.eye(3)  # principal moments from the integrals of x^2, y^2 and z^2


def checked_inertia(value: object, where: str, check: str = "error", *, planar: bool = False) -> np.ndarray:
    """Return a valid (3, 3) inertia tensor (kg m^2) from a tensor (3, 3) or three principal moments (3,).

    Valid means symmetric, positive semidefinite, and no principal moment larger than the sum of the other two
    (the integrals of x^2, y^2 and z^2 are not negative). What is not: check="error" refuses it, "warn" takes it as given where
    only the last condition fails, by at most SMALL of the largest moment, and "nearest" takes the nearest valid tensor (of least
    sum of squared differences). In the plane only the moment about z counts, and the last condition is not asked for.
    """
    if check not in CHECKS:
        raise ModelError(f"{where}_check must be {', '.join(map(repr, CHECKS))}, not {check!r}.")
    wanted = f"{where} must be a 3x3 matrix or 3 principal moments (kg m^2)"
    shape = checks.shape(value)
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
    moments, axes = np.linalg.eigh(tensor)
    shown = _shown(moments)
    excess = moments[2] - moments[0] - moments[1]
    if moments[0] >= -TOLERANCE * scale and (planar or excess <= TOLERANCE * scale):
        return checks.frozen(tensor)
    nearest = _nearest(moments, axes)
    if check == "nearest":
        return checks.frozen(nearest)
    if moments[0] < -TOLERANCE * scale:
        raise ModelError(f"{where} has a negative principal moment: {shown} kg m^2.")
    words = (
        f"{where} belongs to no real body: of its principal moments {shown} kg m^2 the largest exceeds the sum of "
        f"the other two by {excess:.3g} kg m^2, {100 * excess / moments[2]:.3g} % of it."
    )
    diagonal = np.count_nonzero(tensor - np.diag(tensor.diagonal())) == 0
    real = _shown(nearest.diagonal()) if diagonal else "; ".join(map(_shown, nearest))
    if check == "warn" and excess <= SMALL * moments[2] * (1.0 + TOLERANCE):
        warn(
            f'{words} It is used as given. The nearest real inertia is ({real}): inertia_check="nearest" takes it.',
            UnrealInertia,
        )
        return checks.frozen(tensor)
    if tensor[2, 2] >= moments[2] * (1.0 - TOLERANCE):
        words += (
            " If the body moves in the x-y plane only, give planar=True: then the moment about z is all that counts."
        )
    raise ModelError(
        f"{words} Check the units and the signs of the products of inertia; the nearest real inertia is ({real}), "
        'which inertia_check="nearest" takes.'
    )


def _nearest(moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return the valid tensor (3, 3) nearest to that of principal moments (3,) about the columns of `axes`."""
    from scipy.optimize import nnls

    found = axes * (OF_MOMENTS @ nnls(OF_MOMENTS, moments)[0]) @ axes.T
    return 0.5 * (found + found.T)


def _shown(numbers: np.ndarray) -> str:
    return ", ".join(f"{number:.6g}" for number in numbers)
