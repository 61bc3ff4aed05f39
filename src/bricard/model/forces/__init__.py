"""Forces; those given by a function (users' own, bushings) are in `bricard.model.functions`."""

from bricard.model.forces.applied import AppliedForce
from bricard.model.forces.coordinate import CoordinateForce

__all__ = ["AppliedForce", "CoordinateForce"]
