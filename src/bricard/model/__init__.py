"""Declarations: the model and everything it is made of. Nothing is computed here but masses and frames."""

from bricard.model.blocks import Block, Measure
from bricard.model.body import Body
from bricard.model.drawing import Drawing
from bricard.model.forces import AppliedForce, CoordinateForce
from bricard.model.frames import Frame, quaternion, rotation_from_axis, rotation_matrix
from bricard.model.functions import FunctionElement
from bricard.model.joints.user import UserJoint
from bricard.model.laws import FunctionLaw, Law, Linear, Table, TimeLaw
from bricard.model.model import Model
from bricard.model.profiles import (
    Constant,
    FunctionProfile,
    Polynomial,
    Profile,
    Sine,
    SmoothStep,
    StartValue,
    Tabulated,
)
from bricard.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, PointMass, Rod, Shape, Sphere
from bricard.model.wishes import Wish

__all__ = [
    "AppliedForce",
    "Block",
    "Body",
    "Box",
    "Capsule",
    "Constant",
    "CoordinateForce",
    "Cylinder",
    "Drawing",
    "Ellipsoid",
    "Frame",
    "FunctionElement",
    "FunctionLaw",
    "FunctionProfile",
    "Law",
    "Linear",
    "Measure",
    "Mesh",
    "Model",
    "PointMass",
    "Polynomial",
    "Profile",
    "Rod",
    "Shape",
    "Sine",
    "SmoothStep",
    "Sphere",
    "StartValue",
    "Table",
    "Tabulated",
    "TimeLaw",
    "UserJoint",
    "Wish",
    "quaternion",
    "rotation_from_axis",
    "rotation_matrix",
]
