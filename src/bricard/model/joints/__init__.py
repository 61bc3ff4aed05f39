"""Joints, one file per type; `base.py` says how to add one."""

from bricard.model.joints.base import FrameJoint, Joint
from bricard.model.joints.constant_angle import ConstantAngle
from bricard.model.joints.cylindrical import Cylindrical
from bricard.model.joints.distance import Distance
from bricard.model.joints.drive import Drive, DriveDistance
from bricard.model.joints.fixed import Fixed
from bricard.model.joints.free import Free
from bricard.model.joints.gear import Gear
from bricard.model.joints.linkage import Linkage
from bricard.model.joints.pin import Pin
from bricard.model.joints.planar import Planar
from bricard.model.joints.point_on_line import PointOnLine
from bricard.model.joints.point_on_plane import PointOnPlane
from bricard.model.joints.prismatic import Prismatic
from bricard.model.joints.revolute import Revolute
from bricard.model.joints.rolling_disc import RollingDisc
from bricard.model.joints.slider import Slider
from bricard.model.joints.spherical import Spherical
from bricard.model.joints.universal import Universal
from bricard.model.joints.user import User, UserJoint

__all__ = [
    "ConstantAngle",
    "Cylindrical",
    "Distance",
    "Drive",
    "DriveDistance",
    "Fixed",
    "FrameJoint",
    "Free",
    "Gear",
    "Joint",
    "Linkage",
    "Pin",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "RollingDisc",
    "Slider",
    "Spherical",
    "Universal",
    "User",
    "UserJoint",
]
