"""Declarations: the model and everything it is made of. Nothing is computed here but masses and frames."""

from bricard.model.blocks import Block, Measure
from bricard.model.body import Body
from bricard.model.forces import AppliedForce, CoordinateForce
from bricard.model.frames import Frame, quaternion, rotation_from_axis, rotation_matrix
from bricard.model.functions import FunctionElement
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
from bricard.model.shapes import Box, Cylinder, PointMass, Rod, Shape, Sphere
from bricard.model.wishes import Wish

__all__ = [
    "AppliedForce",
    "Block",
    "Body",
    "Box",
    "Constant",
    "CoordinateForce",
    "Cylinder",
    "Frame",
    "FunctionElement",
    "FunctionLaw",
    "FunctionProfile",
    "Law",
    "Linear",
    "Measure",
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
    "Wish",
    "quaternion",
    "rotation_from_axis",
    "rotation_matrix",
]
